package core

import (
	"testing"

	"nirc/backend/agx/isa"
	"nirc/internal/emu"
)

// TestSampleBeyond: a sample that the target has is where it is, one that it has not is
// anywhere in the pixel but the centre, from the first on.
func TestSampleBeyond(t *testing.T) {
	for _, samples := range []int{0, 1, 2, 4} {
		prim := &emu.Primitive{Samples: samples,
			SamplePos: func(n int) (float32, float32) { return float32(n+1) / 8, 0.25 },
			Bary:      func(x, y float32, _ bool) (float32, float32) { return x, y }}
		w := &wave{frag: &fragState{garbage: poison{emu.Poison(1)}}, l: &emu.Launch{Fragment: []emu.FragmentLane{{Prim: prim, X: 3, Y: 5, SampleID: -1}}}}
		for n := range samples + 3 {
			sample := isa.I(n)
			p, err := w.place(&inst{Instr: isa.Instr{Interp: isa.InterpSampleRegister}}, 0, &sample)
			if err != nil {
				t.Fatal(err)
			}
			x, y := p.x, p.y
			if n < max(1, samples) {
				x, y = 3+float32(n+1)/8, 5.25
			}
			outside := p.x <= 3 || p.x >= 4 || p.y <= 5 || p.y >= 6
			if p.x != x || p.y != y || outside || p.center || n >= max(1, samples) && (p.x == 3.5 || p.y == 5.5) {
				t.Errorf("sample %d of %d is at %v, %v, of the centre: %t", n, samples, p.x, p.y, p.center)
			}
		}
	}
}
