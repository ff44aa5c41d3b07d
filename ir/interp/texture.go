package interp

import (
	"math"

	"nirc/internal/emu"
	"nirc/ir"
)

// operand is a source by its components' slots; none if nil.
type operand struct {
	at   []int32
	bits uint8
}

// resource is how an instruction finds a descriptor: a slot with its handle, or
// -1, and what is added to it.
type resource struct {
	at  int32
	add uint32
}

// texture is a texture operation, taken apart. A descriptor's handle, which is
// what derefs of textures and samplers evaluate to and what indices and
// handles are, is the number of emu.Bindings.
type texture struct {
	in                          *ir.Instr
	op                          ir.TexOp
	dim                         emu.TexDim
	ms, buffer, rect            bool
	attachment, view            bool // of a fragment's own pixel, and its layer or view
	array, cubeLayers, implicit bool
	tex, smp, second            resource
	src                         [ir.NumTexSrcs]operand
	flat                        int // coordinates without the layer
	offsets                     *[4][2]int32
	class                       ir.TypeClass
	comps                       int // of the result, without residency
	// alter is Options.Alter, of queries of an LOD.
	alter func(in *ir.Instr, srcs *[4]uint64, vecs [][]uint64, result uint64) uint64
}

// texDims are the shapes by ir.Dim.
var texDims = [...]emu.TexDim{ir.Dim1D: emu.Tex1D, ir.Dim2D: emu.Tex2D, ir.Dim3D: emu.Tex3D, ir.DimCube: emu.TexCube, ir.DimRect: emu.Tex2D,
	ir.DimBuf: emu.Tex1D, ir.DimExternal: emu.Tex2D, ir.DimMS: emu.Tex2D, ir.DimSubpass: emu.Tex2D, ir.DimSubpassMS: emu.Tex2D}

// dimCoords is the number of coordinates of a shape, without the layer.
var dimCoords = [...]int{emu.Tex1D: 1, emu.Tex2D: 2, emu.Tex3D: 3, emu.TexCube: 3}

// tex translates a texture operation.
func (c *compiler) tex(in *ir.Instr) {
	info := in.TexInfo()
	if int(info.Dim) >= len(texDims) {
		c.refuse(in, "textures of dimension %d are not supported", info.Dim)
		return
	}
	t := &texture{in: in, alter: c.opts.Alter, op: in.TexOp, dim: texDims[info.Dim], array: info.IsArray, class: info.DestType.Class, cubeLayers: info.ArrayIsLoweredCube,
		ms: info.Dim == ir.DimMS || info.Dim == ir.DimSubpassMS, attachment: info.Dim.IsSubpass(), view: c.s.Options != nil && c.s.Options.Multiview, buffer: info.Dim == ir.DimBuf, rect: info.Dim == ir.DimRect}
	t.flat = dimCoords[t.dim]
	t.comps = int(in.Def.NumComponents)
	if info.IsSparse {
		t.comps--
	}
	for i, k := range info.SrcKinds {
		t.src[k] = operand{c.src(in, i), in.Srcs[i].Def.BitSize}
	}
	t.tex = c.resource(in, t, [3]ir.TexSrc{ir.TexSrcTextureDeref, ir.TexSrcTextureHandle, ir.TexSrcTextureOffset}, info.TextureIndex)
	t.smp = c.resource(in, t, [3]ir.TexSrc{ir.TexSrcSamplerDeref, ir.TexSrcSamplerHandle, ir.TexSrcSamplerOffset}, info.SamplerIndex)
	t.second = c.resource(in, t, [3]ir.TexSrc{ir.TexSrcTexture2Deref, noTexSrc, noTexSrc}, 0)
	if info.HasOffsets {
		t.offsets = new([4][2]int32)
		for k, o := range info.Offsets {
			t.offsets[k] = [2]int32{int32(o[0]), int32(o[1])}
		}
	}
	if !c.checkTex(in, t, info) {
		return
	}
	row := in.TexOp.Info()
	t.implicit = row.ImplicitDerivatives && (c.s.Stage == ir.StageFragment || c.s.Info.DerivativeGroup != 0) && in.TexSrc(ir.TexSrcLod) == nil
	c.emit(inst{op: opTex, n: in.Def.NumComponents, bits: in.Def.BitSize, dst: c.dst(in), x: &extra{in: in, tex: t}})
}

