package ir3

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/core"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// chainVertex is a vertex shader with outputs on two paths.
func chainVertex() *ir.Shader {
	s, b := newStage(ir.StageVertex)
	in := inputFrom(b, ir.SlotAttrib0, 0, 4)
	outputTo(b, scaleVec(b, in, 2), ir.SlotPos)
	i := b.PushIf(b.Flt(b.Channel(in, 1), b.ImmFloat(5, 32)))
	outputTo(b, b.Vec(b.Channel(in, 2), b.Channel(in, 3)), ir.SlotVar0+3)
	b.PushElse(i)
	outputTo(b, b.Vec(b.ImmFloat(3, 32), b.Channel(in, 0)), ir.SlotVar0+3)
	b.PopIf(i)
	return s
}

// TestChained: a vertex shader whose threads go on as another stage leaves in
// local memory what it otherwise leaves in registers.
func TestChained(t *testing.T) {
	programs.Hold(t)
	s := chainVertex()
	ref, err := interp.New(s, interp.Options{WaveSize: 64})
	if err != nil {
		t.Fatal(err)
	}
	want, err := runStage(ref, s.Stage)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		gpu   string
		next  ir.Stage
		store string
	}{
		{"a630", ir.StageTessCtrl, "stlw."}, {"a630", ir.StageGeometry, "stlw."}, {"a740", ir.StageTessCtrl, "stl."}, {"a740", ir.StageGeometry, "stlw."},
	} {
		bin, err := compile(s, CompileOptions{GPU: c.gpu, Next: c.next})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		if !strings.Contains(text, c.store) || !strings.Contains(text, "chmask\n") || !strings.Contains(text, "chsh\n") || strings.Contains(text, "end\n") {
			t.Errorf("%s before %s:\n%s", c.gpu, c.next, text)
		}
		if n := len(bin.Meta.Outputs); n != 0 || bin.Meta.Chain.VertexStride != 32 {
			t.Errorf("%s before %s: %d outputs in registers, %d bytes a vertex", c.gpu, c.next, n, bin.Meta.Chain.VertexStride)
		}
		p, err := core.Load(bin.Code, &bin.Meta)
		if err != nil {
			t.Fatal(err)
		}
		got, err := runStage(p, s.Stage)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for l := range stageLanes {
			for _, slot := range []ir.Slot{ir.SlotPos, ir.SlotVar0 + 3} {
				if w, g := want.Out[l][slot], got.Out[l][slot]; w != g {
					t.Fatalf("%s before %s, lane %d, slot %d: %x, want %x\n%s", c.gpu, c.next, l, slot, g, w, text)
				}
			}
		}
	}
	if _, err := compile(s, CompileOptions{Next: ir.StageFragment}); err == nil {
		t.Error("a vertex shader hands its threads to a fragment shader")
	}
}

// vertexInput loads an input of a vertex of the primitive.
func vertexInput(b *ir.Builder, vertex *ir.Def, slot ir.Slot, n uint8) *ir.Def {
	return &b.Intrinsic(ir.IntrLoadPerVertexInput, n, 32, vertex, b.Imm32(0)).Set(ir.IdxIoSemantics, sem(slot)).
		Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()).Def
}

