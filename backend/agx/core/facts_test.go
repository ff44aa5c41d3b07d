package core

import (
	"math/rand/v2"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestSaturation: sums and products saturate where nothing has 64 bits and the addend is not shifted.
func TestSaturation(t *testing.T) {
	const consts = "\tmov_imm r4, 4294967290, 0b0\n\tmov_imm r5, 7, 0b0\n\tmov_imm r6, 9, 0b0\n\tmov_imm r7, 0, 0b0\n"
	const big, top = 4294967290, 4294967295
	wrap := func(v uint64) uint32 { return uint32(v) }
	for _, c := range []struct {
		text string
		want uint32
	}{
		{"iadd.sat r2, r4, r5", top},
		{"iadd r2, r4, r5", wrap(big + 7)},
		{"iadd.sat r2, r5, r4, lsl 1", wrap(7 + 2*big)},
		{"iadd.sat r2, r6_r7, r4", wrap(9 + big)},
		{"iadd.sat r2, r4, r6_r7", wrap(9 + big)},
		{"iadd.sat r2_r3, r4, r5", wrap(big + 7)},
		{"iadd.sat r2, r5, r6", 16},
		{"imadd.sat r2, r4, r5, r6", top},
		{"imadd.sat r2, r5, r6, r4", top},
		{"imadd.sat r2, r5, r6, r4, lsl 1", wrap(63 + 2*big)},
		{"imadd.sat r2, r4, r5, r6_r7", wrap(7*big + 9)},
		{"imadd.sat r2_r3, r4, r5, r6", wrap(7*big + 9)},
		{"imadd r2, r4, r5, r6", wrap(7*big + 9)},
	} {
		newMachine().expect(t, c.text, consts+"\t"+c.text, func(int) uint32 { return c.want })
	}
}

// TestDescriptorSizes reads what a descriptor says of an image (agx.md §6) back.
func TestDescriptorSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		m := &emu.Image{Width: 1 + r.IntN(1<<14), Height: 1 + r.IntN(1<<14), Depth: 1, Layers: 6 * (1 + r.IntN(100)), Mips: 1 + r.IntN(14), Samples: []int{0, 1, 2, 4}[r.IntN(4)]}
		base := r.IntN(m.Mips)
		v := &emu.ImageView{Image: m, BaseMip: base}
		layers := m.Layers
		if r.IntN(3) == 0 {
			m.Depth = 2 + r.IntN(100)
			layers = m.Depth
		}
		write, cubes := r.IntN(2) == 0, m.Depth == 1 && r.IntN(2) == 0
		if cubes {
			layers /= 6
		}
		four := 0
		if m.Samples == 4 {
			four = 1
		}
		want := map[[2]int]int{{4, 2}: layoutTwiddled, {28, 14}: m.Width - 1, {42, 14}: m.Height - 1, {56, 4}: base, {60, 4}: m.Mips - 1, {64, 1}: four, {110, 14}: layers - 1}
		if write {
			want = map[[2]int]int{{4, 2}: layoutTwiddled, {24, 14}: m.Width - 1, {38, 14}: m.Height - 1, {100, 4}: base, {104, 4}: m.Mips - 1, {108, 14}: layers - 1}
		}
		var b, rest [abi.HeapEntrySize]byte
		descBits{&b}.image(v, write, cubes)
		rest = b
		for at, w := range want {
			got := 0
			for i := range at[1] {
				k := at[0] + i
				got |= int(b[k/8]>>(k%8)&1) << i
				rest[k/8] &^= 1 << (k % 8)
			}
			if got != w {
				t.Errorf("write %v, %d bits at %d: %d, want %d", write, at[1], at[0], got, w)
			}
		}
		if rest != ([abi.HeapEntrySize]byte{}) {
			t.Errorf("write %v: other bits %x", write, rest)
		}
	}
}

// TestEvaluationMemory: what tessellation evaluation of another core's patch finds.
func TestEvaluationMemory(t *testing.T) {
	l := &emu.Launch{Out: make([]emu.Slots, 3), TessEval: make([]emu.TessEvalLane, 3)}
	p := &emu.Patch{PrimitiveID: 3, ViewIndex: 1, Out: make([]emu.Slots, 4)}
	var n uint32
	fill := func(v *emu.Vec4) {
		for c := range v {
			n++
			v[c] = n
		}
	}
	for s := range p.PerPatch {
		fill(&p.PerPatch[s])
	}
	for v := range p.Out {
		for s := range p.Out[v] {
			fill(&p.Out[v][s])
		}
	}
	tw := &tessWaves{p: &program{meta: &abi.Meta{Reads: []ir.Slot{ir.SlotVar0 + 3}}}, l: l, first: 1, end: 3}
	d, to := &driverMemory{}, &emu.Launch{}
	if err := tw.evaluation(p, to, d); err != nil {
		t.Fatal(err)
	}
	const patchSlots = int(ir.NumVaryingSlots - ir.SlotPatch0)
	slots := []ir.Slot{ir.SlotPos, ir.SlotPointSize, ir.SlotVar0 + 3}
	mask := uint64(1)<<ir.SlotPos | 1<<ir.SlotPointSize | 1<<(ir.SlotVar0+3)
	for k, want := range map[abi.UniformKind]uint64{abi.UniformPatchSlots: uint64(patchSlots), abi.UniformPatchVertices: 4, abi.UniformPatchRecord: mask} {
		if d.values[k] != want || !d.known[k] {
			t.Errorf("uniform %v: %d, want %d", k, d.values[k], want)
		}
	}
	at := abi.PatchConstants
	for k := range patchSlots {
		if got := d.slot(regionPatches, at); got != p.PerPatch[ir.SlotPatch0+ir.Slot(k)] {
			t.Errorf("patch slot %d: %d", k, got)
		}
		at += 4
	}
	for v := range p.Out {
		for _, s := range slots {
			if got := d.slot(regionPatches, at); got != p.Out[v][s] {
				t.Errorf("vertex %d, slot %d: %d", v, s, got)
			}
			at += 4
		}
	}
	if len(to.Vertex) != 2 || to.Vertex[1] != (emu.VertexLane{VertexIndex: 3<<abi.PatchShift | 1, ViewIndex: 1}) || len(to.Out) != 2 {
		t.Errorf("lanes %v", to.Vertex)
	}
}

