package midgard

import (
	"errors"
	"math/bits"

	"nirc/internal/slab"
)

// allocator gives virtual registers places among the work registers: component
// c of work register r is place 4r+c. A virtual register of n components takes n
// places of one register, at any offset where it fits.
type allocator struct {
	f      *function
	floor  int // first register
	limit  int // number of registers, the floor included
	adj    rows[conflict]
	hints  rows[hint]
	place  []int16 // -1 none
	order  []uint32
	weight []float32 // of the accesses
	spill  []bool
	seen   []bool
	used   int    // registers used: the highest and 1
	stuck  uint32 // what errNoPlace is about
	peak   int    // components live at once
	// turn: registers are taken in turn, from next on.
	turn  bool
	next  int
	first []int16 // the places of another order
	// at counts instructions, span is by node from where to where it occurs.
	at   int32
	span [][2]int32
	live liveList
	over []candidate // of relieve
}

// newAllocator returns the allocator of the function's compile, which is used
// for one allocation after the other.
func newAllocator(f *function, floor, limit int) *allocator {
	n := len(f.nodes)
	a := &f.memory().alloc
	a.turn, a.next = false, 0
	a.f, a.floor, a.limit, a.used, a.peak, a.at, a.order = f, floor, limit, floor, 0, 0, a.order[:0]
	a.adj.reset()
	a.hints.reset()
	a.place, a.weight, a.span = slab.Resized(a.place, n), slab.Resized(a.weight, n), slab.Resized(a.span, n)
	a.spill, a.seen, a.live.pos = slab.Resized(a.spill, n), slab.Resized(a.seen, n), slab.Resized(a.live.pos, n)
	clear(a.weight)
	clear(a.span)
	clear(a.spill)
	clear(a.seen)
	for i := range a.place {
		a.place[i], a.live.pos[i] = -1, -1
	}
	a.live.list, a.live.mask, a.live.comps = a.live.list[:0], a.live.mask[:0], 0
	return a
}

// taken lists, by register, the offsets that node n may not have.
func (a *allocator) taken(n uint32) (bad [16]uint8) {
	for _, c := range a.adj.of(n) {
		if p := a.place[c.other]; p >= 0 {
			// Bit off is the displacement off - (p&3), whose bit in at is 3 higher.
			bad[p>>2&15] |= c.at >> (3 - p&3) & 15
		}
	}
	return bad
}

// errNoPlace: there are too few registers for what one instruction reads, and nothing can be spilled.
var errNoPlace = errors.New("midgard: too few work registers, and nothing can be spilled")

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
				a.stuck = n
				return false, errNoPlace
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
	offsets := uint8(15) >> (max(info.size, 1) - 1) // where it fits
	if info.first {
		offsets &= 1
	}
	if info.even {
		offsets &= 5
	}
	for _, h := range a.hints.of(n) {
		p := a.place[h.other] // below 0, and so below low, of a node that has none
		r, off := int(p>>2), int(p&3)+int(h.delta)
		if r >= low && r < a.limit && off >= 0 && off < 4 && (offsets&^bad[r])>>off&1 != 0 {
			a.put(n, r, off)
			return true
		}
	}
	for i, r := low, max(low, a.next); i < a.limit; i++ {
		if r >= a.limit {
			r = low
		}
		if free := offsets &^ bad[r]; free != 0 {
			a.put(n, r, bits.TrailingZeros8(free))
			if a.turn {
				a.next = r + 1
			}
			return true
		}
		r++
	}
	return false
}

// spread places all once more in all registers that leave as many threads, or in all there are, one after the other, so that the
// scheduler finds fewer that are written again; where they do not suffice so, the places stay.
func (a *allocator) spread(all bool) {
	limit, used := a.limit, a.used
	most := limit
	if !all {
		most = min(freeRegisters<<threadClass(used), limit)
	}
	if used == most && used <= freeRegisters {
		return
	}
	first := append(a.first[:0], a.place...)
	a.first = first
	for i := range a.place {
		a.place[i] = -1
	}
	a.limit, a.turn, a.next, a.used = most, true, 0, a.floor
	if ok, err := a.allocate(); !ok || err != nil {
		copy(a.place, first)
		a.used = used
	}
	a.limit, a.turn, a.next = limit, false, 0
	clear(a.spill)
}

// put gives node n its place.
func (a *allocator) put(n uint32, r, off int) {
	a.place[n] = int16(4*r + off)
	a.used = max(a.used, r+1)
}

// victim chooses what to spill so that node n may fit: itself or a neighbour, and where that cannot be one that is held.
func (a *allocator) victim(n uint32) (uint32, bool) {
	if v, found := a.victimOf(n, false); found {
		return v, true
	}
	return a.victimOf(n, true)
}

func (a *allocator) victimOf(n uint32, held bool) (uint32, bool) {
	best, found, score := n, false, float32(0)
	look := func(v uint32) {
		if k := &a.f.nodes[v]; k.noSpill && !(held && k.held) {
			return
		}
		s := float32(len(a.adj.of(v))*int(a.f.nodes[v].size)) / (a.weight[v] + 1)
		if !found || s > score {
			best, found, score = v, true, s
		}
	}
	look(n)
	for _, c := range a.adj.of(n) {
		if a.place[c.other] >= 0 {
			look(c.other)
		}
	}
	return best, found
}
