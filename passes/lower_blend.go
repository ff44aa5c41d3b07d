package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerBlendPass = &Pass{
	Name: "lower_blend", Class: "B",
	Doc: "Does in the shader what fixed-function blending does with one colour attachment: blend equations of one and two sources, logic operations and colour write " +
		"masks. Input: a fragment shader after lower_io whose colour is stored whole, or in parts in one block. Output: load_output (fb_fetch) of the attachment " +
		"where the result depends on it, arithmetic in 32 bits with the limits of the format, and one whole store_output; the second source's store goes. Runs " +
		"once an attachment.",
	Options: []Option{
		{Name: "rt", Doc: "the colour attachment", Default: 0},
		{Name: "format", Doc: "its format by Vulkan's name, such as R8G8B8A8_UNORM; must be given with enable, logic_op or write_mask, and without these and it the pass does nothing", Default: ""},
		{Name: "enable", Doc: "blend by the factors and operations", Default: false},
		{Name: "src_color", Doc: "factor, such as src_alpha", Default: "one"},
		{Name: "dst_color", Doc: "factor", Default: "zero"},
		{Name: "color_op", Doc: "add, subtract, reverse_subtract, min or max", Default: "add"},
		{Name: "src_alpha", Doc: "factor", Default: "one"},
		{Name: "dst_alpha", Doc: "factor", Default: "zero"},
		{Name: "alpha_op", Doc: "operation", Default: "add"},
		{Name: "write_mask", Doc: "components written: red is 1, alpha is 8", Default: 15},
		{Name: "logic_op", Doc: "logic operation, such as xor, in place of blending", Default: ""},
	},
	Run: func(c *Context, s *ir.Shader) (bool, error) {
		o, err := blendOptions(c)
		if err != nil {
			return false, err
		}
		return LowerBlend(s, o)
	},
}

// LowerBlend is the pass lower_blend with the state of all attachments at once.
func LowerBlend(s *ir.Shader, o *BlendOptions) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	progress := false
	for rt := range o.Targets {
		t := &o.Targets[rt]
		if t.Format == nil {
			continue
		}
		if t.Enable && !o.LogicEnable && t.Format.IsInteger() {
			return progress, ir.Unsupportedf("blending into integer format %s is not supported", t.Format.Name)
		}
		l := &blendLowering{s: s, o: o, t: t, rt: rt}
		if !l.needed() {
			continue
		}
		for _, f := range s.Functions {
			if f.Impl == nil {
				continue
			}
			did, err := l.function(f.Impl)
			if did {
				f.Impl.Preserve(ir.MetaControlFlow)
				progress = true
			}
			if err != nil {
				return progress, err
			}
		}
	}
	return progress, nil
}

// blendLowering lowers the stores of one attachment.
type blendLowering struct {
	s  *ir.Shader
	o  *BlendOptions
	t  *BlendTarget
	rt int
	b  *ir.Builder

	src, src1, dst, constant *ir.Def // 4x32
	sem                      ir.IOSemantics
	class                    ir.TypeClass
}

// needed reports whether the attachment's state does anything.
func (l *blendLowering) needed() bool {
	return l.t.Enable || l.o.LogicEnable || l.masked() != 0
}

// masked are the components that the format has and the shader must not write.
func (l *blendLowering) masked() uint8 {
	m := uint8(0)
	for c := range 4 {
		if l.t.Format.Has(c) && l.t.WriteMask>>c&1 == 0 {
			m |= 1 << c
		}
	}
	return m
}

// function lowers the stores of each block.
func (l *blendLowering) function(impl *ir.Impl) (bool, error) {
	all := storesOf(impl, ir.SlotData0+ir.Slot(l.rt))
	progress := false
	for len(all) > 0 {
		n := 0
		for n < len(all) && all[n].Block == all[0].Block {
			n++
		}
		did, err := l.block(all[:n], n < len(all) || progress)
		if err != nil {
			return progress, err
		}
		progress = progress || did
		all = all[n:]
	}
	return progress, nil
}

