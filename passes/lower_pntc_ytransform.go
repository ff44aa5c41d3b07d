package passes

import "nirc/ir"

var lowerPntcYtransformPass = &Pass{
	Name: "lower_pntc_ytransform", Class: "C", Run: lowerPntcYtransform,
	Doc:     "Counts y of load_point_coord from the other side: 1-y, or by a scale, 1 or -1, in the push constants. Runs once, after lower_system_values.",
	Options: []Option{{"push", "offset of the scale in the push constants, -1: none", -1}},
}

func lowerPntcYtransform(c *Context, s *ir.Shader) (bool, error) {
	y := yTransform{push: c.Int("push")}
	if err := checkPush(y.push); err != nil || s.Stage != ir.StageFragment {
		return false, err
	}
	return mapValues(s, []ir.Intrinsic{ir.IntrLoadPointCoord}, func(b *ir.Builder, v *ir.Def) *ir.Def {
		return withChannel(b, v, 1, y.unit(b, b.Channel(v, 1)))
	}), nil
}
