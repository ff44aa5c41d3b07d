package mach

import (
	"sort"

	"nirc/internal/slab"
)

// A merge set is a group of values, each at an offset, that would like to live
// in one run of registers: phis with their sources, vectors with their pieces, tied
// results, and the groups that a target names. No two members are live at once where they
// overlap. The allocator places the set as a whole when it meets the first member; a
// member that does not find its place free goes elsewhere, which costs copies
// and nothing else.
type mergeSet struct {
	members []setMember
	size    int // units
	align   int
	class   uint8
	base    Reg // where it was placed, NoReg at first
	low     Reg // the units that pieces of members are bound to, 0 all
}

type setMember struct {
	v   Value
	off int32
}

// InPlace is a result that would like to take the register of a source that its instruction reads last.
type InPlace struct{ Result, Source Value }

// maxSetMembers and maxSetUnits bound a set, and so the work of joining two.
const (
	maxSetMembers = 96
	maxSetUnits   = 128
)

// mergeSets are the sets of a function.
type mergeSets struct {
	f    *Func
	lv   *Liveness
	file int // whose values are looked at, -1 all
	sets []mergeSet
	of   []int32 // by value: its set, or -1
	off  []int32 // by value: its offset there

	// Where values are defined and used, in the order of the program.
	def      []int32 // by value
	defBlock []BlockID
	start    []int32 // by block: the number of its first instruction
	uses     []int32
	firstUse []int32 // by value: where its uses start
	last     []int32 // by value: its last use, the definition if there is none
	early    []bool  // by value: defined while sources are still read
	next     []int32 // scratch of number

	store   []setMember // the first members of sets
	members slab.Slab[setMember]
}

// buildSets makes the sets; of one file, or of all if file < 0. They last until the next call.
func buildSets(f *Func, lv *Liveness, file int, groups [][]Value, inPlace []InPlace) *mergeSets {
	m := phiSets(f, lv, file)
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			m.instr(in)
		}
	}
	for _, g := range groups {
		for k := 1; k < len(g); k++ {
			m.join(g[0], g[k], k*f.Size(g[0]))
		}
	}
	for _, p := range inPlace {
		if m.of[p.Source] >= 0 && m.of[p.Result] >= 0 { // a value for itself takes the register of a source anyway
			m.join(p.Source, p.Result, 0)
		}
	}
	return m
}

// phiSets makes the sets of phis with their sources alone, in which all offsets are 0. They last as buildSets's do.
func phiSets(f *Func, lv *Liveness, file int) *mergeSets {
	n := len(f.vals)
	m := &f.mem.sets
	m.f, m.lv, m.file = f, lv, file
	m.sets, m.store = m.sets[:0], m.store[:0]
	m.members.Reset()
	m.of, m.off, m.def, m.defBlock = slab.Resized(m.of, n), slab.Zeroed(m.off, n), slab.Zeroed(m.def, n), slab.Zeroed(m.defBlock, n)
	m.start, m.firstUse, m.early = slab.Resized(m.start, len(f.Blocks)+1), slab.Zeroed(m.firstUse, n+1), slab.Zeroed(m.early, n)
	m.last = slab.Resized(m.last, n)
	for v := range n {
		m.of[v] = -1
	}
	m.number()
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if in.Op != OpPhi {
				break
			}
			for _, u := range in.Uses() {
				m.join(in.Ops[0].Val, u.Val, 0)
			}
		}
	}
	return m
}

// number numbers the instructions and lists the uses of each value.
func (m *mergeSets) number() {
	f := m.f
	at := int32(0)
	for b := range f.Blocks {
		m.start[b] = at
		for _, in := range f.Blocks[b].Instrs {
			for _, d := range in.Defs() {
				m.def[d.Val], m.defBlock[d.Val] = at, BlockID(b)
				if in.Op == OpPhi {
					m.def[d.Val] = m.start[b]
				}
				m.last[d.Val] = m.def[d.Val]
				m.early[d.Val] = d.Flags&Early != 0
			}
			if in.Op != OpPhi {
				for _, u := range in.Uses() {
					m.firstUse[u.Val+1]++
				}
			}
			at++
		}
		at++
	}
	m.start[len(f.Blocks)] = at
	for v := 1; v < len(m.firstUse); v++ {
		m.firstUse[v] += m.firstUse[v-1]
	}
	m.uses = slab.Resized(m.uses, int(m.firstUse[len(m.firstUse)-1]))
	m.next = append(m.next[:0], m.firstUse...)
	next := m.next
	for b := range f.Blocks {
		at = m.start[b]
		for _, in := range f.Blocks[b].Instrs {
			if in.Op != OpPhi {
				for _, u := range in.Uses() {
					m.uses[next[u.Val]] = at
					next[u.Val]++
					m.last[u.Val] = at
				}
			}
			at++
		}
	}
}

