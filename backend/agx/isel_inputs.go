package agx

import (
	"math/bits"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// inputs is what the shader receives.
type inputs struct {
	vertexID, instanceID opnd
	gridVertex           opnd // of a vertex shader that runs as compute
	sampleMask           opnd // samples being shaded, 16 bits
	// covered are the samples that the fragment covers, of those that the pipeline's mask lets
	// through, read before the shader drops some.
	wantCovered bool
	covered     opnd
	attribs     [ir.NumAttribSlots]attrib
	coefs       coefficients
}

type attrib struct {
	mask uint8
	ops  [4]opnd
}

// coefficients are the coefficient registers of a fragment shader: W and Z
// if they are wanted, then a run for each slot (agx.md §11.3).
type coefficients struct {
	wantW, wantZ, wantPoint, wantPrimitive bool
	w, z, point, primitive                 int
	slots                                  [ir.NumVaryingSlots]coefSlot
	corners                                [ir.NumVaryingSlots]cornerSlot
	weights                                [2]weightPair // that are linear, with perspective
}

// coefSlot are the components of a slot that a shader reads: how each is interpolated, and its register.
type coefSlot struct {
	mask   uint8
	interp [4]ir.Interp
	cf     [4]int
}

// ioSlot returns slot and first component of an input or output access with
// a constant offset.
func (s *isel) ioSlot(in *ir.Instr, off *ir.Def) (slot, comp int, ok bool) {
	slot, comp, err := backend.IOSlot(in, off)
	if err != nil {
		s.fail(in, "%v", err)
	}
	return slot, comp, err == nil
}

// makeInputs finds out what the shader reads and defines what arrives in registers.
func (s *isel) makeInputs() {
	if s.sh.Stage == ir.StageFragment && !s.early && (s.part == abi.PartWhole || s.part == abi.PartMain) {
		s.meta.PerSample = perSampleShader(s.sh, s.impl)
		s.in.coefs.wantZ = s.meta.KeepDepth
	}
	for _, b := range s.irBlocks {
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic {
				s.scan(in)
			}
		}
	}
	if s.err != nil {
		return
	}
	s.enter(0)
	s.makeImports()
	if s.part == abi.PartProlog || s.part == abi.PartEpilog {
		s.in.coefs.place(s.meta, s.firstCoef)
		return
	}
	switch s.sh.Stage {
	case ir.StageVertex:
		s.vertexInputs()
	case ir.StageFragment:
		s.in.coefs.place(s.meta, 0)
		if s.meta.PerSample {
			s.in.sampleMask = s.preloads([]mach.Reg{abi.SampleMaskReg}, classHalf)[0]
		}
		if s.in.wantCovered {
			sr := int32(srCoverage)
			if faults.has(faultSampleMaskIn) {
				sr = srSampleMaskIn
			}
			s.in.covered = s.getSR(sr, true)
		}
		if s.testsFirst {
			s.testSamples()
		}
		if s.nest.wrapped {
			s.generic(opRefresh, nil, nil).Aux = 1
		}
	}
}

// preloads defines values that arrive in the given registers.
func (s *isel) preloads(regs []mach.Reg, class uint8) []opnd {
	vals := s.f.ValueList(len(regs))
	ops := make([]opnd, len(regs))
	for i := range regs {
		vals[i] = s.f.NewValue(class, 1)
		ops[i] = s.value(vals[i])
	}
	fix(s.generic(opInputs, vals, nil).Defs(), regs)
	return ops
}

// vertexInputs defines the indices and the attributes, each of which has four registers.
func (s *isel) vertexInputs() {
	regs := []mach.Reg{abi.VertexIDReg, abi.InstanceIDReg}
	n := 0
	for slot := range s.in.attribs {
		a := &s.in.attribs[slot]
		if a.mask == 0 {
			continue
		}
		reg := abi.AttribReg + 8*n
		if reg+8 > gprHalves {
			s.fail(nil, "more than %d vertex attributes are not supported", n)
			return
		}
		n++
		s.meta.Attribs = append(s.meta.Attribs, abi.Attrib{Slot: ir.Slot(slot), Mask: a.mask, Reg: reg})
		for c := range 4 {
			if a.mask>>c&1 != 0 {
				regs = append(regs, mach.Reg(reg+2*c))
			}
		}
	}
	if s.meta.Next != ir.StageNone {
		regs = append(regs, abi.GridVertexReg)
	}
	ops := s.preloads(regs, classFull)
	s.in.vertexID, s.in.instanceID = ops[0], ops[1]
	if s.meta.Next != ir.StageNone {
		s.in.gridVertex = ops[len(ops)-1]
	}
	k := 2
	for slot := range s.in.attribs {
		a := &s.in.attribs[slot]
		for c := range 4 {
			if a.mask>>c&1 != 0 {
				a.ops[c] = ops[k]
				k++
			}
		}
	}
}

