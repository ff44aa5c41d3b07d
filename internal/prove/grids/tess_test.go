package grids

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/core"
	"nirc/backend/object"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// tessShaders are the shaders of a draw with patches: what passes between them has gaps,
// arrays, indices that are not constant, and lanes that read others'.
type tessShaders struct {
	name                        string
	patch                       int // vertices of an input patch
	vertex, control, evaluation string
}

const tessGridVertex = `#version 460
layout(location = 1) out vec4 a;
layout(location = 3, component = 1) out vec2 b[2];
layout(location = 9) flat out uvec3 ids;
void main() {
  float n = gl_VertexIndex, i = gl_InstanceIndex;
  gl_Position = vec4(n * 0.5, i, n - i, 1);
  gl_PointSize = n + 1;
  a = vec4(n, i, n * i, 0.25);
  b[0] = vec2(n, -n); b[1] = vec2(i, n + 8);
  ids = uvec3(gl_VertexIndex, gl_InstanceIndex, gl_VertexIndex ^ 5);
}`

var tessDraws = []tessShaders{
	{"triangles", 5, tessGridVertex, `#version 460
layout(vertices = 3) out;
layout(location = 1) in vec4 a[];
layout(location = 3, component = 1) in vec2 b[][2];
layout(location = 9) flat in uvec3 ids[];
layout(location = 0) out vec4 c[];
layout(location = 2) out vec2 d[][3];
layout(location = 8) out ivec2 e[];
layout(location = 1) patch out vec3 middle;
layout(location = 5) patch out float weight[3];
#define k gl_InvocationID
void main() {
  int other = (k + 1) % 3;
  gl_out[k].gl_Position = gl_in[k + 2].gl_Position + gl_in[gl_PatchVerticesIn - 1].gl_Position;
  gl_out[k].gl_PointSize = gl_in[k].gl_PointSize;
  c[k] = a[k] * 2.0;
  for (int i = 0; i < 3; i++) d[k][i] = b[(k + i) % gl_PatchVerticesIn][i & 1];
  e[k] = ivec2(ids[k].x, gl_PrimitiveID);
  barrier();
  float sum = c[other].x + d[other][int(ids[0].x % 3u)].y + gl_out[other].gl_Position.x;
  weight[k] = sum;
  if (k == 2) e[k].x += e[0].y;
  float before = c[other].w;
  barrier();
  c[k].w = before + c[k].x;
  barrier();
  if (k == 0) {
    middle = vec3(weight[1] + before, weight[2] + c[other].w, e[2].x);
    gl_TessLevelOuter[0] = 2; gl_TessLevelOuter[1] = float(1 + gl_PrimitiveID); gl_TessLevelOuter[2] = 3.5;
    gl_TessLevelInner[0] = gl_PrimitiveID == 1 ? 5.0 : 2.0;
  }
}`, `#version 460
layout(triangles, fractional_odd_spacing, cw) in;
layout(location = 0) in vec4 c[];
layout(location = 2) in vec2 d[][3];
layout(location = 8) in ivec2 e[];
layout(location = 1) patch in vec3 middle;
layout(location = 5) patch in float weight[3];
layout(location = 0) out vec4 o;
layout(location = 4) flat out ivec4 ids;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() {
  vec3 t = gl_TessCoord;
  gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position + t.z * gl_in[2].gl_Position;
  int k = t.x > t.y ? 1 : 2;
  o = vec4(c[k].xy + d[k][int(t.z * 2.0)], middle.x + weight[k], middle.y * t.z);
  ids = ivec4(e[k], gl_PrimitiveID, gl_PatchVerticesIn + int(gl_TessLevelInner[0]));
  gl_ClipDistance[0] = gl_TessLevelOuter[k]; gl_ClipDistance[1] = middle.z;
}`},
	{"isolines", 2, tessGridVertex, `#version 460
layout(vertices = 1) out;
layout(location = 9) flat in uvec3 ids[];
layout(location = 7) out float x[];
void main() {
  x[gl_InvocationID] = float(ids[1].z + ids[0].y);
  gl_TessLevelOuter[0] = 3; gl_TessLevelOuter[1] = float(ids[0].x + 2u);
}`, `#version 460
layout(isolines, equal_spacing, point_mode) in;
layout(location = 7) in float x[];
layout(location = 2) out vec2 o;
void main() { gl_Position = vec4(gl_TessCoord, x[0]); o = vec2(gl_PrimitiveID, x[0] * gl_TessCoord.x); }`},
	{"clip distances and doubles", 4, `#version 460
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[6]; };
layout(location = 2) flat out dvec3 w;
void main() {
  gl_Position = vec4(gl_VertexIndex);
  for (int i = 0; i < 6; i++) gl_ClipDistance[i] = gl_VertexIndex * 10 + i;
  w = dvec3(gl_VertexIndex, 0.1, gl_InstanceIndex);
}`, `#version 460
layout(vertices = 4) out;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[6]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[6]; } gl_out[];
layout(location = 2) in dvec3 w[];
layout(location = 5) out dvec3 x[];
void main() {
  for (int i = 0; i < 6; i++) gl_out[gl_InvocationID].gl_ClipDistance[i] = 0;
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_out[gl_InvocationID].gl_ClipDistance[gl_PrimitiveID + 1] = gl_in[gl_InvocationID ^ 1].gl_ClipDistance[5 - gl_PrimitiveID];
  for (int i = 0; i < 4; i++) gl_TessLevelOuter[i] = 3;
  gl_TessLevelInner[gl_PrimitiveID & 1] = 2; gl_TessLevelInner[1 - (gl_PrimitiveID & 1)] = 4;
  x[gl_InvocationID] = w[gl_PrimitiveID & 3] * 2.0;
}`, `#version 460
layout(quads, equal_spacing) in;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[6]; } gl_in[];
layout(location = 5) in dvec3 x[];
layout(location = 0) out vec4 o;
void main() {
  int k = int(gl_TessCoord.y * 3.0);
  gl_Position = gl_in[k].gl_Position;
  o = vec4(x[k].xy, gl_in[k].gl_ClipDistance[(gl_PrimitiveID + 1) % 6], gl_TessLevelInner[k & 1]);
}`},
	{"16 bits", 3, `#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) out f16vec3 h;
layout(location = 1) flat out i16vec2 s;
void main() { h = f16vec3(gl_VertexIndex, 0.5, gl_InstanceIndex); s = i16vec2(-gl_VertexIndex, 300); gl_Position = vec4(1); }`, `#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(vertices = 32) out;
layout(location = 0) in f16vec3 h[];
layout(location = 1) flat in i16vec2 s[];
layout(location = 2) out f16vec2 m[];
layout(location = 6) patch out i16vec3 p;
void main() {
  m[gl_InvocationID] = h[gl_InvocationID % 3].zx + float16_t(gl_InvocationID);
  barrier();
  if (gl_InvocationID == 31) p = i16vec3(s[2], int16_t(m[30].y));
  for (int i = 0; i < 4; i++) gl_TessLevelOuter[i] = 2;
  gl_TessLevelInner[0] = gl_TessLevelInner[1] = 3;
}`, `#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(quads, fractional_even_spacing) in;
layout(location = 2) in f16vec2 m[];
layout(location = 6) patch in i16vec3 p;
layout(location = 0) out vec4 o;
void main() { int k = int(gl_TessCoord.x * 31.0); gl_Position = vec4(gl_TessCoord, 1); o = vec4(m[k], p.x + p.y, p.z); }`},
}

