package core

import (
	"math"
	"math/rand/v2"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
)

// numberView is an image of floats, each a whole number.
func numberView(t *testing.T, size int, at func(x, y int) float32) *emu.ImageView {
	t.Helper()
	m, err := emu.NewImage(emu.ImageDesc{Width: size, Height: size, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: m}
	for y := range size {
		for x := range size {
			v.Store(x, y, 0, 0, 0, [4]uint32{math.Float32bits(at(x, y))})
		}
	}
	return v
}

// TestImageProcessing: what instructions that go through many texels take of their registers is what ir3.md §3.7 says: sums over the
// texels, written out, are the same.
func TestImageProcessing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const size = 12
	a := func(x, y int) float32 { return float32(3*x*x + 7*y + 1) }
	b := func(x, y int) float32 { return float32(5*x + 2*y*y) }
	first, second := numberView(t, size, a), &emu.Descriptor{Image: numberView(t, size, b)}
	s := &emu.Sampler{Unnormalized: true, Address: [3]emu.AddressMode{emu.AddressClampToEdge, emu.AddressClampToEdge, emu.AddressClampToEdge}}
	const lane, lanes = 1, 2
	w := &wave{p: &program{meta: &abi.Meta{Gen: isa.A7xx}}, size: lanes, n: lanes, regs: make([]uint32, 8*lanes)}
	run := func(op isa.Op, at [2]float32, words [2]uint32) float64 {
		x := &inst{Instr: isa.Instr{Op: op, Type: isa.F32, Srcs: [4]isa.Operand{isa.R(1), isa.R(3)}}}
		for k, v := range []uint32{math.Float32bits(at[0]), math.Float32bits(at[1]), words[0], words[1]} {
			w.laneSet(1+k, lane, false, v)
		}
		return float64(math.Float32frombits(w.processImage(x, lane, first, second, s)[0]))
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-4*math.Abs(want)) {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	for range 200 {
		// The part of a texel that a box covers, in one direction.
		covered := func(texel int, at, side float64) float64 {
			return max(0, min(float64(texel+1), at+side/2)-max(float64(texel), at-side/2))
		}
		at := [2]float32{4 + 4*r.Float32(), 4 + 4*r.Float32()}
		sides := [2]uint32{64 + r.Uint32N(192), 64 + r.Uint32N(192)}
		half := emu.FloatToHalf(1 / (float32(sides[0]) / 64 * float32(sides[1]) / 64))
		want := 0.0
		for y := range size {
			for x := range size {
				part := covered(x, float64(at[0]), float64(sides[0])/64) * covered(y, float64(at[1]), float64(sides[1])/64)
				want += part * float64(a(x, y)) * float64(emu.HalfToFloat(half))
			}
		}
		near("a box", run(isa.OpImgPcmn, at, [2]uint32{sides[0] | sides[1]<<16, uint32(half)}), want)

		target, reference := [2]int{r.IntN(5), r.IntN(5)}, [2]int{r.IntN(5), r.IntN(5)}
		block := [2]int{1 + r.IntN(6), 1 + r.IntN(6)}
		sad, ssd := 0.0, 0.0
		for y := range block[1] {
			for x := range block[0] {
				d := float64(a(target[0]+x, target[1]+y) - b(reference[0]+x, reference[1]+y))
				sad, ssd = sad+math.Abs(d), ssd+d*d
			}
		}
		words := [2]uint32{uint32(reference[0] | reference[1]<<16), uint32(block[0] | block[1]<<16)}
		corner := [2]float32{float32(target[0]), float32(target[1])}
		near("absolute differences", run(isa.OpImgSad, corner, words), sad)
		near("squared differences", run(isa.OpImgSsd, corner, words), ssd)
	}
}
