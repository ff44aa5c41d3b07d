package grids

import (
	"context"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestOwnTexels: an invocation that is alone sees what it has stored to a texel right before, by loads and by atomics.
func TestOwnTexels(t *testing.T) {
	m := prove.FromGLSL(t, ir.StageCompute, `#version 450
layout(set = 0, binding = 0, r32ui) uniform uimage2D im;
layout(set = 0, binding = 1) buffer B { uint o[3]; };
void main() {
  imageStore(im, ivec2(1, 0), uvec4(o[0] + 7u));
  uint x = imageLoad(im, ivec2(1, 0)).x;
  imageStore(im, ivec2(0, 1), uvec4(x + 20u));
  uint y = imageAtomicAdd(im, ivec2(0, 1), 5u);
  o[0] = x; o[1] = y; o[2] = imageLoad(im, ivec2(0, 1)).x;
}`)
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 2, Format: emu.FormatByName("R32_UINT")})
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 12)
		x := &exec.Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2}, Groups: [3]uint32{1, 1, 1},
			Bindings: []exec.Binding{{Image: img}, {Binding: 1, Data: data}}, Limits: emu.Limits{Check: true}}
		if err := exec.Execute(context.Background(), x); err != nil {
			t.Fatal(err)
		}
		if got := [3]byte{data[0], data[4], data[8]}; got != [3]byte{7, 27, 32} {
			t.Fatalf("%s: %d, want 7, 27 and 32", target, got)
		}
	}
}
