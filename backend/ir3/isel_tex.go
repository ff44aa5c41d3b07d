package ir3

import (
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/backend/resource"
	"nirc/ir"
)

// texResource is a texture, image or sampler: its bindless set and slot.
type texResource struct {
	set  int
	slot opnd
	ok   bool
	// diverges is whether the slot may differ between fibers.
	diverges bool
}

// tex selects a texture operation (ir3.md §3.7 and 7.5).
func (s *isel) tex(in *ir.Instr) {
	x := texSel{s: s, in: in, i: in.TexInfo(), half: isHalf(&in.Def)}
	if !x.supported() {
		return
	}
	if ops := s.prefetched(in); ops != nil {
		s.wantQuads()
		s.setComps(&in.Def, ops...)
		return
	}
	if in.TexOp == ir.TexOpTxfMsFb {
		x.attachment()
		return
	}
	x.find()
	if s.err != nil {
		return
	}
	switch in.TexOp {
	case ir.TexOpTxs:
		x.size()
	case ir.TexOpQueryLevels:
		x.info(2)
	case ir.TexOpTextureSamples:
		x.info(3)
	case ir.TexOpLod:
		x.lod()
	case ir.TexOpTxf, ir.TexOpTxfMs:
		x.fetch()
	case ir.TexOpTg4:
		x.gather()
	case ir.TexOpSampleWeightedQcom, ir.TexOpBoxFilterQcom, ir.TexOpBlockMatchSadQcom, ir.TexOpBlockMatchSsdQcom:
		x.process()
	default:
		x.sample()
	}
}

// texSel is a texture operation under selection.
type texSel struct {
	s    *isel
	in   *ir.Instr
	i    *ir.TexInfo
	half bool
	tex  texResource
	smp  texResource
	// second is the texture of weights or of the reference.
	second texResource
	// own is a texture of the stage's own state, which no set has, plus one; 0: none.
	own int8
	// code is the residency code of what was accessed so far, if the operation is sparse.
	code opnd
}

// supported refuses what the instructions cannot do.
func (x *texSel) supported() bool {
	s, in := x.s, x.in
	switch in.TexOp {
	case ir.TexOpTex, ir.TexOpTxb, ir.TexOpTxl, ir.TexOpTxd, ir.TexOpTxf, ir.TexOpTxfMs, ir.TexOpTxfMsFb, ir.TexOpTg4, ir.TexOpTxs, ir.TexOpLod, ir.TexOpQueryLevels, ir.TexOpTextureSamples:
	case ir.TexOpSampleWeightedQcom, ir.TexOpBoxFilterQcom, ir.TexOpBlockMatchSadQcom, ir.TexOpBlockMatchSsdQcom:
		return x.processes()
	default:
		s.fail(in, "the texture operation %s is not supported by the ir3 backend", in.TexOp)
		return false
	}
	switch {
	case x.i.Dim.IsSubpass():
		s.broken(in, "a read of an input attachment (%s) is left: lower_input_attachments makes fetches of them", in.TexOp)
	case x.src(ir.TexSrcProjector) != nil:
		s.broken(in, "a projector (%s) is left: lower_tex (projector) divides by it", in.TexOp)
	case x.i.IsSparse && in.Def.BitSize != 32:
		s.fail(in, "sparse residency (%s) with %d-bit results is not supported by the ir3 backend", in.TexOp, in.Def.BitSize)
	case x.src(ir.TexSrcPlane) != nil:
		s.fail(in, "multi-planar formats are not supported by the ir3 backend")
	case x.src(ir.TexSrcBackend1) != nil || x.src(ir.TexSrcBackend2) != nil:
		s.fail(in, "%s with sources packed for another target is not supported by the ir3 backend", in.TexOp)
	case in.Def.BitSize != 32 && in.Def.BitSize != 16:
		s.fail(in, "%s with %d-bit results is not supported by the ir3 backend", in.TexOp, in.Def.BitSize)
	}
	return s.err == nil
}

