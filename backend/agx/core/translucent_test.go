package core

import (
	"math/rand/v2"
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

// TestShowsThrough: a covered sample that is not killed leaves what a target has below it as it was if it stores not all of the target's components. Only a linked
// program whose metadata does not call it translucent is told so, where faults are looked for, and only of targets that are bound.
func TestShowsThrough(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	told := 0
	for range 4000 {
		m := &abi.Meta{Stage: ir.StageFragment, Part: abi.PartLinked}
		w := &wave{p: &program{meta: m}, l: &emu.Launch{Draw: &emu.Pipeline{}}, check: &checker{}, frag: &fragState{samples: 4, size: 16}}
		const lane = 1
		w.frag.tile = make([]tileByte, (lane+1)*w.frag.samples*w.frag.size)
		w.frag.cover[lane], w.frag.killed[lane] = r.Uint32N(16), []uint32{0, r.Uint32N(16)}[r.IntN(2)]
		below := false
		for k := range 2 {
			target := abi.TileTarget{Slot: ir.SlotData0 + ir.Slot(k), Offset: uint32(8 * k), Mask: []uint8{1, 3, 7, 15}[r.IntN(4)], Format: []isa.Format{isa.FormatU8Norm, isa.FormatI16, isa.FormatRGB10A2}[r.IntN(3)]}
			bound, stores := r.IntN(4) > 0, r.IntN(8) > 0
			if stores {
				m.Tile = append(m.Tile, target)
			}
			w.l.Draw.Color = append(w.l.Draw.Color, emu.Attachment{})
			if bound {
				w.l.Draw.Color[k].View = &emu.ImageView{}
			}
			leaves := w.frag.fillTile(r, &target, lane)
			below = below || bound && (!stores || leaves)
		}
		want := below
		switch r.IntN(12) {
		case 0:
			m.Pass.Translucent, want = true, false
		case 1:
			m.Part, want = abi.PartMain, false
		case 2:
			w.check, want = nil, false
		case 3:
			w.l.Draw, want = nil, false
		}
		if err := w.checkShowsThrough(lane); (err != nil) != want {
			t.Fatalf("samples %04b without %04b, tile %v, meta %+v: %v, want an error: %v", w.frag.cover[lane], w.frag.killed[lane], w.frag.tile, m.Tile, err, want)
		}
		if want {
			told++
		}
	}
	if told < 500 || told > 3500 {
		t.Errorf("%d programs were told", told)
	}
}

// fillTile stores a target's components of a lane's samples, most of them, and reports whether it left some of a sample that stays.
func (f *fragState) fillTile(r *rand.Rand, target *abi.TileTarget, lane int) (leaves bool) {
	for s := range f.samples {
		stays := f.cover[lane]&^f.killed[lane]>>s&1 != 0
		for k := range 4 {
			if target.Mask>>k&1 == 0 {
				continue
			}
			size, at := target.Format.Size(), k*target.Format.Size()
			if target.Format.Packed() {
				if k > 0 {
					break // all components are one word
				}
				size = 4
			}
			if r.IntN(24) == 0 {
				leaves = leaves || stays
				continue
			}
			for i := range size {
				f.sampleTile(lane, s)[int(target.Offset)+at+i].ok = true
			}
		}
	}
	return leaves
}
