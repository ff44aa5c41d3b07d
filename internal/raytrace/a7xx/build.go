package a7xx

import (
	"encoding/binary"
	"math"
	"slices"

	"nirc/internal/raytrace"
)

// Alloc gives zeroed memory of a size and its address, which is a multiple of 256.
type Alloc func(size int) (addr uint64, data []byte)

// Build puts a scene into memory as a driver would, with trees whose nodes have at most width children, 2 to 8, and
// returns the address of its header and how many bytes header and instances take.
func Build(alloc Alloc, s *raytrace.Scene, width int) (addr, size uint64) {
	b := builder{alloc: alloc, width: min(max(width, 2), maxChildren), bottoms: map[*raytrace.Bottom]bottom{}}
	leaves := make([]leaf, 0, len(s.Instances))
	records := make([]byte, RecordSize*len(s.Instances))
	for i := range s.Instances {
		if in := &s.Instances[i]; in.Bottom != nil {
			if l := b.instance(in, uint32(i), records[RecordSize*i:]); l.bounds != nothing {
				leaves = append(leaves, l)
			}
		}
	}
	addr, head := b.structure(leaves, records, nodeTop)
	binary.LittleEndian.PutUint64(head[HeaderCount:], uint64(len(s.Instances)))
	return addr, uint64(RecordSize + len(records))
}

type builder struct {
	alloc   Alloc
	width   int
	bottoms map[*raytrace.Bottom]bottom
}

// bottom is a bottom level that is in memory.
type bottom struct {
	nodes  uint64
	flags  uint32
	bounds raytrace.Box
}

// leaf is what becomes a leaf node.
type leaf struct {
	bounds raytrace.Box
	node   [NodeSize]byte
}

var order = binary.LittleEndian

func putVec(b []byte, v raytrace.Vec3) {
	for k, x := range v {
		order.PutUint32(b[4*k:], math.Float32bits(x))
	}
}

func putMatrix(b []byte, m *raytrace.Matrix) {
	for i := range m {
		for j, x := range m[i] {
			order.PutUint32(b[16*i+4*j:], math.Float32bits(x))
		}
	}
}

// instance fills the record of an instance and makes its leaf.
func (b *builder) instance(in *raytrace.Instance, id uint32, record []byte) (l leaf) {
	below := b.bottom(in.Bottom)
	order.PutUint64(record[InstanceNodes:], below.nodes)
	order.PutUint32(record[InstanceCustomIndex:], in.CustomIndex&0xffffff)
	order.PutUint32(record[InstanceSBTFlags:], in.SBTOffset&0xffffff|uint32(in.Flags)<<24)
	back := in.Transform.Inverse()
	putMatrix(record[InstanceWorldToObject:], &back)
	putMatrix(record[InstanceObjectToWorld:], &in.Transform)

	l.bounds = worldBounds(&below.bounds, &in.Transform)
	flags := below.flags
	if force := in.Flags & (raytrace.ForceOpaque | raytrace.ForceNoOpaque); force != 0 {
		flags = flags&^(AllOpaque|AllNonOpaque) | uint32(force) // the bits are the same
	}
	order.PutUint32(l.node[leafID:], id)
	putVec(l.node[LeafVertices:], l.bounds.Min)
	putVec(l.node[LeafVertices+12:], l.bounds.Max)
	order.PutUint32(l.node[leafFlags:], flags|uint32(in.Mask)<<8)
	order.PutUint32(l.node[nodeType:], nodeLeaf|nodeTop)
	return l
}

// nothing is the box that holds nothing.
var nothing = raytrace.Box{Min: raytrace.Vec3{inf, inf, inf}, Max: raytrace.Vec3{-inf, -inf, -inf}}

var inf = float32(math.Inf(1))

