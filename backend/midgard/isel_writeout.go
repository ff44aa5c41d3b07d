package midgard

import (
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/backend/resource"
	"nirc/ir"
)

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

// writeouts adds the writeout bundles of the main flow, and after it those that
// wait.
func (s *isel) writeouts(list []writeout) {
	none := source{reg: regNone}
	if d := list[0].dual; d.reg != regNone {
		s.move(2, 15, d)
		s.floor = 3
		kept := source{reg: 2, swz: identity} // live up to the last writeout, for the blend program
		if faults.has(faultSecondColor) {
			kept = none
		}
		for i := range list {
			list[i].dual = kept
		}
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

// resultName names a fragment result in a refusal.
func resultName(slot ir.Slot) string {
	if slot == ir.SlotSampleMask {
		return "SampleMask"
	}
	return fmt.Sprintf("slot %d", slot)
}
