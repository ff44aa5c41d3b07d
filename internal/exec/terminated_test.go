package exec_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestTerminatedReads: fragments that end read nothing by the index that made them end, where nothing may be mapped or no
// descriptor is. Every other fragment ends, so that each quad has some that go on.
func TestTerminatedReads(t *testing.T) {
	vs := prove.FromGLSL(t, ir.StageVertex, `#version 450
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); }`)
	for _, read := range []string{"t[n]", "u[n].x", "b[n].t[1]", "d[n].u[1].x", "float(c[n])", "p[n]", "texelFetch(s[n], ivec2(0), 0).x"} {
		fs := prove.FromGLSL(t, ir.StageFragment, strings.ReplaceAll(`#version 450
#extension GL_EXT_terminate_invocation : require
layout(set=0, binding=0) readonly buffer T { float t[]; };
layout(set=0, binding=1) uniform U { vec4 u[4]; };
layout(set=0, binding=2) readonly buffer B { float t[]; } b[4];
layout(set=0, binding=3) uniform sampler2D s[4];
layout(set=0, binding=5) uniform D { vec4 u[4]; } d[4];
layout(push_constant) uniform P { float p[4]; uint far; };
const uint c[8] = uint[](0, 0, 0, 0, 0, 0, 0, 0);
layout(location=0) out vec4 colour;
void main() { uint n = (int(gl_FragCoord.x) & 1) != 0 ? far : 1u; if (n >= 4u) terminateInvocation; colour = vec4(READ, 1, 1, 1); }`, "READ", read))
		bindings := []exec.Binding{{Binding: 0, Data: make([]byte, 64)}, {Binding: 1, Data: make([]byte, 64)}}
		for i := range uint32(4) {
			texture, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Format: emu.FormatByName("R8_UNORM")})
			if err != nil {
				t.Fatal(err)
			}
			bindings = append(bindings, exec.Binding{Binding: 3, Element: i, Image: texture}, exec.Binding{Binding: 2, Element: i, Data: make([]byte, 64)}, exec.Binding{Binding: 5, Element: i, Data: make([]byte, 64)})
		}
		for _, target := range []string{"agx", "ir3", "midgard"} {
			for _, far := range []uint32{100_003, 1 << 30} {
				img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
				if err != nil {
					t.Fatal(err)
				}
				x := &exec.Execution{Modules: []*nirc.Module{vs, fs}, Options: nirc.Options{Target: target, Level: passes.O2},
					Draw:       &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}},
					DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1}, Limits: emu.Limits{Check: true}, Bindings: bindings,
					Push: binary.LittleEndian.AppendUint32(make([]byte, 16), far)}
				if err := exec.Execute(t.Context(), x); err != nil {
					t.Errorf("%s: %s at %d: %v", target, read, far, err)
				}
			}
		}
	}
}
