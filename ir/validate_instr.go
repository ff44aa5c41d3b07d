package ir

import (
	"slices"

	"nirc/ir/optab"
)

func (v *validator) alu(in *Instr) {
	v.check(int(in.Op) < NumOps, "A1", in, "no such operation")
	info := in.Op.Info()
	v.check(len(in.Srcs) == len(info.In), "A1", in, "%d sources, the table says %d", len(in.Srcs), len(info.In))
	if info.Out.Comps != 0 {
		v.check(in.Def.NumComponents == info.Out.Comps, "A5", in, "%d components, the table says %d", in.Def.NumComponents, info.Out.Comps)
	}
	w := uint8(0)
	unify := func(t optab.T, bits uint8) {
		if t.Bits != 0 {
			v.check(bits == t.Bits, "A3", in, "operand of %d bits, the table says %d", bits, t.Bits)
			return
		}
		v.check(w == 0 || w == bits, "A3", in, "operands of %d and %d bits", w, bits)
		w = bits
	}
	for i := range in.Srcs {
		unify(info.In[i], in.Srcs[i].Def.BitSize)
		v.number(in, in.Srcs[i].Def)
		n := in.SrcComps(i)
		for k := 0; k < n; k++ {
			v.check(in.Srcs[i].Swizzle.Lane(k) < int(in.Srcs[i].Def.NumComponents), "A2", in, "source %d reads a component that its value does not have", i)
		}
		v.class(in, info.In[i].Class, in.Srcs[i].Def.BitSize)
	}
	unify(info.Out, in.Def.BitSize)
	v.class(in, info.Out.Class, in.Def.BitSize)
	if in.Op == OpUfindMsb || in.Op == OpUfindMsbRev {
		v.check(w == 32 || w == 64, "A6", in, "%d-bit source", w)
	}
	if info.Target != "" && v.s.Options.Target != "" {
		v.check(info.Target == v.s.Options.Target, "A8", in, "operation of target %s in a shader for %s", info.Target, v.s.Options.Target)
	}
}

// number checks rule D7 for what in calculates with.
func (v *validator) number(in *Instr, d *Def) {
	if d.Instr.Kind == KindDeref {
		v.check(d.Instr.DerefInfo().Modes&(ModeShaderIn|ModeShaderOut) == 0, "D7", in, "a deref of inputs or outputs is a number")
	}
}

func (v *validator) class(in *Instr, c TypeClass, bits uint8) {
	switch c {
	case ClassFloat:
		v.check(bits >= 16, "A4", in, "float of %d bits", bits)
	case ClassBool:
		v.check(bits <= 32, "A7", in, "boolean of %d bits", bits)
	}
}

func (v *validator) intrinsic(in *Instr) {
	v.check(int(in.Intr) < NumIntrinsics, "I1", in, "no such intrinsic")
	info := in.Intr.Info()
	v.check(len(in.Srcs) == len(info.Srcs), "I1", in, "%d sources, the table says %d", len(in.Srcs), len(info.Srcs))
	v.check(len(in.Imm) == len(info.Indices), "I1", in, "%d indices, the table says %d", len(in.Imm), len(info.Indices))
	v.check(in.HasDef() == info.HasDest, "I1", in, "result missing or not wanted")
	for i := range in.Srcs {
		if d := in.Srcs[i].Def; i < int(info.Derefs) {
			v.check(d.Instr.Kind == KindDeref, "I18", in, "source %d is no deref", i)
		} else {
			v.number(in, d)
		}
	}
	if info.Vectorized() {
		v.check(validComps(in.NumComponents), "I1", in, "num_components %d", in.NumComponents)
	} else {
		v.check(in.NumComponents == 0, "I1", in, "num_components on an intrinsic of fixed width")
	}
	for i, c := range info.Srcs {
		n := in.Srcs[i].Def.NumComponents
		switch {
		case c == 0:
			v.check(n == in.NumComponents, "I1", in, "source %d has %d components, not %d", i, n, in.NumComponents)
		case c > 0:
			v.check(n == uint8(c), "I1", in, "source %d has %d components, the table says %d", i, n, c)
		}
	}
	if info.HasDest {
		v.intrinsicDest(in, info)
	}
	v.rows(in, info)
	if k := info.IndexPos(IdxWriteMask); k >= 0 {
		v.check(in.Imm[k]>>in.Srcs[v.valueSrc(in)].Def.NumComponents == 0, "I3", in, "write mask beyond the value's components")
	}
	v.memory(in, info)
	v.special(in)
	v.lanes(in)
	v.derefs(in)
	v.rays(in)
}

