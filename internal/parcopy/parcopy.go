// Package parcopy puts parallel copies in sequence: moves that mean the same as copies which all read before any of them writes.
// It knows places alone, units by number; what a move is, and whether a cycle is broken by a swap or by a place beside, is the
// caller's.
package parcopy

import "nirc/internal/slab"

// Nowhere is the source of a copy that reads no unit that copies write, such as a constant.
const Nowhere = -1

// Copies are parallel copies that wait to be written out. Its memory is for any number of them, one after the other.
type Copies struct {
	entries []entry
	readers []int32 // by unit: copies that still read it
	writer  []int32 // by unit: the copy that writes it, plus 1
	ready   []int32
	out     Writer
}

// entry is a copy of some units, to and from numbers on.
type entry struct {
	dst, src int32
	size     uint8
	done     bool
}

// readsItself reports whether a copy moves what stands in a unit within it, which no order has to be kept for.
func (e *entry) readsItself() bool { return e.src == e.dst }

// Writer takes the sequence.
type Writer interface {
	// Move writes copy i, counted in the order of Add, or a part of it.
	Move(i int, dst, src int32, size uint8)
	// Break is called for a copy of a cycle, in which each copy's destination is read by another. Either it exchanges both places
	// of the copy, which is done then, or it saves the destination in a place beside and returns that place, which is for copies of one
	// unit. A writer does always one or always the other.
	Break(dst, src int32, size uint8) (beside int32, exchanged bool)
}

// Begin makes room for units numbered from 0 at once, and forgets copies.
func (c *Copies) Begin(units int) {
	c.readers, c.writer = slab.Zeroed(c.readers, units), slab.Zeroed(c.writer, units)
	c.entries = c.entries[:0]
}

// Add adds a copy. No two copies have one destination.
func (c *Copies) Add(dst, src int32, size uint8) {
	c.room(max(dst, src) + int32(size))
	c.entries = append(c.entries, entry{dst, src, size, false})
}

// room makes it for units below n.
func (c *Copies) room(n int32) {
	for len(c.readers) < int(n) {
		c.readers, c.writer = append(c.readers, 0), append(c.writer, 0)
	}
}

// Flush writes the copies out. Of those that are ready at the same time, the last comes first.
func (c *Copies) Flush(out Writer) {
	c.out = out
	for i := range c.entries {
		e := &c.entries[i]
		for k := range int32(e.size) {
			c.writer[e.dst+k] = int32(i + 1)
		}
		c.reads(e, 1)
	}
	c.ready = c.ready[:0]
	for i := range c.entries {
		c.enqueue(int32(i))
	}
	for {
		for len(c.ready) > 0 {
			i := c.ready[len(c.ready)-1]
			c.ready = c.ready[:len(c.ready)-1]
			e := &c.entries[i]
			out.Move(int(i), e.dst, e.src, e.size)
			c.retire(i)
		}
		if !c.splitBlocked() && !c.breakCycle() {
			break
		}
	}
	for i := range c.entries {
		e := &c.entries[i]
		for k := range int32(e.size) {
			c.writer[e.dst+k] = 0
		}
	}
	c.entries, c.out = c.entries[:0], nil
}

// reads counts e n times more as a reader.
func (c *Copies) reads(e *entry, n int32) {
	if e.src < 0 || e.readsItself() {
		return
	}
	for k := range int32(e.size) {
		c.readers[e.src+k] += n
	}
}

// enqueue puts copy i on the ready list if nobody reads what it overwrites.
func (c *Copies) enqueue(i int32) {
	e := &c.entries[i]
	if e.done {
		return
	}
	for k := range int32(e.size) {
		if c.readers[e.dst+k] != 0 {
			return
		}
	}
	for _, r := range c.ready {
		if r == i {
			return
		}
	}
	c.ready = append(c.ready, i)
}

// retire ends copy i, and wakes those that waited for it.
func (c *Copies) retire(i int32) {
	e := &c.entries[i]
	e.done = true
	c.reads(e, -1)
	if e.src < 0 {
		return
	}
	for k := range int32(e.size) {
		if w := c.writer[e.src+k]; w != 0 && c.readers[e.src+k] == 0 {
			c.enqueue(w - 1)
		}
	}
}

// splitBlocked cuts copies of several units that are blocked in some of them only.
func (c *Copies) splitBlocked() bool {
	for i := range c.entries {
		e := &c.entries[i]
		if e.done || e.size < 2 {
			continue
		}
		free := false
		for k := range int32(e.size) {
			free = free || c.readers[e.dst+k] == 0
		}
		if !free {
			continue
		}
		first := len(c.entries)
		c.cut(i)
		for k := first; k < len(c.entries); k++ {
			c.enqueue(int32(k))
		}
		c.enqueue(int32(i))
		return true
	}
	return false
}

// cut splits copy i into single units.
func (c *Copies) cut(i int) {
	size := int32(c.entries[i].size)
	c.entries[i].size = 1
	for k := int32(1); k < size; k++ {
		e := c.entries[i]
		if e.src != Nowhere {
			e.src += k
		}
		c.entries = append(c.entries, entry{e.dst + k, e.src, 1, false})
		c.writer[e.dst+k] = int32(len(c.entries))
	}
}

// breakCycle opens a cycle at one copy. Only cycles are left: all destinations are read, each once.
func (c *Copies) breakCycle() bool {
	for i := range c.entries {
		e := c.entries[i]
		if e.done {
			continue
		}
		to, exchanged := c.out.Break(e.dst, e.src, e.size)
		if exchanged {
			c.entries[i].done = true
			c.reads(&e, -1)
			c.redirect(&e, e.src)
			return true
		}
		c.room(to + int32(e.size))
		c.redirect(&e, to)
		c.enqueue(int32(i))
		return true
	}
	return false
}

// redirect makes the copies that read e's destination read the units from to on, where their value is now.
func (c *Copies) redirect(e *entry, to int32) {
	for j := 0; j < len(c.entries); j++ {
		o := &c.entries[j]
		if o.done || o.src < 0 || o.src+int32(o.size) <= e.dst || o.src >= e.dst+int32(e.size) {
			continue
		}
		if o.size > e.size {
			c.cut(j)
			o = &c.entries[j]
			if o.src < e.dst || o.src >= e.dst+int32(e.size) {
				continue // the other piece, further on in the list, is meant
			}
		}
		c.reads(o, -1)
		o.src += to - e.dst
		c.reads(o, 1)
		if o.src == o.dst {
			c.retire(int32(j))
		}
	}
}
