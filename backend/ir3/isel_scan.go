package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/ir"
)

// scan finds out what the shader needs before anything is selected.
func (s *isel) scan() {
	s.in.pushLo = ^uint32(0)
	for _, b := range s.irBlocks {
		if b == nil {
			continue
		}
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic {
				s.scanIntrinsic(in)
			}
		}
	}
	if s.meta.Chain.Next != ir.StageNone && !faults.has(faultChainIDs) {
		// The next stage finds them in their registers, whether this one has a use for them or not.
		for _, k := range chainRegs(s.sh.Stage, s.meta.Chain.Next) {
			s.want(k)
		}
	}
	s.planPrefetches()
	s.consts.layOut(s.gpu, s.sh.Stage, s.in.pushLo, s.in.pushHi, s.in.driver, s.sh.SharedSize)
	if s.sh.Options != nil && s.sh.Options.SafeConsts && s.sh.Stage != ir.StageCompute && !faults.has(faultSafeConsts) {
		s.consts.limit = min(s.consts.limit, 4*abi.SafeConst)
	}
	if s.err == nil && !s.noPush {
		s.pre.Classify(s.impl, &s.pre)
		s.noteArrays()
		s.consts.pushUBOs(s.gpu)
		s.pre.choose(s.gpu, s.consts)
		s.consts.reserve(s.pre.end - s.pre.first)
	}
	s.checkArrays()
	s.consts.placeChain()
	if n := s.consts.immAt; n > s.consts.limit && s.err == nil {
		s.fail(nil, "%d consts of push constants and parameters are not supported, there is room for %d", n, s.consts.limit)
	}
}

func (s *isel) want(k abi.SysvalKind) { s.in.wanted[k] = true }

// param notes that driver parameter n is used.
func (s *isel) param(n int) { s.in.driver = max(s.in.driver, n+1) }

