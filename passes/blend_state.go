package passes

import (
	"errors"
	"fmt"
	"slices"
)

// BlendFactor, BlendOp and LogicOp are Vulkan's, in its order.
type (
	BlendFactor uint8
	BlendOp     uint8
	LogicOp     uint8
)

// Blend factors.
const (
	BlendZero BlendFactor = iota
	BlendOne
	BlendSrcColor
	BlendOneMinusSrcColor
	BlendDstColor
	BlendOneMinusDstColor
	BlendSrcAlpha
	BlendOneMinusSrcAlpha
	BlendDstAlpha
	BlendOneMinusDstAlpha
	BlendConstantColor
	BlendOneMinusConstantColor
	BlendConstantAlpha
	BlendOneMinusConstantAlpha
	BlendSrcAlphaSaturate
	BlendSrc1Color
	BlendOneMinusSrc1Color
	BlendSrc1Alpha
	BlendOneMinusSrc1Alpha
)

// Blend operations.
const (
	BlendAdd BlendOp = iota
	BlendSubtract
	BlendReverseSubtract
	BlendMin
	BlendMax
)

// Logic operations.
const (
	LogicClear LogicOp = iota
	LogicAnd
	LogicAndReverse
	LogicCopy
	LogicAndInverted
	LogicNoOp
	LogicXor
	LogicOr
	LogicNor
	LogicEquivalent
	LogicInvert
	LogicOrReverse
	LogicCopyInverted
	LogicOrInverted
	LogicNand
	LogicSet
)

// The names of the pass's options.
var (
	blendFactorNames = []string{"zero", "one", "src_color", "one_minus_src_color", "dst_color", "one_minus_dst_color", "src_alpha", "one_minus_src_alpha",
		"dst_alpha", "one_minus_dst_alpha", "constant_color", "one_minus_constant_color", "constant_alpha", "one_minus_constant_alpha",
		"src_alpha_saturate", "src1_color", "one_minus_src1_color", "src1_alpha", "one_minus_src1_alpha"}
	blendOpNames = []string{"add", "subtract", "reverse_subtract", "min", "max"}
	logicOpNames = []string{"clear", "and", "and_reverse", "copy", "and_inverted", "no_op", "xor", "or", "nor", "equivalent", "invert", "or_reverse",
		"copy_inverted", "or_inverted", "nand", "set"}
)

// BlendEquation is how one group of components is blended.
type BlendEquation struct {
	Src, Dst BlendFactor
	Op       BlendOp
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
	Logic       LogicOp
}

// usesSrc1 tells whether a factor reads the second source.
func (f BlendFactor) usesSrc1() bool { return f >= BlendSrc1Color }

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
	t.Color = BlendEquation{BlendFactor(name("src_color", blendFactorNames)), BlendFactor(name("dst_color", blendFactorNames)), BlendOp(name("color_op", blendOpNames))}
	t.Alpha = BlendEquation{BlendFactor(name("src_alpha", blendFactorNames)), BlendFactor(name("dst_alpha", blendFactorNames)), BlendOp(name("alpha_op", blendOpNames))}
	t.WriteMask = uint8(c.Int("write_mask") & 15)
	if c.String("logic_op") != "" {
		o.LogicEnable, o.Logic = true, LogicOp(name("logic_op", logicOpNames))
	}
	return o, err
}
