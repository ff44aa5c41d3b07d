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
	blocks []Block
	live   liveWalk
	alloc  allocator
	sets   mergeSets
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
	memories.Put(m)
}
