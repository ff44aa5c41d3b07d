package passes

import "nirc/ir"

var lowerImagePass = &Pass{
	Name: "lower_image", Class: "A", Run: lowerImage,
	Options: []Option{
		{"cube_size", "sizes of cube arrays by those of arrays of faces", false},
		{"samples_to_one", "images have one sample: its number is 1, and all samples of a texel are identical", false},
	},
	Doc: "Writes questions about images that a target lacks.",
}

func lowerImage(c *Context, s *ir.Shader) (bool, error) {
	cubes, single := c.Bool("cube_size"), c.Bool("samples_to_one")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for _, in := range collect(impl, func(in *ir.Instr) bool { return in.Memory().Space == ir.SpaceImage }) {
			switch in.Intr {
			case ir.IntrImageSize, ir.IntrImageDerefSize, ir.IntrBindlessImageSize:
				progress = cubes && cubeArraySize(in) || progress
			case ir.IntrImageSamples, ir.IntrImageDerefSamples, ir.IntrBindlessImageSamples:
				progress = single && answer(in, 1) || progress
			case ir.IntrImageSamplesIdentical, ir.IntrImageDerefSamplesIdentical, ir.IntrBindlessImageSamplesIdentical:
				progress = single && answer(in, ^uint64(0)>>(64-in.Def.BitSize)) || progress
			}
		}
		return progress
	}), nil
}

// answer replaces a question by its answer.
func answer(in *ir.Instr, v uint64) bool {
	in.Def.RewriteUses(builderBefore(in).Const(in.Def.BitSize, v))
	in.Remove()
	return true
}

// cubeArraySize asks for the size of the array of faces.
func cubeArraySize(in *ir.Instr) bool {
	if ir.Dim(in.Get(ir.IdxImageDim)) != ir.DimCube || in.Get(ir.IdxImageArray) == 0 {
		return false
	}
	in.Set(ir.IdxImageDim, uint64(ir.Dim2D))
	b := ir.NewBuilder(ir.After(in))
	if in.Def.NumComponents < 3 {
		return true // the layers are not asked for
	}
	layers := b.Udiv(b.Channel(&in.Def, 2), b.ImmInt(6, in.Def.BitSize))
	v := b.Vec(b.Channel(&in.Def, 0), b.Channel(&in.Def, 1), layers)
	in.Def.RewriteUsesAfter(v, v.Instr)
	return true
}
