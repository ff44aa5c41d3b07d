package grids

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// cullVertex draws 16 primitives of N vertices beside each other. Of primitive p vertex k is
// outside by distance 0 unless bit k of p is set, all of 5 by distance 5; distances that are no
// numbers are outside, negative zeros are not.
const cullVertex = `#version 450
layout(location = 0) flat out vec4 color;
layout(set = 0, binding = 1) uniform U { float nan; };
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_CullDistance[6]; };
void main() {
  int p = gl_VertexIndex / N, k = gl_VertexIndex % N;
  vec2 at[3] = vec2[](vec2(0, 0), vec2(7, 1), vec2(2, 7));
  gl_Position = vec4((vec2(p & 3, p >> 2) * 8.0 + 0.5 + at[k]) / 16.0 - 1.0, 0.25 + 0.0625 * k, 1) * (1.0 + k);
  gl_PointSize = 4;
  for (int i = 1; i < 5; i++) gl_CullDistance[i] = k == i % N ? 0.0 : -1.0;
  gl_CullDistance[0] = (p >> k & 1) != 0 ? 0.5 : -0.25;
  if (p == 8) gl_CullDistance[0] = nan;
  if (p == 10) gl_CullDistance[0] = -0.0;
  gl_CullDistance[5] = p == 5 ? -1e-30 : 1e-30;
  color = vec4(p + 1, 16 * (k + 1), 100, 255) / 255.0;
}`

const cullFragment = `#version 450
layout(location = 0) flat in vec4 color;
layout(location = 0) out vec4 o;
layout(set = 0, binding = 0) buffer B { uint n; };
in float gl_CullDistance[6];
void main() { atomicAdd(n, 1u); o = color; if (gl_CullDistance[5] < 0) o.z = 1.0; EXTRA }`

// cullGeometry hands primitives on, and culls the fourth by its own distance.
const cullGeometry = `#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex { vec4 gl_Position; float gl_CullDistance[6]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[6]; };
layout(location = 0) flat in vec4 a[];
layout(location = 0) flat out vec4 color;
void main() {
  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i].gl_Position; color = a[i];
    for (int k = 0; k < 6; k++) gl_CullDistance[k] = k == 1 && gl_PrimitiveIDIn == 3 ? -1.0 : gl_in[i].gl_CullDistance[k];
    EmitVertex();
  }
}`

