package passes

import (
	"fmt"
	"strings"

	"nirc/ir"
)

var lowerTexPass = &Pass{
	Name: "lower_tex", For: ir.HasTex, Class: "A", Run: lowerTex, Idempotent: true,
	Doc: "Writes texture operations that a target lacks by those that it has, each form by an option of its own, in this order: projectors, texel offsets of fetches, " +
		"implicit LODs where there are no derivatives or those of a workgroup, biases and LOD clamps, explicit derivatives, sizes at a LOD, sizes of cube arrays, gathers at four offsets. After projectors come rectangles, 1D textures and numbers as sources; results are decoded and swizzled right after the operation. " +
		"A clamp holds for the LOD with the sampler's bias, which is no matter of the shader: explicit LODs keep it as a source. " +
		"Runs before descriptors are lowered: the sizes that it needs are txs operations. Colour spaces and swizzles belong to the image views where the hardware has them. Decoding, packed results and swizzles are not idempotent. " +
		"Conversions from YCbCr come before all: the binding of one is an array of planes then, elements times planes long.",
	Options: []Option{
		{"projector", "divide coordinates and reference by the projector", false},
		{"txf_offset", "add the offsets of fetches to their coordinates", false},
		{"implicit_lod", "tex and txb outside fragment shaders (and compute shaders with derivative groups) at LOD 0; queries there are refused where lod_query is off", false},
		{"group_lod", "implicit LODs of compute shaders with derivative groups as explicit derivatives; queries of theirs are refused where lod_query is off", false},
		{"txb", "biases as explicit LODs", false},
		{"min_lod", "clamps of implicit LODs as biases of what a query gives", false},
		{"lod_ddx", "implicit LODs with a clamp as explicit LODs", false},
		{"lod_query", "queries of the LOD as queries of what the sampler makes of a LOD, computed from derivatives", false},
		{"txd", "explicit derivatives as explicit LODs: none, cube, 3d, shadow or all; cube|3d combines", "none"},
		{"txs_lod", "sizes by shifting those of LOD 0", false},
		{"txs_cube_array", "sizes of cube arrays by those of arrays of faces", false},
		{"tg4_offsets", "gathers at four offsets as four gathers", false},
		{"round_layer", "round array layers, to nearest even", false},
		{"rect", "rectangles, whose coordinates count texels, as 2D textures", false},
		{"dim_1d", "1D textures as 2D textures of height 1", false},
		{"index_to_offset", "numbers of textures and samplers as sources", false},
		{"srgb", "red, green and blue of float results are sRGB: decode them", false},
		{"ycbcr", "conversions of combined image samplers, each SET.BINDING[.ELEMENT] and words after slashes (rgb ycbcr 709 601 2020, full narrow, 8bit to 16bit, 1plane to 3plane, " +
			"444 422 420, cosited_x cosited_y, nearest linear, a mapping of rgba01), joined by |; those of the shader's options follow, also after the word options alone", ""},
		{"packing", "what comes as packed words: none, half (two of 16 bits a word) or byte (four of 8 bits)", "none"},
		{"textures", "bindings that srgb, swizzle, packing and saturate are for, each SET.BINDING, joined by |; none: all", ""},
		{"saturate", "coordinates kept from 0 to 1, or in a rectangle, before texels are filtered, as GL_CLAMP of OpenGL asks: none, s, t or r; s|t combines", "none"},
		{"wide", "sources and results of 16 bits as ones of 32", false},
		{"swizzle", "components that results take theirs from, of xyzw, 0 and 1", "xyzw"},
	},
}

// texLowering is one run; b stands before the instruction.
type texLowering struct {
	b  *ir.Builder
	in *ir.Instr
	t  *ir.TexInfo

	projector, txfOffset, implicitLod, txb, minLod, lodDdx bool

	txdAll, txdCube, txd3D, txdShadow            bool
	txsLod, txsCubeArray, tg4Offsets, roundLayer bool
	lodQuery, wide                               bool
	noDerivatives, groupLod                      bool
	forms                                        texForms
}

