package ir3

import "nirc/ir"

// fuseBitwise joins a shift or an and with the and or or that alone reads it
// into one instruction of three sources (ir3.md §7.5). It reports
// whether anything changed.
func fuseBitwise(impl *ir.Impl) bool {
	changed := false
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindALU && (in.Op == ir.OpIand || in.Op == ir.OpIor) && in.Def.NumComponents == 1 && in.Def.BitSize >= 16 && in.Def.BitSize <= 32 {
				changed = pairHalves(in) || fuseBits(in) || changed
			}
		}
	}
	if changed {
		impl.Preserve(ir.MetaControlFlow)
	}
	return changed
}

// bitwiseOp is the instruction for outer over inner, OpMov if there is none.
func bitwiseOp(outer, inner ir.Op) ir.Op {
	if outer == ir.OpIand {
		switch inner {
		case ir.OpUshr:
			return ir.OpShrmIr3
		case ir.OpIshl:
			return ir.OpShlmIr3
		}
		return ir.OpMov
	}
	switch inner {
	case ir.OpUshr:
		return ir.OpShrgIr3
	case ir.OpIshl:
		return ir.OpShlgIr3
	case ir.OpIand:
		return ir.OpAndgIr3
	}
	return ir.OpMov
}

// maxBitwiseImm is the largest immediate of these instructions.
const maxBitwiseImm = 1<<12 - 1

// cheap reports whether a source of these instructions needs no move: it is in
// a register, or an immediate that fits.
func cheap(s *ir.Src, imm bool) bool {
	if c, ok := s.Def.Const(s.Swizzle.Lane(0)); ok {
		return imm && c <= maxBitwiseImm
	}
	in := s.Def.Instr
	return in.Kind != ir.KindIntrinsic || in.Intr != ir.IntrLoadUbo && in.Intr != ir.IntrLoadPushConstant && in.Intr != ir.IntrLoadNumWorkgroups
}

func fuseBits(in *ir.Instr) bool {
	for k := range 2 {
		x := in.Srcs[k].Def
		if x.Instr.Kind != ir.KindALU || !x.UsedOnce() || x.NumComponents != 1 {
			continue
		}
		op := bitwiseOp(in.Op, x.Instr.Op)
		if op == ir.OpMov {
			continue
		}
		first, second, other := &x.Instr.Srcs[0], &x.Instr.Srcs[1], &in.Srcs[1-k]
		if op == ir.OpAndgIr3 && !cheap(second, false) {
			first, second = second, first
		}
		if !cheap(other, true) || op != ir.OpAndgIr3 && (!cheap(first, false) || !cheap(second, true)) ||
			op == ir.OpAndgIr3 && (!cheap(first, true) || !cheap(second, false)) {
			continue
		}
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		n := ir.Before(in).Insert(b.Shader.NewALU(op, 1, in.Def.BitSize, first.Def, second.Def, other.Def))
		n.Loc = in.Loc
		n.Srcs[0].Swizzle, n.Srcs[1].Swizzle, n.Srcs[2].Swizzle = first.Swizzle, second.Swizzle, other.Swizzle
		in.Def.RewriteUses(&n.Def)
		in.Remove()
		return true
	}
	return false
}
