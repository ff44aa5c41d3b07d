package emu

import (
	"context"
	"errors"
	"strings"
	"testing"

	"nirc/ir"
)

// capturing stores the vertex's number, which a program counts over the instances, and its index.
func capturing() *fakeProgram {
	p := &fakeProgram{stage: ir.StageVertex, wave: 1}
	p.io.Captures = []ir.Capture{{Slot: ir.SlotPos, Count: 2, Bits: 32}}
	p.io.XfbStrides = [ir.NumXfbBuffers]uint32{8}
	p.run = func(l *Launch, _ int) (Status, error) {
		v := &l.Vertex[0]
		n := v.InstanceIndex*l.Capture.Vertices + v.VertexIndex - v.BaseVertex
		l.Env.Mem.Store(l.Capture.Buffers[0]+uint64(8*n), 4, uint64(100+n))
		l.Env.Mem.Store(l.Capture.Buffers[0]+uint64(8*n)+4, 4, uint64(v.VertexIndex))
		return StatusDone, nil
	}
	return p
}

// A program of its own captures whole primitives, as many as there is room for, and goes on where the last
// draw stopped; the outputs of the one that draws are not captured.
func TestCapture(t *testing.T) {
	p := testPipeline(t, 4, 4, 1, "R8_UNORM", 1, quad(0), constantColor(1, 1, 1, 1))
	p.Topology, p.Capture = LineList, capturing()
	f := &Feedback{}
	f.Buffers[0] = make([]byte, 8*7+3)
	f.Offsets[0] = 8
	if err := Draw(context.Background(), p, DrawParams{VertexCount: 5, InstanceCount: 2, Feedback: f, Limits: Limits{Check: true}}); err != nil {
		t.Fatal(err)
	}
	if f.Generated[0] != 4 || f.Written[0] != 3 || f.Offsets[0] != 8+6*8 {
		t.Errorf("generated %d, written %d, offset %d", f.Generated[0], f.Written[0], f.Offsets[0])
	}
	for n := range 6 {
		if a, b := LoadBytes(f.Buffers[0][8+8*n:], 4), LoadBytes(f.Buffers[0][12+8*n:], 4); a != uint64(100+n) || b != uint64(n%4) {
			t.Errorf("vertex %d: %d, %d", n, a, b)
		}
	}
	if LoadBytes(f.Buffers[0][56:], 2) != 0 {
		t.Error("the primitive without room is written")
	}
}

// Strips and indices are made lists by drivers.
func TestCaptureRefused(t *testing.T) {
	for _, c := range []struct {
		topology Topology
		index    *IndexBuffer
		want     string
	}{{TriangleStrip, nil, "of strips"}, {PointList, &IndexBuffer{Data: make([]byte, 8), Bytes: 2}, "of indexed draws"}} {
		p := testPipeline(t, 4, 4, 1, "R8_UNORM", 1, quad(0), constantColor(1, 1, 1, 1))
		p.Topology, p.Capture = c.topology, capturing()
		err := Draw(context.Background(), p, DrawParams{VertexCount: 3, InstanceCount: 1, Feedback: &Feedback{}, Index: c.index})
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("topology %d: %v", c.topology, err)
		}
	}
}
