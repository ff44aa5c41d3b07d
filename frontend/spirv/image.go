package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// sampledImage is what OpSampledImage makes: a texture and a sampler.
type sampledImage struct {
	texture, sampler *pointer
	literal          *literalSampler // in place of the sampler, in kernels
}

// texel is what OpImageTexelPointer makes.
type texel struct {
	img           *pointer
	coord, sample *ir.Def
}

// image translates the instructions on storage images and on image values,
// and reports whether the instruction was one; texture.go has sampling.
func (t *translator) image(in *inst) bool {
	if t.ofUndef(in) {
		if in.id != 0 {
			t.vals[t.index(in.id)] = value{kind: vUndef, typ: t.typeOf(in.typ)}
		}
		return true
	}
	switch in.op {
	case spv.OpSampledImage:
		img, of := t.opaqueOf(t.arg(in, 0), tImage)
		var smp *pointer
		literal, isLiteral := t.val(t.arg(in, 1)).obj.(*literalSampler)
		if !isLiteral {
			smp, _ = t.opaqueOf(in.args[1], tSampler)
		}
		ty := t.typeOf(in.typ)
		if ty.kind != tSampledImage {
			t.fail(in.id, "%s: the result type is not a sampled image", in.op)
		}
		t.sameImage(in, of, ty.elem)
		s := &sampledImage{texture: t.nonUniform(in, img), sampler: smp, literal: literal}
		t.vals[t.index(in.id)] = value{kind: vSampled, typ: ty, obj: s}
	case spv.OpImage:
		p, _ := t.sampled(t.arg(in, 0))
		ty := t.typeOf(in.typ)
		if ty.kind != tImage {
			t.fail(in.id, "%s: the result type is not an image", in.op)
		}
		t.sameImage(in, t.valType(in.args[0]).elem, ty)
		t.vals[t.index(in.id)] = value{kind: vOpaque, typ: ty, obj: p}
	case spv.OpImageTexelPointer:
		t.texelPointer(in)
	case spv.OpImageRead, spv.OpImageSparseRead:
		t.imageRead(in)
	case spv.OpImageWrite:
		t.imageWrite(in)
	case spv.OpImageSparseTexelsResident:
		code := t.intVector(t.arg(in, 0), 1, 32)
		t.set(in, t.f.b.Ieq(code, t.f.b.Imm32(0))) // ops.md: 0 says that all texels are there
	default:
		return t.texture(in)
	}
	return true
}

// sameImage checks that two image types have texels and coordinates of the same
// shape; of the rest (depth, say) modules are not careful.
func (t *translator) sameImage(in *inst, x, y *typ) {
	a, b := &x.image, &y.image
	if a.dim != b.dim || a.arrayed != b.arrayed || a.ms != b.ms || !x.elem.sameShape(y.elem) {
		t.fail(in.id, "%s: the image of type %s is not one of type %s", in.op, x, y)
	}
}

// opaqueOf returns the image or sampler that an id stands for.
func (t *translator) opaqueOf(id uint32, kind tkind) (*pointer, *typ) {
	v := t.val(id)
	if v.kind != vOpaque && v.kind != vLeaves || v.typ.kind != kind {
		t.fail(id, "the id is not a loaded image or sampler of the wanted kind")
	}
	return t.opaquePointer(v), v.typ
}

// opaquePointer returns the pointer to a loaded image or sampler. One that came
// out of a temporary or a composite is a value, which the passes trace back.
func (t *translator) opaquePointer(v *value) *pointer {
	if v.kind == vOpaque {
		return v.obj.(*pointer)
	}
	return t.newPointer(pointer{typ: v.typ, mode: t.opaqueMode(v.typ), addr: v.leaves[0]})
}

// ofUndef reports whether an instruction on images has an undefined image or
// sampler as its first or, an OpSampledImage, second operand; what it gives is undefined then.
func (t *translator) ofUndef(in *inst) bool {
	n := 1
	if in.op == spv.OpSampledImage {
		n = 2
	}
	for k := range min(n, len(in.args)) {
		if i := t.m.DefIndex(spv.ID(in.args[k])); i >= 0 && t.vals[i].kind == vUndef && t.vals[i].typ.opaque() {
			return true
		}
	}
	return false
}