// valueSrc is the source that a write mask is about: the first as wide as the instruction.
func (v *validator) valueSrc(in *Instr) int {
	return max(0, slices.Index(in.Intr.Info().Srcs, 0))
}

func (v *validator) intrinsicDest(in *Instr, info *optab.Intrinsic) {
	want := info.DestComps
	if want == 0 {
		want = in.NumComponents
	}
	v.check(in.Def.NumComponents == want, "I1", in, "result of %d components, not %d", in.Def.NumComponents, want)
	if info.DestBits != 0 {
		v.check(info.DestBits.Has(in.Def.BitSize), "I2", in, "result of %d bits", in.Def.BitSize)
	}
	if k := info.DestSrc; k != 0 {
		v.check(in.Def.BitSize == in.Srcs[k-1].Def.BitSize, "I2", in, "result of another size than source %d", k-1)
	}
}

// memory checks rule I7.
func (v *validator) memory(in *Instr, info *optab.Intrinsic) {
	if m := info.IndexPos(IdxAlignMul); m >= 0 {
		mul, off := in.Get(IdxAlignMul), in.Get(IdxAlignOffset)
		v.check(mul != 0 && mul&(mul-1) == 0 && off < mul, "I7", in, "alignment %d+%d", mul, off)
	}
	switch in.Intr {
	case IntrLoadUbo:
		v.check(in.Get(IdxRange) != 0, "I7", in, "load_ubo of range 0 (unknown is ~0)")
	case IntrLoadUboVec4:
		end := (in.Get(IdxComponent) + uint64(in.NumComponents)) * uint64(in.Def.BitSize/8)
		v.check(end <= 16, "I7", in, "load_ubo_vec4 beyond its vec4")
	}
	switch m := info.Mem; {
	case m.Space == SpaceDeref || m.Space == SpaceImage:
	case m.Op == MemLoad:
		v.check(in.Def.BitSize >= 8, "I7", in, "memory access of %d bits", in.Def.BitSize)
	case m.Op == MemStore:
		bits := in.Srcs[m.Data].Def.BitSize
		v.check(bits >= 8, "I7", in, "memory access of %d bits", bits)
	}
}

