package mach

import (
	"math/bits"
	"slices"

	"nirc/internal/slab"
)

// Set is a set of values, one bit each.
type Set []uint64

// Has reports whether v is in the set.
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

// Live is a set of values in ascending order: what is live at one border of a
// block is little beside all values of a large function.
type Live []Value

// Has reports whether v is in the set.
func (l Live) Has(v Value) bool {
	_, ok := slices.BinarySearch(l, v)
	return ok
}

// Each calls f for every value of the set, in order.
func (l Live) Each(f func(v Value)) {
	for _, v := range l {
		f(v)
	}
}

// Liveness says which values are live at the borders of blocks. A value that
// a phi reads is live out of the predecessor it comes from, and not live into
// the phi's block on that account; phi results are not live in. Values of shared
// files live along physical edges too.
type Liveness struct {
	In, Out []Live
}

// occurrence is a value that is live at a border of a block.
type occurrence struct {
	v   Value
	b   BlockID
	out bool // at its end, else at its start
}

// liveWalk finds where values are live by following each use that is not in
// its definition's block up to that block, one value after the other.
type liveWalk struct {
	f       *Func
	def     []BlockID // by value; -1: none
	uses    []occurrence
	in, out []occurrence
	// lastIn and lastOut are the value that was last found live there.
	lastIn, lastOut []Value
	stack           []BlockID
	// For sorting, and for one block's values.
	starts  []int32
	byValue []occurrence
	cur     Set
}

// ComputeLiveness computes liveness and sets the Kill flags of all uses
// and the Dead flags of all defs.
func ComputeLiveness(f *Func) *Liveness {
	lv := LiveBorders(f)
	lv.Mark(f)
	return lv
}

// LiveBorders computes what is live at the borders of blocks, and leaves the flags of operands as they are. It holds
// until values or their blocks change, whatever the order within blocks.
func LiveBorders(f *Func) *Liveness {
	n := len(f.Blocks)
	lv, sets := f.mem.liveness.New(), f.mem.lives.Slice(2*n)
	lv.In, lv.Out = sets[:n:n], sets[n:]
	if n == 1 && len(f.Blocks[0].Preds) == 0 {
		return lv // nothing is live at the borders of a function
	}
	w := &f.mem.live
	w.f = f
	w.def = slab.Resized(w.def, len(f.vals))
	w.lastIn, w.lastOut = slab.Zeroed(w.lastIn, n), slab.Zeroed(w.lastOut, n)
	w.uses, w.in, w.out = w.uses[:0], w.in[:0], w.out[:0]
	w.definitions()
	w.borderUses()
	for _, u := range w.usesByValue() {
		if u.out {
			w.liveOut(u.v, u.b)
		} else {
			w.liveIn(u.v, u.b)
		}
		w.up(u.v)
	}
	store := f.mem.values.Slice(len(w.in) + len(w.out))
	w.byBlock(w.in, lv.In, store[:len(w.in)])
	w.byBlock(w.out, lv.Out, store[len(w.in):])
	w.f = nil
	return lv
}

// Mark sets the Kill flags of all uses and the Dead flags of all defs.
func (lv *Liveness) Mark(f *Func) {
	cur := f.mem.live.none(f)
	for b := range f.Blocks {
		lv.markKills(f, BlockID(b), cur)
	}
}

// none is an empty set of the values of f, until it is asked for again.
func (w *liveWalk) none(f *Func) Set {
	w.cur = slab.Zeroed(w.cur, (len(f.vals)+63)/64)
	return w.cur
}

func (w *liveWalk) definitions() {
	for v := range w.def {
		w.def[v] = -1
	}
	for b := range w.f.Blocks {
		for _, in := range w.f.Blocks[b].Instrs {
			for _, d := range in.Defs() {
				w.def[d.Val] = BlockID(b)
			}
		}
	}
}

// borderUses collects the uses that make values live at borders of blocks.
func (w *liveWalk) borderUses() {
	for b := range w.f.Blocks {
		blk := &w.f.Blocks[b]
		for _, in := range blk.Instrs {
			for k, u := range in.Uses() {
				switch {
				case u.Val == 0:
				case in.Op == OpPhi:
					w.uses = append(w.uses, occurrence{u.Val, blk.Preds[k], true})
				case w.def[u.Val] != BlockID(b):
					w.uses = append(w.uses, occurrence{u.Val, BlockID(b), false})
				}
			}
		}
	}
}

func (w *liveWalk) usesByValue() []occurrence {
	w.starts = slab.Zeroed(w.starts, len(w.def)+1)
	w.byValue = slab.Resized(w.byValue, len(w.uses))
	starts, to := w.starts, w.byValue
	for _, u := range w.uses {
		starts[u.v+1]++
	}
	for v := range w.def {
		starts[v+1] += starts[v]
	}
	for _, u := range w.uses {
		to[starts[u.v]] = u
		starts[u.v]++
	}
	return to
}

func (w *liveWalk) liveIn(v Value, b BlockID) {
	if w.lastIn[b] != v {
		w.lastIn[b] = v
		w.in = append(w.in, occurrence{v: v, b: b})
		w.stack = append(w.stack, b)
	}
}

func (w *liveWalk) liveOut(v Value, b BlockID) {
	if w.lastOut[b] != v {
		w.lastOut[b] = v
		w.out = append(w.out, occurrence{v: v, b: b})
	}
	if w.def[v] != b {
		w.liveIn(v, b)
	}
}

// up follows v from the blocks that it was found live into to its definition.
func (w *liveWalk) up(v Value) {
	for len(w.stack) > 0 {
		b := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		for _, p := range w.f.Blocks[b].Preds {
			w.liveOut(v, p)
		}
		if phys := w.f.Blocks[b].PhysPreds; len(phys) > 0 && w.f.files[w.f.File(v)].Shared {
			for _, p := range phys {
				w.liveOut(v, p)
			}
		}
	}
}

// byBlock parts occurrences in the order of values into a set a block, which share the store.
func (w *liveWalk) byBlock(list []occurrence, sets []Live, store []Value) {
	w.starts = slab.Zeroed(w.starts, len(sets))
	for _, o := range list {
		w.starts[o.b]++
	}
	for b, n := range w.starts {
		sets[b], store = store[:0:n], store[n:]
	}
	for _, o := range list {
		sets[o.b] = append(sets[o.b], o.v)
	}
}

// markKills sets the flags of a block's operands. cur is empty, before and after.
func (lv *Liveness) markKills(f *Func, b BlockID, cur Set) {
	for _, v := range lv.Out[b] {
		cur.Add(v)
	}
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
		for _, d := range defs {
			if d.Val != 0 {
				cur.Remove(d.Val)
			}
		}
		if in.Op == OpPhi {
			continue
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
	for _, v := range lv.In[b] {
		cur.Remove(v)
	}
}
