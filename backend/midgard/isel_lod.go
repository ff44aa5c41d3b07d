package midgard

import (
	"math"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// samplerState is the state of the operation's sampler that its LOD goes by: x and
// y the least and the largest, z the bias, w 1 if levels are mixed.
func (s *isel) samplerState(in *ir.Instr) (source, bool) {
	q := in.TexSrc(ir.TexSrcSamplerDeref)
	if q == nil {
		return source{}, false
	}
	v, index := s.variable(q.Def)
	return s.imageValue(abi.Sysval{Kind: abi.SysvalSampler}, v, index), true
}

// clampedLod does to an explicit LOD what the sampler would, on GPUs whose
// samplers do not (midgard.md §6.3).
func (s *isel) clampedLod(in *ir.Instr, lod source) source {
	state, ok := s.samplerState(in)
	if !ok {
		return lod
	}
	lod = s.temp(isa.OpFadd, 1, state.lane(2), lod)
	if m := in.TexSrc(ir.TexSrcMinLod); m != nil {
		lod = s.temp(isa.OpFmax, 1, lod, s.comp(m.Def, 0))
	}
	return s.limitLod(state, lod)
}

// notBelow is an explicit LOD that with the sampler's bias, which the hardware adds, is not below the
// operation's clamp.
func (s *isel) notBelow(in *ir.Instr, lod source, clamp *ir.Def) source {
	least := s.comp(clamp, 0)
	if state, ok := s.samplerState(in); ok && !faults.has(faultLodClamp) {
		bias := state.lane(2)
		bias.mod = isa.ModNeg
		least = s.temp(isa.OpFadd, 1, least, bias)
	}
	return s.temp(isa.OpFmax, 1, lod, least)
}

func (s *isel) limitLod(state, lod source) source {
	lod = s.temp(isa.OpFmax, 1, lod, state.lane(0))
	return s.temp(isa.OpFmin, 1, lod, state.lane(1))
}

// lodQuery computes the level that a sampler takes for a LOD, and the LOD before
// its limits (Vulkan 1.3, LOD Query): the hardware has no such operation.
func (s *isel) lodQuery(in *ir.Instr, v *ir.Variable, index source) {
	lod := in.TexSrc(ir.TexSrcLod)
	if lod == nil || lod.Def.BitSize != 32 {
		s.fail(in, "a query of an implicit LOD is not supported: it must be lowered")
		return
	}
	state, ok := s.samplerState(in)
	if !ok {
		s.fail(in, "a query of the LOD without sampler is not supported")
		return
	}
	one := func(f float32) source { return constant(math.Float32bits(f)) }
	ti := in.TexInfo()
	size := s.imageValue(abi.Sysval{Kind: abi.SysvalTextureSize, Dim: ti.Dim, Array: ti.IsArray}, v, index)
	last := s.temp(isa.OpFadd, 1, s.temp(isa.OpU2f, 1, size.lane(3), constant(0)), one(-1))
	raw := s.temp(isa.OpFadd, 1, state.lane(2), s.comp(lod.Def, 0))
	at := s.temp(isa.OpFmax, 1, s.limitLod(state, raw), one(0))
	at = s.temp(isa.OpFmin, 1, at, last)
	// The nearest level, the smaller of two that are as near; the rest is 0 if only that is read.
	up := s.temp(isa.OpFceil, 1, s.temp(isa.OpFadd, 1, at, one(0.5)), constant(0))
	near := s.temp(isa.OpFadd, 1, up, one(-1))
	minus := near
	minus.mod = isa.ModNeg
	rest := s.temp(isa.OpFmul, 1, s.temp(isa.OpFadd, 1, at, minus), state.lane(3))
	d := s.result(&in.Def)
	s.alu(isa.OpFadd, d, 1, near, rest)
	if in.Def.NumComponents > 1 {
		s.move(d, 2, raw.lane(0))
	}
}
