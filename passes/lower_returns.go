package passes

import "nirc/ir"

var lowerReturnsPass = &Pass{
	Name: "lower_returns", Class: "A", Run: implPass(ir.MetaNone, lowerReturns), Idempotent: true,
	Doc: "Removes return jumps: the rest of the code moves into the side that does not return or under a flag. Halts stay.",
}

// lowerReturns removes return jumps: what follows an if that may return moves
// into its other side or under a flag, and a return in a loop becomes a flag
// and a break.
func lowerReturns(impl *ir.Impl) bool {
	e := &earlyExits{impl: impl, kind: ir.JumpReturn, root: &impl.Body, name: "returned"}
	e.list(&impl.Body, 0)
	if !e.progress {
		return false
	}
	repairExits(impl)
	return true
}
