package agx

import "nirc/ir"

// Addresses of workgroup memory have 16 bits (agx.md §7.3): 32 KB
// are there. The widths of what is loaded and stored at them, 8 to 32 bits, are left to
// passes/lower_mem_access_bit_sizes.go, as for other memory.

// sharedOffset is the source of an access to workgroup memory that is its address.
func sharedOffset(i ir.Intrinsic) (src int, ok bool) {
	switch i {
	case ir.IntrLoadShared, ir.IntrSharedAtomic, ir.IntrSharedAtomicSwap:
		return 0, true
	case ir.IntrStoreShared:
		return 1, true
	}
	return 0, false
}

// lowerSharedBitsize narrows the addresses of workgroup memory to 16 bits.
func lowerSharedBitsize(impl *ir.Impl) {
	if impl.Shader.Contents()&ir.HasShared == 0 {
		return
	}
	changed := false
	for in := range impl.Instrs() {
		if in.Kind != ir.KindIntrinsic {
			continue
		}
		if k, ok := sharedOffset(in.Intr); ok && in.Srcs[k].Def.BitSize != 16 {
			b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
			narrow := b.U2u16
			if c, ok := in.Srcs[k].Def.Const(0); ok {
				narrow = func(*ir.Def) *ir.Def { return b.ImmInt(int64(c), 16) }
			}
			in.Srcs[k].Set(narrow(in.Srcs[k].Def))
			changed = true
		}
	}
	if changed {
		impl.Preserve(ir.MetaControlFlow)
	}
}
