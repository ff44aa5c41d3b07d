package passes

import "nirc/ir"

var optFragdepthPass = &Pass{
	Name: "opt_fragdepth", Class: "B", Run: optFragdepth, Idempotent: true, Optional: true,
	Doc: "Removes the store of frag_coord.z to the depth of a fragment if it is the only store of depth in the shader: that is the depth it has anyway, and early depth tests stay possible. " +
		"Explicit outputs; gather_info afterwards takes note.",
}

func optFragdepth(_ *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	var only *ir.Instr
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				if !in.IsIntrinsic(ir.IntrStoreOutput) || !storesDepth(in) {
					continue
				}
				if only != nil {
					return false, nil
				}
				only = in
			}
		}
	}
	if only == nil || !isFragZ(only.Srcs[0].Def) || only.Block.Impl().Start() != only.Block {
		return false, nil
	}
	impl := only.Block.Impl()
	only.Remove()
	impl.Preserve(ir.MetaControlFlow)
	return true, nil
}

// storesDepth reports whether a store reaches the depth; an index that is not
// known may.
func storesDepth(in *ir.Instr) bool {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	return sem.Location == ir.SlotDepth || sem.NumSlots > 1 && sem.Location < ir.SlotDepth
}

// isFragZ reports whether a value is the z of the fragment's position.
func isFragZ(d *ir.Def) bool {
	c := 0
	for d.Instr.IsALU(ir.OpMov) {
		s := &d.Instr.Srcs[0]
		d, c = s.Def, s.Swizzle.Lane(c)
	}
	return d.Instr.IsIntrinsic(ir.IntrLoadFragCoord) && c == 2 || d.Instr.IsIntrinsic(ir.IntrLoadFragCoordZw) && d.Instr.Get(ir.IdxComponent) == 2
}
