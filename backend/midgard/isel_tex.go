package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/backend/resource"
	"nirc/ir"
)

// texIn is a register that the texture pipe takes its inputs from.
func (s *isel) texIn(k reg) reg {
	if s.gpu.Alias {
		return regLd0 + k
	}
	return regTexIn0 + k
}

// texOut is the register that the next texture result lands in: the two in turn.
func (s *isel) texOut() reg {
	s.outTurn ^= 1
	if s.gpu.Alias {
		s.floor = max(s.floor, 2)
		return s.outTurn
	}
	return regTexOut0 + s.outTurn
}

// variable finds the variable of a deref of textures, and the index into it.
func (s *isel) variable(in *ir.Instr, d *ir.Def) (v *ir.Variable, index source) {
	index = constant(0)
	v, indices, err := resource.Texture(d)
	if err != nil {
		s.fail(in, "%v", err)
	}
	for _, x := range indices {
		index = s.scaled(s.comp(x.Def, 0), x.Stride, index)
	}
	return v, index
}

// scaled computes x * stride + add; constants stay constants.
func (s *isel) scaled(x source, stride uint32, add source) source {
	switch {
	case x.reg == regConst:
		x = constant(x.con[0] * stride)
	case stride != 1:
		x = s.temp(isa.OpImul, 1, x, constant(stride))
	}
	switch {
	case x.reg == regConst && add.reg == regConst:
		return constant(x.con[0] + add.con[0])
	case add.reg == regConst && add.con[0] == 0:
		return x
	}
	return s.temp(isa.OpIadd, 1, x, add)
}

// maxTable is how many entries an instruction can name.
const maxTable = 1 << 16

