package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// rayResults is the number of words that ray_intersection gives.
const rayResults = 5

// rayIntersection selects ray_intersection: what it gives of inner nodes is added to the fourth word of its destination, which
// is 0 before (ir3.md §13.3).
func (s *isel) rayIntersection(in *ir.Instr) {
	if !s.gpu.Rays {
		s.fail(in, "%s has no instruction that tests rays, needs a740", s.gpu.Name)
		return
	}
	s.meta.UsesRays = !faults.has(faultRayMark)
	t := isa.Instr{Op: isa.OpRayIntersection}
	uses := s.register(&t, 0, s.address(in.Srcs[0].Def), 0, nil)
	uses = s.register(&t, 1, s.reg(s.comp(in.Srcs[1].Def, 0)), 0, uses)
	uses = s.register(&t, 2, s.data(in.Srcs[2].Def, 0, 8), 0, uses)
	uses = s.register(&t, 3, s.reg(s.comp(in.Srcs[3].Def, 0)), 0, uses)
	before := make([]opnd, rayResults)
	for i := range before {
		before[i] = immediate(0, false)
	}
	if faults.has(faultRayList) {
		before[3] = immediate(1, false)
	}
	d := s.f.NewValue(classFull, rayResults)
	m := s.add(t, d, append(uses, s.collect(before...))...)
	m.Ops[0].Flags |= mach.Tied
	m.Ops[0].Tie = uint8(len(uses))
	s.setComps(&in.Def, s.split(d, rayResults)...)
}
