package core

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// stageShape is what the stages between vertex and fragment shaders hand to each other in a test.
type stageShape struct {
	reads, record  []ir.Slot
	in, out, slots int
	id, invocation uint32
}

func (s *stageShape) String() string { return fmt.Sprintf("%+v", *s) }

func stageShapes() []stageShape {
	v := func(n ...ir.Slot) []ir.Slot { return n }
	return []stageShape{
		{v(ir.SlotPos), v(ir.SlotPos), 1, 1, 0, 0, 0},
		{v(ir.SlotVar0, ir.SlotPos, ir.SlotVar0+3), v(ir.SlotPos, ir.SlotVar0+2), 3, 4, 2, 1, 2},
		{v(ir.SlotPos, ir.SlotVar0+1), v(ir.SlotVar0), 4, 3, 5, 7, 1},
		{v(ir.SlotVar0 + 2), v(ir.SlotVar0, ir.SlotVar0+1, ir.SlotPos), 6, 2, 1, 65535, 0},
	}
}

// slotsOf are outputs of a vertex, other ones in each slot of each vertex.
func slotsOf(vertex int) *emu.Slots {
	s := new(emu.Slots)
	for slot := range s {
		for c := range s[slot] {
			s[slot][c] = uint32(1000000*(vertex+1) + 10*slot + c)
		}
	}
	return s
}

// seenBy is the memory of a driver as programs see it: by system values and addresses alone.
type seenBy struct {
	t *testing.T
	w *wave
}

func (s seenBy) sysval(k abi.SysvalKind, element int) [4]uint32 {
	return s.w.sysval(&abi.Sysval{Kind: k, Element: uint32(element)})
}

// at is the address that a system value gives, and so many bytes further.
func (s seenBy) at(k abi.SysvalKind, element int, further uint64) uint64 {
	v := s.sysval(k, element)
	return (uint64(v[0]) | uint64(v[1])<<32) + further
}

func (s seenBy) word(a uint64) uint32 {
	s.t.Helper()
	b := s.w.driver.bytes(a, 4)
	if b == nil {
		s.t.Fatalf("nothing is at %#x", a)
	}
	return binary.LittleEndian.Uint32(b)
}

func (s seenBy) vec4(what string, a uint64, want emu.Vec4) {
	s.t.Helper()
	for c, x := range want {
		if got := s.word(a + uint64(4*c)); got != x {
			s.t.Errorf("%s: component %d is %d, want %d", what, c, got, x)
		}
	}
}

// records finds those of a primitive's vertices by the list of primitives.
func (s seenBy) records(shape *stageShape, number, id uint32) {
	s.t.Helper()
	n := uint64(s.sysval(abi.SysvalPrimitives, 0)[2])
	if n != uint64(1+shape.in) {
		s.t.Errorf("%d words a primitive, of %d vertices", n, shape.in)
	}
	list := s.at(abi.SysvalPrimitives, 0, 4*n*uint64(number))
	if got := s.word(list); got != id {
		s.t.Errorf("the primitive's number is %d, want %d", got, id)
	}
	for v := range shape.in {
		record := uint64(s.word(list + 4 + 4*uint64(v)))
		for k, slot := range shape.reads {
			a := s.at(abi.SysvalStageInput, 0, 16*(uint64(len(shape.reads))*record+uint64(k)))
			s.vec4(fmt.Sprintf("vertex %d, slot %d", v, slot), a, slotsOf(v)[slot])
		}
	}
	if s.w.driver.bytes(list-1, 4) != nil || s.w.driver.bytes(list+4*n, 1) != nil || s.w.driver.bytes(list+4*n-4, 5) != nil {
		s.t.Error("the list of primitives has no ends")
	}
}

func vertices(n int) (list []*emu.Slots) {
	for v := range n {
		list = append(list, slotsOf(v))
	}
	return list
}

