// Package analysis computes facts about functions that passes and backends
// ask for: liveness, loops, divergence, ranges, alignment. An analysis reads
// the IR and never changes it; its result is kept with the function (see
// ir.Impl.SetAnalysis) until a pass invalidates it.
package analysis

import (
	"nirc/internal/slab"
	"nirc/ir"
)

// Liveness holds for each block the values live at its start and end, as bit
// sets. Only values that live across a block's end are in them: these have
// dense numbers of their own (see Number), so that sets stay small. A phi source is live at the end of its predecessor, not
// at the start of the phi's block; a phi's own value is not live at the start
// of its block. Undefs are never live: any register will do.
type Liveness struct {
	words   int
	in, out []uint64 // by block index
	number  []int32  // by Def.Index, -1 where not live across blocks
	defs    []*ir.Def
	impl    *ir.Impl
	work    ir.BlockWorklist
}

// RequireLiveness returns the liveness of a function, computing it if needed.
func RequireLiveness(impl *ir.Impl) *Liveness {
	if l, ok := impl.Analysis(ir.MetaLiveness).(*Liveness); ok {
		return l
	}
	impl.Require(ir.MetaBlockIndex)
	l, _ := impl.StaleAnalysis(ir.MetaLiveness).(*Liveness)
	if l == nil {
		l = &Liveness{}
	}
	l.compute(impl)
	impl.SetAnalysis(ir.MetaLiveness, l)
	return l
}

// CheckLiveness reports whether the stored liveness of a function is what a new
// computation gives; true if none is stored.
func CheckLiveness(impl *ir.Impl) bool {
	old, ok := impl.Analysis(ir.MetaLiveness).(*Liveness)
	if !ok {
		return true
	}
	impl.Require(ir.MetaBlockIndex)
	var l Liveness
	l.compute(impl)
	if len(l.defs) != len(old.defs) || len(l.in) != len(old.in) {
		return false
	}
	for i := range l.defs {
		if l.defs[i] != old.defs[i] {
			return false
		}
	}
	for i := range l.in {
		if l.in[i] != old.in[i] || l.out[i] != old.out[i] {
			return false
		}
	}
	return true
}

func (l *Liveness) compute(impl *ir.Impl) {
	l.impl = impl
	l.numberDefs()
	l.words = (len(l.defs) + 63) / 64
	n := l.words * int(impl.NumBlocks)
	l.in, l.out = slab.Zeroed(l.in, n), slab.Zeroed(l.out, n)
	// Backward problem: taken last to first, blocks reach the fixed point in few
	// turns; only those whose successors changed are looked at again.
	l.work.Init(impl)
	l.work.AddAll()
	tmp := make([]uint64, l.words)
	for b := l.work.PopLast(); b != nil; b = l.work.PopLast() {
		if !l.block(b, tmp) {
			continue
		}
		for _, p := range b.Preds {
			l.work.Push(p)
		}
	}
}

// numberDefs numbers the values that a phi or another block uses.
func (l *Liveness) numberDefs() {
	l.defs = l.defs[:0]
	if cap(l.number) < int(l.impl.NumDefs) {
		l.number = make([]int32, l.impl.NumDefs)
	}
	l.number = l.number[:l.impl.NumDefs]
	note := func(d *ir.Def) {
		l.number[d.Index] = -1
		if crosses(d) {
			l.number[d.Index] = int32(len(l.defs))
			l.defs = append(l.defs, d)
		}
	}
	for b := range l.impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.HasDef() {
				note(&in.Def)
			}
			if in.Kind == ir.KindParallelCopy {
				for i := range in.CopyInfo().Entries {
					note(&in.CopyInfo().Entries[i].Dst)
				}
			}
		}
	}
}

func crosses(d *ir.Def) bool {
	if d.IsUndef() {
		return false
	}
	b := d.Instr.Block
	for u := d.FirstUse(); u != nil; u = u.NextUse() {
		if u.If != nil {
			if ir.Prev(u.If) != ir.Node(b) {
				return true
			}
		} else if u.Instr.Block != b || u.Instr.Kind == ir.KindPhi {
			return true
		}
	}
	return false
}

