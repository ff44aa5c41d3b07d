package ir3

import "math/bits"

// settled is the age at which a result is ready for everyone.
const settled = 6

// Sizes that a result was written in.
const (
	wroteHalf = 1 << iota
	wroteFull
)

// young is a unit that an instruction whose results are not interlocked wrote fewer than settled slots ago.
type young struct {
	unit uint16
	age  uint8
	size uint8 // wroteHalf, wroteFull; both if paths differ
	// older is the age of a write in another size that was not over when this one came, at most settled.
	older uint8
}

// ages are the young units at a point of the program, in order. They are a handful there, of some five hundred that
// there are, which is why they are listed: what a block begins and ends with is copied and compared at each border.
type ages []young

// passed appends to dst what is young still after so many slots.
func (a ages) passed(slots int, dst ages) ages {
	for _, y := range a {
		if age := int(y.age) + slots; age < settled {
			y.age, y.older = uint8(age), uint8(min(settled, int(y.older)+slots))
			dst = append(dst, y)
		}
	}
	return dst
}

// merged appends to dst the younger of a and b of each unit.
func (a ages) merged(b, dst ages) ages {
	for len(a) > 0 && len(b) > 0 {
		switch y, z := a[0], b[0]; {
		case y.unit < z.unit:
			dst, a = append(dst, y), a[1:]
		case y.unit > z.unit:
			dst, b = append(dst, z), b[1:]
		default:
			dst = append(dst, young{y.unit, min(y.age, z.age), y.size | z.size, min(y.older, z.older)})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(dst, a...), b...)
}

// writeClock follows the units of a block: it knows when each was written, by a clock that goes on from block to block. So
// nothing is done to the others when a slot passes, and nothing is cleared before a block.
type writeClock struct {
	now  int
	at   [numUnits]int // when the unit was written
	size [numUnits]uint8
	// older is when it was written in another size before that, which still matters.
	older [numUnits]int
	seen  unitSet // those written in the block, or young before it
	// stores: the block may store to the const file, as preambles do; reads of it would want another wait.
	stores bool
}

// begin starts a block that a reaches.
func (c *writeClock) begin(a ages) {
	c.now += settled
	c.seen, c.stores = unitSet{}, false
	for _, y := range a {
		u := int(y.unit)
		c.write(u, y.age, y.size)
		c.older[u] = c.now - int(y.older)
	}
}

// write notes a write: age is settled if whoever reads it waits in another way. One in the other size that is still under
// way is noted beside it (ir3.md §4.1).
func (c *writeClock) write(unit int, age, size uint8) {
	switch {
	case age == settled || faults.has(faultMixedSizes):
		c.older[unit] = c.now - settled
	case c.size[unit] != size && c.age(unit) < settled:
		c.older[unit] = max(c.older[unit], c.at[unit])
	}
	c.at[unit], c.size[unit] = c.now-int(age), size
	c.seen[unit>>6] |= 1 << (unit & 63)
}

// age is how many slots ago a unit was written, at most settled.
func (c *writeClock) age(unit int) int { return min(settled, c.now-c.at[unit]) }

// end appends to dst what is young at the end of the block.
func (c *writeClock) end(dst ages) ages {
	for i, w := range c.seen {
		for ; w != 0; w &= w - 1 {
			u := i<<6 + bits.TrailingZeros64(w)
			if age := c.age(u); age < settled {
				dst = append(dst, young{uint16(u), uint8(age), c.size[u], uint8(min(settled, c.now-c.older[u]))})
			}
		}
	}
	return dst
}
