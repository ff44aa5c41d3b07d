package core

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestFetchOffsets: the second vector of a fetch has the offsets before the level, of two dimensions at least.
func TestFetchOffsets(t *testing.T) {
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Depth: 4, Mips: 2, Format: emu.FormatByName("R32_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+4 <= len(img.Data); i += 4 {
		emu.StoreBytes(img.Data[i:], 4, uint64(100+i/4))
	}
	for _, c := range []struct {
		op   string
		want uint32
	}{
		{"isaml.3d.base0 (u32)(x)r1.x, r2.x, r3.w, s#0, t#2", 100 + 64 + 4}, // (0, 0, 1) of level 1
		{"isaml.3d.o.base0 (u32)(x)r1.x, r2.x, r3.x, s#0, t#2", 100 + 64 + 1},
		{"isam.3d.o.base0 (u32)(x)r1.x, r2.x, r3.x, s#0, t#2", 100 + 1},
	} {
		m := newMachine()
		m.check, m.lanes = true, 1
		m.edit = func(meta *abi.Meta) {
			meta.Descriptors = append(meta.Descriptors, abi.Descriptor{Kind: abi.Texture, Set: 0, Binding: 2, Slot: 2, Count: 1, View: abi.View{Dim: ir.Dim3D}})
		}
		p := m.load(t, `
	mov.u32u32 r2.x, 0
	mov.u32u32 r2.y, 0
	mov.u32u32 r2.z, 1
	mov.u32u32 r3.x, 1
	mov.u32u32 r3.y, 0
	mov.s32s32 r3.z, -1
	mov.u32u32 r3.w, 1
	(rpt5)nop
	`+c.op+store)
		waves := m.start(p)
		env := m.last[0].Env
		env.Layout = &layout.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{{Binding: 0, Type: layout.StorageBuffer, Count: 1}, {Binding: 1, Type: layout.UniformBuffer, Count: 1}, {Binding: 2, Type: layout.SampledImage, Count: 1}}}}}
		env.Bindings.Set(0, 2, []emu.Descriptor{{Type: emu.DescSampledImage, Image: &emu.ImageView{Image: img}}})
		if err := gputest.RunWaves(waves, 50); err != nil {
			t.Fatalf("%s: %v", c.op, err)
		}
		if got := m.word(0); got != c.want {
			t.Errorf("%s: texel %d, want %d", c.op, got, c.want)
		}
	}
}