// worldBounds is a box that holds the transformed box, a little larger for what the sums round.
func worldBounds(b *raytrace.Box, m *raytrace.Matrix) raytrace.Box {
	r := nothing
	if !(b.Min[0] <= b.Max[0]) {
		return r
	}
	for i := range m {
		lo, hi, size := float64(m[i][3]), float64(m[i][3]), math.Abs(float64(m[i][3]))
		for j := range b.Min {
			p, q := float64(b.Min[j])*float64(m[i][j]), float64(b.Max[j])*float64(m[i][j])
			lo, hi, size = lo+min(p, q), hi+max(p, q), size+max(math.Abs(p), math.Abs(q))
		}
		slack := size * 0x1p-18 // the ray is transformed the other way, in floats
		r.Min[i], r.Max[i] = roundDown(lo-slack), roundUp(hi+slack)
	}
	return r
}

func roundDown(x float64) float32 {
	f := float32(x)
	if float64(f) > x {
		f = math.Nextafter32(f, -inf)
	}
	return f
}

func roundUp(x float64) float32 { return -roundDown(-x) }

// bottom puts a bottom level into memory, once.
func (b *builder) bottom(x *raytrace.Bottom) bottom {
	if have, ok := b.bottoms[x]; ok {
		return have
	}
	below := bottom{flags: AllOpaque | AllNonOpaque, bounds: nothing}
	var leaves []leaf
	for g := range x.Geometries {
		geometry := &x.Geometries[g]
		if geometry.Opaque {
			below.flags &^= AllNonOpaque
		} else {
			below.flags &^= AllOpaque
		}
		if len(geometry.Boxes) > 0 {
			below.flags |= AllBoxes
		}
		leaves = appendGeometry(leaves, geometry, uint32(g))
	}
	for i := range leaves {
		below.bounds = below.bounds.Union(leaves[i].bounds)
	}
	_, head := b.structure(leaves, nil, 0)
	order.PutUint32(head[HeaderFlags:], below.flags)
	below.nodes = order.Uint64(head[HeaderNodes:])
	b.bottoms[x] = below
	return below
}

// appendGeometry adds the leaves of a geometry's active primitives.
func appendGeometry(list []leaf, g *raytrace.Geometry, number uint32) []leaf {
	kind := uint32(nodeLeaf)
	if !g.Opaque {
		kind |= nodeNonOpaque
	}
	put := func(bounds raytrace.Box, id int, kind uint32, vertices ...raytrace.Vec3) {
		l := leaf{bounds: bounds}
		order.PutUint32(l.node[leafID:], uint32(id))
		for k, v := range vertices {
			putVec(l.node[LeafVertices+12*k:], v)
		}
		order.PutUint32(l.node[LeafGeometry:], number)
		order.PutUint32(l.node[nodeType:], kind)
		list = append(list, l)
	}
	for i := range g.Triangles {
		if t := &g.Triangles[i]; !t.Inactive() {
			put(t.Bounds(), i, kind, t[0], t[1], t[2])
		}
	}
	for i := range g.Boxes {
		if x := &g.Boxes[i]; !x.Inactive() {
			put(*x, i, kind|nodeBox, x.Min, x.Max)
		}
	}
	return list
}

// structure lays out header, records, parents and nodes, and returns the header's address and bytes.
func (b *builder) structure(leaves []leaf, records []byte, top uint32) (addr uint64, head []byte) {
	t := tree{width: b.width, top: top, nodes: make([][NodeSize]byte, 1, 2*len(leaves)+1), parents: []uint32{NoNode}}
	t.fill(0, leaves)
	fixed := RecordSize + len(records)
	first := (fixed + 4*len(t.nodes) + NodeSize - 1) &^ (NodeSize - 1)
	addr, data := b.alloc(first + NodeSize*len(t.nodes))
	for i := range t.nodes {
		copy(data[first+NodeSize*i:], t.nodes[i][:])
		order.PutUint32(data[first-4*i-4:], t.parents[i])
	}
	copy(data[RecordSize:], records)
	bounds := boundsOf(leaves)
	putVec(data, bounds.Min)
	putVec(data[12:], bounds.Max)
	order.PutUint64(data[HeaderNodes:], addr+uint64(first))
	order.PutUint64(data[HeaderSelf:], addr)
	return addr, data[:RecordSize]
}

func boundsOf(leaves []leaf) raytrace.Box {
	r := nothing
	for i := range leaves {
		r = r.Union(leaves[i].bounds)
	}
	return r
}

