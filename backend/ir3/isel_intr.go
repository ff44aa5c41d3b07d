package ir3

import (
	"math"

	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// intrinsic selects an intrinsic.
func (s *isel) intrinsic(in *ir.Instr) {
	s.meta.WritesMemory = s.meta.WritesMemory || backend.WritesMemory(in)
	switch in.Intr {
	case ir.IntrBindlessResourceIr3, ir.IntrNop, ir.IntrLoadBarycentricPixel, ir.IntrLoadBarycentricCentroid, ir.IntrLoadBarycentricSample:
		if in.HasDef() && in.Intr != ir.IntrBindlessResourceIr3 {
			s.barycentric(in)
		}
	case ir.IntrLoadUbo:
		s.loadUBO(in)
	case ir.IntrLoadSsbo:
		s.loadSSBO(in)
	case ir.IntrStoreSsbo:
		s.storeSSBO(in)
	case ir.IntrSsboAtomic, ir.IntrSsboAtomicSwap:
		s.atomicSSBO(in)
	case ir.IntrGetSsboSize:
		s.bufferSize(in)
	case ir.IntrLoadPushConstant:
		s.loadPush(in)
	case ir.IntrLoadConstant:
		s.loadConstant(in)
	case ir.IntrLoadShared:
		s.loadLocal(in, isa.OpLdl)
	case ir.IntrStoreShared:
		s.storeLocal(in, isa.OpStl)
	case ir.IntrSharedAtomic, ir.IntrSharedAtomicSwap:
		s.atomicLocal(in)
	case ir.IntrLoadScratch:
		s.loadLocal(in, isa.OpLdp)
	case ir.IntrStoreScratch:
		s.storeLocal(in, isa.OpStp)
	case ir.IntrLoadGlobal, ir.IntrLoadGlobalConstant, ir.IntrLoadGlobal2x32:
		s.loadGlobal(in)
	case ir.IntrStoreGlobal, ir.IntrStoreGlobal2x32:
		s.storeGlobal(in)
	case ir.IntrGlobalAtomic, ir.IntrGlobalAtomicSwap, ir.IntrGlobalAtomic2x32, ir.IntrGlobalAtomicSwap2x32:
		s.atomicGlobal(in)
	case ir.IntrImageDerefLoad, ir.IntrImageDerefStore, ir.IntrImageDerefAtomic, ir.IntrImageDerefAtomicSwap, ir.IntrImageDerefSize, ir.IntrImageDerefSamples:
		s.image(in)
	case ir.IntrBarrier:
		s.barrier(in)
	case ir.IntrLoadInput:
		switch s.sh.Stage {
		case ir.StageVertex:
			s.attribute(in)
		case ir.StageFragment: // a fetch
		default:
			s.fail(in, "an input of a %s shader by location is not supported", s.sh.Stage)
		}
	case ir.IntrLoadGlobalIr3:
		s.loadGlobalAt(in)
	case ir.IntrStoreGlobalIr3:
		s.storeGlobalAt(in)
	case ir.IntrLoadSharedIr3:
		s.loadLocal(in, s.stageOp(isa.OpLdlw, isa.OpLdl))
	case ir.IntrStoreSharedIr3:
		s.storeStage(in)
	case ir.IntrStoreVertexFlagsIr3:
		s.vertexFlags(in)
	case ir.IntrLoadPointCoord: // fetched in the first block
	case ir.IntrLoadInterpolatedInput:
		s.interpolated(in)
	case ir.IntrLoadSamplePosFromId:
		s.samplePosition(in)
	case ir.IntrStoreOutput:
		s.storeOutput(in)
	case ir.IntrDeclReg:
		s.declareArray(in)
	case ir.IntrLoadReg, ir.IntrLoadRegIndirect, ir.IntrStoreReg, ir.IntrStoreRegIndirect:
		s.accessArray(in)
	case ir.IntrDemote, ir.IntrTerminate:
		t := s.movImm(immediate(0, false))
		p := s.f.NewValue(classPred, 1)
		s.alu2To(isa.Instr{Op: isa.OpCmpsS, Cond: condEQ}, p, immInt, s.value(t), immediate(0, false))
		s.kill(p, false)
	case ir.IntrDemoteIf, ir.IntrTerminateIf:
		s.kill(s.predicate(in.Srcs[0].Def))
	default:
		if !s.chainValue(in) && !s.sysval(in) && !s.subgroup(in) && !s.derivative(in) {
			s.fail(in, "the intrinsic %s is not supported by the ir3 backend", in.Intr)
		}
	}
}

// barycentric gives the coordinates as values, for those that compute with them.
func (s *isel) barycentric(in *ir.Instr) {
	if k, ok := baryKind(in); ok {
		s.setComps(&in.Def, s.in.parts[k]...)
	}
}

// kill discards the fibers whose predicate is set, or not set if inv.
func (s *isel) kill(p mach.Value, inv bool) {
	t := isa.Instr{Op: isa.OpKill, Srcs: [4]isa.Operand{isa.P(0)}}
	if inv {
		t.Srcs[0].Flags = isa.Inv
	}
	s.add(t, 0, p)
	s.meta.UsesDiscard = true
}

// bufferSize asks for the elements of a storage buffer: 4 bytes each.
func (s *isel) bufferSize(in *ir.Instr) {
	shift := uint32(2) // the size is in elements of the view
	if s.gpu.Storage16 {
		shift = 1
	}
	t := isa.Instr{Op: isa.OpResinfo, Dims: 1, Type: isa.U32, Size: 1}
	uses := s.descriptor(in, &t, 0, in.Srcs[0].Def, nil)
	d := s.f.NewValue(classFull, 3)
	s.add(t, d, uses...)
	n := s.newReg(false)
	s.generic(mach.OpSplit, []mach.Value{n, 0, 0}, []mach.Value{d})
	s.setComps(&in.Def, s.alu2(isa.Instr{Op: isa.OpShlB}, false, false, immInt, s.value(n), immediate(shift, false)))
}

// sysval selects system values; false if in is none.
func (s *isel) sysval(in *ir.Instr) bool {
	one := func(o ...opnd) bool { s.setComps(&in.Def, o...); return true }
	part := func(k abi.SysvalKind) opnd { return s.in.parts[k][0] }
	params := func(n, count int) []opnd {
		ops := make([]opnd, count)
		for i := range ops {
			ops[i] = s.driverParam(n + i)
		}
		return ops
	}
	sub := isa.Instr{Op: isa.OpSubU}
	switch in.Intr {
	case ir.IntrLoadVertexId:
		return one(part(abi.VertexID))
	case ir.IntrLoadVertexIdZeroBase:
		return one(s.alu2(sub, false, false, immInt, part(abi.VertexID), s.driverParam(abi.ParamVSVertexBase)))
	case ir.IntrLoadInstanceId:
		return one(part(abi.InstanceID))
	case ir.IntrLoadBaseInstance:
		return one(s.driverParam(abi.ParamVSInstanceBase))
	case ir.IntrLoadFirstVertex:
		return one(s.driverParam(abi.ParamVSVertexBase))
	case ir.IntrLoadIsIndexedDraw:
		return one(s.driverParam(abi.ParamVSIsIndexed))
	case ir.IntrLoadBaseVertex:
		return one(s.alu2(isa.Instr{Op: isa.OpAndB}, false, false, immInt, s.driverParam(abi.ParamVSIsIndexed), s.driverParam(abi.ParamVSVertexBase)))
	case ir.IntrLoadDrawId:
		return one(s.driverParam(abi.ParamVSDrawID))
	case ir.IntrLoadViewIndex:
		if s.sh.Stage == ir.StageFragment {
			return true // fetched with the varyings
		}
		return one(part(abi.ViewIndex))
	case ir.IntrLoadFragCoord, ir.IntrLoadFragCoordUnscaledIr3, ir.IntrLoadFragCoordZw, ir.IntrLoadPixelCoord:
		return s.fragCoord(in)
	}
	if known, ok := s.fragmentSysval(in); known {
		return ok
	}
	return s.computeSysval(in, params)
}

// fragmentSysval makes what a fragment shader is told of its fragment. known reports
// whether the intrinsic is one of these.
func (s *isel) fragmentSysval(in *ir.Instr) (known, ok bool) {
	one := func(o opnd) { s.setComps(&in.Def, o) }
	part := func(k abi.SysvalKind) opnd { return s.in.parts[k][0] }
	switch in.Intr {
	case ir.IntrLoadFrontFace:
		if in.Def.BitSize != 1 {
			return true, false
		}
		one(s.alu2(isa.Instr{Op: isa.OpCmpsS, Cond: condEQ}, true, true, immInt, part(abi.FrontFace), immediate(0, true)))
		s.widenBool(in)
	case ir.IntrLoadHelperInvocation:
		// A fragment that covers nothing is there for its quad.
		one(s.alu2(isa.Instr{Op: isa.OpCmpsS, Cond: condEQ}, false, true, immInt, part(abi.SampleMaskIn), immediate(0, false)))
		s.widenBool(in)
	case ir.IntrLoadFrontFaceFsign:
		// 0 or -1 becomes 1.0 or -1.0.
		w := s.cov(isa.S16, isa.F32, isa.RoundEven, part(abi.FrontFace))
		one(s.alu3(isa.Instr{Op: isa.OpMadF32}, false, true, true, immediate(0x40000000, false), w, immediate(0x3f800000, false)))
	case ir.IntrLoadSampleId, ir.IntrLoadSampleIdNoPerSample:
		one(s.cov(isa.U16, isa.U32, 0, part(abi.SampleID)))
	case ir.IntrLoadSampleMaskIn:
		one(part(abi.SampleMaskIn))
	case ir.IntrLoadFragShadingRate:
		one(part(abi.ShadingRate))
	case ir.IntrLoadPerspCenterRhwIr3:
		one(part(abi.IJPerspCenterRHW))
	default:
		return false, false
	}
	return true, true
}

func (s *isel) fragCoord(in *ir.Instr) bool {
	p := s.in.parts[abi.FragCoord]
	scaled := func(k int) opnd {
		f := s.cov(isa.U32, isa.F32, isa.RoundEven, p[k])
		return s.alu2(isa.Instr{Op: isa.OpMulF}, false, false, immFloat, f, immediate(math.Float32bits(1.0/16), false))
	}
	switch in.Intr {
	case ir.IntrLoadFragCoord:
		s.setComps(&in.Def, scaled(0), scaled(1), p[2], p[3])
	case ir.IntrLoadFragCoordUnscaledIr3:
		s.setComps(&in.Def, p...)
	case ir.IntrLoadFragCoordZw:
		c := in.Get(ir.IdxComponent)
		if c != 2 && c != 3 {
			return false
		}
		s.setComps(&in.Def, p[c])
	default:
		shr := func(k int) opnd {
			return s.narrow(s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, p[k], immediate(4, false)), 32)
		}
		s.setComps(&in.Def, shr(0), shr(1))
	}
	return true
}

