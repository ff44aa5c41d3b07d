package midgard

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"nirc/backend/midgard/isa"
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

// allocator gives virtual registers places among the work registers: component
// c of work register r is place 4r+c. A virtual register of n components takes n
// places of one register, at any offset where it fits.
type allocator struct {
	f      *function
	floor  int // first register
	limit  int // number of registers, the floor included
	adj    [][]conflict
	hints  [][]hint
	place  []int16 // -1 none
	order  []uint32
	weight []float32 // of the accesses
	spill  []bool
	used   int // registers used: the highest and 1
	// at counts instructions, span tells by node from where to where it occurs.
	at   int32
	span [][2]int32
}

func newAllocator(f *function, floor, limit int) *allocator {
	n := len(f.nodes)
	a := &allocator{f: f, floor: floor, limit: limit, adj: make([][]conflict, n), hints: make([][]hint, n), place: make([]int16, n),
		weight: make([]float32, n), span: make([][2]int32, n), spill: make([]bool, n), used: floor}
	for i := range a.place {
		a.place[i] = -1
	}
	return a
}

func index(r reg) uint32 { return uint32(r - firstVirtual) }

// build finds conflicts, hints, the order of definition and the weights. Where
// more is live than fits it marks what to spill instead; false if it did.
func (a *allocator) build() bool {
	f := a.f
	seen := make([]bool, len(f.nodes))
	for b := range f.blocks {
		w := float32(1)
		for range min(f.blocks[b].depth, 6) {
			w *= 8
		}
		for _, in := range f.blocks[b].list {
			a.note(in, w, seen)
		}
	}
	l := f.liveness()
	live := liveList{pos: make([]int32, len(f.nodes))}
	for i := range live.pos {
		live.pos[i] = -1
	}
	fits := true
	for b := range f.blocks {
		live.set = l.at(b)
		live.clear()
		for _, x := range l.out[b] {
			live.update(x.r)
		}
		for i := len(f.blocks[b].list) - 1; i >= 0; i-- {
			in := f.blocks[b].list[i]
			if live.comps > 4*(a.limit-a.floor) {
				fits = !a.relieve(&live) && fits
			}
			if in.kind == kindWriteout {
				for _, r := range live.list {
					f.node(r).min = max(f.node(r).min, 4)
				}
			}
			if fits && in.dst.virtual() && in.mask != 0 {
				a.define(in.dst, in.mask, live.set, live.list)
			}
			live.set.step(in)
			if in.dst != regNone {
				live.update(in.dst)
			}
			in.reads(func(r reg, _ uint8) { live.update(r) })
		}
	}
	return fits
}

// liveList is the virtual registers that are live at a point, without order; pos
// finds them.
type liveList struct {
	set   compSet
	list  []reg
	pos   []int32 // by virtual register, -1 where it is not live
	comps int     // an upper bound of the components that are live
	size  []uint8 // along list: components counted
}

func (l *liveList) clear() {
	for _, r := range l.list {
		l.pos[index(r)] = -1
	}
	l.list, l.size, l.comps = l.list[:0], l.size[:0], 0
}

// update brings the list up to date with what the set says of a register.
func (l *liveList) update(r reg) {
	if !r.virtual() {
		return
	}
	m := l.set.get(r)
	k := l.pos[index(r)]
	n := uint8(bits.OnesCount8(m))
	switch {
	case n > 0 && k < 0:
		l.pos[index(r)] = int32(len(l.list))
		l.list, l.size = append(l.list, r), append(l.size, n)
		l.comps += int(n)
	case n > 0:
		l.comps += int(n) - int(l.size[k])
		l.size[k] = n
	case k >= 0:
		l.comps -= int(l.size[k])
		last := len(l.list) - 1
		l.list[k], l.size[k] = l.list[last], l.size[last]
		l.pos[index(l.list[k])] = k
		l.list, l.size = l.list[:last], l.size[:last]
		l.pos[index(r)] = -1
	}
}

