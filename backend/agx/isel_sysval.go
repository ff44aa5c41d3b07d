package agx

import (
	"nirc/backend/agx/abi"
	"nirc/ir"
)

// loadSysval selects a value that the driver puts into uniform registers.
func (s *isel) loadSysval(in *ir.Instr) {
	u := abi.Uniform{Kind: abi.UniformKind(in.Get(ir.IdxFlags))}
	budget := uniformHalves
	if uniformRank(u.Kind) < 2 {
		budget = baseHalves
	}
	n := s.take(in, u, budget)
	ops := []opnd{{kind: opUniform, bits: n}, {kind: opUniform, bits: n + 2}}
	s.setComps(&in.Def, ops[:in.Def.BitSize/32]...)
}
