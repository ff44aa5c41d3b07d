package passes

import "nirc/ir"

var lowerTwoSidedColorPass = &Pass{
	Name: "lower_two_sided_color", Class: "C", Run: lowerTwoSidedColor,
	Doc: "Reads the colour of the side that is seen, as GL_VERTEX_PROGRAM_TWO_SIDE has it: the inputs from front on where the primitive faces the viewer, those from back on where it does not. " +
		"Input: a fragment shader after lower_io that reads the front colours. Runs once.",
	Options: []Option{
		{"front", "location of the first colour of the front", 0},
		{"back", "location of the first colour of the back, -1: none", -1},
		{"count", "how many colours there are", 1},
	},
}

func lowerTwoSidedColor(c *Context, s *ir.Shader) (bool, error) {
	front, back, n := c.Int("front"), c.Int("back"), c.Int("count")
	if back < 0 || n <= 0 || s.Stage != ir.StageFragment {
		return false, nil
	}
	names := []string{"front", "back", "front", "back"}
	if err := checkLocations(names, front, back, front+n-1, back+n-1); err != nil {
		return false, err
	}
	return eachSlot(s, varyingsAt((1<<n-1)<<front), slotLoads, func(b *ir.Builder, in *ir.Instr) (bool, error) {
		b.Cursor = ir.After(in)
		srcs := make([]*ir.Def, len(in.Srcs))
		for i := range srcs {
			srcs[i] = in.Srcs[i].Def
		}
		l := b.Intrinsic(in.Intr, in.Def.NumComponents, in.Def.BitSize, srcs...)
		copy(l.Imm, in.Imm)
		sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
		sem.Location += ir.Slot(back - front)
		l.Set(ir.IdxBase, in.Get(ir.IdxBase)+uint64(back-front)).Set(ir.IdxIoSemantics, sem.Pack())
		v := b.Bcsel(b.LoadFrontFace(), &in.Def, &l.Def)
		in.Def.RewriteUsesAfter(v, v.Instr)
		return true, nil
	})
}
