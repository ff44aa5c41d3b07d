package emu

// wideAssembler turns the stream of vertex indices of one instance into the
// primitives that the tessellation or the geometry stage takes: patches, and
// primitives with their adjacent vertices. Other topologies go through an
// assembler.
type wideAssembler struct {
	plain  assembler
	topo   Topology
	size   int // vertices of a primitive
	n      int // vertices since the start or the last restart
	win    [MaxPatchVertices]uint32
	primID uint32
	// v are the vertices of the primitive that push or end has completed, id its
	// number.
	v  [MaxPatchVertices]uint32
	id uint32
}

// primSize is the number of vertices of a primitive for the stage after the
// vertex stage.
func (p *Pipeline) primSize() int {
	switch p.Topology {
	case PatchList:
		return p.PatchControlPoints
	case LineListAdjacency, LineStripAdjacency:
		return 4
	case TriangleListAdjacency, TriangleStripAdjacency:
		return 6
	}
	return p.Topology.primVertices()
}

func newWideAssembler(p *Pipeline) wideAssembler {
	return wideAssembler{plain: assembler{topo: p.Topology}, topo: p.Topology, size: p.primSize()}
}

// restart begins a new strip; true: it completed a primitive.
func (a *wideAssembler) restart() bool {
	done := a.end()
	a.n = 0
	a.plain.restart()
	return done
}

// push takes the next vertex and reports whether it completed a primitive.
func (a *wideAssembler) push(idx uint32) bool {
	switch a.topo {
	case PatchList, LineListAdjacency, TriangleListAdjacency:
		a.win[a.n] = idx
		if a.n++; a.n < a.size {
			return false
		}
		a.n = 0
		return a.emit(a.win[:a.size]...)
	case LineStripAdjacency:
		copy(a.win[:3], a.win[1:4])
		a.win[3] = idx
		if a.n++; a.n < a.size {
			return false
		}
		return a.emit(a.win[:a.size]...)
	case TriangleStripAdjacency:
		return a.pushStrip(idx)
	}
	if !a.plain.push(idx) {
		return false
	}
	return a.emit(a.plain.prim.v[:a.size]...)
}

// stripWindow is how many vertices back a triangle of a strip with adjacency
// reaches, counted from the vertex that completes its successor.
const stripWindow = 10

// pushStrip is push for triangle strips with adjacency. The last triangle of a
// strip takes an adjacent vertex from another place, so a triangle is complete
// only when the next one is.
func (a *wideAssembler) pushStrip(idx uint32) bool {
	copy(a.win[:stripWindow-1], a.win[1:stripWindow])
	a.win[stripWindow-1] = idx
	if a.n++; a.n < 8 || a.n&1 != 0 {
		return false
	}
	return a.strip(a.n/2-4, 6)
}

// end completes what the end of a strip completes.
func (a *wideAssembler) end() bool {
	if a.topo != TriangleStripAdjacency || a.n < 6 {
		return false
	}
	return a.strip(a.n/2-3, 5)
}

// strip emits triangle i of a strip with adjacency (Vulkan specification,
// Triangle Strips With Adjacency); far is the place, from vertex 2i on, of the
// vertex beyond the edge that the next triangle shares.
func (a *wideAssembler) strip(i, far int) bool {
	at := func(k int) uint32 { return a.win[stripWindow-(a.n-(2*i+k))] }
	before := at(1)
	if i > 0 {
		before = at(-2)
	}
	if i&1 != 0 {
		return a.emit(at(0), at(3), at(4), at(far), at(2), before)
	}
	return a.emit(at(0), before, at(2), at(far), at(4), at(3))
}

func (a *wideAssembler) emit(v ...uint32) bool {
	copy(a.v[:], v)
	a.id = a.primID
	a.primID++
	return true
}
