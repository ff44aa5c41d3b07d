package passes

import (
	"errors"
	"fmt"
	"slices"

	"nirc/ir"
)

// BlendEquation is how one group of components is blended.
type BlendEquation struct {
	Src, Dst ir.BlendFactor
	Op       ir.BlendOp
}

// BlendTarget is the state of one colour attachment.
type BlendTarget struct {
	// Format is the attachment's; nil: the attachment is not lowered.
	Format *PixelFormat
	// Enable blends by Color and Alpha.
	Enable       bool
	Color, Alpha BlendEquation
	// WriteMask has bit c set when component c is written.
	WriteMask uint8
}

// BlendOptions is what lower_blend does, by colour attachment.
type BlendOptions struct {
	Targets [8]BlendTarget
	// LogicEnable replaces blending by Logic, but of float and sRGB formats, which
	// get the source as it is.
	LogicEnable bool
	Logic       ir.LogicOp
}

// usesSrc1 reports whether a factor reads the second source.
func usesSrc1(f ir.BlendFactor) bool { return f >= ir.BlendSrc1Color }

// blendOptions reads the options of the pass: one attachment a run, and none
// if nothing is asked for.
func blendOptions(c *Context) (*BlendOptions, error) {
	o := &BlendOptions{}
	rt := c.Int("rt")
	if rt < 0 || rt >= len(o.Targets) {
		return nil, fmt.Errorf("rt=%d is no colour attachment", rt)
	}
	asked := c.Bool("enable") || c.String("logic_op") != "" || c.Int("write_mask") != 15
	if c.String("format") == "" {
		if !asked {
			return o, nil
		}
		return nil, errors.New("option format is missing: what enable, write_mask and logic_op come to depends on the attachment's format")
	}
	t := &o.Targets[rt]
	var err error
	if t.Format, err = ParsePixelFormat(c.String("format")); err != nil {
		return nil, err
	}
	name := func(option string, names []string) int {
		i := slices.Index(names, c.String(option))
		if i < 0 && err == nil {
			err = fmt.Errorf("option %s=%s: want one of %v", option, c.String(option), names)
		}
		return max(i, 0)
	}
	t.Enable = c.Bool("enable")
	t.Color = BlendEquation{ir.BlendFactor(name("src_color", ir.BlendFactorNames)), ir.BlendFactor(name("dst_color", ir.BlendFactorNames)), ir.BlendOp(name("color_op", ir.BlendOpNames))}
	t.Alpha = BlendEquation{ir.BlendFactor(name("src_alpha", ir.BlendFactorNames)), ir.BlendFactor(name("dst_alpha", ir.BlendFactorNames)), ir.BlendOp(name("alpha_op", ir.BlendOpNames))}
	t.WriteMask = uint8(c.Int("write_mask") & 15)
	if c.String("logic_op") != "" {
		o.LogicEnable, o.Logic = true, ir.LogicOp(name("logic_op", ir.LogicOpNames))
	}
	return o, err
}
