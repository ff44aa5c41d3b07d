package passes

import "nirc/ir"

var lowerFragCoordToPixelCoordPass = &Pass{
	Name: "lower_frag_coord_to_pixel_coord", Class: "A", Run: lowerFragCoord, Idempotent: true,
	Doc:     "Writes load_frag_coord as the integer pixel's centre and load_frag_coord_zw.",
	Options: []Option{{"center", "the centre; false: the pixel's corner, where lower_wpos_center has added the place in it", true}},
}

func lowerFragCoord(c *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadFragCoord })
		for _, in := range list {
			b := builderBefore(in)
			xy := b.U2f32(&b.Intrinsic(ir.IntrLoadPixelCoord, 2, 16).Def)
			if c.Bool("center") {
				xy = b.Fadd(xy, b.ImmFloat(0.5, 32))
			}
			z := &b.Intrinsic(ir.IntrLoadFragCoordZw, 1, 32).Set(ir.IdxComponent, 2).Def
			w := &b.Intrinsic(ir.IntrLoadFragCoordZw, 1, 32).Set(ir.IdxComponent, 3).Def
			in.Def.RewriteUses(b.Vec(b.Channel(xy, 0), b.Channel(xy, 1), z, w))
			in.Remove()
		}
		return len(list) > 0
	}), nil
}