func (x *texSel) src(k ir.TexSrc) *ir.Def {
	if src := x.in.TexSrc(k); src != nil {
		return src.Def
	}
	return nil
}

// find gets the descriptors.
func (x *texSel) find() {
	d := x.src(ir.TexSrcTextureDeref)
	if d == nil {
		x.s.fail(x.in, "%s without a texture deref is not supported by the ir3 backend", x.in.TexOp)
		return
	}
	x.tex = x.s.resource(x.in, d, false)
	if d := x.src(ir.TexSrcSamplerDeref); d != nil {
		x.smp = x.s.resource(x.in, d, true)
	}
	if d := x.src(ir.TexSrcTexture2Deref); d != nil {
		x.second = x.s.resource(x.in, d, false)
	}
}

// resource follows a deref to its binding. A combined image and sampler has
// the image first.
func (s *isel) resource(in *ir.Instr, d *ir.Def, sampler bool) texResource {
	diverges := false
	v, index := resource.Element(d, immediate(0, false), func(x *ir.Def, scale uint32, sum opnd) opnd {
		diverges = diverges || x.Divergent
		return s.addIndex(sum, s.comp(x, 0), scale)
	})
	for k := range s.meta.Descriptors {
		e := &s.meta.Descriptors[k]
		if e.Set != v.Set || e.Binding != v.Binding || e.Kind == abi.Buffer {
			continue
		}
		first := e.Slot
		if sampler && e.Kind == abi.Combined {
			first++ // not to the sum: neither number waits for the other
		}
		return texResource{set: int(e.Base), slot: s.addIndex(immediate(first, false), index, e.Stride), ok: true, diverges: diverges}
	}
	s.broken(in, "the variable %q has no descriptor", v.Name)
	return texResource{}
}

// addIndex computes a + b*scale of descriptor numbers.
func (s *isel) addIndex(a, b opnd, scale uint32) opnd {
	switch {
	case b.kind == opImm:
		return s.addImm(a, b.bits*scale)
	case scale == 1 && a.isImm(0):
		return b
	case b.kind == opVal && !b.half && b.mods == 0 && !a.isImm(0) && !s.gpu.PreambleConsts: // there are fewer than 1<<24 descriptors
		return s.alu3(isa.Instr{Op: isa.OpMadU24}, form3{}, immediate(scale, false), b, a)
	case a.kind == opImm:
		return s.addImm(s.mad32(b, immediate(scale, false), immediate(0, false)), a.bits)
	}
	return s.mad32(b, immediate(scale, false), a)
}

// descriptors sets mode, set and indices of t. Where both are small numbers of one set
// they stand in the instruction; sets that differ go through a1.x.
func (x *texSel) descriptors(t *isa.Instr, uses []mach.Value) []mach.Value {
	s := x.s
	if x.own > 0 {
		t.Mode, t.Tex = isa.TexDirect, uint8(x.own-1)
		return uses
	}
	tex, smp := x.tex, x.smp
	if !smp.ok {
		smp = texResource{set: tex.set, slot: immediate(0, false)}
	}
	t.Set = int8(tex.set) + 1
	if x.second.ok {
		return x.twoTextures(t, smp, uses)
	}
	imm := tex.slot.kind == opImm && smp.slot.kind == opImm && tex.slot.bits < maxImmSlot && smp.slot.bits < maxImmSlot
	same := tex.set == smp.set
	switch {
	case imm && same && tex.slot.bits < 16 && smp.slot.bits < 16:
		t.Mode, t.Tex, t.Samp = isa.TexBindlessImm, uint8(tex.slot.bits), uint8(smp.slot.bits)
		return uses
	case imm && s.gpu.Gen == isa.A6xx:
		t.Mode, t.Tex = isa.TexBindlessA1Imm, uint8(smp.slot.bits) // the field is the sampler's there
		s.setA1(tex.slot.bits<<3 | uint32(smp.set))
		return uses
	case imm:
		t.Mode, t.Tex = isa.TexBindlessA1Imm, uint8(tex.slot.bits)
		s.setA1(smp.slot.bits<<3 | uint32(smp.set))
		return uses
	case same:
		t.Mode = registerMode(isa.TexBindlessUniform, isa.TexBindlessNonu, &tex, &smp)
	default:
		t.Mode = registerMode(isa.TexBindlessA1, isa.TexBindlessA1Nonu, &tex, &smp)
		s.setA1(uint32(smp.set))
	}
	if !x.smp.ok && (t.Op == isa.OpGetsize || t.Op == isa.OpGetbuf || t.Op == isa.OpGetinfo) {
		return s.register(t, 2, s.reg(tex.slot), 0, uses)
	}
	return s.register(t, 2, s.collect(tex.slot, smp.slot), 0, uses)
}

