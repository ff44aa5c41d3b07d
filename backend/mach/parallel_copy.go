package mach

import "nirc/internal/slab"

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

// copyEntry is one pending move between registers, in units counted over all files.
type copyEntry struct {
	dst, src uint16
	size     uint8
	done     bool
}

// copier puts parallel copies in sequence.
type copier struct {
	f       *Func
	base    [maxFiles]int
	readers []uint8 // by unit: entries that still read it
	entries []copyEntry
	ready   []int32
	writer  []int32 // by unit: the entry that writes it, plus 1
	out     []*Instr
	loc     uint32
	undef   []bool // by value: of any content, so that nothing needs to be moved
	undefs  bool   // there are such
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
	c.readers, c.writer = slab.Zeroed(c.readers, units), slab.Zeroed(c.writer, units)
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
		c.flush()
	case OpCollect:
		off := 0
		for i := range in.Uses() {
			u := &in.Uses()[i]
			_, n := c.f.operandShape(u)
			c.add(&in.Ops[0], u, off, 0)
			off += n
		}
		c.flush()
	case OpSplit:
		_, n := c.f.operandShape(&in.Uses()[0])
		n /= int(in.NDefs)
		for i := range in.Defs() {
			if d := &in.Ops[i]; d.Val != 0 && d.Flags&Dead == 0 {
				c.add(d, &in.Uses()[0], 0, i*n)
			}
		}
		c.flush()
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
			c.entries = append(c.entries, copyEntry{uint16(d + i), uint16(s + i), uint8(elem), false})
		}
	}
}

// flush emits the queued copies as a sequence.
func (c *copier) flush() {
	for i := range c.entries {
		e := &c.entries[i]
		for k := range uint16(e.size) {
			c.readers[e.src+k]++
			c.writer[e.dst+k] = int32(i + 1)
		}
	}
	c.ready = c.ready[:0]
	for i := range c.entries {
		c.enqueue(int32(i))
	}
	for {
		for len(c.ready) > 0 {
			i := c.ready[len(c.ready)-1]
			c.ready = c.ready[:len(c.ready)-1]
			c.emit(i)
		}
		if !c.splitBlocked() && !c.breakCycle() {
			break
		}
	}
	for _, e := range c.entries {
		for k := range uint16(e.size) {
			c.writer[e.dst+k] = 0
		}
	}
	c.entries = c.entries[:0]
}

// enqueue puts entry i on the ready list if nobody reads what it overwrites.
func (c *copier) enqueue(i int32) {
	e := &c.entries[i]
	if e.done {
		return
	}
	for k := range uint16(e.size) {
		if c.readers[e.dst+k] != 0 {
			return
		}
	}
	for _, r := range c.ready {
		if r == i {
			return
		}
	}
	c.ready = append(c.ready, i)
}

// emit moves entry i, whose destination is free, and wakes those that waited.
func (c *copier) emit(i int32) {
	e := &c.entries[i]
	mv := c.f.NewInstr(OpMove, 1, 1)
	c.physical(&mv.Ops[0], int(e.dst), e.size)
	c.physical(&mv.Ops[1], int(e.src), e.size)
	mv.Loc = c.loc
	c.out = append(c.out, mv)
	c.retire(i)
}

func (c *copier) retire(i int32) {
	e := &c.entries[i]
	e.done = true
	for k := range uint16(e.size) {
		c.readers[e.src+k]--
	}
	for k := range uint16(e.size) {
		if w := c.writer[e.src+k]; w != 0 && c.readers[e.src+k] == 0 {
			c.enqueue(w - 1)
		}
	}
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

// splitBlocked cuts entries of two units that are blocked in one of them only.
func (c *copier) splitBlocked() bool {
	for i := range c.entries {
		e := &c.entries[i]
		if e.done || e.size < 2 {
			continue
		}
		free := 0
		for k := range uint16(e.size) {
			if c.readers[e.dst+k] == 0 {
				free++
			}
		}
		if free == 0 {
			continue
		}
		size := uint16(e.size)
		e.size = 1
		for k := uint16(1); k < size; k++ {
			e = &c.entries[i]
			c.entries = append(c.entries, copyEntry{e.dst + k, e.src + k, 1, false})
			c.writer[e.dst+k] = int32(len(c.entries))
			c.enqueue(int32(len(c.entries) - 1))
		}
		c.enqueue(int32(i))
		return true
	}
	return false
}

// breakCycle swaps one entry of a cycle into place. Only cycles are left: all
// destinations are read, each once.
func (c *copier) breakCycle() bool {
	for i := range c.entries {
		e := c.entries[i]
		if e.done {
			continue
		}
		sw := c.f.NewInstr(OpSwap, 2, 0)
		c.physical(&sw.Ops[0], int(e.dst), e.size)
		c.physical(&sw.Ops[1], int(e.src), e.size)
		sw.Loc = c.loc
		c.out = append(c.out, sw)
		c.entries[i].done = true
		for k := range uint16(e.size) {
			c.readers[e.src+k]--
		}
		c.redirect(&e)
		return true
	}
	return false
}

// redirect makes the entries that read e's destination read its source,
// where the swap has put their value.
func (c *copier) redirect(e *copyEntry) {
	for j := 0; j < len(c.entries); j++ {
		o := &c.entries[j]
		if o.done || o.src+uint16(o.size) <= e.dst || o.src >= e.dst+uint16(e.size) {
			continue
		}
		if o.size > e.size {
			c.cut(j)
			o = &c.entries[j]
			if o.src < e.dst || o.src >= e.dst+uint16(e.size) {
				continue // the other piece, further on in the list, is meant
			}
		}
		for k := range uint16(o.size) {
			c.readers[o.src+k]--
		}
		o.src += e.src - e.dst
		for k := range uint16(o.size) {
			c.readers[o.src+k]++
		}
		if o.src == o.dst {
			c.retire(int32(j))
		}
	}
}

// cut splits entry i into single units.
func (c *copier) cut(i int) {
	size := uint16(c.entries[i].size)
	c.entries[i].size = 1
	for k := uint16(1); k < size; k++ {
		e := c.entries[i]
		c.entries = append(c.entries, copyEntry{e.dst + k, e.src + k, 1, false})
		c.writer[e.dst+k] = int32(len(c.entries))
	}
}
