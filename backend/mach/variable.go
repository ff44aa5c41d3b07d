package mach

import "nirc/internal/slab"

// Stores are what the blocks of a function store to numbered variables: an O each.
type Stores[O any] struct {
	cur []stored[O]   // of the block that is being selected, by variable
	at  [][]stored[O] // by block: at its end
	mem struct {
		at   [][]stored[O]
		vals slab.Slab[stored[O]]
	}
}

// Reset forgets all, and keeps the memory.
func (s *Stores[O]) Reset() {
	clear(s.mem.at)
	s.mem.vals.Reset()
	s.cur, s.at = s.cur[:0], nil
}

type stored[O any] struct {
	val O
	set bool
}

// Set stores v to variable k in the current block.
func (s *Stores[O]) Set(k int, v O) {
	for len(s.cur) <= k {
		s.cur = append(s.cur, stored[O]{})
	}
	s.cur[k] = stored[O]{v, true}
}

// Leave ends the current block of f, which is b.
func (s *Stores[O]) Leave(f *Func, b BlockID) {
	if s.at == nil {
		s.at = slab.Zeroed(s.mem.at, len(f.Blocks))
		s.mem.at = s.at
	}
	s.at[b] = append(s.mem.vals.Slice(len(s.cur))[:0], s.cur...)
	clear(s.cur)
	s.cur = s.cur[:0]
}

// At returns what b stores last to variable k; false if it stores nothing.
func (s *Stores[O]) At(b BlockID, k int) (v O, ok bool) {
	if int(b) >= len(s.at) || k >= len(s.at[b]) {
		return v, false
	}
	return s.at[b][k].val, s.at[b][k].set
}

// Variables are what a target knows of numbered variables, and how it makes values of them.
type Variables[T any] interface {
	// Stored returns what a block stores last to variable k; false if it stores nothing.
	Stored(k int, b BlockID) (T, bool)
	// Missing stands for the value in a block where nothing was stored before.
	Missing(k int, b BlockID) T
	// Join makes the result of a phi, as what it stands for and as a value.
	Join(k int) (T, Value)
	// Use brings what b leaves into a register at its end.
	Use(b BlockID, v T) Value
}

// Reader finds the values of variables at the starts of blocks, and makes
// phis where predecessors leave different ones.
type Reader[T any] struct {
	F  *Func
	Of Variables[T]

	k    int
	memo []stored[T] // by block: value of variable k at its start
}

// AtStart returns the value of variable k at the start of b.
func (r *Reader[T]) AtStart(k int, b BlockID) T {
	r.k, r.memo = k, slab.Zeroed(r.memo, len(r.F.Blocks))
	return r.atStart(b)
}

// AtEnd returns the value of variable k at the end of b.
func (r *Reader[T]) AtEnd(k int, b BlockID) T {
	r.k, r.memo = k, slab.Zeroed(r.memo, len(r.F.Blocks))
	return r.atEnd(b)
}

func (r *Reader[T]) atStart(b BlockID) T {
	if m := &r.memo[b]; m.set {
		return m.val
	}
	preds := r.F.Blocks[b].Preds
	switch len(preds) {
	case 0:
		r.memo[b] = stored[T]{r.Of.Missing(r.k, b), true}
	case 1:
		r.memo[b] = stored[T]{r.atEnd(preds[0]), true}
	default:
		r.join(b, preds)
	}
	return r.memo[b].val
}

// join makes a phi at the start of b. It is known before its sources are, for a loop leads back to it.
func (r *Reader[T]) join(b BlockID, preds []BlockID) {
	v, def := r.Of.Join(r.k)
	r.memo[b] = stored[T]{v, true}
	phi := r.F.NewInstr(OpPhi, 1, len(preds))
	phi.Ops[0].Val = def
	blk := &r.F.Blocks[b]
	blk.Instrs = append(blk.Instrs, nil)
	copy(blk.Instrs[1:], blk.Instrs)
	blk.Instrs[0] = phi
	for i, p := range preds {
		phi.Uses()[i].Val = r.Of.Use(p, r.atEnd(p))
	}
}

func (r *Reader[T]) atEnd(b BlockID) T {
	if v, ok := r.Of.Stored(r.k, b); ok {
		return v
	}
	return r.atStart(b)
}