// special checks the rules of single intrinsics.
func (v *validator) special(in *Instr) {
	switch in.Intr {
	case IntrDeclReg:
		v.check(in.Block == v.impl.Start(), "I4", in, "decl_reg outside the start block")
	case IntrLoadReg, IntrLoadRegIndirect:
		v.reg(in, in.Srcs[0].Def, &in.Def)
	case IntrStoreReg, IntrStoreRegIndirect:
		v.reg(in, in.Srcs[1].Def, in.Srcs[0].Def)
	case IntrLoadDeref:
		v.access(in, &in.Def, false)
	case IntrStoreDeref:
		v.access(in, in.Srcs[1].Def, true)
	case IntrCopyDeref:
		d, s := in.Srcs[0].Def.Instr, in.Srcs[1].Def.Instr
		v.check(d.DerefInfo().Type.Bare().Equal(s.DerefInfo().Type.Bare()), "I6", in, "copy between different types")
		v.check(d.DerefInfo().Modes&ModeReadOnly == 0, "I5", in, "copy into read-only memory")
	case IntrStoreOutput:
		v.storeOutput(in)
	case IntrLoadParam:
		k := in.Get(IdxParamIdx)
		v.check(k < uint64(len(v.impl.Fn.Params)), "I12", in, "no such parameter")
		q := &v.impl.Fn.Params[k]
		v.check(q.NumComponents == in.Def.NumComponents && q.BitSize == in.Def.BitSize, "I12", in, "parameter of %dx%d", q.BitSize, q.NumComponents)
	case IntrDerefModeIs:
		m := in.Get(IdxMemoryModes)
		v.check(m != 0 && m&(m-1) == 0, "I13", in, "exactly one mode wanted")
	case IntrLoadBarycentricPixel, IntrLoadBarycentricCentroid, IntrLoadBarycentricSample, IntrLoadBarycentricAtSample, IntrLoadBarycentricAtOffset:
		m := Interp(in.Get(IdxInterpMode))
		v.check(m == InterpNone || m == InterpSmooth || m == InterpNoPerspective, "I8", in, "interpolation mode %s", m)
	}
	if m := in.Memory(); m.Space == SpaceImage && m.Atomic() {
		v.imageAtomic(in)
	}
	if in.Has(IdxIoSemantics) {
		s := UnpackIOSemantics(in.Get(IdxIoSemantics))
		v.check(s.DualSourceIndex == 0 && !s.FBFetch || v.s.Stage == StageFragment, "I10", in, "dual source or framebuffer fetch outside a fragment shader")
		v.check(s.GSStreams == 0 || v.s.Stage == StageGeometry, "I10", in, "streams outside a geometry shader")
		v.check(!in.Has(IdxIoXfb) || !s.NoVarying || !s.NoSysvalOutput || in.Get(IdxIoXfb) != 0 || in.Get(IdxIoXfb2) != 0, "I10", in, "output without effect")
		if in.Has(IdxIoXfb) {
			for _, c := range in.StoreCaptures() {
				v.check(c.valid(), "I10", in, "a capture of components that do not exist")
			}
		}
	}
}

// imageAtomic checks rule I11 where the format is known.
func (v *validator) imageAtomic(in *Instr) {
	f := ImageFormat(in.Get(IdxFormat))
	if f == 0 {
		return
	}
	op := AtomicOp(in.Get(IdxAtomicOp))
	bits, ok := uint8(32), false
	switch f.String() {
	case "r32ui", "r32i":
		ok = !op.IsFloat()
	case "r64ui", "r64i":
		bits, ok = 64, !op.IsFloat()
	case "r32f":
		ok = op.IsFloat() || op == AtomicXchg
	case "r16f":
		bits, ok = 16, op == AtomicFMin || op == AtomicFMax
	}
	v.check(ok, "I11", in, "%s on an image of format %s", enumText(AtomicOpNames[:], uint64(op)), f)
	v.check(in.Def.BitSize == bits, "I11", in, "%d bits of an image of format %s", in.Def.BitSize, f)
}

func (v *validator) storeOutput(in *Instr) {
	bits := in.Srcs[0].Def.BitSize
	v.check(bits >= 16 || bits >= 8 && v.s.Stage == StageFragment, "I9", in, "output of %d bits", bits)
	if t := UnpackALUType(in.Get(IdxSrcType)); t.Bits != 0 {
		v.check(t.Bits == bits, "I9", in, "output of %d bits stored from %d", t.Bits, bits)
	}
}

func (v *validator) reg(in *Instr, handle, val *Def) {
	d := handle.Instr
	v.check(d.IsIntrinsic(IntrDeclReg), "I4", in, "handle does not come from decl_reg")
	v.check(d.Get(IdxNumComponents) == uint64(val.NumComponents) && d.Get(IdxBitSize) == uint64(val.BitSize), "I4", in, "value and register differ in size")
}