// sampled returns texture and sampler of a sampled image; they are the same
// pointer if both are one variable.
func (t *translator) sampled(id uint32) (texture, sampler *pointer) {
	v := t.val(id)
	switch {
	case v.kind == vSampled:
		s := v.obj.(*sampledImage)
		return s.texture, s.sampler
	case (v.kind == vOpaque || v.kind == vLeaves) && v.typ.kind == tSampledImage:
		p := t.opaquePointer(v)
		return p, p
	}
	t.fail(id, "the id is not a sampled image")
	return nil, nil
}

// nonUniform gives a pointer the access decorations of a result.
func (t *translator) nonUniform(in *inst, p *pointer) *pointer {
	t.decorateAccess(in, &p)
	return p
}

// imageOperands are the optional operands of image instructions.
type imageOperands struct {
	bias, lod, ddx, ddy, offset, sample, minLod *ir.Def
	offsets                                     *cnst
	given                                       spv.ImageOperands
	access                                      ir.Access
	zeroExt, signExt                            bool
}

// knownOperands are the image operands of Vulkan 1.3.
const knownOperands = spv.ImageOperandsBias | spv.ImageOperandsLod | spv.ImageOperandsGrad | spv.ImageOperandsConstOffset | spv.ImageOperandsOffset |
	spv.ImageOperandsConstOffsets | spv.ImageOperandsSample | spv.ImageOperandsMinLod | spv.ImageOperandsMakeTexelAvailable |
	spv.ImageOperandsMakeTexelVisible | spv.ImageOperandsNonPrivateTexel | spv.ImageOperandsVolatileTexel | spv.ImageOperandsSignExtend |
	spv.ImageOperandsZeroExtend | spv.ImageOperandsNontemporal

// ruleOperands: which image operands an instruction takes, and which go together.
const ruleOperands = "SPIR-V 3.14: Image Operands"

// checkOperands checks that an instruction takes the image operands it has. f says what it does;
// reads and writes of storage images take what fetches take.
func (t *translator) checkOperands(in *inst, o *imageOperands, f sampleFlags, s *imageShape) {
	const lod, grad = spv.ImageOperandsLod, spv.ImageOperandsGrad
	wrong := func(m spv.ImageOperands) {
		if o.given&m != 0 {
			t.broken(ruleOperands, in.id, "%s does not take the image operand %s", in.op, o.given&m)
		}
	}
	one := func(m spv.ImageOperands) {
		if n := o.given & m; n&(n-1) != 0 {
			t.broken(ruleOperands, in.id, "%s has the image operands %s, of which one excludes the other", in.op, n)
		}
	}
	switch {
	case f&sFetch != 0:
		wrong(spv.ImageOperandsBias | grad | spv.ImageOperandsMinLod)
	case f&sExplicit != 0:
		wrong(spv.ImageOperandsBias)
	case f&sGather == 0:
		wrong(lod | grad)
	default:
		wrong(grad)
		if o.given&(spv.ImageOperandsBias|lod) != 0 {
			t.refuseGatherLevel(in, o.given&(spv.ImageOperandsBias|lod))
		}
	}
	one(lod | grad)
	one(lod | spv.ImageOperandsMinLod)
	one(spv.ImageOperandsConstOffset | spv.ImageOperandsOffset | spv.ImageOperandsConstOffsets)
	if s.dim == spv.DimCube {
		wrong(spv.ImageOperandsConstOffset | spv.ImageOperandsOffset | spv.ImageOperandsConstOffsets)
	}
	if has := o.given&spv.ImageOperandsSample != 0; has != s.ms {
		t.broken(ruleOperands, in.id, "%s: the image operand Sample goes with multisampled images, and they with it", in.op)
	}
}

// refuseGatherLevel refuses a gather of another level than the first.
func (t *translator) refuseGatherLevel(in *inst, m spv.ImageOperands) {
	caps := []spv.Capability{spv.CapabilityImageGatherBiasLodAMD}
	t.refuse(in.id, "%s with the image operand %s (%s) is not supported%s", in.op, m, capabilityWords(caps), t.reason(caps))
}

