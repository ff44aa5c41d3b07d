package emu

import "sync/atomic"

// Counter counts how often an instruction ran. Waves may count at the same time: the sums do not
// depend on their order.
type Counter struct {
	// Offset is where the instruction stands in the code, in bytes.
	Offset uint32

	runs, lanes atomic.Uint64
}

// Add counts one run of a wave (Midgard: of a thread) with so many lanes.
func (c *Counter) Add(lanes int) {
	c.runs.Add(1)
	c.lanes.Add(uint64(lanes))
}

// Runs is how often waves executed the instruction, Lanes for how many of their lanes together.
func (c *Counter) Runs() uint64 { return c.runs.Load() }

// Lanes is how many lanes executed the instruction.
func (c *Counter) Lanes() uint64 { return c.lanes.Load() }

// Counting is a [Program] whose core counts what it executes.
type Counting interface {
	// StartCounting returns the counters, one an instruction in the order of the code, which count from then
	// on. It is called before the program runs.
	StartCounting() []Counter
}
