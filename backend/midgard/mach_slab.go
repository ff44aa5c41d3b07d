package midgard

// memory is what the steps of a compile keep their tables in, one step after
// the other and one compile after the other: they differ little in size.
type memory struct {
	live  liveness
	graph graph
	alloc allocator
	// What functions that are copied and their programs consist of.
	insts   chunks[inst]
	bundles chunks[bundle]
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
func (m *memory) reset() { m.insts.used, m.bundles.used = 0, 0 }
