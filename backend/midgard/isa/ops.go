package isa

import (
	"fmt"
	"math/bits"
	"sync"
)

// Op is an ALU opcode: the number in the instruction word.
type Op uint8

// ALU opcodes, with the result of a lane.
const (
	OpFadd       Op = 0x10 // a + b
	OpFaddRtz    Op = 0x11 // a + b, round toward 0
	OpFaddRtn    Op = 0x12 // a + b, round toward -inf
	OpFaddRtp    Op = 0x13 // a + b, round toward +inf
	OpFmul       Op = 0x14 // a * b
	OpFmulRtz    Op = 0x15 // a * b, round toward 0
	OpFmulRtn    Op = 0x16 // a * b, round toward -inf
	OpFmulRtp    Op = 0x17 // a * b, round toward +inf
	OpFmin       Op = 0x28 // smaller; if one operand is NaN the other one
	OpFminNan    Op = 0x29 // smaller; NaN if any operand is NaN
	OpFabsmin    Op = 0x2a // min(|a|,|b|), NaN rule of fmin
	OpFabsminNan Op = 0x2b // min(|a|,|b|), NaN rule of fmin_nan
	OpFmax       Op = 0x2c // larger; if one operand is NaN the other one
	OpFmaxNan    Op = 0x2d // larger; NaN if any operand is NaN
	OpFabsmax    Op = 0x2e // max(|a|,|b|), NaN rule of fmax
	OpFabsmaxNan Op = 0x2f // max(|a|,|b|), NaN rule of fmax_nan
	OpFmov       Op = 0x30 // b (operand sits in source 2; rounding suffix acts when narrowing)
	OpFmovRtz    Op = 0x31 // b, round toward 0
	OpFmovRtn    Op = 0x32 // b, round toward -inf
	OpFmovRtp    Op = 0x33 // b, round toward +inf
	OpFroundeven Op = 0x34 // a to integral, ties to even
	OpFtrunc     Op = 0x35 // a to integral toward 0
	OpFfloor     Op = 0x36 // floor(a)
	OpFceil      Op = 0x37 // ceil(a)
	OpFfma       Op = 0x38 // one lane: a.x * a.y + b.x, one rounding (source 1 gives both factors; scalar result)
	OpFfmaRtz    Op = 0x39 // one lane: a.x * a.y + b.x, one rounding (source 1 gives both factors; scalar result); round toward 0
	OpFfmaRtn    Op = 0x3a // one lane: a.x * a.y + b.x, one rounding (source 1 gives both factors; scalar result); round toward -inf
	OpFfmaRtp    Op = 0x3b // one lane: a.x * a.y + b.x, one rounding (source 1 gives both factors; scalar result); round toward +inf
	OpFdot3      Op = 0x3c // a.x*b.x + a.y*b.y + a.z*b.z, into the one masked lane
	OpFdot3r     Op = 0x3d // 3-component dot variant, exact difference from fdot3 not known; do not emit
	OpFdot4      Op = 0x3e // 4-component dot product, into the one masked lane
	OpFreduce    Op = 0x3f // vendor argument-reduction step, semantics and units unknown; do not emit
	OpIadd       Op = 0x40 // a + b, wraps
	OpIshladd    Op = 0x41 // (a << 1) + b, wraps
	OpIsub       Op = 0x46 // a - b, wraps
	OpIshlsub    Op = 0x47 // (a << 1) - b, wraps
	OpIaddsat    Op = 0x48 // a + b, signed saturation
	OpUaddsat    Op = 0x49 // a + b, unsigned saturation
	OpIsubsat    Op = 0x4e // a - b, signed saturation
	OpUsubsat    Op = 0x4f // a - b, clamps at 0
	OpImul       Op = 0x58 // low half of a * b (high half: compute one size up and take keephi, midgard.md §4.4)
	OpIwmul      Op = 0x59 // signed x signed, result in the next larger size
	OpUwmul      Op = 0x5a // unsigned x unsigned, result in the next larger size
	OpIuwmul     Op = 0x5b // signed x unsigned, result (signed) in the next larger size
	OpImin       Op = 0x60 // signed min
	OpUmin       Op = 0x61 // unsigned min
	OpImax       Op = 0x62 // signed max
	OpUmax       Op = 0x63 // unsigned max
	OpIavg       Op = 0x64 // signed (a+b)>>1 without overflow, rounding down/toward 0 ("rtz")
	OpUavg       Op = 0x65 // unsigned (a+b)>>1 without overflow
	OpIravg      Op = 0x66 // signed (a+b+1)>>1 without overflow
	OpUravg      Op = 0x67 // unsigned (a+b+1)>>1 without overflow
	OpIasr       Op = 0x68 // a >> b arithmetic
	OpIlsr       Op = 0x69 // a >> b logical
	OpIshlsat    Op = 0x6c // a << b, signed saturation
	OpUshlsat    Op = 0x6d // a << b, unsigned saturation
	OpIshl       Op = 0x6e // a << b
	OpIand       Op = 0x70 // a & b
	OpIor        Op = 0x71 // a | b
	OpInand      Op = 0x72 // ~(a & b)
	OpInor       Op = 0x73 // ~(a | b); with b = #0 this is NOT a
	OpIandnot    Op = 0x74 // a & ~b
	OpIornot     Op = 0x75 // a | ~b
	OpIxor       Op = 0x76 // a ^ b
	OpInxor      Op = 0x77 // ~(a ^ b)
	OpIclz       Op = 0x78 // leading zero count of a (lane width when a = 0)
	OpIpopcnt    Op = 0x7a // number of one bits of a
	OpImov       Op = 0x7b // b (operand sits in source 2)
	OpIabsdiff   Op = 0x7c // |a - b| as signed; iabs(x) is this with b = #0
	OpUabsdiff   Op = 0x7d // |a - b| as unsigned
	OpIchoose    Op = 0x7e // lane select: d[i] = a[b[i]]
	OpFeq        Op = 0x80 // float a == b ? ~0 : 0
	OpFne        Op = 0x81 // float a != b (true for NaN) ? ~0 : 0
	OpFlt        Op = 0x82 // float a < b ? ~0 : 0
	OpFle        Op = 0x83 // float a <= b ? ~0 : 0
	OpFballEq    Op = 0x88 // all of the 4 lanes float a == b ? ~0 : 0, into the one masked lane
	OpFballNe    Op = 0x89 // all of the 4 lanes float a != b (true for NaN) ? ~0 : 0, into the one masked lane
	OpFballLt    Op = 0x8a // all of the 4 lanes float a < b ? ~0 : 0, into the one masked lane
	OpFballLe    Op = 0x8b // all of the 4 lanes float a <= b ? ~0 : 0, into the one masked lane
	OpFbanyEq    Op = 0x90 // any of the 4 lanes float a == b ? ~0 : 0, into the one masked lane
	OpFbanyNe    Op = 0x91 // any of the 4 lanes float a != b (true for NaN) ? ~0 : 0, into the one masked lane
	OpFbanyLt    Op = 0x92 // any of the 4 lanes float a < b ? ~0 : 0, into the one masked lane
	OpFbanyLe    Op = 0x93 // any of the 4 lanes float a <= b ? ~0 : 0, into the one masked lane
	OpF2i        Op = 0x98 // float to signed integer
	OpF2iRtz     Op = 0x99 // float to signed integer, round toward 0
	OpF2iRtn     Op = 0x9a // float to signed integer, round toward -inf
	OpF2iRtp     Op = 0x9b // float to signed integer, round toward +inf
	OpF2u        Op = 0x9c // float to unsigned integer
	OpF2uRtz     Op = 0x9d // float to unsigned integer, round toward 0
	OpF2uRtn     Op = 0x9e // float to unsigned integer, round toward -inf
	OpF2uRtp     Op = 0x9f // float to unsigned integer, round toward +inf
	OpIeq        Op = 0xa0 // a == b ? ~0 : 0
	OpIne        Op = 0xa1 // a != b ? ~0 : 0
	OpUlt        Op = 0xa2 // unsigned a < b ? ~0 : 0
	OpUle        Op = 0xa3 // unsigned a <= b ? ~0 : 0
	OpIlt        Op = 0xa4 // signed a < b ? ~0 : 0
	OpIle        Op = 0xa5 // signed a <= b ? ~0 : 0
	OpIballIeq   Op = 0xa8 // all of the 4 lanes a == b ? ~0 : 0, into the one masked lane
	OpIballIne   Op = 0xa9 // all of the 4 lanes a != b ? ~0 : 0, into the one masked lane
	OpIballUlt   Op = 0xaa // all of the 4 lanes unsigned a < b ? ~0 : 0, into the one masked lane
	OpIballUle   Op = 0xab // all of the 4 lanes unsigned a <= b ? ~0 : 0, into the one masked lane
	OpIballIlt   Op = 0xac // all of the 4 lanes signed a < b ? ~0 : 0, into the one masked lane
	OpIballIle   Op = 0xad // all of the 4 lanes signed a <= b ? ~0 : 0, into the one masked lane
	OpIbanyIeq   Op = 0xb0 // any of the 4 lanes a == b ? ~0 : 0, into the one masked lane
	OpIbanyIne   Op = 0xb1 // any of the 4 lanes a != b ? ~0 : 0, into the one masked lane
	OpIbanyUlt   Op = 0xb2 // any of the 4 lanes unsigned a < b ? ~0 : 0, into the one masked lane
	OpIbanyUle   Op = 0xb3 // any of the 4 lanes unsigned a <= b ? ~0 : 0, into the one masked lane
	OpIbanyIlt   Op = 0xb4 // any of the 4 lanes signed a < b ? ~0 : 0, into the one masked lane
	OpIbanyIle   Op = 0xb5 // any of the 4 lanes signed a <= b ? ~0 : 0, into the one masked lane
	OpI2f        Op = 0xb8 // signed integer to float
	OpI2fRtz     Op = 0xb9 // signed integer to float, round toward 0
	OpI2fRtn     Op = 0xba // signed integer to float, round toward -inf
	OpI2fRtp     Op = 0xbb // signed integer to float, round toward +inf
	OpU2f        Op = 0xbc // unsigned integer to float
	OpU2fRtz     Op = 0xbd // unsigned integer to float, round toward 0
	OpU2fRtn     Op = 0xbe // unsigned integer to float, round toward -inf
	OpU2fRtp     Op = 0xbf // unsigned integer to float, round toward +inf
	OpIcselV     Op = 0xc0 // per lane: r31 lane ? a : b, bitwise mux (c & a) | (~c & b)
	OpIcsel      Op = 0xc1 // r31.w ? a : b for all written lanes (bitwise mux)
	OpFcselV     Op = 0xc4 // as icsel_v but float sources: abs/neg/widen and float output modifier apply
	OpFcsel      Op = 0xc5 // as icsel but float sources and modifiers
	OpFroundaway Op = 0xc6 // a to integral, ties away from 0
	OpFatan2Pt2  Op = 0xe8 // second step of atan2 (midgard.md §4.8)
	OpFpowPt1    Op = 0xec // vendor pow helper; not needed
	OpFpownPt1   Op = 0xed // vendor pown helper; not needed
	OpFpowrPt1   Op = 0xee // vendor powr helper; not needed
	OpFrcp       Op = 0xf0 // 1 / a
	OpFrsqrt     Op = 0xf2 // 1 / sqrt(a)
	OpFsqrt      Op = 0xf3 // sqrt(a)
	OpFexp2      Op = 0xf4 // 2 ** a
	OpFlog2      Op = 0xf5 // log2(a)
	OpFsinpi     Op = 0xf6 // sin(pi * a)
	OpFcospi     Op = 0xf7 // cos(pi * a)
	OpFatan2Pt1  Op = 0xf9 // first step of atan2 (midgard.md §4.8)
)

