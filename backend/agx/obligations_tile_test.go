package agx_test

import (
	"fmt"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// overBlue draws one fragment over blue pixels of so many targets, each of so many samples, and demands what the shader's output
// leaves of them.
func overBlue(fragment string, writes uint8, targets, samples int, want ...[4]byte) func(*testing.T, string) error {
	return func(t *testing.T, abi string) error {
		modules := []*nirc.Module{
			prove.FromGLSL(t, ir.StageVertex, `#version 450
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); }`),
			prove.FromGLSL(t, ir.StageFragment, "#version 450\n"+fragment)}
		p := &emu.Pipeline{Topology: emu.TriangleList, Area: emu.Rect{Width: 1, Height: 1}, Multisample: emu.MultisampleState{Samples: samples}}
		for range targets {
			img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Samples: samples, Format: emu.FormatByName("R8G8B8A8_UNORM")})
			if err != nil {
				t.Fatal(err)
			}
			for s := range samples {
				copy(img.Data[4*s:], []byte{0, 0, 255, 255})
			}
			p.Color = append(p.Color, emu.Attachment{View: &emu.ImageView{Image: img}})
			p.Blend.Attachments = append(p.Blend.Attachments, emu.AttachmentBlend{WriteMask: writes})
		}
		x := &exec.Execution{Modules: modules, Options: nirc.Options{Target: "agx", ABI: abi, Level: passes.O2}, Draw: p,
			DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1}, Limits: emu.Limits{Check: true}}
		if err := exec.Execute(t.Context(), x); err != nil {
			return err
		}
		for i, want := range want {
			if got := p.Color[i/samples].View.Image.Data[4*(i%samples):]; [4]byte(got) != want {
				return fmt.Errorf("target %d has %v in sample %d, want %v", i/samples, got[:4], i%samples, want)
			}
		}
		return nil
	}
}

// Of a target, components, samples or all stay as they were.
var (
	someComponents = overBlue("layout(location=0) out vec4 o; void main() { o = vec4(1, 1, 0, 0); }", 1, 1, 1, [4]byte{255, 0, 255, 255})
	someSamples    = overBlue("layout(early_fragment_tests) in; layout(location=0) out vec4 o; void main() { o = vec4(1, 1, 0, 0); gl_SampleMask[0] = 2; }", 15, 1, 2,
		[4]byte{0, 0, 255, 255}, [4]byte{255, 255, 0, 0})
	noTargets   = overBlue("void main() { gl_SampleMask[0] = 1; }", 15, 0, 4)
	someTargets = overBlue("layout(location=0) out vec4 o; void main() { o = vec4(1, 1, 0, 0); }", 15, 2, 1, [4]byte{255, 255, 0, 0}, [4]byte{0, 0, 255, 255})
)

// TestAlphaToOneOfBothSources: what alpha to one replaces is the alpha of the second source too.
func TestAlphaToOneOfBothSources(t *testing.T) {
	img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Format: emu.FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	blend := emu.AttachmentBlend{Enable: true, SrcColor: ir.BlendSrc1Alpha, DstColor: ir.BlendZero, SrcAlpha: ir.BlendSrc1Alpha, DstAlpha: ir.BlendZero, WriteMask: emu.WriteAll}
	p := &emu.Pipeline{Topology: emu.TriangleList, Area: emu.Rect{Width: 1, Height: 1}, Multisample: emu.MultisampleState{AlphaToOne: true},
		Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}, Blend: emu.BlendState{Attachments: []emu.AttachmentBlend{blend}}}
	x := &exec.Execution{Modules: []*nirc.Module{
		prove.FromGLSL(t, ir.StageVertex, `#version 450
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); }`),
		prove.FromGLSL(t, ir.StageFragment, `#version 450
layout(location=0, index=0) out vec4 a; layout(location=0, index=1) out vec4 b;
void main() { a = vec4(1, 0.2, 0, 0.4); b = vec4(0.6); }`)},
		Options: nirc.Options{Target: "agx", ABI: nirc.SeparateABI, Level: passes.O2}, Draw: p, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1}, Limits: emu.Limits{Check: true}}
	if err := exec.Execute(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	if got := [4]byte(img.Data); got != [4]byte{255, 51, 0, 255} {
		t.Errorf("the pixel is %v", got)
	}
}
