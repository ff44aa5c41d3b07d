package midgard

import (
	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/backend/resource"
	"nirc/ir"
)

// ioSlot returns slot and first component of an access with a constant offset.
func (s *isel) ioSlot(in *ir.Instr, off *ir.Def) (slot, comp int, ok bool) {
	slot, comp, err := backend.IOSlot(in, off)
	if err != nil {
		s.fail(in, "%v", err)
	}
	return slot, comp, err == nil
}

// varyingIndex is the index of an entry of the varying table.
func (s *isel) varyingIndex(v abi.Varying) int {
	for i := range s.meta.Varyings {
		if s.meta.Varyings[i] == v {
			return i
		}
	}
	s.meta.Varyings = append(s.meta.Varyings, v)
	return len(s.meta.Varyings) - 1
}

// attributeIndex is the index of an entry of the attribute table. Ids have
// their own places.
func (s *isel) attributeIndex(in *ir.Instr, r abi.Record) int {
	at := -1
	switch r.Kind {
	case abi.RecordVertexID:
		at = abi.AttrVertexID
	case abi.RecordInstanceID:
		at = abi.AttrInstanceID
	}
	list := &s.meta.Attributes
	if at < 0 {
		free := -1
		for i := range *list {
			if (*list)[i] == r {
				return i
			}
			if (*list)[i].Kind == abi.RecordNone && free < 0 && i != abi.AttrVertexID && i != abi.AttrInstanceID {
				free = i
			}
		}
		at = free
		if at < 0 {
			for at = len(*list); s.sh.Stage == ir.StageVertex && (at == abi.AttrVertexID || at == abi.AttrInstanceID); {
				at++
			}
		}
	}
	for len(*list) <= at {
		*list = append(*list, abi.Record{})
	}
	(*list)[at] = r
	if first := int(abi.ImageTable.Start); at >= first {
		s.fail(in, "more than %d attributes are not supported", first-2)
	}
	return at
}

// attributeOp is the load of a vertex input by the class of its type: the hardware converts
// what the descriptor's format has to it (midgard.md §5.6).
func attributeOp(in *ir.Instr) isa.LdOp {
	switch {
	case faults.has(faultAttributeType):
		return isa.LdAttrU32
	case loadsFloats(in):
		return isa.LdAttrF32
	case ir.UnpackALUType(in.Get(ir.IdxDestType)).Class == ir.ClassInt:
		return isa.LdAttrS32
	}
	return isa.LdAttrU32
}

// attribute loads n components of an attribute from comp on.
func (s *isel) attribute(op isa.LdOp, r abi.Record, comp, n int) source {
	d := s.f.newNode(n)
	t := inst{kind: kindLdSt, dst: d, mask: fullMask(n)}
	t.ld = isa.LoadStore{Op: op, Swizzle: componentsFrom(comp), Arg: isa.AddrReg{Reg: isa.AddrZero}, Index: isa.AddrReg{Reg: isa.AddrZero}}
	t.ld.SetSlot(s.attributeIndex(nil, r), 0)
	s.add(t)
	return source{reg: d, swz: identity}
}

func componentsFrom(c int) isa.Swizzle {
	return isa.Swz(min(c, 3), min(c+1, 3), min(c+2, 3), min(c+3, 3))
}

func (s *isel) loadAttribute(in *ir.Instr, r abi.Record, comp int) bool {
	o := s.attribute(isa.LdAttrS32, r, comp, int(in.Def.NumComponents))
	return s.viewOf(in, o)
}

// noteInput describes components of an input slot in the metadata: those without perspective apart from others.
func (s *isel) noteInput(in *ir.Instr, slot int, mask uint8, interp ir.Interp) {
	for i := range s.meta.Inputs {
		x := &s.meta.Inputs[i]
		if x.Slot != ir.Slot(slot) {
			continue
		}
		if (x.Interp == ir.InterpNoPerspective) == (interp == ir.InterpNoPerspective) {
			x.Mask |= mask
			return
		}
		if x.Mask&mask != 0 { // loads by indices that are not known: an array's element may be the other's location
			s.fail(in, "a component of location %d that is interpolated with and without perspective is not supported: the vertex shader stores it multiplied by w or not", slot-int(ir.SlotVar0))
			return
		}
	}
	s.meta.Inputs = append(s.meta.Inputs, abi.Input{Slot: ir.Slot(slot), Mask: mask, Interp: interp, Bits: 32})
}

