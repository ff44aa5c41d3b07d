package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// sampleFlags describe a sampling instruction.
type sampleFlags uint8

const (
	sDref sampleFlags = 1 << iota
	sProj
	sExplicit
	sGather
	sFetch
	sSparse
)

// sampleOf returns what a sampling instruction does.
func sampleOf(op spv.Op) (sampleFlags, bool) {
	switch op {
	case spv.OpImageSampleImplicitLod:
		return 0, true
	case spv.OpImageSampleExplicitLod:
		return sExplicit, true
	case spv.OpImageSampleDrefImplicitLod:
		return sDref, true
	case spv.OpImageSampleDrefExplicitLod:
		return sDref | sExplicit, true
	case spv.OpImageSampleProjImplicitLod:
		return sProj, true
	case spv.OpImageSampleProjExplicitLod:
		return sProj | sExplicit, true
	case spv.OpImageSampleProjDrefImplicitLod:
		return sProj | sDref, true
	case spv.OpImageSampleProjDrefExplicitLod:
		return sProj | sDref | sExplicit, true
	case spv.OpImageFetch:
		return sFetch, true
	case spv.OpImageGather:
		return sGather, true
	case spv.OpImageDrefGather:
		return sGather | sDref, true
	case spv.OpImageSparseSampleImplicitLod:
		return sSparse, true
	case spv.OpImageSparseSampleExplicitLod:
		return sSparse | sExplicit, true
	case spv.OpImageSparseSampleDrefImplicitLod:
		return sSparse | sDref, true
	case spv.OpImageSparseSampleDrefExplicitLod:
		return sSparse | sDref | sExplicit, true
	case spv.OpImageSparseFetch:
		return sSparse | sFetch, true
	case spv.OpImageSparseGather:
		return sSparse | sGather, true
	case spv.OpImageSparseDrefGather:
		return sSparse | sGather | sDref, true
	}
	return 0, false
}

// texture translates the instructions on sampled images and the queries.
func (t *translator) texture(in *inst) bool {
	if f, ok := sampleOf(in.op); ok {
		if t.kernel && f&sFetch == 0 {
			t.kernelSample(in)
			return true
		}
		t.sample(in, f)
		return true
	}
	switch in.op {
	case spv.OpImageQuerySizeLod, spv.OpImageQuerySize, spv.OpImageQueryLevels, spv.OpImageQuerySamples:
		t.imageQuery(in)
	case spv.OpImageQueryLod:
		t.queryLod(in)
	case spv.OpImageQueryOrder, spv.OpImageQueryFormat:
		t.imageFormat(in)
	default:
		return t.imageProcessing(in)
	}
	return true
}

// newTex makes a texture instruction for a texture (and sampler, or nil).
func (t *translator) newTex(op ir.TexOp, comps, bits uint8, class ir.TypeClass, tex, smp *pointer, s *imageShape) *ir.Instr {
	x := t.f.b.Shader.NewTex(op, comps, bits)
	i := x.TexInfo()
	ty := tex.typ.ir
	i.Dim, i.IsArray = ty.Dim, s.arrayed
	i.DestType = ir.ALUType{Class: class, Bits: bits}
	i.TextureNonUniform = tex.access&ir.AccessNonUniform != 0
	i.Aliased = tex.access&ir.AccessAliased != 0
	t.s.AddTexSrc(x, ir.TexSrcTextureDeref, t.derefOf(tex))
	if smp != nil {
		i.SamplerNonUniform = smp.access&ir.AccessNonUniform != 0
		t.s.AddTexSrc(x, ir.TexSrcSamplerDeref, t.derefOf(smp))
	}
	return x
}

// imageTypeOf returns the image type of an image or sampled image.
func imageTypeOf(ty *typ) *typ {
	if ty.kind == tSampledImage {
		return ty.elem
	}
	return ty
}

