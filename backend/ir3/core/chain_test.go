package core

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// mapped are slots with their index in the primitive map (ir3.md §6.5).
var mapped = []struct {
	slot  ir.Slot
	index int
}{{ir.SlotPos, 0}, {ir.SlotPointSize, 1}, {ir.SlotClipDist1, 8}, {ir.SlotLayer, 10}, {ir.SlotVar0, 13}, {ir.SlotVar0 + 5, 18}, {ir.SlotVar0 + 31, 44}}

// marked are slots with another word in each component.
func marked(n int) *emu.Slots {
	s := new(emu.Slots)
	for slot := range s {
		for k := range s[slot] {
			s[slot][k] = uint32(1000000*(n+1) + 10*slot + k)
		}
	}
	return s
}

// markedPatch is a patch of so many vertices that go in and come out.
func markedPatch(n, in, out int) *emu.Patch {
	p := &emu.Patch{PrimitiveID: uint32(100 + n), Out: make([]emu.Slots, out), PerPatch: *marked(50 + n)}
	for v := range in {
		p.In = append(p.In, marked(10*n+v))
	}
	for v := range out {
		p.Out[v] = *marked(60 + 10*n + v)
	}
	return p
}

// stageWave is a wave of a stage whose memory is laid out; its program does nothing.
func stageWave(m *abi.Meta, l *emu.Launch, n int) *wave {
	w := &wave{p: &program{meta: m}, l: l, n: n}
	w.startChain()
	return w
}

// wordAt is a dword of one of the buffers.
func wordAt(t *testing.T, c *chain, a uint64) uint32 {
	t.Helper()
	b := c.window(a, 4)
	if b == nil {
		t.Fatalf("nothing is at %#x", a)
	}
	return binary.LittleEndian.Uint32(b)
}

// expectVertices looks for the vertices of primitives in local memory, as a consumer does: by the strides and the map alone.
func expectVertices(t *testing.T, c *chain, stage ir.Stage, prims [][]*emu.Slots) {
	t.Helper()
	for i, vertices := range prims {
		for v, s := range vertices {
			for _, x := range mapped {
				for k := range 4 {
					at := i*int(c.primitiveParam(abi.PrimStride)) + v*int(c.primitiveParam(abi.PrimVertexStride)) + int(c.location(stage, x.index)) + 4*k
					if got := binary.LittleEndian.Uint32(c.local[at:]); got != s[x.slot][k] {
						t.Errorf("%s: component %d of slot %d of vertex %d of primitive %d is %d, want %d", stage, k, x.slot, v, i, got, s[x.slot][k])
					}
				}
			}
		}
	}
}

// randomLayout gives some slots places without gaps, after one another and each of so many units, as a stage is linked that stores some
// components of them.
func randomLayout(r *rand.Rand, slots []ir.Slot, start, size int) (list []abi.Location, end int) {
	for _, slot := range slots {
		if r.IntN(3) > 0 {
			list = append(list, abi.Location{Slot: slot, Mask: uint8(1 + r.IntN(15)), Offset: start, Patch: slot >= ir.SlotPatch0})
			start += size
		}
	}
	return list, start
}

// ofVertices are the slots of vertices that the tests look at, ofPatches those of patches.
func ofVertices() (list []ir.Slot) {
	for _, x := range mapped {
		list = append(list, x.slot)
	}
	return list
}

var ofPatches = []ir.Slot{ir.SlotPatch0, ir.SlotPatch0 + 1, ir.SlotPatch0 + 4, ir.SlotPatch0 + 31}

// taken is what slots are after a stage that left words at the place of each of them, of the components that it stores; all others are as before.
func taken(s emu.Slots, list []abi.Location, patch bool, word func(o *abi.Location, k int) uint32) *emu.Slots {
	for i := range list {
		for k := range 4 {
			if o := &list[i]; o.Patch == patch && o.Mask>>k&1 != 0 {
				s[o.Slot][k] = word(o, k)
			}
		}
	}
	return &s
}

// expectSlots compares all slots.
func expectSlots(t *testing.T, what string, got, want *emu.Slots) {
	t.Helper()
	for slot := range got {
		if got[slot] != want[slot] {
			t.Errorf("%s: slot %d is %d, want %d", what, slot, got[slot], want[slot])
		}
	}
}