func (s *isel) computeSysval(in *ir.Instr, params func(n, count int) []opnd) bool {
	one := func(o ...opnd) bool { s.setComps(&in.Def, o...); return true }
	switch in.Intr {
	case ir.IntrLoadLocalInvocationId:
		return one(s.in.parts[abi.LocalInvocationID]...)
	case ir.IntrLoadLocalInvocationIndex:
		return one(s.localIndex())
	case ir.IntrLoadWorkgroupId:
		return one(s.in.parts[abi.WorkgroupID]...)
	case ir.IntrLoadWorkgroupIndex:
		w, n := s.in.parts[abi.WorkgroupID], params(abi.ParamCSNumWorkgroups, 2)
		return one(s.mad32(s.mad32(w[2], n[1], w[1]), n[0], w[0]))
	case ir.IntrLoadNumWorkgroups:
		return one(params(abi.ParamCSNumWorkgroups, 3)...)
	case ir.IntrLoadBaseWorkgroupId:
		return one(params(abi.ParamCSBaseWorkgroup, 3)...)
	case ir.IntrLoadWorkgroupSize:
		z := s.sh.Info.WorkgroupSize
		return one(immediate(z[0], false), immediate(z[1], false), immediate(z[2], false))
	case ir.IntrLoadGlobalInvocationId:
		if in.Def.BitSize != 32 {
			return false
		}
		ops := make([]opnd, 3)
		for i := range ops {
			ops[i] = s.mad32(s.in.parts[abi.WorkgroupID][i], immediate(s.sh.Info.WorkgroupSize[i], false), s.in.parts[abi.LocalInvocationID][i])
		}
		return one(ops...)
	case ir.IntrLoadSubgroupSize:
		return one(s.subgroupSize())
	case ir.IntrLoadSubgroupInvocation:
		s.numbersFibers = true
		return one(s.subgroupInvocation(in))
	case ir.IntrLoadSubgroupId:
		s.numbersFibers = true
		return one(s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, s.localIndex(), s.driverParam(abi.ParamCSSubgroupIDShift)))
	case ir.IntrLoadNumSubgroups:
		z := s.sh.Info.WorkgroupSize
		total := s.addImm(s.value(s.reg(s.subgroupSize())), z[0]*z[1]*z[2]-1)
		return one(s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, total, s.driverParam(abi.ParamCSSubgroupIDShift)))
	case ir.IntrLoadSubgroupIdShiftIr3:
		return one(s.driverParam(abi.ParamCSSubgroupIDShift))
	}
	return false
}

