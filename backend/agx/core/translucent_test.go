package core

import (
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestTranslucent: the metadata of a linked program calls it translucent if its fragments leave targets, components or samples as
// they were, or if it reads the tile, and not else.
func TestTranslucent(t *testing.T) {
	const wait, none, all = "\twait_pix 12, 0\n", "\tst_tile r4_r5_r6_r7, u8norm, 0, xyzw, 0, 0, 0\n", "\tst_tile r4_r5_r6_r7, u8norm, 0, xyzw, 0, 255, 0\n"
	const set = "\tmov_imm r4, 0, 0b0\n\tmov_imm r5, 0, 0b0\n\tmov_imm r6, 0, 0b0\n\tmov_imm r7, 0, 0b0\n"
	for _, c := range []struct {
		body        string
		translucent bool
		targets     int
		want        string
	}{
		{all, false, 1, ""},
		{all, true, 1, "stores all of each target"},
		{all, false, 2, "leaves target 1 as it is"},
		{all, true, 2, ""},
		{none, false, 1, "leaves components 0xf of sample 0 of target 0"},
		{"", false, 0, ""},
	} {
		m := fragMeta()
		m.Results, m.Part, m.Samples, m.TileLayout = nil, abi.PartLinked, 1, &abi.TileLayout{Width: 32, Height: 32, Stride: 8}
		m.Pass = abi.Pass{Translucent: c.translucent, WritesTile: c.body != ""}
		if c.body != "" {
			m.Tile = []abi.TileTarget{{Slot: ir.SlotData0, Mask: 15, Format: isa.FormatU8Norm}}
		}
		l := quads(1)
		l.Draw = &emu.Pipeline{}
		for range c.targets {
			img, err := emu.NewImage(emu.ImageDesc{Width: 64, Height: 64, Format: emu.FormatByName("R8G8B8A8_UNORM")})
			if err != nil {
				t.Fatal(err)
			}
			l.Draw.Color = append(l.Draw.Color, emu.Attachment{View: &emu.ImageView{Image: img}})
		}
		err := finish(t, build(t, m, set+wait+c.body+"\tstop"), l)
		if c.want != "" {
			wantError(t, err, c.want)
		} else if err != nil {
			t.Errorf("%q with %d targets, translucent %v: %v", c.body, c.targets, c.translucent, err)
		}
	}
}
