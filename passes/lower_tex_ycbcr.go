package passes

import (
	"fmt"
	"strings"

	"nirc/internal/lazy"
	"nirc/ir"
)

// parseYCbCr reads the conversions of the option; those of the shader's options come after them.
func parseYCbCr(list string, s *ir.Shader) (table []ir.YCbCr, err error) {
	for text := range strings.SplitSeq(list, "|") {
		if text == "" || text == "options" {
			continue
		}
		c, err := ir.ParseYCbCr(text)
		if err != nil {
			return nil, optionError("ycbcr=%w", err)
		}
		table = append(table, c)
	}
	if s.Options != nil && s.Options.YCbCr != nil && list != "" {
		table = append(table, s.Options.YCbCr.Rows...)
	}
	return table, nil
}

// texPlanesDone marks operations on variables whose elements are planes by now.
const texPlanesDone = 1 << 30

// planedVar is a variable whose binding has conversions.
type planedVar struct {
	v      *ir.Variable
	planes uint32 // descriptors of an element
	uses   []*ir.Instr
}

// planes gives the variables of converted bindings a descriptor for each plane, and writes the
// operations on them as operations on planes with the conversion after them. It runs
// before anything else looks at an operation.
func planes(s *ir.Shader, table []ir.YCbCr) (bool, error) {
	progress := false
	for _, f := range s.Functions {
		if f.Impl == nil || len(table) == 0 {
			continue
		}
		vars, err := planedVars(s, f.Impl, table)
		if err != nil {
			return false, err
		}
		for _, p := range vars {
			if err := p.lower(s, table); err != nil {
				return false, err
			}
			progress = true
		}
		if len(vars) > 0 {
			removeUnusedDerefs(f.Impl)
			f.Impl.Preserve(ir.MetaControlFlow)
		}
		for _, p := range vars {
			if err := p.otherUse(s, f.Impl); err != nil {
				return false, err
			}
		}
	}
	return progress, nil
}

// otherUse refuses derefs of the variable that are left as they were: for something else than sampling.
func (p *planedVar) otherUse(s *ir.Shader, impl *ir.Impl) error {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindDeref && in.Deref == ir.DerefVar && in.DerefInfo().Var == p.v && in.DerefInfo().Type != p.v.Type {
				return diag(s, in, fmt.Sprintf("set %d binding %d: a sampler with a conversion to RGB is only for sampling", p.v.Set, p.v.Binding))
			}
		}
	}
	return nil
}

// planedVars finds the variables and their operations.
func planedVars(s *ir.Shader, impl *ir.Impl, table []ir.YCbCr) (list []*planedVar, err error) {
	of := func(v *ir.Variable) *planedVar {
		for _, p := range list {
			if p.v == v {
				return p
			}
		}
		p := &planedVar{v: v}
		for i := range table {
			if table[i].Set == v.Set && table[i].Binding == v.Binding {
				p.planes = max(p.planes, uint32(table[i].Planes))
			}
		}
		if p.planes > 0 {
			list = append(list, p)
		}
		return p
	}
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind != ir.KindTex || in.TexInfo().BackendFlags&texPlanesDone != 0 {
				continue
			}
			src := in.TexSrc(ir.TexSrcTextureDeref)
			if src == nil {
				continue
			}
			if v := rootVar(src.Def.Instr); v != nil && v.HasBinding {
				p := of(v)
				p.uses = append(p.uses, in)
			}
		}
	}
	return list, nil
}

// lower makes an array of planes of the variable. Its elements are chosen by constants (Vulkan
// asks for it), else the conversion would not be known.
func (p *planedVar) lower(s *ir.Shader, table []ir.YCbCr) error {
	total := uint32(1)
	for t := p.v.Type; t.IsArray(); t = t.Elem {
		total *= max(t.Len, 1)
	}
	elements := make([]uint32, len(p.uses))
	for i, in := range p.uses {
		e, ok := constantElement(in.TexSrc(ir.TexSrcTextureDeref).Def.Instr)
		if !ok {
			return diag(s, in, fmt.Sprintf("an element of set %d binding %d, which has a conversion to RGB, must be chosen by a constant", p.v.Set, p.v.Binding))
		}
		elements[i] = min(e, total-1)
	}
	p.v.Type = ir.ArrayType(p.v.Type.WithoutArray(), total*p.planes, 0)
	for i, in := range p.uses {
		l := &planeLowering{b: builderBefore(in), in: in, v: p.v, first: elements[i] * p.planes}
		for k := range table {
			if c := &table[k]; l.c == nil && c.Set == p.v.Set && c.Binding == p.v.Binding && (c.Element < 0 || uint32(c.Element) == elements[i]) {
				l.c = c
			}
		}
		if err := l.lower(s); err != nil {
			return err
		}
	}
	return nil
}

