package layout

import "nirc/ir"

// HeapDescriptors is how many descriptors a heap holds: what numbers of 16 bits reach (ir3.md §6.10).
const HeapDescriptors = 1 << 16

var heaps = Layout{
	Sets: []Set{
		{Set: ir.ResourceHeapSet, Bindings: []Binding{{Type: Mutable, Count: HeapDescriptors, Stages: AllStages}}},
		{Set: ir.SamplerHeapSet, Bindings: []Binding{{Type: Sampler, Count: HeapDescriptors, Stages: AllStages}}},
	},
	Open: true,
}

// Heaps is the layout of pipelines with descriptor heaps for which no other is given: all but the heaps is as without a layout. It is one
// for all and is not to be changed.
func Heaps() *Layout { return &heaps }
