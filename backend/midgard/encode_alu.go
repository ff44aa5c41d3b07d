package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/internal/lazy"
)

// conditionMove is what brings a select's or branch's condition to r31.
func (in *inst) conditionMove() *inst {
	if in.fuse != nil {
		return in.fuse
	}
	mv := &inst{op: isa.OpImov, dst: regCond, mask: in.condLanes(), out: isa.OutKeepLow}
	mv.src = [2]source{{reg: regNone}, in.cond}
	if in.half == partByte && in.op.Is(isa.SelectVector) {
		// The select's lanes have 16 bits, and the condition's stand where they do.
		mv.half, mv.skip = partBoth, 15&^mv.mask
		mv.mask = 3 << (2 * in.group())
	}
	return mv
}

// number is a register as an instruction word names it.
func (r reg) number() uint8 {
	switch r {
	case regTexOut0, regTexOut1:
		return uint8(r-regTexOut0) + isa.RegTex0
	case regPC:
		return isa.RegCond
	case regConst:
		return isa.RegConst
	}
	return uint8(r)
}

// word forms an instruction for a unit.
func (b *bundle) word(u isa.Unit, in *inst) isa.ALU {
	if u.Scalar() {
		return b.scalarWord(in)
	}
	mode := isa.Mode32
	switch {
	case in.half == partWide || in.half == partCut:
		return b.wideWord(in)
	case in.halfMode():
		mode = isa.Mode16
	}
	a := isa.Vector(in.op, mode, in.dst.number(), isa.LaneMask(isa.Mode32, uint16(in.lanes())))
	a.Out = in.out
	upper := in.component() >> 1 // which half of the register
	switch {
	case in.half == partByte:
		a.Mask = in.lanes() << (4 * in.group())
		a.Shrink = isa.Shrink(upper)
	case mode == isa.Mode16:
		a.Mask = in.lanes() << (4 * in.group())
	case in.half == partBoth:
		a.Shrink = isa.Shrink(upper)
	case in.half != partFull:
		// One lane: that of the operation is that of the 16-bit result in its half.
		e := 2 * in.component()
		if in.half == partHigh {
			e++
		}
		a.Mask = isa.LaneMask(isa.Mode32, 1<<(e&3))
		a.Shrink = isa.Shrink(e >> 2)
	}
	for i := range in.src {
		if in.usesSource(i) {
			a = a.From(i, b.vectorSource(in, i, mode))
		}
	}
	if in.imm {
		a = a.Inline(in.con)
	}
	return a
}

// component is the first component that the instruction writes.
func (in *inst) component() int {
	for c := range 4 {
		if in.mask>>c&1 != 0 {
			return c
		}
	}
	return 0
}

// halfModes are the operations that run on lanes of 16 bits, where all operands
// have these, as they do on wider ones.
var halfModes = lazy.Value[*[256]bool]{Make: func() *[256]bool {
	is := new([256]bool)
	for _, op := range []isa.Op{
		isa.OpFadd, isa.OpFmul, isa.OpFmin, isa.OpFmax, isa.OpFmov, isa.OpFfloor, isa.OpFceil, isa.OpFtrunc, isa.OpFroundeven,
		isa.OpIadd, isa.OpIsub, isa.OpImul, isa.OpImin, isa.OpImax, isa.OpUmin, isa.OpUmax,
		isa.OpIand, isa.OpIor, isa.OpIxor, isa.OpInor, isa.OpInand, isa.OpIandnot, isa.OpIornot, isa.OpInxor, isa.OpImov,
	} {
		is[op] = true
	}
	return is
}}

// group is which four of the eight lanes of a 16-bit operation the instruction
// is: the result's are those of its half of the register, and of bytes those of its
// component in the half.
func (in *inst) group() int {
	if in.half == partByte {
		return in.component() & 1
	}
	return in.component() >> 1
}

// readsBytes reports whether an operand has lanes of 8 bits.
func (in *inst) readsBytes() bool {
	return in.usesSource(0) && in.src[0].half == partByte || in.usesSource(1) && in.src[1].half == partByte
}

