package core

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// geometryBooks are what a driver keeps of a geometry stage, in words of the test's own: counts of each unit, and what follows from them.
type geometryBooks struct {
	g        *geometryDraw
	counts   [][abi.CountWords]uint32 // of the units from 0 on
	feedback emu.Feedback             // as it was before
}

// randomGeometry makes a draw that is about to have its sums, with counts by a program or the same for all units.
func randomGeometry(r *rand.Rand) *geometryBooks {
	m := &abi.Geometry{MaxVertices: 1 + r.Uint32N(9), OutPrimitive: uint8(r.IntN(3)), Vertices: []ir.Slot{ir.SlotPos, ir.SlotVar0, ir.SlotVar0 + 1}[:r.IntN(4)]}
	for range r.IntN(4) {
		c := ir.Capture{Slot: ir.SlotVar0, Count: 4, Bits: 32, Stream: uint8(r.IntN(ir.NumXfbBuffers))}
		c.Buffer = c.Stream // a buffer is of one stream
		m.Captures = append(m.Captures, c)
		m.Strides[c.Buffer] = 4 * (1 + r.Uint32N(5))
	}
	b := &geometryBooks{g: &geometryDraw{p: &program{}, modes: m, d: &driverMemory{}, first: r.Uint32N(5)}}
	b.g.end = b.g.first + 1 + r.Uint32N(6)
	random := func() (list [abi.CountWords]uint32) {
		for k := range list {
			list[k] = r.Uint32N(2*m.MaxVertices + 1)
		}
		return list
	}
	m.Counts = random()
	for range b.g.end {
		b.counts = append(b.counts, m.Counts)
	}
	if r.IntN(2) == 0 {
		b.g.p.count = &program{}
		b.g.d.alloc(regionCounts, len(b.counts)*abi.CountWords, 0)
		for u := range b.counts {
			b.counts[u] = random()
			for k, n := range b.counts[u] {
				b.g.d.set(regionCounts, u*abi.CountWords+k, n)
			}
		}
	}
	if r.IntN(4) > 0 {
		for i := range b.feedback.Buffers {
			b.feedback.Buffers[i] = make([]byte, r.IntN(300))
			b.feedback.Offsets[i] = uint64(r.IntN(100))
			b.feedback.Generated[i], b.feedback.Written[i] = r.Uint64N(9), r.Uint64N(9)
		}
		f := b.feedback
		for i := range f.Buffers {
			f.Buffers[i] = slices.Clone(f.Buffers[i])
		}
		b.g.feedback = &f
	}
	return b
}

// before is the sum of word k of the units from one on that come before another. Without a count program the units before the launch's first count too: their
// sums are where code looks for its own.
func (b *geometryBooks) before(k int, unit uint32) (sum uint32) {
	from := b.g.first
	if b.g.p.count == nil {
		from = 0
	}
	for u := from; u < unit; u++ {
		sum += b.counts[u][k]
	}
	return sum
}

// own is the sum of word k of the launch's units.
func (b *geometryBooks) own(k int) uint32 { return b.before(k, b.g.end) - b.before(k, b.g.first) }

// room is how many primitives of a stream a buffer takes.
func (b *geometryBooks) room(stream int) uint64 {
	if b.g.feedback == nil {
		return 0
	}
	n, size := uint64(0), uint64(b.g.modes.OutPrimitive+1)*uint64(b.g.modes.Strides[stream])
	for at := b.feedback.Offsets[stream] + size; at <= uint64(len(b.feedback.Buffers[stream])) && n < uint64(b.own(1+stream)); at += size {
		n++
	}
	return n
}

