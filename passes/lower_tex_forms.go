package passes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nirc/ir"
)

// texForms are the options of lower_tex about shapes, names and results.
type texForms struct {
	rect, dim1D, toOffset, srgb bool
	swizzle                     string // "" for xyzw
	// packing is the size of packed components, 0 where results are not packed.
	packing uint8
	// saturate are the coordinates that are kept in the texture.
	saturate [3]bool
	// textures are the bindings whose results and coordinates change, nil all.
	textures [][2]uint32
}

func (f *texForms) parse(c *Context) error {
	f.rect, f.dim1D, f.toOffset, f.srgb = c.Bool("rect"), c.Bool("dim_1d"), c.Bool("index_to_offset"), c.Bool("srgb")
	f.swizzle = c.String("swizzle")
	if len(f.swizzle) != 4 || strings.Trim(f.swizzle, "xyzw01") != "" {
		return fmt.Errorf("swizzle=%s: want four of xyzw01", f.swizzle)
	}
	if f.swizzle == "xyzw" {
		f.swizzle = ""
	}
	switch p := c.String("packing"); p {
	case "none":
	case "half":
		f.packing = 16
	case "byte":
		f.packing = 8
	default:
		return fmt.Errorf("packing=%s: want none, half or byte", p)
	}
	f.saturate = [3]bool{}
	for name := range strings.SplitSeq(c.String("saturate"), "|") {
		switch k := strings.Index("str", name); {
		case name == "none":
		case len(name) != 1 || k < 0:
			return fmt.Errorf("saturate=%s: want none, s, t or r", c.String("saturate"))
		default:
			f.saturate[k] = true
		}
	}
	return f.parseTextures(c.String("textures"))
}

func (f *texForms) parseTextures(list string) error {
	f.textures = nil
	for text := range strings.SplitSeq(list, "|") {
		if text == "" {
			continue
		}
		set, binding, ok := strings.Cut(text, ".")
		s, err1 := strconv.ParseUint(set, 10, 16)
		b, err2 := strconv.ParseUint(binding, 10, 32)
		if !ok || err1 != nil || err2 != nil {
			return fmt.Errorf("textures=%s: want SET.BINDING", list)
		}
		f.textures = append(f.textures, [2]uint32{uint32(s), uint32(b)})
	}
	return nil
}

// wanted reports whether the results of an operation change.
func (f *texForms) wanted(in *ir.Instr) bool {
	t := in.TexInfo()
	if !f.srgb && f.swizzle == "" && f.packing == 0 || t.BackendFlags&texResultDone != 0 || in.TexOp.Info().Query || t.IsShadow {
		return false
	}
	return f.chosen(in)
}

// chosen reports whether the texture of an operation is one of those that the option names.
func (f *texForms) chosen(in *ir.Instr) bool {
	if f.textures == nil {
		return true
	}
	src := in.TexSrc(ir.TexSrcTextureDeref)
	if src == nil {
		return false
	}
	v := rootVar(src.Def.Instr)
	return v != nil && slices.Contains(f.textures, [2]uint32{v.Set, v.Binding})
}

// otherForms brings the operation into the shapes that the options ask for.
func (l *texLowering) otherForms() (did bool) {
	f := &l.forms
	// What is done to a result is done once: the operation has BackendFlags then.
	if f.wanted(l.in) {
		l.t.BackendFlags |= texResultDone
		l.result()
		did = true
	}
	if f.rect && l.t.Dim == ir.DimRect {
		l.rectangle()
		did = true
	}
	if f.saturate != [3]bool{} && f.chosen(l.in) && l.in.TexOp.Info().NeedsSampler && l.t.BackendFlags&texSaturated == 0 && l.t.Dim != ir.DimCube && l.has(ir.TexSrcCoord) {
		l.saturate()
		did = true
	}
	if f.dim1D && l.t.Dim == ir.Dim1D {
		l.flatten()
		did = true
	}
	if f.toOffset && l.t.TextureIndex|l.t.SamplerIndex != 0 {
		l.numberToOffset(ir.TexSrcTextureOffset, &l.t.TextureIndex)
		l.numberToOffset(ir.TexSrcSamplerOffset, &l.t.SamplerIndex)
		did = true
	}
	return did
}

// texSaturated marks operations whose coordinates are kept in the texture.
const texSaturated = 1 << 29

// saturate keeps coordinates from 0 to 1, or of rectangles to the size, as OpenGL's GL_CLAMP does before texels are filtered:
// what lies beyond gives half of the border's colour with a sampler that clamps to the border.
func (l *texLowering) saturate() {
	l.t.BackendFlags |= texSaturated
	var size *ir.Def
	if l.t.Dim == ir.DimRect {
		size = l.b.I2f32(l.query(2))
	}
	l.mapCoord(func(i int, c *ir.Def) *ir.Def {
		switch {
		case !l.forms.saturate[i]:
			return c
		case size != nil:
			return l.b.Fmin(l.b.Fmax(c, l.b.ImmFloat(0, c.BitSize)), l.b.Channel(size, i))
		}
		return l.b.Fsat(c)
	})
}

// texResultDone marks operations whose result is decoded and swizzled.
const texResultDone = 1 << 31

