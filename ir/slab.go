package ir

import "sync"

// slab hands out stable pointers to zeroed values in chunks, so that a compile
// makes few allocations and dropping the shader frees everything. Chunks of a
// released slab are used again.
type slab[T any] struct {
	free  []T   // what is left of the last of used
	used  [][]T // chunks that values were handed out from
	spare [][]T // zeroed chunks
}

const slabChunk = 256

func (s *slab[T]) grow() {
	n := len(s.spare)
	if n == 0 {
		s.free = make([]T, slabChunk)
	} else {
		s.free = s.spare[n-1]
		s.spare = s.spare[:n-1]
	}
	s.used = append(s.used, s.free)
}

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.grow()
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// slice returns n zeroed values next to each other.
func (s *slab[T]) slice(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		if n > slabChunk/4 {
			return make([]T, n)
		}
		s.grow()
	}
	p := s.free[:n:n]
	s.free = s.free[n:]
	return p
}

// reset zeroes what was handed out and makes all chunks spare.
func (s *slab[T]) reset() {
	for i, c := range s.used {
		if i == len(s.used)-1 {
			c = c[:len(c)-len(s.free)]
		}
		clear(c)
	}
	s.spare = append(s.spare, s.used...)
	clear(s.used)
	s.used, s.free = s.used[:0], nil
}

// slabs is the memory of one shader.
type slabs struct {
	instrs slab[Instr]
	srcs   slab[Src]
	blocks slab[Block]
	ifs    slab[If]
	loops  slab[Loop]
	imms   slab[uint64]
	derefs slab[DerefInfo]
	texs   slab[TexInfo]
	phis   slab[PhiInfo]
}

// slabPool keeps the memory of released shaders until the garbage collector
// asks for it.
var slabPool = sync.Pool{New: func() any { return new(slabs) }}

// Release gives the shader's memory to the next shader that is made. Nothing
// of it (functions, blocks, instructions, values) may be used afterwards;
// types, variables and constant data may. A shader that is not released is
// freed by the garbage collector.
func (s *Shader) Release() {
	m := s.slabs
	if m == nil {
		return
	}
	s.slabs, s.Functions = nil, nil
	m.instrs.reset()
	m.srcs.reset()
	m.blocks.reset()
	m.ifs.reset()
	m.loops.reset()
	m.imms.reset()
	m.derefs.reset()
	m.texs.reset()
	m.phis.reset()
	slabPool.Put(m)
}
