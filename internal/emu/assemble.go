package emu

// assembler turns the stream of vertex indices of one instance into
// primitives. It works on indices alone, so that a batch of vertices may end
// anywhere in a strip.
type assembler struct {
	topo   Topology
	last   bool      // provoking vertex is the last
	n      int       // vertices since the start or the last restart
	win    [6]uint32 // the last vertices of the primitive under way
	first  uint32    // a fan's centre
	primID uint32
	prim   primRef
}

// primRef is an assembled primitive: vertex indices, or places in a batch.
type primRef struct {
	v         [3]uint32
	provoking uint8
	id        uint32
}

func (a *assembler) restart() { a.n = 0 }

// push takes the next vertex and reports whether a.prim is now a new primitive.
func (a *assembler) push(idx uint32) bool {
	n := a.n
	a.n++
	switch a.topo {
	case PointList:
		return a.emit(0, 0, idx, idx, idx)
	case LineList, LineStrip:
		prev := a.win[0]
		a.win[0] = idx
		if n == 0 || a.topo == LineList && n&1 == 0 {
			return false
		}
		return a.emit(0, 1, prev, idx, idx)
	case TriangleList:
		k := n % 3
		a.win[k] = idx
		if k != 2 {
			return false
		}
		return a.emit(0, 2, a.win[0], a.win[1], idx)
	case TriangleStrip:
		w := a.shift(idx, 3)
		if n < 2 {
			return false
		}
		return a.strip(n&1 != 0, w[0], w[1], w[2])
	case TriangleFan:
		if n == 0 {
			a.first = idx
			return false
		}
		prev := a.win[0]
		a.win[0] = idx
		if n == 1 {
			return false
		}
		return a.emit(0, 1, prev, idx, a.first)
	}
	return a.pushAdjacency(n, idx)
}

// pushAdjacency is push for vertex n of the topologies with adjacency.
func (a *assembler) pushAdjacency(n int, idx uint32) bool {
	switch a.topo {
	case LineListAdjacency:
		a.win[n&3] = idx
		if n&3 != 3 {
			return false
		}
		return a.emit(0, 1, a.win[1], a.win[2], a.win[2])
	case LineStripAdjacency:
		w := a.shift(idx, 4)
		if n < 3 {
			return false
		}
		return a.emit(0, 1, w[1], w[2], w[2])
	case TriangleListAdjacency:
		k := n % 6
		a.win[k] = idx
		if k != 5 {
			return false
		}
		return a.emit(0, 2, a.win[0], a.win[2], a.win[4])
	case TriangleStripAdjacency:
		w := a.shift(idx, 6)
		if n < 5 || n&1 == 0 {
			return false
		}
		return a.strip((n-5)/2&1 != 0, w[0], w[2], w[4])
	}
	return false
}

// strip emits a strip's triangle; every second one swaps its last vertices to
// keep the orientation.
func (a *assembler) strip(odd bool, v0, v1, v2 uint32) bool {
	if odd {
		return a.emit(0, 1, v0, v2, v1)
	}
	return a.emit(0, 2, v0, v1, v2)
}

// shift moves the window of n vertices on by one.
func (a *assembler) shift(idx uint32, n int) *[6]uint32 {
	copy(a.win[:n-1], a.win[1:n])
	a.win[n-1] = idx
	return &a.win
}

func (a *assembler) emit(first, last uint8, v0, v1, v2 uint32) bool {
	a.prim = primRef{v: [3]uint32{v0, v1, v2}, provoking: first, id: a.primID}
	if a.last {
		a.prim.provoking = last
	}
	a.primID++
	return true
}

// primVertices returns the number of vertices that matter of a primitive.
func (t Topology) primVertices() int {
	switch t {
	case PointList:
		return 1
	case LineList, LineStrip, LineListAdjacency, LineStripAdjacency:
		return 2
	}
	return 3
}
