package core

import (
	"math"
	"reflect"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestInterface: what metadata say of a program is what the software GPU is told of it, each by itself.
func TestInterface(t *testing.T) {
	fragment := func(f func(m *abi.Meta)) abi.Meta {
		m := abi.Meta{Stage: ir.StageFragment}
		f(&m)
		return m
	}
	vertex := func(f func(m *abi.Meta)) abi.Meta {
		m := abi.Meta{Stage: ir.StageVertex, Next: ir.StageGeometry}
		f(&m)
		return m
	}
	captures := []ir.Capture{{Buffer: 1}}
	for _, c := range []struct {
		name string
		m    abi.Meta
		want emu.StageIO
	}{
		{"nothing", fragment(func(*abi.Meta) {}), emu.StageIO{}},
		{"clip", vertex(func(m *abi.Meta) { m.ClipDistances = 3 }), emu.StageIO{TestsClip: 3}},
		{"cull", vertex(func(m *abi.Meta) { m.CullDistances = 2 }), emu.StageIO{TestsCull: 2}},
		{"discard", fragment(func(m *abi.Meta) { m.UsesDiscard = true }), emu.StageIO{UsesDiscard: true}},
		{"memory", fragment(func(m *abi.Meta) { m.WritesMemory = true }), emu.StageIO{WritesMemory: true}},
		{"quads", fragment(func(m *abi.Meta) { m.NeedsQuads = true }), emu.StageIO{NeedsQuads: true}},
		{"early tests", fragment(func(m *abi.Meta) { m.EarlyFragmentTests = true }), emu.StageIO{EarlyFragmentTests: true}},
		{"samples", fragment(func(m *abi.Meta) { m.PerSample = true }), emu.StageIO{PerSample: true}},
		{"depth", fragment(func(m *abi.Meta) { m.WritesDepth = true }), emu.StageIO{WritesDepth: true}},
		{"stencil", fragment(func(m *abi.Meta) { m.WritesStencil = true }), emu.StageIO{WritesStencil: true}},
		{"depth of the tile", fragment(func(m *abi.Meta) { m.ReadsTile, m.ReadsDepth = true, true }), emu.StageIO{TileLoads: true, ReadsDepth: true}},
		{"tile", fragment(func(m *abi.Meta) { m.ReadsTile = true }), emu.StageIO{TileLoads: true}},
		{"the last stage but one", vertex(func(m *abi.Meta) { m.Next = ir.StageNone }), emu.StageIO{WindowPosition: true}},
		{"feedback", vertex(func(m *abi.Meta) { m.Captures, m.XfbStrides[2] = captures, 48 }), emu.StageIO{Captures: captures, XfbStrides: [ir.NumXfbBuffers]uint32{2: 48}}},
		{"inputs", fragment(func(m *abi.Meta) {
			m.Inputs = []abi.Input{{Slot: ir.SlotVar0, Mask: 3, Interp: ir.InterpFlat, Bits: 16}, {Slot: ir.SlotVar0 + 1, Mask: 8, Interp: ir.InterpSmooth, Bits: 32}}
		}), emu.StageIO{Inputs: []emu.InputSlot{{Slot: ir.SlotVar0, Mask: 3, Interp: ir.InterpFlat, Bits: 16}, {Slot: ir.SlotVar0 + 1, Mask: 8, Interp: ir.InterpSmooth, Bits: 32}}}},
		{"a linear input", fragment(func(m *abi.Meta) {
			m.Inputs = []abi.Input{{Slot: ir.SlotVar0, Mask: 1, Interp: ir.InterpNoPerspective}, {Slot: ir.SlotVar0 + 1, Mask: 1, Interp: ir.InterpSmooth}}
		}), emu.StageIO{LinearTimesW: true, Inputs: []emu.InputSlot{{Slot: ir.SlotVar0, Mask: 1, Interp: ir.InterpNoPerspective}, {Slot: ir.SlotVar0 + 1, Mask: 1, Interp: ir.InterpSmooth}}}},
		{"outputs", fragment(func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotData0, Mask: 7, Index: 1, Bits: 16}} }),
			emu.StageIO{Outputs: []emu.OutputSlot{{Slot: ir.SlotData0, Mask: 7, Index: 1, Bits: 16}}}},
	} {
		p := &program{meta: &c.m}
		if p.buildIO(); !reflect.DeepEqual(p.io, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, p.io, c.want)
		}
	}
}

// TestHelperWrites: a helper may write its own memory and no other, which is looked for in the checking mode.
func TestHelperWrites(t *testing.T) {
	for _, c := range []struct {
		check, helper bool
		at            uint64
		ok            bool
	}{
		{true, true, tlsBase, true}, {true, true, tlsBase + 64, true}, {true, true, 0x1000, false}, {true, true, tlsBase ^ 1<<63, false}, {true, true, 0, false},
		{true, false, 0x1000, true}, {false, true, 0x1000, true},
	} {
		w := &wave{check: c.check}
		if err := w.helperWrites(&thread{helper: c.helper}, c.at); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestBreakTie: a tie that was rounded one way goes the other way where the value lies beyond it, and stays where it lies on
// this side, or exactly between.
func TestBreakTie(t *testing.T) {
	for _, base := range []float32{1, 1.5, -1, -3, 0x1p-100, 0x1p100, 1 - 0x1p-24} {
		up := math.Nextafter32(base, float32(math.Inf(1)))
		middle := (float64(base) + float64(up)) / 2
		for _, c := range []struct {
			f    float32
			err  float64
			want float32
		}{{base, 0, base}, {up, 0, up}, {base, 1e-60, up}, {up, 1e-60, up}, {base, -1e-60, base}, {up, -1e-60, base}} {
			if got := breakTie(c.f, middle, c.err); got != c.want {
				t.Errorf("between %v and %v, rounded to %v, off by %v: %v, want %v", base, up, c.f, c.err, got, c.want)
			}
		}
		// What is no tie is rounded right already.
		for _, v := range []float64{float64(base), (3*float64(base) + float64(up)) / 4} {
			for _, err := range []float64{-1e-60, 0, 1e-60} {
				if got := breakTie(base, v, err); got != base {
					t.Errorf("%v, off by %v: %v, want %v", v, err, got, base)
				}
			}
		}
	}
	if inf := float32(math.Inf(1)); breakTie(inf, 1e300, -1) != inf {
		t.Error("infinity is rounded down")
	}
	var th thread
	th.set(3, [4]uint32{1, 2, 3, 4})
	if th.file[3] != [2]uint64{2<<32 | 1, 4<<32 | 3} {
		t.Errorf("the register is %x", th.file[3])
	}
}
