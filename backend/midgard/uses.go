package midgard

import "nirc/backend/midgard/isa"

// maxUses is how many entries uses makes at most: a writeout's colour, two a
// unit of what makes it, second colour, depth and stencil.
const maxUses = 1 + 2*int(isa.NumALUUnits) + 3

// uses appends the registers that the instruction reads, with the components
// read; a register may stand there several times. Where list has room for
// maxUses nothing is allocated: every walk over a program asks.
func (in *inst) uses(list []liveReg) []liveReg {
	switch in.kind {
	case kindLdSt:
		return ldstUses(&in.ld, list)
	case kindTex:
		return in.texUses(list)
	}
	list = in.sourceUses(list)
	switch {
	case in.fuse != nil:
		list = in.fuse.sourceUses(list) // a comparison: it has no condition itself
	case in.hasCond:
		list = in.cond.use(list, in.condLanes())
	}
	if w := in.wo; w != nil {
		list = w.color.use(list, w.rest)
		for _, m := range w.make {
			if m != nil {
				list = m.sourceUses(list)
			}
		}
		list = w.dual.use(list, 15)
		list = w.depth.use(list, 1)
		list = w.stencil.use(list, 2)
	}
	if in.keep != 0 {
		list = append(list, liveReg{in.dst, in.keep})
	}
	return list
}

// sourceUses appends what the sources of an ALU instruction read.
func (in *inst) sourceUses(list []liveReg) []liveReg {
	if in.kind != kindALU {
		return list
	}
	lanes := in.lanesRead(0) // the same of both
	list = in.src[0].use(list, lanes)
	if in.imm {
		return list
	}
	return in.src[1].use(list, lanes)
}

// use appends what lanes of a source read, if that is in a register.
func (s *source) use(list []liveReg, lanes uint8) []liveReg {
	if s.reg == regNone || s.reg == regConst {
		return list
	}
	return append(list, liveReg{s.reg, s.components(lanes)})
}

// reads calls f for every register that the instruction reads, with the
// components read.
func (in *inst) reads(f func(r reg, comps uint8)) {
	var buf [maxUses]liveReg
	for _, u := range in.uses(buf[:0]) {
		f(u.r, u.m)
	}
}

// ldstUses are the machine registers that a load/store reads.
func ldstUses(l *isa.LoadStore, list []liveReg) []liveReg {
	info := l.Op.Info()
	switch info.Kind {
	case isa.KindLoad, isa.KindStore, isa.KindAtomic, isa.KindCmpXchg, isa.KindLea:
		list = addrUse(list, l.Arg, wide(l.Toggle))
		list = addrUse(list, l.Index, wide(l.Format == isa.IndexU64))
		if info.Atomic != isa.AtomicNone {
			list = addrUse(list, l.AtomicSrc(), uint8(info.Size/4))
			if info.Kind == isa.KindCmpXchg && info.Size == 8 {
				list = addrUse(list, l.Index, 2) // the comparand
			}
		}
	case isa.KindImage, isa.KindStImage, isa.KindLeaImage:
		list = addrUse(list, l.Arg, wide(l.Toggle))
		list = addrUse(list, l.Index, 1)
	case isa.KindCube, isa.KindPersp:
		list = addrUse(list, isa.AddrReg{Reg: l.Arg.Reg}, 4)
	case isa.KindUbo, isa.KindAttr, isa.KindVary, isa.KindSpecial, isa.KindStVary:
		list = addrUse(list, l.Index, 1)
	}
	if l.Op.Store() {
		var m uint8
		for i := range 4 {
			if l.Mask>>i&1 != 0 {
				m |= 1 << l.Swizzle.Lane(i)
			}
		}
		list = append(list, liveReg{regLd0 + reg(l.Reg), m})
	}
	return list
}

// addrUse appends an address of n components from a's on, if it is in an input.
func addrUse(list []liveReg, a isa.AddrReg, n uint8) []liveReg {
	if a.Reg > 1 {
		return list
	}
	return append(list, liveReg{regLd0 + reg(a.Reg), (1<<n - 1) << a.Comp})
}

// wide is the number of components of an address that may be 64 bits wide.
func wide(b bool) uint8 {
	if b {
		return 2
	}
	return 1
}

// texUses are the machine registers that a texture instruction reads: the
// inputs that it may take something from. Where results land in work registers
// the inputs are those of load/store.
func (in *inst) texUses(list []liveReg) []liveReg {
	first := regTexIn0
	switch {
	case in.tex.Op == isa.TexBarrier:
		return list
	case in.dst < 16:
		first = regLd0
	}
	coords := uint8(0)
	for i := range 4 {
		coords |= 1 << in.tex.CoordSwizzle.Lane(i)
	}
	list = append(list, liveReg{first + reg(in.tex.CoordSel), coords})
	if in.tex.LodReg || in.tex.OffsetReg || in.tex.TextureReg || in.tex.SamplerReg {
		list = append(list, liveReg{first + 1, 15})
	}
	return list
}
