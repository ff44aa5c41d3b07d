package midgard

import (
	"cmp"
	"math/bits"
	"slices"

	"nirc/backend/midgard/isa"
	"nirc/internal/lazy"
	"nirc/internal/slab"
)

// conflict says that two registers may not lie in one work register where the
// offset of the first minus that of the second is d with bit d+3 set.
type conflict struct {
	other uint32
	at    uint8
}

// hint says that a place with offset(first) - offset(second) = delta in the same
// register makes a move vanish.
type hint struct {
	other uint32
	delta int8
}

// rows are lists by node, which come in any order and are read when all are there.
type rows[T any] struct {
	added []rowEntry[T]
	start []int32
	list  []T
}

type rowEntry[T any] struct {
	node uint32
	what T
}

func (r *rows[T]) reset() { r.added = r.added[:0] }

func (r *rows[T]) add(node uint32, what T) { r.added = append(r.added, rowEntry[T]{node, what}) }

// gather makes the lists, each in the order in which its entries were added.
func (r *rows[T]) gather(nodes int) {
	r.start = slab.Resized(r.start, nodes+2)
	clear(r.start)
	for i := range r.added {
		r.start[r.added[i].node+2]++
	}
	for n := range nodes {
		r.start[n+2] += r.start[n+1]
	}
	r.list = slab.Resized(r.list, len(r.added))
	for i := range r.added {
		at := &r.start[r.added[i].node+1]
		r.list[*at] = r.added[i].what
		*at++
	}
}

// of returns the list of a node.
func (r *rows[T]) of(node uint32) []T { return r.list[r.start[node]:r.start[node+1]] }

// build finds conflicts, hints, the order of definition and the weights. Where
// more is live than fits it marks what to spill instead; false if it did.
func (a *allocator) build() bool {
	f := a.f
	for b := range f.blocks {
		w := float32(1)
		for range min(f.blocks[b].depth, 6) {
			w *= 8
		}
		for _, in := range f.blocks[b].list {
			a.note(in, w)
		}
	}
	l := f.liveness()
	fits := true
	for b := range f.blocks {
		fits = a.conflicts(b, l, fits)
	}
	if fits {
		a.adj.gather(len(f.nodes))
		a.hints.gather(len(f.nodes))
	}
	return fits
}

// conflicts goes through a block from its end; fits reports whether the blocks
// before fit, and then whether this one does too.
func (a *allocator) conflicts(b int, l *liveness, fits bool) bool {
	f, live := a.f, &a.live
	live.set = l.at(b)
	live.clear()
	for _, x := range l.out[b] {
		live.update(x.r)
	}
	var buf [maxUses]liveReg
	for i := len(f.blocks[b].list) - 1; i >= 0; i-- {
		in := f.blocks[b].list[i]
		a.peak = max(a.peak, live.comps)
		if live.comps > 4*(a.limit-a.floor) {
			fits = !a.relieve(live) && fits
		}
		if in.kind == kindWriteout {
			for _, r := range live.list {
				f.node(r).min = max(f.node(r).min, 4)
			}
		}
		if fits && in.dst.virtual() && in.mask != 0 {
			a.define(in.dst, in.mask, live)
		}
		uses := in.uses(buf[:0])
		if in.dst != regNone {
			live.set.remove(in.dst, in.mask)
		}
		for _, u := range uses {
			live.set.add(u.r, u.m)
		}
		if in.dst != regNone {
			live.update(in.dst)
		}
		for _, u := range uses {
			live.update(u.r)
		}
	}
	return fits
}

// liveList is the virtual registers that are live at a point, without order; pos
// finds them.
type liveList struct {
	set   compSet
	list  []reg
	mask  []uint8 // along list: the components that are live
	pos   []int32 // by virtual register, -1 where it is not live
	comps int     // the components that are live, of all
}

func (l *liveList) clear() {
	for _, r := range l.list {
		l.pos[index(r)] = -1
	}
	l.list, l.mask, l.comps = l.list[:0], l.mask[:0], 0
}

// update brings the list up to date with what the set says of a register.
func (l *liveList) update(r reg) {
	if !r.virtual() {
		return
	}
	m := l.set.get(r)
	k := l.pos[index(r)]
	switch {
	case m != 0 && k < 0:
		l.pos[index(r)] = int32(len(l.list))
		l.list, l.mask = append(l.list, r), append(l.mask, m)
		l.comps += bits.OnesCount8(m)
	case m != 0:
		l.comps += bits.OnesCount8(m) - bits.OnesCount8(l.mask[k])
		l.mask[k] = m
	case k >= 0:
		l.comps -= bits.OnesCount8(l.mask[k])
		last := len(l.list) - 1
		l.list[k], l.mask[k] = l.list[last], l.mask[last]
		l.pos[index(l.list[k])] = k
		l.list, l.mask = l.list[:last], l.mask[:last]
		l.pos[index(r)] = -1
	}
}