// imageOps reads the image operands that begin at operand i.
func (t *translator) imageOps(in *inst, i int) (o imageOperands) {
	if i >= len(in.args) {
		return o
	}
	m := spv.ImageOperands(in.args[i])
	next := func() uint32 {
		i++
		return t.arg(in, i)
	}
	o.given = m
	if m&^knownOperands != 0 {
		t.refuse(in.id, "%s: the image operands %s are not supported", in.op, m&^knownOperands)
	}
	if m&spv.ImageOperandsBias != 0 {
		o.bias = t.floatVector(next(), 1, 0)
	}
	if m&spv.ImageOperandsLod != 0 {
		o.lod = t.scalar(next())
	}
	if m&spv.ImageOperandsGrad != 0 {
		o.ddx = t.floatVector(next(), 0, 0)
		o.ddy = t.floatVector(next(), 0, 0)
	}
	if m&spv.ImageOperandsConstOffset != 0 {
		id := next()
		t.constOf(id) // fails for what is none
		o.offset = t.intVector(id, 0, 32)
	}
	if m&spv.ImageOperandsOffset != 0 {
		o.offset = t.intVector(next(), 0, 32)
	}
	if m&spv.ImageOperandsConstOffsets != 0 {
		o.offsets = t.constOf(next())
	}
	if m&spv.ImageOperandsSample != 0 {
		o.sample = t.intVector(next(), 1, 32)
	}
	if m&spv.ImageOperandsMinLod != 0 {
		o.minLod = t.floatVector(next(), 1, 0)
	}
	for _, bit := range [...]uint32{texelBits.available, texelBits.visible} {
		if uint32(m)&bit != 0 {
			i++
			t.scope(in, i)
		}
	}
	t.checkMemory(in, &texelBits, uint32(m), in.op != spv.OpImageWrite, in.op == spv.OpImageWrite)
	o.access = texelBits.access(uint32(m))
	o.signExt, o.zeroExt = m&spv.ImageOperandsSignExtend != 0, m&spv.ImageOperandsZeroExtend != 0
	return o
}

// coordComps is the number of coordinates of an image, its layer included.
func coordComps(s *imageShape) int {
	n := 2
	switch s.dim {
	case spv.Dim1D, spv.DimBuffer:
		n = 1
	case spv.Dim3D, spv.DimCube:
		n = 3
	}
	if s.arrayed {
		n++
	}
	return n
}

// texelClass returns the class of an image's or a result's components.
func texelClass(ty *typ) ir.TypeClass {
	switch {
	case ty.isFloat():
		return ir.ClassFloat
	case ty.scalarType().sign:
		return ir.ClassInt
	}
	return ir.ClassUint
}

// imageCoord returns a storage image's coordinates padded to four.
func (t *translator) imageCoord(in *inst, id uint32, s *imageShape) *ir.Def {
	b := t.f.b
	c := t.intVector(id, 0, 0)
	n := coordComps(s)
	if s.dim == spv.DimCube {
		n = 3 // faces and layers are counted together
	}
	if int(c.NumComponents) < n {
		t.fail(in.id, "%s: the image has %d coordinates, %d are given", in.op, n, c.NumComponents)
	}
	c = t.signExtend(c, 32)
	comps := make([]*ir.Def, 4)
	for k := range comps {
		comps[k] = t.f.undef(1, 32)
		if k < n {
			comps[k] = b.Channel(c, k)
		}
	}
	return b.Vec(comps...)
}

// setImage fills the indices that all image intrinsics have.
func setImage(x *ir.Instr, ty *ir.Type, s *imageShape, access ir.Access) *ir.Instr {
	array := uint64(0)
	if s.arrayed {
		array = 1
	}
	return x.Set(ir.IdxImageDim, uint64(ty.Dim)).Set(ir.IdxImageArray, array).Set(ir.IdxFormat, uint64(s.format)).Set(ir.IdxAccess, uint64(access))
}

// storageImage returns the deref and type of a storage image operand.
func (t *translator) storageImage(in *inst, i int) (*pointer, *typ) {
	p, ty := t.opaqueOf(t.arg(in, i), tImage)
	if ty.image.sampled != 2 {
		t.fail(in.id, "%s: the image is not a storage image (Sampled is %d, not 2)", in.op, ty.image.sampled)
	}
	if ty.elem.bits == 64 {
		t.checkLack(in.id, spv.CapabilityInt64ImageEXT)
	}
	return p, ty
}