// rectangle divides coordinates and derivatives in texels by the size.
func (l *texLowering) rectangle() {
	l.t.Dim = ir.Dim2D
	row := l.in.TexOp.Info()
	switch {
	case row.Query && !l.has(ir.TexSrcCoord):
		if l.in.TexOp == ir.TexOpTxs && !l.has(ir.TexSrcLod) {
			l.set(ir.TexSrcLod, l.b.Imm32(0))
		}
	case row.IntCoords:
		if l.in.TexOp == ir.TexOpTxf && !l.has(ir.TexSrcLod) {
			l.set(ir.TexSrcLod, l.b.Imm32(0))
		}
	default:
		scale := l.b.Frcp(l.b.I2f32(l.query(2)))
		l.mapCoord(func(i int, c *ir.Def) *ir.Def { return l.b.Fmul(c, l.b.Channel(scale, i)) })
		for _, k := range []ir.TexSrc{ir.TexSrcDdx, ir.TexSrcDdy} {
			if l.has(k) {
				l.set(k, l.b.Fmul(l.src(k), scale))
			}
		}
	}
}

// flatten gives a 1D texture a second coordinate, in the middle of its only row.
func (l *texLowering) flatten() {
	l.t.Dim = ir.Dim2D
	second := func(k ir.TexSrc, v *ir.Def) {
		d := l.src(k)
		comps := []*ir.Def{l.b.Channel(d, 0), v}
		for i := 1; i < int(d.NumComponents); i++ {
			comps = append(comps, l.b.Channel(d, i))
		}
		l.set(k, l.b.Vec(comps...))
	}
	if l.has(ir.TexSrcCoord) {
		bits := l.src(ir.TexSrcCoord).BitSize
		middle := l.b.ImmFloat(0.5, bits)
		if l.in.TexOp.Info().IntCoords {
			middle = l.b.ImmInt(0, bits)
		}
		second(ir.TexSrcCoord, middle)
		l.t.CoordComponents++
	}
	for _, k := range []ir.TexSrc{ir.TexSrcOffset, ir.TexSrcDdx, ir.TexSrcDdy} {
		if l.has(k) {
			second(k, l.b.ImmInt(0, l.src(k).BitSize))
		}
	}
	if l.in.TexOp == ir.TexOpTxs {
		l.flatSize()
	}
}

// flatSize asks for the size of the 2D texture, and leaves the height out.
func (l *texLowering) flatSize() {
	n := l.in.Def.NumComponents
	q := l.b.Shader.NewTex(ir.TexOpTxs, n+1, l.in.Def.BitSize)
	*q.TexInfo() = *l.t
	q.TexInfo().SrcKinds = nil
	for i, k := range l.t.SrcKinds {
		l.b.Shader.AddTexSrc(q, k, l.in.Srcs[i].Def)
	}
	l.b.Insert(q)
	comps := []*ir.Def{l.b.Channel(&q.Def, 0)}
	if n > 1 {
		comps = append(comps, l.b.Channel(&q.Def, 2))
	}
	l.in.Def.RewriteUses(l.b.Vec(comps...))
	l.in.Remove()
	l.in, l.t = q, q.TexInfo()
}

// numberToOffset moves a number into the source that adds to it.
func (l *texLowering) numberToOffset(k ir.TexSrc, number *uint32) {
	if *number == 0 {
		return
	}
	v := l.b.Imm32(*number)
	if l.has(k) {
		v = l.b.Iadd(l.src(k), v)
	}
	*number = 0
	l.set(k, v)
}

// result decodes and swizzles what the operation gives; a gather takes the
// component that the swizzle names.
func (l *texLowering) result() {
	after := ir.NewBuilder(ir.After(l.in))
	r := &l.in.Def
	n := int(r.NumComponents)
	comps := make([]*ir.Def, n)
	dest := l.t.DestType.Class
	texel := l.unpacked(after)
	pick := func(k int, c byte) *ir.Def {
		switch {
		case c == '0':
			return after.Const(r.BitSize, 0)
		case c == '1' && dest == ir.ClassFloat:
			return after.ImmFloat(1, r.BitSize)
		case c == '1':
			return after.Const(r.BitSize, 1)
		}
		v := texel(k)
		if l.forms.srgb && dest == ir.ClassFloat && c != 'w' {
			v = SrgbToLinear(after, v)
		}
		return v
	}
	swizzle := l.forms.swizzle
	if swizzle == "" {
		swizzle = "xyzw"
	}
	for i := range comps {
		switch {
		case i == n-1 && l.t.IsSparse:
			comps[i] = after.Channel(r, i)
		case l.in.TexOp == ir.TexOpTg4:
			comps[i] = pick(i, swizzle[l.t.Component])
		default:
			c := swizzle[i]
			comps[i] = pick(max(strings.IndexByte("xyzw", c), 0), c)
		}
	}
	if l.in.TexOp == ir.TexOpTg4 {
		l.t.Component = uint8(max(strings.IndexByte("xyzw", swizzle[l.t.Component]), 0))
	}
	v := after.Vec(comps...)
	r.RewriteUsesAfter(v, v.Instr)
}

// unpacked returns what reads a component of the operation's result. Packed ones come as the bits of words, the
// first component in the lowest bits; gathers are not packed.
func (l *texLowering) unpacked(b *ir.Builder) func(k int) *ir.Def {
	size, r, class := int(l.forms.packing), &l.in.Def, l.t.DestType.Class
	if size == 0 || r.BitSize != 32 || l.in.TexOp == ir.TexOpTg4 {
		return func(k int) *ir.Def { return b.Channel(r, k) }
	}
	return func(k int) *ir.Def {
		word, at := b.Channel(r, k*size/32), k*size%32
		if class == ir.ClassFloat && size == 16 {
			if at == 0 {
				return b.UnpackHalf2x16SplitX(word)
			}
			return b.UnpackHalf2x16SplitY(word)
		}
		from, bits := b.Imm32(uint32(at)), b.Imm32(uint32(size))
		if class == ir.ClassInt {
			return b.Ibfe(word, from, bits)
		}
		v := b.Ubfe(word, from, bits)
		if class == ir.ClassFloat {
			v = UnormToFloat(b, v, uint8(size))
		}
		return v
	}
}
