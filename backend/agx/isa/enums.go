package isa

import "math"

// Cond is a comparison; the float ones start at CondFEQ. Bit 3 is "inverted".
type Cond uint8

// The comparisons. The N forms are the inverted ones: CondUNLT is "not ult".
const (
	CondUEQ  Cond = 0
	CondULT  Cond = 1
	CondUGT  Cond = 2
	CondSEQ  Cond = 4
	CondSLT  Cond = 5
	CondSGT  Cond = 6
	CondUNE  Cond = 8
	CondUGE  Cond = 9
	CondULE  Cond = 10
	CondSNE  Cond = 12
	CondSGE  Cond = 13
	CondSLE  Cond = 14
	CondFEQ  Cond = 16
	CondFLT  Cond = 17
	CondFGT  Cond = 18
	CondFLTN Cond = 19 // less, or the second is NaN
	CondFGE  Cond = 21
	CondFLE  Cond = 22
	CondFGTN Cond = 23 // greater, or the second is NaN
	CondFNE  Cond = 24
	CondFNLT Cond = 25
	CondFNGT Cond = 26

	CondFNLTN Cond = 27
	CondFNGE  Cond = 29
	CondFNLE  Cond = 30
	CondFNGTN Cond = 31
)

const (
	condInverted Cond = 8
	condFloat    Cond = 16
)

var condNames = [32]string{"ueq", "ult", "ugt", "", "seq", "slt", "sgt", "",
	"nueq", "ugte", "ulte", "", "nseq", "sgte", "slte", "",
	"eq", "lt", "gt", "ltn", "", "gte", "lte", "gtn",
	"neq", "nlt", "ngt", "nltn", "", "ngte", "nlte", "ngtn"}

// String returns the comparison's name.
func (c Cond) String() string { return enumName(condNames[:], c) }

// Inverted reports whether the result of the comparison c.Base() is inverted.
func (c Cond) Inverted() bool { return c&condInverted != 0 }

// Base is the comparison without inversion.
func (c Cond) Base() Cond { return c &^ condInverted }

// Round is a rounding mode.
type Round uint8

// Rounding modes.
const (
	RoundEven Round = iota
	RoundZero
)

var roundNames = []string{"rte", "rtz"}

// String returns the rounding mode's name.
func (r Round) String() string { return enumName(roundNames, r) }

// Format is a memory format.
type Format uint8

// Memory formats.
const (
	FormatI8       Format = 0
	FormatI16      Format = 1
	FormatI32      Format = 2
	FormatF16      Format = 3
	FormatU8Norm   Format = 4
	FormatS8Norm   Format = 5
	FormatU16Norm  Format = 6
	FormatS16Norm  Format = 7
	FormatRGB10A2  Format = 8
	FormatSRGBA8   Format = 10
	FormatRG11B10F Format = 12
	FormatRGB9E5   Format = 13

	FormatRG11B10FTrunc Format = 14
	FormatRGB9E5Trunc   Format = 15
)

var formatNames = []string{"i8", "i16", "i32", "f16", "u8norm", "s8norm", "u16norm", "s16norm",
	"rgb10a2", "", "srgba8", "", "rg11b10f", "rgb9e5", "rg11b10f.rtz", "rgb9e5.rtz"}

// String returns the format's name.
func (f Format) String() string { return enumName(formatNames, f) }

// Packed reports whether the format keeps all components in one 32-bit word.
func (f Format) Packed() bool { return f == FormatRGB10A2 || f >= FormatRG11B10F }

// Size is the number of bytes of an element (of the word if Packed).
func (f Format) Size() int {
	switch f {
	case FormatI8, FormatU8Norm, FormatS8Norm, FormatSRGBA8:
		return 1
	case FormatI16, FormatF16, FormatU16Norm, FormatS16Norm:
		return 2
	}
	return 4
}

// Block is the number of bytes that a target of the format is aligned to in the tile: an element, or the word of four sRGB bytes.
func (f Format) Block() int {
	if f == FormatSRGBA8 {
		return 4
	}
	return f.Size()
}

// ConvertMode is the Mode of convert.
type ConvertMode uint8

// Conversions.
const (
	U8ToF  ConvertMode = 0
	S8ToF  ConvertMode = 1
	FToU16 ConvertMode = 4
	FToS16 ConvertMode = 5
	U16ToF ConvertMode = 6
	S16ToF ConvertMode = 7
	FToU32 ConvertMode = 8
	FToS32 ConvertMode = 9
	U32ToF ConvertMode = 10
	S32ToF ConvertMode = 11
)

var convertNames = []string{"u8_to_f", "s8_to_f", "", "", "f_to_u16", "f_to_s16", "u16_to_f", "s16_to_f",
	"f_to_u32", "f_to_s32", "u32_to_f", "s32_to_f"}

// AtomicOp is the Mode of atomic and threadgroup_atomic.
type AtomicOp uint8

// Atomic operations.
const (
	AtomicAdd AtomicOp = iota
	AtomicSub
	AtomicXchg
	AtomicCmpXchg
	AtomicUMin
	AtomicIMin
	AtomicUMax
	AtomicIMax
	AtomicAnd
	AtomicOr
	AtomicXor
)

var atomicNames = []string{"add", "sub", "xchg", "cmpxchg", "umin", "imin", "umax", "imax", "and", "or", "xor"}

// ReduceOp is the Mode of reduce.
type ReduceOp uint8

