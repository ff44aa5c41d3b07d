package exec_test

import (
	"bytes"
	"math"
	"math/bits"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// gridStages are the stages of a pipeline that clips, culls, interpolates without perspective and captures; the last of those before the
// rasteriser does what CAPTURED says.
var gridStages = map[ir.Stage]string{
	ir.StageVertex: `#version 450
layout(location = 0) CAPTURED out vec4 a;
layout(location = 1) noperspective out float b;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[1]; float gl_CullDistance[1]; };
void main() {
	float n = gl_VertexIndex;
	vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1) * 1.5 - 0.75;
	float w = 1.0 + 0.25 * float(gl_VertexIndex % 3);
	gl_Position = vec4((at + 0.01 * n) * w, 0.25 * w, w);
	gl_PointSize = 2.0;
	gl_ClipDistance[0] = CLIP;
	gl_CullDistance[0] = CULL;
	a = vec4(n, at, 1);
	b = n * 0.125;
}`,
	ir.StageGeometry: `#version 450
layout(TAKES) in;
layout(GIVES, max_vertices = 6) out;
layout(location = 0) in vec4 ia[];
layout(location = 1) in float ib[];
layout(location = 0) CAPTURED out vec4 a;
layout(location = 1) noperspective out float b;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
void main() {
	for (int i = 0; i < gl_in.length(); i++) {
		gl_Position = gl_in[i].gl_Position;
		gl_PointSize = 3.0;
		a = ia[i] + vec4(100.0, 0.0, 0.0, float(gl_PrimitiveIDIn));
		b = ib[i];
		EmitVertex();
	}
}`,
	ir.StageFragment: `#version 450
layout(location = 0) in vec4 a;
layout(location = 1) noperspective in float b;
layout(location = 0) out vec4 o;
void main() { o = vec4(a.x * 0.0625, b, gl_FragCoord.z, a.w * 0.5); }`,
}

const captured = "layout(xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16)"

// gridDraw is one draw.
type gridDraw struct {
	topology          emu.Topology
	geometry          [2]string // what it takes and gives, "" if there is none
	feedback, indexed bool
	clip, cull        string
	target            string
	link, noFragment  bool
	instances         int
}

// draw runs it, and returns the colours and what was captured.
func (g *gridDraw) draw(t *testing.T) (*emu.Image, *emu.Feedback, error) {
	t.Helper()
	last := ir.StageVertex
	if g.geometry[0] != "" {
		last = ir.StageGeometry
	}
	x := &exec.Execution{Options: nirc.Options{Target: g.target, Level: passes.O2}, Link: g.link, Limits: emu.Limits{Exact: true}}
	for _, s := range []ir.Stage{ir.StageFragment, ir.StageVertex, ir.StageGeometry} {
		if s > last && s != ir.StageFragment || s == ir.StageFragment && g.noFragment {
			continue
		}
		layout := ""
		if g.feedback && s == last {
			layout = captured
		}
		text := strings.NewReplacer("layout(location = 0) CAPTURED", strings.ReplaceAll("layout(location = 0) "+layout, ") layout(", ", "), "CLIP", g.clip, "CULL", g.cull, "TAKES", g.geometry[0], "GIVES", g.geometry[1]).Replace(gridStages[s])
		x.Modules = append(x.Modules, prove.FromGLSL(t, s, text))
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 8, Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	x.Draw = &emu.Pipeline{Topology: g.topology, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}}
	x.DrawParams = emu.DrawParams{VertexCount: 6, InstanceCount: uint32(g.instances)}
	if g.indexed {
		x.DrawParams.Index = &emu.IndexBuffer{Data: []byte{5, 0, 4, 0, 3, 0, 0, 0, 1, 0, 2, 0}, Bytes: 2}
	}
	var f *emu.Feedback
	if g.feedback {
		f = &emu.Feedback{Buffers: [ir.NumXfbBuffers][]byte{make([]byte, 1024)}}
		x.DrawParams.Feedback = f
	}
	return img, f, exec.Execute(t.Context(), x)
}

// TestDrawGrid: draws of every topology, with and without indices, instances, a geometry stage, distances that clip or cull, transform feedback and linking, leave
// on each target what they leave on the interpreter.
func TestDrawGrid(t *testing.T) {
	topologies := []emu.Topology{emu.PointList, emu.LineList, emu.LineStrip, emu.TriangleList, emu.TriangleStrip, emu.TriangleFan, emu.LineListAdjacency, emu.LineStripAdjacency,
		emu.TriangleListAdjacency, emu.TriangleStripAdjacency}
	takes := []string{"points", "lines", "lines", "triangles", "triangles", "triangles", "lines_adjacency", "lines_adjacency", "triangles_adjacency", "triangles_adjacency"}
	gives := []string{"points", "line_strip", "triangle_strip"}
	drawn, refused, taken := 0, map[string]int{}, 0
	for i, topology := range topologies {
		for k := range 16 {
			if (bits.OnesCount(uint(k))+i)%2 != 0 {
				continue // of any four of the five questions all answers are there
			}
			g := gridDraw{topology: topology, feedback: k&1 != 0, indexed: k&2 != 0, link: k&8 != 0, clip: "1.0", cull: "1.0", instances: 1 + k>>2&1}
			if k&4 != 0 {
				g.geometry = [2]string{takes[i], gives[(i+k)%3]}
			}
			switch (i + k/2) % 4 {
			case 1:
				g.clip = "at.x + 0.3"
			case 2:
				g.cull = "n - 2.5"
			case 3:
				g.noFragment = k&5 == 1 // of what is captured alone
			}
			g.target = nirc.IRTarget
			want, feedback, err := g.draw(t)
			if err != nil {
				t.Fatalf("%+v: %v", g, err)
			}
			for _, g.target = range []string{"ir3", "agx", "midgard"} {
				img, got, err := g.draw(t)
				if err != nil {
					refused[g.target+": "+err.Error()]++
					continue
				}
				drawn++
				if n := unlike(t, img, want); n > 0 {
					t.Errorf("%+v: %d pixels differ", g, n)
				}
				if feedback != nil && (!bytes.Equal(got.Buffers[0], feedback.Buffers[0]) || got.Offsets != feedback.Offsets) {
					t.Errorf("%+v: captured are %d bytes, want %d", g, got.Offsets[0], feedback.Offsets[0])
				}
				if feedback != nil && feedback.Offsets[0] > 0 {
					taken++
				}
			}
		}
	}
	for why := range refused {
		t.Error(why)
	}
	if drawn < 200 || taken < 60 {
		t.Errorf("%d draws, of which %d captured anything", drawn, taken)
	}
}

// unlike counts the pixels of two images that differ by more than digits.
func unlike(t *testing.T, a, b *emu.Image) (n int) {
	va, vb := &emu.ImageView{Image: a}, &emu.ImageView{Image: b}
	for y := range a.Height {
		for x := range a.Width {
			p, q := va.Load(x, y, 0, 0, 0), vb.Load(x, y, 0, 0, 0)
			for c := range p {
				if d := math.Float32frombits(p[c]) - math.Float32frombits(q[c]); d > 1e-3 || d < -1e-3 {
					n++
					break
				}
			}
		}
	}
	return n
}
