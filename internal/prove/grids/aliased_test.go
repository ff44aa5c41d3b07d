package grids

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// aliasedShader reads images of several shapes that are elements of one binding, as engines declare their table of all images.
const aliasedShader = `#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform texture2D flats[];
layout(set = 0, binding = 0) uniform textureCube cubes[];
layout(set = 0, binding = 0) uniform texture3D solids[];
layout(set = 0, binding = 0) uniform texture2DArray layers[];
layout(set = 0, binding = 0) uniform textureCubeArray cubeArrays[];
layout(set = 0, binding = 0) uniform texture1D lines[];
layout(set = 1, binding = 0) uniform sampler near;
layout(set = 3, binding = 0, r32f) uniform image2D flatImages[];
layout(set = 3, binding = 0, r32f) uniform image3D solidImages[];
layout(set = 3, binding = 0) uniform textureBuffer texels[];
layout(std430, set = 3, binding = 0) buffer B { float b[4]; } buffers[];
layout(std430, set = 2, binding = 0) buffer R { uint base; float r[]; };
void main() {
  uint k = base, at = gl_LocalInvocationIndex * 16;
  float s = float(gl_LocalInvocationIndex) * 0.25 + 0.125;
  r[at + 0] = textureLod(sampler2D(flats[k + 0], near), vec2(s, 0.75), 0).x;
  r[at + 1] = textureLod(samplerCube(cubes[k + 1], near), vec3(s - 0.5, 1, 0.25), 0).x;
  r[at + 2] = textureLod(sampler3D(solids[k + 2], near), vec3(s, 0.25, 0.75), 0).x;
  r[at + 3] = textureLod(sampler2DArray(layers[k + 3], near), vec3(s, 0.25, 2), 0).x;
  r[at + 4] = textureLod(samplerCubeArray(cubeArrays[k + 4], near), vec4(s - 0.5, 0.25, -1, 1), 0).x;
  r[at + 5] = textureLod(sampler1D(lines[k + 5], near), s, 0).x;
  r[at + 6] = texelFetch(sampler2DArray(layers[k + 3], near), ivec3(1, 2, 3), 0).x;
  r[at + 7] = texelFetch(sampler3D(solids[k + 2], near), ivec3(1, 2, 3), 0).x;
  r[at + 8] = float(textureSize(samplerCubeArray(cubeArrays[k + 4], near), 0).z);
  r[at + 9] = float(textureSize(sampler2DArray(layers[k + 3], near), 0).z);
  r[at + 10] = texelFetch(sampler1D(lines[k + 5], near), 3, 0).x;
  r[at + 11] = textureLod(sampler2D(flats[6], near), vec2(s, 0.25), 0).x;
  r[at + 12] = imageLoad(flatImages[k + 0], ivec2(gl_LocalInvocationIndex, 2)).x;
  r[at + 13] = imageLoad(solidImages[k + 1], ivec3(gl_LocalInvocationIndex, 2, 3)).x;
  r[at + 14] = texelFetch(texels[k + 2], int(gl_LocalInvocationIndex)).x;
  r[at + 15] = buffers[k + 3].b[gl_LocalInvocationIndex];
}`

// TestAliasedImages: images of all shapes may stand in one array of descriptors, which the shader declares once for each, and so may images, texel buffers and buffers.
func TestAliasedImages(t *testing.T) {
	m := prove.FromGLSL(t, ir.StageCompute, aliasedShader)
	var images []exec.Binding
	for i, d := range []emu.ImageDesc{{Width: 4, Height: 4}, {Width: 4, Height: 4, Layers: 6}, {Width: 4, Height: 4, Depth: 4}, {Width: 4, Height: 4, Layers: 4},
		{Width: 4, Height: 4, Layers: 12}, {Width: 4, Height: 1}, {Width: 4, Height: 4}} {
		d.Format = emu.FormatByName("R32_SFLOAT")
		img, err := emu.NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; k < len(img.Data); k += 4 {
			binary.LittleEndian.PutUint32(img.Data[k:], math.Float32bits(float32(1000*i+k/4)))
		}
		images = append(images, exec.Binding{Element: uint32(i), Image: img})
	}
	data := make([]byte, 16)
	for k := range uint32(4) {
		binary.LittleEndian.PutUint32(data[4*k:], math.Float32bits(float32(500+k)))
	}
	images = append(images, exec.Binding{Set: 3, Image: images[0].Image}, exec.Binding{Set: 3, Element: 1, Image: images[2].Image},
		exec.Binding{Set: 3, Element: 2, Data: data, Format: emu.FormatByName("R32_SFLOAT")}, exec.Binding{Set: 3, Element: 3, Data: data})
	results := func(o nirc.Options) []byte {
		w := make([]byte, 4+4*4*16)
		x := &exec.Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}, Bindings: append(images[:len(images):len(images)], exec.Binding{Set: 2, Data: w})}
		if err := exec.Execute(context.Background(), x); err != nil {
			t.Errorf("%s %s: %v", o.Target, o.GPU, err)
		}
		return w
	}
	want := results(nirc.Options{Target: nirc.IRTarget, Level: passes.O2})
	seen := map[uint32]bool{}
	for k := 4; k < len(want); k += 4 {
		seen[binary.LittleEndian.Uint32(want[k:])] = true
	}
	if len(seen) < 24 {
		t.Errorf("%d different results", len(seen))
	}
	for _, o := range []nirc.Options{{Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "midgard"}} {
		for _, o.Level = range []passes.Level{passes.O0, passes.O2} {
			got := results(o)
			for k := 4; k < len(want); k += 4 {
				if a, b := got[k:k+4], want[k:k+4]; string(a) != string(b) {
					t.Errorf("%s, %s: result %d of lane %d is %g, want %g", o.Target+o.GPU, o.Level, (k/4-1)%16, (k/4-1)/16, math.Float32frombits(binary.LittleEndian.Uint32(a)), math.Float32frombits(binary.LittleEndian.Uint32(b)))
				}
			}
		}
	}
}
