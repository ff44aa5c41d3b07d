package agx_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// attachmentReader adds a step of 8 bits to each component that attachment 1 has.
const attachmentReader = `shader fragment "main" {
  info { outputs_read=32 }
  var @1 shader_out vec4f32 "o" { location=DATA1 }
  fn f0 "main" entry() {
    b0:
      %1:32 = load_const 0x0
      %2:32x4 = load_output %1 base=5 range=1 dest_type=f32 io_semantics={DATA1 1 fb_fetch}
      %3:32x4 = load_const (0x3b808081, 0x3b808081, 0x3b808081, 0x3b808081)
      %4:32x4 = fadd %2, %3
      %5:32 = deref_var @1
      store_deref %5, %4 write_mask=xyzw
  }
}
`

// tileState is a state of so many samples whose attachments have the formats.
func tileState(samples int, formats ...string) *nirc.State {
	s := &nirc.State{Fragment: backend.FragmentKey{Samples: samples}}
	for _, f := range formats {
		s.Fragment.Targets = append(s.Fragment.Targets, backend.TargetKey{Format: f, Blend: emu.AttachmentBlend{WriteMask: emu.WriteAll}})
	}
	return s
}

func compileReader(t *testing.T, abi string, s *nirc.State) (*object.Object, error) {
	t.Helper()
	return nirc.Compile(context.Background(), []byte(attachmentReader), nirc.Options{File: "reader.nir", Target: "agx", ABI: abi, State: s})
}

// sampleColours draws a reader over samples that differ, twice.
func sampleColours(t *testing.T, _ string) error {
	const samples, draws = 2, 2
	obj, err := compileReader(t, "", tileState(samples, "", "R8G8B8A8_UNORM"))
	if err != nil {
		return err
	}
	fragment, err := exec.Reload(t.Context(), obj)
	if err != nil {
		return err
	}
	vertex, _, err := exec.Executable(t.Context(), prove.FromGLSL(t, ir.StageVertex, `#version 450
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); }`), nirc.Options{Target: nirc.IRTarget, Level: passes.O2})
	if err != nil {
		return err
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Samples: samples, Format: emu.FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		return err
	}
	for i := range img.Data {
		img.Data[i] = byte(i)
	}
	p := &emu.Pipeline{Vertex: vertex, Fragment: fragment, Topology: emu.TriangleList, Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}},
		Viewports: []emu.Viewport{{Width: 4, Height: 4, MaxDepth: 1}}, Color: []emu.Attachment{{}, {View: &emu.ImageView{Image: img}}}}
	if err := emu.Draw(t.Context(), p, emu.DrawParams{VertexCount: 3, InstanceCount: draws, Limits: emu.Limits{Check: true}}); err != nil {
		return err
	}
	for i, got := range img.Data {
		if got != byte(i+draws) {
			return fmt.Errorf("byte %d is %d, want %d", i, got, i+draws)
		}
	}
	return nil
}

// TestAttachmentState: a shader that reads an attachment is made for a state of the pipeline, and for no other.
func TestAttachmentState(t *testing.T) {
	if err := sampleColours(t, ""); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		name string
		s    *nirc.State
		want string
	}{
		{"no state", nil, "reading what a colour attachment holds is not supported without the formats of the attachments"},
		{"no attachments", tileState(1), "reading what a colour attachment holds is not supported without the formats of the attachments"},
		{"8 samples", tileState(8, "R8G8B8A8_UNORM"), "8 samples a pixel are not supported"},
		{"no such format", tileState(1, "R1"), `there is no colour format "R1"`},
		{"one attachment", tileState(1, "R8G8B8A8_UNORM"), ""},
		{"attachments", tileState(4, "R8G8B8A8_UNORM", "R16_SFLOAT"), ""},
	} {
		switch _, err := compileReader(t, "", c.s); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestDepthOfTheTile: depth and stencil are not where shaders read.
func TestDepthOfTheTile(t *testing.T) {
	text := strings.NewReplacer("load_output %1 base=5 range=1 dest_type=f32 io_semantics={DATA1 1 fb_fetch}", "load_attachment %1 dest_type=f32 io_semantics={DEPTH 1 fb_fetch}", "%2:32x4", "%2:32").Replace(attachmentReader)
	text = strings.Replace(text, "fadd %2, %3", "fadd %2.xxxx, %3", 1)
	_, err := nirc.Compile(t.Context(), []byte(text), nirc.Options{File: "reader.nir", Target: "agx", State: tileState(1, "R8G8B8A8_UNORM")})
	if err == nil || !strings.Contains(err.Error(), "reading depth and stencil of the tile is not supported") {
		t.Error(err)
	}
}
