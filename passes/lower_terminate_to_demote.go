package passes

import "nirc/ir"

var lowerTerminateToDemotePass = &Pass{
	Name: "lower_terminate_to_demote", Class: "A", Run: implPass(ir.MetaNone, lowerTerminateToDemote), Idempotent: true,
	Doc: "Turns terminate into demote and terminate_if into demote_if. The halt after a terminate stays, so that the code after it does not run.",
}

func lowerTerminateToDemote(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrTerminate || in.Intr == ir.IntrTerminateIf })
	for _, in := range list {
		b := builderBefore(in)
		if in.Intr == ir.IntrTerminate {
			b.Intrinsic(ir.IntrDemote, 0, 0)
		} else {
			b.PushIf(in.Srcs[0].Def)
			b.Intrinsic(ir.IntrDemote, 0, 0)
			b.Jump(ir.JumpHalt)
		}
		in.Remove()
	}
	return len(list) > 0
}