// mad32 computes a*b + c of numbers whose product fits 32 bits.
func (s *isel) mad32(a, b, c opnd) opnd {
	if b.kind == opImm {
		switch {
		case b.bits == 1:
			return s.alu2(isa.Instr{Op: isa.OpAddU}, false, false, immInt, a, c)
		case b.bits != 0 && b.bits&(b.bits-1) == 0:
			n := uint32(0)
			for b.bits>>n != 1 {
				n++
			}
			a = s.alu2(isa.Instr{Op: isa.OpShlB}, false, false, immInt, a, immediate(n, false))
			return s.alu2(isa.Instr{Op: isa.OpAddU}, false, false, immInt, a, c)
		}
	}
	a = s.once(a)
	t := s.alu2(isa.Instr{Op: isa.OpMullU}, false, false, immInt, a, b)
	if b.kind != opImm || b.bits>>16 != 0 {
		t = s.madsh(a, b, t)
	}
	t = s.madsh(b, a, t)
	return s.alu2(isa.Instr{Op: isa.OpAddU}, false, false, immInt, t, c)
}

func (s *isel) localIndex() opnd {
	z := s.sh.Info.WorkgroupSize
	p := s.in.parts[abi.LocalInvocationID]
	return s.mad32(s.mad32(p[2], immediate(z[1], false), p[1]), immediate(z[0], false), p[0])
}

