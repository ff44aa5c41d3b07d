package grids

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// geometryDraw is a draw with a geometry shader.
type geometryDraw struct {
	name     string
	topology emu.Topology
	geometry string
	// feedback is the size of the transform feedback buffers, 0 of none.
	feedback int
	// count, keep: there is a count program, the main program leaves the vertices.
	count, keep bool
	verify      bool // the passes
}

const geometryGridVertex = `#version 460
layout(location = 1) out vec4 a;
layout(location = 3, component = 1) out vec2 b[2];
layout(location = 9) flat out uvec3 ids;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; };
void main() {
  float n = gl_VertexIndex, i = gl_InstanceIndex;
  gl_Position = vec4(n * 0.5, i, n - i, 1);
  gl_PointSize = n + 1;
  gl_ClipDistance[0] = n; gl_ClipDistance[1] = -n; gl_ClipDistance[2] = i;
  a = vec4(n, i, n * i, 0.25);
  b[0] = vec2(n, -n); b[1] = vec2(i, n + 8);
  ids = uvec3(gl_VertexIndex, gl_InstanceIndex, gl_VertexIndex ^ 5);
}`

// inputTopologies are the topologies of geometry shaders by their input layouts.
var inputTopologies = []struct {
	layout     string
	topologies []emu.Topology
}{
	{"points", []emu.Topology{emu.PointList}},
	{"lines", []emu.Topology{emu.LineList, emu.LineStrip}},
	{"triangles", []emu.Topology{emu.TriangleList, emu.TriangleStrip, emu.TriangleFan}},
	{"lines_adjacency", []emu.Topology{emu.LineListAdjacency, emu.LineStripAdjacency}},
	{"triangles_adjacency", []emu.Topology{emu.TriangleListAdjacency, emu.TriangleStripAdjacency}},
}

// generatedGeometry makes draws of all topologies with what a shader can do in between.
func generatedGeometry() (list []geometryDraw) {
	cuts := []string{"", "if (i % 3 == 2) EndPrimitive();", "if ((ids[0].x + uint(i)) % 4u == 0u) EndPrimitive();", "EndPrimitive(); EndPrimitive();"}
	counts := []struct {
		text string
		same bool
	}{{"5", true}, {"int((ids[0].x + uint(gl_InvocationID)) % 5u)", false}, {"9", true}, {"int(a[0].x) + gl_PrimitiveIDIn", false}}
	k := 0
	for _, in := range inputTopologies {
		for _, topology := range in.topologies {
			for out, word := range []string{"points", "line_strip", "triangle_strip"} {
				cut, count := cuts[k%len(cuts)], counts[k/2%len(counts)]
				text := fmt.Sprintf(`#version 460
layout(%s, invocations = %d) in;
layout(%s, max_vertices = %d) out;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; } gl_in[];
layout(location = 1) in vec4 a[];
layout(location = 3, component = 1) in vec2 b[][2];
layout(location = 9) flat in uvec3 ids[];
layout(location = 0, xfb_buffer = 1, xfb_offset = 4, xfb_stride = 24) out vec4 o;
layout(location = 2, xfb_buffer = 2, xfb_offset = 0, xfb_stride = 8) flat out uvec2 u;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
void main() {
  int n = %s;
  for (int i = 0; i < n; i++) {
    int k = (i + gl_InvocationID) %% gl_in.length();
    gl_Position = gl_in[k].gl_Position + vec4(gl_InvocationID, 0, 0, 0);
    gl_PointSize = gl_in[k].gl_PointSize;
    gl_ClipDistance[0] = gl_in[k].gl_ClipDistance[1]; gl_ClipDistance[1] = gl_in[0].gl_ClipDistance[2];
    o = a[k] + vec4(b[k][i & 1], i, 0);
    u = uvec2(ids[k].x + ids[k].z, gl_PrimitiveIDIn * 16 + gl_InvocationID);
    gl_Layer = i & 1; gl_PrimitiveID = gl_PrimitiveIDIn + i;
    EmitVertex();
    %s
  }
}`, in.layout, 1+k%3, word, 7, count.text, cut)
				d := geometryDraw{name: fmt.Sprintf("topology %d to %s %d", topology, word, k), topology: topology, geometry: text, feedback: k % 2 * (200 + 40*k)}
				// How strips are cut makes no difference to points.
				d.count = !count.same || out > 0 && strings.Contains(cut, "ids")
				list = append(list, d)
				k++
			}
		}
	}
	return list
}

