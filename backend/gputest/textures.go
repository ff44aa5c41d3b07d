package gputest

import (
	"math/rand/v2"

	"nirc/ir"
)

// Texture is one form of a texture operation: what it does, on what, with which sources, and of which sizes these and its result are.
type Texture struct {
	op                  ir.TexOp
	dim                 ir.Dim
	array, shadow       bool
	sparse              bool // with a residency code
	separate, indexed   bool // of a texture and a sampler by themselves, of an array of them
	coordBits, outBits  uint8
	class               ir.TypeClass
	level, offset, more int // 0: none, or what makes them
	used                int // components that are read, in bits
	stage               ir.Stage
}

var (
	textureOps  = []ir.TexOp{ir.TexOpTex, ir.TexOpTxb, ir.TexOpTxl, ir.TexOpTxd, ir.TexOpTxf, ir.TexOpTxfMs, ir.TexOpTxs, ir.TexOpLod, ir.TexOpTg4, ir.TexOpQueryLevels, ir.TexOpTextureSamples}
	textureDims = []ir.Dim{ir.Dim2D, ir.Dim2D, ir.Dim3D, ir.DimCube, ir.Dim1D}
)

// randomTexture is a form that SPIR-V can have.
func randomTexture(r *rand.Rand) Texture {
	yes := func(of int) bool { return r.IntN(of) == 0 }
	x := Texture{op: textureOps[r.IntN(len(textureOps))], dim: textureDims[r.IntN(len(textureDims))], array: yes(3), shadow: yes(5), separate: yes(3), indexed: yes(4),
		coordBits: 32, outBits: 32, class: ir.ClassFloat, level: r.IntN(4), offset: r.IntN(3), more: r.IntN(3), used: 1 + r.IntN(31), stage: ir.StageFragment}
	if yes(3) {
		x.stage = ir.StageCompute
	}
	if yes(5) {
		x.coordBits = 16
	}
	if yes(3) {
		x.outBits = 16
	}
	if yes(3) {
		x.class = []ir.TypeClass{ir.ClassInt, ir.ClassUint}[r.IntN(2)]
	}
	switch x.op {
	case ir.TexOpTxfMs, ir.TexOpTextureSamples:
		x.dim = ir.DimMS
	case ir.TexOpTxf, ir.TexOpTxs:
		if yes(5) {
			x.dim = ir.DimBuf
		}
	case ir.TexOpTg4:
		if x.dim != ir.DimCube {
			x.dim = ir.Dim2D
		}
	}
	if fetch := x.op == ir.TexOpTxf || x.op == ir.TexOpTxfMs; fetch && x.dim == ir.DimCube {
		x.dim = ir.Dim2D
	}
	if x.dim == ir.DimBuf || x.dim == ir.Dim3D {
		x.array = false
	}
	samples := x.op == ir.TexOpTex || x.op == ir.TexOpTxb || x.op == ir.TexOpTxl || x.op == ir.TexOpTxd || x.op == ir.TexOpTg4
	if x.shadow = x.shadow && samples && x.dim != ir.Dim3D; x.shadow {
		x.class = ir.ClassFloat
	}
	x.sparse = (samples || x.op == ir.TexOpTxf || x.op == ir.TexOpTxfMs) && x.dim != ir.DimBuf && yes(6)
	if x.dim == ir.DimCube || !samples && x.op != ir.TexOpTxf {
		x.offset = 0
	}
	return x
}

// Textures compiles n random forms by what a target makes of shaders, and adds what becomes of them, refusals too.
func (h *HeldPrograms) Textures(n int, compile func(s *ir.Shader) error) error {
	return h.forms(n, 17, func(r *rand.Rand) shaped { x := randomTexture(r); return &x }, compile)
}

// shader stores what the operation gives.
func (x *Texture) shader() *ir.Shader {
	s, b := NewShader(x.stage, 64)
	id := number(b, x.stage)
	in := LoadWords(b, StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(4)), 4)
	res := x.build(s, b, in)
	storeUsed(b, id, res, x.used)
	return s
}

// variable declares what is looked up, and returns the way to it.
func (x *Texture) variable(s *ir.Shader, b *ir.Builder, base ir.Base, binding uint32, index *ir.Def) *ir.Def {
	texel := map[ir.TypeClass]ir.Base{ir.ClassFloat: ir.BaseFloat, ir.ClassInt: ir.BaseInt, ir.ClassUint: ir.BaseUint}[x.class]
	t := &ir.Type{Base: base, Dim: x.dim, Arrayed: x.array, MS: x.dim == ir.DimMS, Texel: texel, TexelBits: 32}
	if base == ir.BaseSampler && x.separate {
		t = &ir.Type{Base: base}
	}
	if x.indexed {
		t = ir.ArrayType(t, 4, 0)
	}
	v := s.NewVariable(ir.ModeUniform, t, "t")
	v.Set, v.Binding, v.HasBinding = 1, binding, true
	d := b.DerefVar(v)
	if x.indexed {
		d = b.DerefArray(d, index)
	}
	return d
}