// relieve marks for spilling, at a point where more components are live than
// there are, what is accessed least for its
// length; false if nothing is marked.
func (a *allocator) relieve(l *liveList) bool {
	over := l.comps - 4*(a.limit-a.floor)
	type candidate struct {
		r     reg
		n     int
		score float32
	}
	var list []candidate
	for i, r := range l.list {
		switch {
		case a.spill[index(r)]:
			over -= int(l.size[i])
		case !a.f.node(r).noSpill:
			s := a.span[index(r)]
			list = append(list, candidate{r, int(l.size[i]), float32(s[1]-s[0]) / (a.weight[index(r)] + 1)})
		}
	}
	if over <= 0 {
		return true // what is marked suffices
	}
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
	return len(list) > 0 || over < l.comps-4*(a.limit-a.floor)
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
func (a *allocator) note(in *inst, w float32, seen []bool) {
	a.at++
	in.reads(func(r reg, _ uint8) {
		if r.virtual() {
			a.access(index(r), w)
		}
	})
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
	if !seen[d] {
		seen[d] = true
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
	a.hints[d] = append(a.hints[d], hint{s, delta})
	a.hints[s] = append(a.hints[s], hint{d, -delta})
}

// define notes that components of r are written where others are live.
func (a *allocator) define(r reg, mask uint8, live compSet, list []reg) {
	n := index(r)
	for _, o := range list {
		if o == r {
			continue
		}
		lb := live.get(o)
		at := uint8(0)
		for i := range 4 {
			if mask>>i&1 == 0 {
				continue
			}
			for j := range 4 {
				if lb>>j&1 != 0 {
					at |= 1 << (j - i + 3)
				}
			}
		}
		if at == 0 {
			continue
		}
		a.adj[n] = append(a.adj[n], conflict{index(o), at})
		// Seen from the other, the displacement has the other sign.
		back := uint8(0)
		for d := range 7 {
			back |= at >> d & 1 << (6 - d)
		}
		a.adj[index(o)] = append(a.adj[index(o)], conflict{n, back})
	}
}

// taken lists, by register, the offsets that node n may not have.
func (a *allocator) taken(n uint32) (bad [16]uint8) {
	for _, c := range a.adj[n] {
		p := a.place[c.other]
		if p < 0 {
			continue
		}
		r, o := p>>2, int(p&3)
		for off := range 4 {
			if d := off - o + 3; d >= 0 && d < 7 && c.at>>d&1 != 0 {
				bad[r] |= 1 << off
			}
		}
	}
	return bad
}

// allocate places all; false if some must be spilled, which are marked.
func (a *allocator) allocate() (bool, error) {
	ok := true
	for _, n := range a.order {
		if a.spill[n] {
			continue
		}
		for !a.try(n) {
			ok = false
			v, found := a.victim(n)
			if !found {
				return false, fmt.Errorf("midgard: %d work registers do not suffice, and nothing can be spilled", a.limit)
			}
			a.spill[v] = true
			a.place[v] = -1
			if v == n {
				break
			}
		}
	}
	return ok, nil
}

// try finds a place for node n.
func (a *allocator) try(n uint32) bool {
	bad := a.taken(n)
	info := &a.f.nodes[n]
	low := max(a.floor, int(info.min))
	fits := func(r, off int) bool {
		return r >= low && r < a.limit && off >= 0 && off+int(info.size) <= 4 && (off == 0 || !info.first) && bad[r]>>off&1 == 0
	}
	put := func(r, off int) bool {
		if !fits(r, off) {
			return false
		}
		a.place[n] = int16(4*r + off)
		a.used = max(a.used, r+1)
		return true
	}
	for _, h := range a.hints[n] {
		if p := a.place[h.other]; p >= 0 && put(int(p>>2), int(p&3)+int(h.delta)) {
			return true
		}
	}
	for r := low; r < a.limit; r++ {
		for off := 0; off+int(info.size) <= 4; off++ {
			if put(r, off) {
				return true
			}
		}
	}
	return false
}

// victim chooses what to spill so that node n may fit: itself or a neighbour.
func (a *allocator) victim(n uint32) (uint32, bool) {
	best, found, score := n, false, float32(0)
	look := func(v uint32) {
		if a.f.nodes[v].noSpill {
			return
		}
		s := float32(len(a.adj[v])*int(a.f.nodes[v].size)) / (a.weight[v] + 1)
		if !found || s > score {
			best, found, score = v, true, s
		}
	}
	look(n)
	for _, c := range a.adj[n] {
		if a.place[c.other] >= 0 {
			look(c.other)
		}
	}
	return best, found
}

// isMove tells whether the instruction only copies.
func (in *inst) isMove() bool {
	return in.kind == kindALU && !in.imm && !in.hasCond && in.half == partFull && in.src[1].half == partFull && in.src[1].mod == 0 &&
		(in.op == isa.OpImov || in.op == isa.OpFmov && in.out == isa.OutNone)
}

// apply rewrites virtual registers to their places and drops moves to where
// the value already is.
func (a *allocator) apply() {
	f := a.f
	for b := range f.blocks {
		list := f.blocks[b].list[:0]
		for _, in := range f.blocks[b].list {
			a.rewrite(in)
			if in.isMove() && in.selfMove() {
				continue
			}
			list = append(list, in)
		}
		f.blocks[b].list = list
	}
}

func (in *inst) selfMove() bool {
	if in.src[1].reg != in.dst {
		return false
	}
	for i := range 4 {
		if in.mask>>i&1 != 0 && in.src[1].swz[i] != uint8(i) {
			return false
		}
	}
	return true
}

// rewrite replaces the registers of an instruction. The lanes of the operation move
// with the destination.
func (a *allocator) rewrite(in *inst) {
	in.eachSource(func(s *source, lanes uint8) {
		if !s.reg.virtual() {
			return
		}
		p := a.place[index(s.reg)]
		if p < 0 {
			p = int16(4 * a.floor) // read, never written
		}
		for i := range s.swz {
			s.swz[i] = min(s.swz[i]+uint8(p&3), 3)
		}
		s.reg = reg(p >> 2)
	})
	if !in.dst.virtual() {
		return
	}
	p := a.place[index(in.dst)]
	if p < 0 {
		p = int16(4 * a.floor) // written, never read
	}
	in.dst = reg(p >> 2)
	off := int(p & 3)
	if off == 0 {
		return
	}
	in.mask = in.mask << off & 15
	switch in.kind {
	case kindALU:
		for i := range in.src {
			if !in.op.Is(isa.Reduce) {
				in.src[i] = in.src[i].shifted(off)
			}
		}
		if in.hasCond && in.op.Is(isa.SelectVector) {
			in.cond = in.cond.shifted(off)
			if t := in.fuse; t != nil {
				t.mask = in.mask
				t.src[0], t.src[1] = t.src[0].shifted(off), t.src[1].shifted(off)
			}
		}
	case kindLdSt:
		in.ld.Swizzle = shiftSwizzle(in.ld.Swizzle, off)
	case kindTex:
		in.tex.Swizzle = shiftSwizzle(in.tex.Swizzle, off)
	}
}
