package agx

import (
	"math"
	"math/bits"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/backend/resource"
	"nirc/ir"
)

// texture is a texture operand: a state register, or a byte offset in the heap.
type texture struct {
	state  int
	offset opnd // of the heap, if kind is not opNone
}

// variable finds the variable of a texture or sampler deref and the index of the
// element in its array.
func (s *isel) variable(d *ir.Def) (v *ir.Variable, index opnd) {
	return resource.Element(d, imm32(0), func(x *ir.Def, stride uint32, sum opnd) opnd { return s.scaled(s.comp(x, 0), stride, sum) })
}

// scaled computes n*stride + add, folding constants.
func (s *isel) scaled(n opnd, stride uint32, add opnd) opnd {
	n = s.sized(n, false)
	if n.kind == opImm {
		n = imm32(n.bits * stride)
	} else {
		n = s.imul(false, n, imm32(stride))
	}
	switch {
	case add.isImm(0):
		return n
	case n.kind == opImm && add.kind == opImm:
		return imm32(n.bits + add.bits)
	}
	return s.addSub(false, n, add, false)
}

// texture finds the texture of a deref; write wants the descriptor for writing.
func (s *isel) texture(in *ir.Instr, d *ir.Def, write bool) texture {
	v, index := s.variable(d)
	if index.kind == opImm {
		if n, ok := s.res.textureState(v, index.bits, write); ok {
			return texture{state: n}
		}
	}
	return texture{offset: s.heapOffset(in, v, index, write)}
}

// sampled finds the texture of a texture operation. One that an index chooses has its place computed.
func (s *isel) sampled(in *ir.Instr) texture {
	if h := in.TexSrc(ir.TexSrcTextureHandle); h != nil {
		return texture{offset: s.comp(h.Def, 0)}
	}
	return s.texture(in, in.TexSrc(ir.TexSrcTextureDeref).Def, false)
}

// heapOffset is the byte offset of a descriptor in the heap.
func (s *isel) heapOffset(in *ir.Instr, v *ir.Variable, index opnd, write bool) opnd {
	h := s.res.heapRange(v)
	at := h.First * abi.HeapEntrySize
	if write {
		at += abi.HeapEntrySize
	}
	return s.scaled(index, h.Stride*abi.HeapEntrySize, imm32(at))
}

// heapBase is the heap's address.
func (s *isel) heapBase(in *ir.Instr) address {
	n := s.take(in, abi.Uniform{Kind: abi.UniformHeap}, heapHalves)
	return address{uniform: true, number: n}
}

// texOperand makes a texture sources heap and tex of t.
func (s *isel) texOperand(in *ir.Instr, t *isa.Instr, heap, tex int, x texture, uses []mach.Value) []mach.Value {
	if x.offset.kind == opNone {
		t.Srcs[tex] = isa.Operand{Kind: isa.TS, Val: int32(x.state)}
		return uses
	}
	b := s.heapBase(in)
	t.Srcs[heap] = isa.Operand{Kind: isa.Uniform, Size: 64, Count: 1, Val: int32(b.number)}
	return s.register(t, tex, s.reg(x.offset), uses)
}

// samplerOperand makes a sampler source i of t.
func (s *isel) samplerOperand(in *ir.Instr, t *isa.Instr, i int, d *ir.Def, uses []mach.Value) []mach.Value {
	if h := in.TexSrc(ir.TexSrcSamplerHandle); h != nil {
		return s.register(t, i, s.reg(s.sized(s.comp(h.Def, 0), true)), uses)
	}
	v, index := s.variable(d)
	if index.kind == opImm {
		if n, ok := s.res.samplerState(v, index.bits); ok {
			t.Srcs[i] = isa.Operand{Kind: isa.SS, Val: int32(n)}
			return uses
		}
	}
	h, err := s.res.samplerEntry(v)
	if err != nil {
		s.fail(in, "the sampler %s, which has no state register: %v", v.Name, err)
	}
	return s.register(t, i, s.reg(s.sized(s.scaled(index, h.Stride, imm32(h.First)), true)), uses)
}

