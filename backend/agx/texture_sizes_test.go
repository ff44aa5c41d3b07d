package agx_test

import (
	"fmt"
	"slices"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestTextureSizes: sizes of textures and storage images of all shapes, at each level, and the numbers of levels and samples, are
// what the interpreter has; of a descriptor that names nothing they are 0.
func TestTextureSizes(t *testing.T) {
	flat := func(w, h int) emu.ImageDesc { return emu.ImageDesc{Width: w, Height: h, Mips: 3} }
	for _, c := range []struct {
		shape string
		desc  emu.ImageDesc
		comps int
	}{
		{"1D", flat(1<<12, 1), 1},
		{"1DArray", emu.ImageDesc{Width: 9, Height: 1, Layers: 5, Mips: 3}, 2},
		{"2D", flat(21, 6), 2},
		{"2DArray", emu.ImageDesc{Width: 5, Height: 33, Layers: 7, Mips: 3}, 3},
		{"3D", emu.ImageDesc{Width: 12, Height: 7, Depth: 9, Mips: 3}, 3},
		{"Cube", emu.ImageDesc{Width: 16, Height: 16, Layers: 6, Mips: 3}, 2},
		{"CubeArray", emu.ImageDesc{Width: 8, Height: 8, Layers: 24, Mips: 3}, 3},
		{"2DMS", emu.ImageDesc{Width: 11, Height: 6, Samples: 4}, 2},
		{"2DMSArray", emu.ImageDesc{Width: 11, Height: 6, Samples: 2, Layers: 3}, 3},
	} {
		many := c.desc.Samples > 1
		size := map[int]string{1: "int", 2: "ivec2", 3: "ivec3"}[c.comps]
		put := func(at int, x string) string {
			if c.comps == 1 {
				return fmt.Sprintf("{ o[%d] = %s; }\n", at, x)
			}
			return fmt.Sprintf("{ %s s = %s; for (int i = 0; i < %d; i++) o[%d + i] = s[i]; }\n", size, x, c.comps, at)
		}
		body := put(0, "imageSize(m)")
		if many {
			body += put(4, "textureSize(c)") + "o[8] = textureSamples(c); o[9] = imageSamples(m);"
		} else {
			body += put(4, "textureSize(c, 0)") + put(8, "textureSize(c, n)") + "o[12] = textureQueryLevels(c);"
		}
		m := prove.FromGLSL(t, ir.StageCompute, `#version 460
#extension GL_ARB_shader_texture_image_samples : require
layout(local_size_x=1) in;
layout(set=0, binding=0) uniform sampler`+c.shape+` c;
layout(set=0, binding=1, r32f) uniform readonly image`+c.shape+` m;
layout(set=0, binding=2) buffer B { int o[16]; };
layout(push_constant) uniform P { int n; };
void main() { `+body+` }`)
		c.desc.Format = emu.FormatByName("R32_SFLOAT")
		img, err := emu.NewImage(c.desc)
		if err != nil {
			t.Fatal(err)
		}
		for _, view := range []*emu.ImageView{{Image: img}, nil} {
			for level := range 2 {
				got, want := sizes(t, m, "agx", view, level), sizes(t, m, nirc.IRTarget, view, level)
				if !slices.Equal(got, want) {
					t.Errorf("%s, bound %t, level %d: %v, want %v", c.shape, view != nil, level, got, want)
				}
			}
		}
	}
}

// sizes runs a shader that stores sizes of what view names, or of nothing.
func sizes(t *testing.T, m *nirc.Module, target string, view *emu.ImageView, level int) []byte {
	t.Helper()
	p, _, err := exec.Executable(t.Context(), m, nirc.Options{Target: target, Level: passes.O2})
	if err != nil {
		t.Fatal(err)
	}
	mem, table := emu.NewMemory(), &emu.Bindings{}
	out := mem.Alloc(64)
	clear(out.Data)
	table.Set(0, 0, []emu.Descriptor{{}})
	table.Set(0, 1, []emu.Descriptor{{}})
	if view != nil {
		table.Set(0, 0, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: view, Sampler: &emu.Sampler{}}})
		table.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageImage, Image: view}})
	}
	table.Set(0, 2, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 64}})
	env := &emu.Env{Mem: mem, Bindings: table, Push: []byte{byte(level), 0, 0, 0}}
	if err := emu.Dispatch(t.Context(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
		t.Fatal(err)
	}
	return out.Data
}