// Number returns the number of a value in the sets; ok is false if it is never
// live across a block's end.
func (l *Liveness) Number(d *ir.Def) (n int, ok bool) {
	n = int(l.number[d.Index])
	return n, n >= 0
}

// block recomputes a block's sets and reports whether its live-in set, or what
// its phis ask of the predecessors, is new.
func (l *Liveness) block(b *ir.Block, live []uint64) bool {
	clear(live)
	for _, s := range b.Succ {
		if s == nil {
			continue
		}
		for w, v := range l.In(s) {
			live[w] |= v
		}
		for phi := range s.Phis() {
			if src := phi.PhiSrc(b); src != nil {
				l.mark(live, src.Def)
			}
		}
	}
	copy(l.Out(b), live)
	if i := b.FollowingIf(); i != nil && b.Jump() == nil {
		l.mark(live, i.Cond.Def)
	}
	for in := b.Last(); in != nil && in.Kind != ir.KindPhi; in = in.Prev() {
		l.unmarkDefs(live, in)
		for i := range in.Srcs {
			l.mark(live, in.Srcs[i].Def)
		}
	}
	for phi := range b.Phis() {
		l.unmarkDefs(live, phi)
	}
	in, changed := l.In(b), false
	for w, v := range live {
		if in[w] != v {
			in[w] = v
			changed = true
		}
	}
	return changed
}

func (l *Liveness) mark(set []uint64, d *ir.Def) {
	if n := l.number[d.Index]; n >= 0 {
		set[n/64] |= 1 << (n % 64)
	}
}

func (l *Liveness) unmark(set []uint64, d *ir.Def) {
	if n := l.number[d.Index]; n >= 0 {
		set[n/64] &^= 1 << (n % 64)
	}
}

func (l *Liveness) unmarkDefs(set []uint64, in *ir.Instr) {
	if in.HasDef() {
		l.unmark(set, &in.Def)
	}
	if in.Kind == ir.KindParallelCopy {
		for i := range in.CopyInfo().Entries {
			l.unmark(set, &in.CopyInfo().Entries[i].Dst)
		}
	}
}

// In returns the set of values live at the block's start.
func (l *Liveness) In(b *ir.Block) []uint64 {
	return l.in[int(b.Index)*l.words : int(b.Index+1)*l.words]
}

// Out returns the set of values live at the block's end.
func (l *Liveness) Out(b *ir.Block) []uint64 {
	return l.out[int(b.Index)*l.words : int(b.Index+1)*l.words]
}

// LiveIn reports whether d is live at b's start.
func (l *Liveness) LiveIn(b *ir.Block, d *ir.Def) bool {
	n := l.number[d.Index]
	return n >= 0 && l.In(b)[n/64]>>(n%64)&1 != 0
}

// LiveOut reports whether d is live at b's end.
func (l *Liveness) LiveOut(b *ir.Block, d *ir.Def) bool {
	n := l.number[d.Index]
	return n >= 0 && l.Out(b)[n/64]>>(n%64)&1 != 0
}

// LiveAfter reports whether d, which is defined before or by in, is still
// needed after in.
func (l *Liveness) LiveAfter(d *ir.Def, in *ir.Instr) bool {
	b := in.Block
	if l.LiveOut(b, d) {
		return true
	}
	if !l.LiveIn(b, d) && d.Instr.Block != b {
		return false
	}
	if i := b.FollowingIf(); i != nil && i.Cond.Def == d {
		return true
	}
	l.impl.Require(ir.MetaInstrIndex)
	for u := d.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr != nil && u.Instr.Block == b && u.Instr.Kind != ir.KindPhi && u.Instr.Index > in.Index {
			return true
		}
	}
	return false
}

// Interfere reports whether two values are ever live at the same time. Needs
// MetaDominance.
func (l *Liveness) Interfere(a, b *ir.Def) bool {
	switch {
	case a.Instr == b.Instr:
		return true
	case a.IsUndef() || b.IsUndef():
		return false
	case a.Dominates(b.Instr):
		return l.LiveAfter(a, b.Instr)
	case b.Dominates(a.Instr):
		return l.LiveAfter(b, a.Instr)
	}
	return false
}
