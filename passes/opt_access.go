package passes

import "nirc/ir"

var optAccessPass = &Pass{
	Name: "opt_access", For: ir.HasWritable | ir.HasObject, Class: "B", Run: optAccess, Idempotent: true, Optional: true,
	Doc: "Marks loads from storage buffers, global memory and images that the shader does not write as reading what nobody writes, so that they may move and merge, and stores to what it does not read as such. " +
		"A variable without Aliased is its own memory, one that is Restrict is reached by no address either; what is accessed by address, or through a descriptor that cannot be told, counts against all others. Coherent and volatile accesses stay.",
}

func optAccess(_ *Context, s *ir.Shader) (bool, error) {
	own, restrict := memoryOf(s), restricted(s)
	writes := touched{own: own, which: make([]bool, len(own))}
	reads := touched{own: own, which: make([]bool, len(own))}
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for in := range f.Impl.Instrs() {
			switch in.Kind {
			case ir.KindIntrinsic:
				m := in.Memory()
				address := m.Op == ir.MemAddress
				if m.Writes() || address {
					writes.note(in)
				}
				if m.Reads() || address {
					reads.note(in)
				}
			case ir.KindCall:
				return false, nil
			}
		}
	}
	return eachImpl(s, ir.MetaControlFlow|ir.MetaInstrIndex, func(impl *ir.Impl) bool {
		progress := false
		for in := range impl.Instrs() {
			if in.Kind != ir.KindIntrinsic {
				continue
			}
			switch in.Memory().Op {
			case ir.MemLoad:
				if writes.misses(in, restrict) {
					progress = mark(in, ir.AccessNonWriteable|ir.AccessCanReorder) || progress
				}
			case ir.MemStore:
				if in.MemoryModes()&(ir.ModeSSBO|ir.ModeImage) != 0 && reads.misses(in, restrict) {
					progress = mark(in, ir.AccessNonReadable) || progress
				}
			}
		}
		return progress
	}), nil
}

// texelBuffer reports accesses to images that may share memory with buffers.
func texelBuffer(in *ir.Instr) bool {
	return !in.Has(ir.IdxImageDim) || ir.Dim(in.Get(ir.IdxImageDim)) == ir.DimBuf
}

// mark adds to what an access says.
func mark(in *ir.Instr, more ir.Access) bool {
	a := ir.Access(in.Get(ir.IdxAccess))
	if !in.Has(ir.IdxAccess) || a&(ir.AccessVolatile|ir.AccessCoherent) != 0 || a|more == a {
		return false
	}
	in.Set(ir.IdxAccess, uint64(a|more))
	return true
}
