package grids

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

const countedGeometry = `#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 a[];
layout(location = 1) in vec4 b[];
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 back;
void main() {
  for (int i = 0; i < 5; i++) {
    gl_Position = gl_in[i % 3].gl_Position * (i == 3 ? 0.5 : 1.0); color = a[i % 3]; back = b[i % 3];
    EmitVertex();
    if (i == 0 && gl_PrimitiveIDIn == 1) EndPrimitive();
  }
}`

// TestCountedVertices draws what a geometry shader emits, and what it emits when it counts itself: what is beyond the most is dropped.
func TestCountedVertices(t *testing.T) {
	modules := []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, fill(stateVertex, []string{"EXTRA", ""})), prove.FromGLSL(t, ir.StageGeometry, countedGeometry),
		prove.FromGLSL(t, ir.StageFragment, fill(stateFragment, []string{"EXTRA", ""}))}
	draw := func(list string) []byte {
		o := nirc.Options{Target: nirc.IRTarget}
		if list != "" {
			var err error
			if o.Passes, err = passes.ParsePassList(list); err != nil {
				t.Fatal(err)
			}
		}
		img, err := emu.NewImage(emu.ImageDesc{Width: 16, Height: 16, Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
		if err != nil {
			t.Fatal(err)
		}
		p := &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}},
			Bindings:   []emu.VertexBinding{{Stride: 16, Data: floatBytes(-0.9, -0.9, 0.25, 1, 0.9, -0.8, 0.5, 1, -0.3, 0.95, 0.75, 1, -0.9, 0.9, 0.25, 1, 0.9, 0.8, 0.5, 1, 0.3, -0.95, 0.75, 1)}},
			Attributes: []emu.VertexAttribute{{Format: emu.FormatByName("R32G32B32A32_SFLOAT")}}}
		x := &exec.Execution{Options: o, Modules: modules, Draw: p, DrawParams: emu.DrawParams{VertexCount: 6, InstanceCount: 1}, Push: make([]byte, 60), Limits: emu.Limits{Check: true}}
		if err := exec.Execute(emu.Once(context.Background()), x); err != nil {
			t.Fatal(err)
		}
		return img.Data
	}
	front := "lower_continue_constructs,lower_returns,inline_functions,opt_deref,remove_non_entrypoints"
	want, got := draw(front), draw(front+",lower_gs_intrinsics,lower_vars_to_ssa,opt_copy_prop,opt_dce")
	if !bytes.Equal(want, got) || strings.Trim(string(got), "\x00") == "" {
		t.Error("another image, or nothing is drawn")
	}
}

const countedStreams = `#version 450
layout(points) in;
layout(points, max_vertices = 5) out;
layout(location = 0) in vec2 a[];
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out float x;
layout(stream = 1) out;
layout(location = 1, xfb_buffer = 3, xfb_offset = 0, xfb_stride = 8) out B { vec2 y; } bb;
void main() {
  for (int k = 0; k < 4; k++) {
    x = a[0].x + k; EmitStreamVertex(0);
    if (a[0].x > 0 || k > 1) { bb.y = vec2(a[0].x, k); EmitStreamVertex(1); EndStreamPrimitive(1); }
  }
}`

// TestCountedStreams captures what goes to two streams, and what a shader emits that counts them itself: five vertices in all.
func TestCountedStreams(t *testing.T) {
	modules := []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, feedbackVertex), prove.FromGLSL(t, ir.StageGeometry, countedStreams)}
	capture := func(list string) [ir.NumXfbBuffers][]byte {
		p, err := passes.ParsePassList(list)
		if err != nil {
			t.Fatal(err)
		}
		var f emu.Feedback
		for b := range f.Buffers {
			f.Buffers[b] = make([]byte, 256)
		}
		draw := &emu.Pipeline{Topology: emu.PointList}
		draw.Raster.Discard = true
		x := &exec.Execution{Modules: modules, Options: nirc.Options{Target: nirc.IRTarget, Passes: p}, Draw: draw, DrawParams: emu.DrawParams{VertexCount: 2, InstanceCount: 1, Feedback: &f}}
		if err := exec.Execute(context.Background(), x); err != nil {
			t.Fatal(err)
		}
		for b := range f.Buffers {
			f.Buffers[b] = f.Buffers[b][:f.Offsets[b]]
		}
		return f.Buffers
	}
	const front = "lower_continue_constructs,lower_returns,inline_functions,opt_deref,remove_non_entrypoints"
	want, got := capture(front), capture(front+",lower_gs_intrinsics,lower_vars_to_ssa,opt_copy_prop,opt_dce")
	for b := range want {
		if !bytes.Equal(want[b], got[b]) {
			t.Errorf("buffer %d: %x, want %x", b, got[b], want[b])
		}
	}
	if len(want[0]) != 4*(4+3) || len(want[3]) != 8*(1+2) { // the vertices at 0 and 1: four and one, three and two
		t.Errorf("%d and %d bytes are captured", len(want[0]), len(want[3]))
	}
}
