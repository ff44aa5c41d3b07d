package ir3

import (
	"slices"

	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/ir"
)

// constFile lays out the const file: push constants, driver parameters,
// immediates (ir3.md §6.8).
type constFile struct {
	limit  int // scalars
	push   abi.Area
	start  uint32 // first push constant byte
	driver abi.Area
	imms   []uint32
	immAt  int
	// noImms: there is nobody to put immediates there; stored: the preamble does.
	noImms, stored bool
	ubos           uboPush
	// primitive and slots are the parameters and the map of chained stages.
	primitive, slots abi.Area
}

// layOut places the areas that come before the immediates. pushLo and pushHi bound the push
// constant bytes in use, driver the driver parameters in scalars; shared are the bytes of workgroup memory.
func (c *constFile) layOut(g *GPU, stage ir.Stage, pushLo, pushHi uint32, driver int, shared uint32) {
	if faults.has(faultConstMemory) {
		shared = 0
	}
	c.limit = 4 * g.MaxConst(stage, shared)
	c.noImms = g.PreambleConsts
	at := 0
	if pushHi > pushLo {
		c.start = pushLo &^ 63
		c.push = abi.Area{Offset: 0, Size: backend.AlignUp(int(pushHi-c.start+3)/4, 16)}
		at = c.push.Size
	}
	if driver > 0 {
		unit := 4
		if stage == ir.StageCompute || stage == ir.StageVertex {
			unit = 16
		}
		if stage == ir.StageVertex && at == 0 {
			at = 16 // offset 0 means none there
		}
		c.driver = abi.Area{Offset: at, Size: backend.AlignUp(driver, unit)}
		at += c.driver.Size
	}
	c.immAt = at
}

// pushUBOs places the ranges of uniform buffers, leaving room for the preamble
// and for immediates.
func (c *constFile) pushUBOs(g *GPU) {
	keep := min(keptPreambleConsts+4*32, c.limit/3) + c.primitive.Size + c.slots.Size
	at := backend.AlignUp(c.immAt, 4*copyUnit)
	c.ubos.addArrays(c.limit - at - keep)
	if len(c.ubos.bufs) > 0 {
		c.immAt = c.ubos.layOut(at, c.limit-at-keep)
	}
}

// preambleRoom is how many results of the preamble fit.
func (c *constFile) preambleRoom() int {
	return max(0, min(maxPreambleConsts, c.limit-c.immAt-c.primitive.Size-c.slots.Size-2*4*copyUnit))
}

// reserve keeps n scalars for the preamble's results.
func (c *constFile) reserve(n int) { c.immAt += backend.AlignUp(n, 4) }

// placeChain places the parameters and the map of chained stages, whose sizes are known.
func (c *constFile) placeChain() {
	place := func(a *abi.Area) {
		if a.Size > 0 { // copies count in units
			a.Offset = backend.AlignUp(c.immAt, 4*copyUnit)
			c.immAt = a.Offset + a.Size
		}
	}
	place(&c.primitive)
	place(&c.slots)
}

// immediate returns the const number of a 32-bit value, adding it if there is room.
func (c *constFile) immediate(v uint32) (int, bool) {
	if c.noImms {
		return 0, false
	}
	for i, x := range c.imms {
		if x == v {
			return c.immAt + i, true
		}
	}
	if c.immAt+len(c.imms) >= c.limit {
		return 0, false
	}
	c.imms = append(c.imms, v)
	return c.immAt + len(c.imms) - 1, true
}

// late returns the const number of a 32-bit value that is asked for when the program is made: too late for a preamble to store it.
func (c *constFile) late(v uint32, byPreamble bool) (int, bool) {
	if k := slices.Index(c.imms, v); byPreamble {
		return c.immAt + k, k >= 0
	}
	return c.immediate(v)
}

// immediates returns the number of the first of consts that have the values side by side, adding them if there is room.
func (c *constFile) immediates(values []uint32) (int, bool) {
	if c.noImms {
		return 0, false
	}
	for i := range c.imms {
		if i+len(values) <= len(c.imms) && slices.Equal(c.imms[i:i+len(values)], values) {
			return c.immAt + i, true
		}
	}
	if c.immAt+len(c.imms)+len(values) > c.limit {
		return 0, false
	}
	c.imms = append(c.imms, values...)
	return c.immAt + len(c.imms) - len(values), true
}

// length returns constlen in vec4.
func (c *constFile) length(g *GPU, stage ir.Stage) int {
	n := backend.AlignUp((c.immAt+len(c.imms)+3)/4, 4)
	switch {
	case stage == ir.StageVertex:
		n = max(n, 8)
	case stage == ir.StageFragment && g.FSMinConst:
		n = max(n, 4)
	}
	return n
}

// describe fills the const part of the metadata.
func (c *constFile) describe(m *abi.Meta, g *GPU) {
	m.Consts = abi.Consts{Push: c.push, PushStart: c.start, Driver: c.driver, Primitive: c.primitive, Map: c.slots}
	m.Consts.ByPreamble = g.PreambleConsts
	if len(c.imms) > 0 && !c.stored {
		m.Consts.Immediates = c.imms
		m.Consts.ImmediateOffset = c.immAt
	}
	m.ConstLen = c.length(g, m.Stage)
}
