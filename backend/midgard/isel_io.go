package midgard

import (
	"fmt"
	"math"
	"math/bits"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/backend/resource"
	"nirc/ir"
)

// outputs are the output slots of the shader, each a register that stores
// write and the end of the program reads.
type outputs struct {
	list []output
}

type output struct {
	slot  ir.Slot
	index uint8
	mask  uint8
	reg   reg
	bits  uint8
	loc   uint32 // place of the last store
}

// value is the operand that leaves the fragment; components that nothing stores
// repeat one that something does.
func (o *output) value() source {
	if o.mask == 0 {
		return constant(0)
	}
	v := source{reg: o.reg, swz: identity}
	for i := range v.swz {
		if o.mask>>i&1 == 0 {
			v.swz[i] = uint8(bits.TrailingZeros8(o.mask))
		}
	}
	return v
}

// ioSlot returns slot and first component of an access with a constant offset.
func (s *isel) ioSlot(in *ir.Instr, off *ir.Def) (slot, comp int, ok bool) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	c, ok := off.Const(0)
	if !ok {
		s.fail(in, "%s with an indirect slot is not supported: it must be lowered", in.Intr)
		return 0, 0, false
	}
	slot, comp = int(sem.Location)+int(c), int(in.Get(ir.IdxComponent))
	if slot >= ir.NumVaryingSlots || comp+max(int(in.Def.NumComponents), 1) > 4 {
		s.fail(in, "%s of slot %d, components from %d on, is not supported", in.Intr, slot, comp)
		return 0, 0, false
	}
	return slot, comp, true
}

// outputOf finds the output that a store means.
func (s *isel) outputOf(in *ir.Instr) (o *output, comp int) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[1].Def)
	if !ok {
		return nil, 0
	}
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	for i := range s.out.list {
		o := &s.out.list[i]
		if o.slot == ir.Slot(slot) && o.index == sem.DualSourceIndex {
			return o, comp
		}
	}
	s.out.list = append(s.out.list, output{slot: ir.Slot(slot), index: sem.DualSourceIndex, bits: 32})
	return &s.out.list[len(s.out.list)-1], comp
}

// scanOutputs finds the outputs.
func (s *isel) scanOutputs() {
	for b := range s.impl.Blocks() {
		if !b.Reachable() {
			continue
		}
		for in := range b.Instrs() {
			if !in.IsIntrinsic(ir.IntrStoreOutput) {
				continue
			}
			val := in.Srcs[0].Def
			if val.BitSize > 32 || val.BitSize < 16 {
				s.fail(in, "outputs of %d bits are not supported: they must be lowered to 32 bits", val.BitSize)
				return
			}
			o, comp := s.outputOf(in)
			if o == nil {
				return
			}
			o.loc = in.Loc
			o.mask |= uint8(in.Get(ir.IdxWriteMask)) & fullMask(int(val.NumComponents)) << comp & 15
		}
	}
}

// initOutputs gives outputs their registers, of which components that stores
// reach on some ways only must hold something on the others.
func (s *isel) initOutputs() {
	last := s.impl.Body.LastBlock()
	for i := range s.out.list {
		o := &s.out.list[i]
		o.reg = s.f.newNode(4)
		need := uint8(0)
		for b := range s.impl.Blocks() {
			for in := range b.Instrs() {
				if in.IsIntrinsic(ir.IntrStoreOutput) && b != last {
					need |= o.mask
				}
			}
		}
		if need != 0 {
			s.move(o.reg, need, constant(0))
		}
	}
}

func (s *isel) storeOutput(in *ir.Instr) {
	o, comp := s.outputOf(in)
	if o == nil {
		return
	}
	val := in.Srcs[0].Def
	mask := uint8(in.Get(ir.IdxWriteMask)) & fullMask(int(val.NumComponents))
	if mask == 0 || comp+int(val.NumComponents) > 4 {
		if mask != 0 {
			s.fail(in, "output slot %d: component %d does not exist", o.slot, comp+int(val.NumComponents)-1)
		}
		return
	}
	if val.BitSize == 16 {
		s.halfOutput(in, o, val, mask, comp)
		return
	}
	s.move(o.reg, mask<<comp, s.whole(val).shifted(comp))
}

