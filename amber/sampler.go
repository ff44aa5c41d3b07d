package amber

import "nirc/emu"

// state returns the sampler as the software GPU has it.
func (s *Sampler) state() (*emu.Sampler, error) {
	return nil, unsupported("samplers are not supported")
}
