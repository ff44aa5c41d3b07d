package midgard

import (
	"math"
	"math/bits"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/backend/resource"
	"nirc/internal/lazy"
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
			mask := uint8(in.Get(ir.IdxWriteMask)) & fullMask(int(val.NumComponents)) << comp & 15
			o.mask |= mask
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
			s.broken(in, "output slot %d: component %d does not exist", o.slot, comp+int(val.NumComponents)-1)
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
		if s.feedback && !faults.has(faultFeedback) {
			s.feedbackOutputs()
		} else {
			s.vertexOutputs()
		}
	case ir.StageFragment:
		if s.blend != nil {
			s.blendOutput()
		} else {
			s.endDemoted()
			s.fragmentOutputs()
		}
	}
}

// unfed are the built-ins that no fixed function of this hardware takes or makes: as varyings they would lead
// nowhere. gl_PrimitiveID is a varying like others where tessellation or a geometry shader hands it on. Of them fragment programs may read gl_Layer, which the driver knows: it draws a layer at a time.
var unfed = lazy.Value[map[ir.Slot]string]{Make: func() map[ir.Slot]string {
	return map[ir.Slot]string{ir.SlotLayer: "gl_Layer", ir.SlotViewport: "gl_ViewportIndex"}
}}

// linearW is what outputs without perspective are multiplied by: w, that of the position
// which leaves, of which the program stores 1/w. ok is false if there are none.
func (s *isel) linearW() (w source, ok bool) {
	for i := range s.out.list {
		if o := &s.out.list[i]; o.slot == ir.SlotPos && s.meta.Linear != 0 && !faults.has(faultLinear) {
			return s.temp(isa.OpFrcp, 1, o.value().lane(3), constant(0)).lane(0), true
		}
	}
	return w, false
}

func (s *isel) vertexOutputs() {
	w, linear := s.linearW()
	for i := range s.out.list {
		o := &s.out.list[i]
		s.loc = o.loc
		next := s.meta.Next != ir.StageNone
		if name, ok := unfed.Get()[o.slot]; ok && !next {
			s.fail(resource.OutputStore(s.impl, o.slot), "the output %s is not supported: the hardware takes none from a vertex shader", name)
			return
		}
		s.meta.Outputs = append(s.meta.Outputs, abi.Output{Slot: o.slot, Mask: o.mask, Bits: 32})
		in, number := s.input()
		// Only what the program stores has to be there: the store's swizzle repeats it for the rest.
		out, mask, swz := o.value(), uint8(15), isa.XYZW
		if o.slot != ir.SlotPos && o.mask != 0 {
			mask, swz = o.mask, isa.Swz(int(out.swz[0]), int(out.swz[1]), int(out.swz[2]), int(out.swz[3]))
		}
		switch {
		case next:
			s.move(in, 15, source{reg: o.reg, swz: identity})
		case o.slot == ir.SlotPointSize && !faults.has(faultPointSize):
			s.alu(isa.OpFmax, in, mask, out, constant(math.Float32bits(1)))
		case linear && s.meta.LinearMask(o.slot)&mask != 0:
			over := s.meta.LinearMask(o.slot) & mask
			s.alu(isa.OpFmul, in, over, out, w)
			if mask &^= over; mask != 0 {
				s.move(in, mask, out)
			}
		default:
			s.move(in, mask, out)
		}
		t := inst{kind: kindLdSt, dst: regNone}
		t.ld = isa.LoadStore{Op: isa.StVaryF32, Reg: number, Mask: 15, Swizzle: swz, Arg: isa.AddrReg{Reg: isa.AddrZero},
			Format: isa.AttrAuto32 | isa.AttrSecondary, Index: isa.AddrReg{Reg: isa.AddrZero}}
		t.ld.SetSlot(s.varyingIndex(abi.Varying{Kind: abi.VaryingSlot, Slot: o.slot}), 0)
		s.add(t)
	}
}
