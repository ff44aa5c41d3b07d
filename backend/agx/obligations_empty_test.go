package agx_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// emptyReads are values that a preamble may read early by an index n, of buffers, descriptors, push constants and constants.
var emptyReads = append([]string{"t[n]", "u[n].x", "texture(s[n], vec2(0.0)).x", "float(textureSize(s[n], 0).x)", "float(c[n])", "p[n]"}, chosenReads...)

// chosenReads are those of buffers that n chooses: with soft faults draws read them early as well.
var chosenReads = []string{"b[n].t[2]", "b[n].t[n]", "w[n].x[1].y", "float(b[n].t.length())"}

// emptyDraw draws nothing, with shaders that read early at an index that is good only if there is something: without a vertex, and with a
// triangle outside of the picture. A triangle with a good index goes before.
func emptyDraw(t *testing.T, abi string) error {
	_, err := drawByIndex(t, nirc.Options{ABI: abi}, emptyReads)
	return err
}

// drawByIndex is emptyDraw for some of the values, by some options. It reports how many programs count on soft faults.
func drawByIndex(t *testing.T, o nirc.Options, reads []string) (soft int, err error) {
	var errs []error
	for _, read := range reads {
		shaders := [2]string{`#version 450
layout(location=0) out float v;
READS
void main() { v = READ; vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1); gl_Position = vec4(at * 4.0 - (n == 0u ? 1.0 : -1.0), 0, 1); }`, `#version 450
layout(location=0) in float v;
layout(location=0) out vec4 o;
READS
void main() { o = vec4(1.0 + v + READ); }`}
		for stage := range 2 {
			text := shaders
			for i := range text {
				if i == stage {
					text[i] = withRead(text[i], read)
				} else {
					text[i] = withRead(text[i], "1.0")
				}
			}
			d := newEmptyDraw(t, o, text)
			if d.soft {
				soft++
			}
			if err := d.draw(3, pushedIndex(0)); err != nil || d.target.Data[0] != 255 {
				t.Fatalf("%s, stage %d: %v, colour %d", read, stage, err, d.target.Data[0])
			}
			for _, index := range []uint32{100_003, 1 << 30} {
				if err := d.draw(uint32(3*stage), pushedIndex(index)); err != nil {
					errs = append(errs, fmt.Errorf("%s, stage %d: %w", read, stage, err))
				}
			}
		}
	}
	return soft, errors.Join(errs...)
}

// pushedIndex are the push constants of emptyReads.
func pushedIndex(n uint32) []byte { return binary.LittleEndian.AppendUint32(make([]byte, 16), n) }

// emptyPointer draws nothing, with shaders that read by a pointer that leads nowhere, after something with a good one.
func emptyPointer(t *testing.T, abi string) error {
	_, err := drawByPointer(t, nirc.Options{ABI: abi})
	return err
}

// drawByPointer is emptyPointer for programs by some options. It reports whether any counts on soft faults.
func drawByPointer(t *testing.T, o nirc.Options) (soft bool, err error) {
	const pointer = "#version 450\n#extension GL_EXT_buffer_reference : require\nlayout(buffer_reference) readonly buffer R { float x; };\nlayout(push_constant) uniform P { R r; };\n"
	var errs []error
	for stage, text := range [][2]string{{pointer + `layout(location=0) out float v;
void main() { v = r.x; vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1); gl_Position = vec4(at * 4.0 - 1.0, 0, 1); }`, `#version 450
layout(location=0) in float v;
layout(location=0) out vec4 o;
void main() { o = vec4(v); }`}, {`#version 450
void main() { vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1); gl_Position = vec4(at * 4.0 - 1.0, 0, 1); }`, pointer + `layout(location=0) out vec4 o;
void main() { o = vec4(r.x); }`}} {
		d := newEmptyDraw(t, o, text)
		good := d.pipeline.Env.Mem.Alloc(64)
		binary.LittleEndian.PutUint32(good.Data, math.Float32bits(1))
		if err := d.draw(3, binary.LittleEndian.AppendUint64(nil, good.Addr)); err != nil || d.target.Data[0] != 255 {
			t.Fatalf("stage %d: %v, colour %d", stage, err, d.target.Data[0])
		}
		for _, nowhere := range []uint64{1 << 39, 1<<47 - 4} {
			if err := d.draw(0, binary.LittleEndian.AppendUint64(nil, nowhere)); err != nil {
				errs = append(errs, fmt.Errorf("stage %d: %w", stage, err))
			}
		}
		soft = soft || d.soft
	}
	return soft, errors.Join(errs...)
}

// TestHardFaults: preambles of draws read by pointers, and the metadata says that they count on soft faults; for a driver that has those off
// they do not.
func TestHardFaults(t *testing.T) {
	for _, hard := range []bool{false, true} {
		for _, abi := range []string{"", nirc.SeparateABI} {
			if soft, err := drawByPointer(t, nirc.Options{ABI: abi, HardFaults: hard}); err != nil || soft == hard {
				t.Errorf("hard faults %t, ABI %q: counts on soft ones: %t, %v", hard, abi, soft, err)
			}
			want := 2 * len(chosenReads) // in each of two stages
			if hard {
				want = 0
			}
			if soft, err := drawByIndex(t, nirc.Options{ABI: abi, HardFaults: hard}, chosenReads); err != nil || soft != want {
				t.Errorf("hard faults %t, ABI %q: %d programs choose buffers early, not %d; %v", hard, abi, soft, want, err)
			}
		}
	}
}

