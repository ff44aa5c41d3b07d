package passes

import "nirc/ir"

var lowerAlphaTestPass = &Pass{
	Name: "lower_alpha_test", Class: "C", Run: lowerAlphaTest,
	Doc: "Does OpenGL's alpha test in the shader: a fragment ends unless the alpha of its colour stands to the reference as the function says. Input: a fragment " +
		"shader after lower_io that stores alpha once. Output: terminate_if before the store of colour attachment 0. A shader that stores no float alpha there is " +
		"left alone. Runs once.",
	Options: []Option{
		{"func", "comparison of alpha with the reference: never, less, equal, less_or_equal, greater, not_equal, greater_or_equal or always", "always"},
		{"ref", "the reference", 0.0},
		{"alpha_to_one", "store 1 as alpha after the test", false},
	},
}

func lowerAlphaTest(c *Context, s *ir.Shader) (bool, error) {
	op, err := parseCompare(c.String("func"))
	one := c.Bool("alpha_to_one")
	if err != nil || s.Stage != ir.StageFragment || CompareOps[op] == "always" && !one {
		return false, err
	}
	return eachSlot(s, colorsAt(1), slotStores, func(b *ir.Builder, in *ir.Instr) (bool, error) {
		i, ok := alphaOf(in)
		if !ok || !storedColor(in) {
			return false, nil
		}
		v := in.Srcs[0].Def
		if CompareOps[op] != "always" {
			pass := compare(b, op, b.Channel(v, i), b.ImmFloat(c.Float("ref"), v.BitSize))
			b.Effect(ir.IntrTerminateIf, b.Inot(pass))
			s.Info.UsesDiscard = true
		}
		if one {
			in.Srcs[0].Set(withChannel(b, v, i, b.ImmFloat(1, v.BitSize)))
		}
		return true, nil
	})
}