func (s *isel) subgroupSize() opnd {
	if s.sh.Stage == ir.StageCompute {
		return s.driverParam(abi.ParamCSSubgroupSize)
	}
	if s.sh.Stage == ir.StageFragment {
		return s.driverParam(abi.ParamFSSubgroupSize)
	}
	return immediate(64, false)
}

func (s *isel) subgroupInvocation(in *ir.Instr) opnd {
	if s.gpu.HasFiberID {
		d := s.newReg(false)
		s.add(isa.Instr{Op: isa.OpGetfiberid, Type: isa.U32}, d)
		return s.value(d)
	}
	if s.sh.Stage != ir.StageCompute {
		s.fail(in, "the subgroup invocation id of a %s shader is not supported on %s", s.sh.Stage, s.gpu.Name)
		return immediate(0, false)
	}
	m := s.addImm(s.value(s.reg(s.subgroupSize())), ^uint32(0))
	return s.alu2(isa.Instr{Op: isa.OpAndB}, false, false, immInt, s.localIndex(), m)
}

// derivative selects derivatives; false if in is none.
func (s *isel) derivative(in *ir.Instr) bool {
	op := isa.OpDsx
	fine := mach.Op(0)
	switch in.Intr {
	case ir.IntrDdx, ir.IntrDdxCoarse:
	case ir.IntrDdy, ir.IntrDdyCoarse:
		op = isa.OpDsy
	case ir.IntrDdxFine:
		op, fine = isa.OpDsxpp1, opFineDsx
	case ir.IntrDdyFine:
		op, fine = isa.OpDsypp1, opFineDsy
	default:
		return false
	}
	s.meta.NeedsQuads = true
	half := in.Def.BitSize == 16
	ops := make([]opnd, in.Def.NumComponents)
	for c := range ops {
		t := isa.Instr{Op: op, WrMask: 1, Type: isa.F32}
		if half {
			t.Type = isa.F16
		}
		uses := s.register(&t, 0, s.reg(s.comp(in.Srcs[0].Def, c)), 0, nil)
		d := s.newReg(half)
		m := s.add(t, d, uses...)
		if fine != 0 {
			m.Op = fine
			m.Ops[0].Flags |= mach.Early
		}
		ops[c] = s.value(d)
	}
	s.setComps(&in.Def, ops...)
	return true
}