// block lowers the stores of one block; others reports whether there are some
// elsewhere.
func (l *blendLowering) block(stores []*ir.Instr, others bool) (bool, error) {
	var parts, parts1 [4]*ir.Def
	last := stores[len(stores)-1]
	first := false
	for _, in := range stores {
		sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
		if k, ok := in.Srcs[1].Def.Const(0); !ok || k != 0 {
			return false, diag(l.s, in, "colour attachment chosen by a dynamic index")
		}
		to := &parts
		if sem.DualSourceIndex == 1 {
			to = &parts1
		} else {
			first, l.sem = true, sem
			l.class = ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class
		}
		for c := range int(in.Srcs[0].Def.NumComponents) {
			if at := c + int(in.Get(ir.IdxComponent)); in.Get(ir.IdxWriteMask)>>c&1 != 0 && at < 4 {
				to[at] = builderBefore(last).Channel(in.Srcs[0].Def, c)
			}
		}
	}
	if !first {
		return false, diag(l.s, last, "the second colour source is stored away from the first")
	}
	l.b = builderBefore(last)
	bits := uint8(32)
	for c := range parts {
		if parts[c] != nil {
			bits = parts[c].BitSize
		} else if others {
			return false, diag(l.s, last, "the components of a colour are stored in different places")
		}
	}
	if bits != 16 && bits != 32 {
		return false, diag(l.s, last, fmt.Sprintf("colours of %d bits", bits))
	}
	l.src, l.src1, l.dst, l.constant = l.colour(&parts), nil, nil, nil
	if parts1[0] != nil || parts1[1] != nil || parts1[2] != nil || parts1[3] != nil {
		l.src1 = l.colour(&parts1)
	}
	v, err := l.result(last)
	if err != nil {
		return false, err
	}
	l.sem.DualSourceIndex = 0
	st := l.b.Effect(ir.IntrStoreOutput, l.narrow(v, bits), l.b.Imm32(0))
	copy(st.Imm, stores[0].Imm)
	st.Set(ir.IdxWriteMask, 15).Set(ir.IdxComponent, 0).Set(ir.IdxIoSemantics, l.sem.Pack()).Set(ir.IdxSrcType, ir.ALUType{Class: l.class, Bits: bits}.Pack())
	for _, in := range stores {
		in.Remove()
	}
	return true, nil
}

// colour builds the vector of components of 32 bits; those that are not
// written, which have no defined value, are 0.
func (l *blendLowering) colour(parts *[4]*ir.Def) *ir.Def {
	var c [4]*ir.Def
	for i, x := range parts {
		switch {
		case x == nil:
			c[i] = l.b.Imm32(0)
		case x.BitSize == 32:
			c[i] = x
		case l.class == ir.ClassFloat:
			c[i] = l.b.F2f32(x)
		case l.class == ir.ClassInt:
			c[i] = l.b.I2i32(x)
		default:
			c[i] = l.b.U2u32(x)
		}
	}
	return l.b.Vec(c[:]...)
}

// narrow gives a result the size that the shader stored.
func (l *blendLowering) narrow(v *ir.Def, bits uint8) *ir.Def {
	switch {
	case bits == 32:
		return v
	case l.class == ir.ClassFloat:
		return l.b.F2f16(v)
	case l.class == ir.ClassInt:
		return l.b.I2i16(v)
	}
	return l.b.U2u16(v)
}

// destination is the attachment's colour, read once.
func (l *blendLowering) destination() *ir.Def {
	if l.dst != nil {
		return l.dst
	}
	sem := ir.IOSemantics{Location: ir.SlotData0 + ir.Slot(l.rt), NumSlots: 1, FBFetch: true}
	in := l.b.Intrinsic(ir.IntrLoadOutput, 4, 32, l.b.Imm32(0))
	in.Set(ir.IdxBase, uint64(sem.Location)).Set(ir.IdxRange, 1).Set(ir.IdxIoSemantics, sem.Pack())
	in.Set(ir.IdxDestType, ir.ALUType{Class: l.class, Bits: 32}.Pack())
	l.dst = &in.Def
	l.b.Shader.Info.NonCoherentColorReads = false // Vulkan orders blending whatever the source reads
	if !l.t.Format.Has(3) {
		one := l.b.ImmFloat(1, 32)
		if l.t.Format.IsInteger() {
			one = l.b.Imm32(1)
		}
		l.dst = l.b.Vec(l.b.Channel(l.dst, 0), l.b.Channel(l.dst, 1), l.b.Channel(l.dst, 2), one)
	}
	return l.dst
}

// result builds what becomes of the colour.
func (l *blendLowering) result(at *ir.Instr) (*ir.Def, error) {
	v := l.src
	f := l.t.Format
	switch {
	case l.o.LogicEnable && (f.IsFloat() || f.kind() == PixelSrgb):
	case l.o.LogicEnable:
		v = l.logic()
	case l.t.Enable:
		if err := l.prepareBlend(at); err != nil {
			return nil, err
		}
		color := l.equation(l.t.Color, false)
		alpha := l.equation(l.t.Alpha, true)
		v = l.b.Vec(l.b.Channel(color, 0), l.b.Channel(color, 1), l.b.Channel(color, 2), alpha)
	}
	if m := l.masked(); m != 0 {
		v = blend(l.b, v, l.destination(), uint64(m))
	}
	return v, nil
}

