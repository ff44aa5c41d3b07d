package passes

import "nirc/ir"

var ioAddConstOffsetToBasePass = &Pass{
	Name: "io_add_const_offset_to_base", For: ir.HasSlots, Class: "A", Run: ioAddConstOffsetToBase, Idempotent: true,
	Options: []Option{{"modes", "shader_in, shader_out or both", ir.ModeShaderIn | ir.ModeShaderOut}},
	Doc: "Adds constant offsets of accesses to inputs and outputs, which became so after lower_io (loops were unrolled), to their base and location: " +
		"they name their slot alone then. Accesses beyond the slots that they may reach stay.",
}

func ioAddConstOffsetToBase(c *Context, s *ir.Shader) (progress bool, _ error) {
	modes := c.Modes("modes")
	for _, f := range s.Functions {
		if f.Impl != nil && addConstOffsets(f.Impl, modes) {
			f.Impl.Preserve(ir.MetaControlFlow)
			progress = true
		}
	}
	return progress, nil
}

func addConstOffsets(impl *ir.Impl, modes ir.Mode) (progress bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindIntrinsic && ioMode(in)&modes != 0 && addConstOffset(in) {
				progress = true
			}
		}
	}
	return progress
}

// addConstOffset moves the offset of an access into its base; false if it is not constant, 0 or beyond what may be reached.
func addConstOffset(in *ir.Instr) bool {
	offset, sem := &in.Srcs[len(in.Srcs)-1], ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	v, ok := offset.Def.Const(0)
	if !ok || v == 0 || v >= uint64(sem.NumSlots) {
		return false
	}
	sem.Location += ir.Slot(v)
	sem.NumSlots = 1
	in.Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxBase, in.Get(ir.IdxBase)+v)
	if in.Has(ir.IdxRange) {
		in.Set(ir.IdxRange, 1)
	}
	offset.Set(builderBefore(in).ImmInt(0, offset.Def.BitSize))
	return true
}
