package emu

import (
	"fmt"
	"math"

	"nirc/ir"
)

// viewport is a Viewport as set-up needs it.
type viewport struct {
	cx, cy, hw, hh float64 // centre and half size; hh may be negative
	mulZ, addZ     float64 // window z from z/w
	minZ, maxZ     float64
	gx, gy         float64 // clip planes x and y at g*w
	limit          bounds  // pixels that may be drawn: viewport, scissor, area
	scissor        bounds  // scissor and area alone, for points and lines
}

// setup turns primitives of shaded vertices into ones to rasterise.
type setup struct {
	views     []viewport
	clip      clipper
	numClip   int
	numCull   int
	skip      uint8 // distances that count nothing, by number
	hasLayer  bool
	hasView   bool
	hasSize   bool
	hasID     bool
	ownCull   bool    // cull distances have their own slots
	inWindow  bool    // positions are in the window
	depthUnit float64 // of the depth attachment, 0 for float ones
	prims     []*prim // free
	lineWidth float64
}

func (s *setup) init(d *drawer) error {
	p := d.p
	io := d.last.IO()
	s.numClip, s.numCull, s.skip = int(io.ClipDistances), int(io.CullDistances), io.NoDistances
	if s.numClip+s.numCull > 8 {
		return unsupported("%d clip and cull distances are not supported, the most is 8", s.numClip+s.numCull)
	}
	for _, o := range io.Outputs {
		s.hasLayer = s.hasLayer || o.Slot == ir.SlotLayer
		s.hasView = s.hasView || o.Slot == ir.SlotViewport
		s.hasSize = s.hasSize || o.Slot == ir.SlotPointSize
		s.hasID = s.hasID || o.Slot == ir.SlotPrimitiveID
		s.ownCull = s.ownCull || o.Slot == ir.SlotCullDist0
	}
	s.inWindow = io.WindowPosition
	s.lineWidth = float64(p.Raster.LineWidth)
	if s.lineWidth == 0 {
		s.lineWidth = 1
	}
	if !(s.lineWidth > 0 && s.lineWidth <= 1024) {
		return unsupported("line width %v is not supported", p.Raster.LineWidth)
	}
	s.clip.numDist = s.numClip
	s.clip.near, s.clip.far = !p.Raster.DepthClamp, !p.Raster.DepthClamp
	s.clip.minusOne = p.Raster.DepthMinusOneToOne
	if v := p.DepthStencil.View; v != nil {
		if f := v.TexelFormat(); !f.IsFloat() && f.DepthBits != 0 {
			s.depthUnit = math.Ldexp(1, -f.DepthBits)
		}
	}
	vps := p.Viewports
	if len(vps) == 0 {
		vps = []Viewport{{0, 0, float32(d.area.x1), float32(d.area.y1), 0, 1}}
	}
	for i := range vps {
		v, err := newViewport(&vps[i], i, d)
		if err != nil {
			return err
		}
		s.views = append(s.views, v)
	}
	d.viewport = newTransform(&s.views[0])
	return nil
}

func newViewport(v *Viewport, i int, d *drawer) (out viewport, err error) {
	for _, x := range []float32{v.X, v.Y, v.Width, v.Height} {
		if !(x >= -65536 && x <= 65536) {
			return out, fmt.Errorf("emu: viewport %v is out of range", *v)
		}
	}
	out.hw, out.hh = float64(v.Width)/2, float64(v.Height)/2
	out.cx, out.cy = float64(v.X)+out.hw, float64(v.Y)+out.hh
	lo, hi := float64(v.MinDepth), float64(v.MaxDepth)
	out.mulZ, out.addZ = hi-lo, lo
	if d.p.Raster.DepthMinusOneToOne {
		out.mulZ, out.addZ = (hi-lo)/2, (hi+lo)/2
	}
	out.minZ, out.maxZ = min(lo, hi), max(lo, hi)
	out.scissor = d.area
	if i < len(d.p.Scissors) {
		out.scissor = out.scissor.intersect(d.p.Scissors[i].bounds())
	}
	// The guard band keeps positions within what the rasteriser can hold. It
	// may stand in for the view volume where that ends at whole pixels.
	x0, x1 := float64(v.X), float64(v.X)+float64(v.Width)
	y0, y1 := min(float64(v.Y), out.cy+out.hh), max(float64(v.Y), out.cy+out.hh)
	out.limit = out.scissor
	out.gx, out.gy = 1, 1
	if x0 == math.Floor(x0) && x1 == math.Floor(x1) && y0 == math.Floor(y0) && y1 == math.Floor(y1) && out.hw != 0 && out.hh != 0 {
		out.limit = out.limit.intersect(bounds{int(x0), int(y0), int(x1), int(y1)})
		out.gx = max(1, (maxCoord/2-math.Abs(out.cx))/math.Abs(out.hw))
		out.gy = max(1, (maxCoord/2-math.Abs(out.cy))/math.Abs(out.hh))
	}
	return out, nil
}