func (s *isel) scanIntrinsic(in *ir.Instr) {
	if in.Has(ir.IdxAccess) && ir.Access(in.Get(ir.IdxAccess))&(ir.AccessCoherent|ir.AccessVolatile) != 0 {
		s.meta.Coherent = true
	}
	switch in.Intr {
	case ir.IntrLoadPushConstant:
		s.scanPush(in)
	case ir.IntrLoadUbo:
		s.in.arrays = append(s.in.arrays, in)
	case ir.IntrLoadUboVec4:
		s.scanUnit(in)
	case ir.IntrLoadInput:
		s.scanInput(in, ir.InterpFlat)
	case ir.IntrLoadInterpolatedInput:
		mode := ir.InterpSmooth
		if m, ok := computedMode(in.Srcs[0].Def, 0); ok && m == ir.InterpNoPerspective {
			mode = m
		}
		s.scanInput(in, mode)
	case ir.IntrLoadPointCoord:
		// A varying that the rasteriser makes.
		i := &s.in.slots[ir.SlotPointCoord]
		i.mask, i.interp = i.mask|3, ir.InterpSmooth
		s.want(abi.IJPerspPixel)
		s.in.fetches = append(s.in.fetches, in)
	case ir.IntrLoadVertexId:
		s.want(abi.VertexID)
	case ir.IntrLoadInstanceId:
		s.want(abi.InstanceID)
	case ir.IntrLoadBaseInstance:
		s.param(abi.ParamVSInstanceBase)
	case ir.IntrLoadFirstVertex:
		s.param(abi.ParamVSVertexBase)
	case ir.IntrLoadDrawId:
		s.param(abi.ParamVSDrawID)
	case ir.IntrLoadViewIndex:
		if s.sh.Stage == ir.StageFragment && !faults.has(faultViewVarying) {
			s.madeVarying(in, ir.SlotViewIndex)
			return
		}
		s.want(abi.ViewIndex)
	case ir.IntrLoadLayerId:
		s.madeVarying(in, ir.SlotLayer)
	case ir.IntrLoadPrimitiveParamIr3, ir.IntrLoadPrimitiveLocationIr3, ir.IntrLoadTessCoordXy, ir.IntrLoadRelPatchIdIr3, ir.IntrLoadTcsHeaderIr3,
		ir.IntrLoadGsHeaderIr3, ir.IntrLoadPrimitiveId:
		s.scanChain(in)
	case ir.IntrLoadFragCoord:
		if read := uint8(in.Def.ComponentsRead()); read != 0 {
			s.in.coord |= read
			s.want(abi.FragCoord)
		}
	case ir.IntrLoadFrontFace:
		s.want(abi.FrontFace)
	case ir.IntrLoadSampleId, ir.IntrLoadSampleIdNoPerSample:
		s.want(abi.SampleID)
		s.meta.PerSample = s.meta.PerSample || in.Intr == ir.IntrLoadSampleId
	case ir.IntrLoadSampleMaskIn, ir.IntrLoadHelperInvocation:
		s.want(abi.SampleMaskIn)
	case ir.IntrLoadBarycentricPixel, ir.IntrLoadBarycentricCentroid, ir.IntrLoadBarycentricSample:
		if k, ok := baryKind(in); ok {
			s.want(k)
		}
		s.meta.PerSample = s.meta.PerSample || in.Intr == ir.IntrLoadBarycentricSample
	case ir.IntrLoadFragSize:
		s.in.density, s.meta.FragSize = true, true
		s.param(abi.ParamFSFragOffset + 1)
	case ir.IntrLoadFragInvocationCount:
		s.param(abi.ParamFSInvocations)
	case ir.IntrLoadFragShadingRate:
		if !s.gpu.ShadingRate {
			s.fail(in, "the shading rate of fragments is not supported on %s, needs a730", s.gpu.Name)
			return
		}
		s.want(abi.ShadingRate)
		if s.gpu.RateWithMask {
			s.want(abi.SampleMaskIn)
		}
	case ir.IntrLoadPerspCenterRhwIr3:
		s.want(abi.IJPerspCenterRHW)
	case ir.IntrLoadLocalInvocationId, ir.IntrLoadLocalInvocationIndex, ir.IntrLoadSubgroupInvocation, ir.IntrLoadSubgroupId:
		s.want(abi.LocalInvocationID)
		s.param(abi.ParamCSSubgroupIDShift)
	case ir.IntrLoadGlobalInvocationId:
		s.want(abi.LocalInvocationID)
		s.want(abi.WorkgroupID)
	case ir.IntrLoadWorkgroupId:
		s.want(abi.WorkgroupID)
		s.param(abi.ParamCSNumWorkgroups + 2)
	case ir.IntrLoadNumWorkgroups:
		s.param(abi.ParamCSNumWorkgroups + 2)
	case ir.IntrLoadBaseWorkgroupId:
		s.param(abi.ParamCSBaseWorkgroup + 2)
	case ir.IntrLoadSubgroupSize, ir.IntrLoadNumSubgroups:
		if s.sh.Stage == ir.StageCompute {
			s.param(abi.ParamCSSubgroupIDShift)
		} else {
			s.param(abi.ParamFSSubgroupSize)
		}
	}
}

func (s *isel) scanPush(in *ir.Instr) {
	lo := in.Get(ir.IdxBase)
	n := uint64(in.Def.NumComponents) * uint64(in.Def.BitSize) / 8
	if c, ok := in.Srcs[0].Def.Const(0); ok {
		lo += c
	} else if n = in.Get(ir.IdxRange); n == 0 {
		n = 256 - min(lo, 252)
	}
	if lo > maxPushByte || n > maxPushByte-lo {
		s.fail(in, "push constants after byte %d are not supported", maxPushByte)
		return
	}
	s.in.pushLo, s.in.pushHi = min(s.in.pushLo, uint32(lo&^3)), max(s.in.pushHi, uint32((lo+n+3)&^3))
}