// texDims are the dimensions of instructions. One dimension is two with a height of 1: hardware has
// no mip levels of the other form (agx.md §8.7).
var texDims = [...]struct{ plain, array isa.Dim }{
	ir.Dim1D: {isa.Dim2D, isa.Dim2DArray}, ir.Dim2D: {isa.Dim2D, isa.Dim2DArray}, ir.Dim3D: {isa.Dim3D, isa.Dim3D},
	ir.DimCube: {isa.DimCube, isa.DimCubeArray}, ir.DimRect: {isa.Dim2D, isa.Dim2DArray}, ir.DimBuf: {isa.Dim2D, isa.Dim2D},
	ir.DimExternal: {isa.Dim2D, isa.Dim2DArray}, ir.DimMS: {isa.Dim2DMS, isa.Dim2DMSArray}, ir.DimSubpass: {isa.Dim2D, isa.Dim2DArray},
	ir.DimSubpassMS: {isa.Dim2DMS, isa.Dim2DMSArray},
}

func texDim(d ir.Dim, array bool) isa.Dim {
	if d == ir.Dim1D && !array && faults.has(faultFlatTextures) {
		return isa.Dim1D
	}
	if array {
		return texDims[d].array
	}
	return texDims[d].plain
}

// texCoords collects coordinates: n numbers, then a register with layer or sample.
func (s *isel) texCoords(t *isa.Instr, i int, c []opnd, layer, sample opnd, uses []mach.Value) []mach.Value {
	switch t.Dim {
	case isa.Dim2DMS:
		c = append(c, s.sized(sample, false))
	case isa.Dim2DMSArray:
		lo, hi := s.sized(sample, true), s.sized(layer, true)
		c = append(c, s.join(lo, hi))
	case isa.Dim1DArray, isa.Dim2DArray, isa.DimCubeArray:
		c = append(c, s.sized(layer, false))
	}
	for k := range c {
		c[k] = s.sized(c[k], false)
	}
	t.Srcs[i] = isa.CoordRun(t.Dim, 0, false)
	return append(uses, s.collect(c...))
}

// bufferCoords turns the index of a texel into a place in the 2D shape of texel buffers. Hardware looks at
// that shape alone, whose last row may end after the buffer: to be robust the code looks at the number of texels.
func (s *isel) bufferCoords(in *ir.Instr, deref *ir.Def, x opnd, r ir.Robustness) []opnd {
	x = s.once(s.sized(x, false))
	c := []opnd{s.intOp(bitop(tableAnd), false, x, imm32(bufferWidth-1)), s.shiftRight(false, x, bufferWidthLog)}
	if r != ir.RobustOff && !faults.has(faultBufferRange) {
		size := s.descriptorWords(in, deref, 4, 1)[0]
		c[0] = s.selectBy(cond{op: isa.CondULT, a: x, b: size}, false, c[0], imm32(outside))
	}
	return c
}

// Texel buffers are 2D textures of this width.
const (
	bufferWidthLog = 14
	bufferWidth    = 1 << bufferWidthLog
)

