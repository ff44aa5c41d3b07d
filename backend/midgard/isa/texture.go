package isa

import "fmt"

// TexOp is a texture operation.
type TexOp uint8

// The texture operations of midgard.md §6.1.
const (
	TexSample     TexOp = 1  // implicit level of detail plus bias
	TexSampleLod  TexOp = 2  // explicit level of detail, gathers
	TexFetch      TexOp = 4  // unfiltered, integer coordinates
	TexDerToGrad  TexOp = 9  // gradient descriptor from derivatives
	TexMov        TexOp = 10 // move inside the pipe
	TexBarrier    TexOp = 11 // work-group control barrier
	TexCoordsGrad TexOp = 12 // gradient descriptor from coordinates
	TexDerivative TexOp = 13 // d/dx or d/dy of the coordinates
)

var texOpNames = [16]string{1: "TEX", 2: "TEX_GRAD", 4: "TEX_FETCH", 9: "DER_TO_GRAD", 10: "MOV", 11: "BARRIER",
	12: "COORDS_TO_GRAD", 13: "DERIVATIVE"}

// String is the operation's name in text.
func (o TexOp) String() string {
	if n := texOpNames[o&15]; n != "" {
		return n
	}
	return fmt.Sprintf("tex_op_%02X", uint8(o))
}

// TexMode is what a texture operation returns; the derivative operation has
// modes of its own.
type TexMode uint8

// The texture modes.
const (
	TexNormal       TexMode = 1
	TexShadow       TexMode = 5
	TexGatherShadow TexMode = 6
	TexGatherX      TexMode = 8 // up to 11, component w
	TexDdx          TexMode = 0 // of TexDerivative
	TexDdy          TexMode = 1 // of TexDerivative
)

var texModeNames = [16]string{1: "", 5: ".shadow", 6: ".gather.shadow", 8: ".gatherX", 9: ".gatherY", 10: ".gatherZ", 11: ".gatherW"}

// TexDim is the dimension of a texture.
type TexDim uint8

// The dimensions.
const (
	TexCube TexDim = 0
	Tex1D   TexDim = 1 // also buffers
	Tex2D   TexDim = 2 // also multisample
	Tex3D   TexDim = 3
)

var texDimNames = [4]string{".cube", ".1d", ".2d", ".3d"}

// TexType is the type of a texture's values.
type TexType uint8

// The types.
const (
	TexTypeNone  TexType = 0
	TexTypeFloat TexType = 1
	TexTypeUint  TexType = 2
	TexTypeInt   TexType = 3
)

// Helpers says how helper threads take part in an operation.
type Helpers uint8

// The ways.
const (
	HelpersReserved Helpers = 0
	HelpersSkip     Helpers = 1 // only in the computation of derivatives
	HelpersKill     Helpers = 2 // they end after it
	HelpersNormal   Helpers = 3
)

// Texture is the instruction of a texture bundle (midgard.md §3.7); Tag and Next
// are the bundle's. A barrier has Op TexBarrier, Helpers normal and perhaps
// OutOfOrder; everything else zero.
type Texture struct {
	Op         TexOp
	Mode       TexMode
	Helpers    Helpers
	Dim        TexDim
	SamplerReg bool // Sampler is a register selector
	TextureReg bool // Texture is a register selector
	LodReg     bool // Lod is a register selector
	OffsetReg  bool // Offset is a register selector
	// The coordinate: 32 or 16 bits, register r28 or r29, upper half (16 bits).
	CoordFull    bool
	CoordSel     uint8
	CoordUpper   bool
	CoordSwizzle Swizzle
	// The result.
	Full    bool
	Type    TexType
	Dst     uint8 // r28 or r29
	Upper   bool
	Mask    uint8
	Out     OutMod
	Swizzle Swizzle
	// OutOfOrder counts the following bundles that may run before it ends.
	OutOfOrder uint8
	// Offset is three 4-bit offsets, or a register selector of its own layout.
	Offset uint16
	// Lod is fraction/256 in the low byte and a signed integer in the high byte,
	// or a register selector, or (fetch) the integer level.
	Lod      uint16
	Sampler  uint16
	Texture  uint16
	Unknown4 uint8 // bits 35:36
	Unknown8 uint8 // bits 60:67
}

