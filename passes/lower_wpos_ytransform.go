package passes

import (
	"errors"

	"nirc/ir"
)

var lowerWposYtransformPass = &Pass{
	Name: "lower_wpos_ytransform", Class: "C", Run: lowerWposYtransform,
	Doc: "Turns a fragment shader upside down, for images whose rows a window system counts from below: y of load_frag_coord is the height less y, y of sample positions and of " +
		"offsets to interpolate at changes its side, and derivatives along y their sign. With push, scale and bias of y are two floats of the push constants at that offset, so that one shader serves both. " +
		"integer_center takes half a pixel off x and y. Runs once, after lower_system_values and lower_io.",
	Options: []Option{
		{"flip", "count y from below", true},
		{"height", "rows of the image, 0: not known", 0},
		{"push", "offset of scale and bias of y in the push constants, -1: none", -1},
		{"integer_center", "the centre of the first pixel is at 0, 0", false},
	},
}

func lowerWposYtransform(c *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	y := yTransform{push: c.Int("push"), flip: c.Bool("flip"), height: float64(c.Int("height"))}
	switch err := checkPush(y.push); {
	case err != nil:
		return false, err
	case y.flip && y.push < 0 && y.height <= 0:
		return false, errors.New("option height is missing: y from below is the height less y; or push, where scale and bias are")
	}
	center := c.Bool("integer_center")
	if !y.flip && !center {
		return false, nil
	}
	progress := mapFragCoord(s, func(b *ir.Builder, c *ir.Def) *ir.Def {
		if y.flip {
			c = withChannel(b, c, 1, y.row(b, b.Channel(c, 1)))
		}
		if center {
			half := b.ImmFloat(0.5, 32)
			c = withChannel(b, withChannel(b, c, 0, b.Fsub(b.Channel(c, 0), half)), 1, b.Fsub(b.Channel(c, 1), half))
		}
		return c
	})
	if !y.flip {
		return progress, nil
	}
	return y.derivatives(s) || y.offsets(s) || progress, nil
}

// yTransform is what becomes of y: by push constants, or turned.
type yTransform struct {
	flip   bool
	push   int
	height float64
}

// scale is 1 or -1.
func (y *yTransform) scale(b *ir.Builder) *ir.Def {
	if y.push >= 0 {
		return pushFloats(b, y.push, 1)
	}
	return b.ImmFloat(-1, 32)
}

// row is y of a pixel.
func (y *yTransform) row(b *ir.Builder, v *ir.Def) *ir.Def {
	if y.push >= 0 {
		return b.Fadd(b.Fmul(v, pushFloats(b, y.push, 1)), pushFloats(b, y.push+4, 1))
	}
	return b.Fsub(b.ImmFloat(y.height, 32), v)
}

// unit is y of a place between 0 and 1, of which the middle stays.
func (y *yTransform) unit(b *ir.Builder, v *ir.Def) *ir.Def {
	if y.push < 0 {
		return b.Fsub(b.ImmFloat(1, 32), v)
	}
	half := b.ImmFloat(0.5, 32)
	return b.Fadd(b.Fmul(b.Fsub(v, half), y.scale(b)), half)
}

// derivatives turns those along y.
func (y *yTransform) derivatives(s *ir.Shader) bool {
	return mapValues(s, []ir.Intrinsic{ir.IntrDdy, ir.IntrDdyFine, ir.IntrDdyCoarse}, func(b *ir.Builder, v *ir.Def) *ir.Def {
		return b.Fmul(v, resizeFloat(b, y.scale(b), v.BitSize))
	})
}

// offsets turns sample positions and the offsets to interpolate at.
func (y *yTransform) offsets(s *ir.Shader) bool {
	did := mapValues(s, []ir.Intrinsic{ir.IntrLoadSamplePos, ir.IntrLoadSamplePosOrCenter}, func(b *ir.Builder, v *ir.Def) *ir.Def {
		return withChannel(b, v, 1, y.unit(b, b.Channel(v, 1)))
	})
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadBarycentricAtOffset })
		for _, in := range list {
			b, off := builderBefore(in), in.Srcs[0].Def
			in.Srcs[0].Set(withChannel(b, off, 1, b.Fmul(b.Channel(off, 1), resizeFloat(b, y.scale(b), off.BitSize))))
		}
		return len(list) > 0
	}) || did
}

// resizeFloat converts a float of 32 bits to a size.
func resizeFloat(b *ir.Builder, v *ir.Def, bits uint8) *ir.Def {
	switch bits {
	case 16:
		return b.F2f16(v)
	case 64:
		return b.F2f64(v)
	}
	return v
}
