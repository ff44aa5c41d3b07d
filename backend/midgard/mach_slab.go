package midgard

import "nirc/internal/slab"

// memory is what the steps of a compile keep their tables in, one step after
// the other and one compile after the other: they differ little in size.
type memory struct {
	live  liveness
	graph graph
	alloc allocator
	// What functions that are copied and their programs consist of.
	insts   chunks[inst]
	bundles chunks[bundle]
	// Lists of blocks.
	lists    slab.Slab[*inst]
	packed   slab.Slab[*bundle]
	writes   slab.Slab[writeout]
	edges    slab.Slab[int]
	copies   slab.Slab[function]
	blocks   slab.Slab[block]
	nodes    slab.Slab[nodeInfo]
	selected []nodeInfo // of what selection made last
	programs slab.Slab[program]
	places   slab.Slab[pblock]
	sched    scheduler
	coal     coalescer
	conds    []condReads
	wants    []helpersWant
	written  []int32
	sel      isel
}

// memory is that of the function's compile, its own if it has none.
func (f *function) memory() *memory {
	if f.mem == nil {
		f.mem = new(memory)
	}
	return f.mem
}

// chunks hands out slices of slabSize values, which stay where they are until reset.
type chunks[T any] struct {
	all  [][]T
	used int
}

// next returns a chunk; what its values are is anything.
func (c *chunks[T]) next() []T {
	if c.used == len(c.all) {
		c.all = append(c.all, make([]T, slabSize))
	}
	c.used++
	return c.all[c.used-1]
}

// reset takes everything back.
func (m *memory) reset() {
	m.insts.used, m.bundles.used = 0, 0
	m.lists.Reset()
	m.packed.Reset()
	m.writes.Reset()
	m.edges.Reset()
	m.copies.Reset()
	m.blocks.Reset()
	m.nodes.Reset()
	m.programs.Reset()
	m.places.Reset()
}

// push appends an instruction to the list of a block.
func (m *memory) push(list []*inst, in *inst) []*inst {
	if len(list) == cap(list) {
		list = append(m.lists.Slice(max(8, 2*len(list)))[:0], list...)
	}
	return append(list, in)
}
