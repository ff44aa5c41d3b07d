package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/backend/resource"
	"nirc/ir"
)

// intrinsic selects an intrinsic.
func (s *isel) intrinsic(in *ir.Instr) {
	switch in.Intr {
	case ir.IntrNop:
	case ir.IntrLoadBarycentricPixel, ir.IntrLoadBarycentricCentroid, ir.IntrLoadBarycentricSample,
		ir.IntrLoadBarycentricAtSample, ir.IntrLoadBarycentricAtOffset:
		// Barycentrics are read by the loads that use them.
		if !resource.OnlyInterpolates(in) {
			s.fail(in, "%s that does anything but interpolate an input is not supported", in.Intr)
		}
	case ir.IntrLoadUbo, ir.IntrLoadSsbo:
		s.loadBuffer(in)
	case ir.IntrStoreSsbo:
		s.meta.WritesMemory = true
		s.storeBuffer(in)
	case ir.IntrSsboAtomic, ir.IntrSsboAtomicSwap:
		s.meta.WritesMemory = true
		a := s.guarded(in, in.Srcs[0].Def, in.Srcs[1].Def, int(in.Def.BitSize)/8)
		s.atomicAt(in, a, 2)
	case ir.IntrGetSsboSize, ir.IntrGetUboSize:
		s.bufferSize(in)
	case ir.IntrLoadPushConstant:
		s.readBuffer(in, abi.UBOPush, abi.Resource{}, uint32(in.Get(ir.IdxBase)), in.Srcs[0].Def)
	case ir.IntrLoadShared:
		s.loadAt(in, s.shared(in, in.Srcs[0].Def))
	case ir.IntrStoreShared:
		s.storeAt(in, in.Srcs[0].Def, s.shared(in, in.Srcs[1].Def))
	case ir.IntrSharedAtomic, ir.IntrSharedAtomicSwap:
		s.atomicAt(in, s.shared(in, in.Srcs[0].Def), 1)
	case ir.IntrLoadScratch:
		s.loadAt(in, s.scratch(in.Srcs[0].Def))
	case ir.IntrStoreScratch:
		s.storeAt(in, in.Srcs[0].Def, s.scratch(in.Srcs[1].Def))
	case ir.IntrLoadGlobal, ir.IntrLoadGlobalConstant, ir.IntrLoadGlobal2x32:
		s.loadAt(in, s.global(in.Srcs[0].Def))
	case ir.IntrStoreGlobal, ir.IntrStoreGlobal2x32:
		s.meta.WritesMemory = true
		s.storeAt(in, in.Srcs[0].Def, s.global(in.Srcs[1].Def))
	case ir.IntrGlobalAtomic, ir.IntrGlobalAtomicSwap, ir.IntrGlobalAtomic2x32, ir.IntrGlobalAtomicSwap2x32:
		s.meta.WritesMemory = true
		s.atomicAt(in, s.global(in.Srcs[0].Def), 1)
	case ir.IntrBarrier:
		s.barrier(in)
	case ir.IntrLoadInput:
		s.loadInput(in, nil)
	case ir.IntrLoadInterpolatedInput:
		s.loadInput(in, in.Srcs[0].Def.Instr)
	case ir.IntrStoreOutput:
		s.storeOutput(in)
	case ir.IntrLoadOutput:
		s.loadTile(in)
	case ir.IntrDemote, ir.IntrTerminate:
		s.discard(nil)
	case ir.IntrDemoteIf, ir.IntrTerminateIf:
		s.discard(in.Srcs[0].Def)
	case ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll:
		s.fail(in, "%s is not supported: the threads of a quad share derivatives only", in.Intr)
	default:
		if !s.systemValue(in) && !s.derivative(in) && !s.image(in) {
			s.fail(in, "the intrinsic %s is not supported by the midgard backend", in.Intr)
		}
	}
}

// discard ends the fragment, if the condition holds. The block ends there.
func (s *isel) discard(cond *ir.Def) {
	s.meta.UsesDiscard = true
	t := inst{kind: kindDiscard, dst: regNone}
	if cond != nil {
		t.hasCond, t.cond = true, s.condition(s.comp(cond, 0))
	}
	s.add(t)
	from := s.blk
	s.edge(from, s.newBlock(s.f.blocks[from].depth))
}

// barrier selects the barrier of the workgroup; a thread's own accesses are in order.
func (s *isel) barrier(in *ir.Instr) {
	if ir.Scope(in.Get(ir.IdxExecutionScope)) >= ir.ScopeWorkgroup && s.sh.Stage == ir.StageCompute {
		s.add(inst{kind: kindTex, dst: regNone, tex: isa.Barrier()})
		s.meta.UsesBarrier = true
	}
}

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
	t.ld = isa.LoadStore{Op: isa.LdMov, Swizzle: isa.XYZW, Arg: isa.AddrReg{Reg: r}, Index: isa.AddrReg{Reg: isa.AddrZero}}
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
		return s.sysvalOf(in, abi.SysvalViewIndex, 0)
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
	case ir.IntrLoadVertexIdZeroBase:
		return s.loadAttribute(in, abi.Record{Kind: abi.RecordVertexID}, 0)
	case ir.IntrLoadVertexId:
		return s.sum(in, s.attribute(abi.Record{Kind: abi.RecordVertexID}, 0, 1), offsets().lane(0))
	case ir.IntrLoadInstanceId:
		return s.loadAttribute(in, abi.Record{Kind: abi.RecordInstanceID}, 0)
	case ir.IntrLoadFirstVertex:
		return s.sysvalOf(in, abi.SysvalVertexOffsets, 0)
	case ir.IntrLoadBaseVertex:
		return s.sysvalOf(in, abi.SysvalVertexOffsets, 1)
	case ir.IntrLoadBaseInstance:
		return s.sysvalOf(in, abi.SysvalVertexOffsets, 2)
	case ir.IntrLoadDrawId:
		return s.sysvalOf(in, abi.SysvalDrawID, 0)
	}
	return false
}