// checkTex refuses what has no meaning here.
func (c *compiler) checkTex(in *ir.Instr, t *texture, info *ir.TexInfo) bool {
	have := func(k ir.TexSrc) bool { return t.src[k].at != nil }
	row := in.TexOp.Info()
	need := t.flat
	if t.array && in.TexOp != ir.TexOpLod {
		need++
	}
	switch {
	case t.attachment && c.s.Stage != ir.StageFragment:
		c.failf(in, "only fragment shaders have input attachments")
	case in.TexOp == ir.TexOpTxfMsFb:
		c.refuse(in, "reading the framebuffer is not supported")
	case have(ir.TexSrcBackend1) || have(ir.TexSrcBackend2):
		c.refuse(in, "sources packed for a target are not supported by the interpreter")
	case have(ir.TexSrcPlane):
		c.refuse(in, "planes of multi-planar formats are not supported")
	case in.TexOp == ir.TexOpTg4 && (info.GatherImplicitLod || have(ir.TexSrcLod) || have(ir.TexSrcBias)):
		c.refuse(in, "a gather with a level of detail is not supported")
	case t.buffer && (row.NeedsSampler || in.TexOp == ir.TexOpTxfMs):
		c.refuse(in, "%s of a texel buffer is not supported", in.TexOp)
	case !row.Query && len(t.src[ir.TexSrcCoord].at) < need:
		c.failf(in, "%d coordinates are needed", need)
	case in.TexOp == ir.TexOpTxd && (len(t.src[ir.TexSrcDdx].at) < t.flat || len(t.src[ir.TexSrcDdy].at) < t.flat):
		c.failf(in, "derivatives of %d components are needed", t.flat)
	default:
		return true
	}
	return false
}

// noTexSrc stands for a kind of source that there is none of.
const noTexSrc = ir.TexSrc(ir.NumTexSrcs)

// resource finds a texture or sampler among an instruction's sources, which are
// of the kinds deref, handle and offset.
func (c *compiler) resource(in *ir.Instr, t *texture, kinds [3]ir.TexSrc, index uint32) resource {
	r := resource{at: -1, add: index}
	for n, k := range kinds {
		if k == noTexSrc {
			continue
		}
		s := t.src[k].at
		switch {
		case s == nil:
		case r.at >= 0:
			c.failf(in, "more than one source names the resource")
		case n == 2:
			r.at = s[0]
		default:
			r = resource{at: s[len(s)-1]}
		}
	}
	return r
}

// handle finds the handle of a lane's descriptor.
func (w *Wave) handle(r resource, l int) int {
	h := r.add
	if r.at >= 0 {
		h += uint32(w.regs[r.at+int32(l)])
	}
	return int(int32(h))
}

// descriptor finds the descriptor of a lane.
func (w *Wave) descriptor(r resource, l int) *emu.Descriptor {
	return w.l.Env.Bindings.Desc(w.handle(r, l))
}

// float reads component k of an operand, 0 if there is none.
func (w *Wave) float(o *operand, k, l int) float32 {
	if k >= len(o.at) {
		return 0
	}
	return float32(ir.FloatValue(w.regs[o.at[k]+int32(l)], o.bits))
}

// int reads component k of an operand, sign-extended.
func (w *Wave) int(o *operand, k, l int) int {
	if k >= len(o.at) {
		return 0
	}
	sh := 64 - o.bits
	return int(int64(w.regs[o.at[k]+int32(l)]<<sh) >> sh)
}

// execTex runs a texture operation in the active lanes. Results are stored when
// all lanes have been read, so that quads see their neighbours' sources.
func (w *Wave) execTex(i *inst) {
	t := i.x.tex
	for _, l := range w.on {
		var v [4]uint64
		w.residency = emu.Resident
		d := w.descriptor(t.tex, int(l))
		row := t.op.Info()
		if d.Type == emu.DescNone && !row.Query {
			w.unboundAt(t.in, w.handle(t.tex, int(l)), int(l))
		}
		switch {
		case row.Query, t.op == ir.TexOpSamplesIdentical:
			v = w.queryTex(t, d, int(l), i.bits)
		case row.NeedsSampler:
			v = w.sampleTex(i, t, d, int(l))
		default:
			v = w.fetchTex(i, t, d, int(l))
		}
		copy(w.texOut[l][:], v[:])
		w.texOut[l][4] = uint64(w.residency)
	}
	sparse := t.comps < int(i.n)
	m := lowBits(i.bits)
	for _, l := range w.on {
		for k := range t.comps {
			w.regs[i.dst+int32(k)*w.w+int32(l)] = w.texOut[l][k] & m
		}
		if sparse {
			w.regs[i.dst+int32(t.comps)*w.w+int32(l)] = w.texOut[l][4]
		}
	}
}

func words4(t [4]uint32) [4]uint64 {
	return [4]uint64{uint64(t[0]), uint64(t[1]), uint64(t[2]), uint64(t[3])}
}

