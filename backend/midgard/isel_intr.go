package midgard

import (
	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/backend/resource"
	"nirc/ir"
)

// intrinsic selects an intrinsic.
func (s *isel) intrinsic(in *ir.Instr) {
	s.meta.WritesMemory = s.meta.WritesMemory || backend.WritesMemory(in)
	s.meta.Coherent = s.meta.Coherent || in.Has(ir.IdxAccess) && ir.Access(in.Get(ir.IdxAccess))&(ir.AccessCoherent|ir.AccessVolatile) != 0
	switch in.Intr {
	case ir.IntrNop:
	case ir.IntrLoadBarycentricPixel, ir.IntrLoadBarycentricCentroid, ir.IntrLoadBarycentricSample,
		ir.IntrLoadBarycentricAtSample, ir.IntrLoadBarycentricAtOffset:
		// Barycentrics are read by the loads that use them.
		if !resource.OnlyInterpolates(in) {
			s.fail(in, "%s that does anything but interpolate an input is not supported", in.Intr)
		}
	case ir.IntrBarrier:
		s.barrier(in)
	case ir.IntrLoadInput:
		s.loadInput(in, nil)
	case ir.IntrLoadInterpolatedInput:
		s.loadInput(in, in.Srcs[0].Def.Instr)
	case ir.IntrStoreOutput:
		s.storeOutput(in)
	case ir.IntrLoadOutput, ir.IntrLoadAttachment:
		s.loadTile(in)
	case ir.IntrDemote:
		s.demote(nil)
	case ir.IntrDemoteIf:
		s.demote(in.Srcs[0].Def)
	case ir.IntrTerminate:
		s.discard(nil)
	case ir.IntrTerminateIf:
		s.discardIf(s.comp(in.Srcs[0].Def, 0))
	case ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll:
		s.fail(in, "%s is not supported: the threads of a quad share derivatives only", in.Intr)
	case ir.IntrLoadInputVertex:
		s.fail(in, "inputs per vertex (%s) are not supported: the hardware gives what it interpolates", in.Intr)
	default:
		if !s.memoryAccess(in) && !s.stageAccess(in) && !s.systemValue(in) && !s.derivative(in) && !s.image(in) {
			s.fail(in, "the intrinsic %s is not supported by the midgard backend", in.Intr)
		}
	}
}

// memoryAccess selects accesses to buffers, workgroup memory, private memory and
// pointers; false if in is none.
func (s *isel) memoryAccess(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrLoadUbo, ir.IntrLoadSsbo:
		s.loadBuffer(in)
	case ir.IntrStoreSsbo:
		s.storeBuffer(in)
	case ir.IntrSsboAtomic, ir.IntrSsboAtomicSwap:
		a := s.guarded(in, in.Srcs[0].Def, guard{off: in.Srcs[1].Def, bytes: int(in.Def.BitSize) / 8, write: true})
		s.atomicAt(in, a, 2)
	case ir.IntrGetSsboSize, ir.IntrGetUboSize:
		s.bufferSize(in)
	case ir.IntrLoadSinkAddressPan:
		s.viewOf(in, s.sink(true))
	case ir.IntrLoadPushConstant:
		s.readBuffer(in, abi.UBOPush, abi.Resource{}, uint32(in.Get(ir.IdxBase)), in.Srcs[0].Def)
	case ir.IntrLoadConstant:
		s.loadConstant(in)
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
		s.storeAt(in, in.Srcs[0].Def, s.global(in.Srcs[1].Def))
	case ir.IntrGlobalAtomic, ir.IntrGlobalAtomicSwap, ir.IntrGlobalAtomic2x32, ir.IntrGlobalAtomicSwap2x32:
		s.atomicAt(in, s.global(in.Srcs[0].Def), 1)
	default:
		return false
	}
	return true
}

// barrier selects the barrier of the workgroup. Memory barriers are no instruction: the
// accesses of a thread are done in the order of its bundles, and none after a barrier may
// come into a bundle with one before it, or earlier (midgard.md §7.6).
// The renderer state's flag is set for either, as contains_barrier of Mesa 25.0 is (src/panfrost/lib/pan_shader.c).
func (s *isel) barrier(in *ir.Instr) {
	if !faults.has(faultLoadOrder) {
		s.fences++
	}
	s.meta.Coherent = s.meta.Coherent || ir.Scope(in.Get(ir.IdxExecutionScope)) < ir.ScopeWorkgroup
	s.meta.UsesBarrier = !faults.has(faultBarrierFlag)
	if ir.Scope(in.Get(ir.IdxExecutionScope)) >= ir.ScopeWorkgroup && s.sh.Stage == ir.StageCompute && !faults.has(faultBarrier) {
		s.add(inst{kind: kindTex, dst: regNone, tex: isa.Barrier()})
	}
}
