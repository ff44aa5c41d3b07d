package gputest

import (
	"math/rand/v2"
	"slices"

	"nirc/ir"
)

// Image is one form of an access of a storage image: what it does, to what, of which texels, and of which sizes its values are.
type Image struct {
	op          ir.Intrinsic
	atomic      ir.AtomicOp
	dim         ir.Dim
	array       bool
	indexed     bool // of an array of images
	format      int  // of imageFormats; 0: unknown
	access      ir.Access
	bits        uint8
	class       ir.TypeClass
	fixed, used int // coordinates that are constants, components that are read, in bits
	robust      ir.Robustness
	stage       ir.Stage
}

var (
	imageOps = []ir.Intrinsic{ir.IntrImageDerefLoad, ir.IntrImageDerefLoad, ir.IntrImageDerefSparseLoad, ir.IntrImageDerefStore, ir.IntrImageDerefStore, ir.IntrImageDerefAtomic,
		ir.IntrImageDerefAtomicSwap, ir.IntrImageDerefSize, ir.IntrImageDerefSamples}
	imageDims     = []ir.Dim{ir.Dim2D, ir.Dim2D, ir.Dim3D, ir.DimCube, ir.Dim1D, ir.DimMS, ir.DimBuf}
	imageAtomics  = []ir.AtomicOp{ir.AtomicIAdd, ir.AtomicIMin, ir.AtomicUMin, ir.AtomicIMax, ir.AtomicUMax, ir.AtomicIAnd, ir.AtomicIOr, ir.AtomicIXor, ir.AtomicXchg}
	imageAccesses = []ir.Access{0, 0, ir.AccessCoherent, ir.AccessVolatile, ir.AccessNonWriteable | ir.AccessCanReorder, ir.AccessNonUniform}
	imageFormats  = map[ir.TypeClass][]string{
		ir.ClassFloat: {"none", "rgba32f", "rgba8", "rg16f", "r32f"},
		ir.ClassUint:  {"none", "rgba32ui", "rgba8ui", "rg16ui", "r32ui"},
		ir.ClassInt:   {"none", "rgba32i", "rgba8i", "rg16i", "r32i"},
	}
)

// randomImage is a form that SPIR-V can have.
func randomImage(r *rand.Rand) Image {
	yes := func(of int) bool { return r.IntN(of) == 0 }
	x := Image{op: imageOps[r.IntN(len(imageOps))], atomic: imageAtomics[r.IntN(len(imageAtomics))], dim: imageDims[r.IntN(len(imageDims))], array: yes(3), indexed: yes(4),
		format: r.IntN(5), access: imageAccesses[r.IntN(len(imageAccesses))], bits: 32, class: []ir.TypeClass{ir.ClassFloat, ir.ClassUint, ir.ClassInt}[r.IntN(3)],
		fixed: r.IntN(16) & r.IntN(16), used: 1 + r.IntN(31), robust: ir.Robustness(r.IntN(3)), stage: ir.StageCompute}
	if yes(4) {
		x.stage = ir.StageFragment
	}
	switch x.op {
	case ir.IntrImageDerefAtomic, ir.IntrImageDerefAtomicSwap:
		if x.format = 4; x.class == ir.ClassFloat {
			x.class = ir.ClassUint
		}
	case ir.IntrImageDerefSamples:
		x.dim = ir.DimMS
	default:
		if yes(4) {
			x.bits = 16
		}
	}
	if x.op != ir.IntrImageDerefLoad {
		x.access &^= ir.AccessNonWriteable | ir.AccessCanReorder
	}
	if x.dim == ir.DimBuf || x.dim == ir.Dim3D {
		x.array = false
	}
	return x
}

// Images compiles n random forms by what a target makes of shaders, and adds what becomes of them, refusals too.
func (h *HeldPrograms) Images(n int, compile func(s *ir.Shader) error) error {
	return h.forms(n, 19, func(r *rand.Rand) shaped { x := randomImage(r); return &x }, compile)
}

// shader does the access of an invocation, and stores what it gives.
func (x *Image) shader() *ir.Shader {
	s, b := NewShader(x.stage, 64)
	s.Options.Robust.Images, s.Options.Robust.Storage = x.robust, x.robust
	id := number(b, x.stage)
	words := LoadWords(b, StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(4)), 4)
	res := x.build(s, b, words)
	if res == nil {
		return s
	}
	storeUsed(b, id, res, x.used)
	return s
}

