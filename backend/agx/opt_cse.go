package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

// cse removes instructions of a block that compute what an earlier one has
// computed, where the result depends on operands alone.
func cse(f *mach.Func) {
	c := &eliminator{f: f, code: templates(f), rename: make([]mach.Value, f.NumValues())}
	any := false
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		c.reset(len(blk.Instrs))
		kept := blk.Instrs[:0]
		for _, in := range blk.Instrs {
			c.uses(in)
			if c.pure(in) {
				if same := c.find(in); same != nil {
					c.rename[in.Ops[0].Val] = same.Ops[0].Val
					any = true
					continue
				}
			}
			kept = append(kept, in)
		}
		blk.Instrs = kept
	}
	if !any {
		return
	}
	// Phis read values of blocks that come later.
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if in.Op != mach.OpPhi {
				break
			}
			c.uses(in)
		}
	}
}

// eliminator is the state of a function under way.
type eliminator struct {
	f      *mach.Func
	code   *code
	rename []mach.Value // by value: what stands for it, 0 itself
	table  []*mach.Instr
	mask   uint32
}

// reset empties the table for a block of n instructions.
func (c *eliminator) reset(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if size > len(c.table) {
		c.table = make([]*mach.Instr, size)
	}
	clear(c.table[:size])
	c.mask = uint32(size - 1)
}

// uses replaces the operands that stand for others.
func (c *eliminator) uses(in *mach.Instr) {
	uses := in.Uses()
	for k := range uses {
		if v := c.rename[uses[k].Val]; v != 0 {
			uses[k].Val = v
		}
	}
}

// pure reports whether an instruction's result depends on its operands alone.
// Immediates and uniforms stay where they are: sharing one costs a move when it is
// part of a vector.
func (c *eliminator) pure(in *mach.Instr) bool {
	if in.Op < mach.FirstTargetOp || in.Op >= opInputs || in.NDefs != 1 || in.Ops[0].Flags&(mach.Tied|mach.Fixed|mach.Early) != 0 {
		return false
	}
	switch op := isaOp(in.Op); op {
	case isa.OpMovImm16, isa.OpMovImm32:
		return false
	case isa.OpBitop:
		return len(in.Uses()) > 0 // else it moves a uniform
	case isa.OpGetSR:
		return invariantSR(c.code.tmpl[in.Ext].Srcs[0].Val)
	default:
		return op.Traits() == 0
	}
}

// find returns an instruction that computes the same, or keeps in for others.
func (c *eliminator) find(in *mach.Instr) *mach.Instr {
	h := uint32(in.Op)
	for _, u := range in.Uses() {
		h = (h ^ uint32(u.Val)) * 16777619
	}
	t := &c.code.tmpl[in.Ext]
	for i := range t.Srcs {
		h = (h ^ uint32(t.Srcs[i].Val) ^ uint32(t.Srcs[i].Kind)<<16) * 16777619
	}
	for k := h ^ h>>15; ; k++ {
		o := c.table[k&c.mask]
		if o == nil {
			c.table[k&c.mask] = in
			return nil
		}
		if c.same(o, in) {
			return o
		}
	}
}

func (c *eliminator) same(a, b *mach.Instr) bool {
	if a.Op != b.Op || len(a.Ops) != len(b.Ops) || c.code.tmpl[a.Ext] != c.code.tmpl[b.Ext] {
		return false
	}
	x, y := a.Ops[0].Val, b.Ops[0].Val
	if c.f.Class(x) != c.f.Class(y) || c.f.Size(x) != c.f.Size(y) {
		return false
	}
	for i, u := range a.Uses() {
		if u.Val != b.Uses()[i].Val {
			return false
		}
	}
	return true
}
