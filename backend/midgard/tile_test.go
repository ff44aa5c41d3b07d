package midgard

import (
	"math"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/midgard/core"
	"nirc/internal/emu"
	"nirc/ir"
)

// A shader that adds to the colour that is there: it waits for the tile, and
// reads it as its GPU does.
func TestFramebufferFetch(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct{ gpu, load string }{{"t860", "LD_TILEBUFFER.f32"}, {"t720", "LD_SPECIAL.f32"}, {gpu: "t620"}} {
		s, b := gputest.NewShader(ir.StageFragment, 0)
		sem := ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1, FBFetch: true}
		old := b.Intrinsic(ir.IntrLoadOutput, 4, 32, b.Imm32(0))
		old.Set(ir.IdxIoSemantics, sem.Pack())
		one := b.ImmFloat(1, 32)
		st := b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.Fadd(&old.Def, b.Vec(one, one, one, one)), b.Imm32(0))
		st.Set(ir.IdxWriteMask, 15).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1}.Pack())
		if c.load == "" {
			if _, err := compile(s, CompileOptions{GPU: c.gpu}); err == nil || !strings.Contains(err.Error(), "such loads of the hardware are wrong") {
				t.Errorf("%s: %v", c.gpu, err)
			}
			continue
		}
		bin, text := listing(t, s, CompileOptions{GPU: c.gpu})
		expect(t, text, "tilebuffer.always -1", c.load)
		p, err := core.LoadFresh(bin.Code, &bin.Meta)
		if err != nil {
			t.Fatal(err)
		}
		img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 2, Format: emu.FormatByName("R8G8B8A8_UNORM")})
		if err != nil {
			t.Fatal(err)
		}
		view := &emu.ImageView{Image: img, Format: img.Format}
		l := &emu.Launch{NumLanes: 4, Check: true, Out: make([]emu.Slots, 4), Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}},
			Draw: &emu.Pipeline{Color: []emu.Attachment{{View: view}}}}
		for i := range int32(4) {
			x, y := i&1, i>>1
			view.Store(int(x), int(y), 0, 0, 0, [4]uint32{math.Float32bits(float32(i & 1)), 0, 0, 0})
			l.Fragment = append(l.Fragment, emu.FragmentLane{X: x, Y: y, SampleID: -1, Coverage: 1})
		}
		if st, err := p.NewWave(l).Run(1000); err != nil || st != emu.StatusDone {
			t.Fatalf("%s: status %d, %v", c.gpu, st, err)
		}
		for i := range 4 {
			want := emu.Vec4{math.Float32bits(float32(i&1) + 1), math.Float32bits(1), math.Float32bits(1), math.Float32bits(1)}
			if got := l.Out[i][ir.SlotData0]; got != want {
				t.Errorf("%s: lane %d: %x, want %x", c.gpu, i, got, want)
			}
		}
	}
}

// TestFetchedTargets: each of the eight render targets can be read back, and nothing after them.
func TestFetchedTargets(t *testing.T) {
	programs.Hold(t)
	for n := range ir.Slot(9) {
		s, b := gputest.NewShader(ir.StageFragment, 0)
		old := b.Intrinsic(ir.IntrLoadOutput, 4, 32, b.Imm32(0))
		old.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0 + n, NumSlots: 1, FBFetch: true}.Pack())
		st := b.Intrinsic(ir.IntrStoreOutput, 0, 0, &old.Def, b.Imm32(0))
		st.Set(ir.IdxWriteMask, 15).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1}.Pack())
		_, err := compile(s, CompileOptions{GPU: "t860"})
		if (err == nil) != (n < 8) || err != nil && !strings.Contains(err.Error(), "reading back output slot") {
			t.Errorf("target %d: %v", n, err)
		}
	}
}

// TestTileDepth: the depth of the tile is read on chips whose loads name what they read, the stencil on none.
func TestTileDepth(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		gpu, err string
		slot     ir.Slot
	}{{"t860", "", ir.SlotDepth}, {"t760", "", ir.SlotDepth}, {"t720", "reading back output slot 0", ir.SlotDepth}, {"t620", "reading back output slot 0", ir.SlotDepth},
		{"t860", "reading back output slot 1", ir.SlotStencil}} {
		s, b := gputest.NewShader(ir.StageFragment, 0)
		in := b.Intrinsic(ir.IntrLoadAttachment, 1, 32, b.Imm32(0)).Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
		in.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: c.slot, NumSlots: 1, FBFetch: true}.Pack())
		b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.Vec(&in.Def, &in.Def, &in.Def, &in.Def), b.Imm32(0)).Set(ir.IdxWriteMask, 15).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1}.Pack())
		if c.err != "" {
			if _, err := compile(s, CompileOptions{GPU: c.gpu}); err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.gpu, err, c.err)
			}
			continue
		}
		bin, text := listing(t, s, CompileOptions{GPU: c.gpu})
		expect(t, text, "tilebuffer.always -1", "LD_TILEBUFFER.f32")
		if !bin.Meta.ReadsTile || !bin.Meta.ReadsDepth {
			t.Errorf("%s: reads the tile %v, the depth %v", c.gpu, bin.Meta.ReadsTile, bin.Meta.ReadsDepth)
		}
	}
}

// TestAttachmentSamples: typed loads of the tile name the first sample, and by sample nothing shows which they give.
func TestAttachmentSamples(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name         string
		sample       func(b *ir.Builder) *ir.Def
		bySample, ok bool
	}{
		{"the first", func(b *ir.Builder) *ir.Def { return b.Imm32(0) }, false, true},
		{"another", func(b *ir.Builder) *ir.Def { return b.Imm32(1) }, false, false},
		{"any", func(b *ir.Builder) *ir.Def { return &b.Intrinsic(ir.IntrLoadSampleMaskIn, 1, 32).Def }, false, false},
		{"the first, by sample", func(b *ir.Builder) *ir.Def { return b.Imm32(0) }, true, false},
	} {
		s, b := gputest.NewShader(ir.StageFragment, 0)
		s.Info.SampleInputs = c.bySample
		in := b.Intrinsic(ir.IntrLoadAttachment, 4, 32, c.sample(b)).Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
		in.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1, FBFetch: true}.Pack())
		b.Intrinsic(ir.IntrStoreOutput, 0, 0, &in.Def, b.Imm32(0)).Set(ir.IdxWriteMask, 15).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1}.Pack())
		bin, err := compile(s, CompileOptions{GPU: "t860"})
		if c.ok && (err != nil || !bin.Meta.ReadsTile) || !c.ok && (err == nil || !strings.Contains(err.Error(), "typed loads of the tile name sample 0")) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