// subgroup selects what needs no more than the lanes' registers; false if in is something else.
func (s *isel) subgroup(in *ir.Instr) bool {
	op := isa.OpRaw
	switch in.Intr {
	case ir.IntrQuadBroadcast:
		op = isa.OpQuadBrcst
	case ir.IntrQuadSwapHorizontal:
		op = isa.OpQuadHoriz
	case ir.IntrQuadSwapVertical:
		op = isa.OpQuadVert
	case ir.IntrQuadSwapDiagonal:
		op = isa.OpQuadDiag
	case ir.IntrShuffleXorUniformIr3:
		op = isa.OpShflXor
	case ir.IntrShuffleUpUniformIr3:
		op = isa.OpShflRup
	case ir.IntrShuffleDownUniformIr3:
		op = isa.OpShflRdown
	case ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown:
		if s.comp(in.Srcs[1].Def, 0).kind != opImm {
			return false
		}
		op = [...]isa.Op{isa.OpShflXor, isa.OpShflRup, isa.OpShflRdown}[in.Intr-ir.IntrShuffleXor]
	case ir.IntrReadFirstInvocation, ir.IntrAsUniform:
	case ir.IntrElect:
		s.macro(in, opElect, 0)
		return true
	case ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrBallot, ir.IntrBallotRelaxed:
		s.vote(in)
		return true
	case ir.IntrReadInvocationCondIr3:
		s.readCond(in)
		return true
	default:
		return false
	}
	ops := make([]opnd, int(in.Def.NumComponents)*backend.Parts(&in.Def))
	for c := range ops {
		o := s.comp(in.Srcs[0].Def, c)
		if in.Def.BitSize == 1 {
			o = s.bool16(o)
		}
		switch {
		case in.Intr == ir.IntrAsUniform:
			ops[c] = o
		case op == isa.OpRaw:
			ops[c] = s.readFirst(o)
		case op >= isa.OpShflXor && op <= isa.OpShflRdown:
			ops[c] = s.shuffle(op, o, s.comp(in.Srcs[1].Def, 0))
		default:
			ops[c] = s.quad(in, op, o)
		}
	}
	s.setComps(&in.Def, ops...)
	return true
}

// readFirst takes the first active fiber's value: a move to a shared register
// does. Halves go through full registers (ir3.md §1.4).
func (s *isel) readFirst(o opnd) opnd {
	half := o.half
	if half {
		o = s.cov(isa.U16, isa.U32, 0, o)
	}
	t := isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32}
	sh := s.f.NewValue(classShared, 1)
	uses := s.register(&t, 0, s.reg(o), 0, nil)
	s.add(t, sh, uses...)
	t.Srcs[0] = isa.R(isa.SharedFirst)
	d := s.newReg(false)
	s.add(t, d, sh)
	if half {
		return s.cov(isa.U32, isa.U16, 0, s.value(d))
	}
	return s.value(d)
}

func (s *isel) shuffle(op isa.Op, o, amount opnd) opnd {
	t := isa.Instr{Op: op, Type: movType(o.half)}
	uses := s.register(&t, 0, s.reg(o), 0, nil)
	if amount.kind == opImm && amount.bits < 128 {
		t.Srcs[1] = isa.I(int32(amount.bits))
	} else {
		uses = s.register(&t, 1, s.reg(amount), 0, uses)
	}
	d := s.newReg(o.half)
	s.add(t, d, uses...)
	return s.value(d)
}