// placed makes words of which a slot has one.
func placed(slot ir.Slot) *abi.Words {
	w := &abi.Words{}
	for i := range w.At {
		w.At[i] = [4]int{abi.NoWord, abi.NoWord, abi.NoWord, abi.NoWord}
	}
	w.At[slot][0] = abi.UserWord + 5
	return w
}

// TestSlotWritten: the records say which slots the stage before writes, or else that stage.
func TestSlotWritten(t *testing.T) {
	p := build(t, vertexMeta(), "\tstop")
	slot := p.IO().Outputs[0].Slot
	draw := &emu.Pipeline{Vertex: p}
	for _, c := range []struct {
		name string
		draw *emu.Pipeline
		frag *fragState
		slot ir.Slot
		want uint32
	}{
		{"nothing before", nil, nil, slot, 0},
		{"a draw", draw, nil, slot, ^uint32(0)},
		{"a draw, another slot", draw, nil, ir.SlotVar0 + 20, 0},
		{"fragments of another core's vertices", draw, &fragState{}, slot, ^uint32(0)},
		{"records", draw, &fragState{words: placed(ir.SlotVar0 + 20)}, ir.SlotVar0 + 20, ^uint32(0)},
		{"records without it", draw, &fragState{words: placed(ir.SlotVar0 + 20)}, slot, 0},
	} {
		w := &wave{l: &emu.Launch{Draw: c.draw}, frag: c.frag}
		to := []uint32{99}
		if ok := w.varyingUniform(&abi.Uniform{Kind: abi.UniformSlotWritten, Element: uint32(c.slot)}, to); !ok || to[0] != c.want {
			t.Errorf("%s: %#x, %v; want %#x", c.name, to[0], ok, c.want)
		}
	}
}

// TestPrimitiveIDPlane: the primitive's number comes from the record of the provoking vertex where it has one.
func TestPrimitiveIDPlane(t *testing.T) {
	l := quads(1)
	prim := l.Fragment[0].Prim
	w := &wave{l: l, p: &program{meta: fragMeta()}, frag: &fragState{}}
	plane := func(want [3]uint32) {
		t.Helper()
		if got, err := w.planeOf(coef{Coef: &abi.Coef{Source: abi.CoefPrimitiveID, Count: 1}}, 0); err != nil || got != want {
			t.Errorf("%d, %v; want %d", got, err, want)
		}
	}
	plane([3]uint32{9, 9, 9})
	w.frag.words = placed(ir.SlotPrimitiveID)
	for k, v := range prim.V {
		*userWord(v, abi.UserWord+5) = uint32(70 + k)
	}
	plane([3]uint32{0, 0, 72})
}

// TestBackground: bytes that the shader has not stored come from the attachment that lies there, all of them or none.
func TestBackground(t *testing.T) {
	draw := &emu.Pipeline{}
	for k := range 2 {
		img, err := emu.NewImage(emu.ImageDesc{Width: 64, Height: 64, Format: emu.FormatByName("R16G16_UINT")})
		if err != nil {
			t.Fatal(err)
		}
		v := &emu.ImageView{Image: img}
		v.Store(40, 20, 0, 0, 0, [4]uint32{uint32(0x1020 + k), uint32(0x3040 + k)})
		draw.Color = append(draw.Color, emu.Attachment{View: v})
	}
	draw.Color = append(draw.Color, emu.Attachment{})
	l := quads(1)
	l.Fragment[0].Prim.Layer = 0
	l.Draw = draw
	w := &wave{l: l, p: &program{meta: &abi.Meta{Part: abi.PartLinked}}}
	for k := range 4 {
		w.p.meta.Tile = append(w.p.meta.Tile, abi.TileTarget{Slot: ir.SlotData0 + ir.Slot(k), Mask: 3, Offset: uint32(4 * k), Format: isa.FormatI16})
	}
	for at := range 16 {
		for _, n := range []int{1, 2, 4} {
			w.frag = &fragState{samples: 1, size: 20, tile: make([]tileByte, 4*20)}
			w.frag.tile[5] = tileByte{99, true}
			var want [20]byte
			want[5] = 99
			k := at / 4
			fits := k < 2 && at+n <= 4*k+4
			if fits {
				copy(want[4*k:], []byte{byte(0x20 + k), 0x10, byte(0x40 + k), 0x30})
				want[5] = 99 // the shader has stored it
			}
			err := w.background(0, 0, at, n)
			if (err == nil) != fits {
				t.Errorf("bytes %d to %d: %v", at, at+n-1, err)
			}
			for i, b := range w.frag.tile[:20] {
				if b.v != want[i] {
					t.Errorf("bytes %d to %d: byte %d is %#x, want %#x", at, at+n-1, i, b.v, want[i])
				}
			}
		}
	}
}
