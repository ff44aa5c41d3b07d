package passes

import "nirc/ir"

var optUndefPass = &Pass{
	Name: "opt_undef", For: ir.HasUndef, Class: "B", Run: implPass(ir.MetaControlFlow, optUndef), Optional: true,
	Doc: "Uses the freedom of undefs: selects with one, vectors of them, stores of their channels.",
}

// optUndef uses the freedom of undefs: a select between undef and a value is
// the value, a vector or move of undefs is undef, and stores leave out undef
// channels.
func optUndef(impl *ir.Impl) (progress bool) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			switch {
			case in.Kind == ir.KindALU:
				progress = undefALU(impl, in) || progress
			case in.Kind == ir.KindIntrinsic && in.Has(ir.IdxWriteMask) && in.Intr != ir.IntrStoreReg && in.Intr != ir.IntrStoreRegIndirect:
				progress = undefStore(in) || progress
			}
		}
	}
	return progress
}

func undefALU(impl *ir.Impl, in *ir.Instr) bool {
	switch {
	case in.Op == ir.OpBcsel || in.Op == ir.OpB32csel:
		pick := -1
		if in.Srcs[1].Def.IsUndef() {
			pick = 2
		} else if in.Srcs[2].Def.IsUndef() {
			pick = 1
		}
		if pick < 0 {
			return false
		}
		mov := impl.Shader.NewALU(ir.OpMov, in.Def.NumComponents, in.Def.BitSize, in.Srcs[pick].Def)
		mov.Srcs[0].Swizzle = in.Srcs[pick].Swizzle
		mov.Loc, mov.Exact = in.Loc, in.Exact
		ir.Before(in).Insert(mov)
		in.Def.RewriteUses(&mov.Def)
		in.Remove()
		return true
	case in.Op == ir.OpMov || in.IsVec():
		for i := range in.Srcs {
			if !in.Srcs[i].Def.IsUndef() {
				return false
			}
		}
		if in.Def.Unused() {
			return false
		}
		in.Def.RewriteUses(undefAtStart(impl, in.Def.NumComponents, in.Def.BitSize))
		return true
	}
	return false
}

// undefStore drops undef channels from a store's mask, and the store if none remain.
func undefStore(in *ir.Instr) bool {
	pos := -1
	for i, c := range in.Intr.Info().Srcs {
		if c == 0 {
			pos = i
			break
		}
	}
	if pos < 0 || ir.Access(in.Get(ir.IdxAccess))&ir.AccessVolatile != 0 {
		return false
	}
	val := in.Srcs[pos].Def
	mask := in.Get(ir.IdxWriteMask)
	keep := mask
	switch {
	case val.IsUndef():
		keep = 0
	case val.Instr.IsVec():
		for i := range val.Instr.Srcs {
			if val.Instr.Srcs[i].Def.IsUndef() {
				keep &^= 1 << i
			}
		}
	}
	if keep == mask {
		return false
	}
	in.Set(ir.IdxWriteMask, keep)
	if keep == 0 {
		in.Remove()
	}
	return true
}
