package spv

import "sync"

// room is the memory of a module: a module that is released leaves it to one that is parsed later. It was a fourth of what the
// compile of a small shader allocated.
type room struct {
	words []uint32
	insts []Instruction
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// Release gives the memory of a module that Parse made to the next one. Neither the module nor what came out of it
// (instructions, words) may be used afterwards: it is empty. A module that is not released is freed by the garbage collector.
func (m *Module) Release() {
	r := m.room
	*m = Module{}
	if r != nil && r.words != nil {
		rooms.Put(r)
	}
}
