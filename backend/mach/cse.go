package mach

import "nirc/internal/slab"

// CSE says to RemoveCommon what of a target's instructions may be shared.
type CSE interface {
	// Pure reports whether the results of an instruction depend on its operands and on what Ext
	// refers to alone, so that an equal one before it can stand for it.
	Pure(in *Instr) bool
	// Hash is a number of what Ext refers to: the same for what Same calls the same.
	Hash(in *Instr) uint64
	// Same reports whether the Ext of two instructions of one target operation means the same.
	Same(a, b *Instr) bool
}

// RemoveCommon removes instructions that compute what an equal one before them in the same block
// has computed: selection makes addresses and descriptors for each access again.
func RemoveCommon(f *Func, rules CSE) {
	m := &f.mem.cse
	if m.table == nil {
		m.table = make([]cseSlot, 128)
	}
	c := eliminator{f: f, CSE: rules, cseMemory: *m}
	c.stand = slab.Zeroed(c.stand, len(f.vals))
	any := false
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		c.epoch++
		c.used = 0
		kept := blk.Instrs[:0]
		for _, in := range blk.Instrs {
			in.Rename(c.stand)
			if in.Op != OpPhi && in.Op != OpNone && c.Pure(in) && c.known(in) {
				any = true
				continue
			}
			kept = append(kept, in)
		}
		blk.Instrs = kept
	}
	if any {
		f.RenamePhis(c.stand)
	}
	*m = c.cseMemory
}

// Rename lets stand[v] be read for each value v that in reads, where it is not 0.
func (in *Instr) Rename(stand []Value) {
	uses := in.Uses()
	for k := range uses {
		if v := stand[uses[k].Val]; v != 0 {
			uses[k].Val = v
		}
	}
}

// RenamePhis is Rename for the phis of f, which read what comes later in the program.
func (f *Func) RenamePhis(stand []Value) {
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if in.Op != OpPhi {
				break
			}
			in.Rename(stand)
		}
	}
}

// SameShape reports whether two instructions are of one operation and read the same values, and
// their results are of one kind. It does not look at what Ext refers to.
func (f *Func) SameShape(a, b *Instr) bool {
	if a.Op != b.Op || a.NDefs != b.NDefs || len(a.Ops) != len(b.Ops) || a.Flags != b.Flags {
		return false
	}
	for k := range a.Ops {
		x, y := a.Ops[k].Val, b.Ops[k].Val
		if k >= int(a.NDefs) {
			if x != y {
				return false
			}
		} else if f.vals[x] != f.vals[y] {
			return false
		}
	}
	return true
}

// eliminator is the state of RemoveCommon.
type eliminator struct {
	CSE
	f    *Func
	used int // slots of this epoch
	cseMemory
}

// cseMemory goes from one function to the next: the epoch goes on, so that what
// the table has of other functions is void.
type cseMemory struct {
	table []cseSlot
	epoch int32   // of the block; what is in the table from earlier ones is void
	stand []Value // by value: what stands for it, 0 itself
}

type cseSlot struct {
	epoch int32
	hash  uint64
	in    *Instr
}

func (c *eliminator) hash(in *Instr) uint64 {
	h := uint64(in.Op)<<8 | uint64(in.NDefs)
	for _, u := range in.Uses() {
		h = MixHash(h, uint64(u.Val))
	}
	if in.Op >= FirstTargetOp {
		h = MixHash(h, c.Hash(in))
	}
	return h
}

// MixHash returns a hash of which v is a part too.
func MixHash(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>31
}

// known finds an instruction equal to in and lets its results stand for those
// of in; if there is none, in is kept for others.
func (c *eliminator) known(in *Instr) bool {
	if 2*c.used >= len(c.table) {
		c.grow()
	}
	h := c.hash(in)
	s := c.slot(h, func(o *Instr) bool {
		return c.f.SameShape(o, in) && (in.Op < FirstTargetOp || c.Same(o, in))
	})
	if s.epoch != c.epoch {
		*s = cseSlot{c.epoch, h, in}
		c.used++
		return false
	}
	for k := range in.Defs() {
		c.stand[in.Ops[k].Val] = s.in.Ops[k].Val
	}
	return true
}

// slot returns the slot of what has hash h and is equal, or a free one.
func (c *eliminator) slot(h uint64, equal func(*Instr) bool) *cseSlot {
	mask := uint64(len(c.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &c.table[i]
		if s.epoch != c.epoch || s.hash == h && equal(s.in) {
			return s
		}
	}
}

func (c *eliminator) grow() {
	old := c.table
	c.table = make([]cseSlot, 2*len(old))
	for _, s := range old {
		if s.epoch == c.epoch {
			*c.slot(s.hash, func(*Instr) bool { return false }) = s
		}
	}
}
