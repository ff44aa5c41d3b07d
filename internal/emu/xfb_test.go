package emu

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"nirc/ir"
)

// captures is the layout of the tests: position x and varying 0 to buffer 0.
var captures = []ir.Capture{
	{Slot: ir.SlotPos, Count: 1, Bits: 32},
	{Slot: ir.SlotVar0, First: 1, Count: 2, Bits: 16, Offset: 4},
}

// feedbackPipeline discards everything after the vertex stage, whose vertices
// have their numbers in x and in varying 0's y and z.
func feedbackPipeline(t *testing.T, topo Topology, vertices int) *Pipeline {
	var data []float32
	for i := range vertices {
		data = append(data, float32(i), 0, 0, 1, 0, float32(i), float32(i), 0)
	}
	p := testPipeline(t, 4, 4, 1, "R8G8B8A8_UNORM", 2, data, constantColor(1, 1, 1, 1))
	p.Topology, p.Raster.Discard = topo, true
	vs := p.Vertex.(*fakeProgram)
	vs.io.Captures, vs.io.XfbStrides = captures, [4]uint32{8}
	return p
}

// captured reads position x of the vertices in buffer 0.
func captured(f *Feedback) []float32 {
	list := []float32{}
	for at := uint64(0); at < f.Offsets[0]; at += 8 {
		list = append(list, bf(uint32(LoadBytes(f.Buffers[0][at:], 4))))
	}
	return list
}

// TestFeedback captures the vertices of primitives, two draws after each
// other, until the buffer has no room for a whole primitive.
func TestFeedback(t *testing.T) {
	for _, c := range []struct {
		topo      Topology
		vertices  uint32
		size      int
		want      []float32
		generated uint64
	}{
		{PointList, 2, 64, []float32{0, 1, 0, 1}, 4},
		{LineStrip, 3, 64, []float32{0, 1, 1, 2, 0, 1, 1, 2}, 4},
		{TriangleStrip, 4, 96, []float32{0, 1, 2, 1, 3, 2, 0, 1, 2, 1, 3, 2}, 4},
		{TriangleStrip, 4, 95, []float32{0, 1, 2, 1, 3, 2, 0, 1, 2}, 4},
		{TriangleList, 3, 23, []float32{}, 2},
	} {
		p := feedbackPipeline(t, c.topo, 4)
		f := &Feedback{}
		f.Buffers[0] = make([]byte, c.size)
		for range 2 {
			if err := Draw(context.Background(), p, DrawParams{VertexCount: c.vertices, InstanceCount: 1, Feedback: f}); err != nil {
				t.Fatal(err)
			}
		}
		per := uint64(c.topo.primVertices())
		if got := captured(f); !reflect.DeepEqual(got, c.want) || f.Generated[0] != c.generated || f.Written[0]*per != uint64(len(c.want)) {
			t.Errorf("topology %d, %d bytes: %v, want %v; %+v", c.topo, c.size, got, c.want, f.Generated)
		}
	}
	p := feedbackPipeline(t, PointList, 1)
	f := &Feedback{}
	f.Buffers[0] = make([]byte, 16)
	p.Bindings[0].Data = floatBytes(3, 0, 0, 1, 0, 2, 1, 0)
	if err := Draw(context.Background(), p, DrawParams{VertexCount: 1, InstanceCount: 1, Feedback: f}); err != nil {
		t.Fatal(err)
	}
	if got, want := LoadBytes(f.Buffers[0], 8), uint64(fb(3))|uint64(fb(2)&0xffff)<<32|uint64(fb(1)&0xffff)<<48; got != want || f.Buffers[0][8] != 0 {
		t.Errorf("%x, want %x", got, want)
	}
}

// TestFeedbackStreams emits points on two streams, which go to their buffers;
// the vertices of all count against the stage's bound.
func TestFeedbackStreams(t *testing.T) {
	p := feedbackPipeline(t, PointList, 2)
	g := geometryShader(2, GeomIO{MaxVertices: 4, InPrimitive: 1}, func(l *GeometryLane) {
		for k := range 3 {
			v := *l.V[0]
			v[ir.SlotPos][0] = fb(bf(v[ir.SlotPos][0]) + 10*float32(k))
			l.Emitted.EmitTo(k, &v)
			l.Emitted.EndPrimitiveOf(k)
			l.Emitted.EmitTo(2, &v)
		}
	})
	g.io.Captures = append(captures, ir.Capture{Slot: ir.SlotPos, Count: 1, Bits: 32, Buffer: 3, Stream: 2, Offset: 4})
	g.io.XfbStrides = [4]uint32{8, 0, 0, 8}
	p.Geometry = g
	f := &Feedback{}
	f.Buffers[0], f.Buffers[3] = make([]byte, 64), make([]byte, 64)
	if err := Draw(context.Background(), p, DrawParams{VertexCount: 2, InstanceCount: 1, Feedback: f}); err != nil {
		t.Fatal(err)
	}
	if got := captured(f); !reflect.DeepEqual(got, []float32{0, 1}) {
		t.Errorf("stream 0: %v", got)
	}
	var got []float32
	for at := uint64(4); at < f.Offsets[3]; at += 8 {
		got = append(got, bf(uint32(LoadBytes(f.Buffers[3][at:], 4))))
	}
	if want := []float32{0, 10, 1, 11}; !reflect.DeepEqual(got, want) || f.Generated != [4]uint64{2, 2, 4, 0} || f.Written != f.Generated {
		t.Errorf("stream 2: %v, want %v; %v generated, %v written", got, want, f.Generated, f.Written)
	}
}

// TestFeedbackErrors are captures that cannot be.
func TestFeedbackErrors(t *testing.T) {
	for want, list := range map[string][]ir.Capture{"captures nothing": nil, "does not fit": {{Slot: ir.SlotPos, First: 2, Count: 3, Bits: 32}}} {
		p := feedbackPipeline(t, PointList, 1)
		p.Vertex.(*fakeProgram).io.Captures = list
		err := Draw(context.Background(), p, DrawParams{VertexCount: 1, InstanceCount: 1, Feedback: &Feedback{}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
