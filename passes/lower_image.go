package passes

import "nirc/ir"

var lowerImagePass = &Pass{
	Name: "lower_image", Class: "A", Run: lowerImage,
	Options: []Option{{"cube_size", "sizes of cube arrays by those of arrays of faces", false}},
	Doc:     "Writes questions about images that a target lacks.",
}

func lowerImage(c *Context, s *ir.Shader) (bool, error) {
	if !c.Bool("cube_size") {
		return false, nil
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			switch in.Intr {
			case ir.IntrImageSize, ir.IntrImageDerefSize, ir.IntrBindlessImageSize:
				return ir.Dim(in.Get(ir.IdxImageDim)) == ir.DimCube && in.Get(ir.IdxImageArray) != 0
			}
			return false
		})
		for _, in := range list {
			in.Set(ir.IdxImageDim, uint64(ir.Dim2D))
			b := ir.NewBuilder(ir.After(in))
			layers := b.Udiv(b.Channel(&in.Def, 2), b.ImmInt(6, in.Def.BitSize))
			v := b.Vec(b.Channel(&in.Def, 0), b.Channel(&in.Def, 1), layers)
			in.Def.RewriteUsesAfter(v, v.Instr)
		}
		return len(list) > 0
	}), nil
}
