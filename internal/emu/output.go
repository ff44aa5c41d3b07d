package emu

import (
	"fmt"
	"math"
	"math/bits"

	"nirc/ir"
)

// surface is one level of an attachment's image.
type surface struct {
	data               []byte
	bytes              int // a texel's
	pixelStride        int // all samples of a pixel
	rowStride, layerAt int
	base               int
	layers             int
}

// init resolves a view, and lowers layers to what it has.
func (s *surface) init(v *ImageView, layers *int) error {
	m := v.Image
	w, h, depth := v.Size(0)
	s.bytes = m.Format.Bytes
	if f := v.TexelFormat(); f.Bytes != s.bytes {
		return unsupported("view of format %s over an image of %s is not supported", f.Name, m.Format.Name)
	}
	s.data = m.LevelBytes(v.BaseMip)
	s.pixelStride = max(1, m.Samples) * s.bytes
	s.rowStride = w * s.pixelStride
	s.layerAt = h * s.rowStride
	s.layers = v.NumLayers()
	if depth > 1 {
		s.layers = depth
	} else {
		s.base = v.BaseLayer * s.layerAt
	}
	if v.BaseLayer < 0 || v.BaseMip < 0 || s.layers < 1 || s.base+s.layers*s.layerAt > len(s.data) {
		return fmt.Errorf("emu: attachment of %dx%d and %d layers does not fit its image", w, h, s.layers)
	}
	*layers = min(*layers, s.layers)
	return nil
}

// pixel returns the samples of a pixel, which lies inside.
func (s *surface) pixel(x, y, layer int) []byte {
	at := s.base + layer*s.layerAt + y*s.rowStride + x*s.pixelStride
	return s.data[at : at+s.pixelStride]
}

// colorTarget is a colour attachment with what becomes of a colour on its way
// there.
type colorTarget struct {
	surface
	format *Format
	index  int // attachment number
	blend  *AttachmentBlend
	logic  bool
	op     ir.LogicOp
	lo, hi float32 // range of the format's colours
	consts [4]float32
	// keep has the bits of a texel that the write mask leaves alone; partial
	// says that there are any.
	keep    [16]byte
	partial bool
	bits16  bool
}

// outputs are the attachments of a draw.
type outputs struct {
	targets    []colorTarget
	depth      depthTarget
	layers     int
	color      [8][4]uint32 // colours of the lane under way, by attachment
	src1       [4]uint32
	dual       bool
	dual16     bool
	alphaToOne bool
	// alpha0 says that the shader has a colour at location 0, half0 that it is of 16 bits.
	alpha0, half0 bool
}

func unsupportedTarget(f *Format, as string) error {
	return unsupported("format %s is not supported as %s", f.Name, as)
}

func (o *outputs) init(d *drawer) error {
	o.layers = math.MaxInt32
	if err := o.depth.init(d, &o.layers); err != nil {
		return err
	}
	o.alphaToOne = d.p.Multisample.AlphaToOne
	if len(d.p.Color) > len(o.color) {
		return unsupported("%d colour attachments are not supported, the most is %d", len(d.p.Color), len(o.color))
	}
	if d.p.Fragment == nil {
		return nil
	}
	var written, half [ir.NumResultSlots]bool
	for _, s := range d.p.Fragment.IO().Outputs {
		if s.Slot >= ir.NumResultSlots {
			return fmt.Errorf("emu: fragment result slot %d is out of range", s.Slot)
		}
		if s.Index == 1 {
			o.dual, o.dual16 = true, s.Bits == 16
			continue
		}
		written[s.Slot], half[s.Slot] = true, s.Bits == 16
	}
	o.alpha0, o.half0 = written[ir.SlotData0], half[ir.SlotData0]
	for i := range d.p.Color {
		v := d.p.Color[i].View
		if v == nil {
			continue
		}
		t := colorTarget{format: v.TexelFormat(), index: i, bits16: half[int(ir.SlotData0)+i]}
		if err := t.init(d.p, v, &o.layers); err != nil {
			return err
		}
		if written[int(ir.SlotData0)+i] {
			o.targets = append(o.targets, t)
		}
	}
	return nil
}

func (t *colorTarget) init(p *Pipeline, v *ImageView, layers *int) error {
	f := t.format
	if f.IsDepthStencil() || f.IsWide() || f.SharedExponent {
		return unsupportedTarget(f, "a colour attachment")
	}
	if err := t.surface.init(v, layers); err != nil {
		return err
	}
	mask := uint8(WriteAll)
	if t.index < len(p.Blend.Attachments) {
		b := &p.Blend.Attachments[t.index]
		mask = b.WriteMask
		if b.Enable && !p.Blend.LogicEnable {
			if f.IsInteger() {
				return fmt.Errorf("emu: blending into integer format %s is not supported", f.Name)
			}
			t.blend = b
		}
	}
	t.logic = p.Blend.LogicEnable && !f.IsFloat() && !f.IsSrgb()
	t.op = p.Blend.Logic
	t.lo, t.hi = float32(math.Inf(-1)), float32(math.Inf(1))
	switch f.first().Kind {
	case KindUnorm, KindSrgb:
		t.lo, t.hi = 0, 1
	case KindSnorm:
		t.lo, t.hi = -1, 1
	}
	for c, x := range p.Blend.Constants {
		t.consts[c] = min(max(x, t.lo), t.hi)
	}
	for i := range f.Channels {
		c := &f.Channels[i]
		if c.Kind != KindNone && mask>>c.Comp.index()&1 == 0 {
			c.putBits(t.keep[:], math.MaxUint32)
			t.partial = true
		}
	}
	return nil
}

