package isa

import "fmt"

// Registers that an ALU instruction can name besides the work registers 0 to
// 15 and the uniform registers (midgard.md §1.2).
const (
	RegPipe0 = 24 // pipeline register; as a source also "no operand", as a destination also "discard"
	RegPipe1 = 25 // pipeline register
	RegConst = 26 // source: the constants of the bundle; destination: load/store input 0
	RegLdSt1 = 27 // destination: load/store input 1
	RegTex0  = 28 // source: texture result 0; destination: texture input 0
	RegTex1  = 29 // source: texture result 1; destination: texture input 1
	RegCond  = 31 // source: program counter and stack pointer; destination: the condition
)

// Mode is the width of the lanes of a vector instruction.
type Mode uint8

// The register modes.
const (
	Mode8 Mode = iota
	Mode16
	Mode32
	Mode64
)

// Bits is the width of a lane.
func (m Mode) Bits() int { return 8 << (m & 3) }

// Lanes is the number of lanes.
func (m Mode) Lanes() int { return 16 >> (m & 3) }

// Expand is how a vector source's lanes are found (midgard.md §3.2).
type Expand uint8

// The expand modes.
const (
	ExpandNone        Expand = iota
	ExpandRepLow             // both halves from the low 64 bits (8, 16)
	ExpandRepHigh            // both halves from the high 64 bits (8, 16)
	ExpandSwap               // halves exchanged (8, 16)
	ExpandLow                // the low 64 bits, widened (16, 32, 64)
	ExpandHigh               // the high 64 bits, widened (16, 32, 64)
	ExpandLowSwapped         // widened, then halves exchanged (16)
	ExpandHighSwapped        // widened, then halves exchanged (16)
)

// Widens reports whether the source has half the width of the operation.
func (e Expand) Widens() bool { return e >= ExpandLow }

// Shrink is how a vector result is written.
type Shrink uint8

// The shrink modes.
const (
	ShrinkLow      Shrink = iota // half width, to the low 64 bits
	ShrinkHigh                   // half width, to the high 64 bits
	ShrinkNone                   // full width
	ShrinkReserved               // not known
)

// Mod is a source modifier. Of a float operation bit 0 is abs and bit 1 is neg;
// of an integer operation it says how a half-width source is widened.
type Mod uint8

// The source modifiers.
const (
	ModAbs       Mod = 1
	ModNeg       Mod = 2
	ModSext      Mod = 0 // sign-extend
	ModZext      Mod = 1 // zero-extend
	ModReplicate Mod = 2 // the half in both halves
	ModShift     Mod = 3 // the half in the upper half, zeros below
)

// OutMod is an output modifier: one family for float results, one for integer
// results, which need ModKeepLow when they are of full width.
type OutMod uint8

// The output modifiers.
const (
	OutNone     OutMod = 0
	OutPositive OutMod = 1 // max(v, 0)
	OutSigned1  OutMod = 2 // clamp to [-1, 1]
	OutSaturate OutMod = 3 // clamp to [0, 1]
	OutSsat     OutMod = 0 // integer: signed saturation
	OutUsat     OutMod = 1 // integer: unsigned saturation
	OutKeepLow  OutMod = 2 // integer: the low half, and every full-width result
	OutKeepHigh OutMod = 3 // integer: the high half
)

// Swizzle is four 2-bit selectors, that of lane 0 in the low bits.
type Swizzle uint8

// XYZW selects each component for itself.
const XYZW Swizzle = 0xe4

// Swz makes a swizzle.
func Swz(x, y, z, w int) Swizzle {
	return Swizzle(x&3 | y&3<<2 | z&3<<4 | w&3<<6)
}

// Rep makes the swizzle that selects one component for all lanes.
func Rep(c int) Swizzle { return Swz(c, c, c, c) }

// Lane is the selector of lane i.
func (s Swizzle) Lane(i int) int { return int(s>>(2*(i&3))) & 3 }

// With replaces the selector of lane i.
func (s Swizzle) With(i, c int) Swizzle {
	i = 2 * (i & 3)
	return s&^(3<<i) | Swizzle(c&3)<<i
}

// Source is an operand of an ALU instruction.
type Source struct {
	Reg uint8
	Mod Mod
	// Vector units.
	Expand  Expand
	Swizzle Swizzle
	// Scalar units: the component in 16-bit units (2c for the 32-bit component c)
	// and whether it is 32 bits wide.
	Comp uint8
	Full bool
}

// FullMask writes all lanes of any mode.
const FullMask uint8 = 0xff

// ALU is one ALU instruction. Which members count depends on its unit: Mode,
// Mask, Shrink and the sources' Expand and Swizzle on VMUL, VADD and LUT; DstComp,
// DstFull and the sources' Comp and Full on SADD and SMUL. The others are zero.
type ALU struct {
	Op     Op
	Mode   Mode
	Dst    uint8
	Mask   uint8 // a bit per 16 bits of the operation's lanes
	Shrink Shrink
	Out    OutMod
	// DstComp is the component of a scalar result in 16-bit units.
	DstComp uint8
	DstFull bool
	// Imm: source 2 is the constant Const: an IEEE half for float
	// operations, else a sign-extended integer.
	Imm   bool
	Const uint16
	// Reserved keeps bits 20:25 of a scalar word, zero in all known code.
	Reserved uint8
	Src      [2]Source
}

