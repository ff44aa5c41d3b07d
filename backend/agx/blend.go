package agx

import (
	"nirc/emu"
	"nirc/ir"
)

// blender computes Vulkan's blend equation for one colour.
type blender struct {
	e                        *epilog
	src, src1, dst, constant [4]*ir.Def
}

// blend returns the blended colour of a source and what the tile holds.
func (e *epilog) blend(k *emu.AttachmentBlend, f *emu.Format, src, dst [4]*ir.Def) (out [4]*ir.Def) {
	b := e.b
	x := blender{e: e, dst: dst}
	consts := &b.Intrinsic(ir.IntrLoadBlendConstColorRgba, 4, 32).Def
	for c := range 4 {
		x.src[c] = e.clampFloat(f, src[c])
		x.src1[c] = b.Imm32(0)
		if e.src1[c] != nil {
			x.src1[c] = e.clampFloat(f, e.src1[c])
		}
		x.constant[c] = e.clampFloat(f, b.Channel(consts, c))
	}
	for c := range out {
		sf, df, op := k.SrcColor, k.DstColor, k.ColorOp
		if c == 3 {
			sf, df, op = k.SrcAlpha, k.DstAlpha, k.AlphaOp
		}
		out[c] = x.component(op, sf, df, c)
	}
	return out
}

// component blends component c; minimum and maximum take no factors.
func (x *blender) component(op emu.BlendOp, sf, df emu.BlendFactor, c int) *ir.Def {
	b := x.e.b
	switch op {
	case emu.BlendMin:
		return b.Fmin(x.src[c], x.dst[c])
	case emu.BlendMax:
		return b.Fmax(x.src[c], x.dst[c])
	}
	s, d := x.times(x.src[c], sf, c), x.times(x.dst[c], df, c)
	switch op {
	case emu.BlendSubtract:
		return b.Fsub(s, d)
	case emu.BlendReverseSubtract:
		return b.Fsub(d, s)
	}
	return b.Fadd(s, d)
}

// times multiplies a colour by a factor.
func (x *blender) times(v *ir.Def, f emu.BlendFactor, c int) *ir.Def {
	b := x.e.b
	one := b.ImmFloat(1, 32)
	pick := func(v [4]*ir.Def, c int, minus bool) *ir.Def {
		if minus {
			return b.Fsub(one, v[c])
		}
		return v[c]
	}
	var k *ir.Def
	switch f {
	case emu.BlendZero:
		return b.ImmFloat(0, 32)
	case emu.BlendOne:
		return v
	case emu.BlendSrcColor, emu.BlendOneMinusSrcColor:
		k = pick(x.src, c, f == emu.BlendOneMinusSrcColor)
	case emu.BlendDstColor, emu.BlendOneMinusDstColor:
		k = pick(x.dst, c, f == emu.BlendOneMinusDstColor)
	case emu.BlendSrcAlpha, emu.BlendOneMinusSrcAlpha:
		k = pick(x.src, 3, f == emu.BlendOneMinusSrcAlpha)
	case emu.BlendDstAlpha, emu.BlendOneMinusDstAlpha:
		k = pick(x.dst, 3, f == emu.BlendOneMinusDstAlpha)
	case emu.BlendConstantColor, emu.BlendOneMinusConstantColor:
		k = pick(x.constant, c, f == emu.BlendOneMinusConstantColor)
	case emu.BlendConstantAlpha, emu.BlendOneMinusConstantAlpha:
		k = pick(x.constant, 3, f == emu.BlendOneMinusConstantAlpha)
	case emu.BlendSrcAlphaSaturate:
		if k = one; c < 3 {
			k = b.Fmin(x.src[3], b.Fsub(one, x.dst[3]))
		}
	case emu.BlendSrc1Color, emu.BlendOneMinusSrc1Color:
		k = pick(x.src1, c, f == emu.BlendOneMinusSrc1Color)
	default:
		k = pick(x.src1, 3, f == emu.BlendOneMinusSrc1Alpha)
	}
	return b.Fmul(v, k)
}

// logic applies the logic operation to the bits that the format has.
func (e *epilog) logic(f *emu.Format, c, dst [4]*ir.Def) [4]*ir.Def {
	b := e.b
	for i := range c {
		ch := channel(f, i)
		if ch == nil {
			continue
		}
		all := uint32(uint64(1)<<ch.Width - 1)
		if f.IsInteger() {
			v := e.logicOp(e.clampInt(f, i, c[i]), dst[i])
			c[i] = b.Iand(v, b.Imm32(all))
			if ch.Kind == emu.KindSint && ch.Width < 32 {
				n := b.Imm32(32 - uint32(ch.Width))
				c[i] = b.Ishr(b.Ishl(v, n), n)
			}
			continue
		}
		v := b.Iand(e.logicOp(e.quantize(f, ch, c[i]), e.quantize(f, ch, dst[i])), b.Imm32(all))
		c[i] = numberOf(b, v, ch)
	}
	return c
}

// quantize turns a colour of a normalised format into the number that stands
// for it.
func (e *epilog) quantize(f *emu.Format, ch *emu.Channel, x *ir.Def) *ir.Def {
	b := e.b
	x = e.clampFloat(f, x)
	if ch.Kind == emu.KindSnorm {
		return b.F2i32(b.FroundEven(b.Fmul(x, b.ImmFloat(float64(uint64(1)<<(ch.Width-1)-1), 32))))
	}
	return b.F2u32(b.FroundEven(b.Fmul(x, b.ImmFloat(float64(uint64(1)<<ch.Width-1), 32))))
}

// logicOp combines source and destination bits.
func (e *epilog) logicOp(s, d *ir.Def) *ir.Def {
	b := e.b
	switch e.key.Logic {
	case emu.LogicClear:
		return b.Imm32(0)
	case emu.LogicAnd:
		return b.Iand(s, d)
	case emu.LogicAndReverse:
		return b.Iand(s, b.Inot(d))
	case emu.LogicAndInverted:
		return b.Iand(d, b.Inot(s))
	case emu.LogicNoOp:
		return d
	case emu.LogicXor:
		return b.Ixor(s, d)
	case emu.LogicOr:
		return b.Ior(s, d)
	case emu.LogicNor:
		return b.Inot(b.Ior(s, d))
	case emu.LogicEquivalent:
		return b.Inot(b.Ixor(s, d))
	case emu.LogicInvert:
		return b.Inot(d)
	case emu.LogicOrReverse:
		return b.Ior(s, b.Inot(d))
	case emu.LogicCopyInverted:
		return b.Inot(s)
	case emu.LogicOrInverted:
		return b.Ior(d, b.Inot(s))
	case emu.LogicNand:
		return b.Inot(b.Iand(s, d))
	case emu.LogicSet:
		return b.Imm32(0xffffffff)
	}
	return s
}
