package isa

import "fmt"

// Gen is a hardware generation.
type Gen uint8

// The generations that this package encodes.
const (
	GenNone Gen = 0
	A6xx    Gen = 6
	A7xx    Gen = 7
)

// String returns the generation's usual name.
func (g Gen) String() string {
	switch g {
	case A6xx:
		return "a6xx"
	case A7xx:
		return "a7xx"
	}
	return fmt.Sprintf("generation %d", uint8(g))
}

// ParseGen returns the generation of that name ("a6xx", "a7xx"). Older and
// unknown generations are an error.
func ParseGen(name string) (Gen, error) {
	switch name {
	case "a6xx":
		return A6xx, nil
	case "a7xx":
		return A7xx, nil
	}
	return GenNone, fmt.Errorf("ir3: generation %q is not supported, only a6xx and a7xx are", name)
}

// Flags are the one-bit properties of an instruction.
type Flags uint32

// Instruction flags. Which instruction can carry which is decided by the
// table; Pack refuses a flag that its instruction has no bit for.
const (
	SY      Flags = 1 << iota // (sy): wait for texture and memory results
	SS                        // (ss): wait for SFU, local memory, shared registers
	JP                        // (jp): parked fibers join here
	EQ                        // (eq): helper invocations end (nop only)
	UL                        // (ul): last use of a0.x
	EI                        // (ei): end of input; halving add on add.u/add.s
	Sat                       // (sat)
	Tex3D                     // .3d
	TexA                      // .a: array
	TexO                      // .o: texel offset, a second source follows
	TexP                      // .p: projector; on isam: immediate offset Off follows src1
	TexS                      // .s: shadow reference; on isam: .v
	Tex1D                     // .1d (isam)
	Typed                     // .typed (descriptor and other atomics)
	Uniform                   // .u (ldc): destination is shared
	Signed                    // .mixed (dp2acc, dp4acc)
	High                      // .high (dp2acc, dp4acc)
	BarG                      // .g
	BarL                      // .l
	BarR                      // .r
	BarW                      // .w
	TexClp                    // .clp: a lower bound of the LOD, last of the second source
)

// Type is an operand or memory type, as encoded.
type Type uint8

// The types. Code 6 is u64 in atomics.
const (
	F16 Type = iota
	F32
	U16
	U32
	S16
	S32
	U8
	U8x32 // u8_32: 8 bits in memory, 32 in the register
	U64   = U8
	// TexResidency as the type of a texture instruction makes its result the residency code of the texels that it
	// accesses, which is 0 where all have memory: .rck in newer listings.
	TexResidency = U8x32
)

var typeNames = [...]string{"f16", "f32", "u16", "u32", "s16", "s32", "u8", "u8_32"}

// String returns the type's name in mnemonics.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "type?"
}

// Half reports whether values of that type live in half registers; in cat1
// instructions u8_32 does too.
func (t Type) Half() bool { return t == F16 || t == U16 || t == S16 || t == U8 }

// Float reports whether the type is a floating-point type.
func (t Type) Float() bool { return t <= F32 }

// Cond is the condition of cmps and cmpv.
type Cond uint8

// The conditions.
const (
	CondLT Cond = iota
	CondLE
	CondGT
	CondGE
	CondEQ
	CondNE
)

var condNames = [...]string{"lt", "le", "gt", "ge", "eq", "ne"}

// String returns the condition's name in mnemonics.
func (c Cond) String() string {
	if int(c) < len(condNames) {
		return condNames[c]
	}
	return "cond?"
}

// Round is the rounding of a conversion.
type Round uint8

// The rounding modes of cov.
const (
	RoundZero Round = iota
	RoundEven
	RoundPosInf
	RoundNegInf
)

var roundNames = [...]string{"", "(even)", "(pos_infinity)", "(neg_infinity)"}

// Mode says how a descriptor is addressed.
type Mode uint8

// Descriptor modes. The first three are those of category 6 (with Base < 0
// for the classic binding table); the texture modes are those of category 5,
// TexDirect being the form without s2en whose numbers stand in Samp and Tex.
const (
	ModeImm        Mode = iota // index in Srcs is an immediate
	ModeUniform                // index in a register, the same in all fibers
	ModeNonuniform             // index in a register that may differ

	TexDirect       Mode = iota // s#Samp, t#Tex, classic binding
	TexUniform                  // pair in a half register, classic
	TexBindlessA1               // pair in full registers, sampler base in a1.x
	TexBindlessNonu             // pair in full registers, may differ
	TexBindlessA1Nonu
	TexNonuniform      // pair in a half register, classic, may differ
	TexBindlessUniform // pair in full registers
	TexBindlessImm     // s#Samp, t#Tex in set Base
	TexBindlessA1Imm   // a6xx: s#Samp, texture from a1.x; a7xx: t#Tex, sampler from a1.x
)

