package midgard

import "nirc/backend/midgard/isa"

// apply rewrites virtual registers to their places and drops moves to where
// the value already is.
func (a *allocator) apply() {
	f := a.f
	for b := range f.blocks {
		list := f.blocks[b].list[:0]
		for _, in := range f.blocks[b].list {
			a.rewrite(in)
			if in.isMove() && in.selfMove() {
				continue
			}
			list = append(list, in)
		}
		f.blocks[b].list = list
	}
}

func (in *inst) selfMove() bool {
	if in.src[1].reg != in.dst {
		return false
	}
	for i := range 4 {
		if in.mask>>i&1 != 0 && in.src[1].swz[i] != uint8(i) {
			return false
		}
	}
	return true
}

// rewrite replaces the registers of an instruction. The lanes of the operation move
// with the destination.
func (a *allocator) rewrite(in *inst) {
	in.eachSource(func(s *source, lanes uint8) {
		if !s.reg.virtual() {
			return
		}
		p := a.place[index(s.reg)]
		if p < 0 {
			p = int16(4 * a.floor) // read, never written
		}
		for i := range s.swz {
			s.swz[i] = min(s.swz[i]+uint8(p&3), 3)
		}
		s.reg = reg(p >> 2)
	})
	if !in.dst.virtual() {
		return
	}
	p := a.place[index(in.dst)]
	if p < 0 {
		p = int16(4 * a.floor) // written, never read
	}
	in.dst = reg(p >> 2)
	off := int(p & 3)
	if off == 0 {
		return
	}
	in.mask, in.keep = in.mask<<off&15, in.keep<<off&15
	switch in.kind {
	case kindALU:
		in.moveLanes(off)
	case kindLdSt:
		in.ld.Swizzle = shiftSwizzle(in.ld.Swizzle, off)
	case kindTex:
		in.tex.Swizzle = shiftSwizzle(in.tex.Swizzle, off)
	}
}

// moveLanes moves the lanes of the operation with the result, which has moved up
// by off components. 16-bit lanes count from the half of the register on.
func (in *inst) moveLanes(off int) {
	move := func(o source) source { return o.shifted(off) }
	switch in.half {
	case partByte:
		return // its lanes are those of the component, wherever that is
	case partBoth, partCut:
		if off&1 == 0 {
			return
		}
		move = func(o source) source { return o.place([4]uint8{2, 3, 0, 1}) }
		in.skip = in.skip>>2 | in.skip<<2&15
	}
	for i := range in.src {
		if !in.op.Is(isa.Reduce) {
			in.src[i] = move(in.src[i])
		}
	}
	if in.hasCond && in.op.Is(isa.SelectVector) {
		in.cond = move(in.cond)
		if t := in.fuse; t != nil {
			t.mask = in.lanes()
			t.src[0], t.src[1] = move(t.src[0]), move(t.src[1])
		}
	}
}

// shiftSwizzle moves the lanes of a load's swizzle up with its destination.
func shiftSwizzle(s isa.Swizzle, off int) isa.Swizzle {
	return isa.Swz(s.Lane(max(0-off, 0)), s.Lane(max(1-off, 0)), s.Lane(max(2-off, 0)), s.Lane(max(3-off, 0)))
}
