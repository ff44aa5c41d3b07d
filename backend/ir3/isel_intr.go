package ir3

import (
	"nirc/backend"
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
		s.loadArray(in)
	case ir.IntrLoadUboVec4:
		s.loadUnit(in)
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
	case ir.IntrRayIntersectionIr3:
		s.rayIntersection(in)
	case ir.IntrStoreGlobal, ir.IntrStoreGlobal2x32:
		s.storeGlobal(in)
	case ir.IntrGlobalAtomic, ir.IntrGlobalAtomicSwap, ir.IntrGlobalAtomic2x32, ir.IntrGlobalAtomicSwap2x32:
		s.atomicGlobal(in)
	case ir.IntrImageDerefLoad, ir.IntrImageDerefSparseLoad, ir.IntrImageDerefStore, ir.IntrImageDerefAtomic, ir.IntrImageDerefAtomicSwap, ir.IntrImageDerefSize, ir.IntrImageDerefSamples:
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
	case ir.IntrLoadInputVertex:
		s.fail(in, "inputs per vertex (%s) are not supported: the hardware gives what it interpolates, and the value of the provoking vertex alone", in.Intr)
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
		if faults.has(faultKillSense) {
			s.kill(s.predicate(in.Srcs[0].Def))
		} else {
			s.kill(s.truePredicate(in.Srcs[0].Def), false)
		}
	default:
		if in.Intr == ir.IntrLoadOutput && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).FBFetch {
			s.broken(in, "a load of what an attachment holds is left: lower_fb_read makes fetches of them")
			return
		}
		if !s.chainValue(in) && !s.sysval(in) && !s.subgroup(in) && !s.derivative(in) {
			s.fail(in, "%s", backend.UnknownIntrinsic("ir3", in))
		}
	}
}

// barycentric gives the coordinates as values, for those that compute with them.
func (s *isel) barycentric(in *ir.Instr) {
	if k, ok := baryKind(in); ok {
		s.setComps(&in.Def, s.in.parts[k]...)
	}
}

// truePredicate is the predicate that is set where d is true: kill is not known to look at the bit that turns the sense of
// one, as branches do.
func (s *isel) truePredicate(d *ir.Def) mach.Value {
	inv := false
	x := d
	for x.Instr.IsALU(ir.OpInot) {
		x, inv = x.Instr.Srcs[0].Def, !inv
	}
	if !inv {
		p, _ := s.predicate(x)
		return p
	}
	p := s.f.NewValue(classPred, 1)
	o := s.value(s.reg(s.comp(x, 0)))
	s.alu2To(isa.Instr{Op: isa.OpCmpsS, Cond: condEQ}, p, immInt, o, immediate(0, o.half))
	return p
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
	s.wantQuads()
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