// Unit is a unit of an ALU bundle; its number is the order in the bundle.
type Unit uint8

// The units. The first five have instructions, the last two branches.
const (
	UnitVMUL    Unit = iota // vector multiplier, stage 1
	UnitSADD                // scalar adder, stage 1
	UnitVADD                // vector adder, stage 2
	UnitSMUL                // scalar multiplier, stage 2
	UnitLUT                 // transcendental functions, stage 2
	UnitBranch              // compact branch
	UnitBranchX             // extended branch
	NumUnits
	// NumALUUnits counts the units that have instructions.
	NumALUUnits = UnitBranch
)

var unitNames = [NumUnits]string{"vmul", "sadd", "vadd", "smul", "lut", "br", "brx"}

// String is the unit's name in text.
func (u Unit) String() string {
	if u < NumUnits {
		return unitNames[u]
	}
	return fmt.Sprintf("unit%d", u)
}

// Scalar reports whether the unit takes scalar instruction words.
func (u Unit) Scalar() bool { return u == UnitSADD || u == UnitSMUL }

// Stage is 1 or 2: where the unit, which is not that of branches, stands in the pipe.
func (u Unit) Stage() int {
	if u <= UnitSADD {
		return 1
	}
	return 2
}

// Units is a set of units: bit u is unit u.
type Units uint8