// transform is the viewport transform: of x, y and z over w the scale and the offset.
func (vp *viewport) transform() (scale, offset [3]float64) {
	return [3]float64{vp.hw, vp.hh, vp.mulZ}, [3]float64{vp.cx, vp.cy, vp.addZ}
}

// toClip turns a position in the window, with 1/w, back to clip coordinates. What the
// viewport makes one place of comes back as its middle.
func (vp *viewport) toClip(v *clipVertex) {
	scale, offset := vp.transform()
	v.w = 1 / v.w
	for i, x := range [3]*float64{&v.x, &v.y, &v.z} {
		if scale[i] == 0 {
			*x = 0
			continue
		}
		*x = (*x - offset[i]) / scale[i] * v.w
	}
}

// newTransform makes the viewport transform of the first viewport.
func newTransform(v *viewport) *ViewportTransform {
	t := &ViewportTransform{}
	scale, offset := v.transform()
	for i := range scale {
		t.Scale[i], t.Offset[i] = float32(scale[i]), float32(offset[i])
	}
	return t
}

// ClipPosition turns a position that was transformed back to clip coordinates.
func (t *ViewportTransform) ClipPosition(pos Vec4) (clip Vec4) {
	vp := viewport{hw: float64(t.Scale[0]), hh: float64(t.Scale[1]), mulZ: float64(t.Scale[2]), cx: float64(t.Offset[0]), cy: float64(t.Offset[1]), addZ: float64(t.Offset[2])}
	v := clipVertex{x: f32(pos[0]), y: f32(pos[1]), z: f32(pos[2]), w: f32(pos[3])}
	vp.toClip(&v)
	for i, x := range [4]float64{v.x, v.y, v.z, v.w} {
		clip[i] = math.Float32bits(float32(x))
	}
	return clip
}

// window returns the window position of v.
func (vp *viewport) window(v *clipVertex) (x, y float64) {
	return v.x/v.w*vp.hw + vp.cx, v.y/v.w*vp.hh + vp.cy
}

func f32(w uint32) float64 { return float64(math.Float32frombits(w)) }

// shadedPrim is a primitive of n vertices whose outputs are known; the last
// vertex of a point or line is repeated.
type shadedPrim struct {
	v         [3]*Slots
	n         int
	provoking uint8
	id        uint32
}

// clipVertex takes a vertex's clip coordinates and distances from its outputs.
func (s *setup) clipVertex(v *clipVertex, o *Slots) {
	pos := &o[ir.SlotPos]
	*v = clipVertex{x: f32(pos[0]), y: f32(pos[1]), z: f32(pos[2]), w: f32(pos[3])}
	if s.inWindow {
		s.views[0].toClip(v)
	}
	for i := range s.numClip {
		if s.skip>>i&1 != 0 {
			v.dist[i] = 1
			continue
		}
		v.dist[i] = f32(o[int(ir.SlotClipDist0)+i/4][i&3])
	}
}

// primitive draws a primitive.
func (s *setup) primitive(d *drawer, ref *shadedPrim) error {
	var v [3]clipVertex
	n := ref.n
	pr := s.take(d)
	pr.users = 1 // this function
	for k, o := range ref.v {
		pr.V[k] = o
		if s.clipVertex(&v[k], o); !v[k].finite() {
			s.release(pr)
			return nil
		}
	}
	if s.culled(pr, n) {
		s.release(pr)
		return nil
	}
	pr.Provoking = int(ref.provoking)
	pr.PrimitiveID = ref.id
	pr.FrontFacing = true
	pr.ViewIndex = d.view
	prov := pr.V[pr.Provoking]
	pr.Layer, pr.Viewport = d.p.Layer, 0
	if pr.OfView = d.p.ViewMask != 0; pr.OfView {
		pr.Layer = d.view
	} else if s.hasLayer {
		pr.Layer = prov[ir.SlotLayer][0]
	}
	if s.hasView {
		pr.Viewport = prov[ir.SlotViewport][0]
	}
	if s.hasID {
		pr.PrimitiveID = prov[ir.SlotPrimitiveID][0]
	}
	if int64(pr.Viewport) >= int64(len(s.views)) {
		pr.Viewport = 0 // undefined by Vulkan
	}
	vp := &s.views[pr.Viewport]
	s.clip.gx, s.clip.gy = vp.gx, vp.gy
	pr.stencil = &d.p.Depth.Front
	var err error
	switch n {
	case 1:
		err = s.point(d, pr, &v[0], vp)
	case 2:
		err = s.line(d, pr, &v, vp)
	default:
		err = s.triangle(d, pr, &v, vp)
	}
	s.release(pr)
	return err
}

