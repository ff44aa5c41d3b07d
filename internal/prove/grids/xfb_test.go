package grids

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

const feedbackVertex = `#version 450
layout(location=0, xfb_buffer=1, xfb_offset=8, xfb_stride=48) out vec2 a;
layout(location=1, xfb_buffer=1, xfb_offset=16) out B { vec3 b; layout(xfb_offset=40) float c; } blk;
out gl_PerVertex { layout(xfb_buffer=0, xfb_stride=20, xfb_offset=4) vec4 gl_Position; float gl_PointSize; };
struct S { mat2 m; float d[2]; };
layout(location=5, xfb_buffer=2, xfb_offset=0, xfb_stride=24) out S s;
void main() {
  float i = float(gl_VertexIndex);
  a = vec2(i, 2); blk.b = vec3(3, i, 5); blk.c = 6 + i;
  gl_Position = vec4(i, 8, 9, 10); gl_PointSize = 1;
  s.m = mat2(11, 12, i, 14); s.d[0] = 15; s.d[gl_VertexIndex & 1] = 16;
}`

const feedbackGeometry = `#version 450
layout(points) in;
layout(points, max_vertices=6) out;
layout(location=0) in vec2 a[];
layout(stream=0, location=0, xfb_buffer=0, xfb_offset=0, xfb_stride=4) out float x;
layout(stream=1) out;
layout(location=1, xfb_buffer=3, xfb_offset=0, xfb_stride=8) out B { vec2 y; } bb;
void main() {
  x = a[0].x + 100; EmitStreamVertex(0);
  for (int k = 0; k < 2; k++) { bb.y = vec2(a[0].x, k); EmitStreamVertex(1); EndStreamPrimitive(1); }
}`

// TestTransformFeedback captures outputs of the vertex and of the geometry
// stage, as the frontend makes them and after the passes.
func TestTransformFeedback(t *testing.T) {
	vs, gs := prove.FromGLSL(t, ir.StageVertex, feedbackVertex), prove.FromGLSL(t, ir.StageGeometry, feedbackGeometry)
	lowered, err := passes.ParsePassList(prove.LoweredInterface)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: nirc.IRTarget, Level: passes.O2}, {Target: nirc.IRTarget, Passes: lowered}, {Target: "agx"},
		{Target: "agx", Level: passes.O2}, {Target: "agx", Level: passes.O2, ABI: nirc.SeparateABI}, {Target: "midgard"}, {Target: "midgard", Level: passes.O2}} {
		for _, c := range []struct {
			modules []*nirc.Module
			want    [ir.NumXfbBuffers][]float32
		}{
			{[]*nirc.Module{vs}, [ir.NumXfbBuffers][]float32{
				{0, 0, 8, 9, 10, 0, 1, 8, 9, 10},
				{0, 0, 0, 2, 3, 0, 5, 0, 0, 0, 6, 0, 0, 0, 1, 2, 3, 1, 5, 0, 0, 0, 7, 0},
				{11, 12, 0, 14, 16, 0, 11, 12, 1, 14, 15, 16}}},
			{[]*nirc.Module{vs, gs}, [ir.NumXfbBuffers][]float32{{100, 101}, nil, nil, {0, 0, 0, 1, 1, 0, 1, 1}}},
		} {
			f := &emu.Feedback{}
			for b := range f.Buffers {
				f.Buffers[b] = make([]byte, 256)
			}
			draw := &emu.Pipeline{Topology: emu.PointList}
			draw.Raster.Discard = true
			x := &exec.Execution{Modules: c.modules, Options: o, Draw: draw, DrawParams: emu.DrawParams{VertexCount: 2, InstanceCount: 1, Feedback: f}}
			if err := exec.Execute(context.Background(), x); err != nil {
				t.Fatalf("%s, O%v, passes given %v: %v", o.Target, o.Level, o.Passes != nil, err)
			}
			for b, want := range c.want {
				var got []float32
				for at := uint64(0); at < f.Offsets[b]; at += 4 {
					got = append(got, float32(ir.FloatValue(emu.LoadBytes(f.Buffers[b][at:], 4), 32)))
				}
				// s.d[1] of vertex 0 is never written.
				if len(c.modules) == 1 && b == 2 && len(got) > 5 {
					got[5] = 0
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, O%v, passes given %v, buffer %d: %v, want %v", o.Target, o.Level, o.Passes != nil, b, got, want)
				}
			}
		}
	}
}

