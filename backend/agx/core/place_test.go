package core

import (
	"math"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
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

// TestFansAndStrips: whether the first vertex of fans provokes, and by which vertex the hardware begins the triangles of strips and fans, hang on the topology, on the
// provoking vertex, and on stages and lists that make other primitives; on nothing else.
func TestFansAndStrips(t *testing.T) {
	seeds := map[bool]uint64{}
	for seed := uint64(0); len(seeds) < 2; seed++ {
		seeds[(&emu.Launch{Approx: seed}).Doubt(doubtVertexOrder)] = seed
	}
	stage := &program{}
	for topology := emu.PointList; topology <= emu.PatchList; topology++ {
		for n := range 32 {
			last, tess, geometry, lists, doubt := n&1 != 0, n&2 != 0, n&4 != 0, n&8 != 0, n&16 != 0
			d := &emu.Pipeline{Topology: topology}
			d.Raster.ProvokingLast = last
			if tess {
				d.TessEval = stage
			}
			if geometry {
				d.Geometry = stage
			}
			w := &wave{p: &program{meta: &abi.Meta{Lists: lists}}, l: &emu.Launch{Draw: d, Approx: seeds[doubt]}}
			own := !tess && !geometry && !lists
			if got, want := w.firstFan(), topology == emu.TriangleFan && !last && own; got != want {
				t.Errorf("topology %v, %05b: the first vertex of a fan provokes: %v, want %v", topology, n, got, want)
			}
			turned := 0
			if (topology == emu.TriangleStrip || topology == emu.TriangleFan) && own && doubt {
				turned = 1
			}
			for v := range 3 {
				if got := w.vertexOf(v); got != (v+turned)%3 {
					t.Errorf("topology %v, %05b: vertex %d is %d", topology, n, v, got)
				}
			}
		}
	}
	w := &wave{p: &program{meta: &abi.Meta{}}, l: &emu.Launch{Approx: seeds[true]}}
	if w.firstFan() || w.vertexOf(1) != 1 {
		t.Error("without a draw")
	}
}

// TestCornerWords: the value of a vertex stands in the last word of its coefficient register, of the second one perhaps in the middle word; elsewhere is garbage.
func TestCornerWords(t *testing.T) {
	seen := map[int]bool{}
	for seed := range uint64(8) {
		w := &wave{frag: &fragState{garbage: poison{emu.Poison(1)}}, l: &emu.Launch{Approx: seed}}
		for vertex := range 3 {
			plane := w.cornerPlane(coef{Coef: &abi.Coef{Vertex: uint8(vertex)}}, 77)
			at := -1
			for i, v := range plane {
				if v == 77 && at < 0 {
					at = i
				} else if v == 77 {
					t.Errorf("vertex %d: two words of %v", vertex, plane)
				}
			}
			if want := vertex == 2 && w.l.Doubt(doubtMiddleWord); at != 2 && !(want && at == 1) || want != (at == 1) {
				t.Errorf("seed %d, vertex %d: word %d", seed, vertex, at)
			}
			seen[at] = true
		}
	}
	if !seen[1] || !seen[2] {
		t.Errorf("words %v", seen)
	}
}

// TestReciprocalW: away from the pixel's centre 1/w comes from the corners, at the weights of the place; at the centre of a pixel, not of a
// sample, the fragment has it.
func TestReciprocalW(t *testing.T) {
	f := &emu.FragmentLane{Prim: &emu.Primitive{}, SampleID: -1}
	for k, v := range []float32{2, 4, 8} {
		f.Prim.V[k] = &emu.Slots{}
		f.Prim.V[k][ir.SlotPos][3] = math.Float32bits(v)
	}
	f.Coord[3] = 7
	w := &wave{frag: &fragState{}}
	p := &place{linear: [2]float32{0.5, 0.25}}
	if got, want := w.recipW(f, p), 0.5+0.5*(0.25-0.5)+0.25*(0.125-0.5); got != want {
		t.Errorf("1/w is %v, want %v", got, want)
	}
	if p.center = true; w.recipW(f, p) != 7 {
		t.Errorf("1/w at the centre is %v, want the fragment's", w.recipW(f, p))
	}
	if f.SampleID = 0; w.recipW(f, p) == 7 {
		t.Error("a sample has the 1/w of the pixel's centre")
	}
}
