package passes

import "nirc/ir"

var gsCountVerticesPass = &Pass{
	Name: "gs_count_vertices", Class: "C", Run: gsCountVertices, Idempotent: true,
	Doc: "Bounds the vertices that a geometry shader declares by those that it emits, where all of its exits say one constant number for each stream (set_vertex_and_primitive_count of lower_gs_intrinsics, " +
		"after loops are unrolled and constants folded): gs_max_vertices of the shader's facts gets smaller, and with it the memory that a draw takes.",
}

func gsCountVertices(_ *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageGeometry {
		return false, nil
	}
	total, counts := uint32(0), false
	for _, c := range CountVertices(s) {
		if c.Exits > 0 && !c.Constant {
			return false, nil
		}
		total += c.Vertices
		counts = counts || c.Exits > 0
	}
	if !counts || max(1, total) >= s.Info.Geom.MaxVertices {
		return false, nil
	}
	s.Info.Geom.MaxVertices = max(1, total)
	return true, nil
}

// StreamCount is what an invocation of a geometry shader emits to a stream.
type StreamCount struct {
	// Exits is how often the shader says so; 0: it does not count, or does not emit to the stream.
	Exits int
	// Constant: all exits say the same numbers, which Vertices and Strips are. Both are 0 otherwise.
	Constant         bool
	Vertices, Strips uint32
}

// CountVertices is what each invocation of a geometry shader emits, by stream.
func CountVertices(s *ir.Shader) (streams [ir.NumXfbBuffers]StreamCount) {
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for in := range f.Impl.Instrs() {
			if in.IsIntrinsic(ir.IntrSetVertexAndPrimitiveCount) {
				streams[in.Get(ir.IdxStreamId)].exit(in)
			}
		}
	}
	return streams
}

// exit counts one more exit.
func (c *StreamCount) exit(in *ir.Instr) {
	vertices, ok := in.Srcs[0].Def.Const(0)
	strips, ok2 := in.Srcs[1].Def.Const(0)
	same := c.Exits == 0 || c.Constant && c.Vertices == uint32(vertices) && c.Strips == uint32(strips)
	c.Exits++
	if c.Constant = ok && ok2 && same; c.Constant {
		c.Vertices, c.Strips = uint32(vertices), uint32(strips)
	} else {
		c.Vertices, c.Strips = 0, 0
	}
}
