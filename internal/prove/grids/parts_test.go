package grids

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/agx"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/core"
	"nirc/backend/gputest"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// gridVertex reads all that a draw tells a vertex shader, and leaves outputs
// on some paths only, with gaps between their locations and components.
const gridVertex = `#version 460
layout(location = 1) in vec3 pos;
layout(location = 4) in uvec2 id;
layout(location = 0) out vec4 color;
layout(location = 3, component = 1) out vec2 tail;
layout(location = 7) flat out uvec3 ids;
layout(set = 0, binding = 2) uniform U { mat4 m; vec4 bias[4]; };
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
void main() {
  gl_Position = m * vec4(pos, 1);
  color = bias[gl_VertexIndex & 3] * float(gl_InstanceIndex - gl_BaseInstance);
  for (int i = 0; i < int(id.x & 7u); i++) color += bias[i & 3] * pos.x;
  if (gl_VertexIndex - gl_BaseVertex > 2) { tail = pos.yz; gl_PointSize = 3; } else { tail = vec2(0.5); gl_PointSize = 1; }
  ids = uvec3(gl_VertexIndex, gl_InstanceIndex, gl_DrawID);
  gl_ClipDistance[0] = pos.y; gl_ClipDistance[1] = id.y == 1u ? 1 : 2;
}`

// gridDraws are the draws of a shader: plain and indexed, with indices of all
// sizes, some beyond the end of their buffer, and more vertices than a SIMD-group has.
func gridDraws(r *rand.Rand) (list []emu.DrawParams) {
	for _, bytes := range []int{0, 1, 2, 4} {
		d := emu.DrawParams{VertexCount: 37, InstanceCount: 3, FirstVertex: 2, FirstInstance: 5, DrawIndex: 9, Limits: emu.Limits{Check: true}}
		if bytes != 0 {
			data := make([]byte, 30*bytes)
			for i := 0; i < len(data); i += bytes {
				emu.StoreBytes(data[i:], bytes, r.Uint64N(50))
			}
			d.Index, d.VertexOffset = &emu.IndexBuffer{Data: data, Bytes: bytes}, 3
		}
		list = append(list, d)
	}
	return list
}

// gridPipeline has vertex buffers and bindings of random contents for a shader.
func gridPipeline(o *object.Object, r *rand.Rand) (*emu.Pipeline, error) {
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}, Push: make([]byte, 256)}
	p := &emu.Pipeline{Env: env}
	number := func(float bool) uint32 {
		if float {
			return math.Float32bits(float32(r.IntN(33)-16) / 8)
		}
		return uint32(r.IntN(5))
	}
	fill := func(b []byte, float bool) {
		for i := 0; i+4 <= len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], number(float))
		}
	}
	fill(env.Push, true)
	for _, res := range o.Reflect.Resources {
		d := emu.Descriptor{}
		switch res.Kind {
		case "uniform_buffer":
			d.Type = emu.DescUniformBuffer
		case "storage_buffer":
			d.Type = emu.DescStorageBuffer
		default:
			return nil, ir.Unsupportedf("resources of kind %s are not supported by the test", res.Kind)
		}
		b := env.Mem.Alloc(8192)
		fill(b.Data, true)
		d.Addr, d.Size = b.Addr, uint64(len(b.Data))
		list := make([]emu.Descriptor, max(res.Count, 1))
		for i := range list {
			list[i] = d
		}
		env.Bindings.Set(res.Set, res.Binding, list)
	}
	for i, in := range o.Reflect.Inputs {
		number, ok := strings.CutPrefix(in.Location, "attribute ")
		if !ok {
			continue // a system value
		}
		at, err := strconv.Atoi(number)
		if err != nil || in.Component != 0 {
			return nil, ir.Unsupportedf("input %s at %s is not supported by the test", in.Name, in.Location)
		}
		columns := 1
		if dims, ok := strings.CutPrefix(in.Type, "mat"); ok {
			columns = int(dims[0] - '0')
		}
		format, float := "R32G32B32A32_SFLOAT", true
		switch {
		case strings.Contains(in.Type, "64") || strings.Contains(in.Type, "16") || strings.Contains(in.Type, "["):
			return nil, ir.Unsupportedf("inputs of type %s are not supported by the test", in.Type)
		case strings.HasSuffix(in.Type, "u32"):
			format, float = "R32G32B32A32_UINT", false
		case strings.HasSuffix(in.Type, "i32"):
			format, float = "R32G32B32A32_SINT", false
		case i%3 == 1:
			format = "R16G16_SNORM"
		}
		b := emu.VertexBinding{Binding: uint32(len(p.Bindings)), Stride: 16, Data: make([]byte, 16*40)}
		if fill(b.Data, float); i%4 == 2 {
			b.Instance, b.Divisor, b.DivisorSet = true, uint32(r.IntN(3)), true
		}
		p.Bindings = append(p.Bindings, b)
		for k := range columns {
			p.Attributes = append(p.Attributes, emu.VertexAttribute{Location: uint32(at + k), Binding: b.Binding, Format: emu.FormatByName(format)})
		}
	}
	return p, nil
}

