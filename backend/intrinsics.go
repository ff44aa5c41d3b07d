package backend

import "nirc/ir"

// Intrinsics lists the intrinsics of a function in order: what a lowering changes while it walks.
func Intrinsics(impl *ir.Impl) []*ir.Instr {
	list := make([]*ir.Instr, 0, 16)
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic {
				list = append(list, in)
			}
		}
	}
	return list
}
