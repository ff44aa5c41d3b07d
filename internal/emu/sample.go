package emu

import "math"

// SampleOp is one sampling of one lane.
type SampleOp struct {
	Dim TexDim
	// Array says that Layer counts: the array layer, or the cube of a cube array.
	// It is rounded to the nearest one, ties to even, and clamped.
	Array bool
	Layer float32
	// Coord is s, t, r (of a cube the direction), already divided by a projector.
	Coord [3]float32
	// Gradient computes the LOD from Ddx and Ddy, the derivatives of Coord; else
	// Lod is the LOD before biases and clamps. An implicit LOD is a gradient whose
	// derivatives the core takes from its quad; without quads it is 0.
	Gradient bool
	Ddx, Ddy [3]float32
	Lod      float32
	// LeastLod is the LOD where coordinates do not change; 0 stands for one of the interpreter's.
	LeastLod float32
	// Bias is added to the LOD, MinLod is its lower bound.
	Bias, MinLod float32
	// Offset is added to the texel coordinates of any level.
	Offset [3]int32
	// Compare compares Ref with each texel before filtering; the result is its
	// first component.
	Compare bool
	Ref     float32
	// Lookup says who looks up texels, for those who look for races.
	Lookup Lookup
	// Residency is a result of Sample and Gather: the residency code of the texels that they read.
	Residency uint32
}

// sampling is a SampleOp on its way.
type sampling struct {
	v       *ImageView
	s       *Sampler
	op      *SampleOp
	integer bool
	coord   [3]float64 // of a cube on its face
	face    int
	layer   int
	scale   [3]float64 // of the base level; 1 if coordinates are unnormalised
}

// texTap is a texel of a footprint with its weight; at is -1 on the border.
type texTap struct {
	at     int
	weight float64
}

// Sample filters the texels around a coordinate (Vulkan 1.3, Image Operations).
// Components come as Format.Unpack gives them, after the view's swizzle:
// float bits, or integers, which are never filtered. Without a view or a sampler
// the result is 0.
func (v *ImageView) Sample(s *Sampler, op *SampleOp) (t [4]uint32) {
	var p sampling
	if !p.init(v, s, op) {
		return t
	}
	lambda, _, aniso, step := p.lod()
	filter := s.Min
	if lambda <= 0 {
		filter = s.Mag
	}
	linear := filter == FilterLinear && !p.integer
	level, next, delta := p.levels(lambda)
	if aniso <= 1 || !linear {
		t = p.sampleLevel(level, linear)
		if delta > 0 && !p.integer {
			t = blendTexels(t, p.sampleLevel(next, linear), delta)
		}
	} else {
		t = p.anisotropic(level, next, delta, aniso, step)
	}
	v.swizzle(&t)
	return t
}

// anisotropic averages n samples along the longer axis of the footprint
// (Vulkan 1.3, Texel Anisotropic Filtering).
func (p *sampling) anisotropic(level, next int, delta float64, n int, step [3]float64) (t [4]uint32) {
	var sum [4]float64
	at := p.coord
	for i := 1; i <= n; i++ {
		for k := range p.coord {
			p.coord[k] = at[k] + step[k]*(float64(i)/float64(n+1)-0.5)
		}
		x := p.sampleLevel(level, true)
		if delta > 0 {
			x = blendTexels(x, p.sampleLevel(next, true), delta)
		}
		for k := range sum {
			sum[k] += float64(math.Float32frombits(x[k]))
		}
	}
	for k := range t {
		t[k] = math.Float32bits(float32(sum[k] / float64(n)))
	}
	return t
}

// QueryLod returns the level that Sample would access, a fraction between two if
// it filters levels, and the LOD before the sampler's clamps.
func (v *ImageView) QueryLod(s *Sampler, op *SampleOp) (level, lod float32) {
	var p sampling
	if !p.init(v, s, op) {
		return 0, 0
	}
	lambda, raw, _, _ := p.lod()
	at, _, delta := p.levels(lambda)
	return float32(float64(at) + delta), float32(raw)
}

func (p *sampling) init(v *ImageView, s *Sampler, op *SampleOp) bool {
	if v == nil || v.Image == nil || s == nil || v.NumMips() == 0 || v.NumLayers() == 0 {
		return false
	}
	*p = sampling{v: v, s: s, op: op, integer: v.IsInteger() || v.TexelFormat().IsWide()}
	w, h, d := v.Size(0)
	p.scale = [3]float64{float64(w), float64(h), float64(d)}
	if s.Unnormalized {
		p.scale = [3]float64{1, 1, 1}
	}
	for i, c := range op.Coord {
		p.coord[i] = float64(c)
	}
	layers := v.NumLayers()
	if op.Dim == TexCube {
		dir := p.coord
		p.face = cubeFace(&dir)
		p.coord[0], p.coord[1] = cubeCoord(p.face, &dir)
		p.coord[2] = 0
		layers = max(1, layers/6)
	}
	if op.Array {
		p.layer = int(clampNum(math.RoundToEven(float64(op.Layer)), 0, float64(layers-1)))
	}
	if op.Dim == TexCube {
		p.layer = p.layer*6 + p.face
		if p.layer-p.face+6 > v.NumLayers() {
			return false // no whole cube
		}
	}
	return true
}

