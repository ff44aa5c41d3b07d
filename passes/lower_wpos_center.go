package passes

import "nirc/ir"

var lowerWposCenterPass = &Pass{
	Name: "lower_wpos_center", Class: "A", Run: lowerWposCenter,
	Doc: "Adds 0.5 to x and y of load_frag_coord, for targets whose hardware counts pixels; with sample shading, the sample's position. Runs once.",
}

func lowerWposCenter(c *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadFragCoord })
		for _, in := range list {
			b := ir.NewBuilder(ir.After(in))
			var off *ir.Def
			if s.Info.UsesSampleShading {
				off = &b.Intrinsic(ir.IntrLoadSamplePosOrCenter, 2, 32).Def
			} else {
				half := ir.FloatBits(0.5, 32)
				off = b.Const(32, half, half)
			}
			xy := b.Fadd(b.Channels(&in.Def, 0, 2), off)
			v := b.Vec(b.Channel(xy, 0), b.Channel(xy, 1), b.Channel(&in.Def, 2), b.Channel(&in.Def, 3))
			in.Def.RewriteUsesAfter(v, v.Instr)
		}
		return len(list) > 0
	}), nil
}