// levels are how many outer and inner levels a record of a domain has.
var levels = map[uint8][2]int{ir.DomainIsolines: {2, 0}, ir.DomainTriangles: {3, 1}, ir.DomainQuads: {4, 2}}

// fillWords gives each word another value, by its place.
func fillWords(b []byte, base uint32) {
	for i := range len(b) / 4 {
		binary.LittleEndian.PutUint32(b[4*i:], base+uint32(i))
	}
}

// TestControlMemory: a wave of tessellation control finds the vertices of all its patches, and of what it leaves in the buffers just the
// components that it stores reach the stages after it, and the levels of its domain.
func TestControlMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 24 {
		in, out, n := 1+r.IntN(6), 1+r.IntN(5), 1+r.IntN(4)
		m := &abi.Meta{Stage: ir.StageTessCtrl}
		first, end := randomLayout(r, ofPatches, 0, 4) // dwords
		rest, stride := randomLayout(r, ofVertices(), end, 4*out)
		m.Chain.Locations, m.Chain.PatchStride = append(first, rest...), stride
		domain := []uint8{ir.DomainIsolines, ir.DomainTriangles, ir.DomainQuads}[r.IntN(3)]
		m.Chain.Tess = ir.TessInfo{Domain: domain, OutputVertices: uint32(out)}
		l := &emu.Launch{}
		var patches []*emu.Patch
		var prims [][]*emu.Slots
		for i := range n {
			p := markedPatch(i, in, out)
			patches, prims = append(patches, p), append(prims, p.In)
			for v := range out {
				l.TessCtrl = append(l.TessCtrl, emu.TessCtrlLane{Patch: p, InvocationID: uint32(v)})
			}
		}
		w := stageWave(m, l, n*out)
		c := w.chain
		expectVertices(t, c, m.Stage, prims)
		fillWords(c.params, 0x80000000)
		fillWords(c.factors, 0x90000000)
		w.endChain()
		outer, inner := levels[domain][0], levels[domain][1]
		for i, p := range patches {
			before := markedPatch(i, in, out)
			word := func(v int) func(o *abi.Location, k int) uint32 {
				return func(o *abi.Location, k int) uint32 { return 0x80000000 + uint32(i*m.Chain.PatchStride+o.Offset+4*v+k) }
			}
			for v := range out {
				expectSlots(t, "a vertex", &p.Out[v], taken(before.Out[v], m.Chain.Locations, false, word(v)))
			}
			want := taken(before.PerPatch, m.Chain.Locations, true, word(0))
			record := 0x90000000 + uint32(i*(1+outer+inner)+1) // after the primitive's number
			for k := range outer {
				want[ir.SlotTessLevelOuter][k] = record + uint32(k)
			}
			for k := range inner {
				want[ir.SlotTessLevelInner][k] = record + uint32(outer+k)
			}
			expectSlots(t, "a patch", &p.PerPatch, want)
		}
	}
}

