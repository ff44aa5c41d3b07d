package passes

import "nirc/ir"

// logic builds the colour whose bits in the format are the logic operation of
// the source's and the destination's.
func (l *blendLowering) logic() *ir.Def {
	b := l.b
	var out [4]*ir.Def
	for c := range out {
		out[c] = b.Channel(l.src, c)
	}
	for _, ch := range l.t.Format.Channels {
		if ch.Kind == PixelNone {
			continue
		}
		s := encodeChannel(b, out[ch.Comp], ch)
		var d *ir.Def
		if l.o.Logic.usesDst() {
			d = encodeChannel(b, b.Channel(l.destination(), int(ch.Comp)), ch)
		}
		v := MaskBits(b, l.o.Logic.build(b, s, d), ch.Width)
		out[ch.Comp] = decodeChannel(b, v, ch)
	}
	return b.Vec(out[:]...)
}

// usesDst tells whether the result depends on the destination.
func (op LogicOp) usesDst() bool {
	switch op {
	case LogicClear, LogicCopy, LogicCopyInverted, LogicSet:
		return false
	}
	return true
}

// build builds the operation on the bits s of the source and d of the destination.
func (op LogicOp) build(b *ir.Builder, s, d *ir.Def) *ir.Def {
	switch op {
	case LogicAnd:
		return b.Iand(s, d)
	case LogicAndReverse:
		return b.Iand(s, b.Inot(d))
	case LogicCopy:
		return s
	case LogicAndInverted:
		return b.Iand(b.Inot(s), d)
	case LogicNoOp:
		return d
	case LogicXor:
		return b.Ixor(s, d)
	case LogicOr:
		return b.Ior(s, d)
	case LogicNor:
		return b.Inot(b.Ior(s, d))
	case LogicEquivalent:
		return b.Inot(b.Ixor(s, d))
	case LogicInvert:
		return b.Inot(d)
	case LogicOrReverse:
		return b.Ior(s, b.Inot(d))
	case LogicCopyInverted:
		return b.Inot(s)
	case LogicOrInverted:
		return b.Ior(b.Inot(s), d)
	case LogicNand:
		return b.Inot(b.Iand(s, d))
	case LogicSet:
		return b.Imm32(^uint32(0))
	}
	return b.Imm32(0)
}