// scan notes what an intrinsic wants of the inputs.
func (s *isel) scan(in *ir.Instr) {
	c := &s.in.coefs
	switch in.Intr {
	case ir.IntrImageDerefStore, ir.IntrImageDerefAtomic, ir.IntrImageDerefAtomicSwap:
		s.writesImages = true
	case ir.IntrLoadInput:
		slot, comp, ok := s.ioSlot(in, in.Srcs[0].Def)
		if !ok {
			return
		}
		mask := uint8(1<<in.Def.NumComponents-1) << comp
		if in.Def.BitSize != 32 && in.Def.BitSize != 16 {
			s.fail(in, "inputs of %d bits are not supported: they must be lowered to 32 bits", in.Def.BitSize)
			return
		}
		switch {
		case s.sh.Stage == ir.StageFragment:
			s.wantSlot(in, slot, mask, ir.InterpFlat)
		case slot < ir.NumAttribSlots:
			s.in.attribs[slot].mask |= mask
		default:
			s.broken(in, "vertex attribute slot %d does not exist", slot)
		}
	case ir.IntrLoadInterpolatedInput:
		slot, comp, ok := s.ioSlot(in, in.Srcs[1].Def)
		if !ok {
			return
		}
		if in.Def.BitSize != 32 && in.Def.BitSize != 16 {
			s.fail(in, "inputs of %d bits are not supported: they must be lowered to 32 bits", in.Def.BitSize)
			return
		}
		interp := interpOf(in.Srcs[0].Def.Instr)
		c.wantW = c.wantW || interp == ir.InterpSmooth
		s.wantSlot(in, slot, uint8(1<<in.Def.NumComponents-1)<<comp, interp)
	case ir.IntrLoadBarycentricPixel, ir.IntrLoadBarycentricCentroid, ir.IntrLoadBarycentricSample,
		ir.IntrLoadBarycentricAtSample, ir.IntrLoadBarycentricAtOffset:
		c.wantWeights(in)
	case ir.IntrLoadInputVertex:
		s.wantCorner(in)
	case ir.IntrLoadCoefficientsAgx:
		slot, comp := planeOf(in)
		s.wantSlot(in, slot, 1<<comp, ir.Interp(in.Get(ir.IdxInterpMode)))
	case ir.IntrLoadFragCoordZw:
		c.wantW, c.wantZ = c.wantW || in.Get(ir.IdxComponent) == 3, c.wantZ || in.Get(ir.IdxComponent) == 2
	case ir.IntrLoadSampleMaskIn:
		s.in.wantCovered = true
	case ir.IntrLoadPointCoord:
		c.wantPoint = true
	case ir.IntrLoadPrimitiveId:
		c.wantPrimitive = s.sh.Stage == ir.StageFragment
	case ir.IntrLoadExportedAgx:
		s.hand.imports = append(s.hand.imports, in)
	}
}

func (s *isel) wantSlot(in *ir.Instr, slot int, mask uint8, interp ir.Interp) {
	c := &s.in.coefs
	switch ir.Slot(slot) {
	case ir.SlotLayer, ir.SlotFace:
		return
	case ir.SlotPos: // the depth, in epilogs
		c.wantZ = true
		return
	case ir.SlotPrimitiveID:
		c.wantPrimitive = true
		return
	case ir.SlotPointCoord:
		c.wantPoint = true
		return
	}
	sl := &c.slots[slot]
	for k := range sl.interp {
		switch {
		case mask>>k&1 == 0:
		case sl.mask>>k&1 != 0 && sl.interp[k] != interp:
			s.broken(in, "component %d of location %d is interpolated in two ways", k, slot-int(ir.SlotVar0))
		default:
			sl.interp[k] = interp
		}
	}
	sl.mask |= mask
}

// runs are the components of a slot as runs of registers: one from the first to the last that is read; where they are interpolated in several ways,
// or some are read at a vertex, each run has those alone that are read alike.
func (c *coefficients) runs(slot int) (list []coefRun) {
	sl := &c.slots[slot]
	first, count := runOf(sl.mask)
	whole := c.corners[slot].mask == 0
	for k := first; k < first+count; k++ {
		if whole && sl.mask>>k&1 != 0 && sl.interp[k] != sl.interp[first] {
			whole = false
		}
	}
	if whole {
		return []coefRun{{first, count, sl.interp[first]}}
	}
	return splitRuns(sl.mask, func(k int) ir.Interp { return sl.interp[k] })
}

// coefRun is a run of components that are interpolated alike.
type coefRun struct {
	first, count int
	interp       ir.Interp
}

// splitRuns are the runs of neighbours in a mask that are interpolated alike.
func splitRuns(mask uint8, interp func(k int) ir.Interp) (list []coefRun) {
	for k := range 4 {
		switch n := len(list) - 1; {
		case mask>>k&1 == 0:
		case n >= 0 && list[n].first+list[n].count == k && list[n].interp == interp(k):
			list[n].count++
		default:
			list = append(list, coefRun{k, 1, interp(k)})
		}
	}
	return list
}

