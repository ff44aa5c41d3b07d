package core

import "nirc/internal/emu"

// StartCounting makes the counters of the main program and its preamble. The other programs
// of a geometry shader are not counted.
func (p *program) StartCounting() []emu.Counter {
	p.counts = make([]emu.Counter, len(p.code))
	for i := range p.counts {
		p.counts[i].Offset = uint32(p.code[i].pc)
	}
	return p.counts
}
