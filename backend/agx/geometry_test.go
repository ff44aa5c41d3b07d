package agx

import (
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/gputest"
	"nirc/ir"
)

// newGeometry makes a geometry shader that takes triangles and gives strips of them.
func newGeometry() (*ir.Shader, *ir.Builder) {
	s, b := gputest.NewShader(ir.StageGeometry, 64)
	s.Info.Geom = ir.GeomInfo{Invocations: 2, MaxVertices: 5, InPrimitive: 3, OutPrimitive: 2}
	return s, b
}

// loadVertex loads an input of vertex v.
func loadVertex(b *ir.Builder, slot ir.Slot, v *ir.Def) *ir.Def {
	in := b.Intrinsic(ir.IntrLoadPerVertexInput, 4, 32, v, b.Imm32(0))
	in.Set(ir.IdxIoSemantics, ioSemantics(slot)).Set(ir.IdxRange, 1)
	return &in.Def
}

// A shader that emits the same for all units needs no counts, and fewer vertices than it declares; its programs stand after each
// other, and the main program leaves only indices.
func TestGeometryConstant(t *testing.T) {
	programs.Hold(t)
	s, b := newGeometry()
	for v := range uint32(3) {
		storeOutput(b, ir.SlotPos, loadVertex(b, ir.SlotPos, b.Imm32(v)))
		storeOutput(b, ir.SlotVar0+1, b.Channels(loadVertex(b, ir.SlotVar0+4, b.Imm32(v)), 1, 2))
		b.Intrinsic(ir.IntrEmitVertex, 0, 0)
	}
	bin, _ := build(t, s, CompileOptions{})
	m, g := &bin.Meta, bin.Meta.Geometry
	if m.Stage != ir.StageGeometry || g == nil || g.Count != nil || g.Counts != [abi.CountWords]uint32{4} || g.MaxVertices != 3 || g.VertexShift() != 2 || len(g.Vertices) > 0 {
		t.Fatalf("meta %+v, geometry %+v", m, g)
	}
	if len(m.Reads) != 2 || m.Reads[0] != ir.SlotPos || m.Reads[1] != ir.SlotVar0+4 {
		t.Errorf("slots %v are read", m.Reads)
	}
	want := []abi.Varying{{Slot: ir.SlotPos, Count: 4}, {Slot: ir.SlotVar0 + 1, Count: 2, Word: 4, User: true}}
	if v := g.Raster.Varyings; len(v) != 2 || v[0] != want[0] || v[1] != want[1] {
		t.Errorf("outputs %+v, want %+v", v, want)
	}
	for _, u := range m.Uniforms {
		if u.Kind == abi.UniformRecords || u.Kind == abi.UniformCounts {
			t.Errorf("the main program reads %s", u.Kind)
		}
	}
	lines, err := Target{}.Disassemble("", bin.Code)
	if err != nil {
		t.Fatal(err)
	}
	stores, finals, from := 0, 0, -1
	for _, l := range lines {
		if l.Bad {
			t.Errorf("offset %d is no instruction", l.Offset)
		}
		if l.Offset == int(g.Raster.Entry) {
			from = len(lines)
		}
		switch {
		case strings.HasPrefix(l.Text, "device_store"):
			stores++
			if from >= 0 {
				t.Errorf("offset %d: the raster program stores to memory", l.Offset)
			}
		case strings.HasPrefix(l.Text, "st_var_final"):
			finals++
		}
	}
	if from < 0 || stores != 4 || finals != 1 {
		t.Errorf("a raster program: %v, %d stores and %d final outputs", from >= 0, stores, finals)
	}
}

// What the count program says: complete primitives of streams, words of the index buffer, no more vertices
// than the shader declares, and nothing that the shader does to memory.
func TestGeometryPrograms(t *testing.T) {
	programs.Hold(t)
	dynamic := func(b *ir.Builder) *ir.Def { return b.Channel(loadVertex(b, ir.SlotVar0, b.Imm32(0)), 0) }
	emit := func(b *ir.Builder, stream uint64) {
		b.Intrinsic(ir.IntrEmitVertex, 0, 0).Set(ir.IdxStreamId, stream)
	}
	for _, c := range []struct {
		name  string
		build func(s *ir.Shader, b *ir.Builder)
		check func(g *abi.Geometry) bool
	}{
		{"more than the most", func(s *ir.Shader, b *ir.Builder) {
			for range 9 {
				emit(b, 0)
			}
		}, func(g *abi.Geometry) bool { return g.Count == nil && g.Counts[0] == 6 }},
		{"captured strips", func(s *ir.Shader, b *ir.Builder) {
			s.Captures = []ir.Capture{{Slot: ir.SlotPos, Count: 4, Bits: 32, Buffer: 2}}
			s.Info.XfbStrides[2] = 16
			for k := range 5 {
				storeOutput(b, ir.SlotPos, b.Vec(dynamic(b), b.Imm32(1), b.Imm32(2), b.Imm32(3)))
				emit(b, 0)
				if k == 3 {
					b.Intrinsic(ir.IntrEndPrimitive, 0, 0)
				}
			}
		}, func(g *abi.Geometry) bool {
			return g.Count == nil && g.Counts == [abi.CountWords]uint32{7, 2} && g.Strides[2] == 16 && len(g.Captures) == 1
		}},
		{"a count program", func(s *ir.Shader, b *ir.Builder) {
			i := b.PushIf(b.Ilt(b.Imm32(3), dynamic(b)))
			emit(b, 0)
			b.PopIf(i)
		}, func(g *abi.Geometry) bool {
			return g.Count != nil && g.Count.Stage == ir.StageCompute && g.Count.Entry > 0 && g.Raster.Entry > g.Count.Entry
		}},
		{"stores", func(s *ir.Shader, b *ir.Builder) {
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(0), dynamic(b))
			emit(b, 0)
		}, func(g *abi.Geometry) bool { return g.Count == nil && len(g.Vertices) == 0 && !g.Raster.WritesMemory }},
		{"lanes", func(s *ir.Shader, b *ir.Builder) {
			storeOutput(b, ir.SlotVar0+7, &b.Intrinsic(ir.IntrLoadSubgroupInvocation, 1, 32).Def)
			emit(b, 0)
		}, func(g *abi.Geometry) bool { return len(g.Vertices) == 1 && g.Vertices[0] == ir.SlotVar0+7 }},
		{"no primitives of another stream", func(s *ir.Shader, b *ir.Builder) {
			emit(b, 1)
		}, func(g *abi.Geometry) bool { return g.Counts == [abi.CountWords]uint32{} }},
	} {
		s, b := newGeometry()
		c.build(s, b)
		bin, _ := build(t, s, CompileOptions{})
		if !c.check(bin.Meta.Geometry) {
			t.Errorf("%s: %+v", c.name, bin.Meta.Geometry)
		}
	}
}

