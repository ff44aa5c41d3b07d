package midgard

import (
	"fmt"
	"math"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/emu"
	"nirc/ir"
)

// Registers of a blend program (section 9.5 of the reference): r0 is the colour
// that the fragment shader hands over, r1.w where it goes on, r2 the second colour.
const (
	blendColor  reg = 0
	blendReturn reg = 1
	blendSecond reg = 2
	blendWork       = 8 // work registers at most
)

// blendLayout is how a blend program sees the pixels of its target.
type blendLayout struct {
	kind  emu.ChannelKind
	width int // bits a channel
	n     int // channels
}

// layoutOf finds the layout of a format.
func layoutOf(format string) (*blendLayout, error) {
	f := emu.FormatByName(format)
	if f == nil {
		return nil, fmt.Errorf("midgard: the format %q of a blend program is not known", format)
	}
	l := &blendLayout{n: len(f.Channels)}
	ok := l.n == 1 || l.n == 2 || l.n == 4
	for i, c := range f.Channels {
		if i == 0 {
			l.kind, l.width = c.Kind, int(c.Width)
		}
		ok = ok && int(c.Comp) == i && c.Kind == l.kind && int(c.Width) == l.width && int(c.Offset) == i*l.width
	}
	switch l.kind {
	case emu.KindUnorm:
		ok = ok && l.width == 8
	case emu.KindUint, emu.KindSint:
		ok = ok && (l.width == 8 || l.width == 16 || l.width == 32)
	case emu.KindSfloat:
		ok = ok && (l.width == 16 || l.width == 32)
	default:
		ok = false
	}
	if !ok {
		return nil, fmt.Errorf("midgard: blend programs for the format %s are not supported", format)
	}
	return l, nil
}

// words is how many words of a raw pixel differ.
func (l *blendLayout) words() int { return max(1, l.n*l.width/32) }

// startBlend sets the registers that a blend program begins with aside.
func (s *isel) startBlend() {
	s.floor = int(blendReturn) + 1
	for b := range s.impl.Blocks() {
		for in := range b.Instrs() {
			if (in.IsIntrinsic(ir.IntrLoadInput) || in.IsIntrinsic(ir.IntrLoadInterpolatedInput)) && s.blendInput(in) == blendSecond {
				s.floor, s.meta.Blend.Second = int(blendSecond)+1, true
			}
		}
	}
}

// blendInput is the register of the colour that an input load means, regNone if
// it means none.
func (s *isel) blendInput(in *ir.Instr) reg {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	switch sem.Location {
	case ir.SlotVar0:
		return blendColor
	case ir.SlotVar0 + 1:
		return blendSecond
	}
	return regNone
}

// loadBlendInput selects the load of a colour.
func (s *isel) loadBlendInput(in *ir.Instr, slot, comp int, interp ir.Interp) {
	r := s.blendInput(in)
	if r == regNone || ir.Slot(slot) != ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location {
		s.fail(in, "a blend program has the inputs 0 and 1, not slot %d", slot)
		return
	}
	s.noteInput(slot, fullMask(int(in.Def.NumComponents))<<comp, interp)
	// A register of its own: only the values of the program's end know registers.
	n := int(in.Def.NumComponents)
	d := s.f.newNode(n)
	s.move(d, fullMask(n), source{reg: r, swz: identity}.shifted(-comp))
	s.narrowed(in, source{reg: d, swz: identity})
}

// loadDestination selects the load of an input attachment: what the target of a
// blend program has.
func (s *isel) loadDestination(in *ir.Instr) {
	if len(s.out.list) == 0 || s.out.list[0].slot < ir.SlotData0 || s.out.list[0].slot > ir.SlotData0+7 {
		s.fail(in, "a blend program without a result reads its target")
		return
	}
	s.viewOf(in, s.tileColor(in, int(s.out.list[0].slot-ir.SlotData0), 0))
}

