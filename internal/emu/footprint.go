package emu

import "math"

// Footprints: which texels of a level a coordinate touches (Vulkan 1.3, Texel
// Coordinate Systems to Integer Texel Coordinate Operations).

// texFloor is floor as an integer that is safe to compute with.
func texFloor(x float64) int {
	const lim = 1 << 30
	return int(clampNum(math.Floor(x), -lim, lim))
}

// axis returns the first texel that a coordinate touches along an axis and the
// weight of the one after it.
func (p *sampling) axis(k, size int, linear bool) (i int, frac float64) {
	u := p.coord[k]
	if !p.s.Unnormalized {
		u *= float64(size)
	}
	if linear {
		u -= 0.5
	}
	i = texFloor(u)
	if linear {
		frac = clampNum(u-float64(i), 0, 1)
	}
	return i + int(p.op.Offset[k]), frac
}

// footprint lists the texels of a level with their weights.
func (p *sampling) footprint(l *texLevel, linear bool, taps *[8]texTap) int {
	x, fx := p.axis(0, l.w, linear)
	var y, z int
	var fy, fz float64
	nx, ny, nz := 1, 1, 1
	if p.op.Dim != Tex1D {
		y, fy = p.axis(1, l.h, linear)
	}
	if p.op.Dim == Tex3D {
		z, fz = p.axis(2, l.d, linear)
	}
	if linear {
		nx = 2
		if p.op.Dim != Tex1D {
			ny = 2
		}
		if p.op.Dim == Tex3D {
			nz = 2
		}
	}
	if p.op.Dim == TexCube && !p.s.NonSeamlessCube {
		return p.cubeFootprint(l, x, y, fx, fy, linear, taps)
	}
	n := 0
	for k := range nz {
		for j := range ny {
			for i := range nx {
				w := side(fx, i) * side(fy, j) * side(fz, k)
				taps[n] = texTap{p.place(l, x+i, y+j, z+k), w}
				n++
			}
		}
	}
	return n
}

// side is the weight of the first or second texel along an axis.
func side(frac float64, i int) float64 {
	if i == 0 {
		return 1 - frac
	}
	return frac
}

// place applies the address modes; -1 is the border.
func (p *sampling) place(l *texLevel, x, y, z int) int {
	x = p.s.Address[0].wrap(x, l.w)
	if p.op.Dim != Tex1D {
		y = p.s.Address[1].wrap(y, l.h)
	} else {
		y = 0
	}
	if p.op.Dim == Tex3D {
		z = p.s.Address[2].wrap(z, l.d)
	} else {
		z = 0
	}
	if x < 0 || y < 0 || z < 0 {
		return -1
	}
	return l.at(x, y, z, p.layer)
}

// cubeFootprint filters across the edges of a cube's faces. The texel that
// is missing beyond a corner counts as the average of the other three.
func (p *sampling) cubeFootprint(l *texLevel, x, y int, fx, fy float64, linear bool, taps *[8]texTap) int {
	n := min(l.w, l.h)
	if !linear {
		x, y = min(max(x, 0), n-1), min(max(y, 0), n-1)
		taps[0] = texTap{l.at(x, y, 0, p.layer), 1}
		return 1
	}
	missing := -1
	for k := range 4 {
		taps[k] = texTap{p.cubePlace(l, x+k&1, y+k>>1, n), side(fx, k&1) * side(fy, k>>1)}
		if taps[k].at < 0 {
			missing = k
		}
	}
	if missing < 0 {
		return 4
	}
	share := taps[missing].weight / 3
	taps[missing] = taps[3]
	for k := range 3 {
		taps[k].weight += share
	}
	return 3
}

// cubePlace finds a texel of the sampled face or across its edge; -1 beyond a
// corner.
func (p *sampling) cubePlace(l *texLevel, x, y, n int) int {
	// Offsets are not allowed on cubes: a texel is at most one row outside.
	face, x, y, ok := cubeNeighbour(p.face, min(max(x, -1), n), min(max(y, -1), n), n)
	if !ok {
		return -1
	}
	return l.at(x, y, 0, p.layer-p.face+face)
}

// Gather reads one component of the four texels that linear filtering of the
// base level would touch, in the order (0,1) (1,1) (1,0) (0,0) (Vulkan 1.3,
// Texel Gathering). With Compare it is the four comparisons. offsets, unless nil, replaces
// op.Offset: each gives the (0,0) texel of one result.
func (v *ImageView) Gather(s *Sampler, op *SampleOp, comp int, offsets *[4][2]int32) (out [4]uint32) {
	var p sampling
	if !p.init(v, s, op) {
		return out
	}
	l, ok := v.level(0)
	if !ok {
		return out
	}
	x, _ := p.axis(0, l.w, true)
	y, _ := p.axis(1, l.h, true)
	seamless := op.Dim == TexCube && !s.NonSeamlessCube
	for i := range out {
		dx, dy := int(0x6>>i&1), int(0x3>>i&1)
		if offsets != nil {
			dx = int(offsets[i][0]) - int(op.Offset[0])
			dy = int(offsets[i][1]) - int(op.Offset[1])
		}
		var at int
		if seamless {
			n := min(l.w, l.h)
			if at = p.cubePlace(&l, x+dx, y+dy, n); at < 0 { // beyond a corner any neighbour will do
				at = l.at(min(max(x+dx, 0), n-1), min(max(y+dy, 0), n-1), 0, p.layer)
			}
		} else {
			at = p.place(&l, x+dx, y+dy, 0)
		}
		var t [4]uint32
		p.texel(&l, at, &t)
		if op.Compare {
			out[i] = t[0]
			continue
		}
		v.swizzle(&t)
		out[i] = t[comp&3]
	}
	return out
}
