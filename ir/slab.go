package ir

import (
	"sync"

	"nirc/internal/slab"
)

// slabs is the memory of one shader.
type slabs struct {
	instrs slab.Slab[Instr]
	srcs   slab.Slab[Src]
	blocks slab.Slab[Block]
	ifs    slab.Slab[If]
	loops  slab.Slab[Loop]
	imms   slab.Slab[uint64]
	derefs slab.Slab[DerefInfo]
	texs   slab.Slab[TexInfo]
	phis   slab.Slab[PhiInfo]
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
	m.instrs.Reset()
	m.srcs.Reset()
	m.blocks.Reset()
	m.ifs.Reset()
	m.loops.Reset()
	m.imms.Reset()
	m.derefs.Reset()
	m.texs.Reset()
	m.phis.Reset()
	slabPool.Put(m)
}