// texOptions decodes the options but those about YCbCr, which the shader's follow.
func texOptions(c *Context) (*texLowering, error) {
	l := &texLowering{
		projector: c.Bool("projector"), txfOffset: c.Bool("txf_offset"), implicitLod: c.Bool("implicit_lod"), txb: c.Bool("txb"), minLod: c.Bool("min_lod"), lodDdx: c.Bool("lod_ddx"), lodQuery: c.Bool("lod_query"), wide: c.Bool("wide"),
		txsLod: c.Bool("txs_lod"), txsCubeArray: c.Bool("txs_cube_array"), tg4Offsets: c.Bool("tg4_offsets"), roundLayer: c.Bool("round_layer"),
	}
	if err := l.parseTxd(c.String("txd")); err != nil {
		return nil, err
	}
	return l, l.forms.parse(c)
}

func lowerTex(c *Context, s *ir.Shader) (bool, error) {
	opts, err := c.decoded(func() (any, error) { return texOptions(c) })
	if err != nil {
		return false, err
	}
	l := new(texLowering)
	*l = *opts.(*texLowering)
	l.noDerivatives = s.Stage != ir.StageFragment && s.Info.DerivativeGroup == 0
	l.groupLod = c.Bool("group_lod") && s.Stage != ir.StageFragment && !l.noDerivatives
	if (l.groupLod || l.implicitLod && l.noDerivatives) && !l.lodQuery {
		if err := refuseQueries(s); err != nil {
			return false, err
		}
	}
	table, err := parseYCbCr(c.String("ycbcr"), s)
	if err != nil {
		return false, err
	}
	converted, err := planes(s, table)
	if err != nil {
		return false, err
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		progress := false
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind != ir.KindTex {
					continue
				}
				l.b, l.in, l.t = builderBefore(in), in, in.TexInfo()
				progress = l.lower() || progress
			}
		}
		return progress
	}) || converted, nil
}

func (l *texLowering) parseTxd(list string) error {
	for _, n := range strings.Split(list, "|") {
		switch n {
		case "none":
		case "all":
			l.txdAll = true
		case "cube":
			l.txdCube = true
		case "3d":
			l.txd3D = true
		case "shadow":
			l.txdShadow = true
		default:
			return fmt.Errorf("txd=%s: want none, all, cube, 3d or shadow", list)
		}
	}
	return nil
}

// lower rewrites the instruction; it reports whether anything changed.
func (l *texLowering) lower() (did bool) {
	if l.wide {
		did = l.widen()
	}
	if l.projector && l.has(ir.TexSrcProjector) {
		l.project()
		did = true
	}
	did = l.otherForms() || did
	if l.txfOffset && l.in.TexOp == ir.TexOpTxf && l.has(ir.TexSrcOffset) {
		l.addOffset()
		did = true
	}
	if l.roundLayer && l.t.IsArray && l.has(ir.TexSrcCoord) && !l.in.TexOp.Info().IntCoords && l.in.TexOp != ir.TexOpLod { // a query of the LOD has no layer
		did = l.round() || did
	}
	if l.implicitLod && l.noDerivatives && (l.in.TexOp == ir.TexOpTex || l.in.TexOp == ir.TexOpTxb) {
		l.zeroLod()
		did = true
	}
	if l.groupLod && (l.in.TexOp == ir.TexOpTex || l.in.TexOp == ir.TexOpTxb) {
		l.gradients()
		did = true
	}
	did = l.clamp() || did
	if l.lodQuery && l.in.TexOp == ir.TexOpLod && !l.has(ir.TexSrcLod) {
		l.queryLod()
		did = true
	}
	if l.in.TexOp == ir.TexOpTxd && l.wantsTxd() {
		l.derivatives()
		did = true
	}
	if l.in.TexOp == ir.TexOpTxs {
		did = l.size() || did
	}
	if l.tg4Offsets && l.in.TexOp == ir.TexOpTg4 && l.t.HasOffsets {
		l.gathers()
		did = true
	}
	return did
}