// halfMode reports whether the instruction is encoded with lanes of 16 bits, as all with
// bytes are; else its operands are expanded to 32 bits and the result is shrunk.
func (in *inst) halfMode() bool {
	if in.half == partByte || in.half == partBoth && in.readsBytes() {
		return true
	}
	if in.half != partBoth || !halfModes.Get()[in.op] || in.out == isa.OutKeepHigh && !in.op.Is(isa.FloatDst) {
		return false
	}
	for i := range in.src {
		s := &in.src[i]
		if !in.usesSource(i) {
			continue
		}
		if s.half == partFull || !in.op.Is(isa.FloatSrc) && s.mod != isa.ModSext && s.mod != isa.ModZext {
			return false
		}
		// What compares reads numbers: they must be those of the wide operation.
		switch in.op {
		case isa.OpImin, isa.OpImax:
			if s.mod != isa.ModSext {
				return false
			}
		case isa.OpUmin, isa.OpUmax:
			if s.mod != isa.ModZext {
				return false
			}
		}
	}
	return !in.imm || in.op.Is(isa.FloatSrc) || in.op != isa.OpUmin && in.op != isa.OpUmax
}

func (b *bundle) vectorSource(in *inst, i int, mode isa.Mode) isa.Source {
	s := &in.src[i]
	lanes := in.lanesRead(i)
	var sel [4]uint8
	used := 0
	for k := 3; k >= 0; k-- {
		if lanes>>k&1 == 0 {
			continue
		}
		used = k
		switch {
		case s.half == partByte:
			sel[k] = 2*(s.high>>k&1) + s.odd>>k&1
		case s.reg == regConst:
			sel[k] = b.constSlot(s.con[k])
		case s.half != partFull:
			sel[k] = 2*s.swz[k] + s.high>>k&1
		default:
			sel[k] = s.swz[k]
		}
	}
	for k := range 4 {
		if lanes>>k&1 == 0 || (in.half == partLow || in.half == partHigh) && !in.op.Is(isa.Reduce) {
			sel[k] = sel[used]
		}
	}
	o := isa.Source{Reg: s.reg.number(), Mod: s.mod}
	switch {
	case s.half == partByte:
		c := int(s.swz[used])
		if s.reg == regConst {
			c = int(b.constSlot(s.con[used]))
		}
		o.Expand = byteExpand(c, in.group())
	case s.half != partFull:
		upper := isa.Expand(sel[used] >> 2)
		o.Expand = isa.ExpandLow + upper
		if mode == isa.Mode16 {
			o.Expand = isa.ExpandRepLow + upper
			if !in.op.Is(isa.FloatSrc) {
				o.Mod = 0
			}
		}
	}
	o.Swizzle = isa.Swz(int(sel[0]), int(sel[1]), int(sel[2]), int(sel[3]))
	return o
}

// byteExpand brings the bytes of a component to a group of four lanes of an
// operation on 16 bits (midgard.md §3.2): the lanes 4 to 7 come from the component beside that
// of lanes 0 to 3, and the halves of the operand may be exchanged.
func byteExpand(component, group int) isa.Expand {
	e := isa.ExpandLow
	if (component^group)&1 != 0 {
		e = isa.ExpandLowSwapped
	}
	return e + isa.Expand(component>>1)
}

// constSlot is the component of the bundle's constants that holds v.
func (b *bundle) constSlot(v uint32) uint8 {
	for i, w := range b.consts[:b.nconst] {
		if w == v {
			return uint8(i)
		}
	}
	return 0
}

func (b *bundle) scalarWord(in *inst) isa.ALU {
	c := in.component()
	a := isa.Scalar(in.op, in.dst.number(), c)
	a.Out = in.out
	if in.half != partFull {
		a.DstFull = false
		if in.half == partHigh {
			a.DstComp++
		}
	}
	for i := range in.src {
		if !in.usesSource(i) {
			continue
		}
		s := &in.src[i]
		k := s.swz[c]
		if s.reg == regConst {
			k = b.constSlot(s.con[c])
		}
		o := isa.SReg(s.reg.number(), int(k))
		o.Mod = s.mod
		if s.half != partFull {
			o.Full = false
			o.Comp += s.high >> c & 1
		}
		a = a.From(i, o)
	}
	if in.imm {
		a = a.Inline(in.con)
	}
	return a
}
