package grids

import (
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/refs"
	"nirc/passes"
)

const texelRaceScript = `#!amber
SHADER compute cs GLSL
#version 450
layout(local_size_x=256) in;
layout(set=0,binding=0) buffer B { uint b[256]; };
layout(set=0,binding=1,r32ui) uniform uimage2D im;
layout(set=0,binding=3,r32ui) uniform coherent uimage2D coherent_im;
layout(constant_id=0) const uint which = 0;
layout(set=0,binding=2,r32ui) uniform uimageBuffer tb;
layout(set=0,binding=4) uniform usampler2D looked;
layout(set=0,binding=5) uniform usampler2D other;
void main(){ uint i = gl_LocalInvocationIndex; int k = int(i), far = 255 - k; switch (which) { CASES } }
END
BUFFER b DATA_TYPE uint32 SIZE 256 FILL 9
BUFFER tb DATA_TYPE uint32 SIZE 256 FILL 9
IMAGE img DATA_TYPE uint32 DIM_2D WIDTH 256 HEIGHT 1 FILL 500
IMAGE img2 DATA_TYPE uint32 DIM_2D WIDTH 256 HEIGHT 1 FILL 500
SAMPLER smp MAG_FILTER nearest MIN_FILTER nearest
PIPELINE compute p
 ATTACH cs SPECIALIZE 0 AS uint32 WHICH
 BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
 BIND BUFFER img AS storage_image DESCRIPTOR_SET 0 BINDING 1
 BIND BUFFER img AS storage_image DESCRIPTOR_SET 0 BINDING 3
 BIND BUFFER tb AS storage_texel_buffer DESCRIPTOR_SET 0 BINDING 2
 BIND BUFFER img AS combined_image_sampler SAMPLER smp DESCRIPTOR_SET 0 BINDING 4
 BIND BUFFER img2 AS combined_image_sampler SAMPLER smp DESCRIPTOR_SET 0 BINDING 5
END
RUN p GROUPS 1 1
`

// TestTexelRaces: races on texels, of images and of texel buffers, show on all cores with the places of both accesses;
// barriers of images, atomics and coherent accesses order.
func TestTexelRaces(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	var cache amber.ModuleCache
	const store, load = "imageStore(im, ivec2(k, 0), uvec4(i + 1000u)); ", "b[i] = imageLoad(im, ivec2(far, 0)).x;"
	const storeBuffer, loadBuffer = "imageStore(tb, k, uvec4(i + 1000u)); ", "b[i] = imageLoad(tb, far).x;"
	// Lookups are taken to read what no store of the shader reaches (nir-ir.md §17.5), and move over barriers.
	moves := func(target string) bool { return target == "agx" || target == "midgard" }
	list := []struct {
		name, body, groups string
		race               func(target string) bool
	}{
		{"image", store + load, "1", func(string) bool { return true }},
		{"image, barrier", store + "memoryBarrierImage(); barrier(); " + load, "1", func(string) bool { return false }},
		{"image, barrier of buffers", store + "memoryBarrierBuffer(); barrier(); " + load, "1", func(target string) bool { return target == "ir" }}, // AGX has barriers of images after each store
		{"other texels", store + "b[i] = imageLoad(im, ivec2(k, 0)).x;", "1", func(string) bool { return false }},
		{"atomics", "imageAtomicAdd(im, ivec2(0), i);", "2", func(string) bool { return false }},
		{"atomic and load", "imageAtomicAdd(tb, 0, i); b[i] = imageLoad(tb, 0).x;", "1", func(target string) bool { return target == "ir" }},
		{"workgroups", "imageStore(im, ivec2(0), uvec4(gl_WorkGroupID.x)); imageStore(im, ivec2(int(i & 1u), 0), uvec4(7u));", "2", func(string) bool { return true }},
		{"coherent", "imageStore(coherent_im, ivec2(k, 0), uvec4(i + 1000u)); b[i] = imageLoad(coherent_im, ivec2(far, 0)).x;", "1", func(string) bool { return false }},
		// Another view of the image, with a sampler.
		{"fetch", store + "b[i] = texelFetch(looked, ivec2(far, 0), 0).x;", "1", func(string) bool { return true }},
		{"sample", store + "b[i] = textureLod(looked, vec2((float(far) + 0.5) / 256.0, 0.5), 0.0).x;", "1", func(string) bool { return true }},
		{"gather", store + "b[i] = textureGather(looked, vec2(float(far) / 256.0, 0.5)).x;", "1", func(string) bool { return true }},
		{"sample, barrier", store + "memoryBarrierImage(); barrier(); b[i] = textureLod(looked, vec2((float(far) + 0.5) / 256.0, 0.5), 0.0).x;", "1", moves},
		{"fetch before", "b[i] = texelFetch(looked, ivec2(far, 0), 0).x; " + store, "1", func(string) bool { return true }},
		{"fetch of another", store + "b[i] = texelFetch(other, ivec2(far, 0), 0).x;", "1", func(string) bool { return false }},
		{"texel buffer", storeBuffer + loadBuffer, "1", func(string) bool { return true }},
		{"texel buffer, barrier", storeBuffer + "memoryBarrierImage(); barrier(); " + loadBuffer, "1", func(string) bool { return false }},
	}
	var cases strings.Builder
	for i, c := range list {
		fmt.Fprintf(&cases, "case %d: %s break; ", i, c.body)
	}
	for i, c := range list {
		s, err := amber.Parse(c.name, []byte(strings.NewReplacer("CASES", cases.String(), "GROUPS", c.groups, "WHICH", fmt.Sprint(i)).Replace(texelRaceScript)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ir", "ir3", "agx", "midgard"} {
			target, err := exec.AmberTarget(nirc.Options{Target: name, Level: passes.O2})
			if err != nil {
				t.Fatal(err)
			}
			r := (&amber.Runner{Target: target, Modules: &cache, Limits: emu.Limits{Check: true}}).Run(t.Context(), s)
			switch want := c.race(name); {
			case !want && r.Verdict != amber.Pass:
				t.Errorf("%s on %s: %+v", c.name, name, r)
			case want && strings.Contains(r.Reason, "it reads an image whose writes are under way"): // AGX's core says it first
			case want && (!strings.Contains(r.Reason, "race on the texel") || strings.Count(r.Reason, "of workgroup") != 2):
				t.Errorf("%s on %s: no race is reported: %+v", c.name, name, r)
			}
		}
	}
}
