package exec

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"nirc"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/passes"
)

// TestImmutableSamplers samples by the samplers that the layout has, of arrays and of combined bindings, and by the
// driver's where it has none.
func TestImmutableSamplers(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	m := computeModule(t, `#version 450
layout(local_size_x=1) in;
layout(set=0, binding=0) uniform sampler2D fixedOne;
layout(set=0, binding=1) uniform sampler2D freeOne;
layout(set=0, binding=2) uniform texture2D image;
layout(set=0, binding=3) uniform sampler fixedSampler;
layout(std430, set=0, binding=4) buffer W { float w[4]; };
void main() {
  vec2 at = vec2(1.25, 0.5);
  w[0] = textureLod(fixedOne, at, 0).x;
  w[1] = textureLod(freeOne, at, 0).x;
  w[2] = textureLod(sampler2D(image, fixedSampler), at, 0).x;
  w[3] = textureLod(sampler2D(image, fixedSampler), vec2(-0.25, 0.5), 0).x;
}`)
	repeat := layout.SamplerState{MaxLod: 1} // nearest, repeated
	mirrored := layout.SamplerState{Address: [3]uint8{1, 1, 1}, MagFilter: 1, MinFilter: 1, MaxLod: 1}
	l := &layout.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{
		{Binding: 0, Type: layout.CombinedImageSampler, Count: 1, Stages: layout.AllStages, Immutable: []layout.SamplerState{repeat}},
		{Binding: 1, Type: layout.CombinedImageSampler, Count: 1, Stages: layout.AllStages},
		{Binding: 2, Type: layout.SampledImage, Count: 1, Stages: layout.AllStages},
		{Binding: 3, Type: layout.Sampler, Count: 1, Stages: layout.AllStages, Immutable: []layout.SamplerState{mirrored}},
		{Binding: 4, Type: layout.StorageBuffer, Count: 1, Stages: layout.AllStages},
	}}}}
	img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 1, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(img.Data, math.Float32bits(2))
	binary.LittleEndian.PutUint32(img.Data[4:], math.Float32bits(6))
	for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
		w := make([]byte, 16)
		err := Execute(context.Background(), &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2, Layout: l}, Groups: [3]uint32{1, 1, 1},
			Limits: emu.Limits{Check: true}, Bindings: []Binding{{Image: img}, {Binding: 1, Image: img}, {Binding: 2, Image: img}, {Binding: 4, Data: w}}})
		var got [4]float32
		for i := range got {
			got[i] = math.Float32frombits(binary.LittleEndian.Uint32(w[4*i:]))
		}
		// Repeated: the first texel. Clamped to the edge: the last. Mirrored: the last, and the first.
		if want := [4]float32{2, 6, 6, 2}; err != nil || got != want {
			t.Errorf("%s: %v, want %v; %v", target, got, want, err)
		}
	}
}
