package passes

import "nirc/ir"

var lowerRegsToSSAPass = &Pass{
	Name: "lower_regs_to_ssa", Class: "A", Run: implPass(ir.MetaControlFlow, lowerRegsToSSA), Idempotent: true,
	Instead: "registers: the frontend gives variables; it stays for IR text that has registers",
	Doc:     "Turns registers that are not arrays back into SSA values (lower_reg_intrinsics_to_ssa of Mesa 25.0).",
}

// lowerRegsToSSA turns registers that are not arrays back into SSA values.
func lowerRegsToSSA(impl *ir.Impl) bool {
	var regs []*ir.Instr
	for in := range impl.Start().Instrs() {
		if in.IsIntrinsic(ir.IntrDeclReg) && in.Get(ir.IdxNumArrayElems) == 0 && plainReg(in) {
			regs = append(regs, in)
		}
	}
	if len(regs) == 0 {
		return false
	}
	ssa := newSSABuilder(impl)
	defer ssa.release()
	value := make([]int32, impl.NumDefs) // by the handle's index: value + 1
	for _, r := range regs {
		value[r.Def.Index] = ssa.newValue(uint8(r.Get(ir.IdxNumComponents)), uint8(r.Get(ir.IdxBitSize))) + 1
	}
	of := func(d *ir.Def) int32 {
		if int(d.Index) < len(value) {
			return value[d.Index] - 1
		}
		return -1
	}
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			switch {
			case in.IsIntrinsic(ir.IntrLoadReg) && of(in.Srcs[0].Def) >= 0:
				ssa.read(of(in.Srcs[0].Def), b)
			case in.IsIntrinsic(ir.IntrStoreReg) && of(in.Srcs[1].Def) >= 0:
				if full := uint64(1)<<in.Srcs[0].Def.NumComponents - 1; in.Get(ir.IdxWriteMask)&full != full {
					ssa.read(of(in.Srcs[1].Def), b)
				}
				ssa.assigned(of(in.Srcs[1].Def), b)
			}
		}
	}
	ssa.placePhis()
	ssa.walk(func(b *ir.Block) {
		for in := range b.Instrs() {
			switch {
			case in.IsIntrinsic(ir.IntrLoadReg) && of(in.Srcs[0].Def) >= 0:
				in.Def.RewriteUses(ssa.get(of(in.Srcs[0].Def)))
				in.Remove()
			case in.IsIntrinsic(ir.IntrStoreReg) && of(in.Srcs[1].Def) >= 0:
				v := of(in.Srcs[1].Def)
				val := in.Srcs[0].Def
				if full := uint64(1)<<val.NumComponents - 1; in.Get(ir.IdxWriteMask)&full != full {
					val = blend(builderBefore(in), ssa.get(v), val, in.Get(ir.IdxWriteMask))
				}
				ssa.set(v, val)
				in.Remove()
			}
		}
	})
	for _, r := range regs {
		r.Remove()
	}
	return true
}

// plainReg reports whether a register is only loaded and stored directly,
// without the modifiers that selectors fold.
func plainReg(decl *ir.Instr) bool {
	for u := decl.Def.FirstUse(); u != nil; u = u.NextUse() {
		in := u.Instr
		if !in.IsIntrinsic(ir.IntrLoadReg) && !in.IsIntrinsic(ir.IntrStoreReg) {
			return false
		}
		if in.Get(ir.IdxLegacyFabs)|in.Get(ir.IdxLegacyFneg)|in.Get(ir.IdxLegacyFsat) != 0 {
			return false
		}
	}
	return true
}
