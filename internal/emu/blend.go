package emu

import (
	"math"

	"nirc/ir"
)

// blend returns the blended colour of a source and the stored colour, before
// conversion to the format. src1 is the second source.
func (a *AttachmentBlend) blend(src, src1, dst, constant *[4]float32) (out [4]float32) {
	for c := range out {
		sf, df, op := a.SrcColor, a.DstColor, a.ColorOp
		if c == 3 {
			sf, df, op = a.SrcAlpha, a.DstAlpha, a.AlphaOp
		}
		s, d := src[c], dst[c]
		if op < ir.BlendMin { // minimum and maximum take no factors
			s *= factor(sf, c, src, src1, dst, constant)
			d *= factor(df, c, src, src1, dst, constant)
		}
		switch op {
		case ir.BlendAdd:
			out[c] = s + d
		case ir.BlendSubtract:
			out[c] = s - d
		case ir.BlendReverseSubtract:
			out[c] = d - s
		case ir.BlendMin:
			out[c] = min(s, d)
		case ir.BlendMax:
			out[c] = max(s, d)
		}
	}
	return out
}

// factor returns the blend factor for component c.
func factor(f ir.BlendFactor, c int, src, src1, dst, constant *[4]float32) float32 {
	switch f {
	case ir.BlendOne:
		return 1
	case ir.BlendSrcColor:
		return src[c]
	case ir.BlendOneMinusSrcColor:
		return 1 - src[c]
	case ir.BlendDstColor:
		return dst[c]
	case ir.BlendOneMinusDstColor:
		return 1 - dst[c]
	case ir.BlendSrcAlpha:
		return src[3]
	case ir.BlendOneMinusSrcAlpha:
		return 1 - src[3]
	case ir.BlendDstAlpha:
		return dst[3]
	case ir.BlendOneMinusDstAlpha:
		return 1 - dst[3]
	case ir.BlendConstantColor:
		return constant[c]
	case ir.BlendOneMinusConstantColor:
		return 1 - constant[c]
	case ir.BlendConstantAlpha:
		return constant[3]
	case ir.BlendOneMinusConstantAlpha:
		return 1 - constant[3]
	case ir.BlendSrcAlphaSaturate:
		if c == 3 {
			return 1
		}
		return min(src[3], 1-dst[3])
	case ir.BlendSrc1Color:
		return src1[c]
	case ir.BlendOneMinusSrc1Color:
		return 1 - src1[c]
	case ir.BlendSrc1Alpha:
		return src1[3]
	case ir.BlendOneMinusSrc1Alpha:
		return 1 - src1[3]
	}
	return 0
}

// applyLogic combines bits of the source and the destination.
func applyLogic(op ir.LogicOp, s, d byte) byte {
	switch op {
	case ir.LogicAnd:
		return s & d
	case ir.LogicAndReverse:
		return s &^ d
	case ir.LogicCopy:
		return s
	case ir.LogicAndInverted:
		return d &^ s
	case ir.LogicNoOp:
		return d
	case ir.LogicXor:
		return s ^ d
	case ir.LogicOr:
		return s | d
	case ir.LogicNor:
		return ^(s | d)
	case ir.LogicEquivalent:
		return ^(s ^ d)
	case ir.LogicInvert:
		return ^d
	case ir.LogicOrReverse:
		return s | ^d
	case ir.LogicCopyInverted:
		return ^s
	case ir.LogicOrInverted:
		return ^s | d
	case ir.LogicNand:
		return ^(s & d)
	case ir.LogicSet:
		return 255
	}
	return 0
}

// floats reads four components of float bits, limited to lo..hi.
func floats(v *[4]uint32, lo, hi float32) (out [4]float32) {
	for c := range v {
		x := math.Float32frombits(v[c])
		if x != x && hi < math.MaxFloat32 {
			x = 0 // fixed point has no NaN
		}
		out[c] = min(max(x, lo), hi)
	}
	return out
}
