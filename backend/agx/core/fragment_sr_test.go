package core

import (
	"testing"

	"nirc/internal/emu"
)

// TestFragmentRegisters: what the special registers of fragment shaders hold, on a pixel of a primitive and on one without, of
// helpers and of what was killed. What the pipeline's mask keeps from being written counts among the input coverage.
func TestFragmentRegisters(t *testing.T) {
	mask := func(m uint32) *emu.Pipeline { return &emu.Pipeline{Multisample: emu.MultisampleState{Mask: &m}} }
	four := &emu.Primitive{Layer: 7, Samples: 4}
	one := &emu.Primitive{Layer: 0, Samples: 0, FrontFacing: true}
	for _, c := range []struct {
		name                        string
		lane                        emu.FragmentLane
		draw                        *emu.Pipeline
		cover, killed               uint32
		layer, log2, coverage, real uint32
		back, x, y, input           uint32
	}{
		{name: "four samples", lane: emu.FragmentLane{Prim: four, X: 5, Y: 6, Coverage: 11}, cover: 11, layer: 7, log2: 2, coverage: 11, real: 1, back: 1, x: 5, y: 6, input: 11},
		{name: "some killed", lane: emu.FragmentLane{Prim: four, Coverage: 11}, cover: 11, killed: 3, layer: 7, log2: 2, coverage: 8, real: 1, back: 1, input: 11},
		{name: "all killed", lane: emu.FragmentLane{Prim: four, Coverage: 11}, cover: 11, killed: 15, layer: 7, log2: 2, back: 1, input: 11},
		{name: "helper", lane: emu.FragmentLane{Prim: four, Helper: true}, layer: 7, log2: 2, back: 1},
		{name: "a mask", lane: emu.FragmentLane{Prim: four, Coverage: 2}, draw: mask(6), cover: 2, layer: 7, log2: 2, coverage: 2, real: 1, back: 1, input: 11},
		{name: "a mask of all", lane: emu.FragmentLane{Prim: four, Coverage: 2}, draw: mask(0xffffffff), cover: 2, layer: 7, log2: 2, coverage: 2, real: 1, back: 1, input: 2},
		{name: "no mask", lane: emu.FragmentLane{Prim: four, Coverage: 2}, draw: &emu.Pipeline{}, cover: 2, layer: 7, log2: 2, coverage: 2, real: 1, back: 1, input: 2},
		{name: "one sample", lane: emu.FragmentLane{Prim: one, Coverage: 1}, draw: mask(0), cover: 1, coverage: 1, real: 1, input: 1},
		{name: "no primitive", lane: emu.FragmentLane{X: -1, Y: 3, Coverage: 1}, draw: mask(0), cover: 1, coverage: 1, real: 1, x: 0xffffffff, y: 3, input: 1},
	} {
		w := &wave{l: &emu.Launch{Fragment: []emu.FragmentLane{{}, c.lane}, Draw: c.draw}, frag: &fragState{}}
		w.frag.cover[1], w.frag.killed[1] = c.cover, c.killed
		for sr, want := range map[int]uint32{srThirdWorkgroup: c.layer, srSamplesLog2: c.log2, srCoverage: c.coverage, srReal: c.real, srBackFacing: c.back,
			srGlobalID: c.x, srGlobalID + 1: c.y, srInputCoverage: c.input} {
			if got, ok := w.fragmentSR(sr, 1); !ok || got != want {
				t.Errorf("%s: special register %d is %#x, %v, want %#x", c.name, sr, got, ok, want)
			}
		}
		if _, ok := w.fragmentSR(srGlobalID+2, 1); ok {
			t.Errorf("%s: a pixel has a third coordinate", c.name)
		}
	}
}
