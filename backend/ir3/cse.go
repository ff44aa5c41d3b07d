package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// machineCSE removes instructions that compute, in the same block, what one
// before them has: selection makes addresses and descriptors for each access anew.
type machineCSE struct {
	f     *mach.Func
	code  *code
	table []cseSlot
	epoch int32
	used  int
	repl  []mach.Value // by value: what stands for it, 0 itself
}

type cseSlot struct {
	epoch int32
	hash  uint64
	in    *mach.Instr
}

// commonSubexpressions runs over all blocks of f.
func commonSubexpressions(f *mach.Func) {
	c := &machineCSE{f: f, code: templates(f), table: make([]cseSlot, 128), repl: make([]mach.Value, f.NumValues())}
	any := false
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		c.epoch++
		c.used = 0
		n := 0
		var address *mach.Instr // what wrote a0.x
		for _, in := range blk.Instrs {
			c.rewrite(in)
			if c.sameAddress(in, &address) {
				any = true
				continue
			}
			if in.Op != mach.OpPhi && c.pure(in) && c.known(in) {
				any = true
				continue
			}
			blk.Instrs[n] = in
			n++
		}
		blk.Instrs = blk.Instrs[:n]
	}
	if !any {
		return
	}
	// Phis read what comes later in the program.
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if in.Op != mach.OpPhi {
				break
			}
			c.rewrite(in)
		}
	}
}

// sameAddress reports whether in writes to a0.x what is there, and keeps address,
// the last write of it. What becomes control flow ends its life.
func (c *machineCSE) sameAddress(in *mach.Instr, address **mach.Instr) bool {
	switch {
	case in.Op >= opInputs:
		*address = nil
	case in.Op == machOp(isa.OpMova):
		if a := *address; a != nil && c.equal(a, in) {
			c.repl[in.Ops[0].Val] = a.Ops[0].Val
			return true
		}
		*address = in
	}
	return false
}

func (c *machineCSE) rewrite(in *mach.Instr) {
	uses := in.Uses()
	for i := range uses {
		if r := c.repl[uses[i].Val]; r != 0 {
			uses[i].Val = r
		}
	}
}

// pure reports whether the result depends on the sources only.
func (c *machineCSE) pure(in *mach.Instr) bool {
	for i := range in.Ops {
		if in.Ops[i].Flags != 0 {
			return false
		}
	}
	switch in.Op {
	case mach.OpCollect:
		return true
	case mach.OpSplit:
		for _, d := range in.Defs() {
			if d.Val == 0 {
				return false
			}
		}
		return true
	}
	if in.Op < mach.FirstTargetOp || in.Op >= opInputs || in.NDefs != 1 || c.f.File(in.Ops[0].Val) != fileGPR {
		return false
	}
	t := &c.code.tmpl[in.Ext]
	switch cat := t.Op.Category(); {
	case t.Op == isa.OpLdc:
		return true
	case t.Op == isa.OpMov && t.Srcs[0].Kind == isa.Imm:
		return false // selection shares them where that is good
	case t.Srcs[0].Kind == isa.RelReg:
		return false // stores come between
	case cat < 1 || cat > 4 || t.Op == isa.OpBaryF || t.Op == isa.OpFlatB:
		return false
	}
	for _, u := range in.Uses() {
		if c.f.File(u.Val) != fileGPR {
			return false
		}
	}
	return true
}

func (c *machineCSE) hash(in *mach.Instr) uint64 {
	h := uint64(in.Op)
	mix := func(v uint64) {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 31
	}
	for _, u := range in.Uses() {
		mix(uint64(u.Val))
	}
	mix(uint64(in.NDefs))
	if in.Op >= mach.FirstTargetOp {
		t := &c.code.tmpl[in.Ext]
		for _, s := range t.Srcs {
			mix(uint64(s.Kind)<<40 | uint64(s.Flags)<<32 | uint64(uint32(s.Val)))
		}
	}
	return h
}

// known finds an equal instruction before in and lets its results stand for those of in.
func (c *machineCSE) known(in *mach.Instr) bool {
	if 2*c.used >= len(c.table) {
		c.grow()
	}
	h := c.hash(in)
	mask := uint64(len(c.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &c.table[i]
		if s.epoch != c.epoch {
			*s = cseSlot{c.epoch, h, in}
			c.used++
			return false
		}
		if s.hash == h && c.equal(s.in, in) {
			for k := range in.Defs() {
				c.repl[in.Ops[k].Val] = s.in.Ops[k].Val
			}
			return true
		}
	}
}

func (c *machineCSE) equal(a, b *mach.Instr) bool {
	if a.Op != b.Op || a.NDefs != b.NDefs || len(a.Ops) != len(b.Ops) || a.Flags != b.Flags {
		return false
	}
	for k := range a.Ops {
		x, y := a.Ops[k].Val, b.Ops[k].Val
		if k < int(a.NDefs) {
			if c.f.Class(x) != c.f.Class(y) || c.f.Size(x) != c.f.Size(y) {
				return false
			}
		} else if x != y {
			return false
		}
	}
	return a.Op < mach.FirstTargetOp || c.code.tmpl[a.Ext] == c.code.tmpl[b.Ext]
}

func (c *machineCSE) grow() {
	old := c.table
	c.table = make([]cseSlot, 2*len(old))
	mask := uint64(len(c.table) - 1)
	for _, s := range old {
		if s.epoch != c.epoch {
			continue
		}
		i := s.hash & mask
		for c.table[i].epoch == c.epoch {
			i = (i + 1) & mask
		}
		c.table[i] = s
	}
}