// tex selects texture instructions.
func (s *isel) tex(in *ir.Instr) {
	ti := in.TexInfo()
	src := in.TexSrc(ir.TexSrcTextureDeref)
	if src == nil || ti.IsSparse && in.Def.BitSize != 32 || in.TexSrc(ir.TexSrcPlane) != nil {
		s.fail(in, "texture operations (%s) of this form are not supported by the agx backend", in.TexOp)
		return
	}
	if ti.Dim.IsSubpass() {
		s.broken(in, "a read of an input attachment (%s) is left: lower_input_attachments makes fetches of them", in.TexOp)
		return
	}
	switch in.TexOp {
	case ir.TexOpTxs:
		s.texSize(in, src.Def, ti.Dim, ti.IsArray, in.TexSrc(ir.TexSrcLod))
		return
	case ir.TexOpQueryLevels:
		s.texLevels(in, src.Def)
		return
	case ir.TexOpTextureSamples:
		s.texSamples(in, src.Def)
		return
	case ir.TexOpTg4:
		if ti.HasOffsets {
			s.gatherOffsets(in)
			return
		}
	case ir.TexOpTex, ir.TexOpTxb, ir.TexOpTxl, ir.TexOpTxd, ir.TexOpTxf, ir.TexOpTxfMs, ir.TexOpLod:
	default:
		s.fail(in, "texture operations (%s) are not supported by the agx backend", in.TexOp)
		return
	}
	off := opnd{}
	if o := in.TexSrc(ir.TexSrcOffset); o != nil {
		off = s.packOffset(o.Def)
	}
	if ops := s.sample(in, off); s.err == nil {
		s.setTexel(in, ops, ti.IsSparse)
	}
}

// setTexel gives in the components of a texel; a sparse access has the residency code after them.
func (s *isel) setTexel(in *ir.Instr, ops []opnd, sparse bool) {
	n := int(in.Def.NumComponents)
	if sparse {
		code := ops[4]
		if !faults.has(faultResidencyBits) {
			code = s.intOp(bitop(tableAnd), false, code, imm32(1)) // what the other bits say is not known
		}
		s.setComps(&in.Def, append(ops[:n-1:n-1], code)...)
		return
	}
	s.setComps(&in.Def, ops[:n]...)
}

// texel adds a texture instruction that gives the components of its mask, and returns all that there are: nobody reads
// those that the mask leaves out. The others are packed in the first of four registers, of which all are lost; eight are
// where the residency code comes after the texel (agx.md §8.3).
func (s *isel) texel(in *ir.Instr, t isa.Instr, sparse bool, uses []mach.Value) (ops []opnd, ext uint32) {
	n := 4
	if sparse {
		n = 8
		if err := t.SetField(isa.TexResidency, 2); err != nil {
			s.broken(in, "%v", err)
		}
	}
	if faults.has(faultTexelRoom) && !sparse {
		n = bits.OnesCount8(t.Mask)
	}
	d := s.f.NewValue(gprClass(isHalf(&in.Def)), n)
	m := s.add(t, d, uses...)
	s.code.tmpl[m.Ext].Dst.Count = uint8(bits.OnesCount8(t.Mask))
	packed := s.split(d, n)
	ops = s.code.opnds.Slice(max(n, 4))
	copy(ops, packed)
	for k := range 4 {
		ops[k] = packed[min(bits.OnesCount8(t.Mask&(1<<k-1)), n-1)]
	}
	return ops, m.Ext
}

// texelMask is what a texture instruction is asked for: the components that are read. Gathers give all, and so does what
// has the residency code behind them.
func texelMask(in *ir.Instr, sparse bool) uint8 {
	if sparse || in.TexOp == ir.TexOpTg4 && in.Kind == ir.KindTex {
		return 15
	}
	return max(uint8(in.Def.ComponentsRead()), 1)
}

