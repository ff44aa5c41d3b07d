package analysis

import (
	"nirc/internal/slab"
	"nirc/ir"
)

// PreambleIfs decides which ifs of a function its preamble has too, as branches. The walk that finds what the
// preamble computes goes backwards over the function: it calls Enter with each block and then Computes with each of its
// instructions that moves, and knows of an if by the time it comes to the if's condition. What an if chooses without a
// branch is a selection, for which both sides are computed. A branch runs one side alone, which
// is cheaper where sides are long, and the only right way where what a side holds is good only under the condition. It is
// no way where something after the if reads what a side computes, as it may where the other side ends or leaves a loop.
type PreambleIfs struct {
	// Limit is what both sides of an if may cost together without a branch.
	Limit int32
	// cost, by the block before an if, is that of what moves from its sides; guarded: something there is good only under its condition.
	cost    []int32
	guarded []bool
	kept    []bool
	left    []bool // what comes after the if reads what a side computes: the other side goes elsewhere
}

// Begin forgets all that was decided of another function. Blocks have their numbers.
func (p *PreambleIfs) Begin(impl *ir.Impl, limit int32) {
	n := int(impl.NumBlocks)
	p.Limit = limit
	p.cost, p.guarded, p.kept, p.left = slab.Zeroed(p.cost, n), slab.Zeroed(p.guarded, n), slab.Zeroed(p.kept, n), slab.Zeroed(p.left, n)
}

// Computes notes that the preamble computes an instruction at a cost, which is guarded if it is good only where it stands.
func (p *PreambleIfs) Computes(in *ir.Instr, cost int32, guarded bool) {
	p.add(in.Block, cost, guarded)
}

func (p *PreambleIfs) add(n ir.Node, cost int32, guarded bool) {
	for n = ir.Parent(n); n != nil; n = ir.Parent(n) {
		if x, ok := n.(*ir.If); ok {
			at := before(x)
			p.cost[at] += cost
			p.guarded[at] = p.guarded[at] || guarded
			return
		}
	}
}

// Reads notes the ifs out of which an instruction that the preamble computes reads.
func (p *PreambleIfs) Reads(in *ir.Instr) {
	readIfs(in, func(x *ir.If) { p.left[before(x)] = true })
}

// ReadsOutOfIf reports whether an instruction reads what a side of an if computes and stands after the if itself.
func ReadsOutOfIf(in *ir.Instr) bool {
	reads := false
	readIfs(in, func(*ir.If) { reads = true })
	return reads
}

// readIfs calls f for the ifs that sources of an instruction stand in and it does not, or of a phi the block that the
// source comes from. The other sides of these ifs go elsewhere.
func readIfs(in *ir.Instr, f func(x *ir.If)) {
	for k := range in.Srcs {
		from, to := in.Srcs[k].Def.Instr.Block, in.Block
		if in.Kind == ir.KindPhi {
			to = in.PhiInfo().Preds[k]
		}
		if from == to {
			continue
		}
		for n := ir.Parent(from); n != nil && !within(to, n); n = ir.Parent(n) {
			if x, ok := n.(*ir.If); ok {
				f(x)
			}
		}
	}
}

// within reports whether a block stands in n.
func within(b *ir.Block, n ir.Node) bool {
	for p := ir.Parent(b); p != nil; p = ir.Parent(p) {
		if p == n {
			return true
		}
	}
	return false
}

// Enter comes to a block from behind, and decides about the if that follows it: can are the values that move, by index.
func (p *PreambleIfs) Enter(b *ir.Block, can []bool) {
	x := b.FollowingIf()
	if x == nil || p.cost[b.Index] == 0 && !p.guarded[b.Index] {
		return
	}
	p.kept[b.Index] = can[x.Cond.Def.Index] && !p.left[b.Index] && (p.guarded[b.Index] || p.cost[b.Index] > p.Limit)
	p.add(x, p.cost[b.Index], p.guarded[b.Index])
}

// Kept reports whether the preamble has an if as a branch, and with it the condition.
func (p *PreambleIfs) Kept(x *ir.If) bool { return p.kept[before(x)] }

// PreambleWriter makes the preamble of what moves there.
type PreambleWriter interface {
	// PreambleBlock copies what moves of a block.
	PreambleBlock(b *ir.Block)
	// PreambleBranch copies an if that is kept, whose sides it goes over itself.
	PreambleBranch(x *ir.If)
}

// Walk goes over a list of the shader in its order: an if that is not kept is what both its sides compute, one
// after the other.
func (p *PreambleIfs) Walk(l *ir.List, w PreambleWriter) {
	for n := range l.Nodes() {
		switch x := n.(type) {
		case *ir.Block:
			w.PreambleBlock(x)
		case *ir.If:
			if p.Kept(x) {
				w.PreambleBranch(x)
				continue
			}
			p.Walk(&x.Then, w)
			p.Walk(&x.Else, w)
		case *ir.Loop:
			p.Walk(&x.Body, w)
			p.Walk(&x.Continue, w)
		}
	}
}

// before is the number of the block before an if.
func before(x *ir.If) uint32 { return ir.Prev(x).(*ir.Block).Index }

// UnderIfs reports whether nothing is around a block but ifs by conditions that move: what is good only there
// may stand in the same ifs of the preamble.
func UnderIfs(b *ir.Block, can []bool) bool {
	for n := ir.Parent(b); n != nil; n = ir.Parent(n) {
		if x, ok := n.(*ir.If); !ok || !can[x.Cond.Def.Index] {
			return false
		}
	}
	return true
}

// Chooser is the if that a phi of two sides chooses by, nil of a loop's and others.
func Chooser(phi *ir.Instr) *ir.If {
	x, ok := ir.Prev(phi.Block).(*ir.If)
	if !ok || len(phi.Srcs) != 2 || phi.PhiSrc(x.Then.LastBlock()) == nil || phi.PhiSrc(x.Else.LastBlock()) == nil {
		return nil
	}
	return x
}
