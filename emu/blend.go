package emu

import "math"

// blend returns the blended colour of a source and the stored colour, before
// conversion to the format. src1 is the second source.
func (a *AttachmentBlend) blend(src, src1, dst, constant *[4]float32) (out [4]float32) {
	for c := range out {
		sf, df, op := a.SrcColor, a.DstColor, a.ColorOp
		if c == 3 {
			sf, df, op = a.SrcAlpha, a.DstAlpha, a.AlphaOp
		}
		s, d := src[c], dst[c]
		if op < BlendMin { // minimum and maximum take no factors
			s *= factor(sf, c, src, src1, dst, constant)
			d *= factor(df, c, src, src1, dst, constant)
		}
		switch op {
		case BlendAdd:
			out[c] = s + d
		case BlendSubtract:
			out[c] = s - d
		case BlendReverseSubtract:
			out[c] = d - s
		case BlendMin:
			out[c] = min(s, d)
		case BlendMax:
			out[c] = max(s, d)
		}
	}
	return out
}

// factor returns the blend factor for component c.
func factor(f BlendFactor, c int, src, src1, dst, constant *[4]float32) float32 {
	switch f {
	case BlendOne:
		return 1
	case BlendSrcColor:
		return src[c]
	case BlendOneMinusSrcColor:
		return 1 - src[c]
	case BlendDstColor:
		return dst[c]
	case BlendOneMinusDstColor:
		return 1 - dst[c]
	case BlendSrcAlpha:
		return src[3]
	case BlendOneMinusSrcAlpha:
		return 1 - src[3]
	case BlendDstAlpha:
		return dst[3]
	case BlendOneMinusDstAlpha:
		return 1 - dst[3]
	case BlendConstantColor:
		return constant[c]
	case BlendOneMinusConstantColor:
		return 1 - constant[c]
	case BlendConstantAlpha:
		return constant[3]
	case BlendOneMinusConstantAlpha:
		return 1 - constant[3]
	case BlendSrcAlphaSaturate:
		if c == 3 {
			return 1
		}
		return min(src[3], 1-dst[3])
	case BlendSrc1Color:
		return src1[c]
	case BlendOneMinusSrc1Color:
		return 1 - src1[c]
	case BlendSrc1Alpha:
		return src1[3]
	case BlendOneMinusSrc1Alpha:
		return 1 - src1[3]
	}
	return 0
}

// apply combines bits of the source and the destination.
func (op LogicOp) apply(s, d byte) byte {
	switch op {
	case LogicAnd:
		return s & d
	case LogicAndReverse:
		return s &^ d
	case LogicCopy:
		return s
	case LogicAndInverted:
		return d &^ s
	case LogicNoOp:
		return d
	case LogicXor:
		return s ^ d
	case LogicOr:
		return s | d
	case LogicNor:
		return ^(s | d)
	case LogicEquivalent:
		return ^(s ^ d)
	case LogicInvert:
		return ^d
	case LogicOrReverse:
		return s | ^d
	case LogicCopyInverted:
		return ^s
	case LogicOrInverted:
		return ^s | d
	case LogicNand:
		return ^(s & d)
	case LogicSet:
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
