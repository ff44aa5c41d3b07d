package passes

import (
	"nirc/ir"
	"nirc/ir/optab"
)

var optPeepholeSelectPass = &Pass{
	Name: "opt_peephole_select", Withstands: ChangeFacts, For: ir.HasIf, Class: "A", Run: optPeepholeSelect, Optional: true,
	Options: []Option{
		{"limit", "instructions that both sides may hold together", 8},
		{"indirect_load_ok", "loads with indices that are not constant may be run always", false},
		{"loads", "loads of buffers and addresses that nobody writes may be run always where the code before the if reached as far into the same memory", false},
		{"ubos", "loads at constant places of uniform buffers that no index chooses may be run always: the descriptor bounds them", false},
		{"expensive_alu_ok", "division, roots and transcendentals may be run always", false},
	},
	Doc: "Turns small ifs whose sides only compute into straight code and selects.",
}

// optPeepholeSelect turns small ifs whose sides only compute into straight
// code and selects.
func optPeepholeSelect(c *Context, s *ir.Shader) (bool, error) {
	p := &peephole{limit: c.Int("limit"), indirect: c.Bool("indirect_load_ok"), expensive: c.Bool("expensive_alu_ok"), loads: c.Bool("loads"), ubos: c.Bool("ubos")}
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		impl.Require(ir.MetaBlockIndex)
		p.reached = p.reached[:0]
		return p.list(&impl.Body)
	}), nil
}

type peephole struct {
	limit               int
	indirect, expensive bool
	// loads: loads may be run always where reached says that they do no harm.
	loads, ubos bool
	reached     []reach
}

// list handles ifs inside first, so that nests collapse from the inside.
func (p *peephole) list(l *ir.List) (progress bool) {
	for n := l.First(); n != nil; {
		mark := len(p.reached)
		switch x := n.(type) {
		case *ir.Block:
			p.note(x)
		case *ir.If:
			progress = p.list(&x.Then) || progress
			p.reached = p.reached[:mark]
			progress = p.list(&x.Else) || progress
			p.reached = p.reached[:mark]
			if prev := ir.Prev(n); p.flatten(x) {
				progress, n = true, prev
				p.note(prev.(*ir.Block))
			}
		case *ir.Loop:
			progress = p.list(&x.Body) || progress
			p.reached = p.reached[:mark]
			if !x.Continue.Empty() {
				progress = p.list(&x.Continue) || progress
				p.reached = p.reached[:mark]
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
	if p.loads && p.within(in) {
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
		if p.ubos && in.Intr == ir.IntrLoadUbo && canReorder(in) {
			if _, known := knownPlace(in); known {
				return true
			}
		}
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

// reach is what a load has read: bytes of a buffer up to end, which has those before too, or from start on after an
// address.
type reach struct {
	space      optab.Space
	base       *ir.Def
	start, end uint64
}

// maxReached bounds what is remembered.
const maxReached = 64

// note remembers what a block reads.
func (p *peephole) note(b *ir.Block) {
	if !p.loads {
		return
	}
	for in := b.First(); in != nil && len(p.reached) < maxReached; in = in.Next() {
		if r, ok := reachOf(in); ok {
			p.reached = append(p.reached, r)
		}
	}
}

// within reports loads that reach no further than those before the if, of memory that nobody writes: a lane that would not have
// read a word may not read it while another writes it.
func (p *peephole) within(in *ir.Instr) bool {
	r, ok := reachOf(in)
	if !ok || !canReorder(in) {
		return false
	}
	for _, k := range p.reached {
		if k.space == r.space && k.base == r.base && k.start <= r.start && r.end <= k.end {
			return true
		}
	}
	return false
}

// reachOf takes a load at a constant distance from the start of a buffer, or from an address, apart.
func reachOf(in *ir.Instr) (r reach, ok bool) {
	if in.Kind != ir.KindIntrinsic {
		return r, false
	}
	m := in.Memory()
	off, store, found := memOffsetSrc(in.Intr)
	if !found || store {
		return r, false
	}
	r.space = m.Space
	at := in.Srcs[off].Def
	switch h := bufferHandle(in); {
	case h != nil:
		c, ok := at.Const(0)
		r.base, r.end = h.Def, c+uint64(accessBytes(in))
		return r, ok && c < 1<<31
	case m.Space == ir.SpaceGlobal:
		r.base = at
		if at.Instr.IsALU(ir.OpIadd) && at.NumComponents == 1 {
			for i := range 2 {
				if c, ok := at.Instr.Srcs[i].Def.Const(at.Instr.Srcs[i].Swizzle.Lane(0)); ok && c < 1<<12 {
					r.base, r.start = at.Instr.Srcs[1-i].Def, c
				}
			}
		}
		r.end = r.start + uint64(accessBytes(in))
		return r, true
	}
	return r, false
}