func (s *isel) quad(in *ir.Instr, op isa.Op, o opnd) opnd {
	t := isa.Instr{Op: op, WrMask: 1, Type: movType(o.half)}
	uses := s.register(&t, 0, s.reg(o), 0, nil)
	if op == isa.OpQuadBrcst {
		k := s.comp(in.Srcs[1].Def, 0)
		if o.half {
			k = s.narrow(k, in.Srcs[1].Def.BitSize)
		}
		uses = s.register(&t, 1, s.reg(k), 0, uses)
	}
	d := s.newReg(o.half)
	s.add(t, d, uses...)
	s.meta.NeedsQuads = s.sh.Stage == ir.StageFragment
	return s.value(d)
}

// macro emits a pseudo instruction that becomes control flow after
// allocation; its result is a boolean.
func (s *isel) macro(in *ir.Instr, op mach.Op, p mach.Value) {
	d := s.newReg(true)
	var uses []mach.Value
	if p != 0 {
		uses = []mach.Value{p}
	}
	m := s.generic(op, []mach.Value{d}, uses)
	m.Ops[0].Flags |= mach.Early
	s.setComps(&in.Def, s.value(d))
	s.widenBool(in)
}

func (s *isel) vote(in *ir.Instr) {
	p, inv := s.predicate(in.Srcs[0].Def)
	switch in.Intr {
	case ir.IntrVoteAny, ir.IntrVoteAll:
		op := opAny
		if in.Intr == ir.IntrVoteAll {
			op = opAll
		}
		s.macro(in, op, p)
		s.lastMacro().Flags = invFlag(inv)
		return
	}
	if in.Def.BitSize != 32 {
		s.fail(in, "a ballot of %d-bit components is not supported: it must be lowered to 32 bits", in.Def.BitSize)
		return
	}
	d := s.f.NewValue(classShared, 4)
	m := s.generic(opBallot, []mach.Value{d}, []mach.Value{p})
	m.Flags = invFlag(inv)
	parts := s.split(d, 4)
	ops := make([]opnd, in.Def.NumComponents)
	for c := range ops {
		if c > 3 {
			ops[c] = immediate(0, false)
			continue
		}
		t := isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32}
		v := s.newReg(false)
		uses := s.register(&t, 0, parts[c].val, 0, nil)
		s.add(t, v, uses...)
		ops[c] = s.value(v)
	}
	s.setComps(&in.Def, ops...)
}

// readCond reads the fiber whose condition is true, by a shared register.
// Halves go through full registers.
func (s *isel) readCond(in *ir.Instr) {
	ops := make([]opnd, int(in.Def.NumComponents)*backend.Parts(&in.Def))
	for c := range ops {
		o := s.comp(in.Srcs[0].Def, c)
		if in.Def.BitSize == 1 {
			o = s.bool16(o)
		}
		half := o.half
		if half {
			o = s.cov(isa.U16, isa.U32, 0, o)
		}
		v := s.reg(o)
		p, inv := s.predicate(in.Srcs[1].Def)
		sh := s.f.NewValue(classShared, 1)
		m := s.generic(opReadCond, []mach.Value{sh}, []mach.Value{p, v})
		m.Ops[0].Flags |= mach.Early
		m.Flags = invFlag(inv)
		t := isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32}
		d := s.newReg(false)
		uses := s.register(&t, 0, sh, 0, nil)
		s.add(t, d, uses...)
		ops[c] = s.value(d)
		if half {
			ops[c] = s.cov(isa.U32, isa.U16, 0, ops[c])
		}
	}
	s.setComps(&in.Def, ops...)
	if in.Def.BitSize == 1 {
		s.widenBool(in)
	}
}

func invFlag(inv bool) uint8 {
	if inv {
		return 1
	}
	return 0
}

// lastMacro returns the macro that was emitted last in the block.
func (s *isel) lastMacro() *mach.Instr {
	l := s.f.Blocks[s.blk].Instrs
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].Op >= opElect && l[i].Op <= opReadCond {
			return l[i]
		}
	}
	return l[len(l)-1]
}