func (l *texLowering) has(k ir.TexSrc) bool { return l.in.TexSrc(k) != nil }

func (l *texLowering) src(k ir.TexSrc) *ir.Def { return l.in.TexSrc(k).Def }

// take returns a source's value and removes the source.
func (l *texLowering) take(k ir.TexSrc) *ir.Def {
	for i, kind := range l.t.SrcKinds {
		if kind == k {
			d := l.in.Srcs[i].Def
			l.in.RemoveSrc(i)
			return d
		}
	}
	return nil
}

func (l *texLowering) set(k ir.TexSrc, d *ir.Def) {
	if s := l.in.TexSrc(k); s != nil {
		s.Set(d)
		return
	}
	l.b.Shader.AddTexSrc(l.in, k, d)
}

// flat is the number of coordinates without the layer, which a query of the LOD has not.
func (l *texLowering) flat() int {
	n := int(l.src(ir.TexSrcCoord).NumComponents)
	if l.t.IsArray && l.in.TexOp != ir.TexOpLod {
		n--
	}
	return n
}

// mapCoord gives each coordinate but the layer through f.
func (l *texLowering) mapCoord(f func(i int, c *ir.Def) *ir.Def) {
	coord := l.src(ir.TexSrcCoord)
	comps := make([]*ir.Def, coord.NumComponents)
	for i := range comps {
		comps[i] = l.b.Channel(coord, i)
		if i < l.flat() {
			comps[i] = f(i, comps[i])
		}
	}
	l.set(ir.TexSrcCoord, l.b.Vec(comps...))
}

func (l *texLowering) project() {
	inv := l.b.Frcp(l.take(ir.TexSrcProjector))
	l.mapCoord(func(_ int, c *ir.Def) *ir.Def { return l.b.Fmul(c, inv) })
	if ref := l.in.TexSrc(ir.TexSrcComparator); ref != nil {
		ref.Set(l.b.Fmul(ref.Def, inv))
	}
}

func (l *texLowering) addOffset() {
	off := l.take(ir.TexSrcOffset)
	l.mapCoord(func(i int, c *ir.Def) *ir.Def { return l.b.Iadd(c, resizeInt(l.b, l.b.Channel(off, i), c.BitSize)) })
}

// round rounds the layer; it leaves one alone that is rounded already.
func (l *texLowering) round() bool {
	coord := l.src(ir.TexSrcCoord)
	n := l.flat()
	if v := coord.Instr; v.IsVec() && v.Srcs[n].Def.Instr.IsALU(ir.OpFroundEven) {
		return false
	}
	comps := make([]*ir.Def, n+1)
	for i := range comps {
		comps[i] = l.b.Channel(coord, i)
	}
	comps[n] = l.b.FroundEven(comps[n])
	l.set(ir.TexSrcCoord, l.b.Vec(comps...))
	return true
}

// zeroLod: the implicit LOD is 0, plus the bias.
func (l *texLowering) zeroLod() {
	lod := l.b.ImmFloat(0, 32)
	if l.in.TexOp == ir.TexOpTxb {
		lod = l.take(ir.TexSrcBias)
	}
	l.setLod(lod)
}

// gradients gives the operation the derivatives of its coordinates; a bias scales them by as many powers of two.
func (l *texLowering) gradients() {
	if l.has(ir.TexSrcProjector) {
		l.project()
	}
	c := l.b.Channels(l.src(ir.TexSrcCoord), 0, l.flat())
	dx, dy := &l.b.Intrinsic(ir.IntrDdx, c.NumComponents, c.BitSize, c).Def, &l.b.Intrinsic(ir.IntrDdy, c.NumComponents, c.BitSize, c).Def
	if l.has(ir.TexSrcBias) {
		scale := l.b.Fexp2(resizeFloat(l.b, l.take(ir.TexSrcBias), c.BitSize))
		dx, dy = l.b.Fmul(dx, scale), l.b.Fmul(dy, scale)
	}
	l.in.TexOp = ir.TexOpTxd
	l.set(ir.TexSrcDdx, dx)
	l.set(ir.TexSrcDdy, dy)
}