// Reductions.
const (
	ReduceAnd  ReduceOp = 0
	ReduceFAdd ReduceOp = 1
	ReduceOr   ReduceOp = 2
	ReduceFMul ReduceOp = 3
	ReduceXor  ReduceOp = 4
	ReduceFMin ReduceOp = 5
	ReduceFMax ReduceOp = 7
	ReduceIAdd ReduceOp = 16
	ReduceSMin ReduceOp = 20
	ReduceSMax ReduceOp = 22
	ReduceUMin ReduceOp = 28
	ReduceUMax ReduceOp = 30
)

var reduceNames = []string{0: "and", 1: "fadd", 2: "or", 3: "fmul", 4: "xor", 5: "min.f", 7: "max.f",
	16: "iadd", 20: "min.s", 22: "max.s", 28: "min.u", 30: "max.u"}

// Dim is a texture dimension.
type Dim uint8

// Texture dimensions.
const (
	Dim1D Dim = iota
	Dim1DArray
	Dim2D
	Dim2DArray
	Dim2DMS
	Dim3D
	DimCube
	DimCubeArray
	Dim2DMSArray
)

var dimNames = []string{"tex_1d", "tex_1d_array", "tex_2d", "tex_2d_array", "tex_2d_ms", "tex_3d", "tex_cube",
	"tex_cube_array", "tex_2d_ms_array"}

// String returns the dimension's name.
func (d Dim) String() string { return enumName(dimNames, d) }

// Coords is the number of spatial coordinates; extra says that a layer or
// sample index follows them.
func (d Dim) Coords() (n int, extra bool) {
	switch d {
	case Dim1D:
		return 1, false
	case Dim1DArray:
		return 1, true
	case Dim2D:
		return 2, false
	case Dim3D, DimCube:
		return 3, false
	case DimCubeArray:
		return 3, true
	}
	return 2, true
}

// Lod is how a texture instruction gets its level of detail. Bit 2 means that
// the operand is in registers; without it, it is a uniform.
type Lod uint8

// Level of detail modes.
const (
	LodAuto           Lod = 0
	LodBiasUniform    Lod = 1
	LodMinUniform     Lod = 2
	LodGrad           Lod = 4
	LodBias           Lod = 5
	LodMin            Lod = 6
	LodBiasMinUniform Lod = 9
	LodGradMin        Lod = 12
	LodBiasMin        Lod = 13
)

// The names of 9 and 13 are ours: the public disassembler knows none.
var lodNames = []string{0: "auto_lod", 1: "auto_lod_bias", 2: "lod_min", 4: "lod_grad", 5: "auto_lod_bias", 6: "lod_min",
	9: "auto_lod_bias_min", 12: "lod_grad_min", 13: "auto_lod_bias_min"}

// String returns the mode's name.
func (l Lod) String() string { return enumName(lodNames, l) }

// Gather is the gather selector of texture instructions.
type Gather uint8

// Gather selectors.
const (
	GatherNone    Gather = 0
	GatherCompare Gather = 1
	GatherR       Gather = 2
	GatherDepth   Gather = 3
	GatherG       Gather = 6
	GatherB       Gather = 10
	GatherA       Gather = 14
)

var gatherNames = []string{0: "none", 1: "compare", 2: "gather_r", 3: "gather_depth", 6: "gather_g", 10: "gather_b", 14: "gather_a"}

// String returns the selector's name.
func (g Gather) String() string { return enumName(gatherNames, g) }

// Texture modes (Instr.Mode).
const (
	TexNormal   = 0
	TexQueryLod = 2
)

// TexResidency is a field of texture_sample and texture_load of two bits: 1 is not known, 2 puts the residency code of
// the texels after the four components (agx.md §8.3).
const TexResidency = "kill"

// Interp is where a varying is evaluated.
type Interp uint8

// Interpolations.
const (
	InterpCenter         Interp = iota
	InterpSample                // sample number immediate
	InterpCentroid              // covered part
	InterpSampleRegister        // sample number in a register
)

var interpNames = []string{"center", "sample", "centroid", "sample"}

// String returns the interpolation's name.
func (i Interp) String() string { return enumName(interpNames, i) }

var signNames = []string{"signed", "unsigned"}
var asyncNames = []string{"copy_1d", "copy_2d"}
var targetNames = []string{"target0", "target1"}

// enumName returns the name of a value, "" if it has none.
func enumName[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return ""
}

// FloatImm is the value of a minifloat code (sign, 3 exponent, 4 mantissa
// bits; exponent 0 is m/64).
func FloatImm(code uint8) float64 {
	e, m := int(code>>4&7), float64(code&15)
	v := m / 64
	if e > 0 {
		v = math.Ldexp(16+m, e-7)
	}
	if code&0x80 != 0 {
		v = math.Copysign(v, -1)
	}
	return v
}

// FloatImmCode returns the code of v; ok is false if no code is exactly v.
func FloatImmCode(v float64) (code uint8, ok bool) {
	a := math.Abs(v)
	if a >= 0.25 && a <= 31 {
		fr, exp := math.Frexp(a) // fr in [0.5, 1)
		code = uint8(exp+2)<<4 | uint8(fr*32)&15
	} else if a < 0.25 {
		code = uint8(a * 64)
	}
	if math.Signbit(v) {
		code |= 0x80
	}
	return code, FloatImm(code) == v
}