type emptyDrawing struct {
	soft     bool // a program counts on soft faults
	t        *testing.T
	pipeline *emu.Pipeline
	target   *emu.Image
}

func newEmptyDraw(t *testing.T, o nirc.Options, text [2]string) *emptyDrawing {
	t.Helper()
	soft := false
	program := func(stage ir.Stage, text string) emu.Program {
		o.Target, o.Stage, o.Level = "agx", stage, passes.O2
		m := prove.FromGLSL(t, stage, text)
		p, _, err := exec.Executable(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		object, err := m.Compile(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		soft = soft || strings.Contains(string(object.ABI), `"soft_faults":true`)
		return p
	}
	image := func() *emu.Image {
		img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Format: emu.FormatByName("R8_UNORM")})
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	mem, table, target := emu.NewMemory(), &emu.Bindings{}, image()
	bind := func(binding uint32, kind emu.DescriptorType, n int) {
		list := make([]emu.Descriptor, n)
		for i := range list {
			list[i] = emu.Descriptor{Type: kind, Addr: mem.Alloc(64).Addr, Size: 64}
			if kind == emu.DescCombinedImageSampler {
				list[i] = emu.Descriptor{Type: kind, Image: &emu.ImageView{Image: image()}, Sampler: &emu.Sampler{}}
			}
		}
		table.Set(0, binding, list)
	}
	bind(0, emu.DescStorageBuffer, 1)
	bind(1, emu.DescUniformBuffer, 1)
	bind(2, emu.DescStorageBuffer, 4)
	bind(3, emu.DescCombinedImageSampler, 4)
	bind(4, emu.DescUniformBuffer, 4)
	vertex, fragment := program(ir.StageVertex, text[0]), program(ir.StageFragment, text[1])
	return &emptyDrawing{t: t, soft: soft, target: target, pipeline: &emu.Pipeline{Topology: emu.TriangleList, Vertex: vertex, Fragment: fragment,
		Env: &emu.Env{Mem: mem, Bindings: table}, Color: []emu.Attachment{{View: &emu.ImageView{Image: target}}}}}
}

func (d *emptyDrawing) draw(vertices uint32, push []byte) error {
	d.pipeline.Env.Push = push
	if err := exec.LinkPipeline(d.t.Context(), "agx", d.pipeline); err != nil {
		d.t.Fatal(err)
	}
	return emu.Draw(d.t.Context(), d.pipeline, emu.DrawParams{VertexCount: vertices, InstanceCount: 1, Limits: emu.Limits{Check: true}})
}

// withRead puts what emptyReads read, and one of them, into the text of a shader.
func withRead(text, read string) string {
	const reads = `
layout(set=0, binding=0) readonly buffer T { float t[]; };
layout(set=0, binding=1) uniform U { vec4 u[4]; };
layout(set=0, binding=2) readonly buffer B { float t[]; } b[4];
layout(set=0, binding=3) uniform sampler2D s[4];
layout(set=0, binding=4) uniform W { vec4 x[2]; } w[4];
layout(push_constant) uniform P { float p[4]; uint n; };
const uint c[8] = uint[](3, 1, 4, 1, 5, 9, 2, 6);
`
	return strings.NewReplacer("READS", reads, "READ", read).Replace(text)
}

// fetchFew has a texel fetched in few invocations, from a binding that is partially bound or not.
func fetchFew(t *testing.T, partially bool) (*nirc.Module, *nirc.Layout) {
	t.Helper()
	m := prove.FromGLSL(t, ir.StageCompute, `#version 450
layout(local_size_x=32) in;
layout(set=0, binding=0) uniform sampler2D s;
layout(set=0, binding=1) writeonly buffer Out { float o[]; };
layout(push_constant) uniform P { uint n; };
void main() { if (gl_LocalInvocationIndex < n) o[gl_LocalInvocationIndex] = texelFetch(s, ivec2(0), 0).x; }`)
	all := layout.AllStages
	return m, &nirc.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{{Binding: 0, Type: layout.CombinedImageSampler, Count: 1, Stages: all, PartiallyBound: partially},
		{Binding: 1, Type: layout.StorageBuffer, Count: 1, Stages: all}}}}, Push: []layout.PushRange{{Stages: all, Size: 4}}}
}

// fetchUnbound dispatches it where nothing is bound and no invocation fetches.
func fetchUnbound(t *testing.T, _ string) error {
	t.Helper()
	m, l := fetchFew(t, true)
	p, _, err := exec.Executable(t.Context(), m, nirc.Options{Target: "agx", Level: passes.O2, Layout: l})
	if err != nil {
		t.Fatal(err)
	}
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}, Push: make([]byte, 4), Layout: l}
	env.Bindings.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: env.Mem.Alloc(128).Addr, Size: 128}})
	return emu.Dispatch(t.Context(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}})
}

// TestPartiallyBound: the preamble fetches what few invocations come by, where the descriptor must be good as the shader names it; not where it
// need be good only if one comes by.
func TestPartiallyBound(t *testing.T) {
	for _, partially := range []bool{false, true} {
		m, l := fetchFew(t, partially)
		if text := mainText(t, m, nirc.Options{Layout: l}); strings.Contains(text, "texture_load") != partially {
			t.Errorf("partially bound %t:\n%s", partially, text)
		}
	}
}