// TestReflectFeedback lists what is captured.
func TestReflectFeedback(t *testing.T) {
	r, err := prove.FromGLSL(t, ir.StageGeometry, feedbackGeometry).Interface(context.Background(), nirc.Options{Target: nirc.IRTarget})
	if err != nil {
		t.Fatal(err)
	}
	want := []nirc.CapturedOutput{{Buffer: 0, Stride: 4, Location: "location 0", Components: 1, Bits: 32}, {Buffer: 3, Stride: 8, Stream: 1, Location: "location 1", Components: 2, Bits: 32}}
	if !reflect.DeepEqual(r.Captures, want) {
		t.Errorf("%+v, want %+v", r.Captures, want)
	}
}

const passVertex = `#version 450
layout(location = 3) out vec2 a;
layout(location = 0, xfb_buffer = 1, xfb_offset = 4, xfb_stride = 16) flat out vec3 color;
out gl_PerVertex { layout(xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[2]; };
void main() {
  int n = gl_VertexIndex;
  gl_Position = vec4(float(n / 2) * 0.25 - 1.0, (n & 1) == 0 ? -0.875 : 0.75 - 0.0625 * n, 0.5, 1);
  gl_PointSize = 3; gl_ClipDistance[0] = 1; gl_ClipDistance[1] = gl_Position.x + 0.6;
  gl_CullDistance[0] = 5 - n; gl_CullDistance[1] = 1;
  a = gl_Position.xy; color = vec3(n, n * n, gl_InstanceIndex) / 256.0;
}`

const passFragment = `#version 450
layout(location = 3) in vec2 a;
layout(location = 0) flat in vec3 color;
layout(location = 0) out vec4 o;
void main() { o = vec4(color.xy, float(gl_PrimitiveID + (a.x < 0.0 ? 100 : 50)) / 255.0, 1); }`

// passedDraw draws with transform feedback; the target says who writes it.
func passedDraw(t *testing.T, modules []*nirc.Module, o nirc.Options, topology emu.Topology) ([]byte, *emu.Feedback) {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: 32, Height: 32, Format: emu.FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	f := &emu.Feedback{}
	for b := range f.Buffers {
		f.Buffers[b] = make([]byte, 500)
	}
	p := &emu.Pipeline{Topology: topology, PatchControlPoints: 3, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}}
	x := &exec.Execution{Modules: modules, Options: o, Draw: p, DrawParams: emu.DrawParams{VertexCount: 13, InstanceCount: 2, Feedback: f}, Limits: emu.Limits{Check: true}}
	if err := exec.Execute(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	return img.Data, f
}

// TestPassThrough: on AGX the vertices of pipelines without a geometry stage are captured by one
// that hands them on, and drawn as before.
func TestPassThrough(t *testing.T) {
	modules := []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, passVertex), prove.FromGLSL(t, ir.StageFragment, passFragment)}
	for topology := emu.PointList; topology < emu.PatchList; topology++ {
		want, captured := passedDraw(t, modules, nirc.Options{Target: nirc.IRTarget}, topology)
		if captured.Written[0] < 2 || captured.Generated[0] < 4 {
			t.Errorf("topology %d: %v of %v primitives", topology, captured.Written, captured.Generated)
		}
		for _, convention := range []string{"", nirc.SeparateABI} {
			got, f := passedDraw(t, modules, nirc.Options{Target: "agx", Level: passes.O2, ABI: convention}, topology)
			if !reflect.DeepEqual(captured, f) {
				t.Errorf("topology %d, ABI %q: captured %v, want %v", topology, convention, f, captured)
			}
			if !bytes.Equal(want, got) {
				t.Errorf("topology %d, ABI %q: the image is another", topology, convention)
			}
		}
	}
}

