package agx_test

import (
	"bytes"
	"fmt"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// earlyForms are bodies of fragment shaders with early tests: each has one thing that would test late, by itself or beside others.
// left says of a fragment that it lies in the left half of the picture, and n counts what reaches memory.
var earlyForms = []struct{ name, body string }{
	{"a colour alone", "o = vec4(1, 0, 0, 1);"},
	{"a depth", "gl_FragDepth = 0.1; o = vec4(1, 0, 0, 1);"},
	{"a stencil", "gl_FragStencilRefARB = 9; o = vec4(1, 0, 0, 1);"},
	{"a mask", "gl_SampleMask[0] = left ? 1 : 2; o = vec4(1, 0, 0, 1);"},
	{"a mask in one way alone", "o = vec4(1, 0, 0, 1); gl_SampleMask[0] = -1; if (left) gl_SampleMask[0] = 2;"},
	{"a discard", "if (left) discard; o = vec4(1, 0, 0, 1);"},
	{"a demotion", "if (left) demote; o = vec4(1, 0, 0, helperInvocationEXT() ? 0.5 : 1.0);"},
	{"a store", "atomicAdd(n, 1u); o = vec4(1, 0, 0, 1);"},
	{"a discard, a mask and a stencil", "gl_FragStencilRefARB = 3; gl_SampleMask[0] = 1; if (left) demote; atomicAdd(n, 1u); o = vec4(1, 0, 0, 1);"},
	{"a mask after a discard", "if (left) demote; gl_SampleMask[0] = 3; o = vec4(1, 0, 0, 1);"},
	{"a stencil and a store", "gl_FragStencilRefARB = 3; atomicAdd(n, 1u); o = vec4(1, 0, 0, 1);"},
}

// TestEarlyForms draws pixels of several samples with early tests, and wants colours, depths, stencil values and memory as the
// interpreter leaves them: what is written after the tests changes neither depth nor stencil.
func TestEarlyForms(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	vertex := prove.FromGLSL(t, ir.StageVertex, `#version 450
void main() { vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1); gl_Position = vec4(at * 4.0 - 1.0, 0.5, 1); }`)
	for _, f := range earlyForms {
		fragment := prove.FromGLSL(t, ir.StageFragment, `#version 450
#extension GL_ARB_shader_stencil_export : require
#extension GL_EXT_demote_to_helper_invocation : require
layout(early_fragment_tests) in;
layout(location=0) out vec4 o;
layout(set=0, binding=0) buffer B { uint n; };
void main() { bool left = gl_FragCoord.x < 2.0; `+f.body+` }`)
		for _, samples := range []int{1, 4} {
			want, err := drawEarly(t, nirc.Options{Target: "ir"}, vertex, fragment, samples)
			if err != nil {
				t.Fatal(err)
			}
			for _, abi := range []string{backend.MonolithicABI, nirc.SeparateABI} {
				if abi == backend.MonolithicABI && samples > 1 {
					continue // such programs know no number of samples
				}
				t.Run(fmt.Sprintf("%s/%s/%d", f.name, abi, samples), func(t *testing.T) {
					got, err := drawEarly(t, nirc.Options{Target: "agx", ABI: abi, Level: passes.O2}, vertex, fragment, samples)
					if err != nil {
						t.Fatal(err)
					}
					for k, what := range []string{"colours", "depths and stencil values", "memory"} {
						if !bytes.Equal(got[k], want[k]) {
							t.Errorf("%s %x, want %x", what, got[k], want[k])
						}
					}
				})
			}
		}
	}
}

// drawEarly draws over 4 by 2 pixels, of which all have depth 1 and stencil 77, and replaces stencil values by 5.
func drawEarly(t *testing.T, o nirc.Options, vertex, fragment *nirc.Module, samples int) (got [3][]byte, err error) {
	t.Helper()
	image := func(format string) *emu.Image {
		img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 2, Samples: samples, Format: emu.FormatByName(format)})
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	color, depth := image("R8G8B8A8_UNORM"), image("D32_SFLOAT_S8_UINT")
	for at := 0; at < len(depth.Data); at += 5 {
		copy(depth.Data[at:], []byte{0, 0, 0x80, 0x3f, 77})
	}
	face := emu.StencilFace{Pass: emu.StencilReplace, Compare: emu.CompareAlways, CompareMask: 255, WriteMask: 255, Reference: 5}
	n := make([]byte, 4)
	p := &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: color}}}, Multisample: emu.MultisampleState{Samples: samples},
		Depth: emu.DepthState{Test: true, Write: true, Compare: emu.CompareLess, StencilTest: true, Front: face, Back: face}}
	p.DepthStencil.View = &emu.ImageView{Image: depth}
	err = exec.Execute(t.Context(), &exec.Execution{Modules: []*nirc.Module{vertex, fragment}, Options: o, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1},
		Draw: p, Limits: emu.Limits{Check: true}, Bindings: []exec.Binding{{Data: n}}})
	return [3][]byte{color.Data, depth.Data, n}, err
}
