package midgard

import (
	"math/bits"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// texIn is a register that the texture pipe takes its inputs from.
func (s *isel) texIn(k reg) reg {
	if s.gpu.Alias {
		return regLd0 + k
	}
	return regTexIn0 + k
}

// texOut is the register that the next texture result of n components lands in, from component first on: the two in turn,
// unless the last one has room.
func (s *isel) texOut(n int) (r reg, first int) {
	if s.outLanes == 0 || s.outLanes+n > 4 {
		s.outTurn ^= 1
		s.outLanes = 0
	}
	first = s.outLanes
	s.outLanes += n
	if s.gpu.Alias {
		s.floor = max(s.floor, 2)
		return s.outTurn, first
	}
	return regTexOut0 + s.outTurn, first
}

var texDims = [...]isa.TexDim{
	ir.Dim1D: isa.Tex1D, ir.Dim2D: isa.Tex2D, ir.Dim3D: isa.Tex3D, ir.DimCube: isa.TexCube, ir.DimRect: isa.Tex2D, ir.DimBuf: isa.Tex1D,
	ir.DimExternal: isa.Tex2D, ir.DimMS: isa.Tex2D, ir.DimSubpass: isa.Tex2D, ir.DimSubpassMS: isa.Tex2D,
}

// texture selects a texture instruction.
func (s *isel) texture(in *ir.Instr) {
	ti := in.TexInfo()
	src := in.TexSrc(ir.TexSrcTextureDeref)
	if src == nil || ti.IsSparse || in.TexSrc(ir.TexSrcPlane) != nil || in.Def.BitSize != 32 {
		s.fail(in, "texture operations (%s) of this form are not supported by the midgard backend", in.TexOp)
		return
	}
	v, index := s.variable(src.Def)
	if s.blend != nil && v.Type.WithoutArray().Dim == ir.DimSubpass && in.TexOp == ir.TexOpTxf {
		s.loadDestination(in)
		return
	}
	if ti.Dim.IsSubpass() {
		s.broken(in, "a read of an input attachment (%s) is left: lower_input_attachments makes fetches of them", in.TexOp)
		return
	}
	switch in.TexOp {
	case ir.TexOpTxs, ir.TexOpQueryLevels:
		lod := uint32(0)
		if q := in.TexSrc(ir.TexSrcLod); q != nil {
			c, ok := q.Def.Const(0)
			if !ok {
				s.fail(in, "the size of a texture at a LOD that is not constant is not supported: it must be lowered")
				return
			}
			lod = uint32(c)
		}
		o := s.imageValue(abi.Sysval{Kind: abi.SysvalTextureSize, Dim: ti.Dim, Array: ti.IsArray, Lod: lod}, v, index)
		if in.TexOp == ir.TexOpQueryLevels {
			o = o.lane(3)
		}
		s.viewOf(in, o)
	case ir.TexOpTextureSamples:
		s.viewOf(in, s.imageValue(abi.Sysval{Kind: abi.SysvalTextureSamples}, v, index).lane(0))
	case ir.TexOpTex, ir.TexOpTxb, ir.TexOpTxl, ir.TexOpTxf, ir.TexOpTxfMs, ir.TexOpTg4:
		s.sample(in, v, index)
	case ir.TexOpLod:
		s.lodQuery(in, v, index)
	default:
		s.fail(in, "texture operations (%s) are not supported by the midgard backend", in.TexOp)
	}
}

func (s *isel) sample(in *ir.Instr, v *ir.Variable, index source) {
	if s.blend != nil && s.gpu.Alias && !faults.has(faultBlendTexture) {
		s.fail(in, "a texture operation (%s) in a blend program is not supported by %s: its result would land on the colour and the return address", in.TexOp, s.gpu.Name)
		return
	}
	ti := in.TexInfo()
	fetch := in.TexOp == ir.TexOpTxf || in.TexOp == ir.TexOpTxfMs
	t := isa.Texture{Op: isa.TexSampleLod, Mode: isa.TexNormal, Helpers: isa.HelpersNormal, Dim: texDims[ti.Dim], CoordFull: true,
		CoordSwizzle: isa.XYZW, Full: true, Type: texType(ti.DestType.Class)}
	var more sampling
	switch in.TexOp {
	case ir.TexOpTxf, ir.TexOpTxfMs:
		t.Op = isa.TexFetch
	case ir.TexOpTex, ir.TexOpTxb:
		t.Op = isa.TexSample
		if s.sh.Stage != ir.StageFragment {
			s.broken(in, "an implicit LOD outside of fragment shaders: lower_tex (implicit_lod, group_lod) makes it explicit")
		}
		s.meta.NeedsQuads = true
	case ir.TexOpTg4:
		t.Mode = isa.TexGatherX + isa.TexMode(ti.Component&3)
	}
	if ti.IsShadow {
		t.Mode = isa.TexShadow
		if in.TexOp == ir.TexOpTg4 {
			t.Mode = isa.TexGatherShadow
		}
	}
	s.sampleLod(in, &t, fetch, &more)
	if q := in.TexSrc(ir.TexSrcOffset); q != nil {
		s.sampleOffset(q.Def, &t, &more)
	}
	s.sampleHandles(in, &t, v, index, &more)
	if len(more.parts) > 4 {
		s.fail(in, "a texture operation (%s) with LOD, offset and indices that are not constant is not supported", in.TexOp)
	}
	if s.err != nil {
		return
	}
	if !s.sampleCoords(in, &t, fetch, len(more.parts) > 0) {
		return
	}
	s.gather(s.texIn(1), more.parts)
	if len(more.parts) > 0 {
		s.coords[1] = unknownCoords
	}
	s.texResult(in, t)
}

func texType(c ir.TypeClass) isa.TexType {
	switch c {
	case ir.ClassInt:
		return isa.TexTypeInt
	case ir.ClassUint, ir.ClassBool:
		return isa.TexTypeUint
	}
	return isa.TexTypeFloat
}

// gathered is where a gather has the texels (0, 1), (1, 1), (1, 0) and (0, 0), which are the
// API's components: it gives them row by row (midgard.md §6.1).
var gathered = [4]uint8{2, 3, 1, 0}

// texResult adds a texture instruction and copies its result, of which only what is read lands anywhere.
func (s *isel) texResult(in *ir.Instr, t isa.Texture) {
	read := max(uint8(in.Def.ComponentsRead())&15, 1)
	out, first := s.texOut(bits.OnesCount8(read))
	o := source{reg: out}
	var from [4]int
	for c, lane := 0, first; c < 4; c++ {
		if read>>c&1 != 0 {
			o.swz[c], from[lane] = uint8(lane), c
			if in.TexOp == ir.TexOpTg4 && !faults.has(faultGatherOrder) {
				from[lane] = int(gathered[c])
			}
			t.Mask |= 1 << lane
			lane++
		}
	}
	t.Dst, t.Swizzle = uint8(out&1), isa.Swz(from[0], from[1], from[2], from[3])
	s.add(inst{kind: kindTex, dst: out, mask: t.Mask, tex: t, texels: in.TexInfo().Aliased, inv: s.sh.Stage != ir.StageFragment})
	s.move(s.result(&in.Def), read, o)
}

func (s *isel) sampleLod(in *ir.Instr, t *isa.Texture, fetch bool, more *sampling) {
	q := in.TexSrc(ir.TexSrcLod)
	if q == nil {
		q = in.TexSrc(ir.TexSrcBias)
	}
	clamp := s.gpu.BrokenLOD && !faults.has(faultBrokenLOD) && t.Op == isa.TexSampleLod && in.TexOp == ir.TexOpTxl
	if q == nil {
		return
	}
	o := s.comp(q.Def, 0)
	switch m := in.TexSrc(ir.TexSrcMinLod); {
	case clamp:
		o = s.clampedLod(in, o)
	case m != nil:
		o = s.notBelow(in, o, m.Def)
	}
	if o.reg == regConst && o.con[0] == 0 {
		return
	}
	if q.Def.BitSize != 32 {
		s.fail(in, "a LOD of %d bits is not supported", q.Def.BitSize)
	}
	t.LodReg = true
	t.Lod = isa.TexReg{Full: true, Select: 1, Comp: more.put(o)}.Selector()
}

// sampleHandles names texture and sampler.
func (s *isel) sampleHandles(in *ir.Instr, t *isa.Texture, v *ir.Variable, index source, more *sampling) {
	ti := in.TexInfo()
	named := func(first int, at source) (uint16, bool) {
		if at.reg == regNone {
			return uint16(first), false
		}
		return isa.TexReg{Full: true, Select: 1, Comp: more.put(s.scaled(at, 1, constant(uint32(first))))}.Selector(), true
	}
	r, first, at := s.place(&abi.TextureTable, v, index)
	s.meta.Textures = listed(s.meta.Textures, abi.Texture{Range: r, Dim: ti.Dim, Array: ti.IsArray})
	t.Texture, t.TextureReg = named(first, at)
	if t.Op == isa.TexFetch {
		s.meta.FetchSampler = s.meta.FetchSampler || !faults.has(faultFetchSampler)
		return
	}
	q := in.TexSrc(ir.TexSrcSamplerDeref)
	if q == nil {
		s.fail(in, "a texture operation (%s) without sampler is not supported", in.TexOp)
		return
	}
	if sv, si := s.variable(q.Def); sv != nil {
		p, first, at := s.place(&abi.SamplerTable, sv, si)
		s.meta.Samplers = listed(s.meta.Samplers, p)
		if t.TextureReg && si == index && p.First == r.First && p.Stride == r.Stride {
			t.Sampler, t.SamplerReg = t.Texture, true // the same number
			return
		}
		t.Sampler, t.SamplerReg = named(first, at)
	}
}
