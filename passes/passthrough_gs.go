package passes

import (
	"slices"

	"nirc/internal/lazy"
	"nirc/ir"
)

var passthroughGSPass = &Pass{
	Name: "passthrough_gs", Class: "C", Run: passthroughGS,
	Instead: "linking: a geometry shader is a shader of its own, made of the one before it for drivers that do in it what the hardware lacks (`nirc opt --passes`)",
	Doc: "Makes of a vertex or tessellation evaluation shader the geometry shader that passes its primitives on as they are, without neighbours, with what transform feedback takes: what a driver adds its own code to. " +
		"Input: before lower_io. Output: copies, for lower_var_copies.",
	Options: []Option{
		{"primitive", "what goes in: points, lines, triangles, lines_adjacency or triangles_adjacency; none: the pass does nothing", "none"},
		{"primitive_id", "pass the number of the primitive to the fragment shader", false},
	},
}

// passedVertices are the vertices that are passed on of a primitive, by how many it has.
var passedVertices = lazy.Value[map[int][]int]{Make: func() map[int][]int {
	return map[int][]int{ir.InPoints: {0}, ir.InLines: {0, 1}, ir.InTriangles: {0, 1, 2}, ir.InLinesAdjacency: {1, 2}, ir.InTrianglesAdjacency: {0, 2, 4}}
}}

func passthroughGS(c *Context, s *ir.Shader) (bool, error) {
	name := c.String("primitive")
	if name == "none" {
		return false, nil
	}
	n := slices.Index(ir.InPrimitiveNames[:], name)
	if n < 0 || name == "" {
		return false, optionError("primitive=%s: want points, lines, triangles, lines_adjacency or triangles_adjacency", name)
	}
	if !passesOn(s) {
		return false, nil
	}
	vertices := passedVertices.Get()[n]
	p := newPassOn(s, ir.StageGeometry, uint32(n), 0)
	s.Info.Geom = ir.GeomInfo{Invocations: 1, MaxVertices: uint32(len(vertices)), InPrimitive: uint8(n), OutPrimitive: uint8(len(vertices) - 1)}
	var number *ir.Variable
	if c.Bool("primitive_id") {
		number = s.NewVariable(ir.ModeShaderOut, ir.ScalarType(ir.BaseInt, 32), "gl_PrimitiveID")
		number.Location, number.BuiltIn = int32(ir.SlotPrimitiveID), ir.BuiltInPrimitiveID
	}
	for _, v := range vertices {
		p.copy(p.b.Imm32(uint32(v)), nil)
		if number != nil {
			p.b.StoreDeref(p.b.DerefVar(number), &p.b.Intrinsic(ir.IntrLoadPrimitiveId, 1, 32).Def, 1, 0)
		}
		p.b.Effect(ir.IntrEmitVertex)
	}
	p.b.Effect(ir.IntrEndPrimitive)
	return true, nil
}
