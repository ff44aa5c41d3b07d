package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/backend/resource"
	"nirc/ir"
)

// intrinsic selects an intrinsic.
func (s *isel) intrinsic(in *ir.Instr) {
	s.meta.WritesMemory = s.meta.WritesMemory || backend.WritesMemory(in)
	switch in.Intr {
	case ir.IntrLoadBarycentricPixel, ir.IntrLoadBarycentricCentroid, ir.IntrLoadBarycentricSample,
		ir.IntrLoadBarycentricAtSample, ir.IntrLoadBarycentricAtOffset:
		// The loads that interpolate inputs read barycentrics themselves.
		if !resource.OnlyInterpolates(in) {
			s.loadWeights(in)
		}
	case ir.IntrLoadInputVertex:
		s.loadInputVertex(in)
	case ir.IntrLoadUbo, ir.IntrLoadSsbo:
		s.loadBuffer(in)
	case ir.IntrStoreSsbo:
		s.storeBuffer(in)
	case ir.IntrSsboAtomic, ir.IntrSsboAtomicSwap:
		s.atomicBuffer(in)
	case ir.IntrGetSsboSize, ir.IntrGetUboSize:
		s.bufferSize(in)
	case ir.IntrLoadPushConstant:
		s.loadPush(in)
	case ir.IntrLoadConstant:
		s.loadConstant(in)
	case ir.IntrLoadShared:
		s.loadShared(in)
	case ir.IntrStoreShared:
		s.storeShared(in)
	case ir.IntrSharedAtomic, ir.IntrSharedAtomicSwap:
		s.atomicShared(in)
	case ir.IntrLoadScratch:
		s.loadScratch(in)
	case ir.IntrStoreScratch:
		s.storeScratch(in)
	case ir.IntrLoadGlobal, ir.IntrLoadGlobalConstant, ir.IntrLoadGlobal2x32:
		s.loadGlobal(in)
	case ir.IntrStoreGlobal, ir.IntrStoreGlobal2x32:
		s.storeGlobal(in)
	case ir.IntrGlobalAtomic, ir.IntrGlobalAtomicSwap, ir.IntrGlobalAtomic2x32, ir.IntrGlobalAtomicSwap2x32:
		s.atomicGlobal(in)
	case ir.IntrBarrier:
		s.barrier(in)
	case ir.IntrLoadInput:
		s.loadInput(in)
	case ir.IntrLoadInterpolatedInput:
		s.loadInterpolated(in)
	case ir.IntrLoadCoefficientsAgx:
		s.loadCoefficients(in)
	case ir.IntrStoreOutput:
		s.storeOutput(in)
	case ir.IntrDemote, ir.IntrTerminate:
		s.discard(imm16(samplesAll))
	case ir.IntrDemoteIf, ir.IntrTerminateIf:
		c := s.condition(in.Srcs[0].Def, 0)
		s.discard(s.selectBy(c, true, imm16(samplesAll), imm16(0)))
		if in.Intr == ir.IntrTerminateIf && s.lanesMatter {
			s.halt(c, s.haltLevel(in))
		}
	case ir.IntrLoadPreamble:
		s.setComps(&in.Def, opnd{kind: opUniform, bits: uint32(in.Get(ir.IdxBase)), half: isHalf(&in.Def)})
	case ir.IntrStorePreamble:
		s.storePreamble(in)
	case ir.IntrBeginInvocationInterlock:
		if !faults.has(faultInterlock) {
			s.add(isa.Instr{Op: isa.OpWaitPix, Imm: 12}, 0)
		}
	case ir.IntrEndInvocationInterlock: // the end of the shader lets the next fragments of the pixel on (agx.md §9.3)
	default:
		if !s.partIntrinsic(in) && !s.sysval(in) && !s.subgroup(in) && !s.derivative(in) && !s.image(in) {
			s.fail(in, "%s", backend.UnknownIntrinsic("agx", in))
		}
	}
}

// haltLevel is how many levels a lane that halts at an instruction waits for: those that are
// open there, where it has to come back after all of them for the next sample.
func (s *isel) haltLevel(in *ir.Instr) int {
	if !s.nest.wrapped {
		return haltHere
	}
	n := 1
	for p := ir.Parent(in.Block); p != nil; p = ir.Parent(p) {
		switch p := p.(type) {
		case *ir.If:
			n++
		case *ir.Loop:
			n++
			if hasContinue(p, p.Body.FirstBlock()) {
				n++
			}
		}
	}
	if n > maxImmediate {
		s.fail(in, "a conditional end inside %d levels of control flow is not supported", n)
	}
	return n
}

// halt takes the lanes where a condition holds out of the execution mask, until some levels are closed.
func (s *isel) halt(c cond, levels int) {
	t := isa.Instr{Op: isa.OpIcmpsel, Cond: c.op, Dst: isa.H(isa.R0L)}
	if c.flt {
		t.Op = isa.OpFcmpsel
	}
	uses := s.source(&t, 0, c.a, s.f.ValueList(2)[:0])
	uses = s.source(&t, 1, c.b, uses)
	x, y := 2, 3
	if c.inv {
		x, y = y, x
	}
	// r0l is no value of the allocator: the template has it.
	t.Srcs[x] = isa.I(levels)
	t.Srcs[y] = isa.H(isa.R0L)
	s.nest.used = true
	s.emit(&t, 0, uses)
	s.generic(opRefresh, nil, nil)
}