// prepareBlend limits the inputs of the equations to the format's range.
func (l *blendLowering) prepareBlend(at *ir.Instr) error {
	uses1, usesConst := false, false
	for _, e := range [2]BlendEquation{l.t.Color, l.t.Alpha} {
		for _, f := range [2]ir.BlendFactor{e.Src, e.Dst} {
			uses1 = uses1 || usesSrc1(f)
			usesConst = usesConst || f >= ir.BlendConstantColor && f <= ir.BlendOneMinusConstantAlpha
		}
	}
	if uses1 && l.src1 == nil {
		return diag(l.s, at, "a factor asks for the second colour source, which is not stored here")
	}
	l.src = l.limit(l.src)
	if uses1 {
		l.src1 = l.limit(l.src1)
	}
	if usesConst {
		l.constant = l.limit(&l.b.Intrinsic(ir.IntrLoadBlendConstColorRgba, 4, 32).Def)
	}
	return nil
}

// limit clamps a colour as the format does; components that the format lacks,
// which factors may read, as the others are.
func (l *blendLowering) limit(c *ir.Def) *ir.Def {
	switch l.t.Format.kind() {
	case PixelUnorm, PixelSrgb:
		return l.b.Fsat(c)
	case PixelSnorm:
		return clampFloat(l.b, c, -1, 1)
	}
	return c
}

// part picks the components that an equation is for.
func (l *blendLowering) part(c *ir.Def, alpha bool) *ir.Def {
	if alpha {
		return l.b.Channel(c, 3)
	}
	return l.b.Channels(c, 0, 3)
}

// equation builds one blend equation.
func (l *blendLowering) equation(e BlendEquation, alpha bool) *ir.Def {
	b := l.b
	s := l.part(l.src, alpha)
	switch e.Op {
	case ir.BlendMin:
		return b.Fmin(s, l.part(l.destination(), alpha))
	case ir.BlendMax:
		return b.Fmax(s, l.part(l.destination(), alpha))
	}
	s = l.weigh(s, e.Src, alpha)
	var d *ir.Def
	if e.Dst != ir.BlendZero {
		d = l.weigh(l.part(l.destination(), alpha), e.Dst, alpha)
	}
	switch {
	case d == nil && e.Op == ir.BlendReverseSubtract:
		return b.Fneg(s)
	case d == nil:
		return s
	case e.Op == ir.BlendSubtract:
		return b.Fsub(s, d)
	case e.Op == ir.BlendReverseSubtract:
		return b.Fsub(d, s)
	}
	return b.Fadd(s, d)
}

// weigh multiplies x by a factor.
func (l *blendLowering) weigh(x *ir.Def, f ir.BlendFactor, alpha bool) *ir.Def {
	b := l.b
	switch f {
	case ir.BlendOne:
		return x
	case ir.BlendZero:
		return b.Const(32, make([]uint64, x.NumComponents)...)
	}
	w, inverse := l.factor(f, alpha)
	if inverse {
		w = b.Fsub(b.ImmFloat(1, 32), w)
	}
	return b.Fmul(x, w)
}

// factor returns a factor, or what is to be taken from 1 to give it.
func (l *blendLowering) factor(f ir.BlendFactor, alpha bool) (w *ir.Def, inverse bool) {
	b := l.b
	switch f {
	case ir.BlendSrcColor, ir.BlendOneMinusSrcColor:
		return l.part(l.src, alpha), f == ir.BlendOneMinusSrcColor
	case ir.BlendDstColor, ir.BlendOneMinusDstColor:
		return l.part(l.destination(), alpha), f == ir.BlendOneMinusDstColor
	case ir.BlendSrcAlpha, ir.BlendOneMinusSrcAlpha:
		return b.Channel(l.src, 3), f == ir.BlendOneMinusSrcAlpha
	case ir.BlendDstAlpha, ir.BlendOneMinusDstAlpha:
		return b.Channel(l.destination(), 3), f == ir.BlendOneMinusDstAlpha
	case ir.BlendConstantColor, ir.BlendOneMinusConstantColor:
		return l.part(l.constant, alpha), f == ir.BlendOneMinusConstantColor
	case ir.BlendConstantAlpha, ir.BlendOneMinusConstantAlpha:
		return b.Channel(l.constant, 3), f == ir.BlendOneMinusConstantAlpha
	case ir.BlendSrc1Color, ir.BlendOneMinusSrc1Color:
		return l.part(l.src1, alpha), f == ir.BlendOneMinusSrc1Color
	case ir.BlendSrc1Alpha, ir.BlendOneMinusSrc1Alpha:
		return b.Channel(l.src1, 3), f == ir.BlendOneMinusSrc1Alpha
	}
	if alpha { // source alpha saturate
		return b.ImmFloat(1, 32), false
	}
	return b.Fmin(b.Channel(l.src, 3), b.Fsub(b.ImmFloat(1, 32), b.Channel(l.destination(), 3))), false
}