var textureFields = []field[Texture]{
	num("op", 8, 4, func(t *Texture) *TexOp { return &t.Op }),
	num("mode", 12, 4, func(t *Texture) *TexMode { return &t.Mode }),
	num("helpers", 16, 2, func(t *Texture) *Helpers { return &t.Helpers }),
	num("dimension", 18, 2, func(t *Texture) *TexDim { return &t.Dim }),
	flag("sampler.reg", 20, func(t *Texture) *bool { return &t.SamplerReg }),
	flag("texture.reg", 21, func(t *Texture) *bool { return &t.TextureReg }),
	flag("lod.reg", 22, func(t *Texture) *bool { return &t.LodReg }),
	flag("offset.reg", 23, func(t *Texture) *bool { return &t.OffsetReg }),
	flag("coord.full", 24, func(t *Texture) *bool { return &t.CoordFull }),
	num("coord.sel", 25, 1, func(t *Texture) *uint8 { return &t.CoordSel }),
	flag("coord.upper", 26, func(t *Texture) *bool { return &t.CoordUpper }),
	num("coord.swizzle", 27, 8, func(t *Texture) *Swizzle { return &t.CoordSwizzle }),
	num("unknown4", 35, 2, func(t *Texture) *uint8 { return &t.Unknown4 }),
	flag("full", 37, func(t *Texture) *bool { return &t.Full }),
	num("type", 38, 2, func(t *Texture) *TexType { return &t.Type }),
	num("dst", 40, 1, func(t *Texture) *uint8 { return &t.Dst }),
	flag("upper", 41, func(t *Texture) *bool { return &t.Upper }),
	num("mask", 42, 4, func(t *Texture) *uint8 { return &t.Mask }),
	num("out", 46, 2, func(t *Texture) *OutMod { return &t.Out }),
	num("swizzle", 48, 8, func(t *Texture) *Swizzle { return &t.Swizzle }),
	num("ooo", 56, 4, func(t *Texture) *uint8 { return &t.OutOfOrder }),
	num("unknown8", 60, 8, func(t *Texture) *uint8 { return &t.Unknown8 }),
	num("offset", 68, 12, func(t *Texture) *uint16 { return &t.Offset }),
	num("lod", 80, 16, func(t *Texture) *uint16 { return &t.Lod }),
	num("sampler", 96, 16, func(t *Texture) *uint16 { return &t.Sampler }),
	num("texture", 112, 16, func(t *Texture) *uint16 { return &t.Texture }),
}

// TexReg is a register selector of a texture instruction: one component of one
// of the two input registers.
type TexReg struct {
	Full   bool // 32 bits
	Select uint8
	Upper  bool // upper half, 16 bits
	Comp   uint8
}

// Selector is the value of a handle or Lod field that names the register.
func (r TexReg) Selector() uint16 {
	v := uint16(r.Select&1)<<1 | uint16(r.Comp&3)<<3
	if r.Full {
		v |= 1
	}
	if r.Upper {
		v |= 4
	}
	return v
}

// TexSelector reads a register selector; bits above 4 are not used.
func TexSelector(v uint16) TexReg {
	return TexReg{Full: v&1 != 0, Select: uint8(v >> 1 & 1), Upper: v&4 != 0, Comp: uint8(v >> 3 & 3)}
}

// OffsetSelector is the value of Offset that names three consecutive
// components of a register: swizzle gives x, y and z.
func OffsetSelector(r TexReg, s Swizzle) uint16 {
	return r.Selector()&7 | uint16(s&0x3f)<<3
}

// OffsetRegister reads a register Offset.
func (t *Texture) OffsetRegister() (r TexReg, s Swizzle) {
	return TexReg{Full: t.Offset&1 != 0, Select: uint8(t.Offset >> 1 & 1), Upper: t.Offset&4 != 0},
		Swizzle(t.Offset >> 3 & 0xff)
}

// ImmOffset is component i (0 to 2) of an immediate offset, -8 to 7.
func (t *Texture) ImmOffset(i int) int { return int(signExtend(uint64(t.Offset>>(4*i)), 4)) }

// LodValue is an immediate bias or level of detail of a sampling operation.
func (t *Texture) LodValue() float64 { return float64(int16(t.Lod)) / 256 }

// Barrier is the barrier instruction.
func Barrier() Texture { return Texture{Op: TexBarrier, Helpers: HelpersNormal} }
