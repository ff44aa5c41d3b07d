package ir3

import "nirc/backend/ir3/isa"

// markLast gives (last) to sources of categories 1 to 3 whose register nobody
// reads again, on devices that know the hint (ir3.md §2.3). The register may
// be the wave's to forget, so this is only done where all fibers of a wave are: outside of
// what branches jump over and of loops. outputs are what end reads.
func (p *phys) markLast(outputs []span) {
	live := p.liveRegisters(outputs)
	whole := p.wholeWave()
	var late unitSet // what instructions before may still read
	var t touch
	var after []unitSet
	for b := range p.blocks {
		ins := p.blocks[b].ins
		mark := whole[b] && b >= int(p.start[0])
		if mark {
			after = p.liveAfter(ins, live[b], outputs, after[:0], &t)
		}
		for i := range ins {
			x := &ins[i]
			t.ofAliased(x)
			if mark {
				markSources(&x.Instr, &after[len(ins)-1-i], &late, &t)
			}
			readsLate := syncOf(&x.Instr).late
			for _, r := range t.reads {
				if readsLate {
					late.add(r)
				}
			}
			for _, w := range t.writes {
				late.remove(w)
			}
		}
	}
}

// liveAfter lists, from the last instruction of a block to its first, the units that are
// live after each; live are those at its end.
func (p *phys) liveAfter(ins []pinstr, live unitSet, outputs []span, list []unitSet, t *touch) []unitSet {
	for i := len(ins) - 1; i >= 0; i-- {
		list = append(list, live)
		live.before(&ins[i], outputs, t)
	}
	return list
}

// before moves a set of live units from after an instruction to before it.
func (s *unitSet) before(x *pinstr, outputs []span, t *touch) {
	t.ofAliased(x)
	if x.Dst.Kind != isa.RelReg { // that leaves the other elements as they are
		for _, w := range t.writes {
			s.remove(w)
		}
	}
	for _, r := range t.reads {
		s.add(r)
	}
	switch x.Op {
	case isa.OpEnd:
		for _, r := range outputs {
			s.add(r)
		}
	case isa.OpChmask, isa.OpChsh: // the next stage takes over
		s.add(span{unit: 0, n: gprUnits})
	}
}

// liveRegisters are the units that are live at the end of each block, for the
// fibers that are there.
func (p *phys) liveRegisters(outputs []span) []unitSet {
	out := make([]unitSet, len(p.blocks))
	var t touch
	for again := true; again; {
		again = false
		for b := len(p.blocks) - 1; b >= 0; b-- {
			live := out[b]
			for i := len(p.blocks[b].ins) - 1; i >= 0; i-- {
				live.before(&p.blocks[b].ins[i], outputs, &t)
			}
			for _, q := range p.blocks[b].preds {
				again = out[q].union(&live) || again
			}
		}
	}
	return out
}

// wholeWave tells of each block whether no fiber of the wave is elsewhere while
// others execute it.
func (p *phys) wholeWave() []bool {
	whole := make([]bool, len(p.blocks))
	far := 0 // where fibers that left wait
	for b := range p.blocks {
		whole[b] = far <= b
		for _, s := range p.blocks[b].succs {
			far = max(far, int(s))
			for l := int(s); l <= b; l++ { // a loop
				whole[l] = false
			}
		}
		if p.blocks[b].runsOn && b+1 < len(p.blocks) {
			far = max(far, b+2) // a masked side follows
		}
	}
	return whole
}

// markSources marks the registers that in reads last: not of repeated instructions, which
// advance, nor where the result takes the register; src2 of category 3 has no bit for it. late are those that others may still read.
func markSources(in *isa.Instr, live, late *unitSet, t *touch) {
	if cat := in.Op.Category(); cat < 1 || cat > 3 || in.Repeat > 0 || in.Op == isa.OpBaryF || in.Op == isa.OpFlatB ||
		cat == 1 && in.Op != isa.OpMov && in.Op != isa.OpCov {
		return
	}
	for i := range in.Srcs {
		r, ok := operandSpan(in.Srcs[i], 1)
		if r.half { // its neighbour lives in the same register
			r.unit, r.n = r.unit&^1, 2
		}
		if !ok || in.Op.Category() == 3 && i == 1 || r.unit >= unitShared || live.meets(r) || late.meets(r) {
			continue
		}
		again := false // by a later source of the same instruction
		for k := i + 1; k < len(in.Srcs); k++ {
			other, ok := operandSpan(in.Srcs[k], 1)
			again = again || ok && overlap(r, other)
		}
		for _, w := range t.writes {
			again = again || overlap(r, w)
		}
		if !again {
			in.Srcs[i].Flags |= isa.Last
		}
	}
}

func overlap(a, b span) bool { return a.unit < b.unit+b.n && b.unit < a.unit+a.n }