func TestGeometryRefusals(t *testing.T) {
	for _, c := range []struct {
		want  string
		build func(s *ir.Shader, b *ir.Builder)
	}{
		{"vertex stream 4 is not supported", func(s *ir.Shader, b *ir.Builder) { b.Intrinsic(ir.IntrEmitVertex, 0, 0).Set(ir.IdxStreamId, 4) }},
		{"output primitive 3 is not supported", func(s *ir.Shader, b *ir.Builder) { s.Info.Geom.OutPrimitive = 3 }},
		{"primitives of 5 vertices is not supported", func(s *ir.Shader, b *ir.Builder) { s.Info.Geom.InPrimitive = 5 }},
		{"transform feedback of 32 bits at byte 2 of 8 is not supported", func(s *ir.Shader, b *ir.Builder) {
			s.Captures, s.Info.XfbStrides[0] = []ir.Capture{{Slot: ir.SlotPos, Count: 1, Bits: 32, Offset: 2}}, 8
			b.Intrinsic(ir.IntrEmitVertex, 0, 0)
		}},
		{"with an indirect slot is not supported", func(s *ir.Shader, b *ir.Builder) {
			x := b.Channel(loadVertex(b, ir.SlotVar0, b.Imm32(0)), 0)
			b.Intrinsic(ir.IntrStoreOutput, 0, 0, x, x).Set(ir.IdxWriteMask, 1).Set(ir.IdxIoSemantics, ioSemantics(ir.SlotVar0)).Set(ir.IdxRange, 2)
		}},
		{"as memory says that the shader writes is not supported", func(s *ir.Shader, b *ir.Builder) {
			s.Captures, s.Info.XfbStrides[0] = []ir.Capture{{Slot: ir.SlotPos, Count: 1, Bits: 32}}, 8
			i := b.PushIf(b.Ieq(&b.Intrinsic(ir.IntrLoadSubgroupInvocation, 1, 32).Def, b.Imm32(3)))
			b.Intrinsic(ir.IntrEmitVertex, 0, 0)
			b.PopIf(i)
		}},
	} {
		s, b := newGeometry()
		c.build(s, b)
		if _, _, err := tryBuild(t, s, CompileOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestGeometryLimits: the largest numbers of a geometry shader, and those after them.
func TestGeometryLimits(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		set  func(g *ir.GeomInfo)
		want string
	}{
		{func(g *ir.GeomInfo) { g.InPrimitive = 0 }, "takes primitives of 0 vertices"},
		{func(g *ir.GeomInfo) { g.InPrimitive = 1 }, ""},
		{func(g *ir.GeomInfo) { g.InPrimitive = 4 }, ""},
		{func(g *ir.GeomInfo) { g.InPrimitive = 6 }, ""},
		{func(g *ir.GeomInfo) { g.InPrimitive = 7 }, "takes primitives of 7 vertices"},
		{func(g *ir.GeomInfo) { g.MaxVertices = 1024 }, ""},
		{func(g *ir.GeomInfo) { g.MaxVertices = 1025 }, "a geometry shader of 1025 vertices, 1 invocations and output primitive 2"},
		{func(g *ir.GeomInfo) { g.Invocations = 127 }, ""},
		{func(g *ir.GeomInfo) { g.Invocations = 128 }, "vertices, 128 invocations and output primitive 2"},
		{func(g *ir.GeomInfo) { g.OutPrimitive = 0 }, ""},
	} {
		s, b := newGeometry()
		s.Info.Geom.Invocations, s.Info.Geom.OutPrimitive = 1, 2
		c.set(&s.Info.Geom)
		l := b.PushLoop() // how many are emitted, nobody knows
		i := b.PushIf(b.Ieq(&b.Intrinsic(ir.IntrLoadPrimitiveId, 1, 32).Def, b.Imm32(7)))
		b.Jump(ir.JumpBreak)
		b.PopIf(i)
		b.Intrinsic(ir.IntrEmitVertex, 0, 0)
		b.PopLoop(l)
		_, _, err := tryBuild(t, s, CompileOptions{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", s.Info.Geom, err, c.want)
		}
	}
}
