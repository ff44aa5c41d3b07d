package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// Registers of a blend program (midgard.md §9.5): r0 is the colour
// that the fragment shader hands over, r1.w where it goes on, r2 the second colour.
const (
	blendColor  reg = 0
	blendReturn reg = 1
	blendSecond reg = 2
	blendWork       = 8 // work registers at most
)

// startBlend sets the registers that a blend program begins with aside.
func (s *isel) startBlend() {
	s.floor = int(blendReturn) + 1
	for b := range s.impl.Blocks() {
		for in := range b.Instrs() {
			if (in.IsIntrinsic(ir.IntrLoadInput) || in.IsIntrinsic(ir.IntrLoadInterpolatedInput)) && s.blendInput(in) == blendSecond {
				s.floor, s.meta.Blend.Second = int(blendSecond)+1, true
			}
		}
	}
}

// blendInput is the register of the colour that an input load means, regNone if
// it means none.
func (s *isel) blendInput(in *ir.Instr) reg {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	switch sem.Location {
	case ir.SlotVar0:
		return blendColor
	case ir.SlotVar0 + 1:
		return blendSecond
	}
	return regNone
}

// loadBlendInput selects the load of a colour.
func (s *isel) loadBlendInput(in *ir.Instr, slot, comp int, interp ir.Interp) {
	r := s.blendInput(in)
	if r == regNone || ir.Slot(slot) != ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location {
		s.fail(in, "input slot %d is not supported: a blend program has the inputs 0 and 1", slot)
		return
	}
	s.noteInput(in, slot, fullMask(int(in.Def.NumComponents))<<comp, interp)
	// A register of its own: only the values of the program's end know registers.
	n := int(in.Def.NumComponents)
	d := s.f.newNode(n)
	s.move(d, fullMask(n), source{reg: r, swz: identity}.shifted(-comp))
	s.narrowed(in, source{reg: d, swz: identity})
}

// loadDestination selects the load of an input attachment: what the target of a
// blend program has.
func (s *isel) loadDestination(in *ir.Instr) {
	if len(s.out.list) == 0 || s.out.list[0].slot < ir.SlotData0 || s.out.list[0].slot > ir.SlotData0+7 {
		s.broken(in, "a blend program without a result reads its target")
		return
	}
	s.viewOf(in, s.tileColor(in, int(s.out.list[0].slot-ir.SlotData0), 0))
}

// blendOutput ends a blend program: the result leaves as a raw pixel.
func (s *isel) blendOutput() {
	if len(s.out.list) != 1 || s.out.list[0].index != 0 || s.out.list[0].slot < ir.SlotData0 || s.out.list[0].slot > ir.SlotData0+7 {
		s.fail(nil, "results of a blend program other than one colour, that of its render target, are not supported")
		return
	}
	if s.meta.UsesDiscard || s.demoted != regNone {
		s.fail(nil, "discard in a blend program is not supported")
		return
	}
	o := &s.out.list[0]
	n := int(o.slot - ir.SlotData0)
	if n >= s.gpu.Targets {
		s.fail(nil, "more than one render target is not supported by %s", s.gpu.Name)
		return
	}
	s.meta.Blend.Target = n
	s.meta.Outputs = append(s.meta.Outputs, abi.Output{Slot: o.slot, Mask: o.mask, Bits: 32})
	none := source{reg: regNone}
	s.writeouts([]writeout{{color: s.rawPixel(o.value()), mask: 15, rest: 15, dual: none, depth: none, stencil: none, target: n, blend: true}})
}
