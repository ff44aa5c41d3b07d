package passes

import "nirc/ir"

var optAccessPass = &Pass{
	Name: "opt_access", Class: "B", Run: optAccess, Idempotent: true, Optional: true,
	Doc: "Marks loads from storage buffers, global memory and images that the shader does not write as reading what nobody writes, so that they may move and merge. " +
		"A variable without Aliased is its own memory; what is written by address, or through a descriptor that cannot be told, counts against all. Coherent and volatile loads stay.",
}

func optAccess(c *Context, s *ir.Shader) (bool, error) {
	w := written{own: memoryOf(s)}
	w.which = make([]bool, len(w.own))
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				switch in.Kind {
				case ir.KindIntrinsic:
					w.note(in)
				case ir.KindCall:
					return false, nil
				}
			}
		}
	}
	if w.buffers && w.images {
		return false, nil
	}
	return eachImpl(s, ir.MetaControlFlow|ir.MetaInstrIndex, func(impl *ir.Impl) bool {
		progress := false
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind == ir.KindIntrinsic && w.unwritten(in) {
					progress = markFixed(in) || progress
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

func markFixed(in *ir.Instr) bool {
	a := ir.Access(in.Get(ir.IdxAccess))
	b := a | ir.AccessNonWriteable | ir.AccessCanReorder
	if a&(ir.AccessVolatile|ir.AccessCoherent) != 0 || a == b {
		return false
	}
	in.Set(ir.IdxAccess, uint64(b))
	return true
}