// TestControlMemory: an invocation of tessellation control finds the vertices and the patch by the rules of package abi, and what it leaves in
// the patch reaches the stages after it.
func TestControlMemory(t *testing.T) {
	for _, shape := range stageShapes() {
		m := &abi.Meta{Stage: ir.StageCompute, WorkgroupSize: [3]uint32{uint32(shape.out), 1, 1}, Reads: shape.reads, Tess: &abi.Tess{Record: shape.record, PatchSlots: shape.slots}}
		patch := &emu.Patch{In: vertices(shape.in), PrimitiveID: shape.id, ViewIndex: 9, Out: make([]emu.Slots, shape.out), PerPatch: *slotsOf(70)}
		for v := range patch.Out {
			patch.Out[v] = *slotsOf(40 + v)
		}
		size := uint64(32 + 16*shape.slots + 16*shape.out*len(shape.record))
		for invocation := range uint32(2) {
			w := &wave{p: &program{meta: m}, l: &emu.Launch{TessCtrl: []emu.TessCtrlLane{{Patch: patch, InvocationID: invocation}}}, threads: make([]thread, 1)}
			if err := w.startStage(); err != nil {
				t.Fatal(err)
			}
			s := seenBy{t, w}
			s.records(&shape, shape.id, shape.id)
			if c := w.l.Compute; c.WorkgroupID != [3]uint32{shape.id} || c.NumWorkgroups != [3]uint32{shape.id + 1, 1, 1} || c.LocalID[0] != [3]uint32{invocation} ||
				c.FirstLocalInvocationIndex != invocation || c.NumSubgroups != 1 {
				t.Errorf("%v: %+v", &shape, c)
			}
			if n, view := s.sysval(abi.SysvalPatchVertices, 0)[0], s.sysval(abi.SysvalViewIndex, 0)[0]; n != uint32(shape.in) || view != 9 {
				t.Errorf("%v: a patch of %d vertices in view %d", &shape, n, view)
			}
			base := s.at(abi.SysvalPatches, 0, size*uint64(shape.id))
			if len(patch.Memory) != int(size) || w.driver.bytes(base, int(size)) == nil || w.driver.bytes(base, int(size)+1) != nil {
				t.Errorf("%v: a patch of %d bytes, want %d", &shape, len(patch.Memory), size)
			}
			add := 5 * invocation // the second invocation finds what the first left
			s.vec4("outer", base, shifted(slotsOf(70)[ir.SlotTessLevelOuter], add))
			s.vec4("inner", base+16, shifted(slotsOf(70)[ir.SlotTessLevelInner], add))
			for k := range shape.slots {
				s.vec4("slot of the patch", base+32+16*uint64(k), shifted(slotsOf(70)[ir.SlotPatch0+ir.Slot(k)], add))
			}
			for v := range shape.out {
				for k, slot := range shape.record {
					s.vec4("slot of a vertex", base+32+16*uint64(shape.slots+v*len(shape.record)+k), shifted(slotsOf(40 + v)[slot], add))
				}
			}
			for at := 0; at < len(patch.Memory); at += 4 {
				word := patch.Memory[at:]
				binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)+5)
			}
			w.end(&w.threads[0])
		}
		if patch.PerPatch[ir.SlotTessLevelInner] != shifted(slotsOf(70)[ir.SlotTessLevelInner], 10) ||
			shape.slots > 0 && patch.PerPatch[ir.SlotPatch0+ir.Slot(shape.slots-1)] != shifted(slotsOf(70)[ir.SlotPatch0+ir.Slot(shape.slots-1)], 10) {
			t.Errorf("%v: the patch is handed on as %v", &shape, patch.PerPatch)
		}
		for v := range patch.Out {
			for slot := range ir.Slot(ir.NumVaryingSlots) {
				want := slotsOf(40 + v)[slot]
				if slices.Contains(shape.record, slot) {
					want = shifted(want, 10)
				}
				if patch.Out[v][slot] != want {
					t.Errorf("%v: vertex %d hands on %v in slot %d, want %v", &shape, v, patch.Out[v][slot], slot, want)
				}
			}
		}
	}
}

func shifted(v emu.Vec4, add uint32) emu.Vec4 {
	for c := range v {
		v[c] += add
	}
	return v
}

