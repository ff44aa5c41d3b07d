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
		if logicUsesDst(l.o.Logic) {
			d = encodeChannel(b, b.Channel(l.destination(), int(ch.Comp)), ch)
		}
		v := MaskBits(b, LogicBits(b, l.o.Logic, s, d), ch.Width)
		out[ch.Comp] = decodeChannel(b, v, ch)
	}
	return b.Vec(out[:]...)
}

// logicUsesDst reports whether the result depends on the destination.
func logicUsesDst(op ir.LogicOp) bool {
	switch op {
	case ir.LogicClear, ir.LogicCopy, ir.LogicCopyInverted, ir.LogicSet:
		return false
	}
	return true
}

// LogicBits builds the operation on the bits s of the source and d of the destination.
func LogicBits(b *ir.Builder, op ir.LogicOp, s, d *ir.Def) *ir.Def {
	switch op {
	case ir.LogicAnd:
		return b.Iand(s, d)
	case ir.LogicAndReverse:
		return b.Iand(s, b.Inot(d))
	case ir.LogicCopy:
		return s
	case ir.LogicAndInverted:
		return b.Iand(b.Inot(s), d)
	case ir.LogicNoOp:
		return d
	case ir.LogicXor:
		return b.Ixor(s, d)
	case ir.LogicOr:
		return b.Ior(s, d)
	case ir.LogicNor:
		return b.Inot(b.Ior(s, d))
	case ir.LogicEquivalent:
		return b.Inot(b.Ixor(s, d))
	case ir.LogicInvert:
		return b.Inot(d)
	case ir.LogicOrReverse:
		return b.Ior(s, b.Inot(d))
	case ir.LogicCopyInverted:
		return b.Inot(s)
	case ir.LogicOrInverted:
		return b.Ior(b.Inot(s), d)
	case ir.LogicNand:
		return b.Inot(b.Iand(s, d))
	case ir.LogicSet:
		return b.Imm32(^uint32(0))
	}
	return b.Imm32(0)
}
