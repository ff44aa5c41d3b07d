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

// TestUntakenIndex: nothing reads early by an index that an if excludes: where that is not mapped, or no descriptor is, hardware may fault.
func TestUntakenIndex(t *testing.T) {
	for _, read := range []string{"t[n]", "u[n].x", "b[n].t[1]", "d[n].u[1].x", "float(b[n].t.length())", "float(textureSize(s[n], 0).x)", "float(c[n])", "p[n]"} {
		m := prove.FromGLSL(t, ir.StageCompute, strings.ReplaceAll(`#version 450
layout(local_size_x=32) in;
layout(set=0, binding=0) readonly buffer T { float t[]; };
layout(set=0, binding=1) uniform U { vec4 u[4]; };
layout(set=0, binding=2) readonly buffer B { float t[]; } b[4];
layout(set=0, binding=3) uniform sampler2D s[4];
layout(set=0, binding=5) uniform D { vec4 u[4]; } d[4];
layout(push_constant) uniform P { float p[4]; uint n; };
const uint c[8] = uint[](3, 1, 4, 1, 5, 9, 2, 6);
layout(set=0, binding=4) writeonly buffer Out { float o[]; };
void main() { float x = 1.0; if (n < 4u) x = READ; o[gl_LocalInvocationIndex] = x; }`, "READ", read))
		out := make([]byte, 128)
		bindings := []exec.Binding{{Binding: 0, Data: make([]byte, 64)}, {Binding: 1, Data: make([]byte, 64)}, {Binding: 4, Data: out}}
		for i := range uint32(4) {
			img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Format: emu.FormatByName("R8_UNORM")})
			if err != nil {
				t.Fatal(err)
			}
			bindings = append(bindings, exec.Binding{Binding: 2, Element: i, Data: make([]byte, 64)}, exec.Binding{Binding: 3, Element: i, Image: img}, exec.Binding{Binding: 5, Element: i, Data: make([]byte, 64)})
		}
		for _, target := range []string{"agx", "ir3", "midgard"} {
			for _, index := range []uint32{4, 100_003, 1 << 30} {
				x := &exec.Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2}, Groups: [3]uint32{1, 1, 1},
					Limits: emu.Limits{Check: true}, Bindings: bindings, Push: binary.LittleEndian.AppendUint32(make([]byte, 16), index)}
				if err := exec.Execute(t.Context(), x); err != nil {
					t.Errorf("%s: %s at %d: %v", target, read, index, err)
				} else if got := binary.LittleEndian.Uint32(out[124:]); got != 0x3f800000 {
					t.Errorf("%s: %s at %d: stores %#x", target, read, index, got)
				}
			}
		}
	}
}
