package passes

import "nirc/ir"

var recomputeIOBasesPass = &Pass{
	Name: "recompute_io_bases", Class: "B", Run: recomputeIOBases, Idempotent: true,
	Instead: "linking: slots are numbered by the code generators, which hand them on in the metadata; it is for pairs of stages that are linked",
	Doc: "Numbers the bases of inputs and outputs again: the slots that the shader still accesses, in order, without gaps. Takes the intrinsics of lower_io. " +
		"Both sides of an interface must be numbered alike, so it is for those that nothing else looks at.",
	Options: []Option{
		{"modes", "shader_in, shader_out or both", ir.ModeShaderIn | ir.ModeShaderOut},
	},
}

func recomputeIOBases(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	var used [2]slotSet
	eachIO(s, func(in *ir.Instr, mode ir.Mode) {
		used[ioSide(mode)].add(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)))
	})
	progress := false
	eachIO(s, func(in *ir.Instr, mode ir.Mode) {
		base := uint64(used[ioSide(mode)].rank(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))))
		if mode&modes != 0 && in.Get(ir.IdxBase) != base {
			in.Set(ir.IdxBase, base)
			progress = true
		}
	})
	return progress, nil
}