func (a *ALU) op() *Op           { return &a.Op }
func (a *ALU) src(i int) *Source { return &a.Src[i] }

var regFields = []field[ALU]{
	num("src1.reg", 0, 5, func(a *ALU) *uint8 { return &a.Src[0].Reg }),
	num("dst", 10, 5, func(a *ALU) *uint8 { return &a.Dst }),
	flag("imm", 15, func(a *ALU) *bool { return &a.Imm }),
}

var vectorFields = []field[ALU]{
	num("op", 0, 8, (*ALU).op),
	num("mode", 8, 2, func(a *ALU) *Mode { return &a.Mode }),
	num("src1.mod", 10, 2, func(a *ALU) *Mod { return &a.src(0).Mod }),
	num("src1.expand", 12, 3, func(a *ALU) *Expand { return &a.src(0).Expand }),
	num("src1.swizzle", 15, 8, func(a *ALU) *Swizzle { return &a.src(0).Swizzle }),
	num("src2.mod", 23, 2, func(a *ALU) *Mod { return &a.src(1).Mod }),
	num("shrink", 36, 2, func(a *ALU) *Shrink { return &a.Shrink }),
	num("out", 38, 2, func(a *ALU) *OutMod { return &a.Out }),
	num("mask", 40, 8, func(a *ALU) *uint8 { return &a.Mask }),
}

var scalarFields = []field[ALU]{
	num("op", 0, 8, (*ALU).op),
	num("src1.mod", 8, 2, func(a *ALU) *Mod { return &a.src(0).Mod }),
	flag("src1.full", 10, func(a *ALU) *bool { return &a.src(0).Full }),
	num("src1.comp", 11, 3, func(a *ALU) *uint8 { return &a.src(0).Comp }),
	num("out", 26, 2, func(a *ALU) *OutMod { return &a.Out }),
	flag("dst.full", 28, func(a *ALU) *bool { return &a.DstFull }),
	num("dst.comp", 29, 3, func(a *ALU) *uint8 { return &a.DstComp }),
}

// Source 2 as a register.
var (
	reg2Fields = []field[ALU]{num("src2.reg", 5, 5, func(a *ALU) *uint8 { return &a.src(1).Reg })}
	vector2Reg = []field[ALU]{
		num("src2.expand", 25, 3, func(a *ALU) *Expand { return &a.src(1).Expand }),
		num("src2.swizzle", 28, 8, func(a *ALU) *Swizzle { return &a.src(1).Swizzle }),
	}
	scalar2Reg = []field[ALU]{
		num("src2.mod", 14, 2, func(a *ALU) *Mod { return &a.src(1).Mod }),
		flag("src2.full", 16, func(a *ALU) *bool { return &a.src(1).Full }),
		num("src2.comp", 17, 3, func(a *ALU) *uint8 { return &a.src(1).Comp }),
		num("reserved", 20, 6, func(a *ALU) *uint8 { return &a.Reserved }),
	}
)

// piece is a part of a field that is scattered: n bits of the value from bit
// from on stand in the word at bit lo.
type piece struct{ from, lo, n uint8 }

// The inline constant: its pieces in the register word, in a vector word and in
// a scalar word.
var (
	constReg    = []piece{{11, 5, 5}}
	constVector = []piece{{8, 25, 3}, {0, 28, 8}}
	constScalar = []piece{{9, 14, 2}, {8, 16, 1}, {5, 17, 3}, {0, 20, 5}}
	// scalarReservedImm is what is left of the reserved bits beside a constant.
	scalarReservedImm = []piece{{5, 25, 1}}
)

func gather(ps []piece, w *word, v *uint16) {
	for _, p := range ps {
		*v |= uint16(w.get(p.lo, p.n)) << p.from
	}
}

func scatter(ps []piece, w *word, v uint16) {
	for _, p := range ps {
		w.put(p.lo, p.n, uint64(v>>p.from))
	}
}

// decodeALU reads the register word and the body of an instruction.
func decodeALU(a *ALU, scalar bool, reg, body uint64) {
	*a = ALU{}
	r, w := word{reg}, word{body}
	unpackFields(a, regFields, &r)
	own, src2, con := vectorFields, vector2Reg, constVector
	if scalar {
		own, src2, con = scalarFields, scalar2Reg, constScalar
	}
	unpackFields(a, own, &w)
	if !a.Imm {
		unpackFields(a, reg2Fields, &r)
		unpackFields(a, src2, &w)
		return
	}
	gather(constReg, &r, &a.Const)
	gather(con, &w, &a.Const)
	if scalar {
		var v uint16
		gather(scalarReservedImm, &w, &v)
		a.Reserved = uint8(v)
	}
}