// convertTexel turns the words of a texel into components of the result's type.
// A wide texel's words are pairs.
func convertTexel(t [4]uint32, wide bool, class ir.TypeClass, bits uint8) (v [4]uint64) {
	if wide {
		v = [4]uint64{uint64(t[0]) | uint64(t[1])<<32, uint64(t[2]) | uint64(t[3])<<32, 0, 1}
		return v
	}
	v = words4(t)
	for k := range v {
		switch {
		case bits == 32:
		case class == ir.ClassFloat:
			v[k] = ir.FloatBits(ir.FloatValue(v[k], 32), bits)
		case class == ir.ClassInt:
			v[k] = uint64(int64(int32(t[k])))
		}
	}
	return v
}

func wideView(v *emu.ImageView) bool { return v != nil && v.Image != nil && v.TexelFormat().IsWide() }

// queryTex answers questions about a texture.
func (w *Wave) queryTex(t *texture, d *emu.Descriptor, l int, bits uint8) (v [4]uint64) {
	switch t.op {
	case ir.TexOpTxs:
		if t.buffer {
			v[0] = d.NumTexels()
			return v
		}
		lod := w.int(&t.src[ir.TexSrcLod], 0, l)
		if w.p.texels && uint(lod) >= uint(d.Image.QueryLevels()) {
			w.strayTexel(t.in, l)
		}
		v = words4(d.Image.QuerySize(t.dim, t.array, lod))
		if t.cubeLayers && t.array {
			v[dimCoords[t.dim]] /= 6
		}
	case ir.TexOpQueryLevels:
		v[0] = uint64(d.Image.QueryLevels())
	case ir.TexOpTextureSamples:
		v[0] = uint64(d.Image.QuerySamples())
	case ir.TexOpSamplesIdentical:
		v[0] = truth(w.samplesIdentical(t, d, l))
	default:
		return w.querySampler(t, l, bits)
	}
	return v
}

// querySampler answers questions about a sampler.
func (w *Wave) querySampler(t *texture, l int, bits uint8) (v [4]uint64) {
	s := w.descriptor(t.smp, l).Sampler
	if s == nil {
		return v
	}
	switch t.op {
	case ir.TexOpLodBiasAgx:
		v[0] = ir.FloatBits(float64(s.LodBias), bits)
	case ir.TexOpHasCustomBorderColorAgx:
		v[0] = truth(s.Border == emu.BorderCustom)
	case ir.TexOpCustomBorderColorAgx:
		v = words4(s.Custom)
	}
	return v
}

func (w *Wave) samplesIdentical(t *texture, d *emu.Descriptor, l int) bool {
	first := w.fetch(t, d, l, 0)
	for s := 1; s < int(d.Image.QuerySamples()); s++ {
		if w.fetch(t, d, l, s) != first {
			return false
		}
	}
	return true
}

// fetch reads a texel of an image.
func (w *Wave) fetch(t *texture, d *emu.Descriptor, l, sample int) [4]uint32 {
	var at [3]int
	coord, off := &t.src[ir.TexSrcCoord], &t.src[ir.TexSrcOffset]
	for k := range t.flat {
		at[k] = w.int(coord, k, l) + w.int(off, k, l)
	}
	layer := 0
	if t.array {
		layer = w.int(coord, t.flat, l)
	}
	if t.attachment {
		f := &w.l.Fragment[l]
		at[0], at[1], layer = at[0]+int(f.X), at[1]+int(f.Y), int(f.Prim.Layer)
		if t.view {
			layer = int(f.Prim.ViewIndex)
		}
	}
	lod := w.int(&t.src[ir.TexSrcLod], 0, l)
	w.residency |= d.Image.Residency(t.dim, at[0], at[1], at[2], layer, lod, sample)
	if w.p.texels && (d.Image == nil || d.Image.Texel(at[0], at[1], at[2]+layer, lod, sample) == nil) {
		w.strayTexel(t.in, l)
	}
	w.lookup(l).Fetch(d.Image, t.dim, at[0], at[1], at[2], layer, lod, sample)
	return d.Image.Fetch(t.dim, at[0], at[1], at[2], layer, lod, sample)
}

func (w *Wave) fetchTex(i *inst, t *texture, d *emu.Descriptor, l int) [4]uint64 {
	if t.buffer {
		at := w.int(&t.src[ir.TexSrcCoord], 0, l) + w.int(&t.src[ir.TexSrcOffset], 0, l)
		if w.p.texels && (at < 0 || uint64(at) >= d.NumTexels()) {
			w.strayTexel(t.in, l)
		}
		return convertTexel(d.LoadTexel(w.l.Env.Mem, uint64(at)), d.Format != nil && d.Format.IsWide(), t.class, i.bits)
	}
	return convertTexel(w.fetch(t, d, l, w.int(&t.src[ir.TexSrcMsIndex], 0, l)), wideView(d.Image), t.class, i.bits)
}