func (m *mergeSets) instr(in *Instr) {
	switch in.Op {
	case OpSplit:
		for k, d := range in.Defs() {
			if d.Val != 0 {
				m.join(in.Uses()[0].Val, d.Val, k*m.f.Size(d.Val))
			}
		}
	case OpCollect:
		off := 0
		for _, u := range in.Uses() {
			m.join(in.Ops[0].Val, u.Val, off)
			off += m.f.Size(u.Val)
		}
	case OpCopy, OpPcopy:
		for k, d := range in.Defs() {
			m.join(d.Val, in.Uses()[k].Val, 0)
		}
	}
	for _, d := range in.Defs() {
		if d.Flags&Tied != 0 {
			m.join(d.Val, in.Uses()[d.Tie].Val, 0)
		}
	}
}

// set returns the set of v, made for it alone if it has none.
func (m *mergeSets) set(v Value) int32 {
	if m.of[v] < 0 {
		c := m.f.Class(v)
		m.store = append(m.store, setMember{v, 0})
		k := len(m.store)
		m.sets = append(m.sets, mergeSet{members: m.store[k-1 : k : k], size: m.f.Size(v), align: int(m.f.classes[c].Align), class: c, base: NoReg})
		m.of[v] = int32(len(m.sets) - 1)
	}
	return m.of[v]
}

// join puts b at off units after a, unless members would be in each other's way.
func (m *mergeSets) join(a, b Value, off int) {
	if a == 0 || b == 0 || m.f.Class(a) != m.f.Class(b) || m.file >= 0 && int(m.f.File(a)) != m.file {
		return
	}
	x, y := m.set(a), m.set(b)
	if x == y {
		return
	}
	// Members of y move by shift into the numbers of x.
	shift := m.off[a] + int32(off) - m.off[b]
	s, t := &m.sets[x], &m.sets[y]
	low := min(0, int(shift))
	high := max(s.size, t.size+int(shift))
	if len(s.members)+len(t.members) > maxSetMembers || high-low > maxSetUnits || int(shift)&(s.align-1) != 0 || m.conflict(s, t, shift) {
		return
	}
	if n := len(s.members) + len(t.members); n > cap(s.members) {
		s.members = append(m.members.Slice(2 * n)[:0], s.members...)
	}
	for _, e := range t.members {
		m.of[e.v], m.off[e.v] = x, e.off+shift
		s.members = append(s.members, setMember{e.v, e.off + shift})
	}
	t.members = nil
	s.size = high - low
	if low < 0 {
		for i := range s.members {
			s.members[i].off -= int32(low)
			m.off[s.members[i].v] = s.members[i].off
		}
	}
}

func (m *mergeSets) conflict(s, t *mergeSet, shift int32) bool {
	for _, a := range s.members {
		end := a.off + int32(m.f.Size(a.v))
		for _, b := range t.members {
			at := b.off + shift
			if at < end && a.off < at+int32(m.f.Size(b.v)) && m.interfere(a.v, b.v) {
				return true
			}
		}
	}
	return false
}

// interfere reports whether two values are live at once: the one that is
// defined later is defined while the other is live.
func (m *mergeSets) interfere(a, b Value) bool {
	if m.def[a] > m.def[b] {
		a, b = b, a
	}
	if m.def[a] == m.def[b] {
		return true
	}
	blk := m.defBlock[b]
	if m.defBlock[a] != blk && !m.lv.In[blk].Has(a) {
		return false
	}
	if m.lv.Out[blk].Has(a) {
		return true
	}
	after := m.def[b]
	if !m.early[b] {
		after++
	}
	uses := m.uses[m.firstUse[a]:m.firstUse[a+1]]
	k := sort.Search(len(uses), func(i int) bool { return uses[i] >= after })
	return k < len(uses) && uses[k] < m.start[blk+1]
}

// finish drops what is no set.
func (m *mergeSets) finish() {
	for i := range m.sets {
		s := &m.sets[i]
		if len(s.members) == 1 {
			m.of[s.members[0].v] = -1
		}
	}
}

// lower lets sets have the bounds of their members.
func (m *mergeSets) lower(low []Reg) {
	for v, l := range low {
		if k := m.of[v]; l != 0 && k >= 0 && (m.sets[k].low == 0 || l < m.sets[k].low) {
			m.sets[k].low = l
		}
	}
}

// pickSet is the place of v in its set, which is found room for if it has none.
func (a *allocator) pickSet(v Value) (Reg, bool) {
	if a.sets == nil || a.sets.of[v] < 0 {
		return NoReg, false
	}
	s := &a.sets.sets[a.sets.of[v]]
	off := int(a.sets.off[v])
	if s.base == NoReg {
		r := a.findLow(s.class, s.size, s.low, a.lastOfSet(s))
		if r < 0 {
			return NoReg, false
		}
		s.base = Reg(r)
		a.expectSet(s)
	}
	r := int(s.base) + off
	return Reg(r), a.fits(v, r)
}

// placed notes that v has a register: a fixed one places its whole set.
func (a *allocator) placed(v Value) {
	if a.sets == nil || a.sets.of[v] < 0 {
		return
	}
	s := &a.sets.sets[a.sets.of[v]]
	if s.base != NoReg || a.reg[v] < Reg(a.sets.off[v]) {
		return
	}
	s.base = a.reg[v] - Reg(a.sets.off[v])
	if int(s.base)+s.size <= a.f.limit(s.class) && int(s.base)&(s.align-1) == 0 {
		a.expectSet(s)
	}
}
