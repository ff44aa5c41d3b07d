package ir3

import (
	"slices"

	"nirc/backend/ir3/isa"
)

// maxLoopHead is how many instructions of a loop's head are made where control comes from.
const maxLoopHead = 8

// turnLoops lets the blocks that lead to the head of a loop make its condition, where the head makes nothing else to
// speak of: a round's end has work for the slots that the branch waits in, its start has none. A round then ends in the
// branch itself, to the next round or out, and not in a jump to where that stands. The code is
// longer by the instructions before the loop, and no fiber runs more of them.
func (p *phys) turnLoops() {
	var t touch
	turned := false
	for h := range p.blocks {
		head := &p.blocks[h]
		n := len(head.ins) - 1
		if n < 0 || n > maxLoopHead || len(head.succs) != 2 || !isBranch(machOp(head.ins[n].Op)) || head.ins[n].to >= 0 || !p.entered(int32(h)) {
			continue
		}
		free := true
		for i := range head.ins[:n] {
			free = free && computes(&head.ins[i], &t)
		}
		if !free {
			continue
		}
		for _, q := range head.preds {
			ins := append(p.memory().room(len(p.blocks[q].ins)+n), p.blocks[q].ins...)
			p.blocks[q].ins = append(ins, head.ins[:n]...)
		}
		head.ins = head.ins[n:]
		if p.branchBack(int32(h)) {
			turned = true
			p.enterLoop(int32(h))
		}
	}
	if turned {
		p.droppedAgain()
	}
}

// branchBack ends the rounds of the loop whose head h is a branch in that branch. It reports whether it
// did: there must be one way back, one way on inside the loop and one out of it.
func (p *phys) branchBack(h int32) bool {
	head := &p.blocks[h]
	latch := slices.Max(head.preds)
	ways := []int32{p.thread(head.succs[0]), p.thread(head.succs[1])}
	inside, outside := min(ways[0], ways[1]), max(ways[0], ways[1])
	if inside <= h || inside > latch || outside <= latch {
		return false
	}
	for _, q := range head.preds {
		if q > h && q != latch {
			return false
		}
	}
	end := &p.blocks[latch]
	end.ins = append(end.ins, head.ins...)
	end.succs = ways
	end.divergent, end.uniform = head.divergent, head.uniform
	head.preds = slices.DeleteFunc(head.preds, func(q int32) bool { return q == latch })
	for _, s := range end.succs {
		p.blocks[s].preds = append(p.blocks[s].preds, latch)
	}
	return true
}

// droppedAgain finds the physical predecessors again, where they are known, after edges have changed.
func (p *phys) droppedAgain() {
	known := false
	for b := range p.blocks {
		known = known || len(p.blocks[b].physPreds) > 0
		p.blocks[b].physPreds = p.blocks[b].physPreds[:0]
	}
	if known {
		p.physicalEdges()
	}
}

// entered reports whether h is the head of a loop to which only unconditional ways lead.
func (p *phys) entered(h int32) bool {
	back := false
	for _, q := range p.blocks[h].preds {
		if len(p.blocks[q].succs) != 1 || q == h {
			return false
		}
		back = back || q > h
	}
	return back && len(p.blocks[h].physPreds) == 0
}

// computes reports whether an instruction computes registers of fibers, and nothing else.
func computes(x *pinstr, t *touch) bool {
	if cat := x.Op.Category(); cat < 1 || cat > 3 || x.Op == isa.OpBaryF || x.Op == isa.OpFlatB || x.Op == isa.OpBrcstActive {
		return false
	}
	t.of(&x.Instr)
	for _, w := range t.writes {
		if w.unit >= unitShared && (w.unit < unitPred || w.unit >= unitPred+predicates) {
			return false
		}
	}
	return true
}
