package ir3

import "nirc/backend/ir3/isa"

// maxLoopHead is how many instructions of a loop's head are made where control comes from.
const maxLoopHead = 3

// turnLoops lets the blocks that lead to the head of a loop make its condition, where the head makes nothing else to
// speak of: a round's end has work for the slots that the branch waits in, its start has none. The code is
// longer by the instructions before the loop, and no fiber runs more of them.
func (p *phys) turnLoops() {
	var t touch
	for h := range p.blocks {
		head := &p.blocks[h]
		n := len(head.ins) - 1
		if n < 1 || n > maxLoopHead || len(head.succs) != 2 || head.ins[n].Op != isa.OpBr || head.ins[n].to >= 0 || !p.entered(int32(h)) {
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
			p.blocks[q].ins = append(p.blocks[q].ins, head.ins[:n]...)
		}
		head.ins = head.ins[n:]
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