func (x *Texture) build(s *ir.Shader, b *ir.Builder, words *ir.Def) *ir.Def {
	axes := map[ir.Dim]int{ir.Dim1D: 1, ir.DimBuf: 1, ir.Dim2D: 2, ir.DimMS: 2, ir.Dim3D: 3, ir.DimCube: 3}[x.dim]
	coords := axes
	if x.array {
		coords++
	}
	comps := 4
	switch x.op {
	case ir.TexOpTxs:
		if comps = coords; x.dim == ir.DimCube {
			comps--
		}
	case ir.TexOpLod:
		comps = 2
	case ir.TexOpQueryLevels, ir.TexOpTextureSamples:
		comps = 1
	default:
		if x.shadow && x.op != ir.TexOpTg4 {
			comps = 1
		}
	}
	if x.sparse {
		comps++
	}
	bits, class := x.outBits, x.class
	switch x.op {
	case ir.TexOpTxs, ir.TexOpQueryLevels, ir.TexOpTextureSamples:
		class = ir.ClassInt
	case ir.TexOpLod:
		class = ir.ClassFloat
	}
	in := s.NewTex(x.op, uint8(comps), bits)
	i := in.TexInfo()
	i.IsSparse = x.sparse
	i.Dim, i.IsArray, i.DestType = x.dim, x.array, ir.ALUType{Class: class, Bits: bits}
	fetch := x.op == ir.TexOpTxf || x.op == ir.TexOpTxfMs
	word := func(c int) *ir.Def { return b.Channel(words, c&3) }
	// value is component c of a source, whole or a float, of the size that coordinates have.
	value := func(c int, whole bool) *ir.Def {
		v := b.Iand(word(c), b.Imm32(15))
		switch {
		case whole && x.coordBits == 16:
			return b.U2u16(v)
		case whole:
			return v
		case x.coordBits == 16:
			return b.F2f16(b.U2f32(v))
		}
		return b.U2f32(v)
	}
	vector := func(n, first int, whole bool) *ir.Def {
		var l []*ir.Def
		for c := range n {
			l = append(l, value(first+c, whole))
		}
		return b.Vec(l...)
	}
	add := func(kind ir.TexSrc, d *ir.Def) { s.AddTexSrc(in, kind, d) }
	base := ir.BaseSampledImage
	if x.separate || x.dim == ir.DimBuf {
		base = ir.BaseTexture
	}
	texture := x.variable(s, b, base, 0, b.Iand(word(3), b.Imm32(3)))
	sampler := texture
	if x.separate || x.dim == ir.DimBuf {
		sampler = x.variable(s, b, ir.BaseSampler, 1, b.Iand(word(2), b.Imm32(3)))
	}
	switch x.op {
	case ir.TexOpTxs, ir.TexOpQueryLevels, ir.TexOpTextureSamples:
	case ir.TexOpLod:
		i.CoordComponents = uint8(axes)
		add(ir.TexSrcCoord, vector(axes, 0, false))
	default:
		i.CoordComponents = uint8(coords)
		add(ir.TexSrcCoord, vector(coords, 0, fetch))
	}
	if x.shadow {
		i.IsShadow, i.NewStyleShadow = true, x.op != ir.TexOpTg4
		add(ir.TexSrcComparator, b.U2f32(b.Iand(word(3), b.Imm32(1))))
	}
	x.levels(b, add, value, vector, axes)
	switch x.offset {
	case 1:
		k := make([]*ir.Def, axes)
		for c := range k {
			k[c] = b.Imm32(uint32(3 - 5*c))
		}
		add(ir.TexSrcOffset, b.Vec(k...))
	case 2:
		if x.op == ir.TexOpTg4 && x.more > 0 {
			i.HasOffsets, i.Offsets = true, [4][2]int8{{1, 2}, {-3, 4}, {5, -6}, {-8, 7}}
			break
		}
		add(ir.TexSrcOffset, vector(axes, 1, true))
	}
	if x.op == ir.TexOpTg4 {
		i.Component = uint8(x.level)
	}
	add(ir.TexSrcTextureDeref, texture)
	if !fetch && x.op != ir.TexOpTxs && x.op != ir.TexOpQueryLevels && x.op != ir.TexOpTextureSamples {
		add(ir.TexSrcSamplerDeref, sampler)
	}
	return &b.Insert(in).Def
}

// levels adds what chooses the level of detail.
func (x *Texture) levels(b *ir.Builder, add func(ir.TexSrc, *ir.Def), value func(int, bool) *ir.Def, vector func(n, first int, whole bool) *ir.Def, axes int) {
	// level is 0, another constant, or a value.
	level := func(whole bool) *ir.Def {
		switch {
		case x.level == 0 && whole:
			return b.Imm32(0)
		case x.level == 0:
			return b.ImmFloat(0, 32)
		case x.level == 1 && whole:
			return b.Imm32(2)
		case x.level == 1:
			return b.ImmFloat(1.5, 32)
		}
		return value(2, whole)
	}
	switch x.op {
	case ir.TexOpTxb:
		add(ir.TexSrcBias, level(false))
	case ir.TexOpTxl:
		add(ir.TexSrcLod, level(false))
	case ir.TexOpTxd:
		add(ir.TexSrcDdx, vector(axes, 0, false))
		add(ir.TexSrcDdy, vector(axes, 1, false))
	case ir.TexOpTxf, ir.TexOpTxs:
		if x.dim != ir.DimBuf {
			add(ir.TexSrcLod, level(true))
		}
	case ir.TexOpTxfMs:
		add(ir.TexSrcMsIndex, level(true))
	}
	if x.more == 2 && (x.op == ir.TexOpTex || x.op == ir.TexOpTxb || x.op == ir.TexOpTxd) {
		add(ir.TexSrcMinLod, value(3, false))
	}
}
