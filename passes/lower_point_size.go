package passes

import "nirc/ir"

var lowerPointSizePass = &Pass{
	Name: "lower_point_size", Class: "A", Run: lowerPointSize,
	Options: []Option{
		{"min", "smallest size in sixteenths of a pixel, 0: none", 16},
		{"max", "largest size in sixteenths of a pixel, 0: none", 0},
	},
	Doc: "Clamps the point size that a shader writes. Works on store_output.",
}

func lowerPointSize(c *Context, s *ir.Shader) (bool, error) {
	lo, hi := float64(c.Int("min"))/16, float64(c.Int("max"))/16
	if s.Stage == ir.StageFragment || lo <= 0 && hi <= 0 {
		return false, nil
	}
	return outputStores(s, ir.SlotPointSize, func(in *ir.Instr) {
		b := builderBefore(in)
		v := in.Srcs[0].Def
		if lo > 0 {
			v = b.Fmax(v, b.ImmFloat(lo, v.BitSize))
		}
		if hi > 0 {
			v = b.Fmin(v, b.ImmFloat(hi, v.BitSize))
		}
		in.Srcs[0].Set(v)
	}), nil
}