// load takes the colours of a lane from its result slots.
func (o *outputs) load(out *Slots) {
	for i := range o.targets {
		t := &o.targets[i]
		c := &o.color[t.index]
		*c = out[int(ir.SlotData0)+t.index]
		if t.bits16 {
			widen(c, t.format)
		}
		if o.alphaToOne && !t.format.IsInteger() {
			c[3] = math.Float32bits(1)
		}
	}
	if o.dual {
		o.src1 = out[ir.SlotData0+7]
		if o.dual16 && len(o.targets) > 0 {
			widen(&o.src1, o.targets[0].format)
		}
		if o.alphaToOne { // of both sources, as drivers have it (llvmpipe, asahi and panfrost of Mesa 25.0)
			o.src1[3] = math.Float32bits(1)
		}
	}
}

// alpha is what alpha to coverage goes by: the alpha that the shader gave
// location 0, an attachment there or not, before alpha to one replaces it
// (Vulkan, "Multisample Coverage"). Without that colour all is covered.
func (o *outputs) alpha(out *Slots) float32 {
	a := out[ir.SlotData0][3]
	switch {
	case !o.alpha0:
		return 1
	case o.half0:
		return HalfToFloat(uint16(a))
	}
	return math.Float32frombits(a)
}

// widen makes 32-bit components of 16-bit ones.
func widen(v *[4]uint32, f *Format) {
	for c := range v {
		switch {
		case !f.IsInteger():
			v[c] = math.Float32bits(HalfToFloat(uint16(v[c])))
		case f.IsSigned():
			v[c] = uint32(int32(int16(v[c])))
		default:
			v[c] &= 0xffff
		}
	}
}

// write blends the loaded colours into the samples in mask of a pixel.
func (o *outputs) write(x, y, layer int, mask uint32) {
	for i := range o.targets {
		t := &o.targets[i]
		pixel := t.pixel(x, y, layer)
		if t.blend == nil && !t.logic && !t.partial {
			t.writePlain(pixel, &o.color[t.index], mask)
			continue
		}
		for left := mask; left != 0; left &= left - 1 {
			s := bits.TrailingZeros32(left)
			t.writeSample(pixel[s*t.bytes:(s+1)*t.bytes], &o.color[t.index], &o.src1)
		}
	}
}

// writePlain stores a colour as it is.
func (t *colorTarget) writePlain(pixel []byte, c *[4]uint32, mask uint32) {
	if mask == 1 {
		t.format.Pack(pixel[:t.bytes], c)
		return
	}
	var texel [16]byte
	t.format.Pack(texel[:], c)
	for left := mask; left != 0; left &= left - 1 {
		s := bits.TrailingZeros32(left)
		copy(pixel[s*t.bytes:(s+1)*t.bytes], texel[:])
	}
}

// writeSample stores a colour through blending or logic operation, and write
// mask.
func (t *colorTarget) writeSample(b []byte, color, src1 *[4]uint32) {
	c := *color
	if t.blend != nil {
		var stored [4]uint32
		t.format.Unpack(b, &stored)
		s, s1 := floats(&c, t.lo, t.hi), floats(src1, t.lo, t.hi)
		d := floats(&stored, float32(math.Inf(-1)), float32(math.Inf(1)))
		for i, v := range t.blend.blend(&s, &s1, &d, &t.consts) {
			c[i] = math.Float32bits(v)
		}
	}
	var texel [16]byte
	t.format.Pack(texel[:], &c)
	if t.logic {
		for i := range b {
			texel[i] = applyLogic(t.op, texel[i], b[i])
		}
	}
	for i := range b {
		b[i] = b[i]&t.keep[i] | texel[i]&^t.keep[i]
	}
}

// resolve averages the samples of the attachments that ask for it.
func (o *outputs) resolve(p *Pipeline) error {
	for i := range p.Color {
		if a := &p.Color[i]; a.View != nil && a.Resolve != nil {
			if err := a.View.ResolveTo(a.Resolve); err != nil {
				return fmt.Errorf("colour attachment %d: %w", i, err)
			}
		}
	}
	if a := &p.DepthStencil; a.View != nil && a.Resolve != nil {
		if err := a.View.ResolveTo(a.Resolve); err != nil {
			return fmt.Errorf("depth/stencil attachment: %w", err)
		}
	}
	return nil
}
