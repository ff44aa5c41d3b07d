package passes

import "nirc/ir"

var lowerPointSizeMovPass = &Pass{
	Name: "lower_point_size_mov", Class: "C", Run: lowerPointSizeMov, Idempotent: true,
	Doc: "Stores the point size of the pipeline's state, as glPointSize sets it, in a shader of the last stage before the rasteriser that stores none: a constant, or a float of the " +
		"push constants. Input: the shader after lower_io.",
	Options: []Option{
		{"size", "size in pixels, 0: none", 0.0},
		{"push", "offset of the size in the push constants, -1: none", -1},
	},
}

func lowerPointSizeMov(c *Context, s *ir.Shader) (bool, error) {
	size, push := c.Float("size"), c.Int("push")
	if err := checkPush(push); err != nil || push < 0 && size <= 0 || s.Stage == ir.StageFragment || stores(s, ir.SlotPointSize) {
		return false, err
	}
	return atExits(s, func(b *ir.Builder) {
		v := b.ImmFloat(size, 32)
		if push >= 0 {
			v = pushFloats(b, push, 1)
		}
		storeSlot(b, ir.SlotPointSize, v)
	}), nil
}
