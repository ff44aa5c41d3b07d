package agx

import (
	"slices"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/mach"
	"nirc/backend/resource"
	"nirc/ir"
)

// outputs collects what the shader leaves at its end.
type outputs struct {
	vars []outputVar
	locs []uint32 // place of the last store, by variable
	vals mach.Stores[opnd]
}

// outputVar is one component of an output slot.
type outputVar struct {
	slot  ir.Slot
	index uint8
	comp  uint8
	half  bool
}

func (o *outputs) find(v outputVar) int {
	k := slices.IndexFunc(o.vars, func(w outputVar) bool { return w.slot == v.slot && w.index == v.index && w.comp == v.comp })
	if k >= 0 {
		return k
	}
	o.vars, o.locs = append(o.vars, v), append(o.locs, 0)
	return len(o.vars) - 1
}

func (s *isel) storeOutput(in *ir.Instr) {
	st, err := backend.NewIOStore(in)
	if err != nil {
		s.fail(in, "%v", err)
		return
	}
	for c := range st.Written {
		if st.Comp+c > 3 {
			s.broken(in, "output slot %d: component %d does not exist", st.Slot, st.Comp+c)
			return
		}
		o, half := s.comp(st.Value, c), isHalf(st.Value)
		if half && s.sh.Stage == ir.StageVertex {
			o, half = s.outputWord(in, o), false
		}
		k := s.out.find(outputVar{st.Slot, st.Index, uint8(st.Comp + c), half})
		if s.out.vars[k].half != half {
			s.fail(in, "output slot %d is stored with 16 and 32 bits, which is not supported", st.Slot)
			return
		}
		s.out.vals.Set(k, o)
		s.out.locs[k] = in.Loc
	}
}

// finishOutputs brings the outputs to the end block, through phis where
// different paths stored different values, and ends the program.
func (s *isel) finishOutputs() {
	if s.err != nil {
		return
	}
	end := s.end()
	vals := make([]opnd, len(s.out.vars))
	reader := mach.Reader[opnd]{F: s.f, Of: outputReader{s}}
	for k := range s.out.vars {
		s.loc = s.out.locs[k]
		if s.endsIn != nil {
			vals[k] = reader.AtEnd(k, end)
		} else {
			vals[k] = reader.AtStart(k, end)
		}
	}
	s.enter(end)
	s.loc = 0
	if s.nest.wrapped {
		s.generic(opUnwrap, nil, nil)
	}
	uses, regs := s.hand.uses, s.hand.regs
	switch {
	case s.early || s.part == abi.PartProlog || s.part == abi.PartEpilog:
	case s.meta.Next != ir.StageNone:
		s.recordOutputs(vals)
	case s.sh.Stage == ir.StageVertex:
		s.vertexOutputs(vals)
	case s.sh.Stage == ir.StageFragment:
		uses, regs = s.fragmentOutputs(vals)
		s.loc = 0
		s.test()
		if s.meta.PerSample {
			uses, regs = append(uses, s.reg(s.in.sampleMask)), append(regs, abi.SampleMaskReg)
		}
	}
	// All go to their registers at once.
	outs := s.f.ValueList(len(uses))
	for i := range uses {
		outs[i] = s.f.Clone(uses[i])
	}
	if len(outs) > 0 {
		fix(s.generic(mach.OpPcopy, outs, uses).Defs(), regs)
	}
	fix(s.generic(opEnd, nil, outs).Uses(), regs)
}

// fix asks for the operands to be in the given registers.
func fix(ops []mach.Operand, regs []mach.Reg) {
	for i, r := range regs {
		ops[i].Reg = r
		ops[i].Flags |= mach.Fixed
	}
}

// fragmentOutputs returns the results and the registers they are left in.
func (s *isel) fragmentOutputs(vals []opnd) (uses []mach.Value, regs []mach.Reg) {
	for k, v := range s.out.vars {
		reg, bits := 0, uint8(32)
		val := vals[k]
		s.loc = s.out.locs[k]
		switch {
		case v.slot == ir.SlotDepth:
			reg = abi.DepthReg
		case v.slot == ir.SlotStencil || v.slot == ir.SlotSampleMask:
			reg, bits = abi.StencilReg, 16
			if v.slot == ir.SlotSampleMask {
				reg = abi.SampleOutReg
			}
			val = s.sized(val, true)
		case v.slot >= ir.SlotData0 && v.slot < ir.NumResultSlots:
			target := int(v.slot-ir.SlotData0) + int(v.index)
			reg = abi.ColorReg + abi.ColorRegStep*target + 2*int(v.comp)
			if v.half {
				reg, bits = abi.ColorReg+abi.ColorRegStep*target+int(v.comp), 16
			}
		default:
			s.fail(resource.OutputStore(s.impl, v.slot), "fragment output slot %d is not supported", v.slot)
			return nil, nil
		}
		s.describeResult(v, bits)
		if s.part == abi.PartMain && v == (outputVar{slot: ir.SlotData0, comp: 3}) && val.fold().isImm(abi.One) {
			s.meta.AlphaOne = true // the epilog has it without a register
			continue
		}
		uses, regs = append(uses, s.reg(val)), append(regs, mach.Reg(reg))
	}
	return uses, regs
}

func (s *isel) describeResult(v outputVar, bits uint8) {
	for i := range s.meta.Results {
		if r := &s.meta.Results[i]; r.Slot == v.slot && r.Index == v.index {
			r.Mask |= 1 << v.comp
			if r.Bits != bits {
				s.fail(resource.OutputStore(s.impl, v.slot), "output slot %d is stored with 16 and 32 bits, which is not supported", v.slot)
			}
			return
		}
	}
	r := abi.Result{Slot: v.slot, Mask: 1 << v.comp, Bits: bits, Index: v.index}
	switch {
	case v.slot == ir.SlotDepth:
		r.Reg = abi.DepthReg
	case v.slot == ir.SlotStencil:
		r.Reg = abi.StencilReg
	case v.slot == ir.SlotSampleMask:
		r.Reg = abi.SampleOutReg
	default:
		r.Reg = abi.ColorReg + abi.ColorRegStep*(int(v.slot-ir.SlotData0)+int(v.index))
	}
	s.meta.Results = append(s.meta.Results, r)
}

// outputReader is what mach.Reader asks about output variables.
type outputReader struct{ s *isel }

func (r outputReader) Stored(k int, b mach.BlockID) (opnd, bool) { return r.s.out.vals.At(b, k) }

func (r outputReader) Missing(k int, _ mach.BlockID) opnd { return immediate(0, r.s.out.vars[k].half) }

func (r outputReader) Join(k int) (opnd, mach.Value) {
	v := r.s.newReg(r.s.out.vars[k].half)
	return r.s.value(v), v
}

func (r outputReader) Use(b mach.BlockID, o opnd) mach.Value {
	r.s.enter(b)
	return r.s.reg(o)
}

// outputWord makes the word of a 16-bit output.
func (s *isel) outputWord(in *ir.Instr, o opnd) opnd {
	if ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class == ir.ClassFloat {
		o.conv = true
		return s.value(s.reg(o))
	}
	return s.sized(o, false)
}