// refuseQueries refuses queries of implicit LODs: no fact says that hardware sees derivatives there outside of fragment shaders.
func refuseQueries(s *ir.Shader) error {
	for _, fn := range s.Functions {
		if fn.Impl == nil {
			continue
		}
		for in := range fn.Impl.Instrs() {
			if in.Kind == ir.KindTex && in.TexOp == ir.TexOpLod && in.TexSrc(ir.TexSrcLod) == nil {
				return RefusalAt(s, in, fmt.Sprintf("a query of the implicit LOD in a %s shader is not supported: the hardware answers those of fragments", s.Stage))
			}
		}
	}
	return nil
}

// clamp lowers biases and clamps of implicit LODs.
func (l *texLowering) clamp() bool {
	clamped := l.has(ir.TexSrcMinLod)
	switch {
	case l.in.TexOp != ir.TexOpTex && l.in.TexOp != ir.TexOpTxb:
		return false
	case l.txb && l.in.TexOp == ir.TexOpTxb, clamped && (l.lodDdx || l.txb):
		l.explicitLod()
	case clamped && l.minLod && !l.noDerivatives:
		l.biasUp()
	default:
		return false
	}
	return true
}

// biasUp makes a clamp a bias: what a query gives, which has the sampler's bias in it, lacks that much.
func (l *texLowering) biasUp() {
	up := l.b.Fsub(l.widened(l.take(ir.TexSrcMinLod), l.impliedLod()))
	if l.has(ir.TexSrcBias) {
		up = l.b.Fmax(l.widened(up, l.take(ir.TexSrcBias)))
	} else {
		up = l.b.Fmax(up, l.b.ImmFloat(0, up.BitSize))
	}
	l.in.TexOp = ir.TexOpTxb
	l.set(ir.TexSrcBias, up)
}

// widened gives two floats of 16 or 32 bits one size, 32 if they differ.
func (l *texLowering) widened(x, y *ir.Def) (*ir.Def, *ir.Def) {
	switch {
	case x.BitSize < y.BitSize:
		x = l.b.F2f32(x)
	case y.BitSize < x.BitSize:
		y = l.b.F2f32(y)
	}
	return x, y
}

// setLod turns the operation into a txl; a clamp stays.
func (l *texLowering) setLod(lod *ir.Def) {
	l.in.TexOp = ir.TexOpTxl
	if l.has(ir.TexSrcMinLod) {
		var least *ir.Def
		lod, least = l.widened(lod, l.src(ir.TexSrcMinLod))
		l.set(ir.TexSrcMinLod, least)
	}
	l.set(ir.TexSrcLod, lod)
}

// explicitLod asks for the LOD that the operation would compute.
func (l *texLowering) explicitLod() {
	lod := l.differences()
	if l.has(ir.TexSrcBias) {
		lod = l.b.Fadd(l.widened(lod, l.take(ir.TexSrcBias)))
	}
	l.setLod(lod)
}

// impliedLod is the LOD of implicit derivatives with the sampler's bias, without that of the operation and clamps.
func (l *texLowering) impliedLod() *ir.Def {
	q := l.b.Shader.NewTex(ir.TexOpLod, 2, 32)
	*q.TexInfo() = *l.t
	qt := q.TexInfo()
	qt.SrcKinds, qt.IsShadow, qt.NewStyleShadow, qt.IsSparse = nil, false, false, false
	qt.DestType = ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	for i, k := range l.t.SrcKinds {
		switch k {
		case ir.TexSrcComparator, ir.TexSrcOffset, ir.TexSrcBias, ir.TexSrcMinLod:
			continue
		}
		d := l.in.Srcs[i].Def
		if k == ir.TexSrcCoord { // a query has no layer
			d = l.b.Channels(d, 0, l.flat())
			qt.CoordComponents = d.NumComponents
		}
		l.b.Shader.AddTexSrc(q, k, d)
	}
	l.b.Insert(q)
	return l.b.Channel(&q.Def, 1)
}