// blendOutput ends a blend program: the result leaves as a raw pixel.
func (s *isel) blendOutput() {
	if len(s.out.list) != 1 || s.out.list[0].index != 0 || s.out.list[0].slot < ir.SlotData0 || s.out.list[0].slot > ir.SlotData0+7 {
		s.fail(nil, "a blend program has one result, the colour of its render target")
		return
	}
	if s.meta.UsesDiscard {
		s.fail(nil, "discard in a blend program is not supported")
		return
	}
	o := &s.out.list[0]
	n := int(o.slot - ir.SlotData0)
	if s.gpu.Arch == 4 && n > 0 {
		s.fail(nil, "more than one render target is not supported by %s", s.gpu.Name)
		return
	}
	s.meta.Blend.Target = n
	s.meta.Outputs = append(s.meta.Outputs, abi.Output{Slot: o.slot, Mask: o.mask, Bits: 32})
	none := source{reg: regNone}
	s.writeouts([]writeout{{color: s.rawPixel(o.value()), mask: 15, rest: 15, dual: none, depth: none, stencil: none, target: n, blend: true}})
}

// rawPixel brings a colour into the form that the tile has, repeated to fill
// 128 bits.
func (s *isel) rawPixel(v source) source {
	l := s.blend
	v = s.channels(s.inRegister(v, fullMask(l.n)))
	if l.width == 32 {
		return v.repeat(l.n)
	}
	per := min(l.n, 32/l.width) // channels a word
	if per > 1 {
		shift := source{reg: regConst}
		for i := range shift.con {
			shift.con[i] = uint32(i % per * l.width)
		}
		v = s.temp(isa.OpIshl, l.n, v, shift)
		for step := 1; step < per; step *= 2 {
			v = s.temp(isa.OpIor, l.n, v, v.place([4]uint8{uint8(step), uint8(min(1+step, 3)), uint8(min(2+step, 3)), 3}))
		}
	}
	for filled := per * l.width; filled < 32; filled *= 2 {
		v = s.temp(isa.OpIor, 1, v, s.temp(isa.OpIshl, 1, v, constant(uint32(filled))))
	}
	if l.words() == 2 {
		return v.place([4]uint8{0, uint8(per), 0, uint8(per)})
	}
	return v.place([4]uint8{})
}

// repeat makes the four lanes read the first n again and again.
func (o source) repeat(n int) source {
	return o.place([4]uint8{0, uint8(1 % n), uint8(2 % n), uint8(3 % n)})
}

// channels converts the components of a colour to the bits of the channels.
func (s *isel) channels(v source) source {
	l := s.blend
	top := uint32(1)<<(l.width-1)<<1 - 1
	switch {
	case l.kind == emu.KindUnorm:
		d := s.f.newNode(l.n)
		s.unary(isa.OpFmov, d, fullMask(l.n), v).out = isa.OutSaturate
		d2 := s.temp(isa.OpFmul, l.n, source{reg: d, swz: identity}, constant(math.Float32bits(float32(top))))
		return s.temp(isa.OpF2u, l.n, d2, constant(0))
	case l.width == 32:
		return v
	case l.kind == emu.KindSfloat:
		d := s.f.newNode(l.n)
		for i := range l.n {
			s.halfInst(isa.OpFmov, d, i, source{reg: regNone}, v.lane(i))
		}
		return s.temp(isa.OpIand, l.n, source{reg: d, swz: identity}, constant(top))
	case l.kind == emu.KindUint:
		return s.temp(isa.OpUmin, l.n, v, constant(top))
	}
	v = s.temp(isa.OpImin, l.n, v, constant(top>>1))
	v = s.temp(isa.OpImax, l.n, v, constant(^(top >> 1)))
	return s.temp(isa.OpIand, l.n, v, constant(top))
}

// unpackRaw makes the components of a colour of a raw pixel.
func (s *isel) unpackRaw(raw source) source {
	l := s.blend
	d := s.f.newNode(4)
	fill := constant(0)
	fill.con[3] = 1
	if l.kind == emu.KindSfloat {
		fill.con[3] = math.Float32bits(1)
	}
	if m := 15 &^ fullMask(l.n); m != 0 {
		s.move(d, m, fill)
	}
	for i := range l.n {
		at := i * l.width
		w := raw.lane(at / 32)
		at %= 32
		switch {
		case l.width == 32:
			s.move(d, 1<<i, w)
		case l.kind == emu.KindSfloat:
			w.half = partLow + part(at/16)
			s.unary(isa.OpFmov, d, 1<<i, w)
		default:
			up := s.temp(isa.OpIshl, 1, w, constant(uint32(32-at-l.width)))
			op := isa.OpIlsr
			if l.kind == emu.KindSint {
				op = isa.OpIasr
			}
			s.alu(op, d, 1<<i, up.lane(0), constant(uint32(32-l.width)))
		}
	}
	return source{reg: d, swz: identity}
}
