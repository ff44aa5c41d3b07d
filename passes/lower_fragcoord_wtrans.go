package passes

import "nirc/ir"

var lowerFragcoordWtransPass = &Pass{
	Name: "lower_fragcoord_wtrans", Class: "C", Run: lowerFragcoordWtrans,
	Doc: "Replaces w of load_frag_coord by 1/w, for hardware that interpolates the clip coordinate itself. Runs once.",
}

func lowerFragcoordWtrans(_ *Context, s *ir.Shader) (bool, error) {
	return mapFragCoord(s, func(b *ir.Builder, c *ir.Def) *ir.Def { return withChannel(b, c, 3, b.Frcp(b.Channel(c, 3))) }), nil
}

// mapFragCoord puts f of each load_frag_coord in its place.
func mapFragCoord(s *ir.Shader, f func(b *ir.Builder, c *ir.Def) *ir.Def) bool {
	return mapValues(s, []ir.Intrinsic{ir.IntrLoadFragCoord}, f)
}

// mapValues puts f of what intrinsics of some kinds give in its place.
func mapValues(s *ir.Shader, kinds []ir.Intrinsic, f func(b *ir.Builder, v *ir.Def) *ir.Def) bool {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool { return isOneOf(in.Intr, kinds) })
		for _, in := range list {
			b := ir.NewBuilder(ir.After(in))
			b.Shader.SetLoc(in.Loc)
			v := f(b, &in.Def)
			in.Def.RewriteUsesAfter(v, v.Instr)
		}
		return len(list) > 0
	})
}