// sample emits one texture instruction and returns its four components, of which a LOD query has two, and what comes after them.
func (s *isel) sample(in *ir.Instr, off opnd) []opnd {
	ti := in.TexInfo()
	fetch := in.TexOp == ir.TexOpTxf || in.TexOp == ir.TexOpTxfMs
	t := isa.Instr{Op: isa.OpTextureSample, Mask: texelMask(in, ti.IsSparse), Dim: texDim(ti.Dim, ti.IsArray)}
	if fetch {
		t.Op = isa.OpTextureLoad
	}
	switch in.TexOp {
	case ir.TexOpTg4:
		t.Gather = [4]isa.Gather{isa.GatherR, isa.GatherG, isa.GatherB, isa.GatherA}[ti.Component&3]
	case ir.TexOpLod:
		t.Mode, t.Mask = isa.TexQueryLod, 3
		if faults.has(faultQueryDim) {
			t.Dim = texDim(ti.Dim, false)
		}
	}
	uses := s.texOperand(in, &t, 0, 1, s.sampled(in), nil)
	if fetch {
		t.Srcs[2] = isa.Operand{Kind: isa.SS}
	} else if d := in.TexSrc(ir.TexSrcSamplerDeref); d != nil {
		uses = s.samplerOperand(in, &t, 2, d.Def, uses)
	} else {
		s.fail(in, "a texture operation (%s) without sampler is not supported", in.TexOp)
	}
	if s.err != nil {
		return nil
	}
	uses = s.sampleCoords(in, &t, fetch, uses)
	uses = s.lod(in, &t, fetch, uses)
	uses = s.compareOffset(in, &t, off, uses)
	if ti.Aliased && fetch && s.writesImages {
		if err := t.SetReadWrite(); err != nil {
			s.broken(in, "%v", err)
		}
	}
	ops, ext := s.texel(in, t, ti.IsSparse, uses)
	if ti.Aliased {
		s.code.aliased = append(s.code.aliased, ext)
	}
	return ops
}

func (s *isel) sampleCoords(in *ir.Instr, t *isa.Instr, fetch bool, uses []mach.Value) []mach.Value {
	ti := in.TexInfo()
	coord := in.TexSrc(ir.TexSrcCoord)
	if coord == nil {
		s.fail(in, "a texture operation (%s) without coordinates is not supported", in.TexOp)
		return uses
	}
	if in.TexSrc(ir.TexSrcProjector) != nil {
		s.broken(in, "a projector (%s) is left: lower_tex (projector) divides by it", in.TexOp)
		return uses
	}
	n := coordsOf(ti.Dim, t.Dim)
	layer, sample := imm32(0), imm32(0)
	var c []opnd
	if ti.Dim == ir.DimBuf {
		c = s.bufferCoords(in, in.TexSrc(ir.TexSrcTextureDeref).Def, s.comp(coord.Def, 0), s.sh.Options.Robust.Uniform)
	} else {
		for k := range n {
			o := s.comp(coord.Def, k)
			if isHalf(coord.Def) && !fetch {
				o.conv = true
			}
			c = append(c, s.value(s.reg(o)))
		}
		switch {
		case ti.Dim != ir.Dim1D || t.Dim == isa.Dim1D:
		case fetch:
			c = append(c, imm32(0))
		default:
			c = append(c, float32Imm(0.5)) // the middle of the only row
		}
	}
	if ti.IsArray && in.TexOp != ir.TexOpLod {
		layer = s.comp(coord.Def, n)
		if !fetch && ti.BackendFlags&texLayerDone == 0 {
			s.fail(in, "16-bit coordinates of texture arrays are not supported")
		}
	}
	if ms := in.TexSrc(ir.TexSrcMsIndex); ms != nil {
		sample = s.comp(ms.Def, 0)
	}
	if takenWhole(coord.Def) {
		if v := s.wholeVector(classFull, c); v != 0 {
			t.Srcs[3] = isa.CoordRun(t.Dim, 0, false)
			return append(uses, v)
		}
	}
	return s.texCoords(t, 3, c, layer, sample, uses)
}

// takenWhole reports whether all that reads coordinates are lookups that take them as they are: the vector may stay, for no
// component needs a register of its own, where each lookup but the last, and each round of a loop, would have a copy.
func takenWhole(d *ir.Def) bool {
	for u := range d.Uses() {
		if u.If != nil || u.Instr.Kind != ir.KindTex || u.Instr.TexSrc(ir.TexSrcCoord) != u {
			return false
		}
		if x := u.Instr.TexInfo(); x.IsArray || x.Dim == ir.DimMS || x.Dim == ir.DimBuf || x.Dim == ir.Dim1D {
			return false
		}
	}
	return true
}

// coordsOf is the number of spatial coordinates that an access of a dimension has, whose
// instruction has those of another.
func coordsOf(dim ir.Dim, as isa.Dim) int {
	if dim == ir.Dim1D {
		return 1
	}
	n, _ := as.Coords()
	return n
}