// access checks rule I5 for a load or store of val through source 0.
func (v *validator) access(in *Instr, val *Def, store bool) {
	d := in.Srcs[0].Def.Instr
	info := d.DerefInfo()
	v.check(info.Type.IsVectorOrScalar() || info.Type.IsOpaque(), "I5", in, "access of type %s", info.Type)
	v.check(info.Type.Base != BaseRayQuery, "I5", in, "access of type %s", info.Type)
	if info.Type.IsOpaque() {
		v.check(val.NumComponents == 1 && val.BitSize >= 32, "I5", in, "%dx%d of a %s, not a pointer", val.BitSize, val.NumComponents, info.Type)
	} else {
		v.check(info.Type.Rows == val.NumComponents, "I5", in, "%d components of a %s", val.NumComponents, info.Type)
		bits := info.Type.Bits
		v.check(val.BitSize == bits || bits == 1 && val.BitSize == 32, "I5", in, "%d bits of a %s", val.BitSize, info.Type)
	}
	v.check(!store || info.Modes&^ModeReadOnly != 0, "I5", in, "store to %s", info.Modes)
}

// derefSrcs is the number of sources by kind of deref.
var derefSrcs = [...]int{DerefVar: 0, DerefArray: 2, DerefArrayWildcard: 1, DerefPtrAsArray: 2, DerefStruct: 1, DerefCast: 1}

func (v *validator) deref(in *Instr) {
	d := in.DerefInfo()
	v.check(d.Type != nil, "D1", in, "deref without type")
	v.check(in.Def.BitSize >= 32, "D1", in, "pointer of %d bits", in.Def.BitSize)
	v.check(len(in.Srcs) == derefSrcs[in.Deref], "D2", in, "%d sources, not %d", len(in.Srcs), derefSrcs[in.Deref])
	if in.Deref == DerefVar {
		home, declared := v.vars[d.Var]
		v.check(declared, "D1", in, "variable is not declared here")
		v.check(d.Modes == d.Var.Mode && d.Type == d.Var.Type, "D1", in, "modes or type differ from the variable's")
		v.check(home == nil || home == v.impl, "D1", in, "variable of another function")
		return
	}
	if in.Deref == DerefCast {
		m := d.Modes
		v.check(m != 0 && (m&(m-1) == 0 || m&^GenericModes == 0), "D6", in, "modes %s", m)
		v.check(d.AlignMul == 0 && d.AlignOffset == 0 || d.AlignMul&(d.AlignMul-1) == 0 && d.AlignOffset < d.AlignMul, "D6", in, "alignment %d+%d", d.AlignMul, d.AlignOffset)
		from := in.Srcs[0].Def
		v.check(from.NumComponents == in.Def.NumComponents && from.BitSize == in.Def.BitSize, "D6", in, "cast of %d x %d bits", from.NumComponents, from.BitSize)
		v.castFrom(in, from.Instr)
		return
	}
	parent := in.Srcs[0].Def
	v.check(parent.Instr.Kind == KindDeref, "D2", in, "parent is no deref")
	p := parent.Instr.DerefInfo()
	v.check(p.Modes == d.Modes, "D2", in, "modes differ from the parent's")
	v.check(parent.NumComponents == in.Def.NumComponents && parent.BitSize == in.Def.BitSize, "D2", in, "pointer has another size than the parent's")
	switch in.Deref {
	case DerefStruct:
		v.check(p.Type.IsStruct() && d.Field >= 0 && d.Field < len(p.Type.Fields) && d.Type.Equal(p.Type.Fields[d.Field].Type), "D3", in, "no such member of %s", p.Type)
	case DerefArray, DerefArrayWildcard:
		v.check(p.Type.IsArray() || p.Type.IsMatrix() || p.Type.IsVector() && p.Modes&^(ModeVecIndexable|ModeShaderOut|ModeShaderIn) == 0, "D4", in, "array deref of a %s in %s", p.Type, p.Modes)
		v.check(d.Type.Equal(p.Type.Child()), "D4", in, "type is not the element's")
	case DerefPtrAsArray:
		k := parent.Instr.Deref
		v.check(k == DerefArray || k == DerefPtrAsArray || k == DerefCast, "D5", in, "parent is no array, pointer or cast deref")
	}
	if in.Deref == DerefArray || in.Deref == DerefPtrAsArray {
		x := in.Srcs[1].Def
		v.check(x.NumComponents == 1 && x.BitSize == parent.BitSize, "D4", in, "index of %dx%d", x.BitSize, x.NumComponents)
		v.number(in, x)
	}
}

