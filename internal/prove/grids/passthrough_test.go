package grids

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

const throughVertex = `#version 450
layout(location = 0) out vec3 color;
layout(location = 1, component = 1) flat out ivec2 n;
layout(location = 3) out mat2 m;
layout(location = 5) out S { float x; vec2 y[2]; } s;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
void main() {
  int i = gl_VertexIndex;
  gl_Position = vec4(float(i * 5 % 7) * 0.25 - 0.8, float(i * 3 % 8) * 0.22 - 0.8, 0.5, 1);
  gl_PointSize = 2 + i % 3;
  gl_ClipDistance[0] = 1; gl_ClipDistance[1] = gl_Position.x + 0.5;
  color = vec3(i % 5, i % 3, 2) * 0.25; n = ivec2(i, -i); m = mat2(i, 1, 2, 3); s.x = 0.5; s.y[0] = vec2(i); s.y[1] = gl_Position.yx;
}`

const throughFragment = `#version 450
layout(location = 0) in vec3 color;
layout(location = 1, component = 1) flat in ivec2 n;
layout(location = 3) in mat2 m;
layout(location = 5) in S { float x; vec2 y[2]; } s;
layout(location = 0) out vec4 o;
void main() { o = vec4(color.xy + s.y[1] * 0.25, float(n.x - n.y) / 64.0 + m[1][0] * 0.125, s.x + 0.03125 * float(gl_PrimitiveID)); }`

const throughControl = `#version 450
layout(vertices = 3) out;
layout(location = 0) in vec3 color[]; layout(location = 0) out vec3 color2[];
layout(location = 1, component = 1) flat in ivec2 n[]; layout(location = 1, component = 1) out ivec2 n2[];
layout(location = 3) in mat2 m[]; layout(location = 3) out mat2 m2[];
layout(location = 5) in S { float x; vec2 y[2]; } s[]; layout(location = 5) out S2 { float x; vec2 y[2]; } s2[];
#define k gl_InvocationID
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; } gl_out[];
void main() {
  gl_out[k].gl_Position = gl_in[k].gl_Position; gl_out[k].gl_PointSize = gl_in[k].gl_PointSize; gl_out[k].gl_ClipDistance = gl_in[k].gl_ClipDistance;
  color2[k] = color[k]; n2[k] = n[k]; m2[k] = m[k]; s2[k].x = s[k].x; s2[k].y = s[k].y;
  gl_TessLevelOuter[0] = LEVEL0; gl_TessLevelOuter[1] = LEVEL1; gl_TessLevelOuter[2] = LEVEL2; gl_TessLevelInner[0] = LEVEL3;
}`

const throughEvaluation = `#version 450
layout(triangles, equal_spacing) in;
layout(location = 0) in vec3 color[]; layout(location = 0) out vec3 color2;
layout(location = 1, component = 1) in ivec2 n[]; layout(location = 1, component = 1) flat out ivec2 n2;
layout(location = 3) in mat2 m[]; layout(location = 3) out mat2 m2;
layout(location = 5) in S { float x; vec2 y[2]; } s[]; layout(location = 5) out S2 { float x; vec2 y[2]; } s2;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() {
  vec3 t = gl_TessCoord;
  gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position + t.z * gl_in[2].gl_Position;
  gl_ClipDistance[0] = 1; gl_ClipDistance[1] = gl_in[1].gl_ClipDistance[1] + t.x;
  color2 = color[0] * t.x + color[1] * t.z; n2 = n[2]; m2 = m[1]; s2.x = s[0].x; s2.y[0] = s[1].y[0]; s2.y[1] = t.xy;
}`

// throughDraw draws with stages and returns the image.
func throughDraw(t *testing.T, target string, topology emu.Topology, modules []*nirc.Module) []byte {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: 24, Height: 24, Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	p := &emu.Pipeline{Topology: topology, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}, PatchControlPoints: 3}
	x := &exec.Execution{Modules: modules, Options: nirc.Options{Target: target, Level: passes.O2}, Draw: p, DrawParams: emu.DrawParams{VertexCount: 12, InstanceCount: 1},
		Push: floatBytes(0, 2, 3, 1, 4, 5, 0), Limits: emu.Limits{Check: true}}
	if err := exec.Execute(context.Background(), x); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	if strings.Trim(string(img.Data), "\x00") == "" {
		t.Fatalf("%s draws nothing", target)
	}
	return img.Data
}

