package amber

import (
	"nirc/internal/emu"

	"nirc/ir"
)

var compareWords = []string{"never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"}

func (p *parser) compareOp() emu.CompareOp {
	return emu.CompareOp(p.choose("a comparison", compareWords))
}

// block parses lines up to END; item parses one that starts with t.
func (p *parser) block(line int, item func(t token) bool) {
	for {
		t := p.next()
		switch {
		case t.kind == tokEOL:
			continue
		case t.isWord("END"):
			return
		case t.kind == tokEOF:
			p.fail(line, "block without END")
			return
		case t.kind != tokWord || !item(t):
			p.fail(t.line, "unknown property %v", t)
			return
		}
		p.end()
	}
}

func (p *parser) depthState(pl *Pipeline, line int) {
	d := &pl.Depth
	p.block(line, func(t token) bool {
		switch t.text {
		case "TEST":
			d.Test = p.onOff()
		case "WRITE":
			d.Write = p.onOff()
		case "COMPARE_OP":
			d.Compare = p.compareOp()
		case "CLAMP":
			pl.DepthClamp = p.onOff()
		case "BOUNDS":
			d.BoundsTest = true
			p.expect("min")
			d.MinBounds = float32(p.float("a depth"))
			p.expect("max")
			d.MaxBounds = float32(p.float("a depth"))
		case "BIAS":
			pl.DepthBias = true
			p.expect("constant")
			pl.BiasConstant = float32(p.float("a factor"))
			p.expect("clamp")
			pl.BiasClamp = float32(p.float("a limit"))
			p.expect("slope")
			pl.BiasSlope = float32(p.float("a factor"))
		default:
			return false
		}
		return true
	})
}

// stencilWords are the stencil operations in emu's order.
var stencilWords = []string{"keep", "zero", "replace", "increment_and_clamp", "decrement_and_clamp", "invert", "increment_and_wrap", "decrement_and_wrap"}

func (p *parser) stencilState(pl *Pipeline, line int) {
	face := p.choose("a face", []string{"front", "back", "front_and_back"})
	d := &pl.Depth
	var faces []*emu.StencilFace
	if face != 1 {
		faces = append(faces, &d.Front)
	}
	if face != 0 {
		faces = append(faces, &d.Back)
	}
	f := *faces[0]
	p.end()
	p.block(line, func(t token) bool {
		op := func() emu.StencilOp { return emu.StencilOp(p.choose("a stencil operation", stencilWords)) }
		switch t.text {
		case "TEST":
			d.StencilTest = p.onOff()
		case "FAIL_OP":
			f.Fail = op()
		case "PASS_OP":
			f.Pass = op()
		case "DEPTH_FAIL_OP":
			f.DepthFail = op()
		case "COMPARE_OP":
			f.Compare = p.compareOp()
		case "COMPARE_MASK":
			f.CompareMask = uint32(p.uint("a mask", 255))
		case "WRITE_MASK":
			f.WriteMask = uint32(p.uint("a mask", 255))
		case "REFERENCE":
			f.Reference = uint32(p.uint("a reference", 255))
		default:
			return false
		}
		return true
	})
	for _, x := range faces {
		*x = f
	}
}

// blendOpWords are the operations; from the sixth on they are those of
// VK_EXT_blend_operation_advanced. The spelling of the second and third is
// AmberScript's.
var blendOpWords = []string{"add", "substract", "reverse_substract", "min", "max",
	"zero", "src", "dst", "src_over", "dst_over", "src_in", "dst_in", "src_out", "dst_out", "src_atop", "dst_atop", "xor",
	"multiply", "screen", "overlay", "darken", "lighten", "color_dodge", "color_burn", "hard_light", "soft_light",
	"difference", "exclusion", "invert", "invert_rgb", "linear_dodge", "linear_burn", "vivid_light", "linear_light",
	"pin_light", "hard_mix", "hsl_hue", "hsl_saturation", "hsl_color", "hsl_luminosity", "plus", "plus_clamped",
	"plus_clamped_alpha", "plus_darker", "minus", "minus_clamped", "contrast", "invert_org", "red", "green", "blue"}

func (p *parser) blendState(pl *Pipeline, line int) {
	b := &pl.Blend
	b.Enable = true
	factor := func() ir.BlendFactor { return ir.BlendFactor(p.choose("a blend factor", ir.BlendFactorNames)) }
	op := func() ir.BlendOp {
		i := p.choose("a blend operation", blendOpWords)
		if i > int(ir.BlendMax) {
			pl.AdvancedBlend = blendOpWords[i]
			return ir.BlendAdd
		}
		return ir.BlendOp(i)
	}
	p.end()
	p.block(line, func(t token) bool {
		switch t.text {
		case "SRC_COLOR_FACTOR":
			b.SrcColor = factor()
		case "DST_COLOR_FACTOR":
			b.DstColor = factor()
		case "COLOR_OP":
			b.ColorOp = op()
		case "SRC_ALPHA_FACTOR":
			b.SrcAlpha = factor()
		case "DST_ALPHA_FACTOR":
			b.DstAlpha = factor()
		case "ALPHA_OP":
			b.AlphaOp = op()
		default:
			return false
		}
		return true
	})
}