// lod makes the level of detail source 4 of t.
func (s *isel) lod(in *ir.Instr, t *isa.Instr, fetch bool, uses []mach.Value) []mach.Value {
	half := func(src *ir.Src) opnd {
		o := s.comp(src.Def, 0)
		switch {
		case isHalf(src.Def):
			return o
		case fetch:
			return s.sized(o, true)
		}
		if o = o.fold(); o.kind == opImm {
			return imm16(uint32(ir.FloatBits(float64(math.Float32frombits(o.bits)), 16)))
		}
		return s.value(s.fmov(o, true))
	}
	minLod, bias, lod := in.TexSrc(ir.TexSrcMinLod), in.TexSrc(ir.TexSrcBias), in.TexSrc(ir.TexSrcLod)
	ddx, ddy := in.TexSrc(ir.TexSrcDdx), in.TexSrc(ir.TexSrcDdy)
	t.Srcs[4] = isa.I(0)
	sb := s.samplerBias(in)
	implicit := in.TexOp == ir.TexOpTex || in.TexOp == ir.TexOpTxb || in.TexOp == ir.TexOpLod
	switch {
	case ddx != nil && ddy != nil:
		return s.gradient(in, t, minLod, half, sb, uses)
	case lod != nil:
		o := half(lod)
		if fetch && o.isImm(0) || in.TexInfo().Dim == ir.DimBuf {
			return uses
		}
		return s.explicitLod(t, s.notBelow(s.biased(o, sb), minLod, half), sb, uses)
	case in.TexOp == ir.TexOpTg4 && !faults.has(faultGatherLod):
		return uses // of the base level, of itself
	case in.TexOp == ir.TexOpTg4:
		return s.explicitLod(t, s.notBelow(s.biased(imm16(0), sb), minLod, half), sb, uses)
	}
	if implicit && s.sh.Stage != ir.StageFragment {
		s.broken(in, "an implicit LOD outside of fragment shaders: lower_tex (implicit_lod, group_lod) makes it explicit")
	}
	if implicit {
		return s.implicitLod(t, minLod, bias, half, sb, uses)
	}
	return uses
}

// implicitLod makes source 4 of a t that takes its level of detail from the derivatives of the coordinates, with a bias and a bound
// if there are any.
func (s *isel) implicitLod(t *isa.Instr, minLod, bias *ir.Src, half func(*ir.Src) opnd, sb samplerBias, uses []mach.Value) []mach.Value {
	s.wantQuads()
	switch {
	case minLod != nil:
		b := imm16(0)
		if bias != nil {
			b = half(bias)
		}
		t.Lod = isa.LodBiasMin
		if faults.has(faultOddHalves) {
			return s.register(t, 4, s.collect(s.biased(b, sb), half(minLod)), uses)
		}
		t.Srcs[4] = isa.H(0).Run(2)
		return append(uses, s.reg(s.join(s.biased(b, sb), half(minLod))))
	case bias != nil:
		t.Lod = isa.LodBias
		return s.register(t, 4, s.reg(s.biased(half(bias), sb)), uses)
	case sb.lod.kind == opNone:
		return uses
	case sb.lod.kind == opUniform:
		t.Lod = isa.LodBiasUniform
		t.Srcs[4] = isa.Operand{Kind: isa.Uniform, Size: 16, Count: 1, Val: int32(sb.lod.bits)}
		return uses
	}
	t.Lod = isa.LodBias
	return s.register(t, 4, s.reg(sb.lod), uses)
}

// explicitLod makes a biased level of detail source 4 of t. The bias of level 0 stands in a uniform
// register of those that the operand reaches.
func (s *isel) explicitLod(t *isa.Instr, lod opnd, sb samplerBias, uses []mach.Value) []mach.Value {
	if lod.kind == opUniform && lod == sb.lod {
		t.Lod = isa.LodMinUniform
		t.Srcs[4] = isa.Operand{Kind: isa.Uniform, Size: 16, Count: 1, Val: int32(lod.bits)}
		return uses
	}
	t.Lod = isa.LodMin
	return s.register(t, 4, s.reg(lod), uses)
}