// geometryDraws do what the generated ones do not.
var geometryDraws = []geometryDraw{
	{name: "streams", topology: emu.LineStrip, count: true, feedback: 400, geometry: `#version 460
layout(lines) in;
layout(points, max_vertices = 9) out;
layout(location = 9) flat in uvec3 ids[];
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out float x;
layout(stream = 2, location = 1, xfb_buffer = 3, xfb_offset = 0, xfb_stride = 16) out B { dvec2 y; } bb;
layout(stream = 1, location = 4, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 8) out ivec2 z;
void main() {
  x = ids[0].x + 100; EmitStreamVertex(0);
  for (uint k = 0; k < ids[1].x % 4u; k++) { bb.y = dvec2(ids[0].x, k); EmitStreamVertex(2); EndStreamPrimitive(2); z = ivec2(k); EmitStreamVertex(1); }
  x = ids[1].y; EmitStreamVertex(0);
}`},
	{name: "16 bits", topology: emu.TriangleFan, feedback: 600, geometry: `#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(triangles) in;
layout(triangle_strip, max_vertices = 5) out;
layout(location = 1) in vec4 a[];
layout(location = 0) out f16vec3 h;
layout(location = 1, xfb_buffer = 0, xfb_offset = 8, xfb_stride = 12) flat out int s;
void main() {
  for (int i = 0; i < 5; i++) {
    h = f16vec3(a[i % 3].xyz) * 0.5hf; s = int(a[2].x) - i;
    gl_Position = vec4(h, 1); EmitVertex();
  }
}`},
	{name: "nothing", topology: emu.PointList, geometry: `#version 460
layout(points) in;
layout(points, max_vertices = 1) out;
void main() {}`},
	{name: "side effects", topology: emu.TriangleStrip, count: true, geometry: `#version 460
layout(triangles, invocations = 2) in;
layout(line_strip, max_vertices = 4) out;
layout(location = 9) flat in uvec3 ids[];
layout(set = 0, binding = 0) buffer B { uint n, last[]; } bb;
layout(location = 0) out float x;
void main() {
  atomicAdd(bb.n, ids[2].x + 1u);
  for (uint i = 0; i < ids[1].x % 5u; i++) { x = i; bb.last[gl_PrimitiveIDIn * 2 + gl_InvocationID] = 100u + i; EmitVertex(); }
}`},
	{name: "vertices of atomics", topology: emu.LineList, count: true, keep: true, geometry: `#version 460
layout(lines, invocations = 2) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 9) flat in uvec3 ids[];
layout(set = 0, binding = 0) buffer B { uint n, last[]; } bb;
layout(location = 3, component = 2) out vec2 x;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[5]; };
void main() {
  uint k = atomicAdd(bb.n, 1u);
  uint at = (ids[0].y * 11u + gl_PrimitiveIDIn) * 2u + gl_InvocationID;
  for (uint i = 0; i < 1u + ids[1].x % 5u; i++) {
    x = vec2(i, k); bb.last[at] += k; gl_Position.x = bb.last[at];
    for (int c = 0; c < 5; c++) gl_ClipDistance[c] = c + int(k);
    gl_Position.yzw = vec3(k); EmitVertex();
  }
}`},
	{name: "counts of atomics", topology: emu.PointList, keep: true, geometry: `#version 460
layout(points, invocations = 3) in;
layout(triangle_strip, max_vertices = 8) out;
layout(set = 0, binding = 0) buffer B { uint n, last[]; } bb;
layout(location = 0) out float x;
void main() {
  uint k = atomicAdd(bb.n, 1u);
  for (uint i = 0; i < k % 9u; i++) { x = i + k; EmitVertex(); if (i == 3u) EndPrimitive(); }
}`},
	{name: "a buffer to read", topology: emu.PointList, count: true, geometry: `#version 460
layout(points) in;
layout(line_strip, max_vertices = 6) out;
layout(location = 9) flat in uvec3 ids[];
layout(set = 0, binding = 0) buffer B { uint n, last[]; } bb;
layout(location = 0) out vec2 x[2];
void main() {
  for (uint i = 0; i < bb.last[ids[0].x % 8u] % 6u; i++) { x[0] = vec2(bb.last[i], i); x[1] = vec2(bb.n); EmitVertex(); }
}`},
}

// emittedStrips records what the lanes of an interpreted stage emit.
type emittedStrips struct {
	emu.Program
	to *[][][]emu.Slots
}