// emitter is a geometry shader that emits n vertices in a loop and ends a
// strip in each four; every invocation leaves out as many as its number.
func emitter(n uint32) *ir.Shader {
	s, b := newStage(ir.StageGeometry)
	s.Info.Geom = ir.GeomInfo{Invocations: 3, MaxVertices: n, InPrimitive: 3, OutPrimitive: 2}
	id := &b.Intrinsic(ir.IntrLoadInvocationId, 1, 32).Def
	k := s.Entry().Impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), "k")
	b.StoreVar(k, id, 1)
	loop := b.PushLoop()
	at := b.LoadVar(k)
	stop := b.PushIf(b.Uge(at, b.Imm32(n)))
	b.Jump(ir.JumpBreak)
	b.PopIf(stop)
	v := vertexInput(b, b.Iand(at, b.Imm32(1)), ir.SlotVar0+2, 4)
	outputTo(b, v, ir.SlotPos)
	outputTo(b, b.Fadd(b.Channel(v, 1), b.U2f32(at)), ir.SlotVar0)
	b.Intrinsic(ir.IntrEmitVertex, 0, 0)
	cut := b.PushIf(b.Ieq(b.Iand(at, b.Imm32(3)), b.Imm32(2)))
	b.Intrinsic(ir.IntrEndPrimitive, 0, 0)
	b.PopIf(cut)
	b.StoreVar(k, b.Iadd(at, b.Imm32(1)), 1)
	b.PopLoop(loop)
	return s
}

