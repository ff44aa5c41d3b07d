package emu

import "math"

// cubeAxes says of each face of a cube, in the order of layers (+X, -X, +Y,
// -Y, +Z, -Z), which component of a direction is its major axis and which are
// s and t, with their signs (Vulkan 1.3, Cube Map Face Selection).
var cubeAxes = [6]struct {
	major, s, t    uint8
	sign, sgn, tgn float64
}{
	{0, 2, 1, 1, -1, -1},
	{0, 2, 1, -1, 1, -1},
	{1, 0, 2, 1, 1, 1},
	{1, 0, 2, -1, 1, -1},
	{2, 0, 1, 1, 1, -1},
	{2, 0, 1, -1, -1, -1},
}

// cubeFace chooses the face of a direction: that of the largest component, z
// before y before x.
func cubeFace(r *[3]float64) int {
	ax, ay, az := math.Abs(r[0]), math.Abs(r[1]), math.Abs(r[2])
	axis := 0
	switch {
	case az >= ax && az >= ay:
		axis = 2
	case ay >= ax:
		axis = 1
	}
	if r[axis] < 0 || r[axis] == 0 && math.Signbit(r[axis]) {
		return 2*axis + 1
	}
	return 2 * axis
}

// cubeCoord returns the coordinates of a direction on a face, 0..1.
func cubeCoord(face int, r *[3]float64) (s, t float64) {
	a := &cubeAxes[face]
	m := math.Abs(r[a.major])
	return cubeScale(a.sgn*r[a.s], m), cubeScale(a.tgn*r[a.t], m)
}

func cubeScale(c, major float64) float64 {
	if major == 0 {
		return 0.5
	}
	return 0.5*c/major + 0.5
}

// cubeGrad returns the derivatives of the face's coordinates (Vulkan 1.3,
// Cube Map Derivative Transformation).
func cubeGrad(face int, r, d *[3]float64) (ds, dt float64) {
	a := &cubeAxes[face]
	m := math.Abs(r[a.major])
	if m == 0 {
		return 0, 0
	}
	dm := a.sign * d[a.major]
	ds = 0.5 * (m*a.sgn*d[a.s] - a.sgn*r[a.s]*dm) / (m * m)
	dt = 0.5 * (m*a.tgn*d[a.t] - a.tgn*r[a.t]*dm) / (m * m)
	return ds, dt
}

// cubeNeighbour returns the texel that lies where texel (i, j) of a face of n
// by n would be: inside the face itself, or across one of its edges. Beyond a
// corner there is none.
func cubeNeighbour(face, i, j, n int) (f, x, y int, ok bool) {
	outX, outY := i < 0 || i >= n, j < 0 || j >= n
	if !outX && !outY {
		return face, i, j, true
	}
	if outX && outY {
		return 0, 0, 0, false
	}
	// The texel's centre in the plane of the face, seen from the cube's middle,
	// lies on the neighbour, and there in the texel wanted: it is displaced by
	// less than half a texel.
	a := &cubeAxes[face]
	var r [3]float64
	r[a.major] = a.sign
	r[a.s] = a.sgn * (float64(2*i+1)/float64(n) - 1)
	r[a.t] = a.tgn * (float64(2*j+1)/float64(n) - 1)
	f = cubeFace(&r)
	s, t := cubeCoord(f, &r)
	x, y = int(math.Floor(s*float64(n))), int(math.Floor(t*float64(n)))
	return f, min(max(x, 0), n-1), min(max(y, 0), n-1), true
}
