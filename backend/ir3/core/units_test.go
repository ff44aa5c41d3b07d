package core

import (
	"slices"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestFlowSpans: control flow reads its predicates and writes nothing.
func TestFlowSpans(t *testing.T) {
	p := func(n int) span { return span{unit: int16(unitPred + n), n: 1} }
	for _, c := range []struct {
		in    isa.Instr
		want  []span
		slots int
	}{
		{isa.Instr{Op: isa.OpPredt}, []span{p(0)}, 1},
		{isa.Instr{Op: isa.OpPredf}, []span{p(0)}, 1},
		{isa.Instr{Op: isa.OpPrede}, nil, 1},
		{isa.Instr{Op: isa.OpNop, Repeat: 3}, nil, 4},
		{isa.Instr{Op: isa.OpJump}, nil, 0},
		{isa.Instr{Op: isa.OpBr, Srcs: [4]isa.Operand{isa.P(2)}}, []span{p(2)}, 0},
		{isa.Instr{Op: isa.OpBraa, Srcs: [4]isa.Operand{isa.P(1), isa.P(3)}}, []span{p(1), p(3)}, 0},
		{isa.Instr{Op: isa.OpKill, Srcs: [4]isa.Operand{isa.P(1)}}, []span{p(1)}, 1},
	} {
		x := inst{Instr: c.in}
		if h := x.findHazards(); !slices.Equal(h.spans, c.want) || h.slots != c.slots {
			t.Errorf("%s: %v in %d slots, want %v in %d", c.in.Op, h.spans, h.slots, c.want, c.slots)
		}
	}
}

// TestSee: own stores of texels land before any access to the device's memory, other stores before one that overlaps them.
func TestSee(t *testing.T) {
	m := newMachine()
	m.check = true
	w := m.start(m.load(t, "end"))[0].(*wave)
	at := m.out.Addr
	var texels int
	pending := func(what string, sp space, at uint64, stores, landed int) {
		t.Helper()
		if w.see(sp, at, 4); len(w.late.stores) != stores || texels != landed {
			t.Errorf("%s: %d stores wait and %d texels landed, want %d and %d", what, len(w.late.stores), texels, stores, landed)
		}
	}
	w.lateStore(spaceDevice, at, 4, 7, nil)
	pending("workgroup memory", spaceLocal, at, 1, 0)
	pending("beside", spaceDevice, at+4, 1, 0)
	pending("the same word in a set of words", spaceDevice, at+4096, 1, 0)
	pending("over it", spaceDevice, at+2, 0, 0)
	w.lateTexel(func() { texels++ })
	pending("workgroup memory after a texel", spaceLocal, at, 1, 0)
	pending("the device's memory after a texel", spaceDevice, at+64, 0, 1)
}

// TestLandLocal: stores to local memory that have landed do not land again; the others go on waiting.
func TestLandLocal(t *testing.T) {
	m := newMachine()
	m.check = true
	w := m.start(m.load(t, "end"))[0].(*wave)
	mem := make([]byte, 8)
	w.lateStore(spaceLocal, 4, 4, 1, mem)
	w.lateStore(spaceDevice, m.out.Addr, 4, 2, nil)
	w.landLocal()
	if mem[4] != 1 || m.out.Data[0] == 2 || len(w.late.stores) != 1 {
		t.Errorf("local memory has %d, the device's %d, and %d stores wait", mem[4], m.out.Data[0], len(w.late.stores))
	}
	mem[4] = 3
	w.landAll()
	if mem[4] != 3 || m.out.Data[0] != 2 {
		t.Errorf("local memory has %d, the device's %d", mem[4], m.out.Data[0])
	}
}

// TestSuits: what is bound suits rows of its own kind, buffers or not, and the better the more it is of their shape.
func TestSuits(t *testing.T) {
	img, err := emu.NewImage(emu.ImageDesc{Format: emu.FormatByName("R8_UNORM"), Width: 4, Height: 4, Layers: 3})
	if err != nil {
		t.Fatal(err)
	}
	buffer, image := &emu.Descriptor{Type: emu.DescStorageBuffer}, &emu.Descriptor{Type: emu.DescSampledImage, Image: &emu.ImageView{Image: img}}
	flat := abi.View{Dim: ir.Dim2D}
	for _, c := range []struct {
		name  string
		d     abi.Descriptor
		bound *emu.Descriptor
		want  int
	}{
		{"a buffer", abi.Descriptor{Kind: abi.Buffer}, buffer, 1}, {"a buffer for an image", abi.Descriptor{Kind: abi.Texture, View: flat}, buffer, 0},
		{"an image for a buffer", abi.Descriptor{Kind: abi.Buffer}, image, 0}, {"an image for a sampler", abi.Descriptor{Kind: abi.Sampler}, image, 1},
		{"layers for one", abi.Descriptor{Kind: abi.Texture, View: flat}, image, 2}, {"layers", abi.Descriptor{Kind: abi.Texture, View: abi.View{Dim: ir.Dim2D, Array: true}}, image, 3},
		{"another shape", abi.Descriptor{Kind: abi.Texture, View: abi.View{Dim: ir.Dim3D}}, image, 1},
	} {
		if got := suits(&c.d, c.bound); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestTexNumbers: where each form of a texture instruction takes the set and the index of its texture and sampler.
func TestTexNumbers(t *testing.T) {
	for _, gen := range []isa.Gen{isa.A6xx, isa.A7xx} {
		w := &wave{p: &program{meta: &abi.Meta{Gen: gen}}, a1: 0x1f<<3 | 2}
		two := &inst{Instr: isa.Instr{Op: isa.OpImgSad, Set: 4, Tex: 5, Mode: isa.TexBindlessA1Imm}}
		if _, _, _, smp := w.texNumbers(two, 0); gen == isa.A7xx && smp != 15 {
			t.Errorf("of two textures the sampler is %d, want the last 4 bits of a1.x", smp)
		}
		w.a1 = 9<<3 | 2
		x := &inst{Instr: isa.Instr{Op: isa.OpSam, Set: 4, Tex: 5, Samp: 6}}
		want := map[isa.Mode][4]int{
			isa.TexBindlessImm: {3, 5, 3, 6}, isa.TexBindlessA1Imm: {3, 5, 2, 9},
			isa.TexDirect: {-1, 0, -1, 0}, isa.TexUniform: {-1, 0, -1, 0}, isa.TexNonuniform: {-1, 0, -1, 0},
		}
		if gen == isa.A6xx {
			want[isa.TexBindlessA1Imm] = [4]int{3, 9, 2, 5}
		}
		for mode, n := range want {
			x.Mode = mode
			base, tex, sbase, smp := w.texNumbers(x, 0)
			if got := [4]int{base, int(tex), sbase, int(smp)}; got != n {
				t.Errorf("%v, mode %d: %d, want %d", gen, mode, got, n)
			}
		}
	}
}
