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
	"nirc/ir"
	"nirc/passes"
)

// tileFragment stores to the second attachment what the first one has and to the first one a step of 8 bits more; MODE is an
// execution mode, SAMPLE the operand that names a sample.
const tileFragment = `OpCapability Shader
OpCapability TileImageColorReadAccessEXT
OpExtension "SPV_EXT_shader_tile_image"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %first %second
OpExecutionMode %main OriginUpperLeft
MODE
OpDecorate %first Location 0
OpDecorate %second Location 1
OpDecorate %tile Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%step = OpConstant %float 0x1.010102p-8
%steps = OpConstantComposite %v4 %step %step %step %step
%int = OpTypeInt 32 1
%one = OpConstant %int 1
%image = OpTypeImage %float TileImageDataEXT 0 0 0 2 Unknown
%pimage = OpTypePointer TileImageEXT %image
%pout = OpTypePointer Output %v4
%tile = OpVariable %pimage TileImageEXT
%first = OpVariable %pout Output
%second = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%a = OpLoad %image %tile
%x = OpColorAttachmentReadEXT %v4 %aSAMPLE
%y = OpFAdd %v4 %x %steps
OpStore %first %y
OpStore %second %x
OpReturn
OpFunctionEnd
`

// tileNonCoherent is the mode of shaders whose application orders what they read.
const tileNonCoherent = "OpExecutionMode %main NonCoherentColorAttachmentReadEXT"

// tileImage makes an attachment whose bytes all differ a little.
func tileImage(t *testing.T, samples int) *emu.Image {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 2, Layers: attachmentLayers, Samples: samples, Format: emu.FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	for i := range img.Data {
		img.Data[i] = byte(i * 7 % 200)
	}
	return img
}

// TestTileImages: a fragment shader reads what an attachment has at its own pixel, layer or view, in the sample that it names or the
// first, and what the fragments before it in the same draw left there.
func TestTileImages(t *testing.T) {
	for _, c := range []struct {
		name, layer, mode string
		views, one        uint32
		samples, draws    int
		sample            int // that is named
	}{
		{name: "a layer at a time", one: 1, draws: 1},
		{name: "over each other", draws: 3},
		{name: "layer", layer: "gl_Layer = gl_InstanceIndex;", draws: attachmentLayers},
		{name: "view", views: 0b110, draws: 1},
		{name: "first sample", samples: 4, draws: 1},
		{name: "another sample", samples: 4, sample: 1, draws: 1},
		{name: "first samples over each other", samples: 4, draws: 2},
		{name: "other samples over each other", samples: 2, sample: 1, draws: 2},
		{name: "first sample of layers", layer: "gl_Layer = gl_InstanceIndex;", samples: 2, draws: attachmentLayers},
		{name: "ordered by the application", mode: tileNonCoherent, draws: 1},
	} {
		assembled, err := nirc.LoadFile(context.Background(), "-", nirc.FileOptions{Stdin: strings.NewReader(strings.NewReplacer("MODE", c.mode, "SAMPLE", map[int]string{1: " %one"}[c.sample]).Replace(tileFragment))})
		if err != nil {
			t.Fatal(err)
		}
		modules := []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, strings.Replace(attachmentVertex, "LAYER", c.layer, 1)),
			assembled}
		for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "agx", ABI: nirc.SeparateABI}, {Target: "midgard", GPU: "t860"}} {
			if o.Target == "midgard" && (c.layer != "" || c.sample > 0) {
				continue // its vertex shaders name no layer, and typed loads of the tile name the first sample
			}
			for _, o.Level = range []passes.Level{passes.O0, passes.O2} {
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, o.Target+o.GPU+o.ABI, o.Level), func(t *testing.T) {
					first, second := tileImage(t, c.samples), tileImage(t, c.samples)
					p := &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: first}}, {View: &emu.ImageView{Image: second}}}, ViewMask: c.views, Layer: c.one}
					x := &exec.Execution{Modules: modules, Options: o, Draw: p, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: uint32(c.draws)}, Limits: emu.Limits{Check: true}}
					if err := exec.Execute(context.Background(), x); err != nil {
						t.Fatal(err)
					}
					was, samples := tileImage(t, c.samples).Data, max(1, c.samples)
					for i := range was {
						layer, n := uint32(i/(len(was)/attachmentLayers)), byte(c.draws)
						if c.layer != "" {
							n = 1
						}
						from := was[i/(4*samples)*4*samples+4*c.sample+i%4] // all samples of a pixel get what one has
						switch drawn := c.layer != "" || c.views>>layer&1 != 0 || c.views == 0 && layer == c.one; {
						case !drawn && (first.Data[i] != was[i] || second.Data[i] != was[i]):
							t.Fatalf("byte %d is of a layer that nobody draws to, and has changed", i)
						case drawn && (first.Data[i] != from+n || second.Data[i] != from+n-1):
							t.Fatalf("byte %d of layer %d: %d and %d, want %d and %d", i, layer, first.Data[i], second.Data[i], from+n, from+n-1)
						}
					}
				})
			}
		}
	}
}
