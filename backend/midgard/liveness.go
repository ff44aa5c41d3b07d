package midgard

import "nirc/internal/slab"

// A set of register components: four bits a register.
type compSet []uint64

func (s compSet) get(r reg) uint8 { return uint8(s[r>>4]>>(r&15*4)) & 15 }

func (s compSet) add(r reg, m uint8) { s[r>>4] |= uint64(m) << (r & 15 * 4) }

func (s compSet) remove(r reg, m uint8) { s[r>>4] &^= uint64(m) << (r & 15 * 4) }

// step walks over an instruction backwards.
func (s compSet) step(in *inst) {
	if in.mask != 0 && in.dst != regNone {
		s.remove(in.dst, in.mask)
	}
	var buf [maxUses]liveReg
	for _, u := range in.uses(buf[:0]) {
		s.add(u.r, u.m)
	}
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

	slab []liveReg    // of out
	list []occurrence // by block
	regs []occurrence // list by register
	// By register: what the block at hand wrote so far (block and 1 in stamp), the
	// newest occurrence and 1, and whether a block reads what it has not written.
	stamp, last []int32
	wrote       []uint8
	exposed     []bool
	count       []int32
	flow        flow
	gone        compSet // of removeDead
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

// occurrence is what a block does to a register that some block reads before it
// writes it.
type occurrence struct {
	r       reg
	block   int32
	exposed uint8 // components read before the block writes them
	defs    uint8 // components written
}

// liveness follows each register from where blocks read it back to where it is
// written. The result is the caller's until the next call.
func (f *function) liveness() *liveness {
	n, regs := len(f.blocks), int(firstVirtual)+len(f.nodes)
	l := &f.memory().live
	l.set = slab.Resized(l.set, (regs+15)/16)
	l.out = slab.Resized(l.out, n)
	clear(l.out)
	if n == 1 && len(f.blocks[0].preds) == 0 {
		return l
	}
	l.reads(f, regs)
	if len(l.list) == 0 {
		return l
	}
	l.writes(f)
	l.sort(regs)
	fl := &l.flow
	fl.prepare(n)
	for list := l.regs; len(list) > 0; {
		k := 1
		for k < len(list) && list[k].r == list[0].r {
			k++
		}
		fl.register(f, list[:k])
		list = list[k:]
	}
	l.share(fl.found)
	return l
}

// reads lists what blocks read before they write it.
func (l *liveness) reads(f *function, regs int) {
	l.stamp, l.last = slab.Resized(l.stamp, regs), slab.Resized(l.last, regs)
	l.wrote, l.exposed = slab.Resized(l.wrote, regs), slab.Resized(l.exposed, regs)
	clear(l.stamp)
	clear(l.last)
	clear(l.exposed)
	l.list = l.list[:0]
	var buf [maxUses]liveReg
	for b := range f.blocks {
		start, stamp := int32(len(l.list)), int32(b)+1
		for _, in := range f.blocks[b].list {
			for _, u := range in.uses(buf[:0]) {
				if l.stamp[u.r] == stamp {
					u.m &^= l.wrote[u.r]
				}
				if u.m != 0 {
					l.exposed[u.r] = true
					l.of(u.r, b, start).exposed |= u.m
				}
			}
			if d := in.dst; in.mask != 0 && d != regNone {
				if l.stamp[d] != stamp {
					l.stamp[d], l.wrote[d] = stamp, 0
				}
				l.wrote[d] |= in.mask
			}
		}
	}
}

// writes adds to the list where those registers are written that it has.
func (l *liveness) writes(f *function) {
	clear(l.last)
	for b := range f.blocks {
		start := int32(len(l.list))
		for _, in := range f.blocks[b].list {
			if d := in.dst; in.mask != 0 && d != regNone && l.exposed[d] {
				l.of(d, b, start).defs |= in.mask
			}
		}
	}
}

// of finds or makes a register's entry in the list from start on.
func (l *liveness) of(r reg, b int, start int32) *occurrence {
	if l.last[r] <= start {
		l.list = append(l.list, occurrence{r: r, block: int32(b)})
		l.last[r] = int32(len(l.list))
	}
	return &l.list[l.last[r]-1]
}

// fewOccurrences is how long a list is put in order by comparing at most: counting walks over all registers, which took
// a fiftieth of an empty fragment shader's compile.
const fewOccurrences = 16

// sort brings the list in the order of the registers.
func (l *liveness) sort(regs int) {
	if len(l.list) <= fewOccurrences {
		l.regs = append(l.regs[:0], l.list...)
		for i := 1; i < len(l.regs); i++ {
			for k := i; k > 0 && l.regs[k].r < l.regs[k-1].r; k-- {
				l.regs[k], l.regs[k-1] = l.regs[k-1], l.regs[k]
			}
		}
		return
	}
	l.count = slab.Resized(l.count, regs+1)
	clear(l.count)
	for i := range l.list {
		l.count[l.list[i].r+1]++
	}
	for r := range regs {
		l.count[r+1] += l.count[r]
	}
	l.regs = slab.Resized(l.regs, len(l.list))
	for i := range l.list {
		r := l.list[i].r
		l.regs[l.count[r]] = l.list[i]
		l.count[r]++
	}
}

// share gives each block what was found of it.
func (l *liveness) share(found []liveAt) {
	n := len(l.out)
	l.count = slab.Resized(l.count, n)
	clear(l.count)
	for i := range found {
		l.count[found[i].block]++
	}
	l.slab = slab.Resized(l.slab, len(found))
	slab := l.slab
	for b, k := range l.count {
		l.out[b], slab = slab[:0:k], slab[k:]
	}
	for i := range found {
		l.out[found[i].block] = append(l.out[found[i].block], found[i].liveReg)
	}
}

// liveAt is what is live at the end of a block.
type liveAt struct {
	block int32
	liveReg
}

// flow follows one register after the other through the blocks.
type flow struct {
	defs, in, out []uint8 // of the register at hand, by block
	work, seen    []int32
	found         []liveAt
}

func (fl *flow) prepare(blocks int) {
	fl.defs, fl.in, fl.out = slab.Resized(fl.defs, blocks), slab.Resized(fl.in, blocks), slab.Resized(fl.out, blocks)
	clear(fl.defs)
	clear(fl.in)
	clear(fl.out)
	fl.found = fl.found[:0]
}

// register finds where a register is live at the ends of blocks; list is what
// the blocks do to it.
func (fl *flow) register(f *function, list []occurrence) {
	for _, o := range list {
		fl.defs[o.block] |= o.defs
		if o.exposed != 0 {
			fl.in[o.block] = o.exposed
			fl.work = append(fl.work, o.block)
		}
	}
	fl.seen = fl.seen[:0]
	for len(fl.work) > 0 {
		b := fl.work[len(fl.work)-1]
		fl.work = fl.work[:len(fl.work)-1]
		for _, p := range f.blocks[b].preds {
			m := fl.in[b] &^ fl.out[p]
			if m == 0 {
				continue
			}
			if fl.out[p] == 0 {
				fl.seen = append(fl.seen, int32(p))
			}
			fl.out[p] |= m
			if m &^= fl.defs[p] | fl.in[p]; m != 0 {
				fl.in[p] |= m
				fl.work = append(fl.work, int32(p))
			}
		}
	}
	for _, b := range fl.seen {
		fl.found = append(fl.found, liveAt{b, liveReg{list[0].r, fl.out[b]}})
		fl.in[b], fl.out[b] = 0, 0
	}
	for _, o := range list {
		fl.defs[o.block], fl.in[o.block] = 0, 0
	}
}