// gradient collects explicit derivatives, coordinate by coordinate.
func (s *isel) gradient(in *ir.Instr, t *isa.Instr, minLod *ir.Src, half func(*ir.Src) opnd, sb samplerBias, uses []mach.Value) []mach.Value {
	ddx, ddy := in.TexSrc(ir.TexSrcDdx).Def, in.TexSrc(ir.TexSrcDdy).Def
	n := min(int(ddx.NumComponents), int(ddy.NumComponents))
	var c []opnd
	at := func(d *ir.Def, k int) opnd {
		o := s.comp(d, k)
		o.conv = isHalf(d)
		if sb.scale.kind != opNone {
			return s.intOp(isa.Instr{Op: isa.OpFmul32}, false, o, sb.scale)
		}
		return s.value(s.reg(o))
	}
	for k := range n {
		c = append(c, at(ddx, k), at(ddy, k))
	}
	if n == 1 {
		c = append(c, imm32(0), imm32(0))
	}
	t.Lod = isa.LodGrad
	if minLod != nil {
		t.Lod = isa.LodGradMin
		c = append(c, s.sized(half(minLod), false))
	}
	return s.register(t, 4, s.collect(c...), uses)
}

// packOffset packs texel offsets, four bits each.
func (s *isel) packOffset(d *ir.Def) opnd {
	packed := imm32(0)
	for k := range int(d.NumComponents) {
		o := s.sized(s.comp(d, k), false)
		switch {
		case o.kind == opImm && packed.kind == opImm:
			packed.bits |= o.bits & 15 << (4 * k)
		default:
			packed = s.intOp(isa.Instr{Op: isa.OpBfi, Bits: 4}, false, packed, o, imm32(uint32(4*k)))
		}
	}
	return packed
}

// compareOffset makes depth reference and texel offsets source 5 of t. Offsets take the low half of a register (agx.md §8.4).
func (s *isel) compareOffset(in *ir.Instr, t *isa.Instr, off opnd, uses []mach.Value) []mach.Value {
	cmp := in.TexSrc(ir.TexSrcComparator)
	if off.isImm(0) {
		off = opnd{}
	}
	switch {
	case cmp == nil && off.kind == opNone:
		return uses
	case cmp == nil && faults.has(faultOddHalves):
		return s.register(t, 5, s.reg(s.sized(off, true)), uses)
	case cmp == nil:
		t.Srcs[5] = isa.H(0)
		return append(uses, s.reg(off))
	}
	ref := s.comp(cmp.Def, 0)
	ref.conv = isHalf(cmp.Def)
	ref = s.value(s.reg(ref))
	t.Flags |= isa.Compare
	if off.kind == opNone {
		return s.register(t, 5, s.reg(ref), uses)
	}
	v := s.collect(s.value(s.reg(ref)), off)
	t.Srcs[5] = isa.H(0).Run(3)
	return append(uses, v)
}

// gatherOffsets gathers four times, each time keeping the texel at the offset.
func (s *isel) gatherOffsets(in *ir.Instr) {
	ti := in.TexInfo()
	ops := make([]opnd, 4, 5)
	for k := range ops {
		o := ti.Offsets[k]
		v := s.sample(in, imm32(uint32(o[0])&15|uint32(o[1])&15<<4))
		if s.err != nil {
			return
		}
		ops[k] = v[3]
		switch {
		case ti.IsSparse && k > 0:
			ops[:5][4] = s.intOp(bitop(tableOr), false, ops[:5][4], v[4])
		case ti.IsSparse:
			ops[:5][4] = v[4]
		}
	}
	s.setTexel(in, ops[:cap(ops)], ti.IsSparse)
}
