package agx_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// emptyReads are values that a preamble may read early by an index n, of buffers, descriptors, push constants and constants.
var emptyReads = []string{"t[n]", "u[n].x", "texture(s[n], vec2(0.0)).x", "float(b[n].t.length())", "float(textureSize(s[n], 0).x)", "float(c[n])", "p[n]"}

// emptyDraw draws nothing, with shaders that read early at an index that is good only if there is something: without a vertex, and with a
// triangle outside of the picture. A triangle with a good index goes before.
func emptyDraw(t *testing.T, abi string) error {
	var errs []error
	for _, read := range emptyReads {
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
			d := newEmptyDraw(t, abi, text)
			if err := d.draw(3, 0); err != nil || d.target.Data[0] != 255 {
				t.Fatalf("%s, stage %d: %v, colour %d", read, stage, err, d.target.Data[0])
			}
			for _, index := range []uint32{100_003, 1 << 30} {
				if err := d.draw(uint32(3*stage), index); err != nil {
					errs = append(errs, fmt.Errorf("%s, stage %d: %w", read, stage, err))
				}
			}
		}
	}
	return errors.Join(errs...)
}

type emptyDrawing struct {
	t        *testing.T
	pipeline *emu.Pipeline
	target   *emu.Image
}

func newEmptyDraw(t *testing.T, abi string, text [2]string) *emptyDrawing {
	t.Helper()
	program := func(stage ir.Stage, text string) emu.Program {
		p, _, err := exec.Executable(t.Context(), prove.FromGLSL(t, stage, text), nirc.Options{Target: "agx", ABI: abi, Stage: stage, Level: passes.O2})
		if err != nil {
			t.Fatal(err)
		}
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
	return &emptyDrawing{t: t, target: target, pipeline: &emu.Pipeline{Topology: emu.TriangleList, Vertex: program(ir.StageVertex, text[0]), Fragment: program(ir.StageFragment, text[1]),
		Env: &emu.Env{Mem: mem, Bindings: table}, Color: []emu.Attachment{{View: &emu.ImageView{Image: target}}}}}
}

func (d *emptyDrawing) draw(vertices, index uint32) error {
	d.pipeline.Env.Push = binary.LittleEndian.AppendUint32(make([]byte, 16), index)
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
layout(push_constant) uniform P { float p[4]; uint n; };
const uint c[8] = uint[](3, 1, 4, 1, 5, 9, 2, 6);
`
	return strings.NewReplacer("READS", reads, "READ", read).Replace(text)
}
