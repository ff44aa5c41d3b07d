package amber

import "nirc/internal/emu"

// state returns the sampler as the software GPU has it. Scripts have no word
// for the mip mode: Amber's samplers read the nearest level.
func (s *Sampler) state() *emu.Sampler {
	e := &emu.Sampler{Address: s.Address, Border: s.Border, MinLod: s.MinLod, MaxLod: s.MaxLod,
		Unnormalized: s.Unnormalized, Compare: s.Compare, CompareOp: s.CompareOp}
	if s.MagLinear {
		e.Mag = emu.FilterLinear
	}
	if s.MinLinear {
		e.Min = emu.FilterLinear
	}
	return e
}
