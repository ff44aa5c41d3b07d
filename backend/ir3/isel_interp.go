package ir3

import (
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// baryMode is the interpolation of a load_barycentric intrinsic.
func baryMode(in *ir.Instr) uint64 {
	if in.Kind != ir.KindIntrinsic {
		return 0
	}
	return in.Get(ir.IdxInterpMode)
}

// baryKind is the system value of a load_barycentric intrinsic.
func baryKind(in *ir.Instr) (abi.SysvalKind, bool) {
	linear := ir.Interp(baryMode(in)) == ir.InterpNoPerspective
	k := abi.SysvalNone
	switch in.Intr {
	case ir.IntrLoadBarycentricPixel:
		k = abi.IJPerspPixel
		if linear {
			k = abi.IJLinearPixel
		}
	case ir.IntrLoadBarycentricCentroid:
		k = abi.IJPerspCentroid
		if linear {
			k = abi.IJLinearCentroid
		}
	case ir.IntrLoadBarycentricSample:
		k = abi.IJPerspSample
		if linear {
			k = abi.IJLinearSample
		}
	}
	return k, k != abi.SysvalNone && in.Kind == ir.KindIntrinsic
}

// fetchVaryings emits bary.f and flat.b of all inputs whose barycentrics arrive
// in registers: they must come before any kill, and in the first block so that the varying
// storage can be released early.
func (s *isel) fetchVaryings() {
	n := 0
	for slot := range s.in.slots {
		if s.in.slots[slot].mask != 0 {
			s.in.slots[slot].inLoc = 4 * n
			n++
		}
	}
	for i := range s.in.prefetches {
		p := &s.in.prefetches[i]
		p.meta.InLoc = s.in.slots[p.slot].inLoc + p.comp
	}
	for _, in := range s.in.fetches {
		s.loc = in.Loc
		slot, comp := int(ir.SlotPointCoord), 0
		ij := s.in.sysvals[abi.IJPerspPixel]
		switch in.Intr {
		case ir.IntrLoadPointCoord:
		case ir.IntrLoadPrimitiveId:
			slot = int(ir.SlotPrimitiveID)
		case ir.IntrLoadViewIndex:
			slot = int(ir.SlotViewIndex)
		case ir.IntrLoadLayerId:
			slot = int(ir.SlotLayer)
		default:
			slot, comp, _ = s.ioSlot(in, in.Srcs[len(in.Srcs)-1].Def)
			if slot == int(ir.SlotLayer) && faults.has(faultLayer) {
				s.setComps(&in.Def, immediate(0, isHalf(&in.Def)))
				continue
			}
			if in.Intr == ir.IntrLoadInterpolatedInput {
				kind, ok := baryKind(in.Srcs[0].Def.Instr)
				if !ok {
					continue // interpolated in its place
				}
				ij = s.in.sysvals[kind]
			}
		}
		f := fetched{in: in, loc: s.in.slots[slot].inLoc + comp, ij: ij}
		if e := s.fetchedBefore(&f); e != nil {
			s.shareFetch(in, e, f.loc-e.loc)
			continue
		}
		s.fetch(in, f.loc, ij)
		s.in.fetched = append(s.in.fetched, f)
	}
}

// fetch emits flat.b, or bary.f with the barycentrics ij, for the components
// of in from varying component loc on.
func (s *isel) fetch(in *ir.Instr, loc int, ij mach.Value) {
	flat := in.Intr != ir.IntrLoadInterpolatedInput && in.Intr != ir.IntrLoadPointCoord
	ops := make([]opnd, in.Def.NumComponents)
	group := s.link.fresh()
	// Halves of floats come as words, which only bary.f converts.
	convert := flat && isHalf(&in.Def) && ir.UnpackALUType(in.Get(ir.IdxDestType)).Class == ir.ClassFloat
	for c := range ops {
		at := isa.I(int32(loc + c))
		d := s.newReg(isHalf(&in.Def) && !convert)
		t := isa.Instr{Op: isa.OpFlatB, Srcs: [4]isa.Operand{at, at}}
		var uses []mach.Value
		if !flat {
			t = isa.Instr{Op: isa.OpBaryF, Srcs: [4]isa.Operand{at}}
			uses = s.register(&t, 1, ij, 0, nil)
		}
		s.link.member(group, s.add(t, d, uses...))
		ops[c] = s.value(d)
	}
	if convert {
		for c := range ops {
			ops[c] = s.cov(isa.F32, isa.F16, isa.RoundEven, ops[c])
		}
	}
	s.setComps(&in.Def, ops...)
}

// interpolated fetches an input whose barycentrics are computed; the others are
// there from the start on.
func (s *isel) interpolated(in *ir.Instr) {
	ij := in.Srcs[0].Def
	if _, ok := baryKind(ij.Instr); ok {
		return
	}
	slot, comp, ok := s.ioSlot(in, in.Srcs[1].Def)
	if !ok {
		return
	}
	if ij.BitSize != 32 {
		s.fail(in, "barycentrics of %d bits are not supported", ij.BitSize)
		return
	}
	s.fetch(in, s.in.slots[slot].inLoc+comp, s.collect(s.comp(ij, 0), s.comp(ij, 1)))
}

// samplePosition asks for the position of a sample of the render target,
// counted from the pixel's centre.
func (s *isel) samplePosition(in *ir.Instr) {
	t := isa.Instr{Op: isa.OpRgetpos, WrMask: 3, Type: isa.F32}
	uses := s.register(&t, 0, s.reg(s.comp(in.Srcs[0].Def, 0)), 0, nil)
	d := s.f.NewValue(classFull, 2)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.split(d, 2)...)
}
