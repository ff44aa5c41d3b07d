package ir3

// padEntries lets slots that only the way into a loop wants pass on that way, and not at the start of each round: what
// rounds leave to the next one is older by then. It reports whether the program is another one now.
func (p *phys) padEntries(d *delaySolution) (changed bool) {
	for h := range p.blocks {
		head := int32(h)
		if !p.loopHead(head) || p.headSlots(d, head, func(int32) bool { return true }) == p.headSlots(d, head, p.rounds(head)) {
			continue
		}
		base := p.headSlots(d, head, p.rounds(head))
		for _, q := range p.blocks[h].preds {
			if q >= head {
				continue
			}
			n := p.headSlots(d, head, func(x int32) bool { return x == q }) - base
			if at := p.lastBefore(q); n > 0 && at >= 0 {
				blk := &p.blocks[at]
				blk.ins, changed = addNops(blk.ins, n, blk.ins[len(blk.ins)-1].loc), true
			}
		}
	}
	return changed
}

// rounds tells the ways back to a loop's head from those into it.
func (p *phys) rounds(head int32) func(int32) bool { return func(q int32) bool { return q >= head } }

// loopHead reports whether control comes to a block from behind it and from before it.
func (p *phys) loopHead(b int32) bool {
	back, into := false, false
	for _, q := range p.blocks[b].preds {
		back, into = back || q >= b, into || q < b
	}
	return back && into
}

// headSlots is how many slots the start of a loop takes if control comes from some of the blocks before it.
func (p *phys) headSlots(d *delaySolution, head int32, from func(int32) bool) int {
	m := p.memory()
	now := m.border[:0]
	for _, q := range p.blocks[head].preds {
		if from(q) {
			m.joined = now.merged(d.reaching(p, q, head), m.joined[:0])
			m.joined, now = now, m.joined
		}
	}
	m.border = now
	m.written.begin(now)
	m.entered = p.pad(&m.written, p.blocks[head].ins, m.entered[:0], &m.touches[1])
	return p.totalSlots(m.entered)
}

// lastBefore is the block whose end comes right before the end of b, itself if it has instructions; -1 if control may
// go elsewhere from there.
func (p *phys) lastBefore(b int32) int32 {
	for len(p.blocks[b].succs) == 1 {
		blk := &p.blocks[b]
		if len(blk.ins) > 0 {
			return b
		}
		if len(blk.preds) != 1 {
			break
		}
		b = blk.preds[0]
	}
	return -1
}
