package ir3

import (
	"nirc/backend/ir3/abi"
	"nirc/ir"
)

// lowerClock makes of readings of the clock loads of the counter that is always on, which can be read as memory. One fiber
// reads for the wave, the low word first.
func lowerClock(impl *ir.Impl) {
	var found []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrShaderClock) {
				found = append(found, in)
			}
		}
	}
	for _, in := range found {
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		i := b.PushIf(&b.Intrinsic(ir.IntrElect, 1, 1).Def)
		var words [2]*ir.Def
		for k := range words {
			if faults.has(faultClockOrder) {
				k = 1 - k
			}
			a := uint64(abi.ClockAddr) + 4*uint64(k)
			words[k] = &b.Intrinsic(ir.IntrLoadGlobal2x32, 1, 32, b.Const(32, a&(1<<32-1), a>>32)).Set(ir.IdxAlignMul, 4).
				Set(ir.IdxAccess, uint64(ir.AccessVolatile)).Def
		}
		b.PushElse(i)
		none := b.Undef(1, 32)
		for k, w := range words {
			words[k] = b.IfPhi(i, w, none)
		}
		b.PopIf(i)
		for k, w := range words {
			words[k] = &b.Intrinsic(ir.IntrReadFirstInvocation, 1, 32, w).Def
		}
		in.Def.RewriteUses(b.Vec(words[:]...))
		in.Remove()
	}
}
