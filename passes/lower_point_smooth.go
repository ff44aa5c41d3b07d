package passes

import "nirc/ir"

var lowerPointSmoothPass = &Pass{
	Name: "lower_point_smooth", Class: "C", Run: lowerPointSmooth,
	Doc: "Makes points round with soft edges, as GL_POINT_SMOOTH does: alpha of float colours is multiplied by how much of the pixel lies in the point's circle, by the distance of " +
		"the pixel's centre from the edge. Input: a fragment shader of points after lower_io. Runs once.",
	Options: []Option{colorsOption},
}

func lowerPointSmooth(c *Context, s *ir.Shader) (bool, error) {
	return scaleAlpha(s, c.Int("colors"), func(b *ir.Builder) *ir.Def {
		half, two := b.ImmFloat(0.5, 32), b.ImmFloat(2, 32)
		at := b.Fmul(b.Fsub(b.LoadPointCoord(), b.Vec(half, half)), b.Vec(two, two))
		d := b.Fsqrt(b.Fdot2(at, at)) // 1 at the edge
		width := b.Fadd(b.Fabs(&b.Intrinsic(ir.IntrDdx, 1, 32, d).Def), b.Fabs(&b.Intrinsic(ir.IntrDdy, 1, 32, d).Def))
		s.Info.NeedsQuadHelpers = true
		return b.Fsat(b.Fadd(b.Fmul(b.Fsub(b.ImmFloat(1, 32), d), b.Frcp(width)), half))
	})
}
