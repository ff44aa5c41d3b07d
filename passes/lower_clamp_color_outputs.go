package passes

import "nirc/ir"

var lowerClampColorOutputsPass = &Pass{
	Name: "lower_clamp_color_outputs", Class: "C", Run: lowerClampColorOutputs, Idempotent: true,
	Doc: "Clamps float colours that a shader stores to 0 … 1: those of fragment shaders by attachment, of earlier stages by the locations of their colours. Works on store_output.",
	Options: []Option{
		{"colors", "bit i: colour attachment i of a fragment shader", 0xff},
		{"locations", "bit i: location i of earlier stages is a colour", 0},
	},
}

func lowerClampColorOutputs(c *Context, s *ir.Shader) (bool, error) {
	m := varyingsAt(c.Int("locations"))
	if s.Stage == ir.StageFragment {
		m = colorsAt(c.Int("colors"))
	}
	return eachSlot(s, m, slotStores, func(b *ir.Builder, in *ir.Instr) (bool, error) {
		v := in.Srcs[0].Def
		if ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class != ir.ClassFloat || v.Instr.IsALU(ir.OpFsat) {
			return false, nil
		}
		in.Srcs[0].Set(b.Fsat(v))
		return true, nil
	})
}