// TestGeometry: the threads of an invocation put together what it emits,
// whether several invocations share a wave or one takes several.
func TestGeometry(t *testing.T) {
	programs.Hold(t)
	for _, n := range []uint32{1, 7, 64, 150} {
		s := emitter(n)
		if _, err := passes.RunPass(s, "lower_vars_to_ssa"); err != nil {
			t.Fatal(err)
		}
		run := func(p emu.Program) []emu.Emission {
			l := &emu.Launch{NumLanes: min(6, p.WaveSize()), Check: true, Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}
			out := make([]emu.Emission, 6)
			for i := range out {
				out[i] = *emu.NewEmission(int(n))
			}
			for first := 0; first < len(out); first += l.NumLanes {
				l.Geometry = nil
				for i := range l.NumLanes {
					v := [3]*emu.Slots{{}, {}, {}}
					for k := range v {
						for c := range 4 {
							v[k][ir.SlotVar0+2][c] = math.Float32bits(float32(first + i + 10*k + 100*c))
						}
					}
					l.Geometry = append(l.Geometry, emu.GeometryLane{V: v[:], PrimitiveID: uint32(first+i) / 3, InvocationID: uint32(first+i) % 3, Emitted: &out[first+i]})
				}
				for w := p.NewWave(l); ; {
					st, err := w.Run(1 << 20)
					if err != nil {
						t.Fatal(err)
					}
					if st == emu.StatusDone {
						break
					}
				}
			}
			return out
		}
		ref, err := interp.New(s, interp.Options{WaveSize: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := run(ref)
		for _, gpu := range gpus {
			p, _, err := loaded(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			compareEmissions(t, want, run(p), gpu)
		}
	}
}

// compareEmissions compares vertices and the places where strips end between them.
func compareEmissions(t *testing.T, want, got []emu.Emission, gpu string) {
	t.Helper()
	ends := func(e *emu.Emission) (l []int) {
		for _, n := range e.Ends {
			if n > 0 && n < len(e.Vertices) {
				l = append(l, n)
			}
		}
		return l
	}
	for i := range want {
		w, g := &want[i], &got[i]
		if len(w.Vertices) != len(g.Vertices) || len(ends(w)) != len(ends(g)) {
			t.Fatalf("%s, lane %d: %d vertices in %v, want %d in %v", gpu, i, len(g.Vertices), ends(g), len(w.Vertices), ends(w))
		}
		for k, n := range ends(w) {
			if ends(g)[k] != n {
				t.Errorf("%s, lane %d: strips end at %v, want %v", gpu, i, ends(g), ends(w))
			}
		}
		for k := range w.Vertices {
			if w.Vertices[k][ir.SlotPos] != g.Vertices[k][ir.SlotPos] || w.Vertices[k][ir.SlotVar0][0] != g.Vertices[k][ir.SlotVar0][0] {
				t.Errorf("%s, lane %d, vertex %d differs", gpu, i, k)
			}
		}
	}
}

// TestSpillFar: values that are spilled further away than offsets reach from
// the base register come back.
func TestSpillFar(t *testing.T) {
	programs.Hold(t)
	const n = 2600
	s, b := gputest.NewShader(ir.StageCompute, 1)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	vals := make([]*ir.Def, n)
	for i := range vals {
		vals[i] = &b.Intrinsic(ir.IntrLoadSsbo, 1, 32, in, b.Imm32(uint32(4*i))).Set(ir.IdxAccess, uint64(ir.AccessVolatile)).Set(ir.IdxAlignMul, 4).Def
	}
	for i := range vals {
		v := b.Iadd(vals[n-1-i], b.Imm32(uint32(i)))
		b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, out, b.Imm32(uint32(4*i))).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
	}
	data := make([]byte, 4*n)
	for i := range data {
		data[i] = byte(i * 7)
	}
	bin, err := compile(s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if bin.Meta.PrivateSize <= 2*spillReach {
		t.Errorf("%d bytes of private memory: nothing is out of reach", bin.Meta.PrivateSize)
	}
	if err := differ(s, CompileOptions{}, 1, data, 4*n, nil); err != nil {
		t.Error(err)
	}
}

// TestFeedback: what transform feedback captures reaches the program's interface.
func TestFeedback(t *testing.T) {
	programs.Hold(t)
	s := chainVertex()
	s.Info.Xfb, s.Info.XfbStrides[1] = true, 32
	s.Captures = []ir.Capture{{Slot: ir.SlotVar0 + 3, Count: 2, Bits: 32, Buffer: 1, Offset: 8}}
	p, _, err := loaded(s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if io := p.IO(); len(io.Captures) != 1 || io.Captures[0] != s.Captures[0] || io.XfbStrides != s.Info.XfbStrides {
		t.Errorf("%+v, strides %v", io.Captures, io.XfbStrides)
	}
}

// TestJobNext: the stage that follows reaches code generation where it takes
// over the threads, and only there.
func TestJobNext(t *testing.T) {
	for _, c := range []struct {
		next, chained ir.Stage
	}{{ir.StageNone, ir.StageNone}, {ir.StageFragment, ir.StageNone}, {ir.StageGeometry, ir.StageGeometry}, {ir.StageTessCtrl, ir.StageTessCtrl}} {
		s := ir.Clone(chainVertex())
		o, err := Target{}.Compile(s, &backend.Job{GPU: "a740", Lists: gputest.Lists, Instrument: passes.NewInstrument(passes.RunOptions{}), Next: c.next})
		if err != nil {
			t.Fatal(err)
		}
		var m abi.Meta
		if err := backend.Meta("ir3", o, &m); err != nil {
			t.Fatal(err)
		}
		if m.Chain.Next != c.chained || (len(m.Outputs) == 0) != (c.chained != ir.StageNone) {
			t.Errorf("before %s: the threads go on as %s, %d outputs", c.next, m.Chain.Next, len(m.Outputs))
		}
	}
}

// TestChainUnits: the areas of chained stages start at whole units of 4 vec4 after the results of the preamble.
func TestChainUnits(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageTessEval)
	x := gputest.LoadUBO(b, b.Imm32(16), 1, 32, 16)
	v := vertexInput(b, b.Imm32(1), ir.SlotVar0, 4)
	outputTo(b, b.Fadd(v, b.Vec(b.Fmul(x, x), b.Fadd(x, x), x, x)), ir.SlotPos)
	for _, gpu := range []string{"a630", "a740", "a750"} {
		_, bin, err := loaded(s, CompileOptions{GPU: gpu})
		if err != nil {
			t.Errorf("%s: %v", gpu, err)
			continue
		}
		if c := bin.Meta.Consts; c.Preamble.Size%16 == 0 || c.Map.Size == 0 {
			t.Errorf("%s: %+v", gpu, c)
		}
	}
}

// TestTessLevels: an evaluation shader reads the levels that its domain has, and 0 for the others.
func TestTessLevels(t *testing.T) {
	programs.Hold(t)
	for domain, want := range [][6]float32{
		ir.DomainNone: {1, 2, 3, 4, 5, 6}, ir.DomainTriangles: {1, 2, 3, 0, 5, 0}, ir.DomainQuads: {1, 2, 3, 4, 5, 6}, ir.DomainIsolines: {1, 2, 0, 0, 0, 0},
	} {
		s, b := newStage(ir.StageTessEval)
		s.Info.Tess.Domain = uint8(domain)
		outputTo(b, inputFrom(b, ir.SlotTessLevelOuter, 0, 4), ir.SlotPos)
		outputTo(b, inputFrom(b, ir.SlotTessLevelInner, 0, 2), ir.SlotVar0)
		patch := &emu.Patch{Out: make([]emu.Slots, 3)}
		for k := range uint32(6) {
			slot, at := ir.SlotTessLevelOuter, k
			if k >= 4 {
				slot, at = ir.SlotTessLevelInner, k-4
			}
			patch.PerPatch[slot][at] = math.Float32bits(float32(k + 1))
		}
		for _, gpu := range gpus {
			p, bin, err := loaded(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			l := stageLaunch(s.Stage)
			for range stageLanes {
				l.TessEval = append(l.TessEval, emu.TessEvalLane{Patch: patch})
			}
			if st, err := p.NewWave(l).Run(1 << 16); err != nil || st != emu.StatusDone {
				t.Fatalf("%s, domain %d: status %v, %v\n%s", gpu, domain, st, err, disasm(bin))
			}
			var got [6]float32
			for k := range got {
				slot, at := ir.SlotPos, k
				if k >= 4 {
					slot, at = ir.SlotVar0, k-4
				}
				got[k] = math.Float32frombits(l.Out[1][slot][at])
			}
			if got != want {
				t.Errorf("%s, domain %d: %v, want %v", gpu, domain, got, want)
			}
		}
	}
}

// streamStrips compares the strips of two streams whose vertices and ends are mixed.
func streamStrips(gpu string) error {
	s, b := newStage(ir.StageGeometry)
	s.Info.Geom = ir.GeomInfo{Invocations: 1, MaxVertices: 8, InPrimitive: 3, OutPrimitive: 0}
	op := func(i ir.Intrinsic, stream uint64) { b.Intrinsic(i, 0, 0).Set(ir.IdxStreamId, stream) }
	emit := func(stream uint64) {
		outputTo(b, vertexInput(b, b.Imm32(0), ir.SlotVar0+2, 4), ir.SlotPos)
		op(ir.IntrEmitVertex, stream)
	}
	for range 2 {
		emit(0)
		emit(1)
		op(ir.IntrEndPrimitive, 1)
		emit(0)
		emit(1)
	}
	run := func(p emu.Program) (*emu.Emission, error) {
		e := emu.NewEmission(8)
		v := [3]*emu.Slots{{}, {}, {}}
		l := &emu.Launch{NumLanes: 1, Check: true, Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, Geometry: []emu.GeometryLane{{V: v[:], Emitted: e}}}
		st, err := p.NewWave(l).Run(1 << 20)
		if err == nil && st != emu.StatusDone {
			err = fmt.Errorf("status %v", st)
		}
		return e, err
	}
	ref, err := interp.New(s, interp.Options{WaveSize: 1})
	if err != nil {
		return err
	}
	want, err := run(ref)
	if err != nil {
		return err
	}
	p, _, err := loaded(s, CompileOptions{GPU: gpu})
	if err != nil {
		return err
	}
	got, err := run(p)
	if err != nil {
		return err
	}
	inner := func(l *emu.Strips) string {
		at := []int{len(l.Vertices)}
		for _, n := range l.Ends {
			if n > 0 && n < len(l.Vertices) {
				at = append(at, n)
			}
		}
		return fmt.Sprint(at)
	}
	for i := range 2 {
		if w, g := inner(want.Stream(i)), inner(got.Stream(i)); w != g {
			return fmt.Errorf("stream %d: vertices and ends %s, want %s", i, g, w)
		}
	}
	return nil
}

// TestChainProducts: products of the offsets in local memory are left out where a factor is 0 or 1.
func TestChainProducts(t *testing.T) {
	_, b := newStage(ir.StageVertex)
	c := &chain{b: b}
	by := c.b.Imm32(20)
	if c.mul(b.Imm32(0), by) != nil || c.mul(b.Imm32(1), by) != by {
		t.Error("products by 0 and 1 are computed")
	}
	for _, a := range []*ir.Def{b.Imm32(2), inputFrom(b, ir.SlotAttrib0, 0, 1)} {
		if d := c.mul(a, by); d == nil || d.Instr.Op != ir.OpImul24 || d.Instr.Srcs[0].Def != a || d.Instr.Srcs[1].Def != by {
			t.Errorf("the product of %v is %v", a.Instr.Kind, d)
		}
	}
	if c.add(by, nil) != by || c.add(by, by).Instr.Op != ir.OpIadd {
		t.Error("a sum with nothing is one, or another is none")
	}
}

// TestArraysOfPatches: an element of an array that the control stage has left for each vertex, or for the patch, is found by an index
// that each lane has for itself, whichever vertex it is of.
func TestArraysOfPatches(t *testing.T) {
	programs.Hold(t)
	const length = 3
	patch := &emu.Patch{Out: make([]emu.Slots, 4)}
	word := func(vertex, k, c int) float32 { return float32(1 + 100*vertex + 10*k + c) }
	for k := range length {
		for c := range 4 {
			for v := range patch.Out {
				patch.Out[v][int(ir.SlotVar0)+2+k][c] = math.Float32bits(word(v, k, c))
			}
			patch.PerPatch[int(ir.SlotPatch0)+1+k][c] = math.Float32bits(word(7, k, c))
		}
	}
	s, b := newStage(ir.StageTessEval)
	coord := &b.Intrinsic(ir.IntrLoadTessCoordXy, 2, 32).Def
	vertex, k := b.F2u32(b.Channel(coord, 0)), b.F2u32(b.Channel(coord, 1))
	element := func(in ir.Intrinsic, slot ir.Slot, srcs ...*ir.Def) *ir.Def {
		sem := ir.IOSemantics{Location: slot, NumSlots: length}
		return &b.Intrinsic(in, 3, 32, srcs...).Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxComponent, 1).Set(ir.IdxRange, length).
			Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()).Def
	}
	outputTo(b, element(ir.IntrLoadPerVertexInput, ir.SlotVar0+2, vertex, k), ir.SlotPos)
	outputTo(b, element(ir.IntrLoadPerVertexInput, ir.SlotVar0+2, b.Imm32(3), k), ir.SlotVar0)
	outputTo(b, element(ir.IntrLoadInput, ir.SlotPatch0+1, k), ir.SlotVar0+1)
	for _, gpu := range gpus {
		p, bin, err := loaded(s, CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		l := stageLaunch(s.Stage)
		for i := range stageLanes {
			l.TessEval = append(l.TessEval, emu.TessEvalLane{Patch: patch, Coord: [3]float32{float32(i & 3), float32(i / 4 % length)}})
		}
		if st, err := p.NewWave(l).Run(1 << 16); err != nil || st != emu.StatusDone {
			t.Fatalf("%s: status %v, %v\n%s", gpu, st, err, disasm(bin))
		}
		for i := range stageLanes {
			for slot, v := range map[ir.Slot]int{ir.SlotPos: i & 3, ir.SlotVar0: 3, ir.SlotVar0 + 1: 7} {
				for c := range 3 {
					if got, want := math.Float32frombits(l.Out[i][slot][c]), word(v, i/4%length, c+1); got != want {
						t.Fatalf("%s, lane %d, slot %d, component %d: %v, want %v\n%s", gpu, i, slot, c, got, want, disasm(bin))
					}
				}
			}
		}
	}
}
