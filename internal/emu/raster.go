package emu

import "math"

// Window positions are snapped to 1/256 pixel.
const (
	subBits = 8
	subOne  = 1 << subBits
	// maxCoord bounds the pixels of snapped positions, so that edge functions
	// fit 64 bits.
	maxCoord = 1 << 20
)

// point is a snapped window position.
type point struct{ x, y int64 }

func snap(v float64) int64 { return int64(math.Floor(v*subOne + 0.5)) }

// bounds is a half-open rectangle of pixels.
type bounds struct{ x0, y0, x1, y1 int }

func (b bounds) empty() bool { return b.x0 >= b.x1 || b.y0 >= b.y1 }

func (b bounds) intersect(o bounds) bounds {
	return bounds{max(b.x0, o.x0), max(b.y0, o.y0), min(b.x1, o.x1), min(b.y1, o.y1)}
}

func (r Rect) bounds() bounds { return bounds{r.X, r.Y, r.X + r.Width, r.Y + r.Height} }

// edge is a*x + b*y + c over subpixels, >= 0 inside. Edges that are neither
// top nor left have 1 taken off c, so that a point on an edge shared by two
// polygons belongs to exactly one of them.
type edge struct{ a, b, c int64 }

// rasteriser finds the samples that convex polygons cover and hands them on
// by quads.
type rasteriser struct {
	offsets []point // samples of a pixel in subpixels
	edges   []edge
	partial []edge    // of the tile under way
	cov     [4]uint32 // of the quad under way
	// emit takes a quad at (x, y), both even, and the covered samples of its
	// pixels, which it may change.
	emit func(pr *prim, x, y int, cov *[4]uint32) error
	// poll is called now and then; an error ends the draw.
	poll func() error
}

func newRasteriser(samples int) *rasteriser {
	r := &rasteriser{}
	for _, s := range sampleTables.Get()[samples] {
		r.offsets = append(r.offsets, point{int64(s.x) * (subOne / 16), int64(s.y) * (subOne / 16)})
	}
	return r
}

// area returns twice the signed area of a polygon: positive when it is
// clockwise on a screen whose y points down.
func area(pts []point) (s int64) {
	for i := range pts {
		// Relative to the first point the products stay small.
		a, b := pts[i], pts[(i+1)%len(pts)]
		s += (a.x-pts[0].x)*(b.y-pts[0].y) - (b.x-pts[0].x)*(a.y-pts[0].y)
	}
	return s
}

// setEdges makes the edge functions of a polygon with the given orientation.
func (r *rasteriser) setEdges(pts []point, clockwise bool) {
	r.edges = r.edges[:0]
	for i := range pts {
		a, b := pts[i], pts[(i+1)%len(pts)]
		if a == b {
			continue
		}
		if !clockwise {
			a, b = b, a
		}
		dx, dy := b.x-a.x, b.y-a.y
		e := edge{a: -dy, b: dx, c: dy*a.x - dx*a.y}
		if !(dy < 0 || dy == 0 && dx > 0) {
			e.c--
		}
		r.edges = append(r.edges, e)
	}
}

// tile is the side of the square that the polygon is tested against first.
const tile = 8