type emittingWave struct {
	emu.Wave
	l *emu.Launch
	p emittedStrips
}

func (p emittedStrips) NewWave(l *emu.Launch) emu.Wave {
	return &emittingWave{p.Program.NewWave(l), l, p}
}

func (w *emittingWave) Run(fuel int) (emu.Status, error) {
	st, err := w.Wave.Run(fuel)
	if err == nil && st == emu.StatusDone {
		for i := range w.l.NumLanes {
			*w.p.to = append(*w.p.to, stripsOf(w.p.IO(), w.l.Geometry[i].Emitted))
		}
	}
	return st, err
}

// stripsOf are the strips of stream 0 that have vertices; points have no ends.
func stripsOf(io *emu.StageIO, e *emu.Emission) (list [][]emu.Slots) {
	ends := append(append([]int(nil), e.Ends...), len(e.Vertices))
	if io.Geom.OutPrimitive == 0 {
		ends = ends[len(ends)-1:]
	}
	first := 0
	for _, end := range ends {
		if end > first {
			list = append(list, append([]emu.Slots(nil), e.Vertices[first:end]...))
		}
		first = end
	}
	return list
}

// testGeometry runs a draw on the core, as a driver does, and compares what is emitted, captured and
// stored with the interpreter's.
func testGeometry(t *testing.T, s *geometryDraw, vertex [2]emu.Program, level passes.Level) (vertices int) {
	ctx := t.Context()
	m := prove.FromGLSL(t, ir.StageGeometry, s.geometry)
	reference, err := exec.Interpret(ctx, m, nirc.Options{Target: nirc.IRTarget, Stage: ir.StageGeometry}, 32)
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Compile(ctx, nirc.Options{Target: "agx", Stage: ir.StageGeometry, Level: level, Run: passes.RunOptions{VerifyEach: s.verify}})
	if err != nil {
		t.Fatal(err)
	}
	geometry, err := exec.Reload(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if level != passes.O0 {
		s.checkMeta(t, o)
	}
	draw := emu.DrawParams{VertexCount: 23, InstanceCount: 2, FirstVertex: 2, FirstInstance: 1, Limits: emu.Limits{Check: true}}
	var strips [][][]emu.Slots
	var memory [2]*emu.Buffer
	var feedback [2]*emu.Feedback
	for k := range 2 {
		var env *emu.Env
		env, memory[k], feedback[k] = s.world()
		p := &emu.Pipeline{Env: env, Vertex: vertex[0], Geometry: emittedStrips{reference, &strips}, Topology: s.topology, Area: emu.Rect{Width: 1, Height: 1}}
		var err error
		if k == 0 {
			d := draw
			d.Check = false // components that nobody writes are garbage then, and zero in the memory of the core's records
			d.Feedback = feedback[k]
			err = emu.Draw(emu.Once(ctx), p, d)
		} else {
			var got []*emu.Emission
			got, err = core.RunGeometry(ctx, &core.Geometry{Grid: core.Grid{Pipeline: p, Draw: draw}, Vertex: vertex[1], Geometry: geometry, Feedback: feedback[k]})
			if err == nil {
				vertices = sameStrips(t, reference.IO(), strips, got)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(memory[0].Data, memory[1].Data) {
		t.Errorf("memory % x, the interpreter has % x", memory[1].Data, memory[0].Data)
	}
	if s.feedback > 0 {
		sameFeedback(t, feedback[0], feedback[1])
	}
	return vertices
}

// world makes what a draw has to write to: a buffer that is bound, transform feedback.
func (s *geometryDraw) world() (*emu.Env, *emu.Buffer, *emu.Feedback) {
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	memory := env.Mem.Alloc(512)
	for i := 0; i < len(memory.Data); i += 4 {
		memory.Data[i] = byte(i * 7)
	}
	env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: memory.Addr, Size: 512}})
	if s.feedback == 0 {
		return env, memory, nil
	}
	f := &emu.Feedback{}
	for b := range f.Buffers {
		f.Buffers[b] = make([]byte, s.feedback+64*b)
		f.Offsets[b] = uint64(b * 8)
	}
	return env, memory, f
}

func sameFeedback(t *testing.T, want, got *emu.Feedback) {
	t.Helper()
	for b := range want.Buffers {
		if !bytes.Equal(want.Buffers[b], got.Buffers[b]) || want.Offsets[b] != got.Offsets[b] {
			t.Errorf("transform feedback buffer %d: % x to %d, the interpreter has % x to %d", b, got.Buffers[b], got.Offsets[b], want.Buffers[b], want.Offsets[b])
		}
	}
	if want.Written != got.Written || want.Generated != got.Generated {
		t.Errorf("%v of %v primitives captured, the interpreter has %v of %v", got.Written, got.Generated, want.Written, want.Generated)
	}
}

// checkMeta finds a shader that is compiled in another way than it should.
func (s *geometryDraw) checkMeta(t *testing.T, o *object.Object) {
	t.Helper()
	var m abi.Meta
	if err := json.Unmarshal(o.ABI, &m); err != nil {
		t.Fatal(err)
	}
	if g := m.Geometry; (g.Count != nil) != s.count || (len(g.Vertices) > 0) != s.keep {
		t.Errorf("a count program: %v, want %v; vertices kept: %v, want %v", g.Count != nil, s.count, g.Vertices, s.keep)
	}
}

// sameStrips compares strips and returns the number of their vertices.
func sameStrips(t *testing.T, io *emu.StageIO, want [][][]emu.Slots, got []*emu.Emission) (vertices int) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d invocations, the interpreter has %d", len(got), len(want))
		return 0
	}
	var outs []emu.OutputSlot
	for _, o := range io.Outputs {
		if o.Bits != 16 { // the interpreter keeps halves, registers have words
			outs = append(outs, o)
		}
	}
	for u := range want {
		have := stripsOf(io, got[u])
		if len(have) != len(want[u]) {
			t.Errorf("invocation %d: %d strips, the interpreter has %d", u, len(have), len(want[u]))
			return vertices
		}
		for k := range have {
			vertices += len(have[k])
			if err := sameRecords(outs, want[u][k], have[k]); err != nil {
				t.Errorf("invocation %d, strip %d: %v", u, k, err)
				return vertices
			}
		}
	}
	return vertices
}

