package ir3

import (
	"math"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

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
	switch in.Intr {
	case ir.IntrLoadVertexId:
		return one(part(abi.VertexID))
	case ir.IntrLoadInstanceId:
		return one(part(abi.InstanceID))
	case ir.IntrLoadBaseInstance:
		return one(s.driverParam(abi.ParamVSInstanceBase))
	case ir.IntrLoadFirstVertex:
		return one(s.driverParam(abi.ParamVSVertexBase))
	case ir.IntrLoadDrawId:
		return one(s.driverParam(abi.ParamVSDrawID))
	case ir.IntrLoadViewIndex:
		if s.sh.Stage == ir.StageFragment {
			return true // fetched with the varyings
		}
		return one(part(abi.ViewIndex))
	case ir.IntrLoadLayerId:
		return true // a fragment's, fetched with the varyings
	case ir.IntrLoadFragCoord:
		s.fragCoord(in)
		return true
	}
	return s.fragmentSysval(in) || s.computeSysval(in, params)
}

// fragmentSysval makes what a fragment shader is told of its fragment; false if in is something else.
func (s *isel) fragmentSysval(in *ir.Instr) bool {
	one := func(o opnd) { s.setComps(&in.Def, o) }
	part := func(k abi.SysvalKind) opnd { return s.in.parts[k][0] }
	switch in.Intr {
	case ir.IntrLoadFrontFace:
		one(s.alu2(isa.Instr{Op: isa.OpCmpsS, Cond: condEQ}, true, true, immInt, part(abi.FrontFace), immediate(0, true)))
		s.widenBool(in)
	case ir.IntrLoadHelperInvocation:
		// A fragment that covers nothing is there for its quad.
		one(s.alu2(isa.Instr{Op: isa.OpCmpsS, Cond: condEQ}, false, true, immInt, part(abi.SampleMaskIn), immediate(0, false)))
		s.widenBool(in)
	case ir.IntrLoadSampleId, ir.IntrLoadSampleIdNoPerSample:
		one(s.cov(isa.U16, isa.U32, 0, part(abi.SampleID)))
	case ir.IntrLoadSampleMaskIn:
		one(part(abi.SampleMaskIn))
	case ir.IntrLoadFragSize:
		if s.sh.Options != nil && s.sh.Options.Multiview {
			s.fail(in, "the size of fragments of several views is not supported by the ir3 backend")
			return true
		}
		s.setComps(&in.Def, s.driverParam(abi.ParamFSFragSize), s.driverParam(abi.ParamFSFragSize+1))
	case ir.IntrLoadFragInvocationCount:
		one(s.driverParam(abi.ParamFSInvocations))
	case ir.IntrLoadFragShadingRate:
		one(part(abi.ShadingRate))
	case ir.IntrLoadPerspCenterRhwIr3:
		one(part(abi.IJPerspCenterRHW))
	default:
		return false
	}
	return true
}

// fragCoord brings the position, whose x and y count sixteenths of pixels, to pixels.
func (s *isel) fragCoord(in *ir.Instr) {
	p := s.in.parts[abi.FragCoord]
	if in.Def.ComponentsRead() == 0 {
		return
	}
	scaled := func(k int) opnd {
		f := s.cov(isa.U32, isa.F32, isa.RoundEven, p[k])
		f = s.alu2(isa.Instr{Op: isa.OpMulF}, false, false, immFloat, f, immediate(math.Float32bits(1.0/16), false))
		if !s.in.density || faults.has(faultFragOffset) {
			return f
		}
		// Under a map of densities the hardware counts fragments of the region that it draws (ir3.md §6.1).
		f = s.alu2(isa.Instr{Op: isa.OpAddF}, false, false, immFloat, f, s.driverParam(abi.ParamFSFragOffset+k).negated())
		return s.alu2(isa.Instr{Op: isa.OpMulF}, false, false, immFloat, f, s.cov(isa.S32, isa.F32, isa.RoundEven, s.driverParam(abi.ParamFSFragSize+k)))
	}
	ops := []opnd{scaled(0), scaled(1), immediate(0, false), immediate(0, false)}
	copy(ops[2:], p[2:])
	s.setComps(&in.Def, ops...)
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
	case ir.IntrLoadNumWorkgroups:
		return one(params(abi.ParamCSNumWorkgroups, 3)...)
	case ir.IntrLoadBaseWorkgroupId:
		return one(params(abi.ParamCSBaseWorkgroup, 3)...)
	case ir.IntrLoadWorkgroupSize:
		z := s.sh.Info.WorkgroupSize
		return one(immediate(z[0], false), immediate(z[1], false), immediate(z[2], false))
	case ir.IntrLoadGlobalInvocationId:
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
			return s.plus(a, c)
		}
	}
	a = s.once(a)
	t := s.alu2(isa.Instr{Op: isa.OpMullU}, false, false, immInt, a, b)
	if b.kind != opImm || b.bits>>16 != 0 {
		t = s.madsh(a, b, t)
	}
	t = s.madsh(b, a, t)
	return s.plus(t, c)
}

// plus adds a 32-bit integer that may be 0.
func (s *isel) plus(a, c opnd) opnd {
	if c.isImm(0) {
		return a
	}
	return s.alu2(isa.Instr{Op: isa.OpAddU}, false, false, immInt, a, c)
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
		s.fail(in, "the subgroup invocation id of a %s shader is not supported on %s: the hardware gives the number of a fiber to compute shaders alone, needs a660", s.sh.Stage, s.gpu.Name)
		return immediate(0, false)
	}
	m := s.addImm(s.value(s.reg(s.subgroupSize())), ^uint32(0))
	return s.alu2(isa.Instr{Op: isa.OpAndB}, false, false, immInt, s.localIndex(), m)
}

// driverParam returns a driver parameter.
func (s *isel) driverParam(n int) opnd {
	return opnd{kind: opConst, bits: uint32(s.consts.driver.Offset + n)}
}
