package mach

import (
	"sync"

	"nirc/internal/slab"
)

// memory is what a function and the steps over it consist of. It goes from one
// function to the next.
type memory struct {
	instrs slab.Slab[Instr]
	ops    slab.Slab[Operand]
	vals   []valueInfo
	other  []valueInfo // that Reindex writes
	fresh  []Value     // of Reindex
	blocks []Block
	live   liveWalk
	alloc  allocator
	sets   mergeSets
	dead   deadness
	cse    cseMemory
	copies copier
	// lists are the instructions of blocks, edges their neighbours.
	lists slab.Slab[*Instr]
	edges slab.Slab[BlockID]
	// What is live where, of each time that it was computed.
	liveness slab.Slab[Liveness]
	lives    slab.Slab[Live]
	values   slab.Slab[Value]
}

// room returns an empty list with room for n instructions.
func (m *memory) room(n int) []*Instr { return m.lists.Slice(n)[:0] }

// push appends an instruction to the list of a block.
func (m *memory) push(list []*Instr, in *Instr) []*Instr {
	if len(list) == cap(list) {
		list = append(m.room(max(8, 2*len(list))), list...)
	}
	return append(list, in)
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// Release gives the function's memory to the next one. Nothing of it (blocks,
// instructions, operands) may be used afterwards. A function that is not
// released is freed by the garbage collector.
func (f *Func) Release() {
	m := f.mem
	if m == nil {
		return
	}
	clear(f.Blocks)
	m.vals, m.blocks = f.vals, f.Blocks
	f.vals, f.Blocks, f.mem = nil, nil, nil
	m.instrs.Reset()
	m.ops.Reset()
	m.lists.Reset()
	m.edges.Reset()
	m.liveness.Reset()
	m.lives.Reset()
	m.values.Reset()
	memories.Put(m)
}
