package emu

import (
	"fmt"

	"nirc/ir"
)

// Feedback is the transform feedback of draws: the outputs of the last stage
// before the rasteriser, captured by that stage's [StageIO].Captures. Draws
// that share one go on where the last stopped.
type Feedback struct {
	// Buffers are the bound ranges; nil takes nothing.
	Buffers [ir.NumXfbBuffers][]byte
	// Offsets are the bytes written so far.
	Offsets [ir.NumXfbBuffers]uint64
	// Generated counts the primitives of each vertex stream, Written those
	// that were captured whole.
	Generated, Written [ir.NumXfbBuffers]uint64
}

// checkFeedback checks that the last stage captures something.
func (d *drawer) checkFeedback() error {
	if d.params.Feedback == nil {
		return nil
	}
	io := d.last.IO()
	if d.p.Capture != nil {
		io = d.p.Capture.IO()
	}
	if len(io.Captures) == 0 {
		return fmt.Errorf("emu: transform feedback with a %v stage that captures nothing", d.last.Stage())
	}
	for _, c := range io.Captures {
		if c.Buffer >= ir.NumXfbBuffers || c.Stream >= ir.NumXfbBuffers || c.Slot >= ir.NumVaryingSlots || c.First+c.Count > 4 || c.Offset+c.Size() > io.XfbStrides[c.Buffer] {
			return fmt.Errorf("emu: the %v stage's capture %+v does not fit", d.last.Stage(), c)
		}
	}
	return nil
}

// capture writes a primitive of a stream to the buffers: the vertices of all of
// them, or none where a buffer has no room.
func (d *drawer) capture(stream uint8, v []*Slots) {
	if f, io := d.params.Feedback, d.last.IO(); f != nil && d.p.Capture == nil && !io.OwnFeedback {
		f.take(io, stream, v)
	}
}

// take writes a primitive of a stream of a stage.
func (f *Feedback) take(io *StageIO, stream uint8, v []*Slots) {
	f.Generated[stream]++
	var used [ir.NumXfbBuffers]bool
	for i := range io.Captures {
		if c := &io.Captures[i]; c.Stream == stream {
			used[c.Buffer] = true
		}
	}
	for b, on := range used {
		if on && f.Offsets[b]+uint64(len(v))*uint64(io.XfbStrides[b]) > uint64(len(f.Buffers[b])) {
			return
		}
	}
	for k, vertex := range v {
		for i := range io.Captures {
			if c := &io.Captures[i]; c.Stream == stream {
				at := f.Offsets[c.Buffer] + uint64(k)*uint64(io.XfbStrides[c.Buffer]) + uint64(c.Offset)
				captureRun(f.Buffers[c.Buffer][at:], c, &vertex[c.Slot])
			}
		}
	}
	for b, on := range used {
		if on {
			f.Offsets[b] += uint64(len(v)) * uint64(io.XfbStrides[b])
		}
	}
	f.Written[stream]++
}

// CaptureStrips captures what an invocation of a geometry stage with StageIO.OwnFeedback emitted, on all streams.
func (f *Feedback) CaptureStrips(io *StageIO, e *Emission) {
	for n := range ir.NumXfbBuffers {
		eachPrimitive(e.Stream(n), int(io.Geom.OutPrimitive)+1, func(v []*Slots) { f.take(io, uint8(n), v) })
	}
}

// eachPrimitive goes through the primitives of strips, of size vertices in the order of their orientation.
func eachPrimitive(l *Strips, size int, do func(v []*Slots)) {
	// The function below never fails.
	_ = l.each(size, func(v [3]*Slots, odd bool) error {
		if odd {
			v[1], v[2] = v[2], v[1]
		}
		do(v[:size])
		return nil
	})
}

func captureRun(to []byte, c *ir.Capture, from *Vec4) {
	n := int(c.Bits / 8)
	for k := range int(c.Count) {
		StoreBytes(to[k*n:], n, uint64(from[int(c.First)+k]))
	}
}

// captureStrips captures what a lane of the geometry stage emitted on the
// streams that are not drawn.
func (g *geometryStage) captureStrips(e *Emission) {
	for n := 1; n < ir.NumXfbBuffers; n++ {
		eachPrimitive(e.Stream(n), int(g.out)+1, func(v []*Slots) { g.d.capture(uint8(n), v) })
	}
}
