package agx_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// samplersSource reads a texel with each of 24 samplers, most of which are named
// by constants, and then with one chosen at run time.
const samplersSource = `#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform texture2D t;
layout(set = 0, binding = 1) uniform sampler a[20];
layout(set = 0, binding = 2) uniform sampler b[4];
layout(set = 0, binding = 3) buffer O { float v[]; };
#define S(k) v[k] = textureLod(sampler2D(t, a[k]), vec2(0.4375, 0.5), 0).x;
void main() {
  uint i = gl_LocalInvocationIndex;
  if (i == 0) {
    S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9) S(10) S(11) S(12) S(13) S(14) S(15) S(16) S(17) S(18) S(19)
    v[20] = textureLod(sampler2D(t, b[3]), vec2(0.4375, 0.5), 0).x;
  }
  v[32 + i] = textureLod(sampler2D(t, a[nonuniformEXT(i % 20)]), vec2(0.4375, 0.5), 0).x;
}`

// Samplers for which there is no state register stand in the sampler heap.
func TestSamplers(t *testing.T) {
	ctx := context.Background()
	m := prove.FromGLSL(t, ir.StageCompute, samplersSource)
	o, err := m.Compile(ctx, nirc.Options{Target: "agx", Level: passes.O2})
	if err != nil {
		t.Fatal(err)
	}
	var meta abi.Meta
	if err := json.Unmarshal(o.ABI, &meta); err != nil {
		t.Fatal(err)
	}
	states := 0
	for _, s := range meta.States {
		if s.Sampler {
			states++
		}
	}
	if states != 16 || len(meta.Samplers) != 2 || meta.Samplers[0].Count != 20 || meta.Samplers[0].First != 1 || meta.Samplers[1].First != 2 {
		t.Errorf("%d sampler states, heap %+v", states, meta.Samplers)
	}
	p, err := exec.Reload(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 1, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	emu.StoreBytes(img.Data[4:], 4, uint64(math.Float32bits(1)))
	linear := func(k int) bool { return k*k%7%3 == 1 }
	samplers := make([]emu.Descriptor, 24)
	for k := range samplers {
		s := &emu.Sampler{MaxLod: 1, Address: [3]emu.AddressMode{emu.AddressClampToEdge, emu.AddressClampToEdge, emu.AddressClampToEdge}}
		if linear(k) {
			s.Mag, s.Min = emu.FilterLinear, emu.FilterLinear
		}
		samplers[k] = emu.Descriptor{Type: emu.DescSampler, Sampler: s}
	}
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	out := env.Mem.Alloc(256)
	env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescSampledImage, Image: &emu.ImageView{Image: img}}})
	env.Bindings.Set(0, 1, samplers[:20])
	env.Bindings.Set(0, 2, samplers[20:])
	env.Bindings.Set(0, 3, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 256}})
	params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}
	if err := emu.Dispatch(ctx, p, env, params); err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		k := i
		switch {
		case i == 20:
			k = 23
		case i > 20 && i < 32:
			continue
		case i >= 32:
			k = (i - 32) % 20
		}
		want := float32(0)
		if linear(k) {
			want = 0.375
		}
		if got := math.Float32frombits(uint32(emu.LoadBytes(out.Data[4*i:], 4))); got != want {
			t.Errorf("value %d, by sampler %d: %g, want %g", i, k, got, want)
		}
	}
	huge := strings.Replace(samplersSource, "a[20]", "a[70000]", 1)
	m = prove.FromGLSL(t, ir.StageCompute, huge)
	if _, err := m.Compile(ctx, nirc.Options{Target: "agx", Level: passes.O2}); err == nil || !strings.Contains(err.Error(), "70000 descriptors at binding 1 of set 0 are not supported without a pipeline layout") {
		t.Errorf("error %v", err)
	}
}

// Samplers have a LOD bias each, in uniform registers or a table. They find room beside values of the preamble that fill
// the registers, and those of the samplers without room come from the table.
func TestSamplerBiasRoom(t *testing.T) {
	var sums strings.Builder
	for i := range 250 {
		fmt.Fprintf(&sums, "  v = abs(v) * (sin(u[%d]) + u[%d]) + x;\n", i, i+1)
	}
	for _, samplers := range []int{3, 12, 70} {
		source := fmt.Sprintf(`#version 450
layout(location = 0) in float x;
layout(location = 0) out vec4 c;
layout(set = 0, binding = 0) uniform U { float u[300]; };
layout(set = 0, binding = 1) uniform texture2D t;
layout(set = 0, binding = 2) uniform sampler s[%d];
void main() {
  float v = x;
%[2]s
  vec4 r = vec4(v);
  for (int i = 0; i < %[1]d; i++) r = r * 0.5 + texture(sampler2D(t, s[i]), vec2(x, r.x));
  c = r;
}`, samplers, sums.String())
		m := prove.FromGLSL(t, ir.StageFragment, source)
		o, err := m.Compile(context.Background(), nirc.Options{Target: "agx", Level: passes.O2})
		if err != nil {
			t.Errorf("%d samplers: %v", samplers, err)
			continue
		}
		var meta abi.Meta
		if err := json.Unmarshal(o.ABI, &meta); err != nil {
			t.Fatal(err)
		}
		biases, tables := 0, 0
		for _, u := range meta.Uniforms {
			switch u.Kind {
			case abi.UniformSamplerBias:
				biases++
			case abi.UniformSamplerBiases:
				tables++
			}
		}
		if samplers < 20 && (biases < samplers || tables > 0) || samplers > 60 && biases+16*tables < 16 || meta.UniformHalves < 400 {
			t.Errorf("%d samplers: %d biases and %d tables in %d halves of uniform registers", samplers, biases, tables, meta.UniformHalves)
		}
	}
}
