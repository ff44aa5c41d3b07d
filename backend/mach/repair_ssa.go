package mach

import (
	"slices"
	"sort"
)

// Repairing SSA after spilling: a value that was reloaded has several names,
// which phis join where ways meet; phis that join one value only go again.

// newPhi merges the names of v at a block.
type newPhi struct {
	block BlockID
	v     Value
	in    *Instr
}

// names gives the values at the start of b their names: the predecessor's if
// there is one only, else those of phis, which rename later removes where they
// turn out to join nothing.
func (s *spiller) names(b BlockID) {
	blk := &s.f.Blocks[b]
	isPhi := map[Value]bool{}
	for _, in := range blk.Instrs {
		if in.Op != OpPhi {
			break
		}
		isPhi[in.Ops[0].Val] = true
	}
	sort.Slice(s.set, func(i, j int) bool { return s.set[i] < s.set[j] })
	if len(blk.Preds) == 1 {
		for _, e := range s.exit[blk.Preds[0]] {
			if s.in[e.v] {
				s.name[e.v] = e.name
			}
		}
	}
	for _, v := range s.set {
		if len(blk.Preds) > 1 && !isPhi[v] {
			phi := s.f.NewInstr(OpPhi, 1, len(blk.Preds))
			n := s.fresh(v)
			phi.Ops[0].Val = n
			s.name[v] = n
			s.newPhis = append(s.newPhis, newPhi{b, v, phi})
		}
		s.entry[b] = append(s.entry[b], named{v, s.name[v]})
	}
}

// edges gives phis their sources and reloads, at the ends of predecessors,
// what the next block expects in registers.
func (s *spiller) edges() {
	s.list = nil                         // it was the last block's
	at := make([]int, len(s.f.Blocks)+1) // newPhis of a block
	for i, p := range s.newPhis {
		if i == 0 || s.newPhis[i-1].block != p.block {
			at[p.block] = i
		}
	}
	for b := range s.f.Blocks {
		blk := &s.f.Blocks[b]
		if len(blk.Preds) < 2 {
			continue
		}
		first := at[b]
		last := first
		for last < len(s.newPhis) && s.newPhis[last].block == BlockID(b) {
			last++
		}
		s.stage(BlockID(b))
		for k, p := range blk.Preds {
			s.edge(BlockID(b), p, k, s.newPhis[first:last])
		}
		s.placePhis(BlockID(b), s.newPhis[first:last])
	}
}

// edge prepares the edge from p, predecessor k of b.
func (s *spiller) edge(b, p BlockID, k int, phis []newPhi) {
	s.list = s.list[:0]
	have := map[Value]Value{}
	for _, e := range s.exit[p] {
		have[e.v] = e.name
	}
	get := func(v Value) Value {
		if n, ok := have[v]; ok {
			return n
		}
		return s.reload(v, 0)
	}
	for _, in := range s.f.Blocks[b].Instrs {
		if in.Op != OpPhi {
			break
		}
		u := &in.Uses()[k]
		if !s.mine(u.Val) || !s.memPhi[in.Ops[0].Val] {
			continue
		}
		if s.keeps(p, in.Ops[0].Val, u.Val) {
			s.stored[u.Val] = true
			s.slotOf(u.Val)
			continue
		}
		name := get(u.Val)
		s.list = append(s.list, s.sp.Spill(s.f, name, s.target(in.Ops[0].Val)))
	}
	for _, in := range s.f.Blocks[b].Instrs {
		if in.Op != OpPhi {
			break
		}
		if u := &in.Uses()[k]; s.mine(u.Val) && !s.memPhi[in.Ops[0].Val] {
			n := get(u.Val)
			have[u.Val] = n
			u.Val = n
		}
	}
	for i := range phis {
		n := get(phis[i].v)
		have[phis[i].v] = n
		phis[i].in.Uses()[k].Val = n
	}
	if len(s.list) == 0 {
		return
	}
	blk := &s.f.Blocks[p]
	t := s.f.firstTerminator(blk)
	tail := append([]*Instr(nil), blk.Instrs[t:]...)
	blk.Instrs = append(append(blk.Instrs[:t:t], s.list...), tail...)
}

