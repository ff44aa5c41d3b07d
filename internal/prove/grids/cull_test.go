package grids

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
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

// joined are compiles for hardware that takes clip and cull distances as one array.
var joined = []nirc.Options{{Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a630", Level: passes.O2}, {Target: "ir3", GPU: "a740", Level: passes.O2}}

// TestCullDistances: what fragment programs of AGX and Midgard drop is what fixed functions cull, and those of ir3 find the distances.
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
		for _, o := range joined {
			if got := culledDraw(t, modules, o, c.topology, c.n, c.samples); !reflect.DeepEqual(want, got) {
				t.Errorf("%+v: colours, depths or counter of %s at O%d are not those of the interpreter", c, o.GPU, o.Level)
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

// TestClipAndCullDistances draws with distances of both kinds, which stages before the rasteriser index by values and the
// fragment stage reads: of 16 triangles some are cut by one of three clip distances, some dropped by one of five cull distances.
func TestClipAndCullDistances(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	const block = "gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[3]; float gl_CullDistance[5]; }"
	const stores = `
  for (int i = 0; i < 3; i++) gl_ClipDistance[i] = i == p % 5 ? float(k) - 0.5 : 1.0 + i;
  for (int i = 0; i < 5; i++) gl_CullDistance[i] = i == p - 9 ? -1.0 - k : i == p % 3 ? k - 1.5 : 2.0 + i;
  gl_CullDistance[p & 3] += 0.25;`
	vertex := prove.FromGLSL(t, ir.StageVertex, `#version 450
layout(location = 0) flat out vec4 color;
out `+block+`;
void main() {
  int p = gl_VertexIndex / 3, k = gl_VertexIndex % 3;
  vec2 at[3] = vec2[](vec2(0, 0), vec2(7, 1), vec2(2, 7));
  gl_Position = vec4((vec2(p & 3, p >> 2) * 8.0 + 0.5 + at[k]) / 16.0 - 1.0, 0.25 + 0.0625 * k, 1) * (1.0 + k);`+stores+`
  color = vec4(p + 1, 16 * (k + 1), 100, 255) / 255.0;
}`)
	geometry := prove.FromGLSL(t, ir.StageGeometry, `#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in `+block+` gl_in[];
out `+block+`;
layout(location = 0) flat in vec4 a[];
layout(location = 0) flat out vec4 color;
void main() {
  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i].gl_Position; color = a[i];
    for (int k = 0; k < 3; k++) gl_ClipDistance[k] = gl_in[i].gl_ClipDistance[k];
    for (int k = 0; k < 5; k++) gl_CullDistance[k] = gl_in[i].gl_CullDistance[4 - k] - (k == gl_PrimitiveIDIn - 3 ? 8.0 : 0.0);
    EmitVertex();
  }
}`)
	fragment := prove.FromGLSL(t, ir.StageFragment, `#version 450
layout(location = 0) flat in vec4 color;
layout(location = 0) out vec4 o;
layout(set = 0, binding = 0) buffer B { uint n; };
in float gl_ClipDistance[3];
in float gl_CullDistance[5];
void main() {
  atomicAdd(n, 1u);
  int k = int(gl_FragCoord.x) % 5;
  o = vec4(color.x, gl_ClipDistance[k % 3] > 0.5, gl_CullDistance[k] > 0, gl_CullDistance[4] > 6.25);
}`)
	others := append([]nirc.Options{{Target: "agx"}, {Target: "agx", Level: passes.O2}, {Target: "midgard"}, {Target: "midgard", Level: passes.O2}}, joined...)
	for name, modules := range map[string][]*nirc.Module{"vertex": {vertex, fragment}, "geometry": {vertex, geometry, fragment}} {
		want := culledDraw(t, modules, nirc.Options{Target: nirc.IRTarget}, emu.TriangleList, 3, 1)
		if n := len(colours(want[0])); n < 12 {
			t.Errorf("%s: %d colours are drawn, so few show nothing", name, n)
		}
		for _, o := range others {
			got := culledDraw(t, modules, o, emu.TriangleList, 3, 1)
			if o.Target == "midgard" { // whose vertex programs round the depth of the window
				got[1] = want[1]
			}
			if !reflect.DeepEqual(want, got) {
				t.Errorf("%s: colours, depths or counter of %s %s at O%d are not those of the interpreter", name, o.Target, o.GPU, o.Level)
			}
		}
	}
}

// colours are those of an image of words.
func colours(data []byte) map[[4]byte]bool {
	set := map[[4]byte]bool{}
	for i := 0; i < len(data); i += 4 {
		set[[4]byte(data[i:])] = true
	}
	return set
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
