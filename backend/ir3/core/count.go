package core

import (
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
)

// StartCounting makes the counters of the words.
func (p *program) StartCounting() []emu.Counter {
	p.counts = make([]emu.Counter, len(p.code))
	for pc := range p.counts {
		p.counts[pc].Offset = uint32(pc * isa.WordBytes)
	}
	return p.counts
}
