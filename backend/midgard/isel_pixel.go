package midgard

import (
	"fmt"
	"math"

	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// blendLayout is how a blend program sees the pixels of its target, in the form that the tile
// has (midgard.md §9.5): channels by the component that they hold.
type blendLayout struct {
	form   string // of pixels in the tile
	bits   int    // of such a pixel
	has    uint8
	kind   [4]emu.ChannelKind
	width  [4]int
	offset [4]int
	// color is the kind of all components, but of alpha beside sRGB colours.
	color emu.ChannelKind
	// typed: a load from the tile converts pixels of the format.
	typed bool
	// tens: the form of 10:10:10:2, of which offset says nothing.
	tens bool
	// fill is or'ed to the pixel: alpha of formats that have none.
	fill uint32
}

// layoutOf finds the layout of a format.
func layoutOf(format string) (*blendLayout, error) {
	f := emu.FormatByName(format)
	refuse := func(why string) (*blendLayout, error) {
		return nil, ir.Unsupportedf("midgard: blend programs for the format %s are not supported: %s", format, why)
	}
	switch {
	case f == nil:
		return nil, fmt.Errorf("midgard: the format %q of a blend program is not known", format)
	case f.IsDepthStencil():
		return refuse("it has no colours")
	case f.SharedExponent:
		return refuse("a shared exponent is no format of render targets")
	case f.IsWide():
		return refuse("a render target has 32 bits a channel at most")
	}
	tile := abi.TileForm(f.Name, f.Bytes)
	l := &blendLayout{form: tile, bits: abi.TileBits(tile), color: f.Channels[0].Kind}
	for _, c := range f.Channels {
		k := int(c.Comp)
		if c.Kind == emu.KindUscaled || c.Kind == emu.KindSscaled {
			return refuse("scaled integers are no format of render targets")
		}
		if k > 3 {
			continue
		}
		l.has |= 1 << k
		l.kind[k], l.width[k], l.offset[k] = c.Kind, int(c.Width), int(c.Offset)
		if c.Kind == emu.KindSrgb {
			l.color = c.Kind
		}
	}
	if !abi.TileRaw(tile) && !faults.has(faultTileForm) {
		l.inTile(tile)
	}
	return l, nil
}

// inTile makes the layout that of a form which the fixed functions know: bytes in the order of
// the components, with the channels in their high bits.
func (l *blendLayout) inTile(form string) {
	l.typed = l.color == emu.KindUnorm
	if form == abi.TileRGB10A2 {
		l.tens = true
		return
	}
	for k := range 4 {
		l.offset[k] = 8*k + 8 - l.width[k]
	}
	if form == abi.TileRGBA8 && l.has>>3 == 0 {
		l.fill = 0xff << 24
	}
}

// ABIs lists those of blend programs, one for each format that render targets of theirs can have, and
// those of fragment programs by the numbers of clip and cull distances before them, and one of vertex programs
// that stands for all masks, and that which writes transform feedback.
func (Target) ABIs() (list []string) {
	for _, f := range emu.Formats() {
		if _, err := layoutOf(f.Name); err == nil {
			list = append(list, backend.BlendABI+f.Name)
		}
	}
	for clip := range 9 {
		for cull := range 9 - clip {
			if clip+cull > 0 {
				list = append(list, fmt.Sprint(backend.ClipABI, clip, "+", cull))
			}
		}
	}
	return append(list, backend.LinearABI+"0x1", backend.FeedbackABI)
}

// words is how many words a pixel takes.
func (l *blendLayout) words() int { return (l.bits + 31) / 32 }

// lanes makes an operand of a constant for each component.
func (l *blendLayout) lanes(f func(k int) uint32) source {
	o := source{reg: regConst}
	for k := range o.con {
		if l.has>>k&1 != 0 {
			o.con[k] = f(k)
		}
	}
	return o
}

// floats is lanes of floats.
func (l *blendLayout) floats(f func(k int) float64) source {
	return l.lanes(func(k int) uint32 { return math.Float32bits(float32(f(k))) })
}

// top is the largest number of the channel of component k.
func (l *blendLayout) top(k int) uint32 { return uint32(uint64(1)<<l.width[k] - 1) }

// steps is the number that stands for 1 in a normalized channel.
func (l *blendLayout) steps(k int) float64 {
	if l.kind[k] == emu.KindSnorm {
		return float64(l.top(k) >> 1)
	}
	return float64(l.top(k))
}

// rawPixel brings a colour into the form that the tile has, repeated to fill
// 128 bits.
func (s *isel) rawPixel(v source) source {
	l := s.blend
	v = s.inRegister(v, 15)
	if l.width[0] == 32 {
		return v.repeated(l.words())
	}
	v = s.channels(v)
	if l.tens {
		return s.tenBits(v)
	}
	words := s.f.newNode(l.words())
	for w := range l.words() {
		sum, some := constant(l.fill), l.fill != 0
		for k := range 4 {
			if l.has>>k&1 == 0 || l.offset[k]/32 != w {
				continue
			}
			x := v.lane(k)
			if at := l.offset[k] % 32; at != 0 {
				x = s.temp(isa.OpIshl, 1, x, constant(uint32(at)))
			}
			if some {
				x = s.temp(isa.OpIor, 1, x.lane(0), sum)
			}
			sum, some = x.lane(0), true
		}
		s.move(words, 1<<w, sum)
	}
	o := source{reg: words, swz: identity}
	if l.bits < 32 {
		return s.repeatBits(o)
	}
	return o.repeated(l.words())
}

// Places of the parts of 10:10:10:2 in its word: the high eight bits of the colours and the low two of all.
func highOfTen() source { return perLane(0, 8, 16, 0) }
func lowOfTen() source  { return perLane(24, 26, 28, 30) }

func perLane(x, y, z, w uint32) source { return source{reg: regConst, con: [4]uint32{x, y, z, w}} }

// tenBits makes the pixel of 10:10:10:2 of the bits of its channels.
func (s *isel) tenBits(v source) source {
	high := s.temp(isa.OpIshl, 4, s.temp(isa.OpIlsr, 4, v, constant(2)), highOfTen())
	low := s.temp(isa.OpIshl, 4, s.temp(isa.OpIand, 4, v, constant(3)), lowOfTen())
	x := s.temp(isa.OpIor, 4, high, low)
	x = s.temp(isa.OpIor, 2, x, x.shifted(-2))
	return s.temp(isa.OpIor, 1, x.lane(0), x.lane(1)).lane(0)
}

// splitTens makes the bits of the channels of a pixel of 10:10:10:2.
func (s *isel) splitTens(x source) source {
	x = x.lane(0)
	high := s.temp(isa.OpIand, 4, s.temp(isa.OpIlsr, 4, x, highOfTen()), perLane(0xff, 0xff, 0xff, 0))
	low := s.temp(isa.OpIand, 4, s.temp(isa.OpIlsr, 4, x, lowOfTen()), constant(3))
	return s.temp(isa.OpIor, 4, s.temp(isa.OpIshl, 4, high, constant(2)), low)
}

// repeated makes the four lanes read the first n again and again.
func (o source) repeated(n int) source {
	return o.place([4]uint8{0, uint8(1 % n), uint8(2 % n), uint8(3 % n)})
}

// repeatBits fills a word with a pixel that is less.
func (s *isel) repeatBits(o source) source {
	x := o.lane(0)
	for filled := s.blend.bits; filled < 32; filled *= 2 {
		x = s.temp(isa.OpIor, 1, x, s.temp(isa.OpIshl, 1, x, constant(uint32(filled)))).lane(0)
	}
	return x
}

// channels converts the components of a colour to the bits of the channels, each
// in its component.
func (s *isel) channels(v source) source {
	l := s.blend
	tops := l.lanes(l.top)
	switch l.color {
	case emu.KindUnorm:
		return s.unormBits(v)
	case emu.KindSrgb:
		d := s.f.newNode(4)
		s.move(d, 8, v)
		s.encodeSrgb(d, v)
		return s.unormBits(source{reg: d, swz: identity})
	case emu.KindSnorm:
		// The clamp has a NaN become -1; it shall be 0.
		v = s.temp(isa.OpIand, 4, v, s.temp(isa.OpFeq, 4, v, v))
		d := s.f.newNode(4)
		s.unary(isa.OpFmov, d, 15, v).out = isa.OutSigned1
		x := s.temp(isa.OpFmul, 4, source{reg: d, swz: identity}, l.floats(l.steps))
		return s.temp(isa.OpIand, 4, s.temp(isa.OpF2i, 4, x, constant(0)), tops)
	case emu.KindUfloat:
		return s.encodeUfloat(v)
	case emu.KindUint:
		return s.temp(isa.OpUmin, 4, v, tops)
	case emu.KindSint:
		v = s.temp(isa.OpImin, 4, v, l.lanes(func(k int) uint32 { return l.top(k) >> 1 }))
		v = s.temp(isa.OpImax, 4, v, l.lanes(func(k int) uint32 { return ^(l.top(k) >> 1) }))
		return s.temp(isa.OpIand, 4, v, tops)
	}
	d := dest{reg: s.f.newNode(2), lanes: 15, half: true}
	s.unaryTo(d, isa.OpFmov, v)
	p := packedHalves(d.reg)
	return s.temp(isa.OpIand, 4, source{reg: d.reg, swz: p.at, high: p.high, half: partLow}, constant(0xffff))
}

// unormBits converts components to unsigned normalized numbers.
func (s *isel) unormBits(v source) source {
	l := s.blend
	d := s.f.newNode(4)
	s.unary(isa.OpFmov, d, 15, v).out = isa.OutSaturate
	x := s.temp(isa.OpFmul, 4, source{reg: d, swz: identity}, l.floats(l.steps))
	return s.temp(isa.OpF2u, 4, x, constant(0))
}

// raised is x to the power of e, lane by lane, of the colours.
func (s *isel) raised(x source, e float64) source {
	d := s.f.newNode(3)
	for k := range 3 {
		s.alu(isa.OpFlog2, d, 1<<k, x.lane(k), constant(0))
	}
	y := s.temp(isa.OpFmul, 3, source{reg: d, swz: identity}, constant(math.Float32bits(float32(e))))
	r := s.f.newNode(3)
	for k := range 3 {
		s.alu(isa.OpFexp2, r, 1<<k, y.lane(k), constant(0))
	}
	return source{reg: r, swz: identity}
}

func float(x float64) source { return constant(math.Float32bits(float32(x))) }

// encodeSrgb writes the sRGB form of linear colours to d.
func (s *isel) encodeSrgb(d reg, v source) {
	c := s.f.newNode(3)
	s.unary(isa.OpFmov, c, 7, v).out = isa.OutSaturate
	x := source{reg: c, swz: identity}
	curve := s.temp(isa.OpFmul, 3, s.raised(x, 1/2.4), float(1.055))
	curve = s.temp(isa.OpFadd, 3, curve, float(-0.055))
	line := s.temp(isa.OpFmul, 3, x, float(12.92))
	s.selectTo(dest{reg: d, lanes: 7}, s.temp(isa.OpFle, 3, x, float(0.0031308)), line, curve)
}

// decodeSrgb makes linear colours of sRGB ones in place.
func (s *isel) decodeSrgb(d reg) {
	x := source{reg: d, swz: identity}
	curve := s.temp(isa.OpFadd, 3, x, float(0.055))
	curve = s.raised(s.temp(isa.OpFmul, 3, curve, float(1/1.055)), 2.4)
	line := s.temp(isa.OpFmul, 3, x, float(1/12.92))
	s.selectTo(dest{reg: d, lanes: 7}, s.temp(isa.OpFle, 3, x, float(0.04045)), line, curve)
}

// encodeUfloat converts components to floats of 5 exponent bits without sign,
// rounded to the nearest even; what is too large becomes the largest.
func (s *isel) encodeUfloat(v source) source {
	l := s.blend
	mantissa := func(k int) int { return l.width[k] - 5 }
	cut := l.lanes(func(k int) uint32 { return uint32(23 - mantissa(k)) })
	inf := l.lanes(func(k int) uint32 { return 31 << mantissa(k) })
	d := s.f.newNode(3)
	s.unary(isa.OpFmov, d, 7, v).out = isa.OutPositive
	x := source{reg: d, swz: identity}
	small := s.temp(isa.OpFmul, 3, x, l.floats(func(k int) float64 { return math.Ldexp(1, 14+mantissa(k)) }))
	small = s.temp(isa.OpF2u, 3, small, constant(0))
	odd := s.temp(isa.OpIand, 3, s.temp(isa.OpIlsr, 3, x, cut), constant(1))
	bias := l.lanes(func(k int) uint32 { return 1<<(22-mantissa(k)) - 1 - 112<<23 })
	large := s.temp(isa.OpIadd, 3, s.temp(isa.OpIadd, 3, x, bias), odd)
	large = s.temp(isa.OpIlsr, 3, large, cut)
	large = s.temp(isa.OpUmin, 3, large, l.lanes(func(k int) uint32 { return 31<<mantissa(k) - 1 }))
	choose := func(c, a, b source) source {
		r := s.f.newNode(3)
		s.selectTo(dest{reg: r, lanes: 7}, c, a, b)
		return source{reg: r, swz: identity}
	}
	r := choose(s.temp(isa.OpFlt, 3, x, float(math.Ldexp(1, -14))), small, large)
	r = choose(s.temp(isa.OpFeq, 3, x, float(math.Inf(1))), inf, r)
	nan := l.lanes(func(k int) uint32 { return 31<<mantissa(k) | 1 })
	return choose(s.temp(isa.OpFne, 3, v, v), nan, r)
}

// missing is what a load gives of components that the format has not.
func (l *blendLayout) missing() source {
	fill := constant(0)
	fill.con[3] = 1
	if l.color != emu.KindUint && l.color != emu.KindSint {
		fill.con[3] = math.Float32bits(1)
	}
	return fill
}

// unpackRaw makes the components of a colour of a raw pixel.
func (s *isel) unpackRaw(raw source) source {
	l := s.blend
	d := s.f.newNode(4)
	fill := l.missing()
	if m := 15 &^ l.has; m != 0 {
		s.move(d, m, fill)
	}
	if l.tens {
		s.move(d, 15, s.splitTens(raw))
	}
	for k := range 4 {
		if l.has>>k&1 != 0 && !l.tens {
			s.unpackChannel(d, k, raw.lane(l.offset[k]/32))
		}
	}
	x := source{reg: d, swz: identity}
	switch l.color {
	case emu.KindUnorm, emu.KindSnorm, emu.KindSrgb:
		op := isa.OpU2f
		if l.color == emu.KindSnorm {
			op = isa.OpI2f
		}
		r := s.f.newNode(4)
		if m := 15 &^ l.has; m != 0 {
			s.move(r, m, fill)
		}
		t := s.temp(op, 4, x, constant(0))
		s.alu(isa.OpFmul, r, l.has, t, l.floats(func(k int) float64 { return 1 / l.steps(k) }))
		x = source{reg: r, swz: identity}
		if l.color == emu.KindSnorm {
			x = s.temp(isa.OpFmax, 4, x, float(-1))
		}
		if l.color == emu.KindSrgb {
			s.decodeSrgb(r)
		}
	}
	return x
}

// unpackChannel writes the number of the channel of component k, a float only
// where the channel is one, which stands in word w.
func (s *isel) unpackChannel(d reg, k int, w source) {
	l := s.blend
	at, n := l.offset[k]%32, l.width[k]
	switch {
	case n == 32:
		s.move(d, 1<<k, w)
		return
	case l.kind[k] == emu.KindSfloat:
		w.half, w.high = partLow, uint8(at/16)*15
		s.unary(isa.OpFmov, d, 1<<k, w)
		return
	}
	op := isa.OpIlsr
	if l.kind[k] == emu.KindSint || l.kind[k] == emu.KindSnorm {
		op = isa.OpIasr
	}
	if at+n < 32 {
		w = s.temp(isa.OpIshl, 1, w, constant(uint32(32-at-n))).lane(0)
	}
	if l.kind[k] != emu.KindUfloat {
		s.alu(op, d, 1<<k, w, constant(uint32(32-n)))
		return
	}
	// A half whose mantissa is cut and that has no sign.
	h := s.temp(op, 1, w, constant(17)).lane(0)
	h = s.temp(isa.OpIand, 1, h, constant(uint32(l.top(k)<<(15-n)))).lane(0)
	h.half = partLow
	s.unary(isa.OpFmov, d, 1<<k, h)
}
