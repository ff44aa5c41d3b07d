package agx

import "sync"

// memory is what a compile works in beside its functions, whose memory is code; the next compile gets it.
type memory struct {
	items []piece
	place []int32
	pre   preamble
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// begin gives the compiler memory.
func (c *compiler) begin() {
	c.mem = memories.Get().(*memory)
	c.uni.items, c.uni.place = c.mem.items[:0], c.mem.place
}

// end gives the memory back. What the metadata has of the uniforms is a copy.
func (c *compiler) end() {
	m := c.mem
	m.items, m.place = c.uni.items, c.uni.place
	clear(m.items)
	c.uni.items, c.uni.place, c.mem = nil, nil, nil
	memories.Put(m)
}