// Has reports whether u is in the set.
func (s Units) Has(u Unit) bool { return s>>u&1 != 0 }

// first is the lowest unit of a set that has one.
func (s Units) first() Unit { return Unit(bits.TrailingZeros8(uint8(s))) }

// In makes the set of one unit.
func (u Unit) In() Units { return 1 << u }

const (
	vectors   = 1<<UnitVMUL | 1<<UnitVADD
	adders    = 1<<UnitVADD | 1<<UnitSADD
	mults     = 1<<UnitVMUL | 1<<UnitSMUL
	multsLut  = mults | 1<<UnitLUT
	mostUnits = mults | adders
	anyUnit   = mostUnits | 1<<UnitLUT
	lutOnly   = 1 << UnitLUT
	vmulOnly  = 1 << UnitVMUL
	vaddOnly  = 1 << UnitVADD
	selScalar = 1<<UnitVADD | 1<<UnitSMUL
)

// OpFlags are properties of an ALU operation.
type OpFlags uint16

// The properties.
const (
	Commutes     OpFlags = 1 << iota // the operands may be exchanged
	FloatSrc                         // operands are floats: modifiers are abs and neg
	FloatDst                         // the result is a float: output modifiers clamp
	Unsigned                         // integers are taken as unsigned
	Unary                            // one operand: source 1, or source 2 with Move
	Move                             // the operand is source 2
	Convert                          // between integer and float
	OneLane                          // exactly one lane may be written
	Reduce3                          // three lanes in, one lane out
	Reduce4                          // four lanes in, one lane out
	SelectVector                     // reads all of the condition register
	SelectScalar                     // reads component w of the condition register
	Saturates                        // integers saturate at the width of the lane
)