// registerMode is how an instruction takes the numbers of descriptors from registers: the hardware looks at those of one fiber where
// all of them are known to be uniform.
func registerMode(uniform, diverges isa.Mode, list ...*texResource) isa.Mode {
	for _, r := range list {
		if r.diverges && !faults.has(faultUniformNumbers) {
			return diverges
		}
	}
	return uniform
}

// maxImmSlot bounds the slots that instructions and a1.x name; others come in registers (ir3.md §2.8).
const maxImmSlot = 256

// setA1 loads a1.x for a lookup, unless it has the value already in this block.
func (s *isel) setA1(v uint32) {
	if s.a1Epoch == s.epoch && s.a1Value == v {
		return
	}
	first := s.a1Epoch != s.epoch
	s.writeA1(v)
	if !first {
		return
	}
	// The first value of a block is loaded at its start, so that nothing waits for it.
	l := s.f.Blocks[s.blk].Instrs
	in, at := l[len(l)-1], 0
	for l[at].Op == mach.OpPhi || l[at].Op == opInputs {
		at++
	}
	copy(l[at+1:], l[at:len(l)-1])
	l[at] = in
}

// writeA1 adds a load of a1.x, whatever it has, where the block has come to: all that write it do so here, as lookups
// after them are not to take it for what it was.
func (s *isel) writeA1(v uint32) {
	s.a1Epoch, s.a1Value = s.epoch, v
	s.add(isa.Instr{Op: isa.OpMova1, Type: isa.U16, SrcType: isa.U16, Dst: isa.R(isa.A1), Srcs: [4]isa.Operand{isa.I(int32(v))}}, 0)
}

// writesA1 reports whether the program, or its preamble, writes a1.x, which is one for all fibers of a wave.
func (s *isel) writesA1() bool { return s.a1Epoch != 0 }

// destType is the type that the instruction returns.
func (x *texSel) destType() isa.Type {
	t := isa.U32
	switch x.i.DestType.Class {
	case ir.ClassFloat:
		t = isa.F32
	case ir.ClassInt:
		t = isa.S32
	}
	if x.half {
		switch t {
		case isa.F32:
			t = isa.F16
		case isa.S32:
			t = isa.S16
		default:
			t = isa.U16
		}
	}
	return t
}

// emit adds t with its source vectors and returns the components in mask; the
// others are undefined. The residency code is asked for by the same instruction of another type.
func (x *texSel) emit(t isa.Instr, mask uint8, v1, v2 []opnd) (r [4]opnd) {
	if x.i == nil || !x.i.IsSparse {
		return x.emitOne(t, mask, v1, v2)
	}
	if mask &= 15; mask != 0 {
		r = x.emitOne(t, mask, v1, v2)
	}
	for k := range r {
		if mask>>k&1 == 0 {
			r[k] = immediate(0, false)
		}
	}
	t.Type = isa.TexResidency
	code := x.emitOne(t, 1, v1, v2)[0]
	if x.code.kind != opNone && !faults.has(faultResidency) {
		code = x.s.alu2(isa.Instr{Op: isa.OpOrB}, false, false, immInt, x.code, code)
	}
	x.code = code
	return r
}

