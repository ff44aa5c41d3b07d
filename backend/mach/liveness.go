package mach

import "math/bits"

// Set is a set of values, one bit each.
type Set []uint64

// Has tells whether v is in the set.
func (s Set) Has(v Value) bool { return s[v>>6]>>(v&63)&1 != 0 }

// Add puts v into the set.
func (s Set) Add(v Value) { s[v>>6] |= 1 << (v & 63) }

// Remove takes v out of the set.
func (s Set) Remove(v Value) { s[v>>6] &^= 1 << (v & 63) }

// Each calls f for every value of the set, in order.
func (s Set) Each(f func(v Value)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(Value(i<<6 + bits.TrailingZeros64(w)))
		}
	}
}

// Liveness tells which values are live at the borders of blocks. A value that
// a phi reads is live out of the predecessor it comes from, and not live into
// the phi's block on that account; phi results are not live in.
type Liveness struct {
	In, Out []Set
}

// ComputeLiveness computes liveness and sets the Kill flags of all uses
// and the Dead flags of all defs.
func ComputeLiveness(f *Func) *Liveness {
	n, words := len(f.Blocks), (len(f.vals)+63)/64
	store := make([]uint64, 2*n*words)
	lv := &Liveness{In: make([]Set, n), Out: make([]Set, n)}
	for i := range n {
		lv.In[i] = store[2*i*words : (2*i+1)*words]
		lv.Out[i] = store[(2*i+1)*words : (2*i+2)*words]
	}
	cur := make(Set, words)
	work := make([]BlockID, 0, n)
	queued := make([]bool, n)
	for i := range n {
		work = append(work, BlockID(i))
		queued[i] = true
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		queued[b] = false
		if !lv.transfer(f, b, cur) {
			continue
		}
		for _, p := range f.Blocks[b].Preds {
			if !queued[p] {
				queued[p] = true
				work = append(work, p)
			}
		}
	}
	for b := range f.Blocks {
		lv.markKills(f, BlockID(b), cur)
	}
	return lv
}

// transfer recomputes the sets of block b and tells whether what flows to its
// predecessors changed.
func (lv *Liveness) transfer(f *Func, b BlockID, cur Set) bool {
	blk := &f.Blocks[b]
	copy(cur, lv.Out[b])
	for _, s := range blk.Succs {
		for i, w := range lv.In[s] {
			cur[i] |= w
		}
	}
	lv.addPhiUses(f, b, cur)
	copy(lv.Out[b], cur)
	for i := len(blk.Instrs) - 1; i >= 0; i-- {
		in := blk.Instrs[i]
		for _, d := range in.Defs() {
			if d.Val != 0 {
				cur.Remove(d.Val)
			}
		}
		if in.Op == OpPhi {
			continue
		}
		for _, u := range in.Uses() {
			if u.Val != 0 {
				cur.Add(u.Val)
			}
		}
	}
	changed := false
	for i, w := range cur {
		if w != lv.In[b][i] {
			lv.In[b][i] = w
			changed = true
		}
	}
	return changed
}

func (lv *Liveness) addPhiUses(f *Func, b BlockID, cur Set) {
	for _, s := range f.Blocks[b].Succs {
		blk := &f.Blocks[s]
		for k, p := range blk.Preds {
			if p != b {
				continue
			}
			for _, in := range blk.Instrs {
				if in.Op != OpPhi {
					break
				}
				if v := in.Uses()[k].Val; v != 0 {
					cur.Add(v)
				}
			}
		}
	}
}

func (lv *Liveness) markKills(f *Func, b BlockID, cur Set) {
	copy(cur, lv.Out[b])
	blk := &f.Blocks[b]
	for i := len(blk.Instrs) - 1; i >= 0; i-- {
		in := blk.Instrs[i]
		defs := in.Defs()
		for k := range defs {
			defs[k].Flags &^= Dead
			if v := defs[k].Val; v != 0 && !cur.Has(v) {
				defs[k].Flags |= Dead
			}
		}
		if in.Op == OpPhi {
			continue
		}
		for _, d := range defs {
			if d.Val != 0 {
				cur.Remove(d.Val)
			}
		}
		uses := in.Uses()
		for k := range uses {
			uses[k].Flags &^= Kill
			if v := uses[k].Val; v != 0 && !cur.Has(v) {
				uses[k].Flags |= Kill
			}
		}
		for k := range uses {
			if uses[k].Val != 0 {
				cur.Add(uses[k].Val)
			}
		}
	}
}