// gridInputs fetches the attributes of a vertex.
func gridInputs(p *emu.Pipeline, v *emu.VertexLane) []emu.Vec4 {
	in := make([]emu.Vec4, ir.NumAttribSlots)
	for i := range p.Attributes {
		a := &p.Attributes[i]
		b := &p.Bindings[a.Binding]
		e := v.VertexIndex
		if b.Instance {
			if e = v.BaseInstance; b.Divisor != 0 {
				e += (v.InstanceIndex - v.BaseInstance) / b.Divisor
			}
		}
		texel := make([]byte, 16)
		if at := uint64(e) * uint64(b.Stride); at+uint64(a.Format.Bytes) <= uint64(len(b.Data)) {
			copy(texel, b.Data[at:])
		}
		a.Format.Unpack(texel, (*[4]uint32)(&in[a.Location]))
	}
	return in
}

// gridReference runs the vertices of a draw on the interpreter, an instance a wave.
func gridReference(ref emu.Program, p *emu.Pipeline, d *emu.DrawParams) ([]emu.Slots, error) {
	var out []emu.Slots
	for instance := range d.InstanceCount {
		l := &emu.Launch{Env: p.Env, NumLanes: int(d.VertexCount), Out: make([]emu.Slots, d.VertexCount)}
		for n := range d.VertexCount {
			v := emu.VertexLane{VertexIndex: d.FirstVertex + n, InstanceIndex: d.FirstInstance + instance, BaseVertex: d.FirstVertex, BaseInstance: d.FirstInstance, DrawIndex: d.DrawIndex}
			if b := d.Index; b != nil {
				v.VertexIndex, v.BaseVertex, v.IsIndexed = uint32(d.VertexOffset), uint32(d.VertexOffset), true
				if at := int(d.FirstVertex+n) * b.Bytes; at < len(b.Data) {
					v.VertexIndex += uint32(emu.LoadBytes(b.Data[at:], b.Bytes))
				}
			}
			l.Vertex, l.Inputs = append(l.Vertex, v), append(l.Inputs, gridInputs(p, &v))
		}
		if st, err := ref.NewWave(l).Run(1 << 20); err != nil || st != emu.StatusDone {
			return nil, fmt.Errorf("interpreter: status %d, %w", st, err)
		}
		out = append(out, l.Out...)
	}
	return out, nil
}

// testGrid compares the records of a shader with the interpreter's outputs.
func testGrid(m *nirc.Module, next ir.Stage, seed uint64) error {
	ctx := context.Background()
	ref, err := exec.Interpret(ctx, m, nirc.Options{Target: nirc.IRTarget, Stage: ir.StageVertex}, 64)
	if err != nil {
		return err
	}
	for _, convention := range []string{"", nirc.SeparateABI} {
		o, err := m.Compile(ctx, nirc.Options{Target: "agx", Stage: ir.StageVertex, Level: passes.O2, ABI: convention, Next: next})
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(seed, 7))
		p, err := gridPipeline(o, r)
		if err != nil {
			return err
		}
		for _, d := range gridDraws(r) {
			linked := o
			if convention == nirc.SeparateABI {
				s := agx.StateOf(p)
				if d.Index != nil {
					s.IndexBytes = d.Index.Bytes
				}
				if linked, err = nirc.Link(ctx, []*object.Object{o}, s); err != nil {
					return err
				}
			}
			prog, err := exec.Reload(ctx, linked)
			if err != nil {
				return err
			}
			want, err := gridReference(ref, p, &d)
			if err != nil {
				return err
			}
			got, err := core.RunGrid(ctx, prog, &core.Grid{Pipeline: p, Draw: d, Inputs: func(v *emu.VertexLane) []emu.Vec4 { return gridInputs(p, v) }})
			if err != nil {
				return fmt.Errorf("ABI %q: %w", convention, err)
			}
			if err := sameRecords(ref.IO().Outputs, want, got); err != nil {
				return fmt.Errorf("ABI %q, indexed %t: %w", convention, d.Index != nil, err)
			}
		}
	}
	return nil
}