// tessPatch is what the reference makes of a patch.
type tessPatch struct {
	patch  emu.Patch
	points [][3]float32
	out    []emu.Slots
}

// tessReference records what the two stages of an interpreted draw do.
type tessReference struct {
	list []*tessPatch
	of   map[*emu.Patch]*tessPatch
}

// recorded is a stage of the reference. The points of evaluation stand on the
// grid of the tessellator's buffer.
type recorded struct {
	emu.Program
	r *tessReference
}

type recordedWave struct {
	emu.Wave
	l *emu.Launch
	r *tessReference
}

func (p recorded) NewWave(l *emu.Launch) emu.Wave {
	c := *l
	c.TessEval = nil
	for _, e := range l.TessEval {
		fixed := func(x float32) float32 {
			return float32(math.RoundToEven(float64(x)*(1<<abi.PointShift)) / (1 << abi.PointShift))
		}
		u, v := fixed(e.Coord[0]), fixed(e.Coord[1])
		e.Coord[0], e.Coord[1] = u, v
		if p.IO().Tess.Domain == 1 {
			e.Coord[2] = 1 - u - v
		}
		c.TessEval = append(c.TessEval, e)
	}
	return &recordedWave{p.Program.NewWave(&c), &c, p.r}
}

func (w *recordedWave) Run(fuel int) (emu.Status, error) {
	st, err := w.Wave.Run(fuel)
	if err != nil || st != emu.StatusDone {
		return st, err
	}
	for i := range w.l.TessCtrl {
		if p := w.l.TessCtrl[i].Patch; i == 0 || w.l.TessCtrl[i-1].Patch != p {
			w.r.of[p] = &tessPatch{patch: *p}
			w.r.of[p].patch.Out = append([]emu.Slots(nil), p.Out...)
			w.r.list = append(w.r.list, w.r.of[p])
		}
	}
	for i := range w.l.TessEval {
		e := w.r.of[w.l.TessEval[i].Patch]
		e.points, e.out = append(e.points, w.l.TessEval[i].Coord), append(e.out, w.l.Out[i])
	}
	return st, err
}