// sampleTex runs what needs a sampler.
func (w *Wave) sampleTex(i *inst, t *texture, d *emu.Descriptor, l int) [4]uint64 {
	s := w.descriptor(t.smp, l).Sampler
	if t.rect && s != nil {
		r := *s
		r.Unnormalized = true
		s = &r
	}
	op := emu.SampleOp{Dim: t.dim, Array: t.array && t.op != ir.TexOpLod, Lookup: w.lookup(l)}
	w.sampleCoord(t, l, &op)
	switch {
	case t.second.at >= 0 || t.op == ir.TexOpBoxFilterQcom:
		return convertTexel(w.processImage(t, d, s, l, &op), false, t.class, i.bits)
	case t.op == ir.TexOpTxd:
		op.Gradient = true
		for k := range t.flat {
			op.Ddx[k], op.Ddy[k] = w.float(&t.src[ir.TexSrcDdx], k, l), w.float(&t.src[ir.TexSrcDdy], k, l)
		}
	case t.implicit:
		op.Gradient = true
		w.quadGradient(t, l, 1, &op.Ddx)
		w.quadGradient(t, l, 2, &op.Ddy)
	}
	if t.op == ir.TexOpLod {
		level, lod := d.Image.QueryLod(s, &op)
		v := [4]uint64{ir.FloatBits(float64(level), i.bits), ir.FloatBits(float64(lod), i.bits)}
		if t.alter != nil {
			v[0], v[1] = t.alter(t.in, nil, nil, v[0]), t.alter(t.in, nil, nil, v[1])
		}
		return v
	}
	var texel [4]uint32
	if t.op == ir.TexOpTg4 {
		texel = d.Image.Gather(s, &op, int(i.x.in.TexInfo().Component), t.offsets)
	} else {
		texel = d.Image.Sample(s, &op)
	}
	w.residency = op.Residency
	return convertTexel(texel, wideView(d.Image) && t.op != ir.TexOpTg4, t.class, i.bits)
}

// sampleCoord fills in what a sampling has besides its derivatives.
func (w *Wave) sampleCoord(t *texture, l int, op *emu.SampleOp) {
	for k := range t.flat {
		op.Coord[k] = w.projected(t, k, l)
		op.Offset[k] = int32(w.int(&t.src[ir.TexSrcOffset], k, l))
	}
	if op.Array {
		op.Layer = w.float(&t.src[ir.TexSrcCoord], t.flat, l)
	}
	op.Lod = w.float(&t.src[ir.TexSrcLod], 0, l)
	op.Bias = w.float(&t.src[ir.TexSrcBias], 0, l)
	op.MinLod = w.float(&t.src[ir.TexSrcMinLod], 0, l)
	if ref := &t.src[ir.TexSrcComparator]; ref.at != nil {
		op.Compare, op.Ref = true, w.float(ref, 0, l)
		if p := &t.src[ir.TexSrcProjector]; p.at != nil {
			op.Ref /= w.float(p, 0, l)
		}
	}
}

// projected is a coordinate divided by the projector.
func (w *Wave) projected(t *texture, k, l int) float32 {
	c := w.float(&t.src[ir.TexSrcCoord], k, l)
	if p := &t.src[ir.TexSrcProjector]; p.at != nil {
		c /= w.float(p, 0, l)
	}
	return c
}

// quadGradient takes the derivatives of the coordinates from the quad's first
// row or column (step 1 or 2), or from the other one where lanes of the first
// are not active: all lanes of a quad get the same LOD. Where neither is whole
// they are 0.
func (w *Wave) quadGradient(t *texture, l, step int, d *[3]float32) {
	if w.p.undef != 0 && !w.wholeQuad(l) {
		for k := range t.flat {
			d[k] = math.Float32frombits(uint32(w.p.undef))
		}
		return
	}
	base := l &^ 3
	if w.p.other {
		base = l &^ step
	}
	for range 2 {
		if w.active.Get(base) && w.active.Get(base+step) {
			to, from, scale := float32(1), float32(1), float32(1)
			if w.p.faces && t.dim == emu.TexCube {
				to, from, scale = w.onFace(t, base+step), w.onFace(t, base), w.onFace(t, l)
			}
			for k := range t.flat {
				d[k] = (w.projected(t, k, base+step)/to - w.projected(t, k, base)/from) * scale
			}
			return
		}
		base ^= 3 - step
	}
}

// onFace is what a direction is divided by to lie on a face of the unit cube.
func (w *Wave) onFace(t *texture, l int) float32 {
	m := 0.0
	for k := range t.flat {
		m = max(m, math.Abs(float64(w.projected(t, k, l))))
	}
	if m == 0 {
		return 1
	}
	return float32(m)
}
