package emu

import "math"

// prim is a primitive that fragments are made of. All its functions of the
// window position are affine ones over w: with c[k] = b[k]/w for the weight
// b[k] of vertex k, c[k] is affine in x and y, and so is z/w. That holds for
// vertices behind the eye too, so a clipped primitive keeps its vertices.
type prim struct {
	Primitive
	c          [3]plane
	w          [3]float64 // clip w of the vertices
	z          plane      // window depth
	minZ, maxZ float64    // the viewport's depth range
	loZ, hiZ   float64    // what depth keeps z in
	bias       float64
	ox, oy     float64 // origin of the planes
	// Points: centre and reciprocal size.
	px, py, invSize float32
	stencil         *StencilFace
	users           int // lanes in flight, and set-up while it works on it
}

// plane is the function a*x + b*y + c of the window position.
type plane struct{ a, b, c float64 }

func (p *plane) at(x, y float64) float64 { return p.a*x + p.b*y + p.c }

// newPrim makes a primitive whose storage is used for many.
func newPrim(samples int) *prim {
	p := &prim{}
	p.Bary = p.bary
	p.Depth = func(x, y float32) float32 { return float32(p.depth(float64(x), float64(y))) }
	p.Samples = samples
	p.SamplePos = func(n int) (x, y float32) { return SamplePosition(samples, n) }
	return p
}

// bary is Primitive.Bary.
func (p *prim) bary(x, y float32, persp bool) (i, j float32) {
	if persp {
		i, j, _ = p.persp(float64(x), float64(y))
		return i, j
	}
	return p.linear(float64(x), float64(y))
}

// persp returns the perspective weights of vertices 1 and 2, and 1/w.
func (p *prim) persp(x, y float64) (i, j, rw float32) {
	x, y = x-p.ox, y-p.oy
	c0, c1, c2 := p.c[0].at(x, y), p.c[1].at(x, y), p.c[2].at(x, y)
	s := c0 + c1 + c2
	return float32(c1 / s), float32(c2 / s), float32(s)
}

// linear returns the weights that are linear in the window.
func (p *prim) linear(x, y float64) (i, j float32) {
	x, y = x-p.ox, y-p.oy
	return float32(p.c[1].at(x, y) * p.w[1]), float32(p.c[2].at(x, y) * p.w[2])
}

// depth returns the window depth at a position, biased. Samples outside the
// primitive stay within the viewport's range, if it is clipped to that.
func (p *prim) depth(x, y float64) float64 {
	return min(max(p.z.at(x-p.ox, y-p.oy), p.loZ), p.hiZ) + p.bias
}

// pointCoord is Primitive.PointCoord.
func (p *prim) pointCoord(x, y float32) (s, t float32) {
	return 0.5 + (x-p.px)*p.invSize, 0.5 + (y-p.py)*p.invSize
}

// setTriangle computes the planes of a triangle from its window positions, or
// for clipped ones from the homogeneous form of them. It reports whether the
// triangle has an area.
func (p *prim) setTriangle(x, y [3]float64, v *[3]clipVertex) bool {
	// x[k], y[k] are the window position times w.
	w := [3]float64{v[0].w, v[1].w, v[2].w}
	det := 0.0
	for k := range 3 {
		a, b := (k+1)%3, (k+2)%3
		p.c[k] = plane{y[a]*w[b] - y[b]*w[a], w[a]*x[b] - w[b]*x[a], x[a]*y[b] - x[b]*y[a]}
		if k == 0 {
			det = p.c[0].a*x[0] + p.c[0].b*y[0] + p.c[0].c*w[0]
		}
	}
	if det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return false
	}
	inv := 1 / det
	for k := range p.c {
		p.c[k] = plane{p.c[k].a * inv, p.c[k].b * inv, p.c[k].c * inv}
	}
	p.w = w
	return true
}

// visibleLine is the part t of the line from a to b that clipping leaves: where
// in the window it lies, and the clip w of its ends.
type visibleLine struct {
	a, b *clipVertex
	t    [2]float64
	segment
	w [2]float64
}

// setLine computes the planes along a line.
func (p *prim) setLine(l *visibleLine) {
	a, b, x0, y0, x1, y1 := l.a, l.b, l.x0, l.y0, l.x1, l.y1
	t0, t1, w0, w1 := l.t[0], l.t[1], l.w[0], l.w[1]
	dx, dy := x1-x0, y1-y0
	var s plane // fraction along the visible part
	if n := dx*dx + dy*dy; n > 0 {
		s = plane{dx / n, dy / n, -((x0-p.ox)*dx + (y0-p.oy)*dy) / n}
	}
	// Weights over w of the visible part's ends, then of a and b.
	e0 := plane{-s.a / w0, -s.b / w0, (1 - s.c) / w0}
	e1 := plane{s.a / w1, s.b / w1, s.c / w1}
	p.c[0] = plane{(1-t0)*e0.a + (1-t1)*e1.a, (1-t0)*e0.b + (1-t1)*e1.b, (1-t0)*e0.c + (1-t1)*e1.c}
	p.c[1] = plane{t0*e0.a + t1*e1.a, t0*e0.b + t1*e1.b, t0*e0.c + t1*e1.c}
	p.c[2] = plane{}
	p.w = [3]float64{a.w, b.w, b.w}
}

// setPoint makes all functions constant.
func (p *prim) setPoint(w float64) {
	p.c = [3]plane{{0, 0, 1 / w}, {}, {}}
	p.w = [3]float64{w, w, w}
}

// setDepth computes the depth plane from the vertices' clip z and the depth
// range; clipped says that the primitive lies within the range.
func (p *prim) setDepth(v *[3]clipVertex, vp *viewport, clipped bool) {
	p.minZ, p.maxZ = vp.minZ, vp.maxZ
	p.loZ, p.hiZ = vp.minZ, vp.maxZ
	if !clipped {
		p.loZ, p.hiZ = math.Inf(-1), math.Inf(1)
	}
	p.z = plane{c: vp.addZ}
	for k := range p.c {
		f := v[k].z * vp.mulZ
		p.z.a += p.c[k].a * f
		p.z.b += p.c[k].b * f
		p.z.c += p.c[k].c * f
	}
	p.bias = 0
}

// setBias adds the polygon's depth bias. unit is the smallest step of a
// fixed-point depth format, 0 for a float one.
func (p *prim) setBias(r *RasterState, unit, maxAbsZ float64) {
	m := math.Hypot(p.z.a, p.z.b)
	if unit == 0 && maxAbsZ > 0 {
		unit = math.Ldexp(1, math.Ilogb(maxAbsZ)-23)
	}
	bias := m*float64(r.BiasSlope) + unit*float64(r.BiasConstant)
	switch limit := float64(r.BiasClamp); {
	case limit > 0:
		bias = min(bias, limit)
	case limit < 0:
		bias = max(bias, limit)
	}
	if bias == bias {
		p.bias = bias
	}
}
