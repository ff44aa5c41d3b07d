package passes

import "nirc/ir"

var optUndefPass = &Pass{
	Name: "opt_undef", For: ir.HasUndef, Class: "B", Run: implPass(ir.MetaControlFlow, optUndef), Optional: true,
	Doc: "Uses the freedom of undefs: a selection between one and a value is the value, a vector of undefs is undef, one that takes all else from its places in another vector is that, " +
		"and stores leave them out. An integer operation that any result can come of is undef; one that reads an undef and has a fixed result for some value of it has that; one of nothing but undefs and constants reads zeros for them, and folds.",
}

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
		return undefVec(impl, in)
	}
	return undefOperand(impl, in)
}

// undefVec handles vectors and moves.
func undefVec(impl *ir.Impl, in *ir.Instr) bool {
	var whole *ir.Def // what gives all defined components, each in its place
	undefs := 0
	for i := range in.Srcs {
		s := &in.Srcs[i]
		switch {
		case s.Def.IsUndef():
			undefs++
		case !in.IsVec() || int(s.Def.NumComponents) != len(in.Srcs) || s.Swizzle.Lane(0) != i || whole != nil && whole != s.Def:
			return false
		default:
			whole = s.Def
		}
	}
	if undefs == 0 || in.Def.Unused() {
		return false
	}
	if whole == nil {
		whole = undefAtStart(impl, in.Def.NumComponents, in.Def.BitSize)
	}
	in.Def.RewriteUses(whole)
	return true
}

// undefOperand handles the other operations that read an undef.
func undefOperand(impl *ir.Impl, in *ir.Instr) bool {
	known, any := true, false
	for i := range in.Srcs {
		d := in.Srcs[i].Def
		known, any = known && (d.IsUndef() || d.IsConst()), any || d.IsUndef()
	}
	if !any || in.Def.Unused() {
		return false
	}
	b := builderBefore(in)
	switch in.Op {
	case ir.OpIadd, ir.OpIsub, ir.OpIxor, ir.OpInot, ir.OpIneg: // of each value of the others some undef makes each result
		in.Def.RewriteUses(undefAtStart(impl, in.Def.NumComponents, in.Def.BitSize))
		return true
	case ir.OpIand, ir.OpImul, ir.OpUmin: // 0 decides
		in.Def.RewriteUses(b.Const(in.Def.BitSize, make([]uint64, in.Def.NumComponents)...))
		return true
	case ir.OpIor, ir.OpUmax: // all ones decide
		ones := make([]uint64, in.Def.NumComponents)
		for i := range ones {
			ones[i] = ^uint64(0) >> (64 - in.Def.BitSize)
		}
		in.Def.RewriteUses(b.Const(in.Def.BitSize, ones...))
		return true
	}
	if !known {
		return false
	}
	for i := range in.Srcs {
		d := in.Srcs[i].Def
		if !d.IsUndef() {
			continue
		}
		in.Srcs[i].Set(b.Const(d.BitSize, make([]uint64, d.NumComponents)...))
	}
	return true
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