func (x *texSel) emitOne(t isa.Instr, mask uint8, v1, v2 []opnd) [4]opnd {
	s := x.s
	if x.i != nil && x.i.Aliased {
		t.Flags |= inOrder
	}
	var uses []mach.Value
	if len(v1) > 0 {
		uses = s.register(&t, 0, s.collect(v1...), 0, uses)
	}
	if len(v2) > 0 {
		uses = s.register(&t, 1, s.collect(v2...), 0, uses)
	}
	uses = x.descriptors(&t, uses)
	if mask == 0 {
		mask = 1
	}
	t.WrMask = mask
	n := 0
	for mask>>n != 0 {
		n++
	}
	half := t.Type.Half()
	d := s.f.NewValue(gprClass(half), n)
	m := s.add(t, d, uses...)
	if t.Op == isa.OpSamgp0 {
		m.Ops[0].Flags |= mach.Early
	}
	var res [4]opnd
	parts := s.split(d, n)
	for k := range res {
		res[k] = immediate(0, half)
		if mask>>k&1 != 0 {
			res[k] = parts[k]
		}
	}
	return res
}

// result gives the operation its components.
func (x *texSel) result(r [4]opnd) {
	n := int(x.in.Def.NumComponents)
	if x.i.IsSparse {
		x.s.setComps(&x.in.Def, append(r[:n-1:n-1], x.code)...)
		return
	}
	x.s.setComps(&x.in.Def, r[:n]...)
}

// full returns component c of a source in a full register: a coordinate of 16
// bits is widened.
func (x *texSel) full(d *ir.Def, c int, float bool) opnd {
	o := x.s.comp(d, c)
	switch {
	case d.BitSize == 32:
		return o
	case float:
		return x.s.cov(isa.F16, isa.F32, 0, o)
	}
	return x.s.cov(isa.S16, isa.S32, 0, o)
}

// coords returns the coordinates without the layer, the layer, and sets the
// shape in t. A line is a plane with y in the middle of its only row.
func (x *texSel) coords(t *isa.Instr, float bool) (c []opnd, layer opnd) {
	d := x.src(ir.TexSrcCoord)
	n := int(x.i.CoordComponents)
	if x.i.IsArray && x.in.TexOp != ir.TexOpLod {
		n--
		layer = x.full(d, n, float)
		t.Flags |= isa.TexA
	}
	n = min(n, int(d.NumComponents))
	for k := range n {
		c = append(c, x.full(d, k, float))
	}
	switch len(c) {
	case 1:
		y := uint32(0)
		if float {
			y = 0x3f000000
		}
		c = append(c, immediate(y, false))
	case 3:
		t.Flags |= isa.Tex3D
	}
	return c, layer
}

// vector1 is the first source vector: coordinates, reference, layer.
func (x *texSel) vector1(t *isa.Instr, float bool) (v []opnd, dims int) {
	c, layer := x.coords(t, float)
	v = c
	if ref := x.src(ir.TexSrcComparator); ref != nil {
		t.Flags |= isa.TexS
		v = append(v, x.full(ref, 0, true))
	}
	if layer.kind != opNone {
		v = append(v, layer)
	}
	return v, len(c)
}

// offsets are the texel offsets, as many as there are dimensions.
func (x *texSel) offsets(t *isa.Instr, dims int) []opnd {
	d := x.src(ir.TexSrcOffset)
	if d == nil {
		return nil
	}
	t.Flags |= isa.TexO
	v := make([]opnd, dims)
	for k := range v {
		v[k] = immediate(0, false)
		if k < int(d.NumComponents) {
			v[k] = x.full(d, k, false)
		}
	}
	return v
}

// wantQuads has the metadata ask for helpers: fibers whose registers others of the quad read.
func (s *isel) wantQuads() { s.meta.NeedsQuads = !faults.has(faultHelpers) }

