package grids

import (
	"context"
	"math"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestImplicitGradients: how many texels a pixel steps over, in either direction of the screen, chooses the level of detail: each
// level of the texture holds its number.
func TestImplicitGradients(t *testing.T) {
	const size, levels = 16, 5
	vs := prove.FromGLSL(t, ir.StageVertex, "#version 450\nvoid main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0, 1); }")
	fs := prove.FromGLSL(t, ir.StageFragment, `#version 450
layout(set = 0, binding = 0) uniform sampler2D s;
layout(push_constant) uniform P { vec4 step; }; // of the coordinates a pixel to the right, and a pixel down
layout(location = 0) out float o;
void main() { o = texture(s, gl_FragCoord.x * step.xy + gl_FragCoord.y * step.zw).x; }`)
	tex, err := emu.NewImage(emu.ImageDesc{Width: size, Height: size, Mips: levels, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	for level := range levels {
		data := tex.LevelBytes(level)
		for i := 0; i < len(data); i += 4 {
			emu.StoreBytes(data[i:], 4, uint64(math.Float32bits(float32(level))))
		}
	}
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		for place := range 4 {
			for level := range 4 {
				step := [4]float32{}
				step[place] = float32(int(1)<<level) / size
				var push []byte
				for _, v := range step {
					push = append(push, make([]byte, 4)...)
					emu.StoreBytes(push[len(push)-4:], 4, uint64(math.Float32bits(v)))
				}
				img, err := emu.NewImage(emu.ImageDesc{Width: 6, Height: 6, Format: emu.FormatByName("R32_SFLOAT")})
				if err != nil {
					t.Fatal(err)
				}
				view := &emu.ImageView{Image: img}
				x := &exec.Execution{Modules: []*nirc.Module{vs, fs}, Options: nirc.Options{Target: target, Level: passes.O2}, Push: push,
					Bindings: []exec.Binding{{Image: tex}},
					Draw:     &emu.Pipeline{Topology: emu.TriangleList, Color: []emu.Attachment{{View: view}}}, DrawParams: emu.DrawParams{VertexCount: 3, InstanceCount: 1}, Limits: emu.Limits{Check: true}}
				if err := exec.Execute(context.Background(), x); err != nil {
					t.Fatal(err)
				}
				for i := range 36 {
					if got := math.Float32frombits(view.Load(i%6, i/6, 0, 0, 0)[0]); !(math.Abs(float64(got)-float64(level)) < 0.02) {
						t.Fatalf("%s, steps of %v, pixel (%d, %d): level %v, want %d", target, step, i%6, i/6, got, level)
					}
				}
			}
		}
	}
}