func (t *translator) sample(in *inst, f sampleFlags) {
	b := t.f.b
	var tex, smp *pointer
	if f&sFetch != 0 {
		tex, _ = t.opaqueOf(t.arg(in, 0), tImage)
	} else {
		tex, smp = t.sampled(t.arg(in, 0))
	}
	it := imageTypeOf(tex.typ)
	if it.kind != tImage || it.image.sampled == 2 {
		t.fail(in.id, "%s is not of a sampled image", in.op)
	}
	res := t.texelResult(in, f&sSparse != 0)
	if el := it.elem; el.kind != tVoid && (el.isFloat() != res.isFloat()) {
		t.fail(in.id, "%s gives %s from an image of %s", in.op, res, el)
	}
	if f&sFetch == 0 {
		t.filtered(in, &it.image)
	}
	k := 2
	if f&(sDref|sGather) != 0 {
		k = 3
	}
	o := t.imageOps(in, k)
	t.checkOperands(in, &o, f, &it.image)
	t.flatOperands(in, &o, &it.image)
	n := uint8(4)
	if f&sDref != 0 && f&sGather == 0 {
		n = 1
	}
	if f&sSparse != 0 {
		n++
	}
	x := t.newTex(sampleOp(f, &o, &it.image), n, res.scalarType().bits, texelClass(res), tex, smp, &it.image)
	i := x.TexInfo()
	i.IsSparse = f&sSparse != 0
	t.sampleCoord(in, x, f, &it.image)
	if f&sDref != 0 {
		i.IsShadow, i.NewStyleShadow = true, f&sGather == 0
		t.s.AddTexSrc(x, ir.TexSrcComparator, t.floatVector(t.arg(in, 2), 1, 0))
	} else if f&sGather != 0 {
		i.Component = uint8(t.constArg(in, 2) & 3) // another is undefined when it runs
	}
	t.sampleOperands(in, x, f, &o, &it.image)
	b.Insert(x)
	t.setTexel(in, &x.Def, res, f&sSparse != 0)
}

// filtered refuses images that a sampler has nothing to do with.
func (t *translator) filtered(in *inst, s *imageShape) {
	switch {
	case s.ms:
		t.fail(in.id, "%s is not allowed on a multisampled image", in.op)
	case s.dim == spv.DimBuffer:
		t.fail(in.id, "%s is not allowed on a buffer", in.op)
	}
}

// flatOperands checks the operands that have a component for each coordinate
// but the layer.
func (t *translator) flatOperands(in *inst, o *imageOperands, s *imageShape) {
	flat := *s
	flat.arrayed = false
	n := uint8(coordComps(&flat))
	for _, d := range []*ir.Def{o.offset, o.ddx, o.ddy} {
		if d != nil && d.NumComponents != n {
			t.fail(in.id, "%s: an operand has %d components, the image has %d coordinates", in.op, d.NumComponents, n)
		}
	}
}

// sampleOp chooses the texture operation.
func sampleOp(f sampleFlags, o *imageOperands, s *imageShape) ir.TexOp {
	switch {
	case f&sFetch != 0 && s.ms:
		return ir.TexOpTxfMs
	case f&sFetch != 0:
		return ir.TexOpTxf
	case f&sGather != 0:
		return ir.TexOpTg4
	case o.ddx != nil:
		return ir.TexOpTxd
	case f&sExplicit != 0:
		return ir.TexOpTxl
	case o.bias != nil:
		return ir.TexOpTxb
	}
	return ir.TexOpTex
}

// sampleCoord adds the coordinates, and the projector after them.
func (t *translator) sampleCoord(in *inst, x *ir.Instr, f sampleFlags, s *imageShape) {
	b := t.f.b
	id := t.arg(in, 1)
	n := coordComps(s)
	var c *ir.Def
	if f&sFetch != 0 {
		c = t.signExtend(t.intVector(id, 0, 0), 32)
	} else {
		c = t.floatVector(id, 0, 0)
	}
	want := n
	if f&sProj != 0 {
		want++
	}
	if int(c.NumComponents) < want {
		t.fail(in.id, "%s: %d coordinates are wanted, %d are given", in.op, want, c.NumComponents)
	}
	x.TexInfo().CoordComponents = uint8(n)
	t.s.AddTexSrc(x, ir.TexSrcCoord, b.Channels(c, 0, n))
	if f&sProj != 0 {
		t.s.AddTexSrc(x, ir.TexSrcProjector, b.Channel(c, n))
	}
}

// sampleOperands adds the image operands as sources.
func (t *translator) sampleOperands(in *inst, x *ir.Instr, f sampleFlags, o *imageOperands, s *imageShape) {
	add := func(k ir.TexSrc, d *ir.Def) {
		if d != nil {
			t.s.AddTexSrc(x, k, d)
		}
	}
	switch x.TexOp {
	case ir.TexOpTxf:
		if s.dim != spv.DimBuffer {
			add(ir.TexSrcLod, t.toU32(t.or0(o.lod)))
		}
	case ir.TexOpTxfMs:
		add(ir.TexSrcMsIndex, t.or0(o.sample))
	case ir.TexOpTxl:
		if o.lod == nil {
			t.fail(in.id, "%s has neither Lod nor Grad", in.op)
		}
		add(ir.TexSrcLod, o.lod)
	case ir.TexOpTxb:
		add(ir.TexSrcBias, o.bias)
	case ir.TexOpTxd:
		add(ir.TexSrcDdx, o.ddx)
		add(ir.TexSrcDdy, o.ddy)
	}
	add(ir.TexSrcOffset, o.offset)
	add(ir.TexSrcMinLod, o.minLod)
	if o.offsets == nil {
		return
	}
	i := x.TexInfo()
	if x.TexOp != ir.TexOpTg4 || o.offsets.typ.kind != tArray || o.offsets.typ.n != 4 || o.offsets.typ.elem.kind != tVector || o.offsets.typ.elem.n != 2 {
		t.fail(in.id, "%s: ConstOffsets are not four offsets of a gather", in.op)
	}
	i.HasOffsets = true
	for k := range i.Offsets {
		p := o.offsets.part(k)
		i.Offsets[k] = [2]int8{int8(p.v[0]), int8(p.v[1])}
	}
}