// tree is a tree in the making.
type tree struct {
	width   int
	top     uint32
	nodes   [][NodeSize]byte
	parents []uint32
}

// fill makes node n of leaves: the one leaf itself, or an inner node with parts of them below.
func (t *tree) fill(n uint32, leaves []leaf) {
	if len(leaves) == 1 {
		t.nodes[n] = leaves[0].node
		return
	}
	parts := split(leaves, t.width)
	first := uint32(len(t.nodes))
	if len(parts) == 0 {
		first = n
	}
	t.nodes[n] = inner(parts, first, t.top)
	for range parts {
		t.nodes = append(t.nodes, [NodeSize]byte{})
		t.parents = append(t.parents, n)
	}
	for i, p := range parts {
		t.fill(first+uint32(i), p)
	}
}

// split parts leaves into at most width, the largest part in halves until there are that many.
func split(leaves []leaf, width int) [][]leaf {
	if len(leaves) == 0 {
		return nil
	}
	parts := [][]leaf{leaves}
	for len(parts) < width {
		k := 0
		for i := range parts {
			if len(parts[i]) > len(parts[k]) {
				k = i
			}
		}
		if len(parts[k]) < 2 {
			break
		}
		p := parts[k]
		bounds, axis := boundsOf(p), 0
		for a := range 3 {
			if bounds.Max[a]-bounds.Min[a] > bounds.Max[axis]-bounds.Min[axis] {
				axis = a
			}
		}
		slices.SortStableFunc(p, func(x, y leaf) int {
			return cmpFloat(x.bounds.Min[axis]+x.bounds.Max[axis], y.bounds.Min[axis]+y.bounds.Max[axis])
		})
		parts = slices.Replace(parts, k, k+1, p[:len(p)/2], p[len(p)/2:])
	}
	return parts
}

func cmpFloat(x, y float32) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// inner makes an inner node: the corners are rounded to bytes so that the boxes do not shrink.
func inner(parts [][]leaf, first, top uint32) (n [NodeSize]byte) {
	all := nothing
	boxes := make([]raytrace.Box, len(parts))
	for i, p := range parts {
		boxes[i] = boundsOf(p)
		all = all.Union(boxes[i])
	}
	order.PutUint32(n[innerFirst:], first)
	n[innerCount] = uint8(len(parts))
	order.PutUint16(n[nodeType+2:], uint16(top>>16))
	for i := len(parts); i < maxChildren; i++ { // least above greatest: met by nothing
		copy(n[innerCorners+6*i:], []byte{0xff, 0xff, 0xff})
	}
	if len(parts) == 0 {
		return n
	}
	for k := range 3 {
		base := math.Float32bits(all.Min[k])
		if base>>31 != 0 { // rounded down is away from zero
			base += 0xffff
		}
		base &^= 0xffff
		order.PutUint16(n[innerBase+2*k:], uint16(base>>16))
		from := float64(math.Float32frombits(base))
		unit, exponent := scale(float64(all.Max[k]) - from)
		n[innerExponents+k] = exponent
		for i := range boxes {
			n[innerCorners+6*i+k] = corner(math.Floor((float64(boxes[i].Min[k])-from)/unit), 0)
			n[innerCorners+6*i+3+k] = corner(math.Ceil((float64(boxes[i].Max[k])-from)/unit), 0xff)
		}
	}
	return n
}

// corner is a corner's byte; infinite boxes have none.
func corner(x float64, none uint8) uint8 {
	if x >= 0 && x <= 0xff {
		return uint8(x)
	}
	return none
}

// scale is the least unit of which 255 reach over a length, and the exponent byte that stands for it.
func scale(length float64) (unit float64, exponent uint8) {
	for e := 1; ; e++ {
		if unit = unitOf(uint8(e)); unit*255 >= length || e == 254 {
			return unit, uint8(e)
		}
	}
}

// unitOf is what the lowest bit of a corner's byte is worth: the byte has the float's leading bit and seven more.
func unitOf(exponent uint8) float64 { return math.Ldexp(1, int(exponent)-127-7) }
