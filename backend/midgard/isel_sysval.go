package midgard

import (
	"math"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// addressRegister copies a register of the address unit.
func (s *isel) addressRegister(in *ir.Instr, r uint8) bool {
	if in.Def.BitSize != 32 {
		return false
	}
	s.moveAddress(s.result(&in.Def), int(in.Def.NumComponents), r)
	return true
}

func (s *isel) moveAddress(to reg, n int, r uint8) {
	t := inst{kind: kindLdSt, dst: to, mask: fullMask(n)}
	t.ld = isa.LoadStore{Op: isa.LdMov, Swizzle: isa.XYZW, Arg: isa.AddrReg{Reg: r}}
	s.add(t)
}

// subgroupID numbers the subgroups of a workgroup of size z: each is one thread,
// so that its number is that of the thread.
func (s *isel) subgroupID(in *ir.Instr, z [3]uint32) bool {
	if in.Def.BitSize != 32 {
		return false
	}
	id := source{reg: s.f.newNode(3), swz: identity}
	s.moveAddress(id.reg, 3, isa.AddrLocalID)
	row := id.lane(1)
	if z[2] > 1 {
		row = s.scaled(id.lane(2), z[1], row)
	}
	o := id.lane(0)
	if z[1] > 1 || z[2] > 1 {
		o = s.scaled(row, z[0], o)
	}
	return s.viewOf(in, o)
}

// sysvalOf gives in components of a system value from first on.
func (s *isel) sysvalOf(in *ir.Instr, k abi.SysvalKind, first int) bool {
	if in.Def.BitSize > 32 {
		return false
	}
	o := s.sysval(abi.Sysval{Kind: k})
	var from [4]uint8
	for i := range from {
		from[i] = uint8(min(first+i, 3))
	}
	return s.viewOf(in, o.place(from))
}

// sum gives in the sum of two operands of one component.
func (s *isel) sum(in *ir.Instr, a, b source) bool {
	s.alu(isa.OpIadd, s.result(&in.Def), 1, a, b)
	return true
}

func (s *isel) words(in *ir.Instr, v ...uint32) bool {
	o := source{reg: regConst}
	copy(o.con[:], v)
	return s.viewOf(in, o)
}

// systemValue selects system values; false if in is none.
func (s *isel) systemValue(in *ir.Instr) bool {
	z := s.sh.Info.WorkgroupSize
	switch in.Intr {
	case ir.IntrLoadLocalInvocationId:
		return s.addressRegister(in, isa.AddrLocalID)
	case ir.IntrLoadWorkgroupId:
		return s.addressRegister(in, isa.AddrGroupID)
	case ir.IntrLoadGlobalInvocationId:
		return s.addressRegister(in, isa.AddrGlobal)
	case ir.IntrLoadNumWorkgroups:
		return s.sysvalOf(in, abi.SysvalNumWorkgroups, 0)
	case ir.IntrLoadBaseWorkgroupId:
		return s.sysvalOf(in, abi.SysvalBaseWorkgroup, 0)
	case ir.IntrLoadWorkgroupSize:
		return s.words(in, z[0], z[1], z[2])
	case ir.IntrLoadViewIndex:
		return s.fragmentLayer(in, abi.SysvalViewIndex)
	case ir.IntrLoadNumSubgroups:
		return s.words(in, z[0]*z[1]*z[2])
	case ir.IntrLoadSubgroupId:
		return s.subgroupID(in, z)
	}
	switch s.sh.Stage {
	case ir.StageVertex:
		return s.vertexValue(in)
	case ir.StageFragment:
		return s.fragmentValue(in)
	}
	return false
}

func (s *isel) vertexValue(in *ir.Instr) bool {
	offsets := func() source { return s.sysval(abi.Sysval{Kind: abi.SysvalVertexOffsets}) }
	switch in.Intr {
	case ir.IntrLoadViewportScale:
		return s.sysvalOf(in, abi.SysvalViewportScale, 0)
	case ir.IntrLoadViewportOffset:
		return s.sysvalOf(in, abi.SysvalViewportOffset, 0)
	case ir.IntrLoadVertexIdZeroBase:
		at := offsets()
		above := s.temp(isa.OpIsub, 1, at.lane(0), at.lane(1))
		return s.sum(in, s.attribute(isa.LdAttrS32, abi.Record{Kind: abi.RecordVertexID}, 0, 1), above)
	case ir.IntrLoadVertexId:
		return s.sum(in, s.attribute(isa.LdAttrS32, abi.Record{Kind: abi.RecordVertexID}, 0, 1), offsets().lane(0))
	case ir.IntrLoadInstanceId:
		return s.loadAttribute(in, abi.Record{Kind: abi.RecordInstanceID}, 0)
	case ir.IntrLoadFirstVertex, ir.IntrLoadBaseVertex:
		// Component 0 is where raw ids begin: in indexed draws that is not the base.
		if faults.has(faultBaseVertex) {
			return s.sysvalOf(in, abi.SysvalVertexOffsets, 0)
		}
		return s.sysvalOf(in, abi.SysvalVertexOffsets, 1)
	case ir.IntrLoadBaseInstance:
		return s.sysvalOf(in, abi.SysvalVertexOffsets, 2)
	case ir.IntrLoadDrawId:
		return s.sysvalOf(in, abi.SysvalDrawID, 0)
	}
	return false
}

// selected reads the special value of a selector.
func (s *isel) selected(selector int) source {
	d := s.f.newNode(1)
	t := inst{kind: kindLdSt, dst: d, mask: 1}
	t.ld = isa.LoadStore{Op: isa.LdSpecialU32, Swizzle: isa.XYZW, Arg: isa.AddrReg{Reg: isa.AddrZero}, Index: isa.AddrReg{Reg: isa.AddrZero}}
	t.ld.SetSlot(selector, 0)
	s.add(t)
	return source{reg: d, swz: identity}
}

// fragmentValue selects system values of fragment shaders; false if in is none.
func (s *isel) fragmentValue(in *ir.Instr) bool {
	n := int(in.Def.NumComponents)
	coord := abi.Varying{Kind: abi.VaryingFragCoord}
	switch in.Intr {
	case ir.IntrLoadFragCoord:
		return s.viewOf(in, s.varying(coord, isa.VarySmooth, 0, n))
	case ir.IntrLoadFragCoordZw:
		return s.viewOf(in, s.varying(coord, isa.VarySmooth, int(in.Get(ir.IdxComponent)), 1))
	case ir.IntrLoadPointCoord:
		return s.viewOf(in, s.varying(abi.Varying{Kind: abi.VaryingPointCoord}, isa.VarySmooth, 0, n))
	case ir.IntrLoadFrontFace, ir.IntrLoadFrontFaceFsign:
		f := s.varying(abi.Varying{Kind: abi.VaryingFrontFace}, isa.VaryFlatParams, 0, 1)
		front := s.temp(isa.OpIne, 1, f, constant(0))
		if in.Intr == ir.IntrLoadFrontFaceFsign {
			s.selectTo(s.dest(&in.Def), front, constant(math.Float32bits(1)), constant(math.Float32bits(-1)))
			return true
		}
		return s.viewOf(in, front)
	case ir.IntrLoadPrimitiveId:
		s.noteInput(in, int(ir.SlotPrimitiveID), 1, ir.InterpFlat)
		return s.viewOf(in, s.varying(abi.Varying{Kind: abi.VaryingSlot, Slot: ir.SlotPrimitiveID}, isa.VaryFlatParams, 0, 1))
	case ir.IntrLoadSampleId:
		s.meta.PerSample = true
		return s.viewOf(in, s.selected(abi.SpecialSampleID))
	case ir.IntrLoadSampleIdNoPerSample:
		return s.viewOf(in, s.selected(abi.SpecialSampleID))
	case ir.IntrLoadSampleMaskIn:
		if s.sh.Info.PostDepthCoverage {
			s.fail(in, "the mask of covered samples after depth tests (PostDepthCoverage) is not supported: the hardware tests after the shader has asked")
		}
		return s.viewOf(in, s.selected(abi.SpecialCoverage))
	case ir.IntrLoadHelperInvocation:
		return s.viewOf(in, s.outside())
	case ir.IntrIsHelperInvocation:
		o := s.outside()
		if s.demoted != regNone && !faults.has(faultHelperFlag) {
			o = s.temp(isa.OpIor, 1, o, source{reg: s.demoted, swz: identity})
		}
		return s.viewOf(in, o)
	case ir.IntrLoadSamplePos:
		s.meta.PerSample = true
		return s.samplePosition(in, s.selected(abi.SpecialSampleID))
	case ir.IntrLoadSamplePosFromId:
		return s.samplePosition(in, s.sampleThere(in.Srcs[0].Def))
	}
	return false
}

// fragmentLayer reads the layer or view that the draw goes to: framebuffers have one at a time (midgard.md
// §9.2). A blend program reads the tile, wherever that is.
func (s *isel) fragmentLayer(in *ir.Instr, k abi.SysvalKind) bool {
	if s.blend != nil || k == abi.SysvalLayer && faults.has(faultLayer) {
		return s.words(in, 0)
	}
	return s.sysvalOf(in, k, 0)
}

// outside reports whether the thread began as a helper.
func (s *isel) outside() source {
	return s.temp(isa.OpIeq, 1, s.selected(abi.SpecialCoverage), constant(0))
}

// sampleThere is a sample of which the table has a position: pixels of one sample have that at the centre, whichever one the shader
// names (interpolateAtSample of GLSL), and the table of the reference's driver has the corner after it (sample_position_lut of
// Mesa 25.0, src/panfrost/lib/pan_samples.c), 32 entries in all.
func (s *isel) sampleThere(id *ir.Def) source {
	if c, ok := id.Const(0); ok && c == 0 || faults.has(faultSampleThere) {
		return s.comp(id, 0)
	}
	n := s.temp(isa.OpIand, 1, s.comp(id, 0), constant(abi.SamplePositions-1))
	return s.temp(isa.OpIand, 1, n, s.sysval(abi.Sysval{Kind: abi.SysvalMultisampled}).lane(0))
}

// samplePosition reads the place of a sample in the table of positions: pairs of 16-bit numbers in
// 1/256 pixel.
func (s *isel) samplePosition(in *ir.Instr, id source) bool {
	table := s.sysval(abi.Sysval{Kind: abi.SysvalSamplePositions})
	at := s.temp(isa.OpIshl, 1, id, constant(2))
	d := s.f.newNode(1)
	t := inst{kind: kindLdSt, dst: d, mask: 1}
	t.ld = isa.LoadStore{Op: isa.Ld32, Swizzle: isa.XYZW}
	input, number := s.input()
	a := address{pair: true, lo: table.lane(0), hi: table.lane(1), index: at}
	s.put(&t.ld, &a, input, number)
	s.add(t)
	up := s.temp(isa.OpIshl, 2, source{reg: d}, source{reg: regConst, con: [4]uint32{16, 0}})
	f := s.temp(isa.OpI2f, 2, s.temp(isa.OpIasr, 2, up, constant(16)), constant(0))
	s.alu(isa.OpFmul, s.result(&in.Def), 3, f, constant(math.Float32bits(1.0/256)))
	return true
}

// sysval makes an operand of the four words of a system value.
func (s *isel) sysval(v abi.Sysval) source {
	k := s.tab.sysval(v)
	return s.bufferWords(abi.UBOSysvals, abi.Resource{}, uint32(16*k), 4)
}
