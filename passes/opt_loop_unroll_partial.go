package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

// partialPlan says how a loop that stays is unrolled.
type partialPlan struct {
	copies int
	// leaves, for each copy, what its limiting exit does: exitTests, or what is known.
	leaves func(copy int) exitKnowledge
}

// exitKnowledge is what is known of an exit of one copy of a loop's body.
type exitKnowledge uint8

const (
	exitTests exitKnowledge = iota
	exitNever
	exitAlways
)

// boundedShare is the part of the limit that the largest trip count of a bounded loop may be: such a loop often ends
// sooner, and then the copies that are left only fill the instruction cache.
const boundedShare = 2

// planPartial chooses the number of copies for a loop that cannot go away
// within the limits; 0 copies: it stays as it is. max is the most copies that
// go round, cost the most instructions of the unrolled body, bounded those of loops of
// which only the largest trip count is known: they become one round of all copies.
func planPartial(l *analysis.LoopInfo, limit uint32, max, cost, bounded int) partialPlan {
	if l.Loop.PartiallyUnrolled || l.Loop.Control == ir.LoopDontUnroll || l.HasInner || !copiable(l) {
		return partialPlan{}
	}
	first := exitNever
	if l.Limiting >= 0 && l.Terminators[l.Limiting].AtMost {
		first = exitTests
	}
	if l.Limiting >= 0 && !l.Exact && l.MaxTrips > 0 && l.MaxTrips <= limit/boundedShare && fitsUnrolled(l, int(l.MaxTrips+1), bounded) {
		last := int(l.MaxTrips)
		return partialPlan{last + 1, func(c int) exitKnowledge {
			if c == last {
				return exitAlways
			}
			return first
		}}
	}
	n := max
	for n > 1 && l.Cost*n > cost {
		n--
	}
	if l.Limiting >= 0 && l.Exact && len(l.Terminators) == 1 {
		// Copies in number of a divisor of the trips: only the first leaves.
		for n > 1 && (l.MaxTrips == 0 || int(l.MaxTrips)%n != 0) {
			n--
		}
		return partialPlan{n, func(c int) exitKnowledge {
			if c == 0 {
				return exitTests
			}
			return exitNever
		}}
	}
	return partialPlan{n, func(int) exitKnowledge { return exitTests }}
}

// mostDecided is how many times as large the copies of a loop may be before its counters are constants in them.
const mostDecided = 4

// fitsUnrolled reports whether so many copies of a loop's body are at most so many instructions, in which what its counters decide is gone.
func fitsUnrolled(l *analysis.LoopInfo, copies, most int) bool {
	return l.Cost*copies <= most || l.Cost*copies <= mostDecided*most && l.CopyCost()*copies <= most
}

// copiable reports whether a loop's body may stand several times in it: it goes
// round only by its end, and leaves by breaks alone.
func copiable(l *analysis.LoopInfo) bool {
	loop := l.Loop
	head := loop.Body.FirstBlock()
	if !loop.Continue.Empty() || loop.Body.LastBlock().Jump() != nil || len(head.Preds) != 2 || len(loop.After().Preds) == 0 {
		return false
	}
	for b := range ir.ListBlocks(&loop.Body) {
		if j := b.Jump(); j != nil && j.Jump != ir.JumpBreak {
			return false
		}
		for in := range b.Instrs() {
			if in.Kind == ir.KindDeref && usedAfter(&in.Def, loop) {
				return false
			}
		}
	}
	return true
}

// usedAfter reports whether something outside of a loop uses d, which is made in it.
func usedAfter(d *ir.Def, l *ir.Loop) bool {
	for u := d.FirstUse(); u != nil; u = u.NextUse() {
		if !within(useBlock(u), l) {
			return true
		}
	}
	return false
}

// hoistConstants moves the constants that are used after a loop before
// it: copies of the body must not make them again.
func hoistConstants(l *ir.Loop) {
	pre := ir.Prev(l).(*ir.Block)
	for b := range ir.ListBlocks(&l.Body) {
		for in := range b.Instrs() {
			if (in.Kind == ir.KindLoadConst || in.Kind == ir.KindUndef) && usedAfter(&in.Def, l) {
				in.MoveTo(ir.AtEnd(pre))
			}
		}
	}
}

// unrollPartially puts copies of a loop's body after it in the loop. The loop
// keeps its phis; what leaves it does so by phis of all copies.
func unrollPartially(c *ir.Cloner, info *analysis.LoopInfo, plan partialPlan) {
	l, impl := info.Loop, c.Dst
	hoistConstants(l)
	closeLoop(impl, l)
	pre, head, after := ir.Prev(l).(*ir.Block), l.Body.FirstBlock(), l.After()
	next := carriedBy(head, func(p *ir.Block) bool { return p != pre })
	body := ir.Extract(ir.AfterPhis(head), ir.AtEnd(l.Body.LastBlock()))
	var exits []*ir.Block
	exits = append(exits, after.Preds...)
	var limiting *analysis.Terminator
	if info.Limiting >= 0 {
		limiting = &info.Terminators[info.Limiting]
	}

	c.Reset()
	vals := make([]*ir.Def, len(next))
	for i, p := range next {
		vals[i] = p.from
	}
	at := ir.AtEnd(head)
	for k := 1; k < plan.copies; k++ {
		for i, p := range next {
			c.Map(p.phi, vals[i])
		}
		at = c.List(body, at)
		c.Finish()
		for phi := range after.Phis() {
			for _, e := range exits {
				v := c.Def(phi.PhiSrc(e).Def)
				if s := phi.PhiSrc(c.Block(e)); s != nil {
					s.Set(v) // linking the break has made one
				} else {
					impl.Shader.AddPhiSrc(phi, c.Block(e), v)
				}
			}
		}
		for i, p := range next {
			vals[i] = c.Def(p.from)
		}
		if limiting != nil {
			settleExit(c.Block(ir.Prev(limiting.If).(*ir.Block)).FollowingIf(), limiting, plan.leaves(k))
		}
	}
	for i, p := range next {
		in := p.phi.Instr
		for s, pred := range in.PhiInfo().Preds {
			if pred != pre {
				in.Srcs[s].Set(vals[i])
			}
		}
	}
	ir.Reinsert(body, ir.AfterPhis(head))
	if limiting != nil {
		settleExit(limiting.If, limiting, plan.leaves(0))
	}
	l.PartiallyUnrolled = true
}

// settleExit makes the condition of an exit's copy the constant that is known.
func settleExit(i *ir.If, t *analysis.Terminator, known exitKnowledge) {
	if known == exitTests {
		return
	}
	v := int64(0)
	if (known == exitAlways) == t.ExitThen {
		v = -1
	}
	b := ir.NewBuilder(ir.AtEnd(ir.Prev(i).(*ir.Block)))
	i.Cond.Set(b.ImmInt(v, i.Cond.Def.BitSize))
}