// TestEvaluationMemory: a wave of tessellation evaluation finds in the two buffers what control left of each of its patches. Where its shader
// does not say the domain, a third coordinate of any invocation does, and else there is room for all.
func TestEvaluationMemory(t *testing.T) {
	for n := range 4 {
		for domain, count := range levels {
			vertices := n + 2
			m := &abi.Meta{Stage: ir.StageTessEval}
			told := n%2 == 0
			if told {
				m.Chain.Tess.Domain = domain
			} else if domain == ir.DomainIsolines {
				count = levels[ir.DomainQuads]
			}
			l := &emu.Launch{}
			var patches []*emu.Patch
			for i := range n + 1 {
				p := markedPatch(i, 0, vertices)
				patches = append(patches, p)
				l.TessEval = append(l.TessEval, emu.TessEvalLane{Patch: p}, emu.TessEvalLane{Patch: p})
			}
			if !told && domain == ir.DomainTriangles {
				l.TessEval[n].Coord[2] = 0.5
			}
			c := stageWave(m, l, len(l.TessEval)).chain
			if got := int(c.primitiveParam(abi.PrimVerticesIn)); got != vertices {
				t.Errorf("patches of %d vertices, want %d", got, vertices)
			}
			for i, p := range patches {
				if c.patchOf[2*i] != uint8(i) || c.patchOf[2*i+1] != uint8(i) {
					t.Errorf("patch %d is not that of its lanes", i)
				}
				address := func(k int) uint64 { return uint64(c.primitiveParam(k)) | uint64(c.primitiveParam(k+1))<<32 }
				patch := address(abi.PrimParamBase) + 4*uint64(i)*uint64(c.primitiveParam(abi.PrimPatchStride))
				for k := range 4 {
					for slot := range 32 {
						if got, want := wordAt(t, c, patch+uint64(16*slot+4*k)), p.PerPatch[ir.SlotPatch0+ir.Slot(slot)][k]; got != want {
							t.Errorf("component %d of slot %d of patch %d is %d, want %d", k, slot, i, got, want)
						}
					}
					for v := range vertices {
						for _, x := range mapped {
							at := patch + 4*uint64(c.location(m.Stage, x.index)) + uint64(16*v+4*k)
							if got, want := wordAt(t, c, at), p.Out[v][x.slot][k]; got != want {
								t.Errorf("component %d of slot %d of vertex %d of patch %d is %d, want %d", k, x.slot, v, i, got, want)
							}
						}
					}
				}
				if got := int(c.primitiveParam(abi.PrimFactorStride)); got != 4*(1+count[0]+count[1]) {
					t.Errorf("records of %d bytes for %v levels", got, count)
				}
				record := address(abi.PrimFactorBase) + uint64(i)*uint64(c.primitiveParam(abi.PrimFactorStride))
				words := []uint32{p.PrimitiveID}
				words = append(words, p.PerPatch[ir.SlotTessLevelOuter][:count[0]]...)
				words = append(words, p.PerPatch[ir.SlotTessLevelInner][:count[1]]...)
				for k, want := range words {
					if got := wordAt(t, c, record+uint64(4*k)); got != want {
						t.Errorf("word %d of the record of patch %d is %d, want %d", k, i, got, want)
					}
				}
			}
			for _, a := range []uint64{paramBase + uint64(len(c.params)) - 3, factorBase + uint64(len(c.factors)) - 3, paramBase - 4, 2 * factorBase} {
				if c.window(a, 4) != nil {
					t.Errorf("something is at %#x", a)
				}
			}
		}
	}
}

// TestVertexMemory: a wave whose vertices go to a geometry stage, four a primitive, hands on just the components that it stores; a wave
// of that stage finds its primitives' vertices.
func TestVertexMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for _, n := range []int{1, 4, 7, 12} {
		m := &abi.Meta{Stage: ir.StageVertex}
		m.Chain.Next = ir.StageGeometry
		m.Chain.Locations, m.Chain.VertexStride = randomLayout(r, ofVertices(), 0, 16) // bytes
		l := &emu.Launch{Out: make([]emu.Slots, n)}
		for v := range l.Out {
			l.Out[v] = *marked(v)
		}
		w := stageWave(m, l, n)
		if got, want := len(w.chain.local), (n+3)/4*4*m.Chain.VertexStride; got != want {
			t.Errorf("%d vertices have %d bytes, want %d", n, got, want)
		}
		fillWords(w.chain.local, 0x80000000)
		w.endChain()
		for v := range l.Out {
			at := uint32(v/4)*w.chain.primitiveParam(abi.PrimStride) + uint32(v%4)*w.chain.primitiveParam(abi.PrimVertexStride)
			word := func(o *abi.Location, k int) uint32 { return 0x80000000 + (at+uint32(o.Offset))/4 + uint32(k) }
			expectSlots(t, "a vertex", &l.Out[v], taken(*marked(v), m.Chain.Locations, false, word))
		}
		g := &emu.Launch{}
		var prims [][]*emu.Slots
		for i := range n {
			prims = append(prims, []*emu.Slots{marked(3 * i), marked(3*i + 1), marked(3*i + 2)})
			g.Geometry = append(g.Geometry, emu.GeometryLane{V: prims[i]})
		}
		gm := &abi.Meta{Stage: ir.StageGeometry}
		gm.Chain.Geom.MaxVertices = 1
		expectVertices(t, stageWave(gm, g, n).chain, gm.Stage, prims)
	}
}

