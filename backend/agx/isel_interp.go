package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/backend/resource"
	"nirc/ir"
)

// interpOf is the interpolation of a load_barycentric intrinsic.
func interpOf(in *ir.Instr) ir.Interp {
	if in.Kind == ir.KindIntrinsic && ir.Interp(in.Get(ir.IdxInterpMode)) == ir.InterpNoPerspective {
		return ir.InterpNoPerspective
	}
	return ir.InterpSmooth
}

// iter interpolates n coefficient registers where bary (nil: the centre) says, in words or, if it is no offset, halves.
func (s *isel) iter(cf, n int, persp, half bool, bary *ir.Instr) []opnd {
	t := isa.Instr{Op: isa.OpIter}
	t.Srcs[0] = coefficient(cf)
	k := 1
	if persp {
		t.Op = isa.OpIterProj
		t.Srcs[1] = coefficient(s.in.coefs.w)
		k = 2
	}
	var uses []mach.Value
	if bary != nil {
		switch bary.Intr {
		case ir.IntrLoadBarycentricPixel:
		case ir.IntrLoadBarycentricCentroid:
			t.Interp = isa.InterpCentroid
		case ir.IntrLoadBarycentricSample:
			t.Interp = isa.InterpSampleRegister
			uses = s.register(&t, k, s.reg(s.sampleID(true)), nil)
		case ir.IntrLoadBarycentricAtSample:
			o := s.sampleThere(s.comp(bary.Srcs[0].Def, 0))
			if o.kind == opImm && o.bits < 256 {
				t.Interp, t.Srcs[k] = isa.InterpSample, isa.I(int(o.bits))
				break
			}
			t.Interp = isa.InterpSampleRegister
			uses = s.register(&t, k, s.reg(s.sized(o, true)), nil)
		case ir.IntrLoadBarycentricAtOffset:
			return s.iterAt(cf, n, persp, bary.Srcs[0].Def)
		default:
			s.fail(bary, "interpolation by %s is not supported", resource.Barycentrics(bary))
		}
	}
	d := s.f.NewValue(gprClass(half), n)
	s.add(t, d, uses...)
	return s.split(d, n)
}

// sampleThere is a sample that the pixel has: those of one sample are evaluated there, which is the centre, whichever sample the
// shader names (interpolateAtSample of GLSL). The reference does the same by the same register (agx_nir_lower_sample_intrinsics of
// Mesa 25.0).
func (s *isel) sampleThere(o opnd) opnd {
	switch {
	case s.meta.Samples > 1 || faults.has(faultSampleThere) || o.kind == opImm && o.bits == 0:
		return o
	case o.kind == opImm && o.bits >= maxSamples:
		return imm16(0)
	}
	return s.selectBy(cond{op: isa.CondUEQ, a: s.getSR(srSamplesLog2, true), b: imm16(0)}, true, imm16(0), s.sized(o, true))
}

// position is depth or 1/w at the sample being shaded, else at the pixel's centre.
func (s *isel) position(cf int) opnd {
	t := isa.Instr{Op: isa.OpIter}
	t.Srcs[0] = coefficient(cf)
	var uses []mach.Value
	if s.meta.PerSample && !faults.has(faultSampleDepth) {
		t.Interp = isa.InterpSampleRegister
		uses = s.register(&t, 1, s.reg(s.sampleID(true)), nil)
	}
	d := s.newReg(false)
	s.add(t, d, uses...)
	return s.value(d)
}

// iterAt evaluates coefficients at an offset from the pixel's centre.
func (s *isel) iterAt(cf, n int, persp bool, off *ir.Def) []opnd {
	var p [2]opnd
	for k := range p {
		i := s.intOp(bitop(tableAnd), true, s.getSR(srPixel+int32(k), true), imm16(31))
		f := s.convertOp(isa.U16ToF, isa.RoundEven, false, i)
		f = s.intOp(isa.Instr{Op: isa.OpFadd32}, false, f, float32Imm(0.5))
		p[k] = s.intOp(isa.Instr{Op: isa.OpFadd32}, false, f, s.comp(off, k))
	}
	at := func(w []opnd) opnd {
		v := s.intOp(isa.Instr{Op: isa.OpFmadd32}, false, p[1], w[1], w[2])
		return s.intOp(isa.Instr{Op: isa.OpFmadd32}, false, p[0], w[0], v)
	}
	var inv opnd
	if persp {
		w := s.ldcf(s.in.coefs.w)
		inv = s.intOp(isa.Instr{Op: isa.OpRcp}, false, s.valid(w, at(w)))
	}
	ops := make([]opnd, n)
	for k := range ops {
		w := s.ldcf(cf + k)
		ops[k] = at(w)
		if persp {
			ops[k] = s.intOp(isa.Instr{Op: isa.OpFmul32}, false, ops[k], inv)
		}
		ops[k] = s.valid(w, ops[k])
	}
	return ops
}

// valid is what was interpolated with a plane, or its word c if the plane is not valid: if a has bit
// 0 set and is no normal number (agx.md §9.1).
func (s *isel) valid(w []opnd, v opnd) opnd {
	if faults.has(faultInvalidPlane) {
		return v
	}
	const one, last = 1 << 24, 0xfe << 24 // the exponents of normal numbers, without the sign
	e := s.intOp(isa.Instr{Op: isa.OpIadd, Shift: 1}, false, imm32(0), w[0])
	e = s.addSub(false, s.intOp(bitop(tableAnd), false, e, imm32(0xff<<24)), imm32(1<<32-one), false)
	normal := s.selectBy(cond{op: isa.CondULT, a: e, b: imm32(last)}, false, v, w[2])
	odd := s.intOp(bitop(tableAnd), false, w[0], imm32(1))
	return s.selectBy(cond{op: isa.CondUEQ, a: odd, b: imm32(0)}, false, v, normal)
}

func (s *isel) loadInterpolated(in *ir.Instr) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[1].Def)
	if !ok {
		return
	}
	n, bary := int(in.Def.NumComponents), in.Srcs[0].Def.Instr
	if bary.Kind != ir.KindIntrinsic {
		s.fail(in, "interpolation by %s is not supported", resource.Barycentrics(bary))
		return
	}
	c := &s.in.coefs
	if ir.Slot(slot) == ir.SlotPos {
		s.setComps(&in.Def, s.iter(c.z, 1, false, false, bary)...)
		return
	}
	if ir.Slot(slot) == ir.SlotPointCoord {
		s.setComps(&in.Def, s.iter(c.point, 2, false, false, nil)[comp:comp+n]...)
		return
	}
	sl := &c.slots[slot]
	persp := sl.interp[comp] == ir.InterpSmooth
	if in.Def.BitSize == 16 && isFloatInput(in) && bary.Intr != ir.IntrLoadBarycentricAtOffset {
		s.setComps(&in.Def, s.iter(sl.cf[comp], n, persp, true, bary)...)
		return
	}
	s.setInput(in, s.iter(sl.cf[comp], n, persp, false, bary))
}

// loadCoefficients selects the plane of an input.
func (s *isel) loadCoefficients(in *ir.Instr) {
	slot, comp := planeOf(in)
	sl := &s.in.coefs.slots[slot]
	s.setComps(&in.Def, s.ldcf(sl.cf[comp])...)
}

// planeOf is the slot and the component whose plane an intrinsic loads: this file makes
// them, without an offset.
func planeOf(in *ir.Instr) (slot, comp int) {
	return int(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location), int(in.Get(ir.IdxComponent))
}
