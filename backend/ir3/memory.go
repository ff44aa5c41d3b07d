package ir3

import (
	"sync"

	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// memory is what a compile works in; the next one gets it when it ends.
type memory struct {
	tmpl   []isa.Instr
	sel    isel
	code   code
	consts constFile
	blocks []pblock
	lists  [2]pinstrs
	turn   int // of lists, which one is written
	states []syncState
	sched  scheduler
	fill   filler
	conds  conditions
	spills spiller
	pre    preScheduler
	timer  preambleTimer
	vec    vectorizer
	phys   phys
	delays delaySolution
	aging
	// outs are the registers that the end reads, early those that are written before the start.
	outs, early []span
	// inPlace are the results that would like the register of their source.
	inPlace []mach.InPlace
	// touches are those of waits and of delays.
	touches  [2]touch
	products uniformProducts
	// runs are the values that would like consecutive registers.
	runs [][]mach.Value
}

// aging is what the delays between instructions are found in.
type aging struct {
	ages    []ages // at the ends of blocks
	young   slab.Slab[young]
	written writeClock
	// border, joined, late and sides are what is under way at a border of blocks.
	border, joined, late ages
	sides                [2]ages
	done, masked         []bool // blocks
	padded, entered      []pinstr
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// pinstrs is memory for the instructions of a program.
type pinstrs struct {
	all  []pinstr
	used int
}

// room returns an empty list with room for n instructions.
func (l *pinstrs) room(n int) []pinstr {
	if len(l.all)-l.used < n {
		// Lists that were given out stay where they are.
		l.all, l.used = make([]pinstr, max(n, len(l.all)+len(l.all)/2)), 0
	}
	at := l.used
	l.used += n
	return l.all[at:at:l.used]
}

// turnOver begins to write all lists again, in the memory of those that the
// last but one step wrote: every block must get a new list.
func (m *memory) turnOver() {
	m.turn ^= 1
	m.lists[m.turn].used = 0
}

func (m *memory) room(n int) []pinstr { return m.lists[m.turn].room(n) }

// open returns an empty list with all the room that is left; close says how much of it was used.
func (l *pinstrs) open() []pinstr {
	const few = 16
	if len(l.all)-l.used < few {
		l.all, l.used = make([]pinstr, max(4*few, len(l.all)+len(l.all)/2)), 0
	}
	return l.all[l.used:l.used]
}

func (l *pinstrs) close(list []pinstr) []pinstr {
	// A list that became too long for the room has moved away.
	if n := len(list); n > 0 && l.used+n <= len(l.all) && &list[0] == &l.all[l.used] {
		l.used += n
	}
	return list[:len(list):len(list)]
}

// memory is what the program's compile, its own if it has none.
func (p *phys) memory() *memory {
	if p.mem == nil {
		p.mem = new(memory)
	}
	return p.mem
}

// release gives the compile's memory to the next one.
func (c *compiler) release() {
	m := c.mem
	c.endAttempt()
	m.sched.p, m.spills.c = nil, nil
	m.pre.f, m.pre.code, m.pre.lv = nil, nil, nil
	c.mem = nil
	memories.Put(m)
}

// endAttempt gives the memory of an attempt to the next one: one that is over leaves nothing but its program.
func (c *compiler) endAttempt() {
	if s := c.sel; s != nil {
		c.mem.tmpl = s.code.tmpl
		s.f.Release()
		if s.pre.f != nil {
			s.pre.f.Release()
		}
		s.empty()
	}
	c.attempt = attempt{}
}