func sameRecords(outs []emu.OutputSlot, want, got []emu.Slots) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d records, want %d", len(got), len(want))
	}
	for i := range want {
		for _, o := range outs {
			for c := range 4 {
				if a, b := want[i][o.Slot][c], got[i][o.Slot][c]; o.Mask>>c&1 != 0 && a != b && !gputest.Close32(a, b) {
					return fmt.Errorf("record %d, slot %d, component %d: %#x (%g), want %#x (%g)", i, o.Slot, c, b, math.Float32frombits(b), a, math.Float32frombits(a))
				}
			}
		}
	}
	return nil
}

// TestGrid runs vertex shaders as compute, whole and linked, and compares the
// records that they store.
func TestGrid(t *testing.T) {
	lit, err := os.ReadFile(prove.Data("lit.vert.spv"))
	if err != nil {
		t.Fatal(err)
	}
	for i, src := range [][]byte{[]byte(partsVertex), lit} {
		m, err := nirc.Load(src, "")
		if err == nil {
			err = testGrid(m, ir.StageGeometry, uint64(i))
		}
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	t.Run("GLSL", func(t *testing.T) {
		if err := testGrid(prove.FromGLSL(t, ir.StageVertex, gridVertex), ir.StageTessCtrl, 1); err != nil {
			t.Error(err)
		}
	})
	t.Run("corpus", testGridCorpus)
}

// testGridCorpus takes vertex shaders of other projects.
func testGridCorpus(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	ran := 0
	for _, dir := range []string{"KhronosGroup+SPIRV-Cross/shaders/vert", "KhronosGroup+SPIRV-Cross/shaders/vulkan/vert"} {
		files, err := filepath.Glob(filepath.Join(refs.Path(t, "corpus", dir), "*.vert"))
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range files {
			m, err := nirc.LoadFile(context.Background(), file, nirc.FileOptions{Stage: ir.StageVertex})
			if err != nil {
				continue // no Vulkan
			}
			switch err := testGrid(m, ir.StageGeometry, uint64(i)); {
			case err == nil:
				ran++
			case !errors.Is(err, errors.ErrUnsupported):
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	t.Logf("%d shaders", ran)
	if ran < 3 {
		t.Errorf("only %d shaders ran", ran)
	}
}

// TestGridLink: parts for compute and for the rasteriser do not mix, and what
// runs as compute says so.
func TestGridLink(t *testing.T) {
	ctx := context.Background()
	compile := func(convention string, next ir.Stage) *object.Object {
		o, err := nirc.Compile(ctx, []byte(partsVertex), nirc.Options{Target: "agx", ABI: convention, Next: next})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	plain, grid := compile(nirc.SeparateABI, ir.StageFragment), compile(nirc.SeparateABI, ir.StageGeometry)
	prolog, err := nirc.PartsOf(grid, &nirc.State{Attributes: []backend.AttribKey{{Location: 0, Format: "R32G32_SFLOAT", Stride: 8}}, IndexBytes: 2})
	if err != nil || len(prolog) != 1 {
		t.Fatalf("%d parts: %v", len(prolog), err)
	}
	for name, list := range map[string][]*object.Object{"before": {plain, prolog[0]}, "runs as compute": {grid}} {
		if _, err := nirc.Link(ctx, list, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
	if _, err := nirc.PartsOf(grid, &nirc.State{IndexBytes: 3}); err == nil || !strings.Contains(err.Error(), "indices of 3 bytes are not supported") {
		t.Errorf("error %v", err)
	}
	linked, err := nirc.Link(ctx, []*object.Object{grid, prolog[0]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var m abi.Meta
	if err := json.Unmarshal(linked.ABI, &m); err != nil {
		t.Fatal(err)
	}
	// agx.md §11.4: two attributes, the block's address at 6n + 8.
	want := map[abi.UniformKind]int{abi.UniformAttribAddr: 4, abi.UniformBaseVertex: 12, abi.UniformBaseInstance: 14, abi.UniformAssembly: 20}
	for _, u := range m.Uniforms {
		if at, ok := want[u.Kind]; ok && u.Half != at && u.Half != at-4 || !ok && u.Half < abi.GridHalves(2) && u.Kind != abi.UniformAttribClamp {
			t.Errorf("%s at uniform half %d", u.Kind, u.Half)
		}
	}
	if len(m.Record) != 2 || m.Record[0] != ir.SlotPos || m.Record[1] != ir.SlotVar0 || m.Next != ir.StageGeometry {
		t.Errorf("record %v before %s", m.Record, m.Next)
	}
	p, err := exec.Reload(ctx, linked)
	if err != nil {
		t.Fatal(err)
	}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, NumLanes: 1, Vertex: make([]emu.VertexLane, 1), Out: make([]emu.Slots, 1)}
	if st, err := p.NewWave(l).Run(1000); err != nil || st != emu.StatusDone {
		t.Errorf("a launch that is a grid of its own: status %v, error %v", st, err)
	}
}