// implicit notes that LODs are computed from neighbours, whom fragments alone have.
func (x *texSel) implicit() {
	if x.s.sh.Stage != ir.StageFragment {
		x.s.broken(x.in, "an implicit LOD outside of fragment shaders: lower_tex (implicit_lod, group_lod) makes it explicit")
	}
	x.s.wantQuads()
}

// withoutNeighbours reports whether the preamble's only fiber does what needs derivatives: all look at one place, so they are 0.
func (x *texSel) withoutNeighbours() bool {
	return x.in.TexOp == ir.TexOpTex && x.s.f == x.s.pre.f && x.s.sh.Stage == ir.StageFragment
}

func (x *texSel) sample() {
	s := x.s
	t := isa.Instr{Op: isa.OpSam, Type: x.destType()}
	v1, dims := x.vector1(&t, true)
	v2 := x.offsets(&t, dims)
	level := func(k ir.TexSrc) opnd {
		if d := x.src(k); d != nil {
			return x.full(d, 0, true)
		}
		return immediate(0, false)
	}
	switch {
	case x.in.TexOp == ir.TexOpTxd, x.withoutNeighbours():
		t.Op = isa.OpSamgq
		if s.sh.Stage != ir.StageFragment && s.sh.Stage != ir.StageCompute {
			t.Op = isa.OpSamgp0 // the four of a quad one after the other
		}
		for len(v1) < 4 {
			v1 = append(v1, immediate(0, false))
		}
		for _, k := range [...]ir.TexSrc{ir.TexSrcDdx, ir.TexSrcDdy} {
			d := x.src(k)
			for c := range dims {
				o := immediate(0, false)
				if d != nil && c < int(d.NumComponents) {
					o = x.full(d, c, true)
				}
				v1 = append(v1, o)
			}
		}
	case x.in.TexOp == ir.TexOpTxl:
		t.Op, v2 = isa.OpSaml, append(v2, level(ir.TexSrcLod))
	case x.in.TexOp == ir.TexOpTxb:
		x.implicit()
		t.Op, v2 = isa.OpSamb, append(v2, level(ir.TexSrcBias))
	default:
		x.implicit()
	}
	if least := x.src(ir.TexSrcMinLod); least != nil && !faults.has(faultMinLod) {
		t.Flags, v2 = t.Flags|isa.TexClp, append(v2, x.full(least, 0, true))
	}
	mask := uint8(x.in.Def.ComponentsRead())
	x.result(x.emit(t, mask, v1, v2))
}

// fetch reads texels without a sampler.
func (x *texSel) fetch() {
	t := isa.Instr{Op: isa.OpIsam, Type: x.destType(), Flags: isa.Tex1D}
	c, layer := x.coords(&t, false)
	if off := x.src(ir.TexSrcOffset); off != nil {
		for k := range min(len(c), int(off.NumComponents)) {
			if o := x.full(off, k, false); o.kind == opImm {
				c[k] = x.s.addImm(c[k], o.bits)
			} else {
				c[k] = x.s.alu2(isa.Instr{Op: isa.OpAddU}, false, false, immInt, c[k], o)
			}
		}
	}
	if layer.kind != opNone {
		c = append(c, layer)
	}
	var v2 []opnd
	if x.in.TexOp == ir.TexOpTxfMs {
		t.Op, t.Flags = isa.OpIsamm, t.Flags&^isa.Tex1D
		c = append(c, x.full(x.src(ir.TexSrcMsIndex), 0, false))
	} else if lod := x.src(ir.TexSrcLod); lod != nil && (x.i.Dim != ir.DimBuf || faults.has(faultTexelLevel)) {
		if l := x.full(lod, 0, false); !l.isImm(0) {
			t.Op, t.Flags, v2 = isa.OpIsaml, t.Flags&^isa.Tex1D, []opnd{l}
		}
	}
	x.result(x.emit(t, uint8(x.in.Def.ComponentsRead()), c, v2))
}

