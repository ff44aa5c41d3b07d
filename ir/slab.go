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
	vars   slab.Slab[Variable]
	bodies slab.Slab[body]
	preds  slab.Slab[*Block] // the first of blocks

	builders slab.Slab[Builder]

	// Room for the lists of the shader and for the working memory of its functions.
	functions []*Function
	variables []*Variable
	doms      []domTree
}

// body is a function with its body.
type body struct {
	fn   Function
	impl Impl
}

// slabPool keeps the memory of released shaders until the garbage collector
// asks for it.
var slabPool = sync.Pool{New: func() any { return new(slabs) }}

// Release gives the shader's memory to the next shader that is made. Nothing
// of it (functions, variables, blocks, instructions, values) may be used
// afterwards; types and constant data may. A shader that is not released is
// freed by the garbage collector.
func (s *Shader) Release() {
	m := s.slabs
	if m == nil {
		return
	}
	for _, f := range s.Functions {
		if f.Impl != nil && f.Impl.dom.rpo != nil {
			m.doms = append(m.doms, f.Impl.dom.emptied())
		}
	}
	m.functions, m.variables = emptied(s.Functions[:cap(s.Functions)]), emptied(s.Variables[:cap(s.Variables)])
	s.slabs, s.Functions, s.Variables = nil, nil, nil
	m.instrs.Reset()
	m.srcs.Reset()
	m.blocks.Reset()
	m.ifs.Reset()
	m.loops.Reset()
	m.imms.Reset()
	m.derefs.Reset()
	m.texs.Reset()
	m.phis.Reset()
	m.vars.Reset()
	m.bodies.Reset()
	m.preds.Reset()
	m.builders.Reset()
	slabPool.Put(m)
}

// emptied returns the memory of a list, for the next one.
func emptied[T any](list []T) []T {
	clear(list)
	return list[:0]
}