// TestGeometryBooks: the sums of what units count, the memory that a driver makes for what they write, how many primitives transform feedback has room for, and
// what of them arrives there, against a book that is kept beside it: units before the launch's first one have a place that nobody sees.
func TestGeometryBooks(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 400 {
		b := randomGeometry(r)
		if err := b.g.sums(); err != nil {
			t.Fatal(err)
		}
		b.checkSums(t)
		b.checkRoom(t)
		b.checkCollected(t, r)
		if t.Failed() {
			t.Fatalf("units %d to %d, count program %v, modes %+v, feedback %v", b.g.first, b.g.end, b.g.p.count != nil, *b.g.modes, b.g.feedback != nil)
		}
	}
}

// checkSums compares what units find of those before them, and the sizes of what they write.
func (b *geometryBooks) checkSums(t *testing.T) {
	g, m := b.g, b.g.modes
	for u := g.first; u <= g.end; u++ {
		if got, want := g.starts[u-g.first], b.before(0, u); got != want {
			t.Errorf("unit %d begins at word %d, want %d", u, got, want)
		}
		if g.p.count == nil || u == g.end {
			continue
		}
		for k := range abi.CountWords {
			if got, want := g.d.get(regionCounts, int(u)*abi.CountWords+k), b.before(k, u); got != want {
				t.Errorf("unit %d finds %d for word %d, want %d", u, got, k, want)
			}
		}
	}
	b.checkAddress(t, abi.UniformIndices, regionDraw, uint64(4*b.before(0, g.first)), uint64(4*b.own(0)))
	if vertex := uint64(16 * len(m.Vertices)); vertex > 0 {
		each := vertex << m.VertexShift()
		b.checkAddress(t, abi.UniformVertices, regionVertices, each*uint64(g.first), each*uint64(g.end-g.first))
	} else if g.d.known[abi.UniformVertices] {
		t.Error("vertices have a place, and nobody leaves any")
	}
}

// checkAddress compares a uniform with the address of a region less the bytes that others have before it, and the region's size.
func (b *geometryBooks) checkAddress(t *testing.T, kind abi.UniformKind, r int, before, size uint64) {
	t.Helper()
	d := b.g.d
	if !d.known[kind] || d.values[kind]+before != d.regions[r].addr || uint64(len(d.regions[r].data)) != size {
		t.Errorf("uniform %d of region %d: known %v, %#x less than its address, %d bytes, want %#x and %d", kind, r, d.known[kind], d.regions[r].addr-d.values[kind], len(d.regions[r].data), before, size)
	}
}

// checkRoom compares the limits and places of captured primitives.
func (b *geometryBooks) checkRoom(t *testing.T) {
	g := b.g
	for s := range ir.NumXfbBuffers {
		limit := abi.UniformXfbLimit0 + abi.UniformKind(s)
		if !slices.ContainsFunc(g.modes.Captures, func(c ir.Capture) bool { return int(c.Stream) == s }) {
			if g.d.known[limit] {
				t.Errorf("stream %d has a limit, and nobody captures it", s)
			}
			continue
		}
		before, n := uint64(b.before(1+s, g.first)), b.room(s)
		if got := g.d.values[limit]; !g.d.known[limit] || got != before+n {
			t.Errorf("stream %d ends at primitive %d, want %d", s, got, before+n)
		}
		size := uint64(g.modes.OutPrimitive+1) * uint64(g.modes.Strides[s])
		b.checkAddress(t, abi.UniformXfbBuffer0+abi.UniformKind(s), regionXfb+s, before*size, n*size)
	}
}

