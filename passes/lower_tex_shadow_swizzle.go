package passes

import "nirc/ir"

var lowerTexShadowSwizzlePass = &Pass{
	Name: "lower_tex_shadow_swizzle", Class: "C", Run: lowerTexShadowSwizzle, Idempotent: true,
	Doc: "Compares depth in the shader where the sampler's state does not: samples plainly, and gives 1 where the reference stands to the first component as the function says, else 0. " +
		"One texel is compared: what filtering mixes is depth, not results. Works on texture operations before descriptors are lowered.",
	Options: []Option{
		{"func", "comparison of the reference with the depth, named as Vulkan does", "less_or_equal"},
		{"clamp", "clamp the reference to 0 … 1, as for depths of fixed point", false},
	},
}

func lowerTexShadowSwizzle(c *Context, s *ir.Shader) (bool, error) {
	op, err := parseCompare(c.String("func"))
	if err != nil {
		return false, err
	}
	return eachShadow(s, func(b *ir.Builder, ref, depth *ir.Def) *ir.Def {
		if c.Bool("clamp") {
			ref = b.Fsat(ref)
		}
		one := b.ImmFloat(1, depth.BitSize)
		return b.Bcsel(compare(b, op, ref, depth), one, b.ImmFloat(0, depth.BitSize))
	})
}
