package grids

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

const texelAliasShader = `#version 450
layout(local_size_x=256) in;
layout(set=0,binding=0) buffer B { uint b[256]; };
layout(set=0,binding=1,r32ui) uniform uimage2D im;
layout(set=0,binding=2,r32ui) uniform uimageBuffer tb;
layout(set=0,binding=4) uniform usampler2D looked;
layout(set=0,binding=5) uniform usamplerBuffer lookedBuffer;
layout(constant_id=0) const uint which = 0;
uint sampled(int x) { return textureLod(looked, vec2((float(x) + 0.5) / 256.0, 0.5), 0.0).x; }
void main() { uint i = gl_LocalInvocationIndex; int k = int(i), far = 255 - k; switch (which) { CASES } }
`

const texelAliasScript = `#!amber
SHADER compute cs SPIRV-ASM
MODULE
END
BUFFER b DATA_TYPE uint32 SIZE 256 FILL 9
BUFFER tb DATA_TYPE uint32 SIZE 256 FILL 500
IMAGE img DATA_TYPE uint32 DIM_2D WIDTH 256 HEIGHT 1 FILL 500
SAMPLER smp MAG_FILTER nearest MIN_FILTER nearest
PIPELINE compute p
 ATTACH cs SPECIALIZE 0 AS uint32 WHICH
 BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
 BIND BUFFER img AS storage_image DESCRIPTOR_SET 0 BINDING 1
 BIND BUFFER img AS combined_image_sampler SAMPLER smp DESCRIPTOR_SET 0 BINDING 4
 BIND BUFFER tb AS storage_texel_buffer DESCRIPTOR_SET 0 BINDING 2
 BIND BUFFER tb AS uniform_texel_buffer DESCRIPTOR_SET 0 BINDING 5
END
RUN p 1 1 1
EXPECT b IDX 0 EQ RESULTS
`

// TestAliasedTexels: lookups of images and texel buffers that are decorated Aliased stay on their side of stores through other
// variables, and of barriers, on all targets and levels.
func TestAliasedTexels(t *testing.T) {
	const store, storeBuffer, barrier = "imageStore(im, ivec2(k, 0), uvec4(i + 1000u)); ", "imageStore(tb, k, uvec4(i + 1000u)); ", "memoryBarrierImage(); barrier(); "
	list := []struct {
		name, body string
		want       func(i int) int
	}{
		{"sample after a barrier", store + barrier + "b[i] = sampled(far);", func(i int) int { return 1255 - i }},
		{"fetch after a barrier", store + barrier + "b[i] = texelFetch(looked, ivec2(far, 0), 0).x;", func(i int) int { return 1255 - i }},
		{"gather after a barrier", store + barrier + "b[i] = textureGather(looked, vec2(float(far) / 256.0, 0.5)).y;", func(i int) int { return 1255 - i }},
		{"sample before and after", "uint was = sampled(k); " + store + "memoryBarrierImage(); " + "b[i] = 2u * was + sampled(k);", func(i int) int { return 2000 + i }},
		{"sample before and after a barrier", "uint was = sampled(far); " + barrier + store + barrier + "b[i] = 2u * was + sampled(far);", func(i int) int { return 2255 - i }},
		{"texel buffer", "uint was = texelFetch(lookedBuffer, k).x; " + storeBuffer + "memoryBarrierImage(); " + "b[i] = 2u * was + texelFetch(lookedBuffer, k).x;", func(i int) int { return 2000 + i }},
		{"texel buffer after a barrier", storeBuffer + barrier + "b[i] = texelFetch(lookedBuffer, far).x;", func(i int) int { return 1255 - i }},
	}
	var cases strings.Builder
	for i, c := range list {
		fmt.Fprintf(&cases, "case %d: { %s } break; ", i, c.body)
	}
	text, err := prove.FromGLSL(t, ir.StageCompute, strings.Replace(texelAliasShader, "CASES", cases.String(), 1)).Disassemble()
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^ *OpDecorate (%\d+) Binding [1245]$`).ReplaceAllString(text, "$0\nOpDecorate $1 Aliased")
	if strings.Count(text, "Aliased") != 4 {
		t.Fatalf("not four variables are decorated:\n%s", text)
	}
	for i, c := range list {
		var results strings.Builder
		for k := range 256 {
			fmt.Fprintf(&results, "%d ", c.want(k))
		}
		s, err := amber.Parse(c.name, []byte(strings.NewReplacer("MODULE", text, "WHICH", fmt.Sprint(i), "RESULTS", results.String()).Replace(texelAliasScript)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ir", "ir3", "agx", "midgard"} {
			for _, level := range []passes.Level{passes.O0, passes.O2} {
				target, err := exec.AmberTarget(nirc.Options{Target: name, Level: level})
				if err != nil {
					t.Fatal(err)
				}
				if r := (&amber.Runner{Target: target, Limits: emu.Limits{Check: true}}).Run(t.Context(), s); r.Verdict != amber.Pass {
					t.Errorf("%s on %s at O%v: %+v", c.name, name, level, r)
				}
			}
		}
	}
}