// maxPushByte bounds the push constants: the const file has 512 vec4.
const maxPushByte = 512 * 16

// scanUnit notes a load whose place in its buffer is known.
func (s *isel) scanUnit(in *ir.Instr) {
	set, slot, ok := constBuffer(in.Srcs[0].Def)
	unit, known := in.Srcs[1].Def.Const(0)
	if ok && known {
		s.consts.ubos.note(set, slot, uint32(unit+in.Get(ir.IdxBase)))
	}
}

// uboSpan returns the vec4s of a buffer that a load with a variable offset stays in, if they are known and few.
func uboSpan(in *ir.Instr) (first, n uint32, ok bool) {
	at, size := in.Get(ir.IdxRangeBase), in.Get(ir.IdxRange)
	if at+size > maxArrayBytes {
		return 0, 0, false
	}
	return uint32(at / 16), uint32((at+size+15)/16 - at/16), true
}

// noteArrays notes the elements of arrays that fibers choose from.
func (s *isel) noteArrays() {
	for _, in := range s.in.arrays {
		set, slot, _ := constBuffer(in.Srcs[0].Def)
		first, n, _ := uboSpan(in)
		s.consts.ubos.noteArray(uboArray{uboRange{set: set, slot: slot, first: first, n: n}, arrayReads(in)})
	}
}

// checkArrays ends the attempt where arrays have no place in the const file: their elements are loaded then.
func (s *isel) checkArrays() {
	for _, in := range s.in.arrays {
		if _, _, ok := s.pushedArray(in); !ok {
			s.left = append(s.left, in)
		}
	}
	if len(s.left) > 0 && s.err == nil {
		s.err = errUnits
	}
}

// readsInPlace reports whether what reads a loaded element can most likely read it from the const file, relative to a0.x:
// ALU instructions in the block of the load without another const. Where moves are needed a load is as good, and what is the same for
// all fibers the preamble loads.
func (p *preamble) readsInPlace(in *ir.Instr) bool {
	if p.Can(in.Srcs[1].Def) || in.Def.BitSize != 32 {
		return false
	}
	for u := range in.Def.Uses() {
		if u.If != nil || u.Instr.Kind != ir.KindALU || u.Instr.Block != in.Block || u.Instr.IsVec() {
			return false
		}
		for i := range u.Instr.Srcs {
			if p.Can(u.Instr.Srcs[i].Def) {
				return false
			}
		}
	}
	return true
}

// arrayReads is how often a load runs as far as loops tell, 8 rounds each.
func arrayReads(in *ir.Instr) uint32 { return 1 << (3 * min(backend.LoopDepth(in.Block), 4)) }

func (s *isel) scanInput(in *ir.Instr, interp ir.Interp) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[len(in.Srcs)-1].Def)
	if !ok {
		return
	}
	if n := s.gpu.MaxInputs; s.sh.Stage == ir.StageVertex && n > 0 && slot >= n {
		s.fail(in, "vertex attribute %d is not supported on %s, which has %d", slot, s.gpu.Name, n)
		return
	}
	i := &s.in.slots[slot]
	i.mask |= uint8(1<<in.Def.NumComponents-1) << comp
	if s.sh.Stage == ir.StageFragment && (slot == int(ir.SlotClipDist0) || slot == int(ir.SlotClipDist1)) && !faults.has(faultSlotDistances) {
		// The rasteriser hands on all distances of a slot.
		n := int(s.sh.Info.ClipDistances+s.sh.Info.CullDistances) - 4*(slot-int(ir.SlotClipDist0))
		i.mask |= uint8(1<<max(0, min(4, n)) - 1)
	}
	i.half = in.Def.BitSize == 16
	i.interp = interp
	if s.sh.Stage == ir.StageFragment {
		s.in.fetches = append(s.in.fetches, in)
	}
}
