package grids

import (
	"context"
	"fmt"
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

// attachmentVertex covers the framebuffer; its instance is its layer where the hardware takes one.
const attachmentVertex = `#version 450
#extension GL_ARB_shader_viewport_layer_array : require
void main() {
  gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1);
  LAYER
}`

// attachmentFragment adds up what it reads of an input attachment: its own pixel and that before it.
const attachmentFragment = `#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInputMS source;
layout(location = 0) out uvec4 o;
void main() { o = subpassLoad(source SAMPLE) + uvec4(0, 0, 0, 1); }`

// attachmentLayers is the number of layers of the images of TestInputAttachments.
const attachmentLayers = 3

// attachmentImage makes an image with another number in each texel.
func attachmentImage(t *testing.T, samples int) *emu.Image {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 2, Layers: attachmentLayers, Samples: samples, Format: emu.FormatByName("R32G32B32A32_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// attachmentDraw draws to all layers and returns the target's first components by layer and pixel.
func attachmentDraw(t *testing.T, modules []*nirc.Module, o nirc.Options, views uint32, layer uint32, samples int) (got [attachmentLayers][8]uint32) {
	t.Helper()
	source, target := attachmentImage(t, samples), attachmentImage(t, 0)
	for l := range attachmentLayers {
		for i := range 8 {
			for s := range max(1, samples) {
				at := source.Offset(i%4, i/4, 0, l, 0, s)
				emu.StoreBytes(source.Data[at:], 4, uint64(1000*l+10*i+s+1))
			}
		}
	}
	p := &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: target}}}, ViewMask: views, Layer: layer}
	x := &exec.Execution{Modules: modules, Options: o, Draw: p, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: attachmentLayers}, Limits: emu.Limits{Check: true},
		Bindings: []exec.Binding{{Binding: 0, Image: source}}}
	if err := exec.Execute(context.Background(), x); err != nil {
		t.Fatalf("%s -%s: %v", o.Target, o.Level, err)
	}
	for l := range attachmentLayers {
		for i := range 8 {
			got[l][i] = uint32(emu.LoadBytes(target.Data[target.Offset(i%4, i/4, 0, l, 0, 0):], 4))
		}
	}
	return got
}

// TestInputAttachments reads input attachments with layers: at the layer that a vertex shader
// names, at that of a draw whose framebuffer has one at a time, and at the view of pipelines with views.
func TestInputAttachments(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, c := range []struct {
		name, layer string
		views       uint32
		one         uint32 // the only layer that is drawn to
		samples     int
	}{
		{name: "layer", layer: "gl_Layer = gl_InstanceIndex;"},
		{name: "layer of samples", layer: "gl_Layer = gl_InstanceIndex;", samples: 4},
		{name: "a layer at a time", one: 2},
		{name: "view", views: 0b110},
		{name: "view of samples", views: 0b101, samples: 2},
	} {
		fragment := strings.NewReplacer("MS", "", "SAMPLE", "").Replace(attachmentFragment)
		if c.samples > 0 {
			fragment = strings.Replace(attachmentFragment, "SAMPLE", ", 1", 1)
		}
		modules := []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, strings.Replace(attachmentVertex, "LAYER", c.layer, 1)), prove.FromGLSL(t, ir.StageFragment, fragment)}
		var want [attachmentLayers][8]uint32
		for l := range want {
			if drawn := c.layer != "" || c.views>>l&1 != 0 || c.views == 0 && int(c.one) == l; !drawn {
				continue
			}
			for i := range want[l] {
				want[l][i] = uint32(1000*l + 10*i + min(1, c.samples) + 1)
			}
		}
		for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
			if target == "midgard" && c.layer != "" {
				continue // its vertex shaders name no layer
			}
			for _, level := range []passes.Level{passes.O0, passes.O2} {
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, target, level), func(t *testing.T) {
					if got := attachmentDraw(t, modules, nirc.Options{Target: target, Level: level}, c.views, c.one, c.samples); got != want {
						t.Errorf("got  %v\nwant %v", got, want)
					}
				})
			}
		}
	}
}
