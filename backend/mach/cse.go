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
	c := eliminator{f: f, CSE: rules, cseMemory: *m}
	c.stand = slab.Zeroed(c.stand, len(f.vals))
	any := false
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		c.begin(len(blk.Instrs))
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
	mask uint32 // of the slots that the block's instructions are among
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
	hash  uint32
	in    *Instr
}

// begin makes room for the n instructions of a block. Few take few slots of a large table: those of the block before,
// which are at hand.
func (c *eliminator) begin(n int) {
	c.epoch++
	size := 16
	for size < 2*n {
		size *= 2
	}
	if size > len(c.table) {
		c.table = make([]cseSlot, size)
	}
	c.mask = uint32(size - 1)
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
	h := uint32(c.hash(in))
	for i := h & c.mask; ; i = (i + 1) & c.mask {
		s := &c.table[i]
		if s.epoch != c.epoch {
			*s = cseSlot{c.epoch, h, in}
			return false
		}
		if s.hash == h && c.f.SameShape(s.in, in) && (in.Op < FirstTargetOp || c.Same(s.in, in)) {
			for k := range in.Defs() {
				c.stand[in.Ops[k].Val] = s.in.Ops[k].Val
			}
			return true
		}
	}
}
