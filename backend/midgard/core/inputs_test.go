package core

import (
	"strings"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// inputWave is a wave of a program that has one varying, on a pixel whose barycentrics differ by kind and place.
func inputWave(t *testing.T, a abi.Varying) *wave {
	t.Helper()
	m := fragMeta()
	m.Varyings = []abi.Varying{{}, a}
	l := quad()
	for i := range l.Fragment {
		x := &l.Fragment[i]
		for k := range x.Persp {
			x.Persp[k] = [2]float32{0.125 * float32(k+1), 0.0625 * float32(i)}
			x.Linear[k] = [2]float32{0.25 * float32(k+1), 0.03125 * float32(i)}
		}
	}
	out := writeout(0, 0, 0, false)
	out.Next = isa.TagBreak
	w := load(t, m, out, writeout(0, 0, -int32(out.Quads()), false)).NewWave(l).(*wave)
	for i := range w.threads {
		w.threads[i].lane = i // as the start does
	}
	return w
}

// TestVaryingKinds: what a fragment shader reads of each kind of varying, at each place and under each modifier.
func TestVaryingKinds(t *testing.T) {
	smooth := abi.Varying{Kind: abi.VaryingSlot, Slot: ir.SlotVar0} // x is 0, 10, 20 at the vertices, y is 0, 1, 4, z is 0.5 and w is 2
	for _, c := range []struct {
		name   string
		a      abi.Varying
		op     isa.LdOp
		param  int
		sample int32
		want   [4]uint32
	}{
		{"pixel", smooth, isa.LdVaryF32, isa.VaryPersp, -1, [4]uint32{f(3.75), f(0.625), f(0.5), f(2)}},
		{"sample, without one", smooth, isa.LdVaryF32, isa.VarySmooth, -1, [4]uint32{f(3.75), f(0.625), f(0.5), f(2)}},
		{"sample", smooth, isa.LdVaryF32, isa.VarySmooth, 0, [4]uint32{f(1.25*float32(emu.BarySample+1) + 2.5), f(0.125*float32(emu.BarySample+1) + 0.5), f(0.5), f(2)}},
		{"centroid", smooth, isa.LdVaryF32, isa.VaryPersp | isa.VaryCentroid, 0, [4]uint32{f(1.25*float32(emu.BaryCentroid+1) + 2.5), f(0.125*float32(emu.BaryCentroid+1) + 0.5), f(0.5), f(2)}},
		{"flat", smooth, isa.LdVaryU32, isa.VaryFlatParams, -1, [4]uint32{f(20), f(4), f(0.5), f(2)}},
		{"over z", smooth, isa.LdVaryF32, isa.VaryPersp | isa.VaryDivZ, -1, [4]uint32{f(7.5), f(1.25), f(1), f(4)}},
		{"over w", smooth, isa.LdVaryF32, isa.VaryPersp | isa.VaryDivW, -1, [4]uint32{f(1.875), f(0.3125), f(0.25), f(1)}},
		{"window", abi.Varying{Kind: abi.VaryingFragCoord}, isa.LdVaryF32, isa.VaryPersp, -1, [4]uint32{f(0.5), f(1.5), f(0.25), f(1)}},
		{"window at the centroid", abi.Varying{Kind: abi.VaryingFragCoord}, isa.LdVaryF32, isa.VaryPersp | isa.VaryCentroid, -1,
			[4]uint32{f(0.5), f(1.5), f(0.25), f(1 + 0.25*float32(emu.BaryCentroid+1) + 0.0625*3)}},
		{"back", abi.Varying{Kind: abi.VaryingFrontFace}, isa.LdVaryU32, isa.VaryFlatParams, -1, [4]uint32{}},
		{"point", abi.Varying{Kind: abi.VaryingPointCoord}, isa.LdVaryF32, isa.VaryPersp, -1, [4]uint32{f(0.25), f(3.5)}},
		{"nothing", abi.Varying{}, isa.LdVaryF32, isa.VaryPersp, -1, [4]uint32{}},
	} {
		w := inputWave(t, c.a)
		p := *w.l.Fragment[2].Prim
		p.PointCoord = func(x, y float32) (float32, float32) { return x / 2, y + 2 }
		for i := range p.V {
			v := *p.V[i]
			v[ir.SlotPos][3] = f([3]float32{1, 2, 4}[i])
			p.V[i] = &v
		}
		x := &w.l.Fragment[2]
		x.Prim, x.SampleID = &p, c.sample
		l := varyingLoad(c.op, 1, 0, 15, c.param)
		got, err := w.varying(&w.threads[2], &l, 1)
		if err != nil || got != c.want {
			t.Errorf("%s: %x, %v, want %x", c.name, got, err, c.want)
		}
	}
	w := inputWave(t, abi.Varying{Kind: abi.VaryingFrontFace})
	w.l.Fragment[0].Prim.FrontFacing = true
	l := varyingLoad(isa.LdVaryU32, 1, 0, 15, isa.VaryFlatParams)
	if got, err := w.varying(&w.threads[0], &l, 1); err != nil || got != [4]uint32{0xffffffff} {
		t.Errorf("front: %x, %v", got, err)
	}
}

// TestRefusedVaryings: what no varying is, or the hardware does not do, is an error.
func TestRefusedVaryings(t *testing.T) {
	good := varyingLoad(isa.LdVaryF32, 1, 0, 15, isa.VarySmooth)
	change := func(f func(l *isa.LoadStore)) isa.LoadStore {
		l := good
		f(&l)
		return l
	}
	slot := func(s ir.Slot) abi.Varying { return abi.Varying{Kind: abi.VaryingSlot, Slot: s} }
	for _, c := range []struct {
		name string
		a    abi.Varying
		l    isa.LoadStore
		n    int
		want string
	}{
		{"the last", slot(ir.SlotVar0), good, 1, ""}, {"one too far", slot(ir.SlotVar0), good, 2, "the table has 2"}, {"before the first", slot(ir.SlotVar0), good, -1, "the table has 2"},
		{"the descriptor's type", slot(ir.SlotVar0), change(func(l *isa.LoadStore) { l.Format |= isa.AttrAuto32 }), 1, "type of its descriptor"},
		{"no perspective", slot(ir.SlotVar0), change(func(l *isa.LoadStore) { l.SetSlot(1, isa.VarySample) }), 1, "without perspective"},
		{"a flat float", slot(ir.SlotVar0), change(func(l *isa.LoadStore) { l.SetSlot(1, isa.VaryFlatParams) }), 1, "flat varyings are loaded as integers"},
		{"a smooth integer", slot(ir.SlotVar0), change(func(l *isa.LoadStore) { l.Op = isa.LdVaryU32 }), 1, "flat varyings are loaded as integers"},
		{"a place", slot(ir.SlotVar0), change(func(l *isa.LoadStore) { l.Toggle = true }), 1, "explicit sample positions"},
		{"an argument", slot(ir.SlotVar0), change(func(l *isa.LoadStore) { l.Arg.Reg = 1 }), 1, "explicit sample positions"},
		{"a modifier", slot(ir.SlotVar0), change(func(l *isa.LoadStore) { l.SetSlot(1, isa.VarySmooth|5) }), 1, "modifier 5"},
		{"the primitive", slot(ir.SlotPrimitiveID), good, 1, "gl_PrimitiveID"}, {"the layer", slot(ir.SlotLayer), good, 1, "nothing feeds"},
		{"the viewport", slot(ir.SlotViewport), good, 1, "nothing feeds"}, {"the view", slot(ir.SlotViewIndex), good, 1, "nothing feeds"},
	} {
		w := inputWave(t, c.a)
		_, err := w.varying(&w.threads[0], &c.l, c.n)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	w := inputWave(t, slot(ir.SlotVar0))
	w.p.meta.Stage = ir.StageVertex
	if _, err := w.varying(&w.threads[0], &good, 1); err == nil {
		t.Error("a vertex shader reads a varying")
	}
}

// TestSpecialValues: coverage, the sample and the tile are the fragment's.
func TestSpecialValues(t *testing.T) {
	img, err := emu.NewImage(emu.ImageDesc{Format: emu.FormatByName("R32G32_UINT"), Width: 2, Height: 2, Layers: 3, Samples: 4})
	if err != nil {
		t.Fatal(err)
	}
	view := &emu.ImageView{Image: img}
	for i := range uint32(4) {
		for layer := range uint32(3) {
			for sample := range uint32(4) {
				view.Store(int(i&1), int(i>>1), int(layer), 0, int(sample), [4]uint32{1000*i + 100*layer + sample, 7})
			}
		}
	}
	w := inputWave(t, abi.Varying{})
	w.l.Draw = &emu.Pipeline{Color: []emu.Attachment{{}, {View: view}, {View: view}}}
	prim := *w.l.Fragment[3].Prim
	prim.Layer, prim.Samples = 2, 4
	x := &w.l.Fragment[3]
	x.Prim, x.Coverage, x.X, x.Y = &prim, 13, 1, 1
	th := &w.threads[3]
	for _, c := range []struct {
		selector int
		sample   int32
		helper   bool
		want     uint32
	}{{abi.SpecialCoverage, 0, false, 13}, {abi.SpecialCoverage, 0, true, 0}, {abi.SpecialSampleID, -1, false, 0}, {abi.SpecialSampleID, 3, false, 3}} {
		x.SampleID, th.helper = c.sample, c.helper
		if v, err := w.special(th, c.selector); err != nil || v != [4]uint32{c.want} {
			t.Errorf("special value %d of sample %d: %v, %v", c.selector, c.sample, v, err)
		}
	}
	if _, err := w.special(th, 77); err == nil {
		t.Error("there is a special value 77")
	}
	if _, err := w.tilePixel(th, 1); err == nil || !strings.Contains(err.Error(), "before the wait") {
		t.Errorf("the tile before it is ready: %v", err)
	}
	th.tile = true
	for _, c := range []struct {
		target int
		sample int32
		want   uint32
		ok     bool
	}{{0, 0, 0, false}, {1, -1, 3200, true}, {1, 2, 3202, true}, {2, 3, 3203, true}, {3, 0, 0, false}} {
		x.SampleID = c.sample
		v, err := w.tilePixel(th, c.target)
		if (err == nil) != c.ok || c.ok && (v[0] != c.want || v[1] != 7) {
			t.Errorf("target %d, sample %d: %v, %v", c.target, c.sample, v, err)
		}
	}
	x.Prim = nil
	if v, err := w.tilePixel(th, 1); err != nil || v[0] != 3000 || w.samples(th) != 1 {
		t.Errorf("without a primitive: %v, %v, %d samples", v, err, w.samples(th))
	}
	x.Prim = &prim
	if img, err = emu.NewImage(emu.ImageDesc{Format: emu.FormatByName("R8G8B8A8_UNORM"), Width: 2, Height: 2, Layers: 3, Samples: 16}); err != nil {
		t.Fatal(err)
	}
	w.l.Draw.Color[1].View = &emu.ImageView{Image: img} // one that typed loads convert
	for _, c := range []struct {
		comp, reg uint8
		own       bool // the sample is the fragment's
		ok        bool
	}{{0, 0, false, true}, {3, 0, false, true}, {0, 1, false, false}, {1, 1, false, false}, {3, 7, true, true}} {
		for _, samples := range []int{4, 16} {
			prim.Samples = samples
			l := isa.LoadStore{Op: isa.LdTileF32, Mask: 15, Swizzle: isa.XYZW, Arg: isa.AddrReg{Reg: c.reg, Comp: c.comp}}
			if c.own {
				l.Offset = 1
			}
			l.Index = isa.AddrReg{Comp: 1}
			err := w.loadTile(th, &l)
			if ok := c.ok || samples == 16; (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "of the tile is read") {
				t.Errorf("sample %d of component %d, its own %v, of %d: %v", c.reg, c.comp, c.own, samples, err)
			}
		}
	}
	w.p.meta.Stage = ir.StageVertex
	for selector := range 4 {
		if _, err := w.special(th, selector); err == nil {
			t.Errorf("a vertex shader reads the special value %d", selector)
		}
	}
}

// TestCentroidOverW: 1/w at the centroid is between the vertices', without perspective; of a primitive that lacks a vertex it is the fragment's own.
func TestCentroidOverW(t *testing.T) {
	for lacks := range 5 { // a vertex; all three are there from 3 on, and the primitive is not at 4
		x := &emu.FragmentLane{Coord: [4]float32{0, 0, 0, 7}}
		x.Linear = [3][2]float32{emu.BaryPixel: {1, 1}, emu.BaryCentroid: {0.25, 0.5}, emu.BarySample: {1, 1}}
		want := float32(7)
		if lacks < 4 {
			x.Prim = &emu.Primitive{}
		}
		for i := range 3 {
			if x.Prim != nil && i != lacks {
				x.Prim.V[i] = &emu.Slots{ir.SlotPos: {3: fbits([]float32{2, 4, 8}[i])}}
			}
		}
		if lacks == 3 {
			want = 0.25*2 + 0.25*4 + 0.5*8
		}
		if got := f32(centroidOverW(x)); got != want {
			t.Errorf("without vertex %d: %v, want %v", lacks, got, want)
		}
	}
}

// TestFed: a slot is fed if the last stage before the rasteriser writes it, whatever those before it write.
func TestFed(t *testing.T) {
	for n := range 32 {
		vertex, tess, geometry := n&1 != 0, n>>1&3, n>>3 // what is written: by nobody, by a stage that does, by one that does not
		stage := func(writes bool) emu.Program {
			p := &program{}
			p.io.Outputs = []emu.OutputSlot{{Slot: ir.SlotPos}}
			if writes {
				p.io.Outputs = append(p.io.Outputs, emu.OutputSlot{Slot: ir.SlotPrimitiveID})
			}
			return p
		}
		d, want := &emu.Pipeline{Vertex: stage(vertex)}, vertex
		if tess > 0 {
			d.TessEval, want = stage(tess == 1), tess == 1
		}
		if geometry > 0 {
			d.Geometry, want = stage(geometry == 1), geometry == 1
		}
		if got := (&wave{l: &emu.Launch{Draw: d}}).fed(ir.SlotPrimitiveID); got != want {
			t.Errorf("vertex %v, tessellation %d, geometry %d: fed %v, want %v", vertex, tess, geometry, got, want)
		}
	}
	if (&wave{l: &emu.Launch{}}).fed(ir.SlotPos) {
		t.Error("fed without a draw")
	}
}
