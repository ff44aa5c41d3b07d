package midgard

import "nirc/backend/midgard/isa"

// wideWord forms an instruction with lanes of 64 bits for a vector unit.
func (b *bundle) wideWord(in *inst) isa.ALU {
	words := in.lanes()
	lanes := uint16(words&1 | words>>1&2)
	a := isa.Vector(in.op, isa.Mode64, in.dst.number(), isa.LaneMask(isa.Mode64, lanes))
	a.Out = in.out
	if in.half == partCut {
		a.Shrink = isa.Shrink(in.component() >> 1)
	}
	for i := range in.src {
		if in.usesSource(i) {
			a = a.From(i, b.wideSource(&in.src[i], words))
		}
	}
	return a
}

// wideSource is an operand of lanes of 64 bits: of two words anywhere in a register,
// or one of 32 bits, where all lie in one half of theirs.
func (b *bundle) wideSource(s *source, words uint8) isa.Source {
	var sel [4]uint8
	o := isa.Source{Reg: s.reg.number()}
	for k := range 4 {
		switch {
		case words>>k&1 == 0:
		case s.reg == regConst:
			sel[k] = b.constSlot(s.con[k])
		case s.half == partWord:
			sel[k] = 2*(s.swz[k]&1) + uint8(k&1)
			o.Expand, o.Mod = isa.ExpandLow+isa.Expand(s.swz[k]>>1), s.mod
		default:
			sel[k] = s.swz[k]
		}
	}
	switch {
	case words&3 == 0:
		sel[0], sel[1] = sel[2], sel[3]
	case words&12 == 0:
		sel[2], sel[3] = sel[0], sel[1]
	}
	o.Swizzle = isa.Swz(int(sel[0]), int(sel[1]), int(sel[2]), int(sel[3]))
	return o
}
