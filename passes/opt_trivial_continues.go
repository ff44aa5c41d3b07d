package passes

import "nirc/ir"

var optTrivialContinuesPass = &Pass{
	Name: "opt_trivial_continues", Class: "B", Run: implPass(ir.MetaNone, optTrivialContinues), Idempotent: true, Optional: true, For: ir.HasLoop,
	Doc: "Removes continues at the end of a loop's body. Needs lower_continue_constructs.",
}

// optTrivialContinues only removes continues.
func optTrivialContinues(impl *ir.Impl) (progress bool) {
	for again := true; again; {
		again = trivialContinues(&impl.Body)
		progress = progress || again
	}
	return progress
}

func trivialContinues(l *ir.List) (progress bool) {
	for n := l.First(); n != nil; n = ir.Next(n) {
		switch x := n.(type) {
		case *ir.If:
			progress = trivialContinues(&x.Then) || progress
			progress = trivialContinues(&x.Else) || progress
		case *ir.Loop:
			progress = trivialContinues(&x.Body) || progress
			if x.Continue.Empty() {
				progress = tailContinues(&x.Body) || progress
			}
		}
	}
	return progress
}