// geometryVertex is the vertex shader, interpreted and compiled.
func geometryVertex(t *testing.T, level passes.Level) (v [2]emu.Program) {
	m := prove.FromGLSL(t, ir.StageVertex, geometryGridVertex)
	var err error
	if v[0], err = exec.Interpret(t.Context(), m, nirc.Options{Target: nirc.IRTarget, Stage: ir.StageVertex}, 32); err != nil {
		t.Fatal(err)
	}
	o, err := m.Compile(t.Context(), nirc.Options{Target: "agx", Stage: ir.StageVertex, Level: level, Next: ir.StageGeometry})
	if err != nil {
		t.Fatal(err)
	}
	if v[1], err = exec.Reload(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestGeometryGrid compiles geometry shaders for AGX, runs their programs as a driver does,
// and compares vertices, transform feedback and memory with the interpreter's.
func TestGeometryGrid(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	total, draws := 0, refs.Sample(generatedGeometry(), 3)
	generated := len(draws)
	draws = append(draws, geometryDraws...)
	for n, level := range []passes.Level{passes.O0, passes.O2} {
		vertex := geometryVertex(t, level)
		for i := range draws {
			if d := &draws[i]; i >= generated || i&1 == n {
				d.verify = i%5 == 0
				t.Run(fmt.Sprintf("%s at O%d", d.name, level), func(t *testing.T) { total += testGeometry(t, d, vertex, level) })
			}
		}
	}
	if t.Logf("%d draws, %d vertices", len(draws), total); total < 100*len(draws) {
		t.Errorf("only %d vertices", total)
	}
}

// TestStageScriptsABI: scripts with geometry and with barycentrics pass whether vertex and fragment
// shaders are whole or linked of parts.
func TestStageScriptsABI(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	modules := &amber.ModuleCache{}
	for _, o := range []nirc.Options{{}, {Level: passes.O2}, {Level: passes.O2, ABI: nirc.SeparateABI}} {
		o.Target = "agx"
		target, err := exec.AmberTarget(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"geometry.amber", "geometry_types.amber", "barycentric.amber", "barycentric_strips.amber", "covered.amber"} {
			if r := (&amber.Runner{Target: target, Modules: modules, Limits: emu.Limits{Check: true}}).Run(t.Context(), prove.Script(t, prove.Data(name))); r.Verdict != amber.Pass || r.Checked < 1 {
				t.Errorf("%s at O%v, ABI %q: %+v", name, o.Level, o.ABI, r)
			}
		}
	}
}
