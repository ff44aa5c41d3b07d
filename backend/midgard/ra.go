package midgard

import (
	"fmt"

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
}

func newAllocator(f *function, floor, limit int) *allocator {
	n := len(f.nodes)
	a := &allocator{f: f, floor: floor, limit: limit, adj: make([][]conflict, n), hints: make([][]hint, n), place: make([]int16, n),
		weight: make([]float32, n), spill: make([]bool, n), used: floor}
	for i := range a.place {
		a.place[i] = -1
	}
	return a
}

func index(r reg) uint32 { return uint32(r - firstVirtual) }

// build finds conflicts, hints, the order of definition and the weights.
func (a *allocator) build() {
	f := a.f
	seen := make([]bool, len(f.nodes))
	out := f.liveness()
	var list []reg // live registers, without order; pos finds them
	pos := make([]int32, len(f.nodes))
	for b := range f.blocks {
		w := float32(1)
		for range min(f.blocks[b].depth, 6) {
			w *= 8
		}
		for _, in := range f.blocks[b].list {
			a.note(in, w, seen)
		}
		live := out[b]
		list = list[:0]
		for i := range f.nodes {
			pos[i] = -1
			if r := firstVirtual + reg(i); live.get(r) != 0 {
				pos[i] = int32(len(list))
				list = append(list, r)
			}
		}
		for i := len(f.blocks[b].list) - 1; i >= 0; i-- {
			in := f.blocks[b].list[i]
			if in.kind == kindWriteout {
				for _, r := range list {
					f.node(r).min = max(f.node(r).min, 4)
				}
			}
			if in.dst.virtual() && in.mask != 0 {
				a.define(in.dst, in.mask, live, list)
			}
			live.step(in)
			// Bring the list up to date.
			drop := func(r reg) {
				if !r.virtual() {
					return
				}
				k := pos[index(r)]
				switch alive := live.get(r) != 0; {
				case alive && k < 0:
					pos[index(r)] = int32(len(list))
					list = append(list, r)
				case !alive && k >= 0:
					last := list[len(list)-1]
					list[k] = last
					pos[index(last)] = k
					list = list[:len(list)-1]
					pos[index(r)] = -1
				}
			}
			if in.dst != regNone {
				drop(in.dst)
			}
			in.reads(func(r reg, _ uint8) { drop(r) })
		}
	}
}

// note counts accesses, and notes moves and the order.
func (a *allocator) note(in *inst, w float32, seen []bool) {
	in.reads(func(r reg, _ uint8) {
		if r.virtual() {
			a.weight[index(r)] += w
		}
	})
	if w := in.wo; w != nil {
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
	a.weight[d] += w
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