// TestEvaluationMemory: a point of a patch finds its place, its patch, and each slot of it where the system values say.
func TestEvaluationMemory(t *testing.T) {
	for _, shape := range stageShapes() {
		m := &abi.Meta{Stage: ir.StageVertex, Reads: shape.reads, Tess: &abi.Tess{}}
		patch := &emu.Patch{PrimitiveID: shape.id, ViewIndex: 9, Out: make([]emu.Slots, shape.out), PerPatch: *slotsOf(70)}
		for v := range patch.Out {
			patch.Out[v] = *slotsOf(v)
		}
		w := &wave{p: &program{meta: m}, l: &emu.Launch{TessEval: []emu.TessEvalLane{{Patch: patch, Coord: [3]float32{0.25, 0.5, 2}}}}, threads: make([]thread, 1)}
		if err := w.startStage(); err != nil {
			t.Fatal(err)
		}
		s := seenBy{t, w}
		point := s.at(abi.SysvalTessPoints, 0, 16*uint64(w.l.Vertex[0].VertexIndex))
		s.vec4("point", point, emu.Vec4{f(0.25), f(0.5), f(2), shape.id})
		words := uint64(s.sysval(abi.SysvalPrimitives, 0)[2])
		if got := s.word(s.at(abi.SysvalPrimitives, 0, 4*words*uint64(shape.id))); got != shape.id {
			t.Errorf("%v: the patch has number %d", &shape, got)
		}
		if n, view := s.sysval(abi.SysvalPatchVertices, 0)[0], s.sysval(abi.SysvalViewIndex, 0)[0]; n != uint32(shape.out) || view != 9 {
			t.Errorf("%v: a patch of %d vertices in view %d", &shape, n, view)
		}
		sizes := s.sysval(abi.SysvalPatches, 0)
		base := s.at(abi.SysvalPatches, 0, uint64(sizes[2])*uint64(shape.id))
		place := func(slot ir.Slot) uint64 { return uint64(s.sysval(abi.SysvalPatchSlot, int(slot))[0]) }
		for slot := range ir.Slot(ir.NumVaryingSlots) {
			switch {
			case slot == ir.SlotTessLevelOuter || slot == ir.SlotTessLevelInner || slot >= ir.SlotPatch0:
				s.vec4(fmt.Sprintf("slot %d of the patch", slot), base+place(slot), slotsOf(70)[slot])
			case slices.Contains(shape.reads, slot):
				for v := range shape.out {
					s.vec4(fmt.Sprintf("slot %d of vertex %d", slot, v), base+place(slot)+uint64(sizes[3])*uint64(v), slotsOf(v)[slot])
				}
			}
		}
		patch.PrimitiveID = 1 << 16
		var u *emu.Unsupported
		if err := w.startStage(); !errors.As(err, &u) {
			t.Errorf("patch 65536: %v", err)
		}
	}
}