// loadInput selects an attribute, or a varying that bary (nil: flat) interpolates.
func (s *isel) loadInput(in *ir.Instr, bary *ir.Instr) {
	if s.sh.Stage == ir.StageCompute {
		s.fail(in, "an input of a %s shader by location is not supported", s.sh.Stage)
		return
	}
	off := in.Srcs[0].Def
	if bary != nil {
		off = in.Srcs[1].Def
	}
	slot, comp, ok := s.ioSlot(in, off)
	if !ok {
		return
	}
	if in.Def.BitSize != 32 && in.Def.BitSize != 16 {
		s.fail(in, "inputs of %d bits are not supported: they must be lowered to 32 bits", in.Def.BitSize)
		return
	}
	mask := fullMask(int(in.Def.NumComponents)) << comp
	if s.sh.Stage == ir.StageVertex {
		s.noteInput(in, slot, mask, ir.InterpFlat)
		s.narrowed(in, s.attribute(attributeOp(in), abi.Record{Kind: abi.RecordAttribute, Slot: ir.Slot(slot)}, comp, int(in.Def.NumComponents)))
		return
	}
	param, interp := isa.VaryFlatParams, ir.InterpFlat
	if bary != nil {
		if param, interp, ok = s.interpolation(bary); !ok {
			return
		}
	}
	if ir.Slot(slot) == ir.SlotLayer {
		s.fragmentLayer(in, abi.SysvalLayer)
		return
	}
	if s.blend != nil {
		s.loadBlendInput(in, slot, comp, interp)
		return
	}
	if name, ok := unfed.Get()[ir.Slot(slot)]; ok && !faults.has(faultUnfed) {
		s.fail(in, "the input %s is not supported: the hardware makes no such varying", name)
		return
	}
	v := abi.Varying{Kind: abi.VaryingSlot, Slot: ir.Slot(slot)}
	switch ir.Slot(slot) {
	case ir.SlotPointCoord:
		v = abi.Varying{Kind: abi.VaryingPointCoord}
	case ir.SlotFace:
		v = abi.Varying{Kind: abi.VaryingFrontFace}
	default:
		s.noteInput(in, slot, mask, interp)
	}
	if interp == ir.InterpNoPerspective && v.Kind == abi.VaryingSlot && !faults.has(faultPerspective) {
		s.withoutPerspective(in, v, param, comp)
		return
	}
	s.loadVarying(in, v, param, comp)
}

// withoutPerspective loads a varying that is linear on the screen: the hardware interpolates with
// perspective only, and the vertex program stored w times the value (vertexOutputs).
func (s *isel) withoutPerspective(in *ir.Instr, v abi.Varying, param, comp int) {
	n := int(in.Def.NumComponents)
	over := s.varying(abi.Varying{Kind: abi.VaryingFragCoord}, param, 3, 1)
	s.narrowed(in, s.temp(isa.OpFmul, n, s.varying(v, param, comp, n), over.lane(0)))
}

// loadVarying loads a varying in the size that is wanted.
func (s *isel) loadVarying(in *ir.Instr, v abi.Varying, param, comp int) {
	if in.Def.BitSize == 16 && param&isa.VaryFlat == 0 && loadsFloats(in) {
		s.varyingHalves(in, v, param, comp)
		return
	}
	s.narrowed(in, s.varying(v, param, comp, int(in.Def.NumComponents)))
}

// varyingHalves loads the components of a varying from comp on as 16-bit floats, two a
// word: the hardware rounds what it interpolates.
func (s *isel) varyingHalves(in *ir.Instr, x abi.Varying, param, comp int) {
	n := int(in.Def.NumComponents)
	first := comp & 1
	words := (first + n + 1) / 2
	v := value{reg: s.varyingBy(isa.LdVaryF16, x, param, comp/2, words).reg}
	for i := range n {
		v.at[i] = uint8((first + i) / 2)
		v.high |= uint8((first+i)&1) << i
	}
	s.set(&in.Def, v)
}

// loadsFloats reports whether a load is of floats, or does not say.
func loadsFloats(in *ir.Instr) bool {
	return !in.Has(ir.IdxDestType) || in.Get(ir.IdxDestType) == 0 || ir.UnpackALUType(in.Get(ir.IdxDestType)).Class == ir.ClassFloat
}

// narrowed gives in the value of an input, which comes in 32 bits.
func (s *isel) narrowed(in *ir.Instr, o source) {
	switch {
	case in.Def.BitSize == 32:
		s.viewOf(in, o)
	case loadsFloats(in):
		s.unaryTo(s.dest(&in.Def), isa.OpFmov, o)
	case in.Def.NumComponents == 1:
		s.viewOf(in, o)
	default:
		s.unaryTo(s.dest(&in.Def), isa.OpImov, o)
	}
}

// interpolation is the parameter of a load that a load_barycentric governs.
func (s *isel) interpolation(bary *ir.Instr) (param int, interp ir.Interp, ok bool) {
	param, interp = isa.VarySmooth, ir.InterpSmooth
	if ir.Interp(bary.Get(ir.IdxInterpMode)) == ir.InterpNoPerspective {
		interp = ir.InterpNoPerspective
		if faults.has(faultPerspective) {
			param = isa.VarySample
		}
	}
	switch bary.Intr {
	case ir.IntrLoadBarycentricPixel:
	case ir.IntrLoadBarycentricCentroid:
		param |= isa.VaryCentroid
	case ir.IntrLoadBarycentricSample:
		s.meta.PerSample = true
	default:
		s.fail(bary, "interpolation by %s is not supported", resource.Barycentrics(bary))
		return 0, 0, false
	}
	return param, interp, true
}

// varying loads n components of a varying from comp on.
func (s *isel) varying(v abi.Varying, param, comp, n int) source {
	if param&isa.VaryFlat != 0 {
		return s.varyingBy(isa.LdVaryU32, v, param, comp, n)
	}
	return s.varyingBy(isa.LdVaryF32, v, param, comp, n)
}

// varyingBy loads n words of what op makes of a varying, from word first on.
func (s *isel) varyingBy(op isa.LdOp, v abi.Varying, param, first, n int) source {
	d := s.f.newNode(n)
	t := inst{kind: kindLdSt, dst: d, mask: fullMask(n)}
	t.ld = isa.LoadStore{Op: op, Swizzle: componentsFrom(first), Arg: isa.AddrReg{Reg: isa.AddrZero},
		Format: isa.AttrSecondary, Index: isa.AddrReg{Reg: isa.AddrZero}}
	if faults.has(faultVaryingAuto) {
		t.ld.Format |= isa.AttrAuto32
	}
	t.ld.SetSlot(s.varyingIndex(v), param)
	s.add(t)
	return source{reg: d, swz: identity}
}