// castFrom checks rule D6 for what a cast's pointer comes from. Inputs and outputs have no address.
// Other casts between modes are allowed, for passes make them of pointers that went through variables;
// what such a pointer accesses is undefined.
func (v *validator) castFrom(in *Instr, from *Instr) {
	to := in.DerefInfo().Modes
	known := Mode(0)
	switch {
	case from.Kind == KindDeref:
		known = from.DerefInfo().Modes
	case from.IsIntrinsic(IntrLoadParam) && from.Get(IdxParamIdx) < uint64(len(v.impl.Fn.Params)):
		known = v.impl.Fn.Params[from.Get(IdxParamIdx)].Modes
	}
	v.check(known&to != 0 || (known|to)&(ModeShaderIn|ModeShaderOut) == 0, "D6", in, "cast from %s", known)
}

func (v *validator) tex(in *Instr) {
	t := in.TexInfo()
	row := in.TexOp.Info()
	v.check(len(t.SrcKinds) == len(in.Srcs), "T1", in, "%d kinds for %d sources", len(t.SrcKinds), len(in.Srcs))
	var have [32]bool
	for i, k := range t.SrcKinds {
		v.check(int(k) < NumTexSrcs, "T1", in, "no such kind of source")
		v.check(!have[k], "T1", in, "two %s sources", k)
		have[k] = true
		v.texSrc(in, t, k, in.Srcs[i].Def)
	}
	op := in.TexOp
	v.check(int(t.Dim) < len(dimNames), "T1", in, "no such dimension")
	v.check(!have[TexSrcComparator] || t.IsShadow, "T2", in, "comparator without shadow")
	v.check(!have[TexSrcBias] || op == TexOpTxb || op == TexOpTg4 || op == TexOpLod, "T3", in, "bias source")
	v.check(!have[TexSrcLod] || op != TexOpTex && op != TexOpTxb && op != TexOpTxd, "T3", in, "lod source")
	v.check(have[TexSrcDdx] == have[TexSrcDdy] && (!have[TexSrcDdx] || op == TexOpTxd), "T3", in, "derivative sources")
	ms := t.Dim == DimMS || t.Dim == DimSubpassMS
	sampled := op == TexOpTxf || op == TexOpTex || op == TexOpTxb || op == TexOpTxl || op == TexOpTxd || op == TexOpTg4 || op == TexOpLod
	v.check(!sampled || !ms, "T4", in, "%s of a multisampled texture", op)
	v.check(!row.NeedsSampler || t.Dim != DimBuf, "T4", in, "%s of a buffer", op)
	v.check(!t.IsArray || hasLayers(t.Dim), "T1", in, "array of %s", t.Dim)
	v.check(op != TexOpTxfMs || ms, "T4", in, "txf_ms of a texture that is not multisampled")
	v.check(t.Component == 0 || op == TexOpTg4, "T5", in, "component of what is no gather")
	v.check(!t.HasOffsets || op == TexOpTg4 && !have[TexSrcOffset], "T5", in, "four offsets")
	want := row.Comps
	if op == TexOpTxs {
		want = sizeComps(t)
	}
	if want == 4 && t.NewStyleShadow && op != TexOpTg4 {
		want = 1
	}
	if t.IsSparse {
		want++
	}
	v.check(in.Def.NumComponents == want, "T6", in, "result of %d components, not %d", in.Def.NumComponents, want)
	v.check(t.DestType.Bits == 0 || t.DestType.Bits == in.Def.BitSize, "T6", in, "result of %d bits", in.Def.BitSize)
	if c := in.TexSrc(TexSrcCoord); c != nil {
		n := c.Def.NumComponents
		v.check(n >= coordComps(in, t), "T1", in, "coord of %d components for %s", n, t.Dim)
	}
	v.texNeeds(in, &have)
}