// Kind is the kind of an operand.
type Kind uint16

// Operand kinds; Val means what the comment says.
const (
	None     Kind = iota
	Reg           // register number 4*N+c, shared (192..223) and special ones too
	Const         // const number 4*N+c
	RelReg        // r<a0.x + Val>
	RelConst      // c<a0.x + Val>
	Imm           // the immediate: integer value, or raw bits in cat1 and alias
	FLUT          // index into the float table, see FLUTValue
	ConstDst      // c[Val]: const file as a destination
	ConstA1       // c[a1.x+Val]: const file as a destination
	RT            // rt component of alias.rt: 4*rt+c
)

// OpFlags are the modifiers of an operand.
type OpFlags uint16

// Operand modifiers.
const (
	Half   OpFlags = 1 << iota // 16-bit register, const or immediate
	Neg                        // (neg); bitwise NOT in .b instructions
	Abs                        // (abs)
	Rpt                        // (r): advances under (rptN)
	Last                       // (last)
	Inv                        // !p0.c
	AbsNeg = Abs | Neg
)

// Operand is one destination or source. Its members leave no gaps, so that operands are compared as one word: Pack compares
// an instruction with what its code means, which took a third of its time.
type Operand struct {
	Kind  Kind
	Flags OpFlags
	Val   int32
}

// Special register numbers.
const (
	SharedFirst = 48 * 4 // r48.x
	SharedEnd   = 56 * 4
	A0          = 61 * 4   // a0.x
	A1          = 61*4 + 1 // a1.x
	P0          = 62 * 4   // p0.x, then y z w
	NoReg       = 63 * 4   // r63.x: nowhere
)

// R returns full register n (4*N+c).
func R(n int) Operand { return Operand{Kind: Reg, Val: int32(n)} }

// HR returns half register n (4*N+c in half numbers).
func HR(n int) Operand { return Operand{Kind: Reg, Flags: Half, Val: int32(n)} }

// C returns const n (4*N+c).
func C(n int) Operand { return Operand{Kind: Const, Val: int32(n)} }

// I returns integer immediate v.
func I(v int32) Operand { return Operand{Kind: Imm, Val: v} }

// P returns predicate p0.c, c 0 to 3.
func P(c int) Operand { return Operand{Kind: Reg, Val: int32(P0 + c)} }

// F returns the FLUT immediate with index i.
func F(i int) Operand { return Operand{Kind: FLUT, Val: int32(i)} }

// Rel returns r<a0.x + off>.
func Rel(off int) Operand { return Operand{Kind: RelReg, Val: int32(off)} }

// RelC returns c<a0.x + off>.
func RelC(off int) Operand { return Operand{Kind: RelConst, Val: int32(off)} }

// With returns o with modifiers f added.
func (o Operand) With(f OpFlags) Operand { o.Flags |= f; return o }

// IsShared reports whether o is a shared register.
func (o Operand) IsShared() bool {
	return o.Kind == Reg && o.Val >= SharedFirst && o.Val < SharedEnd
}

// IsPred reports whether o is a predicate register.
func (o Operand) IsPred() bool { return o.Kind == Reg && o.Val >= P0 && o.Val < P0+4 }

// IsHalf reports whether o is a 16-bit operand.
func (o Operand) IsHalf() bool { return o.Flags&Half != 0 }

// Instr is one decoded instruction: a plain comparable value. Fields that the
// instruction's encoding has no room for are zero; Pack checks that.
//
// Srcs are in assembly order with three exceptions: swz has its second
// destination in Srcs[2], sct its other destinations in Srcs[1..3], and stg.a
// has the address, the data, then the offset register. So stg, stl and stp are
// (address, data), stib is (data, coordinates, index), atomic.b likewise.
type Instr struct {
	Op      Op
	Flags   Flags
	Repeat  uint8 // N of (rptN); of nop too
	Nop     uint8 // N of (nopN)
	Cond    Cond
	Round   Round
	Type    Type // destination or data type
	SrcType Type // cat1 source type
	Mode    Mode // how the descriptor is addressed
	Set     int8 // bindless descriptor set, plus 1; 0: classic binding table
	WrMask  uint8
	Samp    uint8
	Tex     uint8
	Dims    uint8 // 1..4: .1d to .4d
	Index   uint8 // brac number, ldc component offset, alias table size - 1
	Scope   uint8 // alias: 0 tex, 1 rt, 2 and 3 mem
	Shift   uint8 // ldg.a, stg.a on a6xx: 0 or extra shift of the offset register
	Size    uint16
	Off     int32 // immediate offset of an address
	Target  int32 // branch offset in instructions
	Dst     Operand
	Srcs    [4]Operand
	Raw     uint64 // the word, OpRaw only
}
