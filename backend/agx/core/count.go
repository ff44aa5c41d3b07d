package core

import (
	"slices"

	"nirc/internal/emu"
)

// StartCounting makes the counters of all programs of the object: the main program and its preamble, of a
// geometry shader those that count and rasterise too.
func (p *program) StartCounting() []emu.Counter {
	var places []int
	for _, q := range p.parts() {
		for i := range q.code {
			places = append(places, q.code[i].pc)
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	counters := make([]emu.Counter, len(places))
	for i, pc := range places {
		counters[i].Offset = uint32(pc)
	}
	for _, q := range p.parts() {
		q.counts = make([]*emu.Counter, len(q.code))
		for i := range q.code {
			k, _ := slices.BinarySearch(places, q.code[i].pc)
			q.counts[i] = &counters[k]
		}
	}
	return counters
}

// parts are the programs that the object holds, this one first.
func (p *program) parts() []*program {
	list := []*program{p}
	for _, q := range []*program{p.raster, p.count} {
		if q != nil {
			list = append(list, q)
		}
	}
	return list
}