// storageOps reads the image operands of a read or write of a storage image, which begin at operand i.
func (t *translator) storageOps(in *inst, i int, s *imageShape) imageOperands {
	o := t.imageOps(in, i)
	t.checkOperands(in, &o, sFetch, s)
	if o.lod != nil {
		t.checkLack(in.id, spv.CapabilityImageReadWriteLodAMD)
	}
	return o
}

func (t *translator) imageRead(in *inst) {
	b := t.f.b
	if p, ty := t.opaqueOf(t.arg(in, 0), tImage); t.kernel && ty.image.sampled != 2 {
		t.kernelFetch(in, p, &ty.image)
		return
	}
	p, ty := t.storageImage(in, 0)
	if ty.image.dim == spv.DimSubpassData {
		t.subpassLoad(in, p, ty)
		return
	}
	o := t.storageOps(in, 2, &ty.image)
	sparse := in.op == spv.OpImageSparseRead
	res := t.texelResult(in, sparse)
	intr, n := ir.IntrImageDerefLoad, uint8(4)
	if sparse {
		intr, n = ir.IntrImageDerefSparseLoad, 5
	}
	x := b.Intrinsic(intr, n, res.scalarType().bits, t.derefOf(p), t.imageCoord(in, t.arg(in, 1), &ty.image), t.or0(o.sample), t.or0(o.lod))
	setImage(x, ty.ir, &ty.image, p.access|o.access)
	class := texelClass(res)
	switch {
	case class != ir.ClassFloat && o.signExt:
		class = ir.ClassInt
	case class != ir.ClassFloat && o.zeroExt:
		class = ir.ClassUint
	}
	x.Set(ir.IdxDestType, ir.ALUType{Class: class, Bits: res.scalarType().bits}.Pack())
	t.setTexel(in, &x.Def, res, sparse)
}

func (t *translator) or0(d *ir.Def) *ir.Def {
	if d == nil {
		return t.f.u32(0)
	}
	return d
}

// texelResult returns the type of the texel that an instruction gives.
func (t *translator) texelResult(in *inst, sparse bool) *typ {
	ty := t.typeOf(in.typ)
	if sparse {
		if ty.kind != tStruct || len(ty.members) != 2 {
			t.fail(in.id, "%s: the result type is not a struct of code and texel", in.op)
		}
		ty = ty.members[1]
	}
	if !ty.numeric() || ty.isBool() {
		t.fail(in.id, "%s: the texel is not a number", in.op)
	}
	return ty
}

// setTexel defines the result of an instruction that gives a texel, perhaps
// with a residency code after it.
func (t *translator) setTexel(in *inst, d *ir.Def, ty *typ, sparse bool) {
	b := t.f.b
	n, _ := ty.shape()
	have := int(d.NumComponents)
	if sparse {
		have--
	}
	if int(n) > have {
		t.fail(in.id, "%s: the result has %d components, the texel has %d", in.op, n, have)
	}
	v := b.Channels(d, 0, int(n))
	if !sparse {
		t.set(in, v)
		return
	}
	l := t.leaves.Slice(2)
	l[0], l[1] = t.toU32(b.Channel(d, have)), v
	t.setLeaves(in, t.typeOf(in.typ), l)
}

func (t *translator) imageWrite(in *inst) {
	b := t.f.b
	p, ty := t.storageImage(in, 0)
	if ty.image.dim == spv.DimSubpassData {
		t.fail(0, "OpImageWrite to an input attachment is not allowed")
	}
	o := t.storageOps(in, 3, &ty.image)
	coord := t.imageCoord(in, t.arg(in, 1), &ty.image)
	v := t.vector(t.arg(in, 2))
	vt := t.valType(in.args[2])
	if vt.isBool() {
		t.fail(0, "OpImageWrite of booleans is not allowed")
	}
	if n := int(v.NumComponents); n < 4 {
		comps := make([]*ir.Def, 4)
		for k := range comps {
			comps[k] = t.f.undef(1, v.BitSize)
			if k < n {
				comps[k] = b.Channel(v, k)
			}
		}
		v = b.Vec(comps...)
	}
	x := b.Effect(ir.IntrImageDerefStore, t.derefOf(p), coord, t.or0(o.sample), v, t.or0(o.lod))
	setImage(x, ty.ir, &ty.image, p.access|o.access)
	x.Set(ir.IdxSrcType, ir.ALUType{Class: texelClass(vt), Bits: v.BitSize}.Pack())
}