// gather reads one component of four texels; four offsets take four gathers,
// each of which gives the last texel.
func (x *texSel) gather() {
	t := isa.Instr{Op: isa.OpGather4r + isa.Op(x.i.Component&3), Type: x.destType()}
	v1, dims := x.vector1(&t, true)
	if t.Flags&isa.TexS != 0 {
		t.Op = isa.OpGather4r
	}
	if x.src(ir.TexSrcBias) != nil || x.src(ir.TexSrcLod) != nil {
		x.s.fail(x.in, "a gather with LOD or bias is not supported by the ir3 backend")
		return
	}
	if !x.i.HasOffsets {
		v2 := x.offsets(&t, dims)
		x.result(x.emit(t, uint8(x.in.Def.ComponentsRead()), v1, v2))
		return
	}
	t.Flags |= isa.TexO
	var r [4]opnd
	for k, o := range x.i.Offsets {
		v2 := []opnd{immediate(uint32(int32(o[0])), false), immediate(uint32(int32(o[1])), false)}
		for len(v2) < dims {
			v2 = append(v2, immediate(0, false))
		}
		r[k] = x.emit(t, 8, v1, v2)[3]
	}
	x.result(r)
}

// lod queries levels: fixed point with 8 fraction bits.
func (x *texSel) lod() {
	t := isa.Instr{Op: isa.OpGetlod, Type: isa.S32}
	c, _ := x.coords(&t, true)
	x.implicit()
	mask := uint8(x.in.Def.ComponentsRead()) & 3
	r := x.emit(t, mask, c, nil)
	for k := range 2 {
		if mask>>k&1 == 0 {
			continue
		}
		f := x.s.cov(isa.S32, isa.F32, isa.RoundEven, r[k])
		r[k] = x.s.alu2(isa.Instr{Op: isa.OpMulF}, false, false, immFloat, f, immediate(0x3b800000, false))
		if x.half {
			r[k] = x.s.cov(isa.F32, isa.F16, isa.RoundEven, r[k])
		}
	}
	x.result(r)
}

// size asks for the size of a level: x, y, z, and the layers in w.
func (x *texSel) size() {
	if x.half {
		x.s.fail(x.in, "a texture size of 16 bits is not supported by the ir3 backend")
		return
	}
	if x.i.Dim == ir.DimBuf {
		t := isa.Instr{Op: isa.OpGetbuf, Type: isa.U32}
		x.result(x.emit(t, 1, nil, nil))
		return
	}
	lod := immediate(0, false)
	if d := x.src(ir.TexSrcLod); d != nil {
		lod = x.full(d, 0, false)
	}
	n := int(x.in.Def.NumComponents)
	mask := uint8(1<<n - 1)
	if x.i.IsArray {
		mask = uint8(1<<(n-1)-1) | 8
	}
	t := isa.Instr{Op: isa.OpGetsize, Type: isa.U32}
	if (x.i.Dim == ir.Dim3D || x.i.Dim == ir.DimCube) && !faults.has(faultTexShape) {
		t.Flags |= isa.Tex3D
	}
	if x.i.IsShadow {
		t.Flags |= isa.TexS
	}
	if x.i.IsArray {
		t.Flags |= isa.TexA
	}
	used := uint8(x.in.Def.ComponentsRead())
	if x.i.IsArray {
		used = used&(1<<(n-1)-1) | used>>(n-1)&1<<3
	}
	r := x.emit(t, mask&used, []opnd{lod}, nil)
	if x.i.IsArray {
		r[n-1] = r[3]
	}
	x.result(r)
}

// info asks for one component of getinfo.
func (x *texSel) info(c int) {
	t := isa.Instr{Op: isa.OpGetinfo, Type: isa.U32}
	r := x.emit(t, 1<<c, nil, nil)
	o := r[c]
	if x.half {
		o = x.s.narrow(o, 32)
	}
	x.s.setComps(&x.in.Def, o)
}
