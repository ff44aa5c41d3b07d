package passes

import "nirc/ir"

var lowerFragCoordToPixelCoordPass = &Pass{
	Name: "lower_frag_coord_to_pixel_coord", Class: "A", Run: lowerFragCoord, Idempotent: true,
	Instead: "hardware: coordinates come with the centre, or selection adds the sample's place (AGX), which it knows with the state; it stays for those that count pixels",
	Doc:     "Writes load_frag_coord as the integer pixel's centre and load_frag_coord_zw.",
}

func lowerFragCoord(c *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadFragCoord })
		for _, in := range list {
			b := builderBefore(in)
			xy := b.Fadd(b.U2f32(&b.Intrinsic(ir.IntrLoadPixelCoord, 2, 16).Def), b.ImmFloat(0.5, 32))
			z := &b.Intrinsic(ir.IntrLoadFragCoordZw, 1, 32).Set(ir.IdxComponent, 2).Def
			w := &b.Intrinsic(ir.IntrLoadFragCoordZw, 1, 32).Set(ir.IdxComponent, 3).Def
			in.Def.RewriteUses(b.Vec(b.Channel(xy, 0), b.Channel(xy, 1), z, w))
			in.Remove()
		}
		return len(list) > 0
	}), nil
}