// encodeALU is the inverse; the body has 32 bits for scalar units, else 48.
func encodeALU(scalar bool, a *ALU) (reg, body uint64, err error) {
	var r, w word
	own, src2, con := vectorFields, vector2Reg, constVector
	if scalar {
		own, src2, con = scalarFields, scalar2Reg, constScalar
	}
	if err = packFields(a, regFields, &r); err == nil {
		err = packFields(a, own, &w)
	}
	if err != nil {
		return 0, 0, err
	}
	if a.Imm {
		scatter(constReg, &r, a.Const)
		scatter(con, &w, a.Const)
		if scalar {
			scatter(scalarReservedImm, &w, uint16(a.Reserved))
		}
	} else if err = packFields(a, reg2Fields, &r); err == nil {
		err = packFields(a, src2, &w)
	}
	if err != nil {
		return 0, 0, err
	}
	if a.strays(scalar) {
		return 0, 0, fmt.Errorf("%s cannot be encoded: members of the other kind of unit, or of another form, are set (%+v)", a.Op, *a)
	}
	return r[0], w[0], nil
}

// strays reports whether members are set that an instruction of its form on the kind of unit has not.
func (a *ALU) strays(scalar bool) bool {
	if a.Imm {
		if a.Src[1].Reg|a.Src[1].Comp|uint8(a.Src[1].Expand)|uint8(a.Src[1].Swizzle) != 0 || a.Src[1].Full || scalar && (a.Src[1].Mod != 0 || a.Reserved&^(1<<5) != 0) {
			return true
		}
	} else if a.Const != 0 {
		return true
	}
	for i := range a.Src {
		s := &a.Src[i]
		if scalar && (s.Expand != 0 || s.Swizzle != 0) || !scalar && (s.Comp != 0 || s.Full) {
			return true
		}
	}
	if scalar {
		return a.Mode != 0 || a.Mask != 0 || a.Shrink != 0
	}
	return a.DstComp != 0 || a.DstFull || a.Reserved != 0
}

// Vector makes an instruction for a vector unit: full width, no operands
// (sources name the pipeline register 0 and an inline zero), integer results
// keep their low part.
func Vector(op Op, m Mode, dst, mask uint8) ALU {
	a := ALU{Op: op, Mode: m, Dst: dst, Mask: mask, Shrink: ShrinkNone, Imm: true}
	a.Src[0] = Source{Reg: RegPipe0}
	if !op.Is(FloatDst) {
		a.Out = OutKeepLow
	}
	return a
}

// Scalar makes an instruction for a scalar unit with a 32-bit result in
// component comp (0 to 3), else like [Vector].
func Scalar(op Op, dst uint8, comp int) ALU {
	a := ALU{Op: op, Dst: dst, DstComp: uint8(2 * comp), DstFull: true, Imm: true}
	a.Src[0] = Source{Reg: RegPipe0, Full: true}
	if !op.Is(FloatDst) {
		a.Out = OutKeepLow
	}
	return a
}

// VReg is a vector operand of full width.
func VReg(reg uint8, s Swizzle) Source { return Source{Reg: reg, Swizzle: s} }

// SReg is a scalar operand: component comp (0 to 3) of 32 bits.
func SReg(reg uint8, comp int) Source { return Source{Reg: reg, Comp: uint8(2 * comp), Full: true} }

// From sets source i.
func (a ALU) From(i int, s Source) ALU {
	a.Src[i&1] = s
	if i == 1 {
		a.Imm, a.Const = false, 0
	}
	return a
}

// Inline makes source 2 a constant.
func (a ALU) Inline(c uint16) ALU {
	a.Imm, a.Const, a.Src[1] = true, c, Source{}
	return a
}

// With adds a modifier to the operand.
func (s Source) With(m Mod) Source { s.Mod = m; return s }

// WithOut sets the output modifier.
func (a ALU) WithOut(o OutMod) ALU { a.Out = o; return a }

// LaneMask is the write mask of a set of lanes (bit i is lane i) in a mode.
func LaneMask(m Mode, lanes uint16) (mask uint8) {
	for i := 0; i < m.Lanes(); i++ {
		if lanes>>i&1 == 0 {
			continue
		}
		switch m {
		case Mode8:
			mask |= 1 << (i / 2)
		case Mode16:
			mask |= 1 << i
		case Mode32:
			mask |= 3 << (2 * i)
		default:
			mask |= 15 << (4 * i)
		}
	}
	return mask
}

// Lanes is the set of lanes that the write mask of a vector instruction
// enables: those with any of their bits set.
func (a *ALU) Lanes() (lanes uint16) {
	for i := 0; i < a.Mode.Lanes(); i++ {
		if a.Mask&LaneMask(a.Mode, 1<<i) != 0 {
			lanes |= 1 << i
		}
	}
	return lanes
}
