package core

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestQuadByQuad: the lookups for the fibers of a quad write the registers of different fibers. The first two need no (sy)
// between them, the last two have one; a reader waits for all four.
func TestQuadByQuad(t *testing.T) {
	img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Depth: 1, Mips: 1, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	emu.StoreBytes(img.Data, 4, 0x40e00000)
	const good = "samgp0\nsamgp1\n(sy)samgp2\n(sy)samgp3\n"
	for _, c := range []struct{ text, want string }{
		{good, ""},
		{"samgp0\nsamgp1\nsamgp2\n(sy)samgp3\n", "two of the four lookups"},
		{"samgp0\nsamgp1\n(sy)samgp2\nsamgp3\n", "two of the four lookups"},
		{"samgp0\nsamgp0\n(sy)samgp2\n(sy)samgp3\n", "while a result is under way, (sy) is missing"},
		{good + "add.f r1.x, r1.x, r2.x\n", "while a result is under way, (sy) is missing"},
		{"samgp0\nsamgp1\nadd.f r1.x, r1.x, r2.x\n", "while a result is under way, (sy) is missing"},
	} {
		m := newMachine()
		m.gpu, m.gen, m.check, m.lanes = "a740", abi.FindGPU("a740").Gen, true, 4
		m.edit = func(meta *abi.Meta) {
			for slot, kind := range []abi.DescriptorKind{abi.Texture, abi.Sampler} {
				k := uint32(slot + 2)
				meta.Descriptors = append(meta.Descriptors, abi.Descriptor{Kind: kind, Set: 0, Binding: k, Slot: k, Count: 1, View: abi.View{Dim: ir.Dim2D}})
			}
		}
		text := strings.NewReplacer("samgp0", look("samgp0"), "samgp1", look("samgp1"), "samgp2", look("samgp2"), "samgp3", look("samgp3")).Replace(c.text)
		p := m.load(t, "(rpt3)mov.u32u32 r2.x, 0\n(rpt3)mov.u32u32 r3.x, 0\n(rpt5)nop\n"+text+store)
		waves := m.start(p)
		env := m.last[0].Env
		set := layout.Set{}
		for i, kind := range []layout.Type{layout.StorageBuffer, layout.UniformBuffer, layout.SampledImage, layout.Sampler} {
			set.Bindings = append(set.Bindings, layout.Binding{Binding: uint32(i), Type: kind, Count: 1})
		}
		env.Layout = &layout.Layout{Sets: []layout.Set{set}}
		env.Bindings.Set(0, 2, []emu.Descriptor{{Type: emu.DescSampledImage, Image: &emu.ImageView{Image: img}}})
		env.Bindings.Set(0, 3, []emu.Descriptor{{Type: emu.DescSampler, Sampler: &emu.Sampler{}}})
		err := gputest.RunWaves(waves, 100)
		switch {
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)), c.want == "" && err != nil:
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		case c.want == "":
			for lane := range 4 {
				if got := m.word(lane); got != 0x40e00000 {
					t.Errorf("fiber %d has %#x", lane, got)
				}
			}
		}
	}
}

// look is the lookup of an operation.
func look(op string) string { return op + ".base0 (f32)(x)r1.x, r2.x, s#3, t#2" }