// place numbers the coefficient registers from n on and describes them.
func (c *coefficients) place(m *abi.Meta, n int) {
	special := func(want bool, source abi.CoefSource, count int) int {
		at := n
		if want {
			m.Coefs = append(m.Coefs, abi.Coef{Source: source, CF: at, Count: uint8(count)})
			n += count
		}
		return at
	}
	c.w = special(c.wantW, abi.CoefW, 1)
	c.z = special(c.wantZ, abi.CoefZ, 1)
	for slot := range c.slots {
		s := &c.slots[slot]
		if s.mask == 0 {
			continue
		}
		for _, r := range c.runs(slot) {
			m.Coefs = append(m.Coefs, abi.Coef{CF: n, Slot: ir.Slot(slot), First: uint8(r.first), Count: uint8(r.count), Interp: r.interp})
			for k := range r.count {
				s.cf[r.first+k] = n + k
			}
			n += r.count
		}
	}
	n = c.placeCorners(m, n)
	c.point = special(c.wantPoint, abi.CoefPointCoord, 2)
	c.primitive = special(c.wantPrimitive, abi.CoefPrimitiveID, 1)
}

// runOf is the run from the first to the last component of a mask that has some.
func runOf(mask uint8) (first, count int) {
	first = bits.TrailingZeros8(mask)
	return first, bits.Len8(mask) - first
}

func coefficient(n int) isa.Operand { return isa.Operand{Kind: isa.CF, Val: int32(n)} }

// loadInput selects an attribute or a flat varying.
func (s *isel) loadInput(in *ir.Instr) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[0].Def)
	if !ok {
		return
	}
	n := int(in.Def.NumComponents)
	if s.sh.Stage == ir.StageVertex {
		s.setInput(in, s.in.attribs[slot].ops[comp:comp+n])
		return
	}
	c := &s.in.coefs
	switch ir.Slot(slot) {
	case ir.SlotLayer:
		layer := imm32(0)
		if !faults.has(faultLayer) {
			layer = s.getSR(srLayer, false)
		}
		s.setComps(&in.Def, layer)
		return
	case ir.SlotFace:
		s.setComps(&in.Def, s.selectBy(s.frontFacing(), false, imm32(^uint32(0)), imm32(0)))
		return
	case ir.SlotPrimitiveID:
		s.setComps(&in.Def, s.flat(c.primitive))
		return
	case ir.SlotViewport:
		s.setComps(&in.Def, s.viewportIndex(c.slots[slot].cf[0]))
		return
	case ir.SlotPointCoord:
		s.setComps(&in.Def, s.iter(c.point, 2, false, false, nil)[comp:comp+n]...)
		return
	}
	ops := make([]opnd, n)
	for k := range ops {
		ops[k] = s.flat(c.slots[slot].cf[comp+k])
	}
	s.setInput(in, ops)
}

// flat is the value of a flat input, which stands in word c of its coefficient register, in
// triangle fans whose first vertex provokes in word b (agx.md §9.1).
func (s *isel) flat(cf int) opnd {
	w := s.ldcf(cf)
	if faults.has(faultFirstFan) {
		return w[2]
	}
	fan := s.driver(nil, abi.UniformFirstFan, 0)
	return s.selectBy(cond{op: isa.CondUEQ, a: fan, b: imm16(0)}, false, w[2], w[1])
}

// viewportIndex is the varying of the stage before, 0 if that does not write one.
func (s *isel) viewportIndex(cf int) opnd {
	v := s.flat(cf)
	if faults.has(faultViewportUnwritten) {
		return v
	}
	n := s.take(nil, abi.Uniform{Kind: abi.UniformSlotWritten, Element: uint32(ir.SlotViewport)}, uniformHalves)
	return s.intOp(bitop(tableAnd), false, v, opnd{kind: opUniform, bits: n})
}

// setInput gives an input the words that it arrives in. Inputs and outputs
// between stages always are words: 16-bit floats stand in them as 32-bit ones of the same
// value, 16-bit integers in the low halves.
func (s *isel) setInput(in *ir.Instr, ops []opnd) {
	if in.Def.BitSize != 16 {
		s.setComps(&in.Def, ops...)
		return
	}
	short := make([]opnd, len(ops))
	for k, o := range ops {
		if isFloatInput(in) {
			short[k] = s.value(s.fmov(o, true))
		} else {
			short[k], _ = s.halves(o)
		}
	}
	s.setComps(&in.Def, short...)
}

func isFloatInput(in *ir.Instr) bool {
	return ir.UnpackALUType(in.Get(ir.IdxDestType)).Class == ir.ClassFloat
}

// ldcf loads the three words of a coefficient register.
func (s *isel) ldcf(cf int) []opnd {
	d := s.f.NewValue(classFull, 3)
	s.add(isa.Instr{Op: isa.OpLdcf, Srcs: [6]isa.Operand{coefficient(cf)}}, d)
	return s.split(d, 3)
}