// candidate is a register that may be spilled at a point.
type candidate struct {
	r     reg
	n     int // components that are live
	score float32
}

// relieve marks for spilling, at a point where more components are live than
// there are, what is accessed least for its
// length; false if nothing is marked.
func (a *allocator) relieve(l *liveList) bool {
	all := l.comps - 4*(a.limit-a.floor)
	over := all
	for i, r := range l.list {
		if a.spill[index(r)] {
			over -= bits.OnesCount8(l.mask[i])
		}
	}
	if over <= 0 {
		return true // what is marked suffices
	}
	list := a.over[:0]
	for i, r := range l.list {
		if n := index(r); !a.spill[n] && !a.f.node(r).noSpill {
			s := a.span[n]
			list = append(list, candidate{r, bits.OnesCount8(l.mask[i]), float32(s[1]-s[0]) / (a.weight[n] + 1)})
		}
	}
	a.over = list
	slices.SortFunc(list, func(p, q candidate) int {
		if c := cmp.Compare(q.score, p.score); c != 0 {
			return c
		}
		return cmp.Compare(p.r, q.r)
	})
	for _, c := range list {
		if over <= 0 {
			break
		}
		a.spill[index(c.r)] = true
		over -= c.n
	}
	return len(list) > 0 || over < all
}

func (a *allocator) access(n uint32, w float32) {
	a.weight[n] += w
	s := &a.span[n]
	if s[0] == 0 {
		s[0] = a.at
	}
	s[1] = a.at
}

// note counts accesses, and notes moves and the order.
func (a *allocator) note(in *inst, w float32) {
	a.at++
	a.f.align(in)
	var buf [maxUses]liveReg
	for _, u := range in.uses(buf[:0]) {
		if u.r.virtual() {
			a.access(index(u.r), w)
		}
	}
	if w := in.wo; w != nil {
		for u, m := range w.make {
			if m == nil || isa.Unit(u).Stage() == 1 {
				continue
			}
			m.eachSource(func(s *source, _ uint8) {
				if s.reg.virtual() {
					a.f.node(s.reg).min = max(a.f.node(s.reg).min, 2)
				}
			})
		}
		for _, s := range []*source{&w.depth, &w.stencil} {
			if s.reg.virtual() {
				a.f.node(s.reg).min = max(a.f.node(s.reg).min, 2)
			}
		}
	}
	if !in.dst.virtual() || in.mask == 0 {
		return
	}
	d := index(in.dst)
	a.access(d, w)
	if !a.seen[d] {
		a.seen[d] = true
		a.order = append(a.order, d)
	}
	if !in.isMove() || !in.src[1].reg.virtual() {
		return
	}
	delta := int8(0)
	first := true
	for i := range 4 {
		if in.mask>>i&1 == 0 {
			continue
		}
		k := int8(in.src[1].swz[i]) - int8(i)
		if !first && k != delta {
			return
		}
		delta, first = k, false
	}
	s := index(in.src[1].reg)
	a.hints.add(d, hint{s, delta})
	a.hints.add(s, hint{d, -delta})
}

// align notes the registers whose lanes must lie in one half of theirs, or are of 64
// bits.
func (f *function) align(in *inst) {
	in.eachSource(func(s *source, lanes uint8) {
		if m := s.components(lanes); (s.half == partLow || s.half == partWord) && m&(m-1) != 0 && s.reg.virtual() {
			f.node(s.reg).even = true
		}
	})
	if (in.half == partBoth || in.half >= partWide) && in.mask&(in.mask-1) != 0 && in.dst.virtual() {
		f.node(in.dst).even = true
	}
}

// define notes that components of r are written where others are live.
func (a *allocator) define(r reg, mask uint8, live *liveList) {
	n := index(r)
	for i, o := range live.list {
		if o == r {
			continue
		}
		m := live.mask[i]
		a.adj.add(n, conflict{index(o), overlaps.Get()[mask&15][m&15]})
		a.adj.add(index(o), conflict{n, overlaps.Get()[m&15][mask&15]})
	}
}

// overlaps is, by the components of two registers, the conflict's displacements.
var overlaps = lazy.Value[*[16][16]uint8]{Make: func() *[16][16]uint8 {
	t := new([16][16]uint8)
	for m := range t {
		for o := range t {
			for k := range 16 {
				if i, j := k/4, k%4; m>>i&1 != 0 && o>>j&1 != 0 {
					t[m][o] |= 1 << (j - i + 3)
				}
			}
		}
	}
	return t
}}
