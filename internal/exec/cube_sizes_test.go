package exec

import (
	"encoding/binary"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/passes"
)

// TestCubeSizes asks for the size of an array of three cubes, as a texture and as a storage image: hardware counts the faces of one or of both.
func TestCubeSizes(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	m := computeModule(t, `#version 450
layout(local_size_x=1) in;
layout(set=0, binding=0) uniform samplerCubeArray c;
layout(set=0, binding=1, r32f) uniform readonly imageCubeArray d;
layout(std430, set=0, binding=2) buffer W { uint w[2]; };
void main() { w[0] = textureSize(c, 0).z; w[1] = imageSize(d).z; }`)
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Layers: 18, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			w := make([]byte, 8)
			x := &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: level}, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
				Bindings: []Binding{{Binding: 0, Image: img}, {Binding: 1, Image: img}, {Binding: 2, Data: w}}}
			if err := Execute(t.Context(), x); err != nil {
				t.Errorf("%s: %v", target, err)
				continue
			}
			if texture, image := binary.LittleEndian.Uint32(w), binary.LittleEndian.Uint32(w[4:]); texture != 3 || image != 3 {
				t.Errorf("%s: %d cubes of the texture, %d of the image, want 3", target, texture, image)
			}
		}
	}
}
