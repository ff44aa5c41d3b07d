package grids

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// tileDepthFragment stores the depth and the stencil that its pixel has; MODES are execution modes, SAMPLE the operand that names a
// sample, STENCIL how the stencil is read and made a float.
const tileDepthFragment = `OpCapability Shader
OpCapability TileImageDepthReadAccessEXT
OpCapability TileImageStencilReadAccessEXT
OpExtension "SPV_EXT_shader_tile_image"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
MODES
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%zero = OpConstant %float 0
%int = OpTypeInt 32 1
%one = OpConstant %int 1
%pout = OpTypePointer Output %v2
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%d = OpDepthAttachmentReadEXT %float SAMPLE
STENCIL
%v = OpCompositeConstruct %v2 %d %s
OpStore %out %v
OpReturn
OpFunctionEnd
`

// tileDepthVertex draws each instance nearer to the eye.
const tileDepthVertex = `#version 450
void main() {
  gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.75 - 0.125 * gl_InstanceIndex, 1);
}`

// TestTileDepth: a fragment shader reads the depth and the stencil that its pixel has before it is tested itself, in the sample that it
// names or the first, and what the fragments before it in the same draw left there; where it asks for early tests, which Vulkan
// allows while nothing is written, what was there.
func TestTileDepth(t *testing.T) {
	const early = "OpExecutionMode %main EarlyFragmentTests"
	for _, c := range []struct {
		name, modes    string
		samples, draws int
		sample         int // that is named
		still          bool
		format         string
	}{
		{name: "once", draws: 1, format: "D32_SFLOAT_S8_UINT"},
		{name: "over each other", draws: 3, format: "D32_SFLOAT_S8_UINT"},
		{name: "fixed point", draws: 2, format: "D24_UNORM_S8_UINT"},
		{name: "first sample", samples: 4, draws: 2, format: "D32_SFLOAT_S8_UINT"},
		{name: "another sample", samples: 4, sample: 1, draws: 2, format: "D32_SFLOAT_S8_UINT"},
		{name: "early tests", modes: early, still: true, draws: 2, format: "D32_SFLOAT_S8_UINT"},
		{name: "ordered by the application", modes: "OpExecutionMode %main NonCoherentDepthAttachmentReadEXT\nOpExecutionMode %main NonCoherentStencilAttachmentReadEXT", still: true, draws: 2, format: "D32_SFLOAT_S8_UINT"},
		{name: "depth alone is ordered", modes: "OpExecutionMode %main NonCoherentStencilAttachmentReadEXT", draws: 2, format: "D32_SFLOAT_S8_UINT"},
	} {
		for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "midgard", GPU: "t860"}} {
			stencil := "%w = OpStencilAttachmentReadEXT %int SAMPLE\n%s = OpConvertSToF %float %w"
			if o.Target == "midgard" {
				if c.sample > 0 {
					continue // typed loads of the tile name the first sample
				}
				stencil = "%s = OpCopyObject %float %zero"
			}
			text := strings.NewReplacer("MODES", c.modes, "STENCIL", stencil).Replace(tileDepthFragment)
			assembled, err := nirc.LoadFile(context.Background(), "-", nirc.FileOptions{Stdin: strings.NewReader(strings.ReplaceAll(text, "SAMPLE", map[int]string{1: "%one"}[c.sample]))})
			if err != nil {
				t.Fatal(err)
			}
			modules := []*nirc.Module{prove.FromGLSL(t, ir.StageVertex, tileDepthVertex), assembled}
			for _, o.Level = range []passes.Level{passes.O0, passes.O2} {
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, o.Target+o.GPU, o.Level), func(t *testing.T) {
					img, zs := drawTileDepth(t, modules, o, c.samples, c.draws, c.format, c.still)
					for i := range 8 {
						depth, stencil := tileDepth(i, c.sample), float32(tileStencil(i, c.sample))
						if c.draws > 1 && !c.still {
							depth, stencil = 0.75-0.125*float32(c.draws-2), stencil+float32(c.draws-1)
						}
						if o.Target == "midgard" {
							stencil = 0
						}
						got := img.Load(i%4, i/4, 0, 0, 0)
						if d, s := math.Float32frombits(got[0]), math.Float32frombits(got[1]); math.Abs(float64(d-depth)) > 1e-6 || s != stencil {
							t.Errorf("pixel %d: depth %g and stencil %g, want %g and %g", i, d, s, depth, stencil)
						}
						if left := zs.Load(i%4, i/4, 0, 0, 0); c.still != (math.Abs(float64(math.Float32frombits(left[0])-tileDepth(i, 0))) < 1e-6) {
							t.Errorf("pixel %d: the depth is %g after the draw", i, math.Float32frombits(left[0]))
						}
					}
				})
			}
		}
	}
}

// tileDepth and tileStencil are what a sample of a pixel has before it is drawn to.
func tileDepth(pixel, sample int) float32  { return 0.875 + float32(pixel)/128 + float32(sample)/64 }
func tileStencil(pixel, sample int) uint32 { return uint32(3 + pixel + 16*sample) }

// drawTileDepth draws over the tile so many times, each time nearer and with a stencil of one more, or with tests that pass and change
// nothing; it returns the colours and the depth.
func drawTileDepth(t *testing.T, modules []*nirc.Module, o nirc.Options, samples, draws int, format string, still bool) (color, zs *emu.ImageView) {
	t.Helper()
	view := func(format string) *emu.ImageView {
		img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 2, Samples: samples, Format: emu.FormatByName(format)})
		if err != nil {
			t.Fatal(err)
		}
		return &emu.ImageView{Image: img}
	}
	color, zs = view("R32G32_SFLOAT"), view(format)
	for i := range 8 {
		for s := range max(1, samples) {
			zs.Store(i%4, i/4, 0, 0, s, [4]uint32{math.Float32bits(tileDepth(i, s)), tileStencil(i, s)})
		}
	}
	face := emu.StencilFace{Pass: emu.StencilIncrementClamp, Compare: emu.CompareAlways, CompareMask: 0xff, WriteMask: 0xff}
	if still {
		face.WriteMask = 0
	}
	p := &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: color}}, DepthStencil: emu.Attachment{View: zs},
		Depth: emu.DepthState{Test: true, Write: !still, Compare: emu.CompareLess, StencilTest: true, Front: face, Back: face}}
	x := &exec.Execution{Modules: modules, Options: o, Draw: p, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: uint32(draws)}, Limits: emu.Limits{Check: true}}
	if err := exec.Execute(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	return color, zs
}
