package mach

import (
	"nirc/internal/parcopy"
	"nirc/internal/slab"
)

// LowerTied gives every tied result a source of its own that dies there, by
// copies. It runs before Allocate.
func LowerTied(f *Func) {
	if !f.anyTied() {
		return
	}
	ComputeLiveness(f)
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		var out []*Instr
		for i, in := range blk.Instrs {
			for _, d := range in.Defs() {
				if d.Flags&Tied == 0 || d.Val == 0 {
					continue
				}
				u := &in.Uses()[d.Tie]
				if u.Flags&Kill != 0 && usedOnce(in, u.Val) {
					continue
				}
				if out == nil {
					out = append(make([]*Instr, 0, len(blk.Instrs)+4), blk.Instrs[:i]...)
				}
				cp := f.NewInstr(OpCopy, 1, 1)
				cp.Loc = in.Loc
				cp.Ops[0].Val, cp.Ops[1].Val = f.Clone(u.Val), u.Val
				u.Val = cp.Ops[0].Val
				out = append(out, cp)
			}
			if out != nil {
				out = append(out, in)
			}
		}
		if out != nil {
			blk.Instrs = out
		}
	}
}

// anyTied reports whether an instruction has a tied result.
func (f *Func) anyTied() bool {
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			for _, d := range in.Defs() {
				if d.Flags&Tied != 0 {
					return true
				}
			}
		}
	}
	return false
}

func usedOnce(in *Instr, v Value) bool {
	n := 0
	for _, u := range in.Uses() {
		if u.Val == v {
			n++
		}
	}
	return n == 1
}

// copier writes parallel copies out, between registers in units counted over all files.
type copier struct {
	f      *Func
	base   [maxFiles]int
	copies parcopy.Copies
	out    []*Instr
	loc    uint32
	undef  []bool // by value: of any content, so that nothing needs to be moved
	undefs bool   // there are such
}

// LowerCopies replaces the copies, collects, splits and parallel copies of an allocated
// function by OpMove and OpSwap of single elements, and drops phis and undefs. What is undefined
// is not moved: the move would read what nobody wrote, and may wait for it.
func LowerCopies(f *Func) {
	c := &f.mem.copies
	c.f = f
	units := 0
	for i := range f.files {
		c.base[i] = units
		units += f.files[i].Units
	}
	c.copies.Begin(units)
	c.undefs = false
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		c.out = f.mem.room(len(blk.Instrs))
		for _, in := range blk.Instrs {
			c.instr(in)
		}
		blk.Instrs = c.out
	}
	c.f, c.out = nil, nil
}

func (c *copier) instr(in *Instr) {
	c.loc = in.Loc
	switch in.Op {
	case OpPhi, OpNone:
	case OpUndef:
		if !c.undefs {
			c.undef, c.undefs = slab.Zeroed(c.undef, len(c.f.vals)), true
		}
		c.undef[in.Ops[0].Val] = true
	case OpCopy, OpPcopy:
		for i := range in.Defs() {
			c.add(&in.Defs()[i], &in.Uses()[i], 0, 0)
		}
		c.copies.Flush(c)
	case OpCollect:
		off := 0
		for i := range in.Uses() {
			u := &in.Uses()[i]
			_, n := c.f.operandShape(u)
			c.add(&in.Ops[0], u, off, 0)
			off += n
		}
		c.copies.Flush(c)
	case OpSplit:
		_, n := c.f.operandShape(&in.Uses()[0])
		n /= int(in.NDefs)
		for i := range in.Defs() {
			if d := &in.Ops[i]; d.Val != 0 && d.Flags&Dead == 0 {
				c.add(d, &in.Uses()[0], 0, i*n)
			}
		}
		c.copies.Flush(c)
	default:
		c.out = append(c.out, in)
	}
}

// add queues the copy of src from srcOff on to dst from dstOff on, as long as
// the shorter of both.
func (c *copier) add(dst, src *Operand, dstOff, srcOff int) {
	if src.Reg == NoReg || dst.Reg == NoReg || c.undefs && c.undef[src.Val] {
		return
	}
	dc, dn := c.f.operandShape(dst)
	sc, sn := c.f.operandShape(src)
	d := c.base[c.f.classes[dc].File] + int(dst.Reg) + dstOff
	s := c.base[c.f.classes[sc].File] + int(src.Reg) + srcOff
	elem := int(min(c.f.classes[dc].Elem, c.f.classes[sc].Elem))
	for i := 0; i < min(dn-dstOff, sn-srcOff); i += elem {
		if d+i != s+i {
			c.copies.Add(int32(d+i), int32(s+i), uint8(elem))
		}
	}
}

// Move is the move of a copy.
func (c *copier) Move(_ int, dst, src int32, size uint8) {
	mv := c.f.NewInstr(OpMove, 1, 1)
	c.physical(&mv.Ops[0], int(dst), size)
	c.physical(&mv.Ops[1], int(src), size)
	mv.Loc = c.loc
	c.out = append(c.out, mv)
}

// Break swaps one copy of a cycle into place.
func (c *copier) Break(dst, src int32, size uint8) (beside int32, exchanged bool) {
	sw := c.f.NewInstr(OpSwap, 2, 0)
	c.physical(&sw.Ops[0], int(dst), size)
	c.physical(&sw.Ops[1], int(src), size)
	sw.Loc = c.loc
	c.out = append(c.out, sw)
	return 0, true
}

// physical makes o the register at a unit counted over all files.
func (c *copier) physical(o *Operand, unit int, size uint8) {
	file := 0
	for file+1 < len(c.f.files) && unit >= c.base[file+1] {
		file++
	}
	o.Reg, o.Size = Reg(unit-c.base[file]), size
	for k := range c.f.classes {
		if cl := &c.f.classes[k]; int(cl.File) == file && cl.Elem == size {
			o.Class = uint8(k)
			break
		}
	}
}
