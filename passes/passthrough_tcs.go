package passes

import "nirc/ir"

var passthroughTCSPass = &Pass{
	Name: "passthrough_tcs", Class: "C", Run: passthroughTCS,
	Instead: "linking: a control shader is a shader of its own, made of the vertex shader before it for drivers of OpenGL, where it may be missing (`nirc opt --passes`)",
	Doc: "Makes of a vertex shader the tessellation control shader that may stand after it where an application has none: each vertex of the patch passes what the vertex shader put out, and the " +
		"levels are what the push constants have, or all the same. Input: before lower_io. Output: copies, for lower_var_copies.",
	Options: []Option{
		{"vertices", "vertices of a patch, which go in and out, 0: the pass does nothing", 0},
		{"push", "offset of the levels in the push constants, four floats of the outer and two of the inner ones, -1: they are level", -1},
		{"level", "all levels without push", 1.0},
	},
}

// maxPatch is the most vertices that a patch has in Vulkan's least device.
const maxPatch = 32

func passthroughTCS(c *Context, s *ir.Shader) (bool, error) {
	n, push := c.Int("vertices"), c.Int("push")
	if n < 0 || n > maxPatch {
		return false, optionError("vertices=%d: patches have 1 to %d vertices", n, maxPatch)
	}
	if err := checkPush(push); err != nil {
		return false, err
	}
	if n == 0 || s.Stage != ir.StageVertex || !passesOn(s) {
		return false, nil
	}
	p := newPassOn(s, ir.StageTessCtrl, maxPatch, uint32(n))
	s.Captures, s.Info.Xfb, s.Info.XfbStrides = nil, false, [ir.NumXfbBuffers]uint32{}
	s.Info.Tess.OutputVertices = uint32(n)
	id := &p.b.Intrinsic(ir.IntrLoadInvocationId, 1, 32).Def
	p.copy(id, id)
	p.levels("gl_TessLevelOuter", ir.SlotTessLevelOuter, ir.BuiltInTessLevelOuter, 4, push, c.Float("level"))
	if push >= 0 {
		push += 16
	}
	p.levels("gl_TessLevelInner", ir.SlotTessLevelInner, ir.BuiltInTessLevelInner, 2, push, c.Float("level"))
	return true, nil
}

// levels stores n levels.
func (p *passOn) levels(name string, slot ir.Slot, builtIn int32, n, push int, level float64) {
	v := p.s.NewVariable(ir.ModeShaderOut, ir.ArrayType(ir.ScalarType(ir.BaseFloat, 32), uint32(n), 0), name)
	v.Location, v.BuiltIn, v.Patch, v.Compact = int32(slot), builtIn, true, true
	var given *ir.Def
	if push >= 0 {
		given = pushFloats(p.b, push, n)
	}
	to := p.b.DerefVar(v)
	for i := range n {
		x := p.b.ImmFloat(level, 32)
		if given != nil {
			x = p.b.Channel(given, i)
		}
		p.b.StoreDeref(p.b.DerefArrayImm(to, i), x, 1, 0)
	}
}
