package passes

import "nirc/ir"

// splitPhis makes operations on phis of constants phis of results, which
// constant folding computes, and selections by such phis phis.
func splitPhis(impl *ir.Impl) (progress bool) {
	impl.Require(ir.MetaDominance)
	for b := range impl.Blocks() {
		if !b.Reachable() {
			continue
		}
		for phi := range b.Phis() {
			if !constPhi(phi) || !phi.Def.UsedOnce() {
				continue
			}
			if u := phi.Def.FirstUse(); u.Instr != nil && u.Instr.Kind == ir.KindALU {
				progress = splitALU(phi, u) || splitSelect(phi, u) || progress
			}
		}
	}
	return progress
}

// constPhi reports whether a phi chooses between constants.
func constPhi(phi *ir.Instr) bool {
	for i := range phi.Srcs {
		if !phi.Srcs[i].Def.IsConst() {
			return false
		}
	}
	return len(phi.Srcs) > 1
}

// splitALU computes an operation of a phi and constants in the phi's predecessors.
func splitALU(phi *ir.Instr, u *ir.Src) bool {
	in := u.Instr
	for k := range in.Srcs {
		if s := &in.Srcs[k]; s != u && !s.Def.IsConst() {
			return false
		}
	}
	if in.IsVec() || in.Op == ir.OpMov {
		return false
	}
	s := phi.Block.Impl().Shader
	n := s.NewPhi(in.Def.NumComponents, in.Def.BitSize)
	n.Loc = in.Loc
	for i, p := range phi.PhiInfo().Preds {
		b := ir.NewBuilder(ir.BeforeJump(p))
		c := copyALU(b, in)
		for k := range c.Srcs {
			from := c.Srcs[k].Def
			if from == &phi.Def {
				from = phi.Srcs[i].Def
			}
			v := s.NewConst(from.BitSize, from.Instr.Imm...)
			ir.Before(c).Insert(v)
			c.Srcs[k].Set(&v.Def)
		}
		s.AddPhiSrc(n, p, &c.Def)
	}
	ir.AtStart(phi.Block).Insert(n)
	in.Def.RewriteUses(&n.Def)
	in.Remove()
	return true
}

// splitSelect makes a selection by a phi of constants a phi of the sides, which
// must be there before the phi's block or be phis beside it.
func splitSelect(phi *ir.Instr, u *ir.Src) bool {
	in := u.Instr
	if in.Op != ir.OpBcsel || u != &in.Srcs[0] || in.Def.NumComponents != 1 || phi.Def.NumComponents != 1 {
		return false
	}
	for k := 1; k < 3; k++ {
		d := in.Srcs[k].Def
		if d.NumComponents != 1 || d.Instr.Kind == ir.KindDeref || !beforePhis(d, phi.Block) {
			return false
		}
	}
	s := phi.Block.Impl().Shader
	n := s.NewPhi(1, in.Def.BitSize)
	n.Loc = in.Loc
	for i, p := range phi.PhiInfo().Preds {
		v, _ := phi.Srcs[i].Def.Const(0)
		d := in.Srcs[2].Def
		if v != 0 {
			d = in.Srcs[1].Def
		}
		if d.Instr.Kind == ir.KindPhi && d.Instr.Block == phi.Block {
			d = d.Instr.PhiSrc(p).Def
		}
		s.AddPhiSrc(n, p, d)
	}
	ir.AtStart(phi.Block).Insert(n)
	in.Def.RewriteUses(&n.Def)
	in.Remove()
	return true
}

// beforePhis reports whether d is a phi of b, or there before b on all ways to it.
func beforePhis(d *ir.Def, b *ir.Block) bool {
	if d.Instr.Block == b {
		return d.Instr.Kind == ir.KindPhi
	}
	return d.Instr.Block.Dominates(b)
}
