package ir3

import (
	"math"

	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// image selects an access to a storage image or storage texel buffer: typed
// ldib, stib and atomics, whose coordinates have the layer after them.
func (s *isel) image(in *ir.Instr) {
	dim := ir.Dim(in.Get(ir.IdxImageDim))
	if dim == ir.DimSubpass || dim == ir.DimSubpassMS {
		s.fail(in, "storage images of dimension %s (%s) are not supported by the ir3 backend", dim, in.Intr)
		return
	}
	x := imageSel{s: s, in: in, dim: dim, array: in.Get(ir.IdxImageArray) != 0}
	x.res = s.resource(in, in.Srcs[0].Def, false)
	if s.err != nil {
		return
	}
	switch in.Intr {
	case ir.IntrImageDerefLoad:
		s.setComps(&in.Def, x.load(int(in.Def.NumComponents))...)
	case ir.IntrImageDerefSparseLoad:
		x.sparseLoad()
	case ir.IntrImageDerefStore:
		x.store()
	case ir.IntrImageDerefSize:
		x.size()
	case ir.IntrImageDerefSamples:
		n := immediate(1, false)
		if dim == ir.DimMS {
			n = x.samples()
		}
		if isHalf(&in.Def) {
			n = s.narrow(n, 32)
		}
		s.setComps(&in.Def, n)
	default:
		x.atomic()
	}
}

type imageSel struct {
	s     *isel
	in    *ir.Instr
	dim   ir.Dim
	array bool
	res   texResource
}

// dims is the number of coordinates; a cube is an array of faces.
func (x *imageSel) dims() int {
	n := 2
	switch x.dim {
	case ir.Dim1D, ir.DimBuf:
		if n = 1; faults.has(faultImageCoords) {
			n = 2
		}
	case ir.Dim3D, ir.DimCube, ir.DimMS:
		return 3
	}
	if x.array {
		n++
	}
	return n
}

// samples asks the image for its samples.
func (x *imageSel) samples() opnd {
	q := texSel{s: x.s, in: x.in, tex: x.res}
	return q.emit(isa.Instr{Op: isa.OpGetinfo, Type: isa.U32}, 1<<3, nil, nil)[3]
}

// sampleLayer is the third coordinate of a multisampled image: its samples
// are bound as layers, those of layer l from l*samples on. A sample that does not
// exist leads outside, not to another layer, and so does a layer whose samples' numbers overflow.
func (x *imageSel) sampleLayer(layer opnd) opnd {
	s := x.s
	sample := s.comp(x.in.Srcs[2].Def, 0)
	if !x.array {
		return sample
	}
	if s.sh.Options.Robust.Images != ir.RobustOff {
		layer = s.value(s.reg(s.alu2(isa.Instr{Op: isa.OpMinU}, false, false, immInt, layer, immediate(math.MaxUint16, false))))
	}
	n := s.once(x.samples())
	sample = s.value(s.reg(sample))
	at := s.mad32(layer, n, sample)
	in := s.alu2(isa.Instr{Op: isa.OpCmpsU, Cond: condLT}, false, false, immInt, sample, n)
	return s.alu3(isa.Instr{Op: isa.OpSelB32}, form3{}, at, in, s.value(s.movImm(immediate(^uint32(0), false))))
}

func (x *imageSel) coords() mach.Value { return x.s.collect(x.coordOps()...) }

// coordOps are the coordinates, with room for one more.
func (x *imageSel) coordOps() []opnd {
	d := x.in.Srcs[1].Def
	ops := make([]opnd, x.dims(), 4)
	if x.dim == ir.DimMS {
		layer := opnd{}
		if x.array {
			layer = x.s.value(x.s.reg(x.s.comp(d, 2)))
		}
		ops[2] = x.sampleLayer(layer)
		ops[0], ops[1] = x.s.comp(d, 0), x.s.comp(d, 1)
		return ops
	}
	for k := range ops {
		ops[k] = x.s.comp(d, k)
		if d.BitSize == 16 {
			ops[k] = x.s.cov(isa.S16, isa.S32, 0, ops[k])
		}
	}
	return ops
}

// descriptor is the operand i of t.
func (x *imageSel) descriptor(t *isa.Instr, i int, uses []mach.Value) []mach.Value {
	t.Set = int8(x.res.set) + 1
	if x.res.slot.kind == opImm && x.res.slot.bits < 256 {
		t.Mode, t.Srcs[i] = isa.ModeImm, isa.I(int32(x.res.slot.bits))
		return uses
	}
	t.Mode = isa.ModeNonuniform
	return x.s.register(t, i, x.s.reg(x.res.slot), 0, uses)
}

// texelType is the type of texels in registers.
func (x *imageSel) texelType(idx ir.Index, bits uint8) (isa.Type, bool) {
	t := isa.U32
	switch ir.UnpackALUType(x.in.Get(idx)).Class {
	case ir.ClassFloat:
		t = isa.F32
	case ir.ClassInt:
		t = isa.S32
	}
	switch bits {
	case 32:
		return t, true
	case 16:
		return map16[t], true
	}
	x.s.fail(x.in, "%s of %d-bit components is not supported by the ir3 backend", x.in.Intr, bits)
	return t, false
}

var map16 = [...]isa.Type{isa.F32: isa.F16, isa.U32: isa.U16, isa.S32: isa.S16}

// load reads the first n components of the result.
func (x *imageSel) load(n int) []opnd {
	s, def := x.s, &x.in.Def
	if def.BitSize == 64 {
		return x.loadWide(n)
	}
	typ, ok := x.texelType(ir.IdxDestType, def.BitSize)
	if !ok {
		return make([]opnd, n)
	}
	mask := uint8(def.ComponentsRead()) & (1<<n - 1)
	if x.readOnly() {
		r := x.fetch(typ, mask)
		return r[:n]
	}
	used := 0
	for m := mask; m != 0; m >>= 1 {
		used++
	}
	used = max(used, 1)
	t := isa.Instr{Op: isa.OpLdib, Flags: isa.Typed | volatileFlag(x.in), Dims: uint8(x.dims()), Type: typ, Size: uint16(used)}
	uses := s.register(&t, 0, x.coords(), 0, nil)
	uses = x.descriptor(&t, 1, uses)
	d := s.f.NewValue(gprClass(typ.Half()), used)
	s.add(t, d, uses...)
	ops := s.split(d, used)
	for len(ops) < n {
		ops = append(ops, immediate(0, typ.Half()))
	}
	return ops
}

// loadWide reads a texel of one component of 64 bits, which is bound as two of 32 [assume]: in words.
func (x *imageSel) loadWide(n int) []opnd {
	s := x.s
	if !x.wideTexels() {
		return nil
	}
	t := isa.Instr{Op: isa.OpLdib, Flags: isa.Typed | volatileFlag(x.in), Dims: uint8(x.dims()), Type: isa.U32, Size: 2}
	uses := s.register(&t, 0, x.coords(), 0, nil)
	uses = x.descriptor(&t, 1, uses)
	d := s.f.NewValue(classFull, 2)
	s.add(t, d, uses...)
	ops := s.split(d, 2)
	for len(ops) < 2*n {
		ops = append(ops, immediate(0, false))
	}
	if n == 4 {
		ops[6] = immediate(1, false)
	}
	return ops
}

// wideTexels refuses texels of 64 bits where there are none.
func (x *imageSel) wideTexels() bool {
	if !x.s.gpu.Atomic64 {
		x.s.fail(x.in, "images of 64-bit components are not supported on %s: the hardware has no 64-bit atomics, needs a740", x.s.gpu.Name)
	}
	return x.s.gpu.Atomic64
}

// sparseLoad has the residency code after the texel: the texture path gives it, by the descriptor of the image.
func (x *imageSel) sparseLoad() {
	texel := x.load(int(x.in.Def.NumComponents) - 1)
	if x.s.err != nil {
		return
	}
	code := []opnd{x.fetch(isa.TexResidency, 1)[0]}
	if x.in.Def.BitSize == 64 {
		code = append(code, immediate(0, false))
	}
	x.s.setComps(&x.in.Def, append(texel, code...)...)
}

// readOnly reports whether an image that nobody writes is read by the texture
// path: one without layers, faces and samples.
func (x *imageSel) readOnly() bool {
	switch x.dim {
	case ir.Dim1D, ir.Dim2D, ir.Dim3D, ir.DimBuf:
		return !x.array && readOnlyAccess(x.in)
	}
	return false
}

// fetch reads a texel by isam. A line is a plane with y 0.
func (x *imageSel) fetch(typ isa.Type, mask uint8) [4]opnd {
	t := isa.Instr{Op: isa.OpIsam, Type: typ, Flags: isa.Tex1D}
	c := x.coordOps()
	switch {
	case x.dim == ir.Dim1D || x.dim == ir.DimBuf:
		c = append(c[:1], append([]opnd{immediate(0, false)}, c[1:]...)...)
	case x.dim == ir.Dim3D:
		t.Flags |= isa.Tex3D
	}
	if x.array || x.dim == ir.DimCube || x.dim == ir.DimMS {
		t.Flags |= isa.TexA
	}
	q := texSel{s: x.s, in: x.in, tex: x.res}
	return q.emit(t, mask, c, nil)
}

func (x *imageSel) store() {
	s, val := x.s, x.in.Srcs[3].Def
	typ, n, ok := isa.U32, int(val.NumComponents), true
	if val.BitSize == 64 {
		n, ok = 2, x.wideTexels() // the words of the only component
	} else {
		typ, ok = x.texelType(ir.IdxSrcType, val.BitSize)
	}
	if !ok {
		return
	}
	t := isa.Instr{Op: isa.OpStib, Flags: isa.Typed, Dims: uint8(x.dims()), Type: typ, Size: uint16(n)}
	uses := s.register(&t, 0, s.data(val, 0, n), 0, nil)
	uses = s.register(&t, 1, x.coords(), 0, uses)
	uses = x.descriptor(&t, 2, uses)
	s.add(t, 0, uses...)
}

func (x *imageSel) atomic() {
	s, in := x.s, x.in
	k, ok := s.atomicOp(in)
	if !ok {
		return
	}
	ops := s.atomicOperands(make([]opnd, backend.Parts(&in.Def)), in, 3)
	t := isa.Instr{Op: k.b, Flags: isa.Typed, Dims: uint8(x.dims()), Type: k.typ, Size: 1}
	s.atomicData(in, t, ops, x.coords(), x.descriptor)
}

// size asks for the size: x, y, z, with the layers in the place after the
// last dimension; cubes are counted by their six faces.
func (x *imageSel) size() {
	s, def := x.s, &x.in.Def
	if x.dim == ir.DimCube && x.array {
		s.broken(x.in, "the size of an array of cubes (%s) is left: lower_image makes it that of an array of faces", x.in.Intr)
		return
	}
	t := isa.Instr{Op: isa.OpResinfo, Dims: uint8(min(x.dims(), 3)), Type: isa.U32, Size: 1} // untyped, of images too (ir3.md §2.9.5)
	if faults.has(faultTypedResinfo) {
		t.Flags = isa.Typed
	}
	uses := x.descriptor(&t, 0, nil)
	d := s.f.NewValue(classFull, 3)
	s.add(t, d, uses...)
	ops := s.split(d, 3)
	if x.dim == ir.DimMS && x.array {
		// The layers of the image are those of the binding by its samples, a power of two.
		n := s.alu2(isa.Instr{Op: isa.OpClzB}, false, false, immInt, x.samples(), opnd{})
		n = s.alu2(isa.Instr{Op: isa.OpSubU}, false, false, immInt, immediate(31, false), n)
		ops[2] = s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, ops[2], n)
	}
	if def.BitSize == 16 {
		for k := range ops {
			ops[k] = s.narrow(ops[k], 32)
		}
	}
	s.setComps(def, ops[:min(3, int(def.NumComponents))]...)
}