const passControl = `#version 450
layout(vertices=3) out;
layout(location=3) in vec2 a[]; layout(location=0) in vec3 color[];
layout(location=3) out vec2 b[]; layout(location=5) patch out vec3 middle;
void main() {
  b[gl_InvocationID] = a[gl_InvocationID].yx; gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  barrier();
  middle = color[0] + vec3(b[(gl_InvocationID + 1) % 3], gl_PatchVerticesIn) * 0.0;
  if (gl_InvocationID == 0) { gl_TessLevelOuter[0] = 2; gl_TessLevelOuter[1] = 1; gl_TessLevelOuter[2] = 3; gl_TessLevelInner[0] = 2; }
}`

const passEvaluation = `#version 450
layout(triangles, equal_spacing, cw) in;
layout(location=3) in vec2 b[]; layout(location=5) patch in vec3 middle;
layout(location = 3) out vec2 a;
layout(location = 0, xfb_buffer = 1, xfb_offset = 4, xfb_stride = 16) flat out vec3 color;
out gl_PerVertex { layout(xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) vec4 gl_Position; };
void main() {
  vec3 t = gl_TessCoord;
  gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position + t.z * gl_in[2].gl_Position;
  a = (t.x * b[0] + t.y * b[1] + t.z * b[2]).yx; color = middle + vec3(gl_PrimitiveID, 0, 0) / 256.0;
}`

// TestPassThroughMidgard: on Midgard strips, fans, adjacency and patches are captured by a geometry stage that hands the vertices on, lists
// by a vertex program of its own; what is drawn is what it was, with and without perspective.
func TestPassThroughMidgard(t *testing.T) {
	fragment := strings.ReplaceAll(passFragment, "gl_PrimitiveID", "7")
	for _, linear := range []bool{false, true} {
		text, vertex := fragment, passVertex
		if linear {
			text, vertex = strings.Replace(text, "in vec2 a", "noperspective in vec2 a", 1), strings.Replace(vertex, "0.5, 1);", "0.5, 1 + n * 0.125);", 1)
		}
		stages := []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, vertex), prove.FromGLSL(t, ir.StageFragment, text)}
		for topology := emu.PointList; topology <= emu.PatchList; topology++ {
			modules := stages
			if topology == emu.PatchList {
				plain := strings.NewReplacer(", xfb_buffer = 1, xfb_offset = 4, xfb_stride = 16", "", "layout(xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0)", "").Replace(vertex)
				modules = []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, plain), prove.FromGLSL(t, ir.StageTessCtrl, passControl), prove.FromGLSL(t, ir.StageTessEval, passEvaluation), stages[1]}
			}
			want, captured := passedDraw(t, modules, nirc.Options{Target: nirc.IRTarget}, topology)
			got, f := passedDraw(t, modules, nirc.Options{Target: "midgard", Level: passes.O2}, topology)
			if captured.Written[0] < 2 || !reflect.DeepEqual(captured, f) {
				t.Errorf("topology %d, linear %t: captured %v, want %v", topology, linear, f, captured)
			}
			if n := differing(want, got, 2); n > 8 {
				t.Errorf("topology %d, linear %t: %d bytes of the image are others", topology, linear, n)
			}
		}
	}
}

// differing counts the bytes that are further apart than some steps.
func differing(a, b []byte, most int) (n int) {
	for i := range a {
		if d := int(a[i]) - int(b[i]); d > most || -d > most {
			n++
		}
	}
	return n
}
