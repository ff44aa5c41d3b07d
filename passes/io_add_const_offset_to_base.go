package passes

import "nirc/ir"

var ioAddConstOffsetToBasePass = &Pass{
	Name: "io_add_const_offset_to_base", Class: "A", Run: ioAddConstOffsetToBase, Idempotent: true,
	Options: []Option{{"modes", "shader_in, shader_out or both", ir.ModeShaderIn | ir.ModeShaderOut}},
	Doc: "Adds constant offsets of accesses to inputs and outputs, which became so after lower_io (loops were unrolled), to their base and location: " +
		"they name their slot alone then. Accesses beyond the slots that they may reach stay.",
}

func ioAddConstOffsetToBase(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			if ioMode(in)&modes == 0 {
				return false
			}
			v, ok := in.Srcs[len(in.Srcs)-1].Def.Const(0)
			sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
			return ok && v != 0 && v < uint64(sem.NumSlots)
		})
		for _, in := range list {
			offset := &in.Srcs[len(in.Srcs)-1]
			v, _ := offset.Def.Const(0)
			sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
			sem.Location += ir.Slot(v)
			sem.NumSlots = 1
			in.Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxBase, in.Get(ir.IdxBase)+v)
			if in.Has(ir.IdxRange) {
				in.Set(ir.IdxRange, 1)
			}
			offset.Set(builderBefore(in).ImmInt(0, offset.Def.BitSize))
		}
		return len(list) > 0
	}), nil
}
