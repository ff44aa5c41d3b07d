package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerPolyLineSmoothPass = &Pass{
	Name: "lower_poly_line_smooth", Class: "C", Run: lowerPolyLineSmooth,
	Doc: "Makes the edges of polygons and lines soft, as GL_POLYGON_SMOOTH and GL_LINE_SMOOTH do, where the rasteriser takes several samples: alpha of float colours is multiplied by the " +
		"share of the samples that are covered. Input: a fragment shader after lower_io. Runs once.",
	Options: []Option{colorsOption, {"samples", "samples a pixel, 0: the pass does nothing", 0}},
}

func lowerPolyLineSmooth(c *Context, s *ir.Shader) (bool, error) {
	n := c.Int("samples")
	if n == 0 {
		return false, nil
	}
	if n < 1 || n > 32 {
		return false, fmt.Errorf("samples=%d: want 1 to 32", n)
	}
	return scaleAlpha(s, c.Int("colors"), func(b *ir.Builder) *ir.Def {
		covered := b.BitCount(b.LoadSampleMaskIn())
		return b.Fmul(b.U2f32(covered), b.ImmFloat(1/float64(n), 32))
	})
}
