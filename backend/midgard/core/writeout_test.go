package core

import (
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestTypedPixels: of a format's components a typed load brings what is there, and of those that it does not have other garbage each time; without
// checks they are what the format says.
func TestTypedPixels(t *testing.T) {
	for name, want := range map[string][4]uint32{"R8_UNORM": {f(1), 0, 0, 0}, "R8G8_UNORM": {f(1), f(1), 0, 0}, "R8G8B8A8_UNORM": {f(1), f(1), f(1), f(1)}, "B8G8R8A8_UNORM": {f(1), f(1), f(1), f(1)},
		"R5G6B5_UNORM_PACK16": {f(1), f(1), f(1), 0}} {
		img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 2, Format: emu.FormatByName(name)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range img.Data {
			img.Data[i] = 0xff
		}
		w := inputWave(t, abi.Varying{})
		w.l.Draw = &emu.Pipeline{Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}}
		w.order = emu.Poison(3)
		th := &w.threads[0]
		th.tile = true
		first, err := w.typedPixel(th, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, _ := w.typedPixel(th, 0)
		for c := range want {
			if same := first[c] == again[c]; same != (want[c] != 0) || same && first[c] != want[c] {
				t.Errorf("%s: component %d is %#x, then %#x, want %#x", name, c, first[c], again[c], want[c])
			}
		}
		w.check = false
		if v, err := w.typedPixel(th, 0); err != nil || v[0] != want[0] {
			t.Errorf("%s without checks: %x, %v", name, v, err)
		}
	}
}

// TestWrittenOut: a writeout waits once, a helper's ends it, and what it leaves are the colour of the target that r1 names, if it names one, and the
// depth and stencil that r1 was given, where the metadata has them; r0 to r3 are then nobody's.
func TestWrittenOut(t *testing.T) {
	for n := range 64 {
		named, depth, stencil, dual, helper, check := n&1 != 0, n&2 != 0, n&4 != 0, n&8 != 0, n&16 != 0, n&32 != 0
		m := fragMeta()
		m.WritesDepth, m.WritesStencil, m.DualSource = depth, stencil, dual
		w := &wave{p: &program{meta: m}, l: quad(), check: check, threads: make([]thread, 1)}
		th := &w.threads[0]
		th.helper = helper
		th.file[0], th.file[1], th.file[2] = pack4([4]uint32{1, 2, 3, 4}), pack4([4]uint32{50, 60, 2 << abi.TargetShift, 0}), pack4([4]uint32{5, 6, 7, 8})
		for r := range th.def[:5] {
			th.def[r] = [2]uint64{1, 1}
		}
		b := &bundle{taken: 3}
		b.wrote[1] = [2]uint64{^uint64(0), 0}
		if named {
			b.wrote[1][1] = mask(32)
		}
		waits := 0
		for {
			wait, err := w.writeout(th, b)
			if err != nil {
				t.Fatal(err)
			}
			if !wait {
				break
			}
			if waits++; waits > 1 {
				t.Fatalf("%d: waits for ever", n)
			}
		}
		out, want := w.l.Out[0], emu.Slots{}
		target := ir.SlotData0
		if named {
			target += 2
		}
		if !helper {
			want[target] = emu.Vec4{1, 2, 3, 4}
			if dual {
				want[ir.SlotData0+7] = emu.Vec4{5, 6, 7, 8}
			}
			if depth {
				want[ir.SlotDepth][0] = 50
			}
			if stencil {
				want[ir.SlotStencil][0] = 60
			}
		}
		if out != want || (waits == 1) != check || (th.state == ended) != helper || (th.def[3] == [2]uint64{}) != (check && !helper) || th.def[4] == [2]uint64{} || th.waited {
			t.Errorf("%d: %d waits, state %v, defined %v, left %v", n, waits, th.state, th.def[:5], out)
		}
		// Depth and stencil that r1 was not given in this bundle are not there, and what names no target has no colour.
		b.wrote[1], th.file[1][1], th.waited = [2]uint64{0, mask(32)}, uint64(abi.TargetNone), true
		w.l.Out[0] = emu.Slots{}
		if _, err := w.writeout(th, b); err != nil || w.l.Out[0] != (emu.Slots{}) {
			t.Errorf("%d: a writeout of nothing leaves %v, %v", n, w.l.Out[0], err)
		}
	}
}
