package mach

import "nirc/internal/slab"

// Units that values which are still to come would like to have, by wish or as members of merge sets that have a place,
// are free until then: what is read for the last time before that may be there, and nothing else should.

// coming is a value that would like a unit.
type coming struct {
	at   int32 // twice the instruction that defines it, plus 1 if it may be where sources were
	next int32 // the next one that would like the unit, 0 none
}

// listComing notes the units that values wish for.
func (a *allocator) listComing() {
	a.coming, a.now = append(a.coming[:0], coming{}), 0
	for i := range a.files {
		a.files[i].next = slab.Zeroed(a.files[i].next, a.f.files[i].Units)
	}
	if !a.opts.PassWishes {
		return
	}
	for v, r := range a.wish {
		if r != NoReg {
			a.expect(Value(v), int(r))
		}
	}
}

// expect notes that v, which is still to come, would like to be at unit r.
func (a *allocator) expect(v Value, r int) {
	at := 2 * a.lives.def[v]
	if !a.lives.early[v] {
		at++
	}
	units := a.file(v).next
	for i := r; i < min(r+a.f.Size(v), len(units)); i++ {
		n := int32(len(a.coming))
		a.coming = append(a.coming, coming{at: at}) // before anything points into it
		k := &units[i]
		for *k != 0 && a.coming[*k].at < at {
			k = &a.coming[*k].next
		}
		a.coming[n].next, *k = *k, n
	}
}

// expectSet notes the units of the members of a set, which has a place, that have none.
func (a *allocator) expectSet(s *mergeSet) {
	for _, e := range s.members {
		if a.reg[e.v] == NoReg {
			a.expect(e.v, int(s.base)+int(e.off))
		}
	}
}

// wanted returns the last of n units from r on that something would like to have which comes before instruction last
// has read its sources, -1 if nothing would.
func (a *allocator) wanted(fs *fileState, r, n int, last int32) int {
	for i := r + n - 1; i >= r; i-- {
		k := fs.next[i]
		for k != 0 && a.coming[k].at < 2*a.now {
			k = a.coming[k].next
		}
		fs.next[i] = k
		if k != 0 && a.coming[k].at <= 2*last {
			return i
		}
	}
	return -1
}

// ownGap is gap among the units of a file that nothing which is to come would like to have, where that is known.
func (a *allocator) ownGap(fs *fileState, n, align, from, to int, last int32) int {
	if a.lives == nil {
		return gap(&fs.busy, nil, n, align, from, to)
	}
	for {
		r := gap(&fs.busy, nil, n, align, from, to)
		if r < 0 {
			return -1
		}
		k := a.wanted(fs, r, n, last)
		if k < 0 {
			return r
		}
		from = k + 1
	}
}

// findLasts finds up to which instruction each value needs its register: of what goes to a phi or round a loop, the
// end of the block that goes there.
func (a *allocator) findLasts() {
	m := a.lives
	for b := range a.f.Blocks {
		blk := &a.f.Blocks[b]
		for _, s := range blk.Succs {
			if s <= BlockID(b) {
				a.lv.Out[b].Each(func(v Value) { m.last[v] = max(m.last[v], m.start[b+1]-1) })
			}
		}
		for _, in := range blk.Instrs {
			if in.Op != OpPhi {
				break
			}
			for k, u := range in.Uses() {
				m.last[u.Val] = max(m.last[u.Val], m.start[blk.Preds[k]+1]-1)
			}
		}
	}
}

// last is the instruction up to which v needs its register, where somebody asks.
func (a *allocator) last(v Value) int32 {
	if a.lives == nil {
		return 0
	}
	return a.lives.last[v]
}

// lastOfSet is the same of all members of a set.
func (a *allocator) lastOfSet(s *mergeSet) (last int32) {
	for _, e := range s.members {
		last = max(last, a.last(e.v))
	}
	return last
}
