package passes

import "nirc/ir"

var texcoordOptions = []Option{
	{"coords", "bit i: location i is a texture coordinate that the point's takes the place of", 0},
	{"y_invert", "count y from below", false},
}

var lowerTexcoordReplaceLatePass = &Pass{
	Name: "lower_texcoord_replace_late", Class: "C", Run: lowerTexcoordReplaceLate, Idempotent: true,
	Doc: "Reads the place in the point, (x, y, 0, 1), in place of inputs that are texture coordinates, as GL_COORD_REPLACE has it. Input: a fragment shader of points after lower_io. " +
		"lower_texcoord_replace is the same before it.",
	Options: texcoordOptions,
}

func lowerTexcoordReplaceLate(c *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	return eachSlot(s, varyingsAt(c.Int("coords")), slotLoads, func(b *ir.Builder, in *ir.Instr) (bool, error) {
		replaceLoad(b, in, pointTexcoord(b, c.Bool("y_invert")))
		return true, nil
	})
}

// pointTexcoord is the texture coordinate that a point has.
func pointTexcoord(b *ir.Builder, invert bool) *ir.Def {
	p := b.LoadPointCoord()
	y := b.Channel(p, 1)
	if invert {
		y = b.Fsub(b.ImmFloat(1, 32), y)
	}
	return b.Vec(b.Channel(p, 0), y, b.ImmFloat(0, 32), b.ImmFloat(1, 32))
}