// checkCollected fills what the main program writes, and compares what a driver takes of it: bytes of primitives that had room, and vertices, each once.
func (b *geometryBooks) checkCollected(t *testing.T, r *rand.Rand) {
	g := b.g
	var ids []uint32
	for at := range len(g.d.regions[regionDraw].data) / 4 {
		id := []uint32{abi.Restart, r.Uint32N(12)}[min(1, r.IntN(4))]
		g.d.set(regionDraw, at, id)
		if id != abi.Restart && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	want := b.feedback
	for s := range ir.NumXfbBuffers {
		data := g.d.regions[regionXfb+s].data
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		if g.feedback != nil && g.d.known[abi.UniformXfbLimit0+abi.UniformKind(s)] {
			copy(want.Buffers[s][min(int(want.Offsets[s]), len(want.Buffers[s])):], data)
			want.Offsets[s] += uint64(len(data))
			want.Generated[s] += uint64(b.own(1 + s))
			want.Written[s] += b.room(s)
		}
	}
	g.collect()
	if !slices.Equal(g.ids, ids) || len(g.out) != len(ids) || g.phase != phaseRaster || g.at != 0 {
		t.Errorf("vertices %d, want %d; phase %d at %d", g.ids, ids, g.phase, g.at)
	}
	for i, id := range ids {
		if g.place[id] != i {
			t.Errorf("vertex %d stands at %d, want %d", id, g.place[id], i)
		}
	}
	if f := g.feedback; f != nil && (f.Offsets != want.Offsets || f.Generated != want.Generated || f.Written != want.Written || !slices.EqualFunc(f.Buffers[:], want.Buffers[:], bytes.Equal)) {
		t.Errorf("feedback %+v, want %+v", *f, want)
	}
}

// TestGeometryCounts: a unit may leave two words for each vertex, a vertex and an end of a strip, and as many primitives; of streams that nobody captures nobody looks.
func TestGeometryCounts(t *testing.T) {
	for _, c := range []struct {
		word    int
		count   uint32
		stream  uint8
		refused bool
	}{{0, 10, 0, false}, {0, 11, 0, true}, {3, 10, 2, false}, {3, 11, 2, true}, {3, 11, 1, false}, {2, 11, 1, true}} {
		m := &abi.Geometry{MaxVertices: 5, Feedback: abi.Feedback{Captures: []ir.Capture{{Stream: c.stream, Buffer: c.stream}}}}
		g := &geometryDraw{p: &program{count: &program{}}, modes: m, d: &driverMemory{}, first: 2, end: 4}
		g.d.alloc(regionCounts, 4*abi.CountWords, 0)
		binary.LittleEndian.PutUint32(g.d.regions[regionCounts].data[4*(3*abi.CountWords+c.word):], c.count)
		if err := g.sums(); c.refused {
			wantError(t, err, "unit 3 counts 11 words or primitives of 5 vertices")
		} else if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	g := &geometryDraw{p: &program{}, modes: &abi.Geometry{MaxVertices: 1024, Vertices: make([]ir.Slot, 2)}, d: &driverMemory{}, first: 1, end: 1<<13 + 2}
	wantError(t, g.sums(), "16779264 slots of vertices")
}

// TestGeometryUnits: units go into waves of as many lanes as there are, with their number in the instance and the instance's.
func TestGeometryUnits(t *testing.T) {
	for _, c := range []struct{ first, end, per uint32 }{{0, 1, 1}, {0, 32, 40}, {0, 33, 5}, {3, 70, 7}} {
		g := &geometryDraw{d: &driverMemory{}, first: c.first, at: c.first, end: c.end, perInstance: c.per, env: &emu.Env{Mem: emu.NewMemory()}}
		p := build(t, &abi.Meta{Stage: ir.StageCompute, Halves: 8, WorkgroupSize: [3]uint32{1, 1, 1}}, "\tstop").(*program)
		for want := c.first; want < c.end; {
			w := g.compute(p)
			if n := min(c.end-want, lanes); w.l.NumLanes != int(n) || w.l.Compute.NumWorkgroups != [3]uint32{1, 1, 1} || w.l.Compute.NumSubgroups != 1 {
				t.Fatalf("%+v: a wave of %d lanes from unit %d on: %+v", c, w.l.NumLanes, want, w.l.Compute)
			}
			for _, id := range w.l.Compute.LocalID {
				if id != [3]uint32{want % c.per, want / c.per} {
					t.Errorf("%+v: unit %d is %d", c, want, id)
				}
				want++
			}
		}
	}
}
