package core

import "nirc/internal/emu"

// StartCounting makes the counters of the bundles; each thread is one lane.
func (p *program) StartCounting() []emu.Counter {
	p.counts = make([]emu.Counter, len(p.code))
	for i := range p.counts {
		p.counts[i].Offset = uint32(p.code[i].addr)
	}
	return p.counts
}

// count counts a run of a bundle.
func (p *program) count(i, lanes int) {
	if p.counts != nil {
		p.counts[i].Add(lanes)
	}
}