// polygon covers a convex polygon of either orientation within lim.
func (r *rasteriser) polygon(pr *prim, pts []point, lim bounds) error {
	a := area(pts)
	if a == 0 {
		return nil
	}
	box := pixelBox(pts).intersect(lim)
	if box.empty() {
		return nil
	}
	r.setEdges(pts, a > 0)
	for y := box.y0 &^ (tile - 1); y < box.y1; y += tile {
		if err := r.poll(); err != nil {
			return err
		}
		for x := box.x0 &^ (tile - 1); x < box.x1; x += tile {
			if !r.enterTile(x, y) {
				continue
			}
			t := box.intersect(bounds{x, y, x + tile, y + tile})
			if err := r.quads(pr, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// pixelBox returns the pixels that hold a point of the polygon.
func pixelBox(pts []point) bounds {
	lo, hi := pts[0], pts[0]
	for _, p := range pts[1:] {
		lo.x, lo.y = min(lo.x, p.x), min(lo.y, p.y)
		hi.x, hi.y = max(hi.x, p.x), max(hi.y, p.y)
	}
	return bounds{int(lo.x >> subBits), int(lo.y >> subBits), int(hi.x>>subBits) + 1, int(hi.y>>subBits) + 1}
}

// enterTile sets r.partial to the edges that cut the tile at (x, y) and reports
// whether the tile may hold anything.
func (r *rasteriser) enterTile(x, y int) bool {
	const side = tile * subOne
	r.partial = r.partial[:0]
	for _, e := range r.edges {
		v := e.a*int64(x)*subOne + e.b*int64(y)*subOne + e.c
		if v+max(e.a, 0)*side+max(e.b, 0)*side < 0 {
			return false
		}
		if v+min(e.a, 0)*side+min(e.b, 0)*side < 0 {
			r.partial = append(r.partial, e)
		}
	}
	return true
}

// quads emits the quads of a tile, t being the part of it to draw.
func (r *rasteriser) quads(pr *prim, t bounds) error {
	all := uint32(1)<<len(r.offsets) - 1
	for y := t.y0 &^ 1; y < t.y1; y += 2 {
		for x := t.x0 &^ 1; x < t.x1; x += 2 {
			cov, any := &r.cov, uint32(0)
			*cov = [4]uint32{}
			for k := range cov {
				px, py := x+k&1, y+k>>1
				if px < t.x0 || px >= t.x1 || py < t.y0 || py >= t.y1 {
					continue
				}
				if len(r.partial) == 0 {
					cov[k] = all
				} else {
					cov[k] = r.samples(px, py)
				}
				any |= cov[k]
			}
			if any != 0 {
				if err := r.emit(pr, x, y, cov); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// samples returns the samples of a pixel inside all partial edges.
func (r *rasteriser) samples(x, y int) (mask uint32) {
	x0, y0 := int64(x)*subOne, int64(y)*subOne
next:
	for s, o := range r.offsets {
		sx, sy := x0+o.x, y0+o.y
		for i := range r.partial {
			e := &r.partial[i]
			if e.a*sx+e.b*sy+e.c < 0 {
				continue next
			}
		}
		mask |= 1 << s
	}
	return mask
}

// segment is a line between two window positions.
type segment struct{ x0, y0, x1, y1 float64 }

// rectLine covers a line as the rectangle of its width around it.
func (r *rasteriser) rectLine(pr *prim, l segment, width float64, lim bounds) error {
	x0, y0, x1, y1 := l.x0, l.y0, l.x1, l.y1
	dx, dy := x1-x0, y1-y0
	n := math.Hypot(dx, dy)
	if n == 0 {
		return nil
	}
	nx, ny := -dy/n*width/2, dx/n*width/2
	pts := [4]point{{snap(x0 + nx), snap(y0 + ny)}, {snap(x1 + nx), snap(y1 + ny)}, {snap(x1 - nx), snap(y1 - ny)}, {snap(x0 - nx), snap(y0 - ny)}}
	return r.polygon(pr, pts[:], lim)
}

// square covers a point of that size.
func (r *rasteriser) square(pr *prim, x, y, size float64, lim bounds) error {
	h := size / 2
	pts := [4]point{{snap(x - h), snap(y - h)}, {snap(x + h), snap(y - h)}, {snap(x + h), snap(y + h)}, {snap(x - h), snap(y + h)}}
	return r.polygon(pr, pts[:], lim)
}

// diamondLine covers a line of width 1 by the diamond-exit rule: a pixel for
// every step along the major axis, from the one whose diamond the start lies
// in up to, not including, the one whose diamond the end lies in.
func (r *rasteriser) diamondLine(pr *prim, l segment, lim bounds) error {
	x0, y0, x1, y1 := l.x0, l.y0, l.x1, l.y1
	swap := math.Abs(y1-y0) > math.Abs(x1-x0)
	if swap {
		x0, y0, x1, y1 = y0, x0, y1, x1
		lim = bounds{lim.y0, lim.x0, lim.y1, lim.x1}
	}
	if x0 == x1 {
		return nil
	}
	slope := (y1 - y0) / (x1 - x0)
	step := 1
	if x1 < x0 {
		step = -1
	}
	first, last := int(math.Floor(x0)), int(math.Floor(x1))
	// Columns outside the limits hold nothing: skip them at both ends.
	if step > 0 {
		first, last = max(first, lim.x0-1), min(last, lim.x1)
	} else {
		first, last = min(first, lim.x1), max(last, lim.x0-1)
	}
	for c := first; (last-c)*step >= 0; c += step {
		xc := float64(c) + 0.5
		ahead := (xc - x0) * float64(step) // of the start
		if ahead < 0 && !inDiamond(x0, y0) {
			continue
		}
		if (x1-xc)*float64(step) <= 0 || c == int(math.Floor(x1)) && inDiamond(x1, y1) {
			continue
		}
		y := int(math.Floor(y0 + slope*max(ahead, 0)*float64(step)))
		if c < lim.x0 || c >= lim.x1 || y < lim.y0 || y >= lim.y1 {
			continue
		}
		px, py := c, y
		if swap {
			px, py = y, c
		}
		r.cov = [4]uint32{}
		r.cov[px&1|py&1<<1] = uint32(1)<<len(r.offsets) - 1
		if err := r.emit(pr, px&^1, py&^1, &r.cov); err != nil {
			return err
		}
	}
	return nil
}

// inDiamond reports whether a position lies in its pixel's diamond.
func inDiamond(x, y float64) bool {
	fx, fy := x-math.Floor(x)-0.5, y-math.Floor(y)-0.5
	return math.Abs(fx)+math.Abs(fy) < 0.5
}
