package core

import (
	"strings"
	"testing"

	"nirc/internal/emu"
)

// TestBoundTextures: lookups and fetches of what nothing is bound to give zeros, texels of 64 bits are refused in images and in
// buffers, and what is bound is read.
func TestBoundTextures(t *testing.T) {
	image := func(format string) *emu.ImageView {
		img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName(format)})
		if err != nil {
			t.Fatal(err)
		}
		v := &emu.ImageView{Image: img}
		v.Store(1, 2, 0, 0, 0, [4]uint32{77, 77})
		return v
	}
	const at = "\tmov_imm r2, 5, 0b0\n\tmov_imm r4, 1, 0b0\n\tmov_imm r5, 2, 0b0\n\tmov_imm r7l, 0\n"
	fetch := at + "\ttexture_load 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts0, ss0, tex_2d, r4_r5, lod_min, r7l\n\twait 0"
	middle := "\tmov_imm r2, 5, 0b0\n\tmov_imm r4, 1052770304, 0b0\n\tmov_imm r5, 1059061760, 0b0\n\tmov_imm r7l, 0\n"
	sample := middle + "\ttexture_sample 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts0, ss1, tex_2d, r4_r5, lod_min, r7l\n\twait 0"
	plain := &emu.Sampler{MaxLod: 10}
	m := texMachine(t)
	buf := m.mem.Alloc(256)
	for i := range buf.Data {
		buf.Data[i] = 3
	}
	for _, c := range []struct {
		name string
		d    *emu.Descriptor
		body string
		want uint32
		err  string
	}{
		{"fetch of nothing", nil, fetch, 0, ""}, {"sample of nothing", nil, sample, 0, ""},
		{"fetch", &emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: image("R32_UINT"), Sampler: plain}, fetch, 77, ""},
		{"sample", &emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: image("R32_UINT"), Sampler: plain}, sample, 77, ""},
		{"fetch of 64 bits", &emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: image("R64_UINT"), Sampler: plain}, fetch, 0, "64-bit texels"},
		{"sample of 64 bits", &emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: image("R64_UINT"), Sampler: plain}, sample, 0, "64-bit texels"},
		{"buffer of 64 bits", &emu.Descriptor{Type: emu.DescUniformTexelBuffer, Addr: buf.Addr, Size: 256, Format: emu.FormatByName("R64_UINT")}, fetch, 0, "64-bit texels"},
	} {
		p, err := Load(assemble(t, head+c.body+tail), m.meta())
		if err != nil {
			t.Fatal(err)
		}
		env := m.env()
		if c.d != nil {
			env.Bindings.Set(0, 2, []emu.Descriptor{*c.d})
		}
		l := &emu.Launch{Env: env, NumLanes: 32, Check: true, Compute: &emu.ComputeLaunch{LocalID: make([][3]uint32, 32), Shared: make([]byte, 16)}}
		_, err = p.NewWave(l).Run(1000)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		} else if err == nil && m.word(0) != c.want {
			t.Errorf("%s: %d, want %d", c.name, m.word(0), c.want)
		}
	}
}