// TestGeometryMemory: an invocation of the geometry stage finds its primitive and room of its own; of what it leaves the raster program makes stream 0, once
// a vertex, and transform feedback takes all streams.
func TestGeometryMemory(t *testing.T) {
	for k, shape := range stageShapes() {
		const invocations, limit = 3, 6
		out := [...]uint8{ir.OutPoints, ir.OutLineStrip, ir.OutTriangleStrip}[k%3]
		modes := ir.GeomInfo{InPrimitive: uint8(shape.in), OutPrimitive: out, MaxVertices: limit, Invocations: invocations}
		m := &abi.Meta{Stage: ir.StageCompute, Reads: shape.reads, Geometry: &abi.Geometry{Modes: modes, Vertices: shape.record, Streams: 1 | 4}}
		emitted := emu.NewEmission(limit)
		l := &emu.Launch{Env: &emu.Env{}, NumLanes: 1, Check: true,
			Geometry: []emu.GeometryLane{{V: vertices(shape.in), PrimitiveID: shape.id, InvocationID: shape.invocation, ViewIndex: 9, Emitted: emitted}}}
		l.Feedback = &emu.Feedback{Buffers: [ir.NumXfbBuffers][]byte{make([]byte, 256), nil, make([]byte, 256)}}
		g := &geometryWave{l: l, p: &program{meta: m, raster: &program{meta: &abi.Meta{Stage: ir.StageVertex}}}}
		g.p.io = emu.StageIO{Geom: emu.GeomIO{OutPrimitive: ir.OutPoints}, XfbStrides: [ir.NumXfbBuffers]uint32{16, 0, 16}, Captures: []ir.Capture{
			{Slot: shape.record[0], Count: 4, Bits: 32}, {Buffer: 2, Stream: 2, Slot: shape.record[len(shape.record)-1], Count: 4, Bits: 32}}}
		if err := g.start(); err != nil {
			t.Fatal(err)
		}
		if !g.next() || g.w.l.Compute.WorkgroupID[1] != shape.invocation || g.w.l.Compute.NumWorkgroups != [3]uint32{g.w.l.Compute.WorkgroupID[0] + 1, invocations, 1} ||
			len(g.w.l.Compute.LocalID) != 1 || g.w.l.Compute.NumSubgroups != 1 || len(g.w.threads) != 1 || !g.w.check {
			t.Fatalf("%v: no thread, or another", &shape)
		}
		s := seenBy{t, g.w}
		number := g.w.l.Compute.WorkgroupID[0]
		s.records(&shape, number, shape.id)
		if view := s.sysval(abi.SysvalViewIndex, 0)[0]; view != 9 {
			t.Errorf("%v: view %d", &shape, view)
		}
		unit := uint64(number*invocations + shape.invocation)
		words := uint64(2 * limit)
		if out == ir.OutPoints {
			words = limit
		}
		first := uint32(unit * limit)
		size := uint64(16 * len(shape.record))
		for n := range uint64(limit) {
			for i, slot := range shape.record {
				a := s.at(abi.SysvalStageVertices, 0, size*(unit*limit+n)+16*uint64(i))
				putSlot(g.driver.bytes(a, 16), &slotsOf(int(n))[slot])
			}
		}
		for stream, list := range map[int][]uint32{0: {2, abi.Restart, 0, 2, abi.Restart, 4}, 2: {5, 1}} {
			for i := range words {
				id := uint32(abi.Restart)
				if i < uint64(len(list)) && list[i] != abi.Restart {
					id = first + list[i]
				}
				binary.LittleEndian.PutUint32(g.driver.bytes(s.at(abi.SysvalStageIndices, stream, 4*(words*unit+i)), 4), id)
			}
			if s.w.driver.bytes(s.at(abi.SysvalStageIndices, stream, 4*words*(unit+1)), 1) != nil || s.w.driver.bytes(s.at(abi.SysvalStageIndices, stream, 4*words*unit)-1, 1) != nil {
				t.Errorf("%v: the indices of stream %d have no ends", &shape, stream)
			}
		}
		var rastered []uint32
		for g.next() {
			id := g.w.l.Vertex[0].VertexIndex
			rastered = append(rastered, id-first)
			if g.w.p != g.p.raster || !g.w.l.Vertex[0].IsIndexed || g.w.l.Geometry != nil || !g.w.check || g.w.driver != g.driver {
				t.Errorf("%v: the raster program runs in %+v", &shape, g.w)
			}
			g.w.l.Out[0][ir.SlotPos][0] = 77 + id - first
		}
		if !slices.Equal(rastered, []uint32{2, 0, 4}) {
			t.Errorf("%v: the raster program runs for %d", &shape, rastered)
		}
		g.emit()
		var drawn []uint32
		for i := range emitted.Vertices {
			drawn = append(drawn, emitted.Vertices[i][ir.SlotPos][0]-77)
		}
		if !slices.Equal(drawn, []uint32{2, 0, 2, 4}) || len(emitted.Ends) < 2 || emitted.Ends[0] != 1 || emitted.Ends[1] != 3 || len(emitted.Stream(2).Vertices) != 0 {
			t.Errorf("%v: drawn are %v, ended at %v", &shape, drawn, emitted.Ends)
		}
		for buffer, list := range map[int][]int{0: {2, 0, 2, 4}, 2: {5, 1}} {
			slot := shape.record[0]
			if buffer == 2 {
				slot = shape.record[len(shape.record)-1]
			}
			if got := l.Feedback.Written[buffer]; got != uint64(len(list)) {
				t.Errorf("%v: %d points are captured on stream %d, want %d", &shape, got, buffer, len(list))
			}
			for i, n := range list {
				for c, want := range slotsOf(n)[slot] {
					if got := binary.LittleEndian.Uint32(l.Feedback.Buffers[buffer][16*i+4*c:]); got != want {
						t.Errorf("%v: capture %d of stream %d has %d in component %d, want %d", &shape, i, buffer, got, c, want)
					}
				}
			}
		}
	}
}

