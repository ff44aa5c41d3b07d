package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// loadSysval selects a value that the driver puts into uniform registers.
func (s *isel) loadSysval(in *ir.Instr) {
	u := abi.Uniform{Kind: abi.UniformKind(in.Get(ir.IdxFlags))}
	budget := uniformHalves
	if uniformRank(u.Kind) < 2 {
		budget = baseHalves
	}
	n, ok := s.uni.take(u, budget)
	if !ok {
		s.fail(in, "more addresses than uniform registers can hold are not supported")
		return
	}
	ops := []opnd{{kind: opUniform, bits: n}, {kind: opUniform, bits: n + 2}}
	s.setComps(&in.Def, ops[:in.Def.BitSize/32]...)
}

// storeFormatted selects a store that converts to a memory format: of elements from
// an index on, counted in elements of the format.
func (s *isel) storeFormatted(in *ir.Instr) {
	s.meta.WritesMemory = true
	n := int(in.Srcs[0].Def.NumComponents)
	t := isa.Instr{Op: isa.OpDeviceStore, Format: isa.Format(in.Get(ir.IdxFormat)), Mask: 1<<n - 1, Flags: isa.Unsigned}
	uses := s.register(&t, 0, s.data(in.Srcs[0].Def, 0, n), nil)
	uses = s.baseSource(&t, 1, s.global(in, in.Srcs[1].Def), uses)
	uses = s.index(&t, 2, s.comp(in.Srcs[2].Def, 0), uses)
	s.add(t, 0, uses...)
}