// leastLod is the LOD where coordinates do not change. By the formula it is -∞, which no bias lifts to a bound of the
// shader's; hardware keeps LODs in fixed point, and what a query gives is finite. Below -16 no bias of a sampler reaches
// the first level [assume].
const leastLod = -32

// lod returns the LOD clamped and before its clamps, the number of samples
// along the longer axis, and that axis (Vulkan 1.3, Level-of-Detail Operation).
func (p *sampling) lod() (lambda, raw float64, aniso int, step [3]float64) {
	op, s := p.op, p.s
	aniso = 1
	raw = float64(op.Lod)
	if op.Gradient {
		dx, dy := p.gradient(&op.Ddx), p.gradient(&op.Ddy)
		rx, ry := p.length(&dx), p.length(&dy)
		major, minor := rx, ry
		step = dx
		if ry > rx {
			major, minor, step = ry, rx, dy
		}
		eta := 1.0
		if s.Anisotropy > 1 && major > 0 {
			eta = float64(s.Anisotropy)
			if minor > 0 {
				eta = min(major/minor, eta)
			}
			aniso = int(math.Ceil(eta))
		}
		least := float64(leastLod)
		if op.LeastLod != 0 {
			least = float64(op.LeastLod)
		}
		raw = max(math.Log2(major/eta), least)
	}
	raw += float64(s.LodBias) + float64(op.Bias)
	lambda = raw
	if lo := max(float64(s.MinLod), float64(op.MinLod)); !(lambda >= lo) {
		lambda = lo
	}
	return min(lambda, float64(s.MaxLod)), raw, aniso, step
}

// gradient returns the derivatives of the coordinates that texels lie at.
func (p *sampling) gradient(d *[3]float32) (g [3]float64) {
	for i, x := range d {
		g[i] = float64(x)
	}
	if p.op.Dim == TexCube {
		dir := [3]float64{float64(p.op.Coord[0]), float64(p.op.Coord[1]), float64(p.op.Coord[2])}
		ds, dt := cubeGrad(p.face, &dir, &g)
		g = [3]float64{ds, dt, 0}
	}
	return g
}

// length is the scale factor of one direction of the screen, in texels.
func (p *sampling) length(g *[3]float64) float64 {
	n := 2
	switch p.op.Dim {
	case Tex1D:
		n = 1
	case Tex3D:
		n = 3
	}
	sum := 0.0
	for i := range n {
		m := g[i] * p.scale[i]
		sum += m * m
	}
	return math.Sqrt(sum)
}

// levels returns the level of a LOD, the next smaller one and its weight.
func (p *sampling) levels(lambda float64) (level, next int, delta float64) {
	q := float64(p.v.NumMips() - 1)
	d := clampNum(lambda, 0, q)
	if p.s.Mip == MipNearest {
		return int(clampNum(math.Ceil(d+0.5)-1, 0, q)), 0, 0
	}
	hi := math.Floor(d)
	return int(hi), int(min(hi+1, q)), d - hi
}

// blendTexels mixes two levels.
func blendTexels(a, b [4]uint32, delta float64) (t [4]uint32) {
	for i := range t {
		x, y := float64(math.Float32frombits(a[i])), float64(math.Float32frombits(b[i]))
		t[i] = math.Float32bits(float32(x*(1-delta) + y*delta))
	}
	return t
}

// sampleLevel filters one level.
func (p *sampling) sampleLevel(mip int, linear bool) (t [4]uint32) {
	l, ok := p.v.level(mip)
	if !ok {
		return t
	}
	var taps [8]texTap
	n := p.footprint(&l, linear, &taps)
	if n == 1 {
		p.texel(&l, taps[0].at, &t)
		return t
	}
	return p.reduce(&l, taps[:n])
}

// reduce makes one texel of a footprint.
func (p *sampling) reduce(l *texLevel, taps []texTap) (t [4]uint32) {
	var sum [4]float64
	first := true
	for i := range taps {
		w := taps[i].weight
		if w == 0 {
			continue
		}
		p.texel(l, taps[i].at, &t)
		for c := range sum {
			x := float64(math.Float32frombits(t[c]))
			if p.s.Reduction == ReductionAverage {
				x *= w
			}
			sum[c] = p.s.Reduction.add(sum[c], x, first)
		}
		first = false
	}
	for c := range t {
		t[c] = math.Float32bits(float32(sum[c]))
	}
	return t
}

// texel reads a texel or the border and compares it if asked to.
func (p *sampling) texel(l *texLevel, at int, t *[4]uint32) {
	if at >= 0 {
		l.read(at, t)
		p.op.Lookup.note(l, at)
		if l.absent(at) {
			p.op.Residency = NotResident
		}
	} else {
		*t = p.s.border(p.integer)
		p.v.present(t)
	}
	if !p.op.Compare {
		return
	}
	d, ref := float64(math.Float32frombits(t[0])), float64(p.op.Ref)
	if !l.f.IsFloat() {
		ref = clampNum(ref, 0, 1)
	}
	*t = [4]uint32{0, 0, 0, math.Float32bits(1)}
	if compare(p.s.CompareOp, ref, d) {
		t[0] = math.Float32bits(1)
	}
}