// Reduce is either kind of reduction.
const Reduce = Reduce3 | Reduce4

// Select is either kind of select.
const Select = SelectVector | SelectScalar

// Round is a rounding direction.
type Round uint8

// The rounding directions.
const (
	RoundE Round = iota // to nearest, ties to even
	RoundZ              // toward zero
	RoundN              // toward minus infinity
	RoundP              // toward plus infinity
)

// OpInfo is what the table says of an ALU operation.
type OpInfo struct {
	Name  string // unique, lower case
	Text  string // mnemonic; several operations share one
	Units Units  // 0: not known
	Flags OpFlags
	Round Round
}

// Info returns the operation's table row. An opcode that the table does not
// know has an empty name; its kind (float or integer) follows from its number.
func (o Op) Info() *OpInfo { return &opTable[o] }

// Known reports whether the table has the opcode.
func (o Op) Known() bool { return opTable[o].Name != "" }

// Is reports whether the operation has any of the properties.
func (o Op) Is(f OpFlags) bool { return opTable[o].Flags&f != 0 }

// String is the operation's unique name.
func (o Op) String() string {
	if o.Known() {
		return opTable[o].Name
	}
	return fmt.Sprintf("op_%02x", uint8(o))
}

// OpByName finds an operation by its unique name.
func OpByName(name string) (Op, bool) {
	for i := range opTable {
		if opTable[i].Name == name && name != "" {
			return Op(i), true
		}
	}
	return 0, false
}

// opsByText lists the opcodes of a mnemonic, lowest number first.
var opsByText = sync.OnceValue(func() map[string][]Op {
	list := map[string][]Op{}
	for i := range opTable {
		text := Op(i).mnemonic()
		list[text] = append(list[text], Op(i))
	}
	return list
})

func init() {
	for i := range opTable {
		r := &opTable[i]
		if r.Name == "" {
			r.Flags = FloatSrc | FloatDst
			if integerOp(Op(i)) {
				r.Flags = 0
			}
		}
	}
}

// mnemonic is what the operation prints as: its number if the table does not know it.
func (o Op) mnemonic() string {
	if t := opTable[o].Text; t != "" {
		return t
	}
	return fmt.Sprintf("alu_op_%02X", uint8(o))
}

// integerOp reports whether opcode o is in the integer ranges.
func integerOp(o Op) bool { return o >= 0x40 && o <= 0x7e || o >= 0xa0 && o <= 0xc1 }