// texelPointer translates OpImageTexelPointer, which only atomics use.
func (t *translator) texelPointer(in *inst) {
	p := t.ptr(t.arg(in, 0))
	if p.typ.kind != tImage || p.mode != ir.ModeImage {
		t.fail(in.id, "%s is not of a storage image", in.op)
	}
	t.texelOf(in, p)
}

// texelOf makes the texel of an image that operands 1 and 2 name: coordinates and a sample.
func (t *translator) texelOf(in *inst, p *pointer) {
	x := &texel{img: t.nonUniform(in, p), coord: t.imageCoord(in, t.arg(in, 1), &p.typ.image)}
	x.sample = t.toU32(t.intVector(t.arg(in, 2), 1, 0))
	t.vals[t.index(in.id)] = value{kind: vTexel, typ: t.typeOf(in.typ), obj: x}
}

// imageAtomic translates an atomic on a texel.
func (t *translator) imageAtomic(in *inst, x *texel, op ir.AtomicOp, access ir.Access) {
	b := t.f.b
	s := &x.img.typ.image
	ty := t.val(in.args[0]).typ
	if ty.untyped { // the atomic says what a texel is, as the image does
		ty = x.img.typ.elem
	} else {
		ty = t.pointee(ty)
	}
	if ty.kind != tInt && ty.kind != tFloat {
		t.fail(in.id, "%s: the texel is not a scalar", in.op)
	}
	t.atomicClass(in, ty)
	d := t.derefOf(x.img)
	access |= x.img.access
	switch in.op {
	case spv.OpAtomicLoad:
		r := b.Intrinsic(ir.IntrImageDerefLoad, 4, ty.bits, d, x.coord, x.sample, t.f.u32(0))
		setImage(r, x.img.typ.ir, s, access|ir.AccessCoherent)
		r.Set(ir.IdxDestType, ir.ALUType{Class: texelClass(ty), Bits: ty.bits}.Pack())
		t.set(in, b.Channel(&r.Def, 0))
		return
	case spv.OpAtomicStore, spv.OpAtomicFlagClear:
		v := t.f.constant(ty.bits, 0)
		if in.op == spv.OpAtomicStore {
			v = t.atomicOperand(in, 3, ty)
		}
		r := b.Effect(ir.IntrImageDerefStore, d, x.coord, x.sample, b.Swizzle(v, 0, 0, 0, 0), t.f.u32(0))
		setImage(r, x.img.typ.ir, s, access|ir.AccessCoherent)
		r.Set(ir.IdxSrcType, ir.ALUType{Class: texelClass(ty), Bits: ty.bits}.Pack())
		return
	}
	if !atomicFormat(s.format, ty.bits, op) {
		t.fail(in.id, "%s on an image of format %s is not allowed", in.op, s.format)
	}
	data, compare := t.atomicData(in, ty)
	var r *ir.Instr
	if compare != nil {
		r = b.Intrinsic(ir.IntrImageDerefAtomicSwap, 1, ty.bits, d, x.coord, x.sample, compare, data)
	} else {
		r = b.Intrinsic(ir.IntrImageDerefAtomic, 1, ty.bits, d, x.coord, x.sample, data)
	}
	setImage(r, x.img.typ.ir, s, access).Set(ir.IdxAtomicOp, uint64(op))
	t.atomicResult(in, &r.Def)
}

// atomicFormat reports whether an atomic of the size works on texels of a format.
func atomicFormat(f spv.ImageFormat, bits uint8, op ir.AtomicOp) bool {
	isFloat := op == ir.AtomicFAdd || op == ir.AtomicFMin || op == ir.AtomicFMax
	switch f {
	case spv.ImageFormatUnknown:
		return true
	case spv.ImageFormatR32f:
		return bits == 32 && (isFloat || op == ir.AtomicXchg)
	case spv.ImageFormatR16f:
		return bits == 16 && isFloat && op != ir.AtomicFAdd
	case spv.ImageFormatR32ui, spv.ImageFormatR32i:
		return bits == 32 && !isFloat
	case spv.ImageFormatR64ui, spv.ImageFormatR64i:
		return bits == 64 && !isFloat
	}
	return false
}