// differences is the LOD of the differences of the coordinates in the quad.
func (l *texLowering) differences() *ir.Def {
	c := l.b.Channels(l.src(ir.TexSrcCoord), 0, l.flat())
	return l.footprint(&l.b.Intrinsic(ir.IntrDdx, c.NumComponents, c.BitSize, c).Def, &l.b.Intrinsic(ir.IntrDdy, c.NumComponents, c.BitSize, c).Def)
}

// queryLod gives a query of the LOD the LOD that the sampler's state is applied to.
func (l *texLowering) queryLod() {
	var lod *ir.Def
	if l.noDerivatives {
		lod = l.b.ImmFloat(0, 32)
	} else {
		lod = l.differences()
	}
	if l.has(ir.TexSrcBias) {
		lod = l.b.Fadd(l.widened(lod, l.take(ir.TexSrcBias)))
	}
	l.set(ir.TexSrcLod, lod)
}

func (l *texLowering) wantsTxd() bool {
	return l.txdAll || l.txdCube && l.t.Dim == ir.DimCube || l.txd3D && l.t.Dim == ir.Dim3D || l.txdShadow && l.t.IsShadow
}

// query inserts a txs of the texture at LOD 0.
func (l *texLowering) query(comps uint8) *ir.Def {
	q := l.b.Shader.NewTex(ir.TexOpTxs, comps, 32)
	*q.TexInfo() = *l.t
	qt := q.TexInfo()
	qt.SrcKinds, qt.IsShadow, qt.NewStyleShadow, qt.IsSparse, qt.CoordComponents = nil, false, false, false, 0
	qt.DestType = ir.ALUType{Class: ir.ClassInt, Bits: 32}
	for i, k := range l.t.SrcKinds {
		switch k {
		case ir.TexSrcTextureDeref, ir.TexSrcTextureOffset, ir.TexSrcTextureHandle, ir.TexSrcPlane:
			l.b.Shader.AddTexSrc(q, k, l.in.Srcs[i].Def)
		}
	}
	l.b.Shader.AddTexSrc(q, ir.TexSrcLod, l.b.Imm32(0))
	l.b.Insert(q)
	return &q.Def
}

// derivatives computes the LOD from the derivatives.
func (l *texLowering) derivatives() {
	l.setLod(l.footprint(l.take(ir.TexSrcDdx), l.take(ir.TexSrcDdy)))
}

// footprint is the LOD of derivatives: the logarithm of the longer of the two
// footprints in texels.
func (l *texLowering) footprint(ddx, ddy *ir.Def) *ir.Def {
	comps := uint8(l.flat())
	if l.t.Dim == ir.DimCube {
		comps = 2
	}
	all := comps
	if l.t.IsArray {
		all++
	}
	if ddx.BitSize == 16 { // halves hold no square of a texture's size
		ddx, ddy = l.b.F2f32(ddx), l.b.F2f32(ddy)
	}
	size := l.query(all)
	size = l.b.I2f32(l.b.Channels(size, 0, int(comps)))
	if l.t.Dim == ir.DimCube {
		ddx, ddy = l.faceDerivatives(ddx, ddy)
	}
	return l.b.Fmul(l.b.Flog2(l.b.Fmax(l.length2(ddx, size), l.length2(ddy, size))), l.b.ImmFloat(0.5, 32))
}

// length2 is the square of the length of d in texels.
func (l *texLowering) length2(d, size *ir.Def) *ir.Def {
	p := l.b.Fmul(d, size)
	var sum *ir.Def
	for i := range int(d.NumComponents) {
		c := l.b.Channel(p, i)
		c = l.b.Fmul(c, c)
		if sum != nil {
			c = l.b.Fadd(sum, c)
		}
		sum = c
	}
	return sum
}