// hasLayers reports whether there are arrays of a dimension.
func hasLayers(d Dim) bool { return d != DimBuf && d != Dim3D && d != DimRect && d != DimExternal }

// sizeComps is the number of components of a texture's size.
func sizeComps(t *TexInfo) uint8 {
	n := uint8(2)
	switch t.Dim {
	case Dim1D, DimBuf:
		n = 1
	case Dim3D:
		n = 3
	}
	if t.IsArray {
		n++
	}
	return n
}

// coordComps is the number of coordinates that an operation reads: the level of
// detail does not depend on the layer.
func coordComps(in *Instr, t *TexInfo) uint8 {
	n := sizeComps(t)
	if t.Dim == DimCube {
		n++ // of a direction
	}
	if t.IsArray && in.TexOp == TexOpLod {
		n--
	}
	return n
}

func (v *validator) texSrc(in *Instr, t *TexInfo, k TexSrc, d *Def) {
	n := d.NumComponents
	switch k {
	case TexSrcTextureDeref, TexSrcSamplerDeref, TexSrcTexture2Deref:
	case TexSrcTextureHandle, TexSrcSamplerHandle, TexSrcBackend1, TexSrcBackend2:
		v.number(in, d)
	default:
		v.check(d.BitSize == 16 || d.BitSize == 32, "T1", in, "%s of %d bits", k, d.BitSize)
		v.number(in, d)
	}
	switch k {
	case TexSrcCoord:
		v.check(n == t.CoordComponents || t.CoordComponents == 0, "T1", in, "coord of %d components, not %d", n, t.CoordComponents)
	case TexSrcProjector, TexSrcComparator, TexSrcBias, TexSrcLod, TexSrcMinLod, TexSrcMsIndex, TexSrcTextureOffset, TexSrcSamplerOffset, TexSrcPlane:
		v.check(n == 1, "T1", in, "%s of %d components", k, n)
	case TexSrcOffset, TexSrcDdx, TexSrcDdy:
		want := t.CoordComponents
		if c := in.TexSrc(TexSrcCoord); c != nil {
			want = c.Def.NumComponents
		}
		if t.IsArray && want > 0 {
			want--
		}
		v.check(n == want || want == 0, "T1", in, "%s of %d components, not %d", k, n, want)
	case TexSrcBackend1, TexSrcBackend2:
		v.check(n <= 4, "T1", in, "%s of %d components", k, n)
	case TexSrcRefCoord, TexSrcBlockSize, TexSrcBoxSize:
		v.check(n == 2, "T1", in, "%s of %d components", k, n)
	case TexSrcTextureDeref, TexSrcSamplerDeref, TexSrcTexture2Deref:
		v.texDeref(in, t, k, d)
	}
}

// texDeref checks rule T7.
func (v *validator) texDeref(in *Instr, t *TexInfo, k TexSrc, d *Def) {
	v.check(d.Instr.Kind == KindDeref, "T7", in, "%s is no deref", k)
	typ := d.Instr.DerefInfo().Type
	v.check(d.Instr.DerefInfo().Modes&^opaqueModes == 0, "T7", in, "%s in %s", k, d.Instr.DerefInfo().Modes)
	if k == TexSrcSamplerDeref {
		v.check(typ.Base == BaseSampler || typ.Base == BaseSampledImage, "T7", in, "%s of type %s", k, typ)
		return
	}
	v.check(typ.Base == BaseTexture || typ.Base == BaseSampledImage || typ.Base == BaseImage, "T7", in, "%s of type %s", k, typ)
	row := in.TexOp.Info()
	if row.Comps != 4 || row.Query || t.IsShadow || typ.Texel == BaseVoid || t.DestType.Class == ClassNone {
		return
	}
	v.check((t.DestType.Class == ClassFloat) == (typ.Texel == BaseFloat), "T7", in, "%s result of a %s", t.DestType, typ)
}