// constantElement is the place of a deref's element among all of the variable.
func constantElement(d *ir.Instr) (uint32, bool) {
	at, below := uint32(0), uint32(1)
	for ; d.Kind == ir.KindDeref && d.Deref == ir.DerefArray; d = derefParent(d) {
		i, ok := d.Srcs[1].Def.Const(0)
		n := uint32(max(derefParent(d).DerefInfo().Type.Len, 1))
		if !ok {
			return 0, false
		}
		at += uint32(min(i, uint64(n-1))) * below
		below *= n
	}
	return at, d.Kind == ir.KindDeref && d.Deref == ir.DerefVar
}

// planeLowering is an operation; b stands before it. No c: the element has no conversion.
type planeLowering struct {
	b     *ir.Builder
	in    *ir.Instr
	v     *ir.Variable
	first uint32
	c     *ir.YCbCr
}

func (l *planeLowering) lower(s *ir.Shader) error {
	t := l.in.TexInfo()
	if l.c == nil || l.in.TexOp.Info().Query && l.in.TexOp != ir.TexOpLod {
		l.retarget(l.in, 0)
		return nil
	}
	switch l.in.TexOp {
	case ir.TexOpTex, ir.TexOpTxb, ir.TexOpTxl, ir.TexOpTxd:
	default:
		return diag(s, l.in, fmt.Sprintf("%s of set %d binding %d: a sampler with a conversion to RGB is only for sampling", l.in.TexOp.Info().Name, l.v.Set, l.v.Binding))
	}
	if l.in.TexSrc(ir.TexSrcOffset) != nil || t.IsShadow || t.Dim != ir.Dim2D || t.DestType.Class != ir.ClassFloat {
		return diag(s, l.in, fmt.Sprintf("set %d binding %d: a sampler with a conversion to RGB is for floats of 2D images, without offsets and references", l.v.Set, l.v.Binding))
	}
	if t.IsSparse {
		return refusal(s, l.in, "residency of a sampler with a conversion to RGB is not supported")
	}
	v := l.convert(l.mapped(l.components()))
	l.in.Def.RewriteUses(l.b.Vec(v[:]...))
	l.in.Remove()
	return nil
}

// retarget lets an operation read a plane.
func (l *planeLowering) retarget(in *ir.Instr, plane uint32) {
	b := builderBefore(in)
	d := b.DerefArrayImm(b.DerefVar(l.v), int(l.first+plane))
	for _, k := range []ir.TexSrc{ir.TexSrcTextureDeref, ir.TexSrcSamplerDeref} {
		if src := in.TexSrc(k); src != nil && rootVar(src.Def.Instr) == l.v {
			src.Set(d)
		}
	}
	in.TexInfo().BackendFlags |= texPlanesDone
}

// plane inserts the operation on a plane.
func (l *planeLowering) plane(n uint32) *ir.Def {
	t := l.in.TexInfo()
	q := l.b.Shader.NewTex(l.in.TexOp, l.in.Def.NumComponents, l.in.Def.BitSize)
	*q.TexInfo() = *t
	q.TexInfo().SrcKinds = nil
	for i, k := range t.SrcKinds {
		l.b.Shader.AddTexSrc(q, k, l.in.Srcs[i].Def)
	}
	l.b.Insert(q)
	l.retarget(q, n)
	if n > 0 {
		l.chroma(q)
	}
	return &q.Def
}