// culled reports whether some cull distance is negative at all vertices.
func (s *setup) culled(pr *prim, n int) bool {
	for i := s.numClip; i < s.numClip+s.numCull; i++ {
		if s.skip>>i&1 != 0 {
			continue
		}
		out := 0
		for k := range n {
			slot, c := int(ir.SlotClipDist0)+i/4, i&3
			if s.ownCull {
				slot, c = int(ir.SlotCullDist0)+(i-s.numClip)/4, (i-s.numClip)&3
			}
			if !(f32(pr.V[k][slot][c]) >= 0) {
				out++
			}
		}
		if out == n {
			return true
		}
	}
	return false
}

func (s *setup) take(d *drawer) *prim {
	if n := len(s.prims); n > 0 {
		pr := s.prims[n-1]
		s.prims = s.prims[:n-1]
		return pr
	}
	return newPrim(d.samples)
}

// release gives up one use of a primitive; without users it is used again.
func (s *setup) release(pr *prim) {
	if pr.users--; pr.users == 0 {
		s.prims = append(s.prims, pr)
	}
}

// point draws a point whose centre lies in the view volume.
func (s *setup) point(d *drawer, pr *prim, v *clipVertex, vp *viewport) error {
	s.clip.gx, s.clip.gy = 1, 1
	if s.clip.outside(v) != 0 {
		return nil
	}
	pr.ox, pr.oy = vp.cx, vp.cy
	pr.setPoint(v.w)
	pr.setDepth(&[3]clipVertex{*v, *v, *v}, vp, s.clip.near)
	d.stats.PrimitivesDrawn++
	x, y := vp.window(v)
	return s.drawPoint(d, pr, x, y, pr.V[0], vp)
}

// drawPoint covers the square of a point with v's size.
func (s *setup) drawPoint(d *drawer, pr *prim, x, y float64, v *Slots, vp *viewport) error {
	size := 1.0
	if s.hasSize {
		if size = f32(v[ir.SlotPointSize][0]); !(size > 1) {
			size = 1
		}
		size = min(size, 1024)
	}
	pr.px, pr.py, pr.invSize = float32(x), float32(y), float32(1/size)
	pr.PointCoord = pr.pointCoord
	return d.raster.square(pr, x, y, size, vp.scissor)
}

// line draws a line of a line topology.
func (s *setup) line(d *drawer, pr *prim, v *[3]clipVertex, vp *viewport) error {
	pr.PointCoord = nil
	t0, t1, ok := s.clip.line(&v[0], &v[1])
	if !ok {
		return nil
	}
	a, b := mix(&v[0], &v[1], t0, 0), mix(&v[0], &v[1], t1, 0)
	if t1 == 1 {
		b = v[1]
	}
	// Clipped to w = minW, rounding may leave less.
	a.w, b.w = max(a.w, minW/2), max(b.w, minW/2)
	var l segment
	l.x0, l.y0 = vp.window(&a)
	l.x1, l.y1 = vp.window(&b)
	pr.ox, pr.oy = math.Floor(l.x0), math.Floor(l.y0)
	pr.setLine(&visibleLine{a: &v[0], b: &v[1], t: [2]float64{t0, t1}, segment: l, w: [2]float64{a.w, b.w}})
	pr.setDepth(v, vp, s.clip.near)
	d.stats.PrimitivesDrawn++
	return s.drawLine(d, pr, l, vp)
}