// culledDraw draws and returns colours, depths and the counter.
func culledDraw(t *testing.T, modules []*nirc.Module, o nirc.Options, topology emu.Topology, n uint32, samples int) [3][]byte {
	t.Helper()
	target := func(format string) *emu.Image {
		img, err := emu.NewImage(emu.ImageDesc{Width: 32, Height: 32, Samples: samples, Format: emu.FormatByName(format)})
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	color, depth := target("R8G8B8A8_UNORM"), target("D16_UNORM")
	for i := range depth.Data {
		depth.Data[i] = 0xff
	}
	p := &emu.Pipeline{Topology: topology, Color: []emu.Attachment{{View: &emu.ImageView{Image: color}}}, DepthStencil: emu.Attachment{View: &emu.ImageView{Image: depth}},
		Depth: emu.DepthState{Test: true, Write: true, Compare: emu.CompareLess}}
	counter := make([]byte, 4)
	x := &exec.Execution{Modules: modules, Options: o, Draw: p, DrawParams: emu.DrawParams{VertexCount: 16 * n, InstanceCount: 1}, Limits: emu.Limits{Check: true},
		Bindings: []exec.Binding{{Binding: 0, Data: counter}, {Binding: 1, Data: []byte{0, 0, 0xc0, 0x7f}}}}
	if err := exec.Execute(emu.Once(context.Background()), x); err != nil {
		t.Fatal(err)
	}
	return [3][]byte{color.Data, depth.Data, counter}
}

// TestCullDistances: what AGX's fragment programs drop is what fixed functions cull.
func TestCullDistances(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, c := range []struct {
		topology emu.Topology
		n        uint32
		samples  int
		extra    string
		// stages: the geometry stage, no fragment stage
		geometry, none bool
	}{
		{topology: emu.TriangleList, n: 3, samples: 1},
		{topology: emu.TriangleList, n: 3, samples: 4},
		{topology: emu.TriangleList, n: 3, samples: 4, extra: "o.x += float(gl_SampleID) / 255.0;"},
		{topology: emu.TriangleList, n: 3, samples: 1, extra: "if (int(gl_FragCoord.x) % 3 == 0) discard; gl_FragDepth = 0.125;"},
		{topology: emu.LineList, n: 2, samples: 1},
		{topology: emu.PointList, n: 1, samples: 4},
		{topology: emu.TriangleList, n: 3, samples: 1, geometry: true},
		{topology: emu.TriangleList, n: 3, samples: 1, none: true},
	} {
		modules := []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, strings.ReplaceAll(cullVertex, "N", fmt.Sprint(c.n)))}
		if c.geometry {
			modules = append(modules, prove.FromGLSL(t, ir.StageGeometry, cullGeometry))
		}
		if !c.none {
			modules = append(modules, prove.FromGLSL(t, ir.StageFragment, strings.Replace(cullFragment, "EXTRA", c.extra, 1)))
		}
		want := culledDraw(t, modules, nirc.Options{Target: nirc.IRTarget}, c.topology, c.n, c.samples)
		drawn := map[byte]bool{}
		for i := 0; i < len(want[0]); i += 4 {
			drawn[want[0][i]] = true
		}
		if n := len(drawn); !c.none && c.extra == "" && (n < 8 || n > 16) || drawn[1] {
			t.Errorf("%+v: primitives %v are drawn", c, drawn)
		}
		for _, convention := range []string{"", nirc.SeparateABI} {
			for _, level := range []passes.Level{passes.O0, passes.O2} {
				got := culledDraw(t, modules, nirc.Options{Target: "agx", Level: level, ABI: convention}, c.topology, c.n, c.samples)
				for k, what := range []string{"colours", "depths", "counter"} {
					if !bytes.Equal(want[k], got[k]) {
						t.Errorf("%+v at O%d, ABI %q: the %s are not those of the interpreter", c, level, convention, what)
					}
				}
			}
		}
		if c.geometry {
			continue
		}
		// Midgard's vertex programs round the depth of the window.
		got := culledDraw(t, modules, nirc.Options{Target: "midgard", Level: passes.O2}, c.topology, c.n, c.samples)
		if !bytes.Equal(want[0], got[0]) || !bytes.Equal(want[2], got[2]) {
			t.Errorf("%+v: midgard's colours or counter are not those of the interpreter", c)
		}
	}
}

// TestCullABI: what a whole program of the convention is, and what is refused.
func TestCullABI(t *testing.T) {
	m := prove.FromGLSL(t, ir.StageFragment, strings.Replace(cullFragment, "EXTRA", "", 1))
	early := prove.FromGLSL(t, ir.StageFragment, "#version 450\nlayout(early_fragment_tests) in;\nvoid main() {}")
	for _, c := range []struct {
		m      *nirc.Module
		target string
		abi    string
		want   string
	}{
		{m, "agx", "cull:6", ""},
		{m, "agx", "cull:9", `"9" cull distances are not supported`},
		{m, "ir3", "cull:2", `the ABI "cull:2" is not supported`},
		{early, "agx", "cull:1", "early fragment tests with cull distances are not supported"},
	} {
		o, err := c.m.Compile(t.Context(), nirc.Options{Target: c.target, ABI: c.abi})
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s %s: error %v, want %q", c.target, c.abi, err, c.want)
		case err == nil && !strings.Contains(string(o.ABI), `"uses_discard":true`):
			t.Errorf("%s: nothing is dropped: %s", c.abi, o.ABI)
		}
	}
}
