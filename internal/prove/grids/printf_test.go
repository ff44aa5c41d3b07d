package grids

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

const printfCompute = `#version 460
#extension GL_EXT_debug_printf : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 2) in;
layout(binding = 0) buffer B { int o[]; };
void line(int n) { debugPrintfEXT("%d of %i", n, -n); }
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i == 0) {
    debugPrintfEXT("plain");
    debugPrintfEXT("%5u|%-4x|%#o|%X %%", i + 7, 255, 8u, -1);
    debugPrintfEXT("%1.2v3f and %v2d", vec3(o[0], 0.5, -2), ivec2(o[1], -4));
    debugPrintfEXT("%lu %ld %f", 0x123456789abcdefUL, int64_t(-5), 0.1lf);
    debugPrintfEXT("%d %u %g", int8_t(-3), uint16_t(65535), float16_t(1.5));
    for (int k = 0; k < o[0]; k++) line(k);
  }
  o[2 + i] = 1;
}`

// TestPrintf: what a shader prints comes out as C would write it, on all targets; what there is no room for is counted.
func TestPrintf(t *testing.T) {
	m := prove.FromGLSL(t, ir.StageCompute, printfCompute)
	want := []string{"plain", "    7|ff  |010|FFFFFFFF %", "3.00, 0.50, -2.00 and 9, -4", "81985529216486895 -5 0.100000", "-3 65535 1.5", "0 of 0", "1 of -1", "2 of -2"}
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		x := &exec.Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2}, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
			Bindings: []exec.Binding{{Data: append([]byte{3, 0, 0, 0, 9, 0, 0, 0}, make([]byte, 8)...)}}}
		if err := exec.Execute(context.Background(), x); err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		if !slices.Equal(x.Printed, want) {
			t.Errorf("%s: %q, want %q", target, x.Printed, want)
		}
		if b := x.Bindings[0].Data; b[8] != 1 || b[12] != 1 {
			t.Errorf("%s: the shader's own buffer is %v", target, b)
		}
	}
	many := prove.FromGLSL(t, ir.StageCompute, strings.Replace(printfCompute, "k < o[0]; k++", "k < 90000; k++", 1))
	x := &exec.Execution{Modules: []*nirc.Module{many}, Options: nirc.Options{Target: nirc.IRTarget}, Groups: [3]uint32{1, 1, 1}, Bindings: []exec.Binding{{Data: make([]byte, 16)}}}
	if err := exec.Execute(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	last := len(x.Printed) - 1
	if x.Printed[last-1] != fmt.Sprintf("%d of -%d", last-6, last-6) || !strings.HasSuffix(x.Printed[last], "bytes more were printed than there was room for") {
		t.Errorf("%d lines, at the end %q", last, x.Printed[last-1:])
	}
}

// TestPrintfDraw prints from two stages, each by its own module.
func TestPrintfDraw(t *testing.T) {
	const extension = "\n#extension GL_EXT_debug_printf : require\n"
	vertex := prove.FromGLSL(t, ir.StageVertex, "#version 460"+extension+`void main() { debugPrintfEXT("vertex %d", gl_VertexIndex); gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1); }`)
	fragment := prove.FromGLSL(t, ir.StageFragment, "#version 460"+extension+`layout(location = 0) out vec4 c; void main() { if (ivec2(gl_FragCoord.xy) == ivec2(3, 2)) debugPrintfEXT("pixel %v2f", gl_FragCoord.xy); c = vec4(1); }`)
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 8, Format: emu.FormatByName("R8G8B8A8_UNORM")})
		if err != nil {
			t.Fatal(err)
		}
		x := &exec.Execution{Modules: []*nirc.Module{vertex, fragment}, Options: nirc.Options{Target: target, Level: passes.O2}, Limits: emu.Limits{Check: true},
			Draw: &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}}, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1}}
		if err := exec.Execute(context.Background(), x); err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		slices.Sort(x.Printed)
		if want := []string{"pixel 3.500000, 2.500000", "vertex 0", "vertex 1", "vertex 2"}; !slices.Equal(x.Printed, want) {
			t.Errorf("%s: %q, want %q", target, x.Printed, want)
		}
	}
}