// TestGeometryTurns: an invocation of the geometry stage, and the raster program after it, take the turns that they are given, however short, and
// run as many bundles; a barrier and a fault end them.
func TestGeometryTurns(t *testing.T) {
	const limit = 4
	wave := func(prog ...isa.Bundle) *geometryWave {
		m := computeMeta()
		m.Sysvals, m.Uniforms, m.WorkgroupSize = nil, nil, [3]uint32{1, 1, 1}
		stage := &abi.Geometry{Modes: ir.GeomInfo{InPrimitive: 1, OutPrimitive: ir.OutPoints, MaxVertices: limit, Invocations: 1}, Vertices: []ir.Slot{ir.SlotPos}, Streams: 1}
		main := load(t, m, prog...).(*program)
		raster := load(t, &abi.Meta{Stage: ir.StageVertex}, constants(0, [4]uint32{}), constants(1, [4]uint32{}), constants(2, [4]uint32{})).(*program)
		main.meta.Geometry, main.raster = stage, raster
		l := &emu.Launch{Env: newMachine(16).env, NumLanes: 1, Geometry: []emu.GeometryLane{{V: vertices(1), Emitted: emu.NewEmission(limit)}}}
		return main.NewWave(l).(*geometryWave)
	}
	// Without checks indices begin as zeros: vertex 0, once, is what the raster program makes.
	prog := []isa.Bundle{constants(0, [4]uint32{}), constants(1, [4]uint32{}), constants(0, [4]uint32{}), constants(1, [4]uint32{}), constants(2, [4]uint32{})}
	all := len(prog) + 3
	for fuel := 1; fuel <= all+1; fuel++ {
		g := wave(prog...)
		ran, turns := 0, 0
		for done := false; !done; turns++ {
			st, err := g.Run(fuel)
			if err != nil || turns > 2*all || g.l.Ran > fuel {
				t.Fatalf("turns of %d bundles: after %d %v, %v, ran %d", fuel, turns, st, err, g.l.Ran)
			}
			ran += g.l.Ran
			done = st == emu.StatusDone
			if !done && g.l.Ran != fuel {
				t.Errorf("turns of %d bundles: one of %d", fuel, g.l.Ran)
			}
		}
		if e := g.l.Geometry[0].Emitted; ran != all || len(e.Vertices) != limit {
			t.Errorf("turns of %d bundles: %d run, want %d; %d vertices", fuel, ran, all, len(e.Vertices))
		}
	}
	for _, c := range []struct {
		name, want string
		g          *geometryWave
	}{
		{"a barrier", "a geometry shader stands at a barrier", wave(append([]isa.Bundle{{Tag: isa.TagBarrier, Tex: isa.Barrier()}}, prog...)...)},
		{"a fault", "work-group storage", wave(append([]isa.Bundle{ldst(isa.LoadStore{Op: isa.Ld32, Mask: 1, Swizzle: isa.XYZW, Arg: isa.AddrReg{Reg: isa.AddrLocal, Comp: 2}, Toggle: true, Format: isa.IndexU32, Index: zero})}, prog...)...)},
	} {
		c.g.l.Check = true
		if _, err := c.g.Run(1000); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	short := wave(prog...)
	short.l.Geometry = nil
	if st, err := short.Run(1000); st != emu.StatusDone || err == nil || !strings.HasPrefix(err.Error(), "midgard core: the launch lacks") {
		t.Errorf("without a lane: %v, %v", st, err)
	}
}

// TestStagesWithoutLanes: a tessellation stage whose launch lacks its lanes, or their patches, says so; a wave without threads wants none.
func TestStagesWithoutLanes(t *testing.T) {
	patch := &emu.Patch{}
	for _, c := range []struct {
		name    string
		stage   ir.Stage
		threads int
		l       emu.Launch
		ok      bool
	}{
		{"control", ir.StageCompute, 1, emu.Launch{TessCtrl: []emu.TessCtrlLane{{Patch: patch}}}, true}, {"control without lanes", ir.StageCompute, 1, emu.Launch{}, false},
		{"control without a patch", ir.StageCompute, 1, emu.Launch{TessCtrl: []emu.TessCtrlLane{{}}}, false}, {"control of two", ir.StageCompute, 2, emu.Launch{TessCtrl: []emu.TessCtrlLane{{Patch: patch}}}, false},
		{"control by the lanes of the other", ir.StageCompute, 1, emu.Launch{TessEval: []emu.TessEvalLane{{Patch: patch}}}, false}, {"no threads", ir.StageCompute, 0, emu.Launch{}, true},
		{"evaluation", ir.StageVertex, 1, emu.Launch{TessEval: []emu.TessEvalLane{{Patch: patch}}}, true}, {"evaluation without lanes", ir.StageVertex, 1, emu.Launch{}, false},
		{"evaluation without a patch", ir.StageVertex, 1, emu.Launch{TessEval: []emu.TessEvalLane{{}}}, false}, {"evaluation of two", ir.StageVertex, 2, emu.Launch{TessEval: []emu.TessEvalLane{{Patch: patch}}}, false},
		{"evaluation by the lanes of the other", ir.StageVertex, 1, emu.Launch{TessCtrl: []emu.TessCtrlLane{{Patch: patch}}}, false},
	} {
		m := &abi.Meta{Stage: c.stage, WorkgroupSize: [3]uint32{1, 1, 1}, Tess: &abi.Tess{}}
		w := &wave{p: &program{meta: m}, l: &c.l, threads: make([]thread, c.threads)}
		if err := w.startStage(); (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "the launch lacks the lanes of stage "+m.API().String()) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