// imageQuery translates the queries of size, levels and samples.
func (t *translator) imageQuery(in *inst) {
	b := t.f.b
	p, ty := t.opaqueOf(t.arg(in, 0), tImage)
	s := &ty.image
	res := t.typeOf(in.typ)
	if !res.numeric() || !res.isInt() {
		t.fail(in.id, "%s: the result is not an integer", in.op)
	}
	n, bits := res.shape()
	done := func(d *ir.Def) { t.set(in, t.resize(d, bits, true)) }
	var lod *ir.Def
	if in.op == spv.OpImageQuerySizeLod {
		lod = t.toU32(t.intVector(t.arg(in, 1), 1, 0))
	}
	if p.mode == ir.ModeImage {
		var x *ir.Instr
		switch in.op {
		case spv.OpImageQuerySamples:
			x = b.Intrinsic(ir.IntrImageDerefSamples, 1, 32, t.derefOf(p))
		case spv.OpImageQueryLevels:
			x = b.Intrinsic(ir.IntrImageDerefLevels, 1, 32, t.derefOf(p))
		default:
			x = b.Intrinsic(ir.IntrImageDerefSize, n, 32, t.derefOf(p), t.or0(lod))
		}
		done(&setImage(x, ty.ir, s, p.access).Def)
		return
	}
	op := ir.TexOpTxs
	switch in.op {
	case spv.OpImageQuerySamples:
		op, n = ir.TexOpTextureSamples, 1
	case spv.OpImageQueryLevels:
		op, n = ir.TexOpQueryLevels, 1
	default:
		want := coordComps(s)
		if s.dim == spv.DimCube {
			want--
		}
		if int(n) != want {
			t.fail(in.id, "%s: the result has %d components, the size has %d", in.op, n, want)
		}
	}
	x := t.newTex(op, n, 32, ir.ClassInt, p, nil, s)
	if op == ir.TexOpTxs && s.dim != spv.DimBuffer && s.dim != spv.DimRect && !s.ms {
		t.s.AddTexSrc(x, ir.TexSrcLod, t.or0(lod))
	}
	b.Insert(x)
	done(&x.Def)
}

// queryLod translates OpImageQueryLod: coordinates without a layer.
func (t *translator) queryLod(in *inst) {
	tex, smp := t.sampled(t.arg(in, 0))
	s := imageTypeOf(tex.typ).image
	t.filtered(in, &s)
	flat := s
	flat.arrayed = false
	x := t.newTex(ir.TexOpLod, 2, 32, ir.ClassFloat, tex, smp, &s)
	t.sampleCoord(in, x, 0, &flat)
	t.f.b.Insert(x)
	t.set(in, &x.Def)
}

// subpassLoad translates a read of an input attachment: a fetch whose coordinates count from the
// fragment's own pixel and layer (lower_input_attachments).
func (t *translator) subpassLoad(in *inst, p *pointer, ty *typ) {
	b := t.f.b
	o := t.imageOps(in, 2)
	t.checkOperands(in, &o, sFetch, &ty.image)
	res := t.texelResult(in, false)
	if el := ty.elem; el.kind != tVoid && el.isFloat() != res.isFloat() {
		t.fail(in.id, "%s gives %s from an image of %s", in.op, res, el)
	}
	op := ir.TexOpTxf
	if ty.image.ms {
		op = ir.TexOpTxfMs
	}
	x := t.newTex(op, 4, res.scalarType().bits, texelClass(res), p, nil, &ty.image)
	x.TexInfo().CoordComponents = 2
	t.s.AddTexSrc(x, ir.TexSrcCoord, t.signExtend(t.intVector(t.arg(in, 1), 2, 0), 32))
	if ty.image.ms {
		t.s.AddTexSrc(x, ir.TexSrcMsIndex, t.or0(o.sample))
	} else {
		t.s.AddTexSrc(x, ir.TexSrcLod, t.f.u32(0))
	}
	b.Insert(x)
	t.setTexel(in, &x.Def, res, false)
}
