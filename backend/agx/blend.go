package agx

import (
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
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
func (x *blender) component(op ir.BlendOp, sf, df ir.BlendFactor, c int) *ir.Def {
	b := x.e.b
	switch op {
	case ir.BlendMin:
		return b.Fmin(x.src[c], x.dst[c])
	case ir.BlendMax:
		return b.Fmax(x.src[c], x.dst[c])
	}
	s, d := x.times(x.src[c], sf, c), x.times(x.dst[c], df, c)
	switch op {
	case ir.BlendSubtract:
		return b.Fsub(s, d)
	case ir.BlendReverseSubtract:
		return b.Fsub(d, s)
	}
	return b.Fadd(s, d)
}

// times multiplies a colour by a factor.
func (x *blender) times(v *ir.Def, f ir.BlendFactor, c int) *ir.Def {
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
	case ir.BlendZero:
		return b.ImmFloat(0, 32)
	case ir.BlendOne:
		return v
	case ir.BlendSrcColor, ir.BlendOneMinusSrcColor:
		k = pick(x.src, c, f == ir.BlendOneMinusSrcColor)
	case ir.BlendDstColor, ir.BlendOneMinusDstColor:
		k = pick(x.dst, c, f == ir.BlendOneMinusDstColor)
	case ir.BlendSrcAlpha, ir.BlendOneMinusSrcAlpha:
		k = pick(x.src, 3, f == ir.BlendOneMinusSrcAlpha)
	case ir.BlendDstAlpha, ir.BlendOneMinusDstAlpha:
		k = pick(x.dst, 3, f == ir.BlendOneMinusDstAlpha)
	case ir.BlendConstantColor, ir.BlendOneMinusConstantColor:
		k = pick(x.constant, c, f == ir.BlendOneMinusConstantColor)
	case ir.BlendConstantAlpha, ir.BlendOneMinusConstantAlpha:
		k = pick(x.constant, 3, f == ir.BlendOneMinusConstantAlpha)
	case ir.BlendSrcAlphaSaturate:
		if k = one; c < 3 {
			k = b.Fmin(x.src[3], b.Fsub(one, x.dst[3]))
		}
	case ir.BlendSrc1Color, ir.BlendOneMinusSrc1Color:
		k = pick(x.src1, c, f == ir.BlendOneMinusSrc1Color)
	default:
		k = pick(x.src1, 3, f == ir.BlendOneMinusSrc1Alpha)
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
			v := passes.LogicBits(b, e.key.Logic, e.clampInt(f, i, c[i]), dst[i])
			c[i] = b.Iand(v, b.Imm32(all))
			if ch.Kind == emu.KindSint && ch.Width < 32 {
				n := b.Imm32(32 - uint32(ch.Width))
				c[i] = b.Ishr(b.Ishl(v, n), n)
			}
			continue
		}
		v := b.Iand(passes.LogicBits(b, e.key.Logic, e.quantize(f, ch, c[i]), e.quantize(f, ch, dst[i])), b.Imm32(all))
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
