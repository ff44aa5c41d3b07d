package passes

import "nirc/ir"

var lowerDiscardIfPass = &Pass{
	Name: "lower_discard_if", Class: "A", Run: lowerDiscardIf, Idempotent: true,
	Instead: "hardware: all targets discard by a condition; it stays for those that only branch",
	Options: []Option{
		{"demote", "demote_if becomes an if around demote", true},
		{"terminate", "terminate_if becomes an if around terminate", true},
	},
	Doc: "Writes conditional discards as ifs around unconditional ones; after terminate stands a halt.",
}

func lowerDiscardIf(c *Context, s *ir.Shader) (bool, error) {
	demote, terminate := c.Bool("demote"), c.Bool("terminate")
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			return demote && in.Intr == ir.IntrDemoteIf || terminate && in.Intr == ir.IntrTerminateIf
		})
		for _, in := range list {
			b := builderBefore(in)
			b.PushIf(in.Srcs[0].Def)
			if in.Intr == ir.IntrDemoteIf {
				b.Effect(ir.IntrDemote)
			} else {
				b.Effect(ir.IntrTerminate)
				b.Jump(ir.JumpHalt)
			}
			in.Remove()
		}
		return len(list) > 0
	}), nil
}