// faceDerivatives turns derivatives of a direction into those of the two
// coordinates on its face, s = sc / (2 ma): ds = (dsc - sc/ma dma) / (2 ma).
// Signs do not matter to lengths.
func (l *texLowering) faceDerivatives(ddx, ddy *ir.Def) (x, y *ir.Def) {
	b := l.b
	dir := l.src(ir.TexSrcCoord)
	abs := b.Fabs(b.Channels(dir, 0, 3))
	ax, ay, az := b.Channel(abs, 0), b.Channel(abs, 1), b.Channel(abs, 2)
	isZ := b.Iand(b.Fge(az, ax), b.Fge(az, ay))
	isY := b.Fge(ay, ax)
	// pick is the major axis' component first, then the others.
	pick := func(v *ir.Def) [3]*ir.Def {
		vx, vy, vz := b.Channel(v, 0), b.Channel(v, 1), b.Channel(v, 2)
		return [3]*ir.Def{
			b.Bcsel(isZ, vz, b.Bcsel(isY, vy, vx)),
			b.Bcsel(isZ, vx, b.Bcsel(isY, vx, vy)),
			b.Bcsel(isZ, vy, vz),
		}
	}
	p := pick(dir)
	inv := b.Frcp(p[0])
	half := b.Fmul(inv, b.ImmFloat(0.5, 32))
	on := func(d *ir.Def) *ir.Def {
		q := pick(d)
		var st [2]*ir.Def
		for i := range st {
			st[i] = b.Fmul(b.Fsub(q[i+1], b.Fmul(b.Fmul(p[i+1], inv), q[0])), half)
		}
		return b.Vec(st[0], st[1])
	}
	return on(ddx), on(ddy)
}

// size writes sizes at a LOD and of cube arrays.
func (l *texLowering) size() (did bool) {
	lod := l.in.TexSrc(ir.TexSrcLod)
	n := int(l.in.Def.NumComponents)
	after := ir.NewBuilder(ir.After(l.in))
	r := &l.in.Def
	if l.txsLod && lod != nil {
		if v, ok := lod.Def.Const(0); !ok || v != 0 {
			by := lod.Def
			lod.Set(l.b.Imm32(0))
			comps := make([]*ir.Def, n)
			for i := range comps {
				comps[i] = after.Channel(r, i)
				if i < n-1 || !l.t.IsArray {
					comps[i] = after.Imax(after.Ushr(comps[i], by), after.Imm32(1))
				}
			}
			r = after.Vec(comps...)
			did = true
		}
	}
	if l.txsCubeArray && l.t.IsArray && l.t.Dim == ir.DimCube {
		l.t.Dim = ir.Dim2D
		comps := make([]*ir.Def, n)
		for i := range comps {
			comps[i] = after.Channel(r, i)
		}
		comps[n-1] = after.Udiv(comps[n-1], after.Imm32(6))
		r = after.Vec(comps...)
		did = true
	}
	if did {
		l.in.Def.RewriteUsesAfter(r, r.Instr)
	}
	return did
}

// gathers writes a gather at four offsets as four gathers, of each the texel
// that alone one of them wants: the last.
func (l *texLowering) gathers() {
	s := l.b.Shader
	n := int(l.in.Def.NumComponents)
	var comps [5]*ir.Def
	for k := range 4 {
		g := s.NewTex(ir.TexOpTg4, uint8(n), l.in.Def.BitSize)
		*g.TexInfo() = *l.t
		g.TexInfo().SrcKinds, g.TexInfo().HasOffsets = nil, false
		for i, kind := range l.t.SrcKinds {
			s.AddTexSrc(g, kind, l.in.Srcs[i].Def)
		}
		off := l.t.Offsets[k]
		s.AddTexSrc(g, ir.TexSrcOffset, l.b.Const(32, uint64(uint32(int32(off[0]))), uint64(uint32(int32(off[1])))))
		l.b.Insert(g)
		comps[k] = l.b.Channel(&g.Def, 3)
		if !l.t.IsSparse {
			continue
		}
		code := l.b.Channel(&g.Def, 4)
		if k > 0 {
			code = l.b.Ior(comps[4], code)
		}
		comps[4] = code
	}
	l.in.Def.RewriteUses(l.b.Vec(comps[:n]...))
	l.in.Remove()
}