// TestEmission: each thread of a geometry invocation that is not killed leaves one vertex, in the order of the threads and in whichever wave it runs, on
// the stream that its flags name; the cut flag begins a strip, and where a program has no flags each vertex is one (ir3.md §6.5).
func TestEmission(t *testing.T) {
	const killed = 3 // threads with this flag
	for _, flagged := range []bool{true, false} {
		for _, threads := range []int{1, 5, 40} {
			m := &abi.Meta{Gen: isa.A6xx, Stage: ir.StageGeometry, MaxRegs: 8, ConstLen: 4, BranchStack: 4, UsesDiscard: true,
				Sysvals: []abi.Sysval{{Kind: abi.GSHeader, Reg: 0}, {Kind: abi.PrimitiveID, Reg: 1}},
				Outputs: []abi.Output{{Slot: ir.SlotVar0, Mask: 3, Reg: 0}}}
			m.Chain.Geom = ir.GeomInfo{MaxVertices: uint32(threads), OutPrimitive: 2, Invocations: 1}
			if flagged {
				m.Outputs = append(m.Outputs, abi.Output{VertexFlags: true, Mask: 1, Reg: 8})
			}
			p := build(t, m, `
	shr.b r2.x, r0.x, 16
	(rpt5)nop
	and.b r2.x, r2.x, 7
	(rpt5)nop
	cmps.u.eq p0.x, r2.x, 3
	(rpt5)nop
	kill p0.x
	end`)
			l := &emu.Launch{NumLanes: 3, Env: &emu.Env{}}
			for i := range l.NumLanes {
				l.Geometry = append(l.Geometry, emu.GeometryLane{V: []*emu.Slots{{}}, PrimitiveID: uint32(70 + i), Emitted: emu.NewEmission(threads)})
			}
			l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
			turns, w := 0, p.NewWave(l)
			for st := emu.StatusYield; st != emu.StatusDone; turns++ {
				var err error
				if st, err = w.Run(5); err != nil {
					t.Fatal(err)
				}
			}
			if turns < 2 {
				t.Errorf("%d threads end in one turn", threads)
			}
			for i := range l.Geometry {
				want := emu.NewEmission(threads)
				for thread := range threads {
					flags := thread & 7
					if flags == killed {
						continue
					}
					stream, cut := flags&3, flags&4 != 0
					if !flagged {
						stream, cut = 0, true
					}
					s := want.Stream(stream)
					if cut {
						s.Ends = append(s.Ends, len(s.Vertices))
					}
					s.Vertices = append(s.Vertices, emu.Slots{ir.SlotVar0: {uint32(thread), uint32(70 + i)}})
				}
				for n := range ir.NumXfbBuffers {
					got, want := l.Geometry[i].Emitted.Stream(n), want.Stream(n)
					if !slices.Equal(got.Ends, want.Ends) || len(got.Vertices) != len(want.Vertices) {
						t.Errorf("%d threads, flags %v, primitive %d, stream %d: %d vertices, strips end at %v, want %d, %v", threads, flagged, i, n,
							len(got.Vertices), got.Ends, len(want.Vertices), want.Ends)
						continue
					}
					for k := range want.Vertices {
						got := got.Vertices[k][ir.SlotVar0]
						got[0] >>= abi.HeaderThreadShift // below it is the number of the primitive in its wave
						if got != want.Vertices[k][ir.SlotVar0] {
							t.Errorf("%d threads, flags %v, primitive %d, stream %d: vertex %d is %d, want %d", threads, flagged, i, n, k, got, want.Vertices[k][ir.SlotVar0])
						}
					}
				}
			}
		}
	}
}