// build makes the access, and returns what it gives.
func (x *Image) build(s *ir.Shader, b *ir.Builder, words *ir.Def) *ir.Def {
	texel := map[ir.TypeClass]ir.Base{ir.ClassFloat: ir.BaseFloat, ir.ClassInt: ir.BaseInt, ir.ClassUint: ir.BaseUint}[x.class]
	t := &ir.Type{Base: ir.BaseImage, Dim: x.dim, Arrayed: x.array, MS: x.dim == ir.DimMS, Texel: texel, TexelBits: 32}
	if x.indexed {
		t = ir.ArrayType(t, 4, 0)
	}
	v := s.NewVariable(ir.ModeImage, t, "i")
	v.Set, v.Binding, v.HasBinding, v.Access = 1, 0, true, x.access
	d := b.DerefVar(v)
	if x.indexed {
		d = b.DerefArray(d, b.Iand(b.Channel(words, 3), b.Imm32(3)))
	}
	axes := map[ir.Dim]int{ir.Dim1D: 1, ir.DimBuf: 1, ir.Dim2D: 2, ir.DimMS: 2, ir.Dim3D: 3, ir.DimCube: 3}[x.dim]
	if x.array && x.dim != ir.DimCube {
		axes++
	}
	var at [4]*ir.Def
	for c := range at {
		switch {
		case c >= axes:
			at[c] = b.Undef(1, 32)
		case x.fixed>>c&1 != 0:
			at[c] = b.Imm32(uint32(3 * c))
		default:
			at[c] = b.Channel(words, c)
		}
	}
	coord, zero, sample := b.Vec(at[:]...), b.Imm32(0), b.Imm32(0)
	if x.dim == ir.DimMS {
		if sample = b.Imm32(1); x.fixed&8 == 0 {
			sample = b.Iand(b.Channel(words, 2), b.Imm32(3))
		}
	}
	value := func(first, n int) *ir.Def {
		var l []*ir.Def
		for c := range n {
			w := b.Channel(words, (first+c)&3)
			switch {
			case x.bits == 16 && x.class == ir.ClassFloat:
				w = b.F2f16(w)
			case x.bits == 16:
				w = b.U2u16(w)
			}
			l = append(l, w)
		}
		return b.Vec(l...)
	}
	typ := ir.ALUType{Class: x.class, Bits: x.bits}.Pack()
	var in *ir.Instr
	switch x.op {
	case ir.IntrImageDerefLoad:
		in = b.Intrinsic(x.op, 4, x.bits, d, coord, sample, zero).Set(ir.IdxDestType, typ)
	case ir.IntrImageDerefSparseLoad:
		in = b.Intrinsic(x.op, 5, x.bits, d, coord, sample, zero).Set(ir.IdxDestType, typ)
	case ir.IntrImageDerefStore:
		in = b.Effect(x.op, d, coord, sample, value(0, 4), zero).Set(ir.IdxSrcType, typ)
	case ir.IntrImageDerefAtomic:
		in = b.Intrinsic(x.op, 1, 32, d, coord, sample, value(1, 1)).Set(ir.IdxAtomicOp, uint64(x.atomic))
	case ir.IntrImageDerefAtomicSwap:
		in = b.Intrinsic(x.op, 1, 32, d, coord, sample, value(1, 1), value(2, 1)).Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg))
	case ir.IntrImageDerefSize:
		n := axes
		if x.dim == ir.DimCube {
			if n = 2; x.array {
				n = 3
			}
		}
		in = b.Intrinsic(x.op, uint8(n), x.bits, d, zero)
	default:
		in = b.Intrinsic(x.op, 1, x.bits, d)
	}
	in.Set(ir.IdxImageDim, uint64(x.dim))
	if x.array {
		in.Set(ir.IdxImageArray, 1)
	}
	if slices.Contains(x.op.Info().Indices, ir.IdxAccess) {
		in.Set(ir.IdxAccess, uint64(x.access))
	}
	if f, ok := ir.ParseImageFormat(imageFormats[x.class][x.format]); ok && slices.Contains(x.op.Info().Indices, ir.IdxFormat) {
		in.Set(ir.IdxFormat, uint64(f))
	}
	if !x.op.Info().HasDest {
		return nil
	}
	return &in.Def
}

// number differs between invocations of a stage.
func number(b *ir.Builder, stage ir.Stage) *ir.Def {
	if stage == ir.StageCompute {
		return b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	}
	return b.Bcsel(&b.Intrinsic(ir.IntrLoadFrontFace, 1, 1).Def, b.Imm32(3), b.Imm32(5))
}
