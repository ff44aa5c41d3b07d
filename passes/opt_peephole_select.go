package passes

import "nirc/ir"

var optPeepholeSelectPass = &Pass{
	Name: "opt_peephole_select", For: ir.HasIf, Class: "A", Run: optPeepholeSelect, Optional: true,
	Options: []Option{
		{"limit", "instructions that both sides may hold together", 8},
		{"indirect_load_ok", "loads with indices that are not constant may be run always", false},
		{"expensive_alu_ok", "division, roots and transcendentals may be run always", false},
	},
	Doc: "Turns small ifs whose sides only compute into straight code and selects.",
}

// optPeepholeSelect turns small ifs whose sides only compute into straight
// code and selects.
func optPeepholeSelect(c *Context, s *ir.Shader) (bool, error) {
	p := &peephole{limit: c.Int("limit"), indirect: c.Bool("indirect_load_ok"), expensive: c.Bool("expensive_alu_ok")}
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		impl.Require(ir.MetaBlockIndex)
		return p.list(&impl.Body)
	}), nil
}

type peephole struct {
	limit               int
	indirect, expensive bool
}

// list handles ifs inside first, so that nests collapse from the inside.
func (p *peephole) list(l *ir.List) (progress bool) {
	for n := l.First(); n != nil; {
		switch x := n.(type) {
		case *ir.If:
			progress = p.list(&x.Then) || progress
			progress = p.list(&x.Else) || progress
			if prev := ir.Prev(n); p.flatten(x) {
				progress, n = true, prev
			}
		case *ir.Loop:
			progress = p.list(&x.Body) || progress
			if !x.Continue.Empty() {
				progress = p.list(&x.Continue) || progress
			}
		}
		n = ir.Next(n)
	}
	return progress
}

func (p *peephole) flatten(x *ir.If) bool {
	if x.Control == ir.IfDontFlatten || ir.Next(x.Then.First()) != nil || ir.Next(x.Else.First()) != nil {
		return false
	}
	then, els, prev := x.Then.FirstBlock(), x.Else.FirstBlock(), ir.Prev(x).(*ir.Block)
	if prev.Jump() != nil || then.Jump() != nil || els.Jump() != nil {
		return false
	}
	force := x.Control == ir.IfFlatten
	a, ok := p.cost(then, force)
	b, ok2 := p.cost(els, force)
	if !ok || !ok2 || a+b > p.limit && !force {
		return false
	}
	for _, blk := range []*ir.Block{then, els} {
		for in := range blk.Instrs() {
			in.MoveTo(ir.AtEnd(prev))
		}
	}
	s := prev.Impl().Shader
	for phi := range x.After().Phis() {
		if phi.PhiSrc(then) == nil || phi.PhiSrc(els) == nil {
			continue
		}
		sel := s.NewALU(ir.OpBcsel, phi.Def.NumComponents, phi.Def.BitSize, x.Cond.Def, phi.PhiSrc(then).Def, phi.PhiSrc(els).Def)
		if bits := x.Cond.Def.BitSize; bits != 1 {
			sel.Op, _ = formOf(ir.OpBcsel, bits)
		}
		sel.Srcs[0].Swizzle = ir.Broadcast(0)
		sel.Loc = choiceLoc(phi, x)
		ir.AtEnd(prev).Insert(sel)
		phi.Def.RewriteUses(&sel.Def)
		for i := range phi.Srcs {
			phi.Srcs[i].Set(nil)
		}
		phi.Remove()
	}
	ir.RemoveNode(x)
	return true
}

// cost counts what running a block always would cost; ok is false if it may not.
func (p *peephole) cost(b *ir.Block, force bool) (n int, ok bool) {
	for in := b.First(); in != nil; in = in.Next() {
		switch in.Kind {
		case ir.KindLoadConst, ir.KindUndef, ir.KindDeref:
		case ir.KindALU:
			if freeALU(in.Op) {
				continue
			}
			if expensiveALU(in.Op) && !p.expensive && !force {
				return 0, false
			}
			n++
		case ir.KindIntrinsic:
			if !p.speculable(in, force) {
				return 0, false
			}
			n++
		default:
			return 0, false
		}
	}
	return n, true
}

// speculable reports whether an intrinsic may run although its branch is not taken.
func (p *peephole) speculable(in *ir.Instr, force bool) bool {
	info := in.Intr.Info()
	spec := ir.Access(in.Get(ir.IdxAccess))&ir.AccessCanSpeculate != 0
	constSrcs := func() bool {
		for i := range in.Srcs {
			if !in.Srcs[i].Def.IsConst() {
				return p.indirect || force
			}
		}
		return true
	}
	switch in.Intr {
	case ir.IntrLoadDeref:
		d := derefOf(in.Srcs[0].Def)
		const safe = ir.ModeShaderIn | ir.ModeUniform | ir.ModeSystemValue | ir.ModePushConst
		if d == nil || d.DerefInfo().Modes&^safe != 0 || rootVar(d) == nil {
			return false
		}
		return p.indirect || force || directPath(d)
	case ir.IntrLoadUbo, ir.IntrLoadUboVec4, ir.IntrLoadGlobalConstant:
		return spec && constSrcs()
	case ir.IntrLoadInput, ir.IntrLoadInterpolatedInput, ir.IntrLoadPushConstant, ir.IntrLoadUniform, ir.IntrLoadPreamble:
		return constSrcs() || in.Intr == ir.IntrLoadInterpolatedInput
	case ir.IntrReadFirstInvocation, ir.IntrReadInvocation, ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal:
		return false // the set of active lanes would change
	}
	if isDerivative(in.Intr) {
		return true
	}
	return info.SysVal && canReorder(in)
}

// directPath reports whether all indices of a deref chain are constant.
func directPath(d *ir.Instr) bool {
	for ; d != nil; d = derefParent(d) {
		if (d.Deref == ir.DerefArray || d.Deref == ir.DerefPtrAsArray) && !d.Srcs[1].Def.IsConst() {
			return false
		}
	}
	return true
}