// chroma moves the coordinates of a plane of chroma to where its samples are: x/2 + 1/4 in its texels where they
// lie on even samples of luma (Vulkan, implicit reconstruction). Where they lie between two that is x/2, the same
// coordinate from 0 to 1; a filter that takes the nearest may treat all so.
func (l *planeLowering) chroma(q *ir.Instr) {
	shift := [2]bool{l.c.HalfWidth && l.c.CositedX, l.c.HalfHeight && l.c.CositedY}
	if !l.c.Linear || shift == [2]bool{} {
		return
	}
	t := &texLowering{b: builderBefore(q), in: q, t: q.TexInfo()}
	if t.has(ir.TexSrcProjector) {
		t.project()
	}
	size := t.query(uint8(2 + int(boolBits(t.t.IsArray))))
	half := t.b.Fmul(t.b.Frcp(t.b.I2f32(t.b.Channels(size, 0, 2))), t.b.ImmFloat(0.25, 32))
	t.mapCoord(func(i int, c *ir.Def) *ir.Def {
		if !shift[i] {
			return c
		}
		return t.b.Fadd(c, resizeFloat(t.b, t.b.Channel(half, i), c.BitSize))
	})
}

// components reads red (or the red difference), green (or luma), blue (or its difference) and alpha.
func (l *planeLowering) components() [4]*ir.Def {
	b, first := l.b, l.plane(0)
	one := b.ImmFloat(1, first.BitSize)
	switch l.c.Planes {
	case 2:
		second := l.plane(1)
		return [4]*ir.Def{b.Channel(second, 1), b.Channel(first, 0), b.Channel(second, 0), one}
	case 3:
		blue, red := l.plane(1), l.plane(2)
		return [4]*ir.Def{b.Channel(red, 0), b.Channel(first, 0), b.Channel(blue, 0), one}
	}
	return [4]*ir.Def{b.Channel(first, 0), b.Channel(first, 1), b.Channel(first, 2), b.Channel(first, 3)}
}

// mapped is the conversion's component mapping.
func (l *planeLowering) mapped(c [4]*ir.Def) (m [4]*ir.Def) {
	for i, name := range []byte(l.c.Swizzle) {
		switch name {
		case '0', '1':
			m[i] = l.b.ImmFloat(float64(name-'0'), c[0].BitSize)
		default:
			m[i] = c[strings.IndexByte("rgba", name)]
		}
	}
	return m
}

// lumaWeights are what red and blue count in luma, by model (ITU-R BT.709, BT.601, BT.2020).
var lumaWeights = lazy.Value[map[ir.YCbCrModel][2]float64]{Make: func() map[ir.YCbCrModel][2]float64 {
	return map[ir.YCbCrModel][2]float64{ir.YCbCr709: {0.2126, 0.0722}, ir.YCbCr601: {0.299, 0.114}, ir.YCbCr2020: {0.2627, 0.0593}}
}}

// convert expands the range and applies the model (Vulkan, Sampler Y'CbCr conversion).
func (l *planeLowering) convert(c [4]*ir.Def) [4]*ir.Def {
	if l.c.Model == ir.YCbCrRGB {
		return c
	}
	b, steps := l.b, float64(uint64(1)<<l.c.Bits)
	scaled := func(v *ir.Def, factor, add float64) *ir.Def {
		return b.Fadd(b.Fmul(v, b.ImmFloat(factor, v.BitSize)), b.ImmFloat(add, v.BitSize))
	}
	luma, blue, red := c[1], c[2], c[0]
	if l.c.Narrow {
		k := (steps - 1) / (steps / 256)
		luma, blue, red = scaled(luma, k/219, -16.0/219), scaled(blue, k/224, -128.0/224), scaled(red, k/224, -128.0/224)
	} else {
		middle := -steps / 2 / (steps - 1)
		blue, red = scaled(blue, 1, middle), scaled(red, 1, middle)
	}
	w, ok := lumaWeights.Get()[l.c.Model]
	if !ok {
		return [4]*ir.Def{red, luma, blue, c[3]}
	}
	fromRed, fromBlue, green := 2*(1-w[0]), 2*(1-w[1]), 1-w[0]-w[1]
	times := func(v *ir.Def, k float64) *ir.Def { return b.Fmul(v, b.ImmFloat(k, v.BitSize)) }
	g := b.Fadd(luma, b.Fadd(times(blue, -w[1]*fromBlue/green), times(red, -w[0]*fromRed/green)))
	return [4]*ir.Def{b.Fadd(luma, times(red, fromRed)), g, b.Fadd(luma, times(blue, fromBlue)), c[3]}
}