// haltHere is as many levels as an immediate holds; no shader closes as many
// without opening them after the halt.
const haltHere = maxImmediate

// findLanes reports whether it matters that terminated lanes take no part:
// others look at them, loops wait for them, or they would read by an index or a pointer that the program never has.
func (s *isel) findLanes() {
	for _, b := range s.irBlocks {
		if ir.EnclosingLoop(b) != nil {
			s.lanesMatter = true
			return
		}
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic && looksAtLanes(in.Intr) || readsByIndex(in) && !faults.has(faultEndedLanes) {
				s.lanesMatter = true
				return
			}
		}
	}
}

// readsByIndex reports whether an index or a pointer says where in reads: nothing bounds it but the program's own conditions.
func readsByIndex(in *ir.Instr) bool {
	if in.Kind == ir.KindIntrinsic {
		switch in.Intr {
		case ir.IntrLoadUbo, ir.IntrLoadSsbo:
			return !in.Srcs[0].Def.IsConst() || !in.Srcs[1].Def.IsConst()
		case ir.IntrLoadGlobal, ir.IntrLoadGlobalConstant, ir.IntrLoadGlobal2x32:
			return true
		case ir.IntrLoadPushConstant, ir.IntrLoadConstant:
			return !in.Srcs[0].Def.IsConst()
		}
	}
	return chosenByIndex(in)
}

// looksAtLanes reports whether an intrinsic depends on which lanes are active.
func looksAtLanes(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrElect, ir.IntrFirstInvocation, ir.IntrLastInvocation, ir.IntrBallot, ir.IntrBallotRelaxed, ir.IntrVoteAny, ir.IntrVoteAll,
		ir.IntrVoteIeq, ir.IntrVoteFeq, ir.IntrReadFirstInvocation, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll, ir.IntrReduce,
		ir.IntrInclusiveScan, ir.IntrExclusiveScan:
		return true
	}
	return false
}

// getSR reads a special register.
func (s *isel) getSR(sr int32, half bool) opnd {
	d := s.newReg(half)
	t := isa.Instr{Op: isa.OpGetSR}
	t.Srcs[0] = isa.Operand{Kind: isa.SR, Val: sr}
	s.add(t, d)
	return s.value(d)
}

// take has the driver fill a uniform that there is no other way for.
func (s *isel) take(in *ir.Instr, u abi.Uniform, room int) uint32 {
	n, ok := s.uni.take(u, room)
	if !ok {
		s.fail(in, "more addresses and values of the driver than uniform registers can hold (%s) are not supported", u.Kind)
	}
	return n
}

// driver returns word k of a uniform that the driver sets.
func (s *isel) driver(in *ir.Instr, kind abi.UniformKind, k uint32) opnd {
	if half, ok := s.partUniform(kind); ok {
		o := opnd{kind: opUniform, bits: s.uni.fixed(abi.Uniform{Kind: kind}, half), half: kind == abi.UniformDrawID}
		return s.sized(o, false)
	}
	return opnd{kind: opUniform, bits: s.take(in, abi.Uniform{Kind: kind}, uniformHalves) + 2*k}
}

func (s *isel) frontFacing() cond {
	return cond{op: isa.CondUEQ, a: s.getSR(srBackFacing, true), b: imm16(0)}
}

// sysval selects system values; false if in is none.
func (s *isel) sysval(in *ir.Instr) bool {
	one := func(o ...opnd) bool { s.setComps(&in.Def, o...); return true }
	srs := func(first int32) bool {
		ops := make([]opnd, in.Def.NumComponents)
		for k := range ops {
			ops[k] = s.getSR(first+int32(k), isHalf(&in.Def))
		}
		return one(ops...)
	}
	driver := func(k abi.UniformKind) bool {
		ops := make([]opnd, in.Def.NumComponents)
		for c := range ops {
			ops[c] = s.driver(in, k, uint32(c))
		}
		return one(ops...)
	}
	if in.HasDef() && in.Def.BitSize == 64 {
		return false
	}
	switch in.Intr {
	case ir.IntrLoadWorkgroupId:
		return srs(srWorkgroupID)
	case ir.IntrLoadLocalInvocationId:
		return srs(srLocalID)
	case ir.IntrLoadLocalInvocationIndex:
		return srs(srLocalIndex)
	case ir.IntrLoadGlobalInvocationId:
		return srs(srGlobalID)
	case ir.IntrLoadSubgroupInvocation:
		return srs(srLane)
	case ir.IntrLoadSubgroupId:
		return srs(srSubgroupID)
	case ir.IntrLoadNumWorkgroups:
		return driver(abi.UniformNumWorkgroups)
	case ir.IntrLoadBaseWorkgroupId:
		return driver(abi.UniformBaseWorkgroup)
	case ir.IntrLoadNumSubgroups:
		z := s.sh.Info.WorkgroupSize
		return one(imm32((z[0]*z[1]*z[2] + abi.WaveSize - 1) / abi.WaveSize))
	case ir.IntrLoadSubgroupSize:
		return one(imm32(abi.WaveSize))
	case ir.IntrLoadWorkgroupSize:
		z := s.sh.Info.WorkgroupSize
		return one(imm32(z[0]), imm32(z[1]), imm32(z[2]))
	case ir.IntrLoadVertexId:
		return one(s.in.vertexID)
	case ir.IntrLoadInstanceId:
		return one(s.in.instanceID)
	case ir.IntrLoadBaseInstance:
		return driver(abi.UniformBaseInstance)
	case ir.IntrLoadFirstVertex:
		return driver(abi.UniformBaseVertex)
	case ir.IntrLoadDrawId:
		return driver(abi.UniformDrawID)
	case ir.IntrLoadViewIndex:
		return driver(abi.UniformViewIndex)
	}
	return s.sh.Stage == ir.StageFragment && s.fragmentSysval(in)
}