// TestPatchBuffers: programs reach the buffers of patches by their addresses, and nothing beyond their ends.
func TestPatchBuffers(t *testing.T) {
	m := &abi.Meta{Stage: ir.StageTessCtrl, Gen: isa.A6xx, MaxRegs: 8}
	m.Chain.PatchStride, m.Chain.Tess = 8, ir.TessInfo{Domain: ir.DomainQuads, OutputVertices: 1}
	for base, size := range map[uint64]uint64{paramBase: 32, factorBase: 28} {
		p := build(t, m, "end").(*program)
		w := p.newWave(&emu.Launch{NumLanes: 1, Env: &emu.Env{Mem: emu.NewMemory()}, TessCtrl: []emu.TessCtrlLane{{Patch: markedPatch(0, 1, 1)}}}, 1)
		if err := w.begin(); err != nil {
			t.Fatal(err)
		}
		for at := uint64(0); at < size+8; at += 4 {
			word := uint32(0x1234567 + at)
			w.storeGlobal(0, base+at, 4, uint64(word))
			w.loadGlobal(base+at, 4, 4, 0, false)
			if at >= size {
				word = 0
			}
			if got := w.laneGet(4, 0, false); got != word {
				t.Errorf("%#x: %#x is read, want %#x", base+at, got, word)
			}
		}
	}
}

// TestHeaders: the threads of either stage before and of tessellation control find the numbers of their primitive and vertex in the
// header, where the device has them (ir3.md §6.5).
func TestHeaders(t *testing.T) {
	for _, local := range []bool{false, true} {
		m := &abi.Meta{Stage: ir.StageVertex}
		m.Chain.Next, m.Chain.TessLocal = ir.StageTessCtrl, local
		w := stageWave(m, &emu.Launch{Vertex: make([]emu.VertexLane, 12)}, 12)
		c := &abi.Meta{Stage: ir.StageTessCtrl}
		c.Chain.TessLocal, c.Chain.Tess.OutputVertices = local, 3
		l := &emu.Launch{}
		for i := range 12 {
			if i%3 == 0 {
				l.TessCtrl = append(l.TessCtrl, emu.TessCtrlLane{Patch: markedPatch(i/3, 1, 3)})
			} else {
				l.TessCtrl = append(l.TessCtrl, emu.TessCtrlLane{Patch: l.TessCtrl[i-1].Patch, InvocationID: uint32(i % 3)})
			}
		}
		control := stageWave(c, l, 12)
		shift := 0
		if local {
			shift = 16
		}
		for lane := range 12 {
			h := w.sysval(abi.TCSHeader, lane)[0]
			if got, want := [2]uint32{h & 63, h >> 6 & 31}, [2]uint32{uint32(lane / 4), uint32(lane % 4)}; got != want {
				t.Errorf("local %v: thread %d of vertices has the primitive and vertex %v, want %v", local, lane, got, want)
			}
			h = control.sysval(abi.TCSHeader, lane)[0]
			if got, want := [2]uint32{h >> shift & 63, h >> 11 & 31}, [2]uint32{uint32(lane / 3), uint32(lane % 3)}; got != want {
				t.Errorf("local %v: thread %d of control has the primitive and invocation %v, want %v", local, lane, got, want)
			}
		}
	}
}

// TestClock: the counter goes on with each reading of its low word, which keeps the high one; the low word turns over soon, so that who reads the
// words in the other order finds it.
func TestClock(t *testing.T) {
	p := build(t, &abi.Meta{Stage: ir.StageCompute, Gen: isa.A6xx, MaxRegs: 8}, "end").(*program)
	highs := map[uint32]bool{}
	for seed := range uint64(4) {
		l := &emu.Launch{NumLanes: 1, Env: &emu.Env{Mem: emu.NewMemory()}, Compute: &emu.ComputeLaunch{LocalID: make([][3]uint32, 1)}}
		l.Check, l.Seed = true, seed
		w := p.newWave(l, 1)
		if err := w.begin(); err != nil {
			t.Fatal(err)
		}
		read := func(word uint64) uint32 {
			w.loadGlobal(abi.ClockAddr+4*word, 4, 4, 0, false)
			return w.laneGet(4, 0, false)
		}
		last, over := uint64(0), false
		for n := range 8 {
			low := read(0)
			v := uint64(read(1))<<32 | uint64(low)
			if n > 0 && v != last+1 {
				t.Errorf("%#x follows %#x", v, last)
			}
			over = over || n > 0 && v>>32 != last>>32
			last = v
		}
		if !over {
			t.Error("the low word never turns over")
		}
		highs[read(1)] = true // kept by no reading of the low word
	}
	if len(highs) < 2 {
		t.Error("a high word that nothing kept is the same with all seeds")
	}
}
