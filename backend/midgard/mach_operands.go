package midgard

import (
	"encoding/binary"

	"nirc/backend/midgard/isa"
	"nirc/internal/lazy"
)

// part says how wide the lanes of an operand or a result are, and where narrow
// ones stand.
type part uint8

// source is an operand.
type source struct {
	reg reg
	swz [4]uint8  // the component that lane i reads
	con [4]uint32 // regConst: the value of lane i
	// half is partLow where lanes have 16 bits: the high half of their component
	// where high has the lane's bit. All lanes that are read lie in one half of a
	// register. partByte: lanes have 8 bits, in that half the upper byte where odd
	// has the bit; they all lie in one component. A constant of such lanes has
	// the whole component in con.
	half      part
	high, odd uint8
	mod       isa.Mod
}

// fullMask is the mask of the first n components.
func fullMask(n int) uint8 { return 1<<n - 1 }

var identity = [4]uint8{0, 1, 2, 3}

func replicate(c uint8) [4]uint8 { return [4]uint8{c, c, c, c} }

// lanes is the set of lanes of the operation that are written: of 16-bit lanes
// those of the half of a register in which they lie, of bytes those of the component; a
// lane of 64 bits counts as its two words.
func (in *inst) lanes() (m uint8) {
	switch in.half {
	case partBoth, partCut:
	case partByte:
		if in.mask == 0 {
			return 0
		}
		return 15 &^ in.skip
	default:
		return in.mask
	}
	for c := range 4 {
		if in.mask>>c&1 != 0 {
			m |= 3 << (2 * (c & 1))
		}
	}
	return m &^ in.skip
}

// lanesRead is the set of lanes of source i that the instruction reads.
func (in *inst) lanesRead(i int) uint8 {
	switch {
	case in.op.Is(isa.Reduce3):
		return 7
	case in.op.Is(isa.Reduce4):
		return 15
	}
	return in.lanes()
}

// usesSource reports whether ALU source i is an operand.
func (in *inst) usesSource(i int) bool {
	if in.kind != kindALU || in.src[i].reg == regNone {
		return false
	}
	return i == 0 || !in.imm
}

// condLanes is the set of lanes of the condition that are read.
func (in *inst) condLanes() uint8 {
	if in.kind == kindALU && in.op.Is(isa.SelectVector) {
		return in.lanes()
	}
	return 8
}

// components is the set of components that lanes of a source read. The swizzle is brought into one byte, of which two lanes
// are looked up at a time: to shift a bit for each lane was an eightieth of a small shader's compile.
func (s *source) components(lanes uint8) uint8 {
	w := binary.LittleEndian.Uint32(s.swz[:]) & 0x03030303 * (1<<24 | 1<<18 | 1<<12 | 1<<6) >> 24
	return pairReads.Get()[lanes&3<<4|uint8(w)&15] | pairReads.Get()[lanes>>2&3<<4|uint8(w>>4)&15]
}

// pairReads are the components that a set of two lanes reads, at 16 times the set and the components of the lanes, of two bits each.
var pairReads = lazy.Value[*[64]uint8]{Make: func() *[64]uint8 {
	t := new([64]uint8)
	for lanes := range 4 {
		for c := range 16 {
			t[lanes<<4|c] = uint8(lanes&1<<(c&3) | lanes>>1<<(c>>2))
		}
	}
	return t
}}

// eachSource calls f for every source in a register, with the lanes read.
func (in *inst) eachSource(f func(s *source, lanes uint8)) {
	each := func(s *source, lanes uint8) {
		if s.reg != regNone && s.reg != regConst {
			f(s, lanes)
		}
	}
	if in.kind == kindALU {
		for i := range in.src {
			if in.usesSource(i) {
				each(&in.src[i], in.lanesRead(i))
			}
		}
	}
	switch {
	case in.fuse != nil:
		in.fuse.eachSource(f)
	case in.hasCond:
		each(&in.cond, in.condLanes())
	}
	if w := in.wo; w != nil {
		each(&w.color, w.rest)
		for _, m := range w.make {
			if m != nil {
				m.eachSource(f)
			}
		}
		each(&w.dual, 15)
		each(&w.depth, 1)
		each(&w.stencil, 2)
	}
}

// maxUses is how many entries uses makes at most: a writeout's colour, two a
// unit of what makes it, second colour, depth and stencil.
const maxUses = 1 + 2*int(isa.NumALUUnits) + 3

// uses appends the registers that the instruction reads, with the components
// read; a register may stand there several times. The list must have room for
// maxUses: every walk over a program asks.
func (in *inst) uses(list []liveReg) []liveReg {
	switch in.kind {
	case kindALU:
		list = in.sourceUses(list)
		if !in.hasCond && in.keep == 0 {
			return list
		}
	case kindLdSt:
		return ldstUses(&in.ld, list)
	case kindTex:
		return in.texUses(list)
	}
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
				list = fromOutside(m.sourceUses(list), len(list))
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

// fromOutside drops the uses from the n-th on that are of a pipeline register, which the same bundle fills.
func fromOutside(list []liveReg, n int) []liveReg {
	for _, u := range list[n:] {
		if u.r != isa.RegPipe0 {
			list[n] = u
			n++
		}
	}
	return list[:n]
}

// sourceUses appends what the sources of an ALU instruction read, for which there must be room: append, which may have to make
// some, costs as much again.
func (in *inst) sourceUses(list []liveReg) []liveReg {
	lanes := in.mask // of what most instructions are
	if in.half >= partBoth || in.op.Is(isa.Reduce) {
		lanes = in.lanesRead(0) // the same of both
	}
	n := len(list)
	list = list[:n+2]
	if s := &in.src[0]; s.inRegister() {
		list[n] = liveReg{s.reg, s.components(lanes)}
		n++
	}
	if s := &in.src[1]; !in.imm && s.inRegister() {
		list[n] = liveReg{s.reg, s.components(lanes)}
		n++
	}
	return list[:n]
}

// inRegister reports whether the source is neither absent nor a constant.
func (s *source) inRegister() bool { return s.reg != regNone && s.reg != regConst }

// use appends what lanes of a source read, if that is in a register.
func (s *source) use(list []liveReg, lanes uint8) []liveReg {
	if !s.inRegister() {
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
		list = append(list, liveReg{regLd0 + reg(l.Reg), storedComps(l, info)})
	}
	return list
}

// storedComps are the components of its register that a store reads. A bit of a memory store's mask is a quarter of what it stores.
func storedComps(l *isa.LoadStore, info *isa.LdInfo) (comps uint8) {
	bits := 1
	if info.Kind == isa.KindStore && !faults.has(faultStaleInput) {
		bits = max(4*4/int(max(info.Size, 4)), 1)
	}
	for i := range 4 / bits {
		if l.Mask>>(i*bits)&(1<<bits-1) != 0 {
			comps |= 1 << l.Swizzle.Lane(i)
		}
	}
	return comps
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