func (s *isel) fragmentSysval(in *ir.Instr) bool {
	one := func(o ...opnd) bool { s.setComps(&in.Def, o...); return true }
	c := &s.in.coefs
	switch in.Intr {
	case ir.IntrLoadPixelCoord:
		return one(s.getSR(srPixel, true), s.getSR(srPixel+1, true))
	case ir.IntrLoadFragCoordZw:
		cf := c.z
		if in.Get(ir.IdxComponent) == 3 {
			cf = c.w
		}
		return one(s.position(cf))
	case ir.IntrLoadFrontFace:
		if in.Def.BitSize != 1 {
			return false
		}
		return one(s.selectBy(s.frontFacing(), true, imm16(1), imm16(0)))
	case ir.IntrLoadPointCoord:
		return one(s.iter(c.point, 2, false, false, nil)...)
	case ir.IntrLoadPrimitiveId:
		return one(s.flat(c.primitive))
	case ir.IntrLoadSampleId:
		return one(s.sampleID(false))
	case ir.IntrLoadSampleIdNoPerSample:
		if !s.meta.PerSample {
			return one(imm32(0))
		}
		return one(s.sampleID(false))
	case ir.IntrLoadSamplePos, ir.IntrLoadSamplePosOrCenter:
		if !s.meta.PerSample || in.Intr == ir.IntrLoadSamplePosOrCenter && faults.has(faultSamplePlace) {
			return one(float32Imm(0.5), float32Imm(0.5))
		}
		return one(s.samplePosition(in)...)
	case ir.IntrLoadSampleMaskIn:
		if s.sh.Info.PostDepthCoverage {
			s.fail(in, "the mask of covered samples after depth tests (PostDepthCoverage) is not supported: the hardware tests after the shader has asked")
		}
		m := s.sized(s.in.covered, false)
		if s.meta.PerSample {
			m = s.intOp(bitop(tableAnd), false, m, s.in.sampleMask)
		}
		return one(m)
	case ir.IntrLoadHelperInvocation, ir.IntrIsHelperInvocation:
		return one(s.selectBy(s.covered(false), true, imm16(1), imm16(0)))
	}
	return false
}

// wantQuads has the metadata of a fragment shader ask for whole quads: the shader looks at the other pixels of one.
func (s *isel) wantQuads() {
	s.meta.NeedsQuads = s.sh.Stage == ir.StageFragment && !faults.has(faultQuads)
}

// derivative selects derivatives; false if in is none. The instructions serve
// the coarse and the fine ones.
func (s *isel) derivative(in *ir.Instr) bool {
	op := isa.OpDfdx
	switch in.Intr {
	case ir.IntrDdx, ir.IntrDdxCoarse, ir.IntrDdxFine:
	case ir.IntrDdy, ir.IntrDdyCoarse, ir.IntrDdyFine:
		op = isa.OpDfdy
	default:
		return false
	}
	s.wantQuads()
	ops := make([]opnd, in.Def.NumComponents)
	for c := range ops {
		ops[c] = s.intOp(isa.Instr{Op: op}, isHalf(&in.Def), s.once(s.comp(in.Srcs[0].Def, c)))
	}
	s.setComps(&in.Def, ops...)
	return true
}

// storePreamble selects the store of a preamble's value to uniform registers,
// which counts halves.
func (s *isel) storePreamble(in *ir.Instr) {
	s.storeUniform(s.reg(s.comp(in.Srcs[0].Def, 0)), uint32(in.Get(ir.IdxBase)))
}

func (s *isel) storeUniform(v mach.Value, to uint32) {
	t := isa.Instr{Op: isa.OpUniformStore, Format: isa.FormatI16, Mask: 1<<s.f.Size(v) - 1}
	uses := s.register(&t, 0, v, nil)
	t.Srcs[0] = isa.H(0).Run(s.f.Size(v))
	t.Srcs[1] = isa.I(int(to))
	s.add(t, 0, uses...)
}