// drawLine covers a line between window positions.
func (s *setup) drawLine(d *drawer, pr *prim, l segment, vp *viewport) error {
	if d.p.Raster.LineBresenham && s.lineWidth == 1 {
		sn := func(x float64) float64 { return float64(snap(x)) / subOne }
		return d.raster.diamondLine(pr, segment{sn(l.x0), sn(l.y0), sn(l.x1), sn(l.y1)}, vp.limit)
	}
	return d.raster.rectLine(pr, l, s.lineWidth, vp.limit)
}

// triangle culls, clips and draws a triangle.
func (s *setup) triangle(d *drawer, pr *prim, v *[3]clipVertex, vp *viewport) error {
	pr.PointCoord = nil
	all, any := ^uint32(0), uint32(0)
	for k := range v {
		c := s.clip.outside(&v[k])
		all &= c
		any |= c
		s.clip.poly[k] = v[k]
	}
	if all != 0 {
		return nil
	}
	n := 3
	if any != 0 {
		if n = s.clip.polygon(3, any); n == 0 {
			return nil
		}
	}
	var pts [maxClipVerts + 1]point
	for k := range n {
		q := &s.clip.poly[k]
		q.w = max(q.w, minW/2)
		x, y := vp.window(q)
		pts[k] = point{snap(x), snap(y)}
	}
	a := area(pts[:n])
	clockwise := a > 0
	pr.FrontFacing = clockwise == d.p.Raster.FrontClockwise
	cull := d.p.Raster.Cull
	if pr.FrontFacing && cull&CullFront != 0 || !pr.FrontFacing && cull&CullBack != 0 {
		return nil
	}
	if !pr.FrontFacing {
		pr.stencil = &d.p.Depth.Back
	}
	if !s.planes(pr, v, pts[:3], any == 0, vp) {
		return nil
	}
	if d.p.Raster.DepthBias {
		top := 0.0
		for k := range n {
			q := &s.clip.poly[k]
			top = max(top, math.Abs(q.z/q.w*vp.mulZ+vp.addZ))
		}
		pr.setBias(&d.p.Raster, s.depthUnit, top)
	}
	d.stats.PrimitivesDrawn++
	switch d.p.Raster.Polygon {
	case PolygonLine:
		return s.outline(d, pr, v, vp)
	case PolygonPoint:
		return s.corners(d, pr, v, vp)
	}
	return d.raster.polygon(pr, pts[:n], vp.limit)
}

// planes sets the interpolation up: from the snapped positions when the
// triangle is whole, else from the homogeneous ones.
func (s *setup) planes(pr *prim, v *[3]clipVertex, pts []point, whole bool, vp *viewport) bool {
	var x, y [3]float64
	if whole {
		pr.ox, pr.oy = float64(pts[0].x>>subBits), float64(pts[0].y>>subBits)
		for k := range x {
			x[k] = (float64(pts[k].x)/subOne - pr.ox) * v[k].w
			y[k] = (float64(pts[k].y)/subOne - pr.oy) * v[k].w
		}
	} else {
		pr.ox, pr.oy = vp.cx, vp.cy
		for k := range x {
			x[k], y[k] = v[k].x*vp.hw, v[k].y*vp.hh
		}
	}
	if !pr.setTriangle(x, y, v) {
		return false
	}
	pr.setDepth(v, vp, s.clip.near)
	return true
}

// outline draws a triangle's edges.
func (s *setup) outline(d *drawer, pr *prim, v *[3]clipVertex, vp *viewport) error {
	for k := range v {
		p, q := &v[k], &v[(k+1)%3]
		t0, t1, ok := s.clip.line(p, q)
		if !ok {
			continue
		}
		a, b := mix(p, q, t0, 0), mix(p, q, t1, 0)
		a.w, b.w = max(a.w, minW/2), max(b.w, minW/2)
		x0, y0 := vp.window(&a)
		x1, y1 := vp.window(&b)
		if err := s.drawLine(d, pr, segment{x0, y0, x1, y1}, vp); err != nil {
			return err
		}
	}
	return nil
}

// corners draws a triangle's vertices.
func (s *setup) corners(d *drawer, pr *prim, v *[3]clipVertex, vp *viewport) error {
	s.clip.gx, s.clip.gy = 1, 1
	for k := range v {
		if s.clip.outside(&v[k]) != 0 {
			continue
		}
		x, y := vp.window(&v[k])
		if err := s.drawPoint(d, pr, x, y, pr.V[k], vp); err != nil {
			return err
		}
	}
	return nil
}
