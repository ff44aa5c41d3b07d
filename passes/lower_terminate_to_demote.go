package passes

import "nirc/ir"

var lowerTerminateToDemotePass = &Pass{
	Name: "lower_terminate_to_demote", Class: "A", Run: lowerTerminateToDemote, Idempotent: true,
	Instead: "hardware: all targets have both kinds of discards; it stays for those with one",
	Options: []Option{{"to", "demote: no lane ends before its quad; terminate: no lane goes on as a helper; fit: demote where anything asks for helpers (derivatives, implicit LODs, operations of the quad or the subgroup, whether a lane is one), else terminate", "demote"}},
	Doc: "Turns discards into one kind. Terminate becomes demote, and terminate_if an if with a demote; the halt after a terminate stays, so that the code after it does not run. " +
		"Demote becomes terminate and halt in an if, demote_if terminate_if.",
}

func lowerTerminateToDemote(c *Context, s *ir.Shader) (bool, error) {
	to := c.String("to")
	switch to {
	case "demote", "terminate":
	case "fit":
		to = "terminate"
		for _, f := range s.Functions {
			if f.Impl != nil && needsHelpers(f.Impl) {
				to = "demote"
			}
		}
	default:
		return false, optionError("to=%s: want demote, terminate or fit", to)
	}
	if to == "demote" {
		return eachImpl(s, ir.MetaNone, terminateToDemote), nil
	}
	return eachImpl(s, ir.MetaNone, demoteToTerminate), nil
}

// needsHelpers reports whether what a function computes may hang on lanes that were discarded.
func needsHelpers(impl *ir.Impl) bool {
	for in := range impl.Instrs() {
		switch {
		case in.Kind == ir.KindTex && in.TexOp.Info().ImplicitDerivatives:
			return true
		case in.Kind != ir.KindIntrinsic:
		case isDerivative(in.Intr) || in.Intr == ir.IntrIsHelperInvocation || in.Intr == ir.IntrLoadHelperInvocation || in.Intr == ir.IntrElect:
			return true
		case in.Intr >= ir.IntrFirstInvocation && in.Intr <= ir.IntrBallotFindMsb:
			return true
		}
	}
	return false
}

func terminateToDemote(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrTerminate || in.Intr == ir.IntrTerminateIf })
	for _, in := range list {
		b := builderBefore(in)
		if in.Intr == ir.IntrTerminate {
			b.Effect(ir.IntrDemote)
		} else {
			b.PushIf(in.Srcs[0].Def)
			b.Effect(ir.IntrDemote)
			b.Jump(ir.JumpHalt)
		}
		in.Remove()
	}
	return len(list) > 0
}

func demoteToTerminate(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrDemote || in.Intr == ir.IntrDemoteIf })
	for _, in := range list {
		b := builderBefore(in)
		if in.Intr == ir.IntrDemoteIf {
			b.Effect(ir.IntrTerminateIf, in.Srcs[0].Def)
		} else {
			b.PushIf(b.ImmBool(true))
			b.Effect(ir.IntrTerminate)
			b.Jump(ir.JumpHalt)
		}
		in.Remove()
	}
	return len(list) > 0
}