// testTessellation runs a draw on the core, each stage as a driver does, and compares
// patches and points with the interpreter's.
func testTessellation(t *testing.T, s *tessShaders, next ir.Stage, level passes.Level) {
	ctx := t.Context()
	sources := []struct {
		stage, next ir.Stage
		text        string
	}{{ir.StageVertex, ir.StageTessCtrl, s.vertex}, {ir.StageTessCtrl, ir.StageTessEval, s.control}, {ir.StageTessEval, next, s.evaluation}}
	var ref, progs [3]emu.Program
	for i, x := range sources {
		m := prove.FromGLSL(t, x.stage, x.text)
		var err error
		if ref[i], err = exec.Interpret(ctx, m, nirc.Options{Target: nirc.IRTarget, Stage: x.stage}, 64); err != nil {
			t.Fatal(err)
		}
		o, err := m.Compile(ctx, nirc.Options{Target: "agx", Stage: x.stage, Level: level, Next: x.next})
		if err != nil {
			t.Fatalf("%s: %v", x.stage, err)
		}
		if progs[i], err = exec.Reload(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	r := &tessReference{of: map[*emu.Patch]*tessPatch{}}
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	p := &emu.Pipeline{Env: env, Vertex: ref[0], TessCtrl: recorded{ref[1], r}, TessEval: recorded{ref[2], r},
		Topology: emu.PatchList, PatchControlPoints: s.patch, Area: emu.Rect{Width: 1, Height: 1}}
	draw := emu.DrawParams{VertexCount: 5*uint32(s.patch) - 1, InstanceCount: 3, FirstVertex: 2, FirstInstance: 1, Limits: emu.Limits{Check: true}}
	plain := draw
	plain.Check = false // components that nobody writes are garbage then, and zero in the memory of the core's records
	if err := emu.Draw(emu.Once(ctx), p, plain); err != nil {
		t.Fatal(err)
	}
	at := 0
	patches, points, err := core.RunTessellation(ctx, &core.Tessellation{
		Grid: core.Grid{Pipeline: p, Draw: draw}, PatchVertices: s.patch, Vertex: progs[0], Control: progs[1], Evaluation: progs[2],
		Points: func(*emu.Patch) [][3]float32 { at++; return r.list[at-1].points },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(patches) != 12 || len(r.list) != 12 {
		t.Fatalf("%d patches, the interpreter has %d, want 12", len(patches), len(r.list))
	}
	n := 0
	for k, want := range r.list {
		var vertex, once []emu.OutputSlot
		for _, o := range ref[1].IO().Outputs {
			switch {
			case o.Bits == 16: // the interpreter keeps halves, memory has words
			case o.Patch:
				once = append(once, o)
			default:
				vertex = append(vertex, o)
			}
		}
		n += len(want.out)
		for _, err := range []error{sameRecords(vertex, want.patch.Out, patches[k].Out), sameRecords(ref[2].IO().Outputs, want.out, points[k]),
			sameRecords(once, []emu.Slots{want.patch.PerPatch}, []emu.Slots{patches[k].PerPatch})} {
			if err != nil {
				t.Errorf("patch %d: %v", k, err)
			}
		}
	}
	if t.Logf("%d patches, %d points", len(patches), n); n < 100 {
		t.Errorf("only %d points", n)
	}
}

// TestTessellationGrid compiles the stages of draws with tessellation for AGX, joins
// them by their metadata, and compares patches and points with the interpreter's.
func TestTessellationGrid(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	draws := tessDraws
	script := tessShaders{name: "script", patch: 1}
	text, err := os.ReadFile(prove.Data("tess.amber"))
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]*string{"vert": &script.vertex, "ctrl": &script.control, "eval": &script.evaluation} {
		_, body, _ := strings.Cut(string(text), " "+name+" GLSL\n")
		*to, _, _ = strings.Cut(body, "END\n")
	}
	script.vertex = strings.Replace(script.vertex, "layout(location = 0) in vec2 pos;", "vec2 pos = vec2(gl_VertexIndex, gl_InstanceIndex);", 1)
	script.evaluation = strings.Replace(script.evaluation, "atomicAdd(count, 1);", "", 1)
	type run struct {
		s     tessShaders
		next  ir.Stage
		level passes.Level
	}
	var runs []run
	for _, s := range append(draws, script) {
		for _, next := range []ir.Stage{ir.StageFragment, ir.StageGeometry} {
			for _, level := range []passes.Level{passes.O0, passes.O2} {
				runs = append(runs, run{s, next, level})
			}
		}
	}
	for _, r := range refs.Sample(runs, 2) {
		t.Run(fmt.Sprintf("%s before %s at O%d", r.s.name, r.next, r.level), func(t *testing.T) { testTessellation(t, &r.s, r.next, r.level) })
	}
}

// TestTessellationScript draws patches with all stages on AGX's core.
func TestTessellationScript(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, level := range []passes.Level{passes.O0, passes.O2} {
		target, err := exec.AmberTarget(nirc.Options{Target: "agx", Level: level})
		if err != nil {
			t.Fatal(err)
		}
		if got := (&amber.Runner{Strict: true, Target: target, Limits: emu.Limits{Check: true}}).Run(t.Context(), prove.Script(t, prove.Data("tess.amber"))); got.Verdict != amber.Pass || got.Checked < 5 {
			t.Errorf("O%v: %+v", level, got)
		}
	}
}

// TestOutputRaces: what invocations of tessellation control do to outputs that they share is a race unless a barrier is between, on the
// interpreter and on the core whose invocations are waves of their own.
func TestOutputRaces(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	text, err := os.ReadFile(prove.Data("tess.amber"))
	if err != nil {
		t.Fatal(err)
	}
	const own, behind = "byIndex.wxzy[gl_InvocationID] = gl_InvocationID + 1;", "  barrier();\n"
	for _, c := range []struct{ name, old, with, want string }{
		{"as it is", "", "", ""},
		{"another's output without a barrier", behind, "", "race on the output at"},
		{"the whole vector for a component", own, "ivec4 all = byIndex; all.wxzy[gl_InvocationID] = gl_InvocationID + 1; byIndex = all;", "race on the output at"},
		{"values that differ, by one store", own, "byIndex.x = gl_InvocationID;", "race on the output at"},
		{"the same value by all", own, own + " barrier(); byIndex.w = 9; barrier(); byIndex.w = 1;", ""},
	} {
		if !strings.Contains(string(text), c.old) {
			t.Fatalf("the script has no %q", c.old)
		}
		s, err := amber.Parse(c.name, []byte(strings.Replace(string(text), c.old, c.with, 1)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{nirc.IRTarget, "midgard"} {
			target, err := exec.AmberTarget(nirc.Options{Target: name, Level: passes.O2})
			if err != nil {
				t.Fatal(err)
			}
			r := (&amber.Runner{Target: target, Limits: emu.Limits{Check: true}}).Run(t.Context(), s)
			if c.want == "" && r.Verdict != amber.Pass || c.want != "" && (r.Verdict != amber.Fail || !strings.Contains(r.Reason, c.want)) {
				t.Errorf("%s, %s: %+v, want %q", c.name, name, r, c.want)
			}
		}
	}
}

// TestTessellationMeta: what a driver joins stages by, and what is refused.
func TestTessellationMeta(t *testing.T) {
	compile := func(stage ir.Stage, text string, o nirc.Options) (*object.Object, error) {
		o.Target, o.Stage, o.Level = "agx", stage, passes.O2
		return prove.FromGLSL(t, stage, text).Compile(context.Background(), o)
	}
	o, err := compile(ir.StageTessCtrl, tessDraws[0].control, nirc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var m abi.Meta
	if err := json.Unmarshal(o.ABI, &m); err != nil {
		t.Fatal(err)
	}
	v := ir.SlotVar0
	if want := "[0 1 32 34 35 36 40]"; fmt.Sprint(m.Record) != want || m.PatchSlots != 8 || m.WorkgroupSize != [3]uint32{3, 1, 1} || o.Stage != ir.StageTessCtrl {
		t.Errorf("record %v, want %s, %d patch slots, workgroup %v, stage %s", m.Record, want, m.PatchSlots, m.WorkgroupSize, o.Stage)
	}
	if want := fmt.Sprint([]ir.Slot{ir.SlotPos, ir.SlotPointSize, v + 1, v + 3, v + 4, v + 9}); fmt.Sprint(m.Reads) != want {
		t.Errorf("reads %v, want %s", m.Reads, want)
	}
	wide := strings.Replace(tessDraws[0].control, "vertices = 3", "vertices = 33", 1)
	const want = "a barrier among 33 output vertices is not supported"
	if _, err := compile(ir.StageTessCtrl, wide, nirc.Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestTessellationABI: patches are drawn right whether vertex and fragment
// shaders are whole or linked of parts.
func TestTessellationABI(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, convention := range []string{"", nirc.SeparateABI} {
		target, err := exec.AmberTarget(nirc.Options{Target: "agx", Level: passes.O2, ABI: convention})
		if err != nil {
			t.Fatal(err)
		}
		if r := (&amber.Runner{Strict: true, Target: target, Limits: emu.Limits{Check: true}}).Run(t.Context(), prove.Script(t, prove.Data("tess.amber"))); r.Verdict != amber.Pass || r.Checked < 1 {
			t.Errorf("ABI %q: %+v", convention, r)
		}
	}
}
