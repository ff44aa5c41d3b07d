package midgard

// A set of register components: four bits a register.
type compSet []uint64

func (f *function) newSet() compSet {
	return make(compSet, (int(firstVirtual)+len(f.nodes)+15)/16)
}

func (s compSet) get(r reg) uint8 { return uint8(s[r>>4]>>(r&15*4)) & 15 }

func (s compSet) add(r reg, m uint8) { s[r>>4] |= uint64(m) << (r & 15 * 4) }

func (s compSet) remove(r reg, m uint8) { s[r>>4] &^= uint64(m) << (r & 15 * 4) }

// union adds t and tells whether that changed s.
func (s compSet) union(t compSet) bool {
	changed := false
	for i, w := range t {
		if w&^s[i] != 0 {
			s[i] |= w
			changed = true
		}
	}
	return changed
}

// step walks over an instruction backwards.
func (s compSet) step(in *inst) {
	if in.mask != 0 && in.dst != regNone {
		s.remove(in.dst, in.mask)
	}
	in.reads(s.add)
}

// liveness returns what is live at the end of each block.
func (f *function) liveness() []compSet {
	n := len(f.blocks)
	out := make([]compSet, n)
	for i := range out {
		out[i] = f.newSet()
	}
	queued := make([]bool, n)
	var work []int
	for i := range n {
		work = append(work, i)
		queued[i] = true
	}
	cur := f.newSet()
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		queued[b] = false
		copy(cur, out[b])
		list := f.blocks[b].list
		for i := len(list) - 1; i >= 0; i-- {
			cur.step(list[i])
		}
		for _, p := range f.blocks[b].preds {
			if out[p].union(cur) && !queued[p] {
				queued[p] = true
				work = append(work, p)
			}
		}
	}
	return out
}

// removeDead removes instructions and lanes whose results nothing reads.
func (f *function) removeDead() {
	for again := true; again; {
		again = false
		out := f.liveness()
		for b := range f.blocks {
			live := out[b]
			list := f.blocks[b].list
			keep := len(list)
			for i := len(list) - 1; i >= 0; i-- {
				in := list[i]
				if f.deadLanes(in, live) {
					again = true
					continue
				}
				live.step(in)
				keep--
				list[keep] = in
			}
			f.blocks[b].list = list[keep:]
		}
	}
}

// deadLanes drops the lanes of in that nothing reads; true if nothing is left.
func (f *function) deadLanes(in *inst, live compSet) bool {
	if in.effects() || in.dst == regNone {
		return false
	}
	m := in.mask & live.get(in.dst)
	if m == 0 {
		return true
	}
	if in.kind == kindALU || in.kind == kindLdSt {
		in.mask = m
	}
	return false
}
