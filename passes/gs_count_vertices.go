package passes

import "nirc/ir"

var gsCountVerticesPass = &Pass{
	Name: "gs_count_vertices", Class: "C", Run: gsCountVertices, Idempotent: true,
	Instead: "hardware: it reads what lower_gs_intrinsics counts, which no target takes; it stays for targets whose hardware takes counts",
	Doc: "Bounds the vertices that a geometry shader declares by those that it emits, where all of its exits say one constant number (set_vertex_and_primitive_count of lower_gs_intrinsics, " +
		"after loops are unrolled and constants folded): gs_max_vertices of the shader's facts gets smaller, and with it the memory that a draw takes.",
}

func gsCountVertices(_ *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageGeometry {
		return false, nil
	}
	vertices, known := CountVertices(s)
	if !known || max(1, vertices) >= s.Info.Geom.MaxVertices {
		return false, nil
	}
	s.Info.Geom.MaxVertices = max(1, vertices)
	return true, nil
}

// CountVertices is the number of vertices that each invocation of a geometry shader emits; known is false where
// it is not the same constant at all exits, or the shader does not count.
func CountVertices(s *ir.Shader) (vertices uint32, known bool) {
	known, exits := true, 0
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for in := range f.Impl.Instrs() {
			if !in.IsIntrinsic(ir.IntrSetVertexAndPrimitiveCount) {
				continue
			}
			n, ok := in.Srcs[0].Def.Const(0)
			known = known && ok && (exits == 0 || uint32(n) == vertices)
			vertices = uint32(n)
			exits++
		}
	}
	return vertices, known && exits > 0
}