// stage finds the memory phis of b whose slots others of its phis read: all sources are read before any such slot is
// written, so predecessors write slots of their own, which the block copies (see placePhis).
func (s *spiller) stage(b BlockID) {
	var readers map[int][]Value // by slot: the phis of which a source may lie there
	for _, in := range s.phis(b) {
		for _, u := range in.Uses() {
			if v := in.Ops[0].Val; s.mine(u.Val) {
				if readers == nil {
					readers = map[int][]Value{}
				}
				readers[s.place(u.Val)] = append(readers[s.place(u.Val)], v)
			}
		}
	}
	for _, in := range s.phis(b) {
		v := in.Ops[0].Val
		if s.mine(v) && s.memPhi[v] && slices.ContainsFunc(readers[s.place(v)], func(w Value) bool { return w != v }) {
			s.staged[v] = int32(s.newSlot(v)) + 1
		}
	}
}

// phis are the phis that b begins with.
func (s *spiller) phis(b BlockID) []*Instr {
	l := s.f.Blocks[b].Instrs
	n := 0
	for n < len(l) && l[n].Op == OpPhi {
		n++
	}
	return l[:n]
}

// place tells the slots of values apart before they have any: by webs, then by values.
func (s *spiller) place(v Value) int {
	if k := s.webs.of[v]; k >= 0 {
		return int(k)
	}
	return len(s.webs.sets) + int(v)
}

// keeps reports whether a source that a memory phi has from p lies in the slot of the phi, or may as well be stored there when
// it is made: they are of one web, and that is no deeper in loops.
func (s *spiller) keeps(p BlockID, phi, source Value) bool {
	if s.staged[phi] != 0 || s.webs.of[phi] < 0 || s.webs.of[phi] != s.webs.of[source] || s.remat[source] != nil || s.f.vals[source].noSpill {
		return false
	}
	def := s.webs.defBlock[source]
	return s.memPhi[source] || s.slot[source] != 0 || s.f.Blocks[def].LoopDepth <= s.f.Blocks[p].LoopDepth
}

// target is the slot that predecessors of a memory phi write.
func (s *spiller) target(v Value) int {
	if slot := s.staged[v]; slot != 0 {
		return int(slot - 1)
	}
	return s.slotOf(v)
}

// placePhis puts the new phis first and turns memory phis into copies from
// the slots that predecessors wrote, where these are not their own.
func (s *spiller) placePhis(b BlockID, phis []newPhi) {
	blk := &s.f.Blocks[b]
	var head, copies []*Instr
	rest := 0
	for _, in := range blk.Instrs {
		if in.Op != OpPhi {
			break
		}
		rest++
		v := in.Ops[0].Val
		if !s.mine(v) || !s.memPhi[v] {
			head = append(head, in)
			continue
		}
		if slot := s.staged[v]; slot != 0 {
			t := s.fresh(v)
			copies = append(copies, s.sp.Reload(s.f, t, int(slot-1)), s.sp.Spill(s.f, t, s.slotOf(v)))
		}
	}
	for _, p := range phis {
		head = append(head, p.in)
	}
	blk.Instrs = append(append(head, copies...), blk.Instrs[rest:]...)
}

// rename removes phis that join one value only and replaces their names.
func (s *spiller) rename() {
	to := make([]Value, len(s.f.vals))
	find := func(v Value) Value {
		for to[v] != 0 {
			v = to[v]
		}
		return v
	}
	for changed := true; changed; {
		changed = false
		for _, p := range s.newPhis {
			d := p.in.Ops[0].Val
			if to[d] != 0 {
				continue
			}
			one, many := Value(0), false
			for _, u := range p.in.Uses() {
				w := find(u.Val)
				if w == d || w == one {
					continue
				}
				many = many || one != 0
				one = w
			}
			if !many && one != 0 {
				to[d] = one
				changed = true
			}
		}
	}
	for b := range s.f.Blocks {
		blk := &s.f.Blocks[b]
		n := 0
		for _, in := range blk.Instrs {
			if in.Op == OpPhi && to[in.Ops[0].Val] != 0 {
				continue
			}
			for i := range in.Uses() {
				in.Uses()[i].Val = find(in.Uses()[i].Val)
			}
			blk.Instrs[n] = in
			n++
		}
		blk.Instrs = blk.Instrs[:n]
	}
}
