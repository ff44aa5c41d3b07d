package exec

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/passes"
)

// sparseShader accesses a row of eight texels, of which those from the fifth on have no memory, and says of each access
// whether all that it touched has.
const sparseShader = `#version 450
#extension GL_ARB_sparse_texture2 : require
layout(local_size_x=8) in;
layout(set=0, binding=0) uniform sampler2D s;
layout(set=0, binding=1, r32f) uniform readonly image2D m;
layout(std430, set=0, binding=2) buffer W { vec4 w[]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  vec4 a = vec4(9), b = vec4(9), c = vec4(9), d = vec4(9);
  int one = sparseTexelFetchARB(s, ivec2(i, 0), 0, a);
  int two = sparseTextureLodARB(s, vec2((float(i) + 0.5) / 8.0, 0.5), 0.0, b);
  int three = sparseImageLoadARB(m, ivec2(i, 0), c);
  int four = sparseTextureGatherARB(s, vec2((float(i) + 1.0) / 8.0, 0.5), d);
  w[i] = vec4(a.x + b.x, c.x, d.x + d.y,
    float(sparseTexelsResidentARB(one)) + 2.0 * float(sparseTexelsResidentARB(two)) + 4.0 * float(sparseTexelsResidentARB(three)) + 8.0 * float(sparseTexelsResidentARB(four)));
}
`

// TestSparseResidency runs accesses to an image of which some has no memory: reads give 0 there, and residency codes say so.
func TestSparseResidency(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	m := computeModule(t, sparseShader)
	const bound = 4
	var want [8][4]float32
	texel := func(i int) float32 {
		if i = min(i, 7); i < bound {
			return float32(i + 1)
		}
		return 0
	}
	for i := range want {
		mask := float32(0)
		if i < bound {
			mask = 7
		}
		if i+1 < bound {
			mask += 8
		}
		want[i] = [4]float32{2 * texel(i), texel(i), texel(i) + texel(i+1), mask}
	}
	for _, target := range []string{"ir", "ir3", "agx"} {
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 1, Format: emu.FormatByName("R32_SFLOAT")})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 8 {
				binary.LittleEndian.PutUint32(img.Data[4*i:], math.Float32bits(float32(i+1)))
			}
			img.Unbound = []emu.Unbound{{From: 4 * bound, To: len(img.Data)}}
			w := make([]byte, 16*8)
			x := &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: level}, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
				Bindings: []Binding{{Binding: 0, Image: img}, {Binding: 1, Image: img}, {Binding: 2, Data: w}}}
			if err := Execute(context.Background(), x); err != nil {
				t.Errorf("%s %s: %v", target, level, err)
				continue
			}
			for i := range want {
				var got [4]float32
				for k := range got {
					got[k] = math.Float32frombits(binary.LittleEndian.Uint32(w[16*i+4*k:]))
				}
				if got != want[i] {
					t.Errorf("%s %s: texel %d: %v, want %v", target, level, i, got, want[i])
				}
			}
		}
	}
}

// TestShaderClock reads the clock twice: it goes on.
func TestShaderClock(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	m := computeModule(t, `#version 450
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_shader_clock : require
layout(local_size_x=4) in;
layout(std430, set=0, binding=0) buffer W { uvec2 w[]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  uvec2 a = clock2x32ARB();
  w[2 * i] = a;
  if (i > 0) w[2 * i + 1] = clockRealtime2x32EXT();
}
`)
	for _, target := range []string{"ir", "ir3"} {
		w := make([]byte, 16*4)
		x := &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target}, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}, Bindings: []Binding{{Binding: 0, Data: w}}}
		if err := Execute(context.Background(), x); err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		first := binary.LittleEndian.Uint64(w)
		for i := range 4 {
			a, b := binary.LittleEndian.Uint64(w[16*i:]), binary.LittleEndian.Uint64(w[16*i+8:])
			if a != first || a == 0 || (i > 0) != (b > a) {
				t.Errorf("%s: lane %d: %d, then %d; lane 0: %d", target, i, a, b, first)
			}
		}
	}
}

// TestSparseStorageImages reads storage images whose last part has no memory: of several samples, whose residency is that
// of the layers that they are bound as on ir3, and of 64 bits.
func TestSparseStorageImages(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	const shader = `#version 450
#extension GL_ARB_sparse_texture2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_image_int64 : require
layout(local_size_x=8) in;
layout(set=0, binding=0, FORMAT) uniform IMAGE m;
layout(std430, set=0, binding=1) buffer W { uvec2 w[]; };
void main() {
  int i = int(gl_LocalInvocationIndex);
  VECTOR v;
  int code = sparseImageLoadARB(m, PLACE, v);
  w[i] = uvec2(v.x, sparseTexelsResidentARB(code));
}
`
	for _, c := range []struct {
		name, gpu, image, vector, place, format string
		targets                                 []string
		desc                                    emu.ImageDesc
	}{
		{"samples", "a630", "uimage2DMS", "uvec4", "ivec2(i / 4, 0), i % 4", "R32_UINT", []string{"ir", "ir3", "agx"}, emu.ImageDesc{Width: 2, Height: 1, Samples: 4}},
		{"layers of samples", "a630", "uimage2DMSArray", "uvec4", "ivec3(0, 0, i / 4), i % 4", "R32_UINT", []string{"ir", "ir3", "agx"}, emu.ImageDesc{Width: 1, Height: 1, Layers: 2, Samples: 4}},
		{"64 bits", "a740", "u64image2D", "u64vec4", "ivec2(i, 0)", "R64_UINT", []string{"ir", "ir3"}, emu.ImageDesc{Width: 8, Height: 1}},
	} {
		format := map[string]string{"R32_UINT": "r32ui", "R64_UINT": "r64ui"}[c.format]
		m := computeModule(t, strings.NewReplacer("FORMAT", format, "IMAGE", c.image, "VECTOR", c.vector, "PLACE", c.place).Replace(shader))
		for _, target := range c.targets {
			c.desc.Format = emu.FormatByName(c.format)
			img, err := emu.NewImage(c.desc)
			if err != nil {
				t.Fatal(err)
			}
			size := len(img.Data) / 8
			for i := range 8 {
				img.Data[i*size] = byte(i + 1)
			}
			img.Unbound = []emu.Unbound{{From: 5 * size, To: 8 * size}}
			w := make([]byte, 8*8)
			o := nirc.Options{Target: target}
			if target == "ir3" {
				o.GPU = c.gpu
			}
			x := &Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
				Bindings: []Binding{{Binding: 0, Image: img}, {Binding: 1, Data: w}}}
			if err := Execute(context.Background(), x); err != nil {
				t.Errorf("%s on %s: %v", c.name, target, err)
				continue
			}
			for i := range 8 {
				want := [2]uint32{uint32(i + 1), 1}
				if i >= 5 {
					want = [2]uint32{}
				}
				if got := [2]uint32{binary.LittleEndian.Uint32(w[8*i:]), binary.LittleEndian.Uint32(w[8*i+4:])}; got != want {
					t.Errorf("%s on %s: texel %d: %v, want %v", c.name, target, i, got, want)
				}
			}
		}
	}
}
