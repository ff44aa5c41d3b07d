package passes

import (
	"nirc/ir"
	"nirc/ir/optab"
)

// placement finds blocks that instructions may move to. It needs dominance and
// block numbers, and keeps them.
type placement struct {
	depth []uint16 // loops around a block, by its index
}

func (p *placement) init(impl *ir.Impl) {
	impl.Require(ir.MetaDominance)
	p.depth = make([]uint16, impl.NumBlocks)
	p.list(&impl.Body, 0)
}

func (p *placement) list(l *ir.List, depth uint16) {
	for n := range l.Nodes() {
		switch x := n.(type) {
		case *ir.Block:
			p.depth[x.Index] = depth
		case *ir.If:
			p.list(&x.Then, depth)
			p.list(&x.Else, depth)
		case *ir.Loop:
			p.list(&x.Body, depth+1)
			p.list(&x.Continue, depth+1)
		}
	}
}

// latest returns the common dominator of all uses of d, nil if there is none.
func (p *placement) latest(d *ir.Def) *ir.Block {
	var late *ir.Block
	for u := range d.Uses() {
		late = joinDom(late, readAt(u))
	}
	return late
}

// readAt returns the block in which a use takes place: of a phi's source, the one that it comes from.
func readAt(u *ir.Src) *ir.Block {
	switch {
	case u.If != nil:
		return ir.Prev(u.If).(*ir.Block)
	case u.Instr.Kind != ir.KindPhi:
		return u.Instr.Block
	}
	for i := range u.Instr.Srcs {
		if &u.Instr.Srcs[i] == u {
			return u.Instr.PhiInfo().Preds[i]
		}
	}
	return u.Instr.Block
}

func joinDom(a, b *ir.Block) *ir.Block {
	switch {
	case a == nil:
		return b
	case !b.Reachable():
		return a
	case !a.Reachable():
		return b
	}
	return ir.CommonDominator(a, b)
}

// down returns the block to which an instruction sinks: of those between its
// own and the latest, that in the fewest loops, and of these the last.
func (p *placement) down(in *ir.Instr) *ir.Block {
	own := in.Block
	late := p.latest(&in.Def)
	if late == nil || !late.Reachable() || !own.Reachable() || !own.Dominates(late) {
		return own
	}
	best := late
	for b := late; b != own; b = b.IDom() {
		if p.depth[b.Index] < p.depth[best.Index] {
			best = b
		}
	}
	if p.depth[own.Index] < p.depth[best.Index] {
		return own
	}
	return best
}

// up returns the block to which an instruction is hoisted: of those between
// the last of its sources' and its own, that in the fewest loops, and of these the last.
func (p *placement) up(in *ir.Instr) *ir.Block {
	own := in.Block
	if p.depth[own.Index] == 0 || !own.Reachable() {
		return own
	}
	best := own
	for b := own.IDom(); b != nil; b = b.IDom() {
		for i := range in.Srcs {
			if !in.Srcs[i].Def.Instr.Block.Dominates(b) {
				return best
			}
		}
		if p.depth[b.Index] < p.depth[best.Index] {
			best = b
		}
	}
	return best
}

// mobility is how far an instruction may move.
type mobility uint8

const (
	pinned     mobility = iota
	sinkable            // to where it still runs only when it did
	speculated          // anywhere: it computes, and reading cannot go wrong
)

// mobilityOf tells where an instruction may go. Derivatives, what has them
// inside and what talks to other lanes stay.
func mobilityOf(in *ir.Instr) mobility {
	switch in.Kind {
	case ir.KindALU, ir.KindLoadConst, ir.KindUndef:
		return speculated
	case ir.KindTex:
		if in.TexOp.Info().ImplicitDerivatives || in.TexInfo().GatherImplicitLod || in.TexInfo().Aliased {
			return pinned
		}
		return sinkable
	case ir.KindIntrinsic:
		if !in.HasDef() || !canReorder(in) || isDerivative(in.Intr) || in.Intr == ir.IntrDeclReg || in.Intr == ir.IntrLoadParam {
			return pinned
		}
		if in.Intr == ir.IntrLoadDeref {
			return pinned // its deref chain would have to follow
		}
		if !in.Has(ir.IdxAccess) || ir.Access(in.Get(ir.IdxAccess))&ir.AccessCanSpeculate != 0 {
			if in.Intr.Info().Flags&optab.CanReorder != 0 {
				return speculated
			}
		}
		return sinkable
	}
	return pinned
}
