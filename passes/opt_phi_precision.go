package passes

import "nirc/ir"

var optPhiPrecisionPass = &Pass{
	Name: "opt_phi_precision", For: ir.HasPhi, Class: "B", Run: implPass(ir.MetaControlFlow, optPhiPrecision), Optional: true,
	Doc: "Moves conversions through phis so that they hold 16 bits instead of 32: a phi that is read by nothing but equal narrowing conversions, and a phi of nothing but equal " +
		"widening conversions and constants that 16 bits hold exactly.",
}

func optPhiPrecision(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		for phi := range blk.Phis() {
			if phi.Def.BitSize == 32 && !phi.Def.Unused() && (narrowPhi(phi) || widenPhi(phi)) {
				progress = true
			}
		}
	}
	return progress
}

// narrows tells the conversions of 32 bits to 16.
func narrows(op ir.Op) bool {
	switch op {
	case ir.OpF2f16, ir.OpF2f16Rtne, ir.OpF2f16Rtz, ir.OpF2fmp, ir.OpI2i16, ir.OpU2u16, ir.OpI2imp:
		return true
	}
	return false
}

// narrowPhi makes a phi of 16 bits if all that reads it converts to that.
func narrowPhi(phi *ir.Instr) bool {
	var conv *ir.Instr
	for u := range phi.Def.Uses() {
		in := u.Instr
		if in == nil || in.Kind != ir.KindALU || !narrows(in.Op) || conv != nil && (in.Op != conv.Op || in.Exact != conv.Exact || in.FastMath != conv.FastMath) {
			return false
		}
		conv = in
	}
	s := phi.Block.Impl().Shader
	n := s.NewPhi(phi.Def.NumComponents, 16)
	n.Loc = phi.Loc
	ir.AtStart(phi.Block).Insert(n)
	for i, pred := range phi.PhiInfo().Preds {
		c := s.NewALU(conv.Op, phi.Def.NumComponents, 16, phi.Srcs[i].Def)
		c.Exact, c.FastMath, c.Loc = conv.Exact, conv.FastMath, conv.Loc
		ir.BeforeJump(pred).Insert(c)
		s.AddPhiSrc(n, pred, &c.Def)
	}
	for u := phi.Def.FirstUse(); u != nil; u = phi.Def.FirstUse() {
		in := u.Instr
		to := &n.Def
		if k := int(in.Def.NumComponents); in.Def.NumComponents != to.NumComponents || !u.Swizzle.Same(ir.IdentitySwizzle, k) {
			mov := s.NewALU(ir.OpMov, in.Def.NumComponents, 16, to)
			mov.Srcs[0].Swizzle, mov.Loc = u.Swizzle, in.Loc
			ir.Before(in).Insert(mov)
			to = &mov.Def
		}
		in.Def.RewriteUses(to)
		in.Remove()
	}
	phi.Remove()
	return true
}

// widenPhi makes a phi of 16 bits if all its sources are widened from that.
func widenPhi(phi *ir.Instr) bool {
	var conv *ir.Instr
	for i := range phi.Srcs {
		in := phi.Srcs[i].Def.Instr
		switch {
		case in.Kind == ir.KindLoadConst:
		case in.Kind == ir.KindALU && widens(in) && (conv == nil || in.Op == conv.Op && in.Exact == conv.Exact && in.FastMath == conv.FastMath):
			conv = in
		default:
			return false
		}
	}
	if conv == nil {
		return false
	}
	for i := range phi.Srcs {
		if phi.Srcs[i].Def.IsConst() && !fitsHalf(phi.Srcs[i].Def, conv.Op) {
			return false
		}
	}
	s := phi.Block.Impl().Shader
	n := s.NewPhi(phi.Def.NumComponents, 16)
	n.Loc = phi.Loc
	ir.AtStart(phi.Block).Insert(n)
	for i, pred := range phi.PhiInfo().Preds {
		b := ir.NewBuilder(ir.BeforeJump(pred))
		s.AddPhiSrc(n, pred, narrowOf(b, phi.Srcs[i].Def, conv.Op))
	}
	w := s.NewALU(conv.Op, phi.Def.NumComponents, 32, &n.Def)
	w.Exact, w.FastMath, w.Loc = conv.Exact, conv.FastMath, conv.Loc
	ir.AfterPhis(phi.Block).Insert(w)
	phi.Def.RewriteUses(&w.Def)
	phi.Remove()
	return true
}

func widens(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpF2f32, ir.OpI2i32, ir.OpU2u32:
		return in.Srcs[0].Def.BitSize == 16
	}
	return false
}

// fitsHalf reports whether widening 16 bits by op can give a constant.
func fitsHalf(d *ir.Def, op ir.Op) bool {
	for _, v := range d.Instr.Imm {
		switch op {
		case ir.OpU2u32:
			if v > 0xffff {
				return false
			}
		case ir.OpI2i32:
			if x := int32(v); x != int32(int16(x)) {
				return false
			}
		default:
			h := ir.FloatBits(ir.FloatValue(v, 32), 16)
			// Denormals may be flushed, and a NaN's bits may change.
			if ir.FloatBits(ir.FloatValue(h, 16), 32) != v || h&0x7c00 == 0 && h&0x3ff != 0 || h&0x7c00 == 0x7c00 && h&0x3ff != 0 {
				return false
			}
		}
	}
	return true
}

// narrowOf returns the 16 bits of which op makes d.
func narrowOf(b *ir.Builder, d *ir.Def, op ir.Op) *ir.Def {
	if !d.IsConst() {
		src := &d.Instr.Srcs[0]
		sel := make([]int, d.NumComponents)
		for i := range sel {
			sel[i] = src.Swizzle.Lane(i)
		}
		return b.Swizzle(src.Def, sel...)
	}
	vals := make([]uint64, d.NumComponents)
	for i, v := range d.Instr.Imm {
		if vals[i] = v & 0xffff; op == ir.OpF2f32 {
			vals[i] = ir.FloatBits(ir.FloatValue(v, 32), 16)
		}
	}
	return b.Const(16, vals...)
}