// tableIndex finds or makes the entries of a variable in a table: one where the
// index is constant, all of them in a row where it is not, or the table's tail where
// nobody knows how many they are. It returns the entry, to which the index is added, if it
// is not regNone.
func tableIndex[T comparable](s *isel, list, tail *[]T, v *ir.Variable, index source, entry func(r abi.Resource) T) (first int, at source) {
	r := abi.Resource{Set: v.Set, Binding: v.Binding}
	count := resource.ArrayCount(v.Type)
	at = index
	if index.reg == regConst {
		r.Element, count = index.con[0], 1
		at = source{reg: regNone}
	} else if count == 0 {
		return 0, tailIndex(s, list, tail, entry(r), index)
	}
	if len(*list)+int(count) > maxTable {
		s.fail(nil, "%d descriptors of %s are not supported: a table has up to %d", count, v.Name, maxTable)
		return 0, at
	}
	element := r.Element
	for i := 0; i+int(count) <= len(*list); i++ {
		same := true
		for k := uint32(0); same && k < count; k++ {
			r.Element = element + k
			same = (*list)[i+int(k)] == entry(r)
		}
		if same {
			return i, at
		}
	}
	for k := range count {
		r.Element = element + k
		*list = append(*list, entry(r))
	}
	return len(*list) - int(count), at
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
	v, index := s.variable(in, src.Def)
	if v == nil {
		return
	}
	if s.blend != nil && v.Type.WithoutArray().Dim == ir.DimSubpass && in.TexOp == ir.TexOpTxf {
		s.loadDestination(in)
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

// imageValue is a system value that describes a texture or image.
func (s *isel) imageValue(x abi.Sysval, v *ir.Variable, index source) source {
	x.Set, x.Binding = v.Set, v.Binding
	if index.reg == regConst {
		x.Element = index.con[0]
		return s.sysval(x)
	}
	d := s.f.newNode(4)
	if resource.ArrayCount(v.Type) == 0 {
		at, k := s.tailElement(x, index)
		s.loadUBO(s.ubo(abi.UBOElements), d, 0, 4, uint32(16*k), at, 4)
	} else {
		first, at := tableIndex(s, &s.meta.Sysvals, nil, v, index, func(r abi.Resource) abi.Sysval {
			x.Element = r.Element
			return x
		})
		s.loadUBO(s.ubo(abi.UBOSysvals), d, 0, 4, uint32(16*first), at, 4)
	}
	return source{reg: d, swz: identity}
}

// ubo is the table's entry of a buffer that there is one of.
func (s *isel) ubo(k abi.UBOKind) int {
	n, err := s.tab.ubo(k, abi.Resource{})
	if err != nil {
		s.err = err
	}
	return n
}

// sampling gathers what goes into the second input of a texture instruction.
type sampling struct {
	parts []source
}

// put takes the next component for o and returns it.
func (p *sampling) put(o source) uint8 {
	p.parts = append(p.parts, o)
	return uint8(len(p.parts) - 1)
}

func (s *isel) sample(in *ir.Instr, v *ir.Variable, index source) {
	ti := in.TexInfo()
	fetch := in.TexOp == ir.TexOpTxf || in.TexOp == ir.TexOpTxfMs
	t := isa.Texture{Op: isa.TexSampleLod, Mode: isa.TexNormal, Helpers: isa.HelpersNormal, Dim: texDims[ti.Dim], CoordFull: true,
		CoordSwizzle: isa.XYZW, Full: true, Type: texType(ti.DestType.Class), Mask: 15, Swizzle: isa.XYZW}
	var more sampling
	switch in.TexOp {
	case ir.TexOpTxf, ir.TexOpTxfMs:
		t.Op = isa.TexFetch
	case ir.TexOpTex, ir.TexOpTxb:
		t.Op = isa.TexSample
		s.meta.NeedsQuads = s.meta.NeedsQuads || s.sh.Stage == ir.StageFragment
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
	s.sampleHandles(in, &t, v, index, fetch, &more)
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

// texResult adds a texture instruction and copies its result.
func (s *isel) texResult(in *ir.Instr, t isa.Texture) {
	out := s.texOut()
	t.Dst = uint8(out & 1)
	s.add(inst{kind: kindTex, dst: out, mask: t.Mask, tex: t, inv: s.sh.Stage != ir.StageFragment})
	n := int(in.Def.NumComponents)
	s.move(s.result(&in.Def), fullMask(n), source{reg: out, swz: identity})
}

func (s *isel) sampleLod(in *ir.Instr, t *isa.Texture, fetch bool, more *sampling) {
	q := in.TexSrc(ir.TexSrcLod)
	if q == nil {
		q = in.TexSrc(ir.TexSrcBias)
	}
	clamp := s.gpu.BrokenLod && t.Op == isa.TexSampleLod && in.TexOp == ir.TexOpTxl
	if q == nil {
		return
	}
	o := s.comp(q.Def, 0)
	if clamp {
		o = s.clampedLod(in, o)
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

func (s *isel) sampleOffset(d *ir.Def, t *isa.Texture, more *sampling) {
	n := int(d.NumComponents)
	var c [3]int
	for i := range n {
		c[i] = int(more.put(s.comp(d, i)))
	}
	if n < 3 {
		zero := int(more.put(constant(0)))
		for i := n; i < 3; i++ {
			c[i] = zero
		}
	}
	t.OffsetReg = true
	t.Offset = isa.OffsetSelector(isa.TexReg{Full: true, Select: 1}, isa.Swz(c[0], c[1], c[2], 0))
}

// sampleHandles names texture and sampler.
func (s *isel) sampleHandles(in *ir.Instr, t *isa.Texture, v *ir.Variable, index source, fetch bool, more *sampling) {
	ti := in.TexInfo()
	first, at := tableIndex(s, &s.meta.Textures, &s.meta.TextureTail, v, index, func(r abi.Resource) abi.Texture {
		return abi.Texture{Resource: r, Dim: ti.Dim, Array: ti.IsArray}
	})
	t.Texture = uint16(first)
	if at.reg != regNone {
		t.TextureReg = true
		t.Texture = isa.TexReg{Full: true, Select: 1, Comp: more.put(s.scaled(at, 1, constant(uint32(first))))}.Selector()
	}
	q := in.TexSrc(ir.TexSrcSamplerDeref)
	if fetch {
		return
	}
	if q == nil {
		s.fail(in, "a texture operation (%s) without sampler is not supported", in.TexOp)
		return
	}
	sv, si := s.variable(in, q.Def)
	if sv == nil {
		return
	}
	first, at = tableIndex(s, &s.meta.Samplers, &s.meta.SamplerTail, sv, si, func(r abi.Resource) abi.Resource { return r })
	t.Sampler = uint16(first)
	if at.reg != regNone {
		t.SamplerReg = true
		t.Sampler = isa.TexReg{Full: true, Select: 1, Comp: more.put(s.scaled(at, 1, constant(uint32(first))))}.Selector()
	}
}

// dimCoords is the number of coordinates of a dimension.
func dimCoords(d ir.Dim) int {
	switch d {
	case ir.Dim1D, ir.DimBuf:
		return 1
	case ir.Dim3D, ir.DimCube:
		return 3
	}
	return 2
}

// sampleCoords fills an input with coordinates, reference or sample in z, layer
// in w (midgard.md §6.2): the first one where the second holds more. Lanes that mean nothing
// repeat x, but all that a fetch has must hold something.
func (s *isel) sampleCoords(in *ir.Instr, t *isa.Texture, fetch, more bool) bool {
	ti := in.TexInfo()
	q := in.TexSrc(ir.TexSrcCoord)
	if q == nil || q.Def.BitSize != 32 {
		s.fail(in, "a texture operation (%s) without coordinates of 32 bits is not supported", in.TexOp)
		return false
	}
	parts := [4]source{{reg: regNone}, {reg: regNone}, {reg: regNone}, {reg: regNone}}
	n := dimCoords(ti.Dim)
	for i := range n {
		parts[i] = s.comp(q.Def, i)
	}
	if ti.Dim == ir.DimCube {
		pair := s.cubePair(q.Def)
		parts[0], parts[1], parts[2] = pair.lane(0), pair.lane(1), source{reg: regNone}
	}
	if ti.IsArray {
		parts[3] = s.comp(q.Def, n)
	}
	if c := in.TexSrc(ir.TexSrcComparator); c != nil {
		parts[2] = s.comp(c.Def, 0)
		if n == 3 && ti.Dim != ir.DimCube {
			s.fail(in, "a shadow texture of three dimensions is not supported")
		}
	}
	if m := in.TexSrc(ir.TexSrcMsIndex); m != nil {
		parts[2] = s.comp(m.Def, 0)
	}
	var lanes [4]int
	for i := range parts {
		if parts[i].reg != regNone {
			lanes[i] = i
		} else if fetch {
			parts[i], lanes[i] = constant(0), i
		}
	}
	t.CoordSwizzle = isa.Swz(lanes[0], lanes[1], lanes[2], lanes[3])
	if !more && !s.gpu.Alias {
		t.CoordSel = s.texTurn
		s.texTurn ^= 1
	}
	s.gather(s.texIn(reg(t.CoordSel)), parts[:])
	return true
}

// cubePair turns a direction into the pair that cube textures take.
func (s *isel) cubePair(coord *ir.Def) source {
	d := s.f.newFirst(2)
	input, number := s.input()
	s.move(input, 7, s.operand(coord, 3, func(i int) int { return i }))
	t := inst{kind: kindLdSt, dst: d, mask: 3}
	t.ld = isa.LoadStore{Op: isa.LdCubemap, Swizzle: isa.Swz(0, 1, 2, 2), Toggle: true, Arg: isa.AddrReg{Reg: number}, Index: isa.AddrReg{Reg: isa.AddrZero}}
	s.add(t)
	return source{reg: d, swz: identity}
}

// derivative selects derivatives, two components at a time; false if in is none.
func (s *isel) derivative(in *ir.Instr) bool {
	mode := isa.TexDdx
	switch in.Intr {
	case ir.IntrDdx, ir.IntrDdxCoarse, ir.IntrDdxFine:
	case ir.IntrDdy, ir.IntrDdyCoarse, ir.IntrDdyFine:
		mode = isa.TexDdy
	default:
		return false
	}
	if in.Def.BitSize != 32 || s.sh.Stage != ir.StageFragment {
		if s.sh.Stage != ir.StageFragment {
			s.fail(in, "derivatives in a %s shader are not supported: only the threads of fragments stand in quads", s.sh.Stage)
		} else {
			s.fail(in, "derivatives of %d bits are not supported: they must be lowered to 32 bits", in.Def.BitSize)
		}
		return true
	}
	s.meta.NeedsQuads = true
	n := int(in.Def.NumComponents)
	o := s.whole(in.Srcs[0].Def)
	d := s.f.newNode(n)
	for first := 0; first < n; first += 2 {
		k := min(2, n-first)
		s.move(s.texIn(0), 15, o.place([4]uint8{uint8(first), uint8(min(first+1, 3)), uint8(first), uint8(first)}))
		t := isa.Texture{Op: isa.TexDerivative, Mode: mode, Helpers: isa.HelpersNormal, Dim: isa.Tex2D, CoordFull: true,
			CoordSwizzle: isa.Swz(0, 1, 0, 0), Full: true, Type: isa.TexTypeFloat, Mask: 3, Swizzle: isa.XYZW}
		out := s.texOut()
		t.Dst = uint8(out & 1)
		s.add(inst{kind: kindTex, dst: out, mask: 3, tex: t})
		s.move(d, fullMask(k)<<first, source{reg: out, swz: identity}.shifted(first))
	}
	s.set(&in.Def, value{reg: d, at: identity})
	return true
}
