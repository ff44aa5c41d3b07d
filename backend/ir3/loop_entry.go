package ir3

import (
	"cmp"
	"slices"

	"nirc/backend/ir3/isa"
)

// enterLoop drops the branch at the head h of a turned loop, which only leads into it by then, where it always goes the
// same way: the counter begins with a constant, and the limit is one too.
func (p *phys) enterLoop(h int32) {
	head := &p.blocks[h]
	if len(head.preds) != 1 || len(head.ins) != 1 || head.ins[0].Op != isa.OpBr || len(head.succs) != 2 {
		return
	}
	q := &p.blocks[head.preds[0]]
	cond := head.ins[0].Srcs[0]
	at := p.writerOf(q.ins, cond)
	if at < 0 {
		return
	}
	yes, known := p.holds(q.ins[:at], &q.ins[at].Instr)
	if !known {
		return
	}
	way, other := head.succs[0], head.succs[1]
	if yes == (cond.Flags&isa.Inv != 0) {
		way, other = other, way
	}
	head.ins, head.succs, head.divergent = head.ins[:0], append(head.succs[:0], way), false
	if other != way {
		to := &p.blocks[other]
		to.preds = slices.DeleteFunc(to.preds, func(b int32) bool { return b == h })
	}
	if !p.readBeforeWritten(cond) {
		q.ins = slices.Delete(q.ins, at, at+1)
	}
}

// writerOf is the last instruction of a list that writes a register, -1 if none does.
func (p *phys) writerOf(ins []pinstr, o isa.Operand) int {
	t := &p.memory().touches[0]
	want, ok := operandSpan(o, 1)
	for i := len(ins) - 1; ok && i >= 0; i-- {
		t.ofAliased(&ins[i])
		if anyOverlaps(t.writes, want) {
			return i
		}
	}
	return -1
}

// anyOverlaps reports whether one of the spans has a unit of s.
func anyOverlaps(list []span, s span) bool {
	return slices.ContainsFunc(list, func(x span) bool { return x.unit < s.unit+s.n && s.unit < x.unit+x.n })
}

// readBeforeWritten reports whether a block reads a register that it has not written before.
func (p *phys) readBeforeWritten(o isa.Operand) bool {
	t := &p.memory().touches[0]
	want, _ := operandSpan(o, 1)
	for b := range p.blocks {
		for i := range p.blocks[b].ins {
			t.ofAliased(&p.blocks[b].ins[i])
			if anyOverlaps(t.reads, want) {
				return true
			}
			if anyOverlaps(t.writes, want) {
				break
			}
		}
	}
	return false
}

// holds reports whether a comparison of integers is true, if it compares constants; before are the instructions
// before it in its block.
func (p *phys) holds(before []pinstr, in *isa.Instr) (yes, known bool) {
	if in.Op != isa.OpCmpsU && in.Op != isa.OpCmpsS || in.Repeat > 0 {
		return false, false
	}
	x, okX := p.constant(before, in.Srcs[0])
	y, okY := p.constant(before, in.Srcs[1])
	if !okX || !okY {
		return false, false
	}
	order := cmp.Compare(uint32(x), uint32(y))
	if in.Op == isa.OpCmpsS {
		order = cmp.Compare(x, y)
	}
	switch in.Cond {
	case isa.CondLT:
		yes = order < 0
	case isa.CondLE:
		yes = order <= 0
	case isa.CondGT:
		yes = order > 0
	case isa.CondGE:
		yes = order >= 0
	case isa.CondEQ:
		yes = order == 0
	case isa.CondNE:
		yes = order != 0
	}
	return yes, true
}

// constant is the value of a full operand without modifiers after the instructions of a list, if it is an immediate or was moved from one.
func (p *phys) constant(before []pinstr, o isa.Operand) (v int32, known bool) {
	switch {
	case o.Flags&^isa.Rpt != 0:
	case o.Kind == isa.Imm:
		return o.Val, true
	case o.Kind == isa.Const:
		c := &p.memory().consts
		if k := int(o.Val) - c.immAt; k >= 0 && k < len(c.imms) {
			return int32(c.imms[k]), true
		}
	case o.Kind == isa.Reg:
		if at := p.writerOf(before, o); at >= 0 {
			in := &before[at].Instr
			if movesImmediate(in) && in.SrcType == in.Type && !in.Dst.IsHalf() {
				return in.Srcs[0].Val, true
			}
		}
	}
	return 0, false
}