// made is the module of the stage that a pass makes of the vertex shader.
func made(t *testing.T, vertex *nirc.Module, list string) *nirc.Module {
	t.Helper()
	s, err := nirc.Translate(context.Background(), vertex, nirc.Options{Target: nirc.IRTarget})
	if err != nil {
		t.Fatal(err)
	}
	p, err := passes.ParsePassList(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(s, passes.RunOptions{VerifyEach: true}); err != nil {
		t.Fatal(err)
	}
	m, err := nirc.Load([]byte(ir.Print(s)), list+".nir")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPassthroughStages: what passthrough_tcs makes draws what a control shader draws that copies by hand, with levels of the push constants and with
// equal ones, and a draw through what passthrough_gs makes is the draw without; on all targets that have the stages.
func TestPassthroughStages(t *testing.T) {
	vertex, fragment := prove.FromGLSL(t, ir.StageVertex, throughVertex), prove.FromGLSL(t, ir.StageFragment, throughFragment)
	// No stage gives Midgard's fragments the number of their primitive in a pipeline of vertices alone.
	unnumbered := prove.FromGLSL(t, ir.StageFragment, strings.ReplaceAll(throughFragment, "gl_PrimitiveID", "3"))
	fragmentOf := func(target string) *nirc.Module {
		if target == "midgard" {
			return unnumbered
		}
		return fragment
	}
	evaluation := prove.FromGLSL(t, ir.StageTessEval, throughEvaluation)
	var last []byte
	for list, levels := range map[string][]string{
		"passthrough_tcs(vertices=3,push=4)":  {"LEVEL0", "2", "LEVEL1", "3", "LEVEL2", "1", "LEVEL3", "5"},
		"passthrough_tcs(vertices=3,level=2)": {"LEVEL0", "2", "LEVEL1", "2", "LEVEL2", "2", "LEVEL3", "2"},
	} {
		control := prove.FromGLSL(t, ir.StageTessCtrl, strings.NewReplacer(levels...).Replace(throughControl))
		for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
			want := throughDraw(t, target, emu.PatchList, []*nirc.Module{vertex, control, evaluation, fragmentOf(target)})
			got := throughDraw(t, target, emu.PatchList, []*nirc.Module{vertex, made(t, vertex, list), evaluation, fragmentOf(target)})
			if !bytes.Equal(want, got) {
				t.Errorf("%s on %s: another image", list, target)
			}
			if target == nirc.IRTarget {
				if bytes.Equal(want, last) {
					t.Error("levels change nothing")
				}
				last = want
			}
		}
	}
	for primitive, topology := range map[string]emu.Topology{"points": emu.PointList, "lines": emu.LineStrip, "triangles": emu.TriangleStrip, "lines_adjacency": emu.LineListAdjacency, "triangles_adjacency": emu.TriangleListAdjacency} {
		for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
			want := throughDraw(t, target, topology, []*nirc.Module{vertex, fragmentOf(target)})
			got := throughDraw(t, target, topology, []*nirc.Module{vertex, made(t, vertex, "passthrough_gs(primitive_id="+strconv.FormatBool(target != "midgard")+",primitive="+primitive+")"), fragmentOf(target)})
			if !bytes.Equal(want, got) {
				t.Errorf("%s on %s: another image", primitive, target)
			}
		}
	}
	s, err := nirc.Translate(context.Background(), vertex, nirc.Options{Target: nirc.IRTarget})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]string{{"passthrough_tcs", "vertices", "33"}, {"passthrough_tcs", "push", "3"}, {"passthrough_gs", "primitive", "squares"}} {
		if _, err := passes.RunPass(s, bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}