// halfOutput stores 16-bit values: floats widened, integers by their type.
func (s *isel) halfOutput(in *ir.Instr, o *output, val *ir.Def, mask uint8, comp int) {
	w, class := s.whole(val), ir.ClassFloat
	if in.Has(ir.IdxSrcType) {
		class = ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class
	}
	float := class == ir.ClassFloat
	w = w.number(val, float)
	op := isa.OpImov
	switch {
	case float:
		op = isa.OpFmov
	case class == ir.ClassUint && w.reg != regConst:
		w.mod = isa.ModZext
	case class == ir.ClassUint:
		for i := range w.con {
			w.con[i] &= 0xffff
		}
	}
	s.unary(op, o.reg, mask<<comp, w.shifted(comp))
}

// finish brings all ways to the end of the program together and hands the
// outputs over.
func (s *isel) finish() {
	from := s.blk
	falls := s.impl.Body.LastBlock().Reachable() && s.impl.Body.LastBlock().Jump() == nil
	if !falls || len(s.ends) > 0 {
		end := s.newBlock(0)
		if falls {
			s.edge(from, end)
		}
		for _, e := range s.ends {
			e.in.target = end
			s.edge(e.from, end)
		}
	}
	s.loc = 0
	switch s.sh.Stage {
	case ir.StageVertex:
		s.vertexOutputs()
	case ir.StageFragment:
		if s.blend != nil {
			s.blendOutput()
		} else {
			s.fragmentOutputs()
		}
	}
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

func (s *isel) vertexOutputs() {
	for i := range s.out.list {
		o := &s.out.list[i]
		s.loc = o.loc
		s.meta.Outputs = append(s.meta.Outputs, abi.Output{Slot: o.slot, Mask: o.mask, Bits: 32})
		in, number := s.input()
		s.move(in, 15, source{reg: o.reg, swz: identity})
		t := inst{kind: kindLdSt, dst: regNone}
		t.ld = isa.LoadStore{Op: isa.StVaryF32, Reg: number, Mask: 15, Swizzle: isa.XYZW, Arg: isa.AddrReg{Reg: isa.AddrZero},
			Format: isa.AttrAuto32 | isa.AttrSecondary, Index: isa.AddrReg{Reg: isa.AddrZero}}
		t.ld.SetSlot(s.varyingIndex(abi.Varying{Kind: abi.VaryingSlot, Slot: o.slot}), 0)
		s.add(t)
	}
}

// fragmentOutputs ends the program in writeouts: one for each render target,
// depth and stencil with the first (midgard.md §7.4).
func (s *isel) fragmentOutputs() {
	none := source{reg: regNone}
	list := []writeout{}
	depth, stencil, dual := none, none, none
	for n := range 8 {
		for i := range s.out.list {
			o := &s.out.list[i]
			v := o.value()
			if o.slot == ir.SlotData0+ir.Slot(n) && o.index == 0 {
				list = append(list, writeout{color: v, mask: o.mask, rest: 15, dual: none, depth: none, stencil: none, target: n, loc: o.loc})
				s.meta.Outputs = append(s.meta.Outputs, abi.Output{Slot: o.slot, Mask: o.mask, Bits: 32})
			}
		}
	}
	for i := range s.out.list {
		o := &s.out.list[i]
		v := o.value()
		switch {
		case o.slot == ir.SlotDepth:
			depth, s.meta.WritesDepth = v.lane(0), true
		case o.slot == ir.SlotStencil:
			stencil, s.meta.WritesStencil = v.lane(0), true
		case o.index == 1:
			dual, s.meta.DualSource = v, true
		case o.slot < ir.SlotData0 || o.slot >= ir.SlotData0+8:
			s.fail(resource.OutputStore(s.impl, o.slot), "the fragment output %s is not supported: the hardware has no such result", resultName(o.slot))
			return
		default:
			continue
		}
		s.meta.Outputs = append(s.meta.Outputs, abi.Output{Slot: o.slot, Mask: o.mask, Index: o.index, Bits: 32})
	}
	if len(list) == 0 && (depth.reg != regNone || stencil.reg != regNone) {
		list = append(list, writeout{color: constant(0), mask: 15, rest: 15, dual: none, target: abi.TargetNone})
	}
	if len(list) == 0 {
		return
	}
	if s.gpu.Arch == 4 && len(list) > 1 {
		s.fail(nil, "more than one render target is not supported by %s", s.gpu.Name)
		return
	}
	list[0].depth, list[0].stencil, list[0].dual = depth, stencil, dual
	s.writeouts(list)
}

// writeouts adds the writeout bundles of the main flow, and behind it those that
// wait.
func (s *isel) writeouts(list []writeout) {
	none := source{reg: regNone}
	if d := list[0].dual; d.reg != regNone {
		s.move(2, 15, d)
		list[0].dual = none
		s.floor = 3
	}
	wait := make([]int, len(list))
	main := make([]int, len(list)+1)
	for i := range list {
		main[i] = s.blk
		w := list[i]
		s.loc = w.loc
		w.index, w.last = i, i == len(list)-1
		in := s.add(inst{kind: kindWriteout, dst: regNone, wo: &w})
		in.target = i
		if !w.last {
			from := s.blk
			s.edge(from, s.newBlock(0))
		}
	}
	self := source{reg: 0, swz: identity}
	for i := range list {
		w := list[i]
		s.loc = w.loc
		w.index, w.last, w.again = i, i == len(list)-1, true
		w.color = self
		if w.depth.reg != regNone {
			w.depth = source{reg: 1, swz: replicate(0)}
		}
		if w.stencil.reg != regNone {
			w.stencil = source{reg: 1, swz: replicate(1)}
		}
		wait[i] = s.newBlock(0)
		in := s.add(inst{kind: kindWriteout, dst: regNone, wo: &w})
		in.target = wait[i]
		if !w.last {
			s.newBlock(0)
			br := s.branch()
			br.target = main[i+1]
		}
	}
	for i := range list {
		b := &s.f.blocks[main[i]]
		b.list[len(b.list)-1].target = wait[i]
	}
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
	if at > 255 {
		s.fail(in, "more than 256 attributes and images are not supported")
	}
	return at
}

// attribute loads n components of an attribute from comp on.
func (s *isel) attribute(r abi.Record, comp, n int) source {
	d := s.f.newNode(n)
	t := inst{kind: kindLdSt, dst: d, mask: fullMask(n)}
	t.ld = isa.LoadStore{Op: isa.LdAttrU32, Swizzle: componentsFrom(comp), Arg: isa.AddrReg{Reg: isa.AddrZero},
		Index: isa.AddrReg{Reg: isa.AddrZero}}
	if r.Kind != abi.RecordAttribute {
		t.ld.Op = isa.LdAttrS32
	} else {
		t.ld.Format = isa.AttrAuto32
	}
	t.ld.SetSlot(s.attributeIndex(nil, r), 0)
	s.add(t)
	return source{reg: d, swz: identity}
}

func componentsFrom(c int) isa.Swizzle {
	return isa.Swz(min(c, 3), min(c+1, 3), min(c+2, 3), min(c+3, 3))
}

func (s *isel) loadAttribute(in *ir.Instr, r abi.Record, comp int) bool {
	o := s.attribute(r, comp, int(in.Def.NumComponents))
	return s.viewOf(in, o)
}

// noteInput describes an input slot in the metadata.
func (s *isel) noteInput(slot int, mask uint8, interp ir.Interp) {
	for i := range s.meta.Inputs {
		if x := &s.meta.Inputs[i]; x.Slot == ir.Slot(slot) {
			x.Mask |= mask
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
		s.noteInput(slot, mask, ir.InterpFlat)
		s.narrowed(in, s.attribute(abi.Record{Kind: abi.RecordAttribute, Slot: ir.Slot(slot)}, comp, int(in.Def.NumComponents)))
		return
	}
	param, interp := isa.VaryFlatParams, ir.InterpFlat
	if bary != nil {
		if param, interp, ok = s.interpolation(bary); !ok {
			return
		}
	}
	if s.blend != nil {
		s.loadBlendInput(in, slot, comp, interp)
		return
	}
	v := abi.Varying{Kind: abi.VaryingSlot, Slot: ir.Slot(slot)}
	switch ir.Slot(slot) {
	case ir.SlotPointCoord:
		v = abi.Varying{Kind: abi.VaryingPointCoord}
	case ir.SlotFace:
		v = abi.Varying{Kind: abi.VaryingFrontFace}
	default:
		s.noteInput(slot, mask, interp)
	}
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
		param, interp = isa.VarySample, ir.InterpNoPerspective
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
	if op == isa.LdVaryF32 {
		t.ld.Format |= isa.AttrAuto32
	}
	t.ld.SetSlot(s.varyingIndex(v), param)
	s.add(t)
	return source{reg: d, swz: identity}
}

// selected reads the special value of a selector.
func (s *isel) selected(selector int) source {
	d := s.f.newNode(1)
	t := inst{kind: kindLdSt, dst: d, mask: 1}
	t.ld = isa.LoadStore{Op: isa.LdSpecialU32, Swizzle: isa.XYZW, Arg: isa.AddrReg{Reg: isa.AddrZero}, Index: isa.AddrReg{Reg: isa.AddrZero}}
	t.ld.SetSlot(selector, 0)
	s.add(t)
	return source{reg: d, swz: identity}
}

// fragmentValue selects system values of fragment shaders; false if in is none.
func (s *isel) fragmentValue(in *ir.Instr) bool {
	n := int(in.Def.NumComponents)
	coord := abi.Varying{Kind: abi.VaryingFragCoord}
	switch in.Intr {
	case ir.IntrLoadFragCoord:
		return s.viewOf(in, s.varying(coord, isa.VarySmooth, 0, n))
	case ir.IntrLoadFragCoordZw:
		return s.viewOf(in, s.varying(coord, isa.VarySmooth, int(in.Get(ir.IdxComponent)), 1))
	case ir.IntrLoadPointCoord:
		return s.viewOf(in, s.varying(abi.Varying{Kind: abi.VaryingPointCoord}, isa.VarySmooth, 0, n))
	case ir.IntrLoadFrontFace, ir.IntrLoadFrontFaceFsign:
		f := s.varying(abi.Varying{Kind: abi.VaryingFrontFace}, isa.VaryFlatParams, 0, 1)
		front := s.temp(isa.OpIne, 1, f, constant(0))
		if in.Intr == ir.IntrLoadFrontFaceFsign {
			s.selectTo(s.dest(&in.Def), front, constant(math.Float32bits(1)), constant(math.Float32bits(-1)))
			return true
		}
		return s.viewOf(in, front)
	case ir.IntrLoadPrimitiveId:
		return s.viewOf(in, s.varying(abi.Varying{Kind: abi.VaryingSlot, Slot: ir.SlotPrimitiveID}, isa.VaryFlatParams, 0, 1))
	case ir.IntrLoadSampleId:
		s.meta.PerSample = true
		return s.viewOf(in, s.selected(abi.SpecialSampleID))
	case ir.IntrLoadSampleIdNoPerSample:
		return s.viewOf(in, s.selected(abi.SpecialSampleID))
	case ir.IntrLoadSampleMaskIn:
		return s.viewOf(in, s.selected(abi.SpecialCoverage))
	case ir.IntrLoadHelperInvocation, ir.IntrIsHelperInvocation:
		return s.viewOf(in, s.temp(isa.OpIeq, 1, s.selected(abi.SpecialCoverage), constant(0)))
	case ir.IntrLoadSamplePos:
		s.meta.PerSample = true
		return s.samplePosition(in, s.selected(abi.SpecialSampleID))
	case ir.IntrLoadSamplePosFromId:
		return s.samplePosition(in, s.comp(in.Srcs[0].Def, 0))
	}
	return false
}

// samplePosition reads the place of a sample in the table of positions: pairs of 16-bit numbers in
// 1/256 pixel.
func (s *isel) samplePosition(in *ir.Instr, id source) bool {
	table := s.sysval(abi.Sysval{Kind: abi.SysvalSamplePositions})
	at := s.temp(isa.OpIshl, 1, id, constant(2))
	d := s.f.newNode(1)
	t := inst{kind: kindLdSt, dst: d, mask: 1}
	t.ld = isa.LoadStore{Op: isa.Ld32, Swizzle: isa.XYZW}
	input, number := s.input()
	a := address{pair: true, lo: table.lane(0), hi: table.lane(1), index: at}
	s.put(&t.ld, &a, input, number)
	s.add(t)
	up := s.temp(isa.OpIshl, 2, source{reg: d}, source{reg: regConst, con: [4]uint32{16, 0}})
	f := s.temp(isa.OpI2f, 2, s.temp(isa.OpIasr, 2, up, constant(16)), constant(0))
	s.alu(isa.OpFmul, s.result(&in.Def), 3, f, constant(math.Float32bits(1.0/256)))
	return true
}

// resultName names a fragment result in a refusal.
func resultName(slot ir.Slot) string {
	if slot == ir.SlotSampleMask {
		return "SampleMask"
	}
	return fmt.Sprintf("slot %d", slot)
}
