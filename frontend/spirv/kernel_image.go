package spirv

import (
	"fmt"
	"slices"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Images of kernels (OpenCL SPIR-V Environment Specification, “Image Types”). Those that are only read are textures, others storage images.
// A sampler that is an argument is the driver's; what one that is written in the program does is done here, by fetches: no descriptor
// need be made for it, and hardware's samplers do not have all that OpenCL's have (OpenCL 3.0, “Image Addressing and Filtering”).

// literalSampler is what OpConstantSampler says.
type literalSampler struct {
	mode               spv.SamplerAddressingMode
	normalized, linear bool
}

// samplerConst translates OpConstantSampler.
func (t *translator) samplerConst(in *inst) {
	ty := t.typeOf(in.typ)
	if ty.kind != tSampler {
		t.fail(in.id, "%s: the type is not a sampler", in.op)
	}
	s := &literalSampler{mode: spv.SamplerAddressingMode(in.args[0]), normalized: in.args[1] != 0, linear: spv.SamplerFilterMode(in.args[2]) == spv.SamplerFilterModeLinear}
	t.vals[t.index(in.id)] = value{kind: vSampler, typ: ty, obj: s}
}

// accessedShape gives the image of a kernel the kind that its accesses want.
func (sh *imageShape) accessedShape(args []uint32) {
	if sh.sampled == 0 {
		sh.sampled = 2
		if len(args) < 8 || spv.AccessQualifier(args[7]) == spv.AccessQualifierReadOnly {
			sh.sampled = 1
		}
	}
}

// kernelSample translates a lookup by a sampler.
func (t *translator) kernelSample(in *inst) {
	if in.op != spv.OpImageSampleExplicitLod {
		t.fail(in.id, "%s is not of kernels", in.op)
	}
	v := t.val(t.arg(in, 0))
	if v.kind != vSampled {
		t.fail(in.id, "%s: the operand is no sampled image", in.op)
	}
	s := v.obj.(*sampledImage)
	shape := &imageTypeOf(s.texture.typ).image
	t.filtered(in, shape)
	o := t.imageOps(in, 2)
	t.checkOperands(in, &o, sExplicit, shape)
	if o.given&^(spv.ImageOperandsLod|spv.ImageOperandsGrad|spv.ImageOperandsSignExtend|spv.ImageOperandsZeroExtend) != 0 {
		t.refuse(in.id, "%s in kernels: the image operands %s are not supported", in.op, o.given)
	}
	if s.literal != nil && o.ddx != nil {
		t.refuse(in.id, "%s by derivatives and a sampler that the program writes down is not supported: it says no filter between levels", in.op)
	}
	k := kernelLookup{lod: o.lod, ddx: o.ddx, ddy: o.ddy, t: t, in: in, tex: s.texture, shape: shape, res: t.texelResult(in, false), signed: o.signExt, sampler: s.literal}
	if s.literal == nil {
		k.bySampler(s.sampler)
		return
	}
	k.byFetches()
}

func zeroValue(d *ir.Def) bool {
	v, ok := d.Const(0)
	return ok && v == 0
}

// kernelFetch translates a read without a sampler of an image that is only read.
func (t *translator) kernelFetch(in *inst, p *pointer, shape *imageShape) {
	o := t.imageOps(in, 2)
	t.checkOperands(in, &o, sFetch, shape)
	k := kernelLookup{t: t, in: in, tex: p, shape: shape, res: t.texelResult(in, false), signed: o.signExt}
	c := t.signExtend(t.intVector(t.arg(in, 1), 0, 0), 32)
	t.setTexel(in, k.fetch(k.needed(t.components(c))), k.res, false)
}

// kernelLookup is a lookup in the making.
type kernelLookup struct {
	t       *translator
	in      *inst
	tex     *pointer
	shape   *imageShape
	res     *typ
	signed  bool
	sampler *literalSampler
	size    []*ir.Def // in texels, of each coordinate
	// lod is the level of detail, nil for 0, or else there are derivatives. level is the number of the level that fetches read.
	lod, ddx, ddy, level *ir.Def
}

// needed are the coordinates that the image has.
func (k *kernelLookup) needed(c []*ir.Def) []*ir.Def {
	n := coordComps(k.shape)
	if len(c) < n {
		k.t.fail(k.in.id, "%s: %d coordinates are wanted, %d are given", k.in.op, n, len(c))
	}
	return c[:n]
}

func (k *kernelLookup) class() ir.TypeClass {
	if c := texelClass(k.res); c == ir.ClassFloat || !k.signed {
		return c
	}
	return ir.ClassInt
}

// bySampler leaves the lookup to the hardware; whole coordinates are those of texels' centres.
func (k *kernelLookup) bySampler(smp *pointer) {
	t := k.t
	b := t.f.b
	op := ir.TexOpTxl
	if k.ddx != nil {
		op = ir.TexOpTxd
	}
	x := t.newTex(op, 4, k.res.scalarType().bits, k.class(), k.tex, smp, k.shape)
	c := t.vector(t.arg(k.in, 1))
	if t.valType(k.in.args[1]).isInt() {
		c = b.I2f32(t.signExtend(c, 32))
		c = b.Fadd(c, t.float1(0.5, c))
	}
	n := coordComps(k.shape)
	if int(c.NumComponents) < n {
		t.fail(k.in.id, "%s: %d coordinates are wanted, %d are given", k.in.op, n, c.NumComponents)
	}
	x.TexInfo().CoordComponents = uint8(n)
	t.s.AddTexSrc(x, ir.TexSrcCoord, b.Channels(c, 0, n))
	switch {
	case k.ddx != nil:
		t.s.AddTexSrc(x, ir.TexSrcDdx, k.ddx)
		t.s.AddTexSrc(x, ir.TexSrcDdy, k.ddy)
	case k.lod != nil:
		t.s.AddTexSrc(x, ir.TexSrcLod, k.lod)
	default:
		t.s.AddTexSrc(x, ir.TexSrcLod, b.ImmFloat(0, 32))
	}
	b.Insert(x)
	t.setTexel(k.in, &x.Def, k.res, false)
}

// fetch reads the texel at whole coordinates.
func (k *kernelLookup) fetch(c []*ir.Def) *ir.Def {
	t := k.t
	x := t.newTex(ir.TexOpTxf, 4, k.res.scalarType().bits, k.class(), k.tex, nil, k.shape)
	x.TexInfo().CoordComponents = uint8(len(c))
	t.s.AddTexSrc(x, ir.TexSrcCoord, t.f.b.Vec(c...))
	if k.shape.dim != spv.DimBuffer {
		t.s.AddTexSrc(x, ir.TexSrcLod, t.or0(k.level))
	}
	t.f.b.Insert(x)
	return &x.Def
}

// nearestLevel is the level that a literal sampler reads, the nearest one, of several the lower (Vulkan, “Image Level(s) Selection”).
func (k *kernelLookup) nearestLevel() {
	t := k.t
	b := t.f.b
	if k.lod == nil || zeroValue(k.lod) {
		return
	}
	lod := t.widen(k.lod)
	x := t.newTex(ir.TexOpQueryLevels, 1, 32, ir.ClassInt, k.tex, nil, k.shape)
	b.Insert(x)
	at := b.F2i32(b.Fsub(b.Fceil(b.Fadd(lod, t.float1(0.5, lod))), t.float1(1, lod)))
	k.level = b.Imin(b.Imax(at, t.f.u32(0)), b.Isub(&x.Def, t.f.u32(1)))
}

// querySize fills in the size.
func (k *kernelLookup) querySize() {
	t := k.t
	n := coordComps(k.shape)
	x := t.newTex(ir.TexOpTxs, uint8(n), 32, ir.ClassInt, k.tex, nil, k.shape)
	t.s.AddTexSrc(x, ir.TexSrcLod, t.or0(k.level))
	t.f.b.Insert(x)
	k.size = t.components(&x.Def)
}

// texelPlace is where a lookup reads along one coordinate: a texel, or two of which the second counts by a weight.
type texelPlace struct {
	at     [2]*ir.Def
	weight *ir.Def // nil: the first alone
}

// byFetches does what a literal sampler does.
func (k *kernelLookup) byFetches() {
	t := k.t
	k.nearestLevel()
	k.querySize()
	c := k.needed(t.components(t.vector(t.arg(k.in, 1))))
	whole := t.valType(k.in.args[1]).isInt()
	places := make([]texelPlace, len(c))
	for i := range c {
		switch layer := k.shape.arrayed && i == len(c)-1; {
		case whole:
			places[i].at[0] = t.signExtend(c[i], 32)
		case layer:
			places[i].at[0] = t.f.b.F2i32(t.f.b.FroundEven(c[i]))
		default:
			places[i] = k.place(c[i], k.size[i])
		}
	}
	t.setTexel(k.in, k.blend(places, nil), k.res, false)
}

// place is where the coordinate u falls.
func (k *kernelLookup) place(u, size *ir.Def) (p texelPlace) {
	t := k.t
	b := t.f.b
	n := b.I2f32(size)
	if k.sampler.normalized {
		switch k.sampler.mode {
		case spv.SamplerAddressingModeRepeat:
			u = b.Fsub(u, b.Ffloor(u))
		case spv.SamplerAddressingModeRepeatMirrored:
			u = b.Fabs(b.Fsub(u, b.Fmul(t.float1(2, u), b.FroundEven(b.Fmul(t.float1(0.5, u), u)))))
		}
		u = b.Fmul(u, n)
	}
	if !k.sampler.linear || !k.res.isFloat() {
		p.at[0] = k.wrap(b.F2i32(b.Ffloor(u)), size)
		return p
	}
	u = b.Fsub(u, t.float1(0.5, u))
	first := b.Ffloor(u)
	p.weight = b.Fsub(u, first)
	at := b.F2i32(first)
	p.at = [2]*ir.Def{k.wrap(at, size), k.wrap(b.Iadd(at, t.f.u32(1)), size)}
	return p
}

// wrap brings a texel that rounding or filtering has taken one step outside back, where coordinates repeat.
func (k *kernelLookup) wrap(i, size *ir.Def) *ir.Def {
	if k.sampler.mode != spv.SamplerAddressingModeRepeat {
		return i // inside reads the edge, or the border
	}
	b := k.t.f.b
	i = b.Bcsel(b.Ige(i, size), b.Isub(i, size), i)
	return b.Bcsel(b.Ilt(i, k.t.f.u32(0)), b.Iadd(i, size), i)
}

// blend reads the texels of the places that are not chosen yet, and weighs them.
func (k *kernelLookup) blend(places []texelPlace, chosen []*ir.Def) *ir.Def {
	if len(chosen) == len(places) {
		return k.inside(chosen)
	}
	p := &places[len(chosen)]
	side := func(i int) *ir.Def {
		return k.blend(places, append(chosen[:len(chosen):len(chosen)], p.at[i]))
	}
	first := side(0)
	if p.weight == nil {
		return first
	}
	w := k.t.narrow(p.weight, first.BitSize)
	return k.t.f.b.Flrp(first, side(1), k.t.spread(w, 4))
}

// inside reads the texel at coordinates that may be outside: of the edge, or the border, which is zeros.
func (k *kernelLookup) inside(c []*ir.Def) *ir.Def {
	t := k.t
	b := t.f.b
	border := k.sampler.mode == spv.SamplerAddressingModeClamp
	var out *ir.Def
	held := make([]*ir.Def, len(c))
	for i := range c {
		last := b.Isub(k.size[i], t.f.u32(1))
		held[i] = b.Imin(b.Imax(c[i], t.f.u32(0)), last)
		if layer := k.shape.arrayed && i == len(c)-1; border && !layer {
			o := b.Ine(held[i], c[i])
			if out == nil {
				out = o
			} else {
				out = b.Ior(out, o)
			}
		}
	}
	texel := k.fetch(held)
	if out == nil {
		return texel
	}
	zero := t.f.constant(texel.BitSize, 0)
	return b.Bcsel(t.spread(out, 4), t.spread(zero, 4), texel)
}

// Compilers that do not optimise keep the images and samplers of kernels in variables of the function. OpenCL C has no variables of
// images, nor assigns to samplers, so such a variable is stored to once, where the function begins, and stands for what is stored.

// holds reports whether a pointer is such a variable.
func (t *translator) holds(ty *typ, p *pointer) bool {
	return t.kernel && ty.byReference() && p.v != nil && p.v.sc == spv.StorageClassFunction && p.typ.kind == ty.kind
}

// storeHeld keeps an image or a sampler that a variable is to hold, and reports whether the store is of one.
func (t *translator) storeHeld(in *inst, ty *typ, p *pointer) bool {
	if !t.holds(ty, p) {
		return false
	}
	if id := in.args[1]; p.v.held == 0 {
		p.v.held = id
	} else if p.v.held != id {
		t.refuse(p.v.id, "the variable %q holds one %s and then another: which it is cannot be chosen by a variable", t.nameOf(p.v.id), ty)
	}
	return true
}

// loadHeld defines what a variable holds, and reports whether the load is of one.
func (t *translator) loadHeld(in *inst, ty *typ, p *pointer) bool {
	if !t.holds(ty, p) {
		return false
	}
	if p.v.held == 0 {
		t.refuse(in.id, "the variable %q is loaded before an image or a sampler is stored to it", t.nameOf(p.v.id))
	}
	t.vals[t.index(in.id)] = *t.val(p.v.held)
	return true
}

// formatArguments adds, for each image that is an argument of a kernel that asks for channels, an argument of two words: their
// order and their data type as SPIR-V numbers them. No hardware tells.
func (t *translator) formatArguments(l *argumentBlock) {
	a := &t.args
	a.formats = make([]int, len(a.opaque))
	asks := false
	for _, f := range t.order {
		for i := f.first; i < f.last; i++ {
			op := t.m.Insts[i].Op
			asks = asks || op == spv.OpImageQueryOrder || op == spv.OpImageQueryFormat
		}
	}
	for k, v := range a.opaque {
		if a.formats[k] = -1; !asks || v == nil || v.typ.kind != tImage {
			continue
		}
		name := fmt.Sprintf("image_format.%d", k)
		a.formats[k] = l.add(name, ir.VectorType(ir.BaseUint, 32, 2), 8, 4)
		t.s.Arguments = append(t.s.Arguments, ir.Argument{Name: name, Kind: ir.ArgHidden, Offset: uint32(l.block.Fields[a.formats[k]].Offset), Size: 8})
	}
}

// imageFormat translates the queries of the order and the data type of an image's channels.
func (t *translator) imageFormat(in *inst) {
	b := t.f.b
	t.opaqueOf(t.arg(in, 0), tImage)
	at := t.imageArgument(in.args[0], 0)
	if !t.kernel || at < 0 || at >= len(t.args.formats) || t.args.formats[at] < 0 {
		t.refuse(in.id, "%s of an image that is not always the same argument of the kernel is not supported: an argument says it", in.op)
	}
	words := b.LoadDeref(b.DerefStruct(b.DerefVar(t.args.block), t.args.formats[at]), 0)
	k := 0
	if in.op == spv.OpImageQueryFormat {
		k = 1
	}
	t.set(in, b.Mov(b.Channel(words, k)))
}

// maxImageCalls is how many calls and variables an image is followed through to the argument that it is.
const maxImageCalls = 32

// imageArgument is the parameter of the kernel that an image is, through the calls and the variables that hand it on, -1 if that is not one.
func (t *translator) imageArgument(id uint32, depth int) int {
	i := t.index(id)
	in := &t.m.Insts[i]
	if depth > maxImageCalls {
		return -1
	}
	switch in.Op {
	case spv.OpCopyObject:
		return t.imageArgument(in.Arg(0), depth+1)
	case spv.OpLoad:
		return t.sameArgument(func(x *spv.Instruction) (uint32, bool) {
			if x.Op != spv.OpStore || x.Arg(0) != in.Arg(0) {
				return 0, false
			}
			return x.Arg(1), true
		}, depth)
	case spv.OpFunctionParameter:
	default:
		return -1
	}
	for _, f := range t.order {
		k := slices.Index(f.params, int32(i))
		switch {
		case k < 0:
			continue
		case f.id == t.entry.ID:
			return k
		}
		return t.sameArgument(func(x *spv.Instruction) (uint32, bool) {
			if x.Op != spv.OpFunctionCall || x.Arg(0) != f.id || x.NumArgs() <= k+1 {
				return 0, false
			}
			return x.Arg(k + 1), true
		}, depth)
	}
	return -1
}

// sameArgument is the argument that all images are which from gives for instructions of the kernel's functions, -1 if they differ.
func (t *translator) sameArgument(from func(*spv.Instruction) (uint32, bool), depth int) int {
	found := -1
	for _, f := range t.order {
		t.spend(int(f.last - f.first))
		for i := f.first; i < f.last; i++ {
			id, ok := from(&t.m.Insts[i])
			if !ok {
				continue
			}
			k := t.imageArgument(id, depth+1)
			if k < 0 || found >= 0 && k != found {
				return -1
			}
			found = k
		}
	}
	return found
}
