package midgard

// A set of register components: four bits a register.
type compSet []uint64

func (f *function) newSet() compSet {
	return make(compSet, (int(firstVirtual)+len(f.nodes)+15)/16)
}

func (s compSet) get(r reg) uint8 { return uint8(s[r>>4]>>(r&15*4)) & 15 }

func (s compSet) add(r reg, m uint8) { s[r>>4] |= uint64(m) << (r & 15 * 4) }

func (s compSet) remove(r reg, m uint8) { s[r>>4] &^= uint64(m) << (r & 15 * 4) }

// step walks over an instruction backwards.
func (s compSet) step(in *inst) {
	if in.mask != 0 && in.dst != regNone {
		s.remove(in.dst, in.mask)
	}
	in.reads(s.add)
}

// liveReg is components of a register that are live.
type liveReg struct {
	r reg
	m uint8
}

// liveness is what is live at the end of each block: lists, for most blocks of a
// long program see few of its registers.
type liveness struct {
	out [][]liveReg
	set compSet // what at returns
}

// at returns the set of what is live at the end of a block. It is the caller's
// until the next call.
func (l *liveness) at(b int) compSet {
	clear(l.set)
	for _, x := range l.out[b] {
		l.set.add(x.r, x.m)
	}
	// What a block leaves in the pipes' inputs no other block counts on.
	for r := regLd0; r <= regTexIn1; r++ {
		l.set.remove(r, 15)
	}
	return l.set
}

// occurrence is what a block does to a register.
type occurrence struct {
	r       reg
	block   int32
	exposed uint8 // components read before the block writes them
	defs    uint8 // components written
}

// liveness follows each register from where blocks read it back to where it is
// written.
func (f *function) liveness() *liveness {
	n := len(f.blocks)
	l := &liveness{out: make([][]liveReg, n), set: f.newSet()}
	list := f.occurrences()
	defs := make([]uint8, n) // of the register at hand, by block
	in, out := make([]uint8, n), make([]uint8, n)
	var work, seen []int32
	type live struct {
		block int32
		liveReg
	}
	var found []live
	for len(list) > 0 {
		k := 1
		for k < len(list) && list[k].r == list[0].r {
			k++
		}
		exposed := false
		for _, o := range list[:k] {
			defs[o.block] = o.defs
			exposed = exposed || o.exposed != 0
		}
		if exposed {
			seen = seen[:0]
			for _, o := range list[:k] {
				if o.exposed != 0 {
					in[o.block] = o.exposed
					work = append(work, o.block)
				}
			}
			for len(work) > 0 {
				b := work[len(work)-1]
				work = work[:len(work)-1]
				for _, p := range f.blocks[b].preds {
					m := in[b] &^ out[p]
					if m == 0 {
						continue
					}
					if out[p] == 0 {
						seen = append(seen, int32(p))
					}
					out[p] |= m
					if m &^= defs[p] | in[p]; m != 0 {
						in[p] |= m
						work = append(work, int32(p))
					}
				}
			}
			for _, b := range seen {
				found = append(found, live{b, liveReg{list[0].r, out[b]}})
				in[b], out[b] = 0, 0
			}
		}
		for _, o := range list[:k] {
			defs[o.block], in[o.block] = 0, 0
		}
		list = list[k:]
	}
	count := make([]int32, n)
	for i := range found {
		count[found[i].block]++
	}
	slab := make([]liveReg, len(found))
	for b := range count {
		l.out[b], slab = slab[:0:count[b]], slab[count[b]:]
	}
	for i := range found {
		l.out[found[i].block] = append(l.out[found[i].block], found[i].liveReg)
	}
	return l
}

// occurrences lists what blocks do to registers, sorted by register.
func (f *function) occurrences() []occurrence {
	regs := int(firstVirtual) + len(f.nodes)
	last := make([]int32, regs) // by register: 1 + its newest occurrence
	count := make([]int32, regs+1)
	var list []occurrence
	for b := range f.blocks {
		start := int32(len(list))
		of := func(r reg) *occurrence {
			if last[r] <= start {
				list = append(list, occurrence{r: r, block: int32(b)})
				last[r] = int32(len(list))
				count[r+1]++
			}
			return &list[last[r]-1]
		}
		for _, in := range f.blocks[b].list {
			in.reads(func(r reg, m uint8) {
				o := of(r)
				o.exposed |= m &^ o.defs
			})
			if in.mask != 0 && in.dst != regNone {
				of(in.dst).defs |= in.mask
			}
		}
	}
	for r := range regs {
		count[r+1] += count[r]
	}
	sorted := make([]occurrence, len(list))
	for i := range list {
		r := list[i].r
		sorted[count[r]] = list[i]
		count[r]++
	}
	return sorted
}

// removeDead removes instructions and lanes whose results nothing reads.
func (f *function) removeDead() {
	for again := true; again; {
		again = false
		l := f.liveness()
		for b := range f.blocks {
			live := l.at(b)
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
