package exec_test

import (
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestDrawHangsOnGarbage: a colour that comes from an element of an array which nothing has written is an error
// on every core, which names it and what it hangs on.
func TestDrawHangsOnGarbage(t *testing.T) {
	modules := []*nirc.Module{
		prove.FromGLSL(t, ir.StageVertex, `#version 450
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); }`),
		prove.FromGLSL(t, ir.StageFragment, `#version 450
layout(location = 0) out vec4 o;
layout(set = 0, binding = 0) buffer B { int at; };
void main() { float a[64]; a[at] = 0.5; o = vec4(0, a[at + 1], 0, 1); }`)}
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		for next, want := range map[byte]string{3: "colour attachment 0 at (", 4: ""} {
			img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
			if err != nil {
				t.Fatal(err)
			}
			p := &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}}
			x := &exec.Execution{Modules: modules, Options: nirc.Options{Target: target, Level: passes.O2}, Draw: p, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1},
				Limits: emu.Limits{Check: true}, Bindings: []exec.Binding{{Data: []byte{next, 0, 0, 0}}}}
			if want == "" {
				x.Limits.Check = false // a lenient run says nothing
			}
			err = exec.Execute(t.Context(), x)
			switch {
			case want == "" && err != nil:
				t.Errorf("%s: %v", target, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "hangs on what nothing wrote") || !strings.Contains(err.Error(), "fragment stage")):
				t.Errorf("%s: %v", target, err)
			}
		}
	}
}
