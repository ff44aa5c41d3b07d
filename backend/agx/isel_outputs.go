package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/mach"
	"nirc/backend/resource"
	"nirc/ir"
)

// outputs collects what the shader leaves at its end.
type outputs struct {
	vars []outputVar
	locs []uint32 // place of the last store, by variable
	cur  []opnd   // of the current block, by variable
	at   [][]opnd // by block: values at its end
}

// outputVar is one component of an output slot.
type outputVar struct {
	slot  ir.Slot
	index uint8
	comp  uint8
	half  bool
}

func (o *outputs) find(v outputVar) int {
	for i := range o.vars {
		if w := &o.vars[i]; w.slot == v.slot && w.index == v.index && w.comp == v.comp {
			return i
		}
	}
	o.vars, o.locs = append(o.vars, v), append(o.locs, 0)
	return len(o.vars) - 1
}

// leave keeps the values stored in the block that ends.
func (o *outputs) leave(s *isel, b mach.BlockID) {
	if o.at == nil {
		o.at = make([][]opnd, len(s.f.Blocks))
	}
	o.at[b] = o.cur
	o.cur = nil
}

func (s *isel) storeOutput(in *ir.Instr) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[1].Def)
	if !ok {
		return
	}
	val := in.Srcs[0].Def
	if val.BitSize != 32 && val.BitSize != 16 {
		s.fail(in, "outputs of %d bits are not supported: they must be lowered to 32 bits", val.BitSize)
		return
	}
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	mask := in.Get(ir.IdxWriteMask)
	for c := range int(val.NumComponents) {
		if mask>>c&1 == 0 {
			continue
		}
		if comp+c > 3 {
			s.broken(in, "output slot %d: component %d does not exist", slot, comp+c)
			return
		}
		o, half := s.comp(val, c), isHalf(val)
		if half && s.sh.Stage == ir.StageVertex {
			o, half = s.outputWord(in, o), false
		}
		k := s.out.find(outputVar{ir.Slot(slot), sem.DualSourceIndex, uint8(comp + c), half})
		if s.out.vars[k].half != half {
			s.fail(in, "output slot %d is stored with 16 and 32 bits, which is not supported", slot)
			return
		}
		for len(s.out.cur) <= k {
			s.out.cur = append(s.out.cur, opnd{})
		}
		s.out.cur[k], s.out.locs[k] = o, in.Loc
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
	for k := range s.out.vars {
		r := outputReader{s: s, k: k, memo: make([]opnd, len(s.f.Blocks))}
		s.loc = s.out.locs[k]
		vals[k] = r.atStart(end)
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
	outs := make([]mach.Value, len(uses))
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

// outputReader finds the value of output variable k at blocks, making phis
// where predecessors differ.
type outputReader struct {
	s    *isel
	k    int
	memo []opnd // by block: value at its start
}

func (r *outputReader) atEnd(b mach.BlockID) opnd {
	s := r.s
	if int(b) < len(s.out.at) && r.k < len(s.out.at[b]) && s.out.at[b][r.k].kind != opNone {
		return s.out.at[b][r.k]
	}
	return r.atStart(b)
}

func (r *outputReader) atStart(b mach.BlockID) opnd {
	if v := r.memo[b]; v.kind != opNone {
		return v
	}
	s := r.s
	half := s.out.vars[r.k].half
	preds := s.f.Blocks[b].Preds
	switch len(preds) {
	case 0:
		r.memo[b] = immediate(0, half)
	case 1:
		r.memo[b] = r.atEnd(preds[0])
	default:
		v := s.newReg(half)
		r.memo[b] = s.value(v)
		phi := s.f.NewInstr(mach.OpPhi, 1, len(preds))
		phi.Ops[0].Val = v
		blk := &s.f.Blocks[b]
		blk.Instrs = append([]*mach.Instr{phi}, blk.Instrs...)
		for i, p := range preds {
			o := r.atEnd(p)
			s.enter(p)
			phi.Uses()[i].Val = s.reg(o)
		}
	}
	return r.memo[b]
}

// outputWord makes the word of a 16-bit output.
func (s *isel) outputWord(in *ir.Instr, o opnd) opnd {
	if ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class == ir.ClassFloat {
		o.conv = true
		return s.value(s.reg(o))
	}
	return s.sized(o, false)
}
