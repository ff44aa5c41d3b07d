package core

import (
	"math"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// planeForm is a coefficient register: what it is of, and its value at a vertex, which 1/w of the vertex has been multiplied with if it is to be divided again.
type planeForm struct {
	name  string
	coef  coef
	value func(v *emu.Slots, k int) float64
}

var planeForms = []planeForm{
	{"1/w", coef{Coef: &abi.Coef{Source: abi.CoefW}}, func(v *emu.Slots, _ int) float64 { return 1 / wideF(v[ir.SlotPos][3]) }},
	{"perspective", coef{Coef: &abi.Coef{Slot: ir.SlotVar0, Interp: ir.InterpSmooth}, comp: 1}, func(v *emu.Slots, _ int) float64 { return wideF(v[ir.SlotVar0][1]) / wideF(v[ir.SlotPos][3]) }},
	{"no perspective", coef{Coef: &abi.Coef{Slot: ir.SlotVar0, Interp: ir.InterpNoPerspective}}, func(v *emu.Slots, _ int) float64 { return wideF(v[ir.SlotVar0][0]) }},
	{"a weight", coef{Coef: &abi.Coef{Source: abi.CoefBary, Interp: ir.InterpSmooth}}, func(v *emu.Slots, k int) float64 { return pickF(k == 1, 1/wideF(v[ir.SlotPos][3])) }},
	{"a weight without perspective", coef{Coef: &abi.Coef{Source: abi.CoefBary, Interp: ir.InterpNoPerspective}, comp: 1}, func(_ *emu.Slots, k int) float64 { return pickF(k == 2, 1) }},
}

func pickF(c bool, v float64) float64 {
	if c {
		return v
	}
	return 0
}

// TestPlanes: the plane of a coefficient register gives what its vertices have at the vertices, counted from the corner of the region of 32 by 32 that the
// pixel is in (agx.md §9.1).
func TestPlanes(t *testing.T) {
	for _, form := range planeForms {
		for _, at := range [][2]int32{{40, 20}, {31, 33}, {95, 64}, {0, 0}} {
			for _, check := range []*checker{nil, {}} {
				l := quads(1)
				f := &l.Fragment[0]
				f.X, f.Y = at[0], at[1]
				w := &wave{l: l, p: &program{meta: fragMeta()}, frag: &fragState{}, check: check}
				got, err := w.planeOf(form.coef, 0)
				if err != nil {
					t.Errorf("%s: %v", form.name, err)
					continue
				}
				// The vertices of quads.
				for k, p := range [][2]float64{{32, 0}, {96, 0}, {32, 64}} {
					v := wideF(got[0])*(p[0]-float64(at[0]&^31)) + wideF(got[1])*(p[1]-float64(at[1]&^31)) + wideF(got[2])
					if want := form.value(f.Prim.V[k], k); !(math.Abs(v-want) <= 1e-5*max(1, math.Abs(want))) {
						t.Errorf("%s at %d: vertex %d has %v, want %v; plane %x", form.name, at, k, v, want, got)
					}
				}
			}
		}
	}
}

// TestPointPlanes: the coefficient registers of a point have no plane. Where its faults are looked for, the first words are none of one, and the last one is the
// point's value; a triangle without an area is a triangle.
func TestPointPlanes(t *testing.T) {
	for _, form := range planeForms {
		for _, checked := range []bool{false, true} {
			for _, point := range []bool{false, true} {
				l := quads(1)
				prim := l.Fragment[0].Prim
				prim.V[0][ir.SlotPos][3], prim.V[0][ir.SlotVar0] = fbits(2), emu.Vec4{fbits(5), fbits(3)}
				if point {
					prim.V[1], prim.V[2] = prim.V[0], prim.V[0]
				}
				w := &wave{l: l, p: &program{meta: fragMeta()}, frag: &fragState{}}
				if checked {
					w.check = &checker{}
				}
				l.Fragment[0].Coord[3] = float32(1 / wideF(prim.V[0][ir.SlotPos][3]))
				got, err := w.planeOf(form.coef, 0)
				if err != nil {
					t.Fatal(err)
				}
				if marked := got[0] == invalidPlane && got[1] == invalidPlane<<1; marked != (point && checked) {
					t.Errorf("%s: point %v, checked %v: %x", form.name, point, checked, got)
				}
				if source := form.coef.Source; point && checked && (source != abi.CoefBary || form.coef.Interp == ir.InterpSmooth) {
					// Of a value with perspective, no division is to come. The weights are those of the other vertices.
					want := wideF(prim.V[0][form.coef.Slot][form.coef.comp])
					if source != abi.CoefVarying {
						want = form.value(prim.V[0], 0)
					}
					if wideF(got[2]) != want {
						t.Errorf("%s: the point has %v, want %v", form.name, wideF(got[2]), want)
					}
				}
			}
		}
	}
}

// TestFlatPlanes: a flat register has the value of its vertex, or of the provoking one, in its last word; in the middle one if the first vertex of a fan provokes, and, as
// nobody knows, perhaps if it is of the second vertex.
func TestFlatPlanes(t *testing.T) {
	for n := range 32 {
		vertex, fan, seed := uint8(n&3), n&4 != 0, uint64(n>>3)
		l := quads(1)
		l.Approx, l.Draw = seed, &emu.Pipeline{Topology: emu.TriangleList}
		if fan {
			l.Draw.Topology = emu.TriangleFan
		}
		w := &wave{l: l, p: &program{meta: fragMeta()}, frag: &fragState{garbage: poison{emu.Poison(1)}}}
		got, err := w.planeOf(coef{Coef: &abi.Coef{Slot: ir.SlotVar0 + 1, Interp: ir.InterpFlat, Vertex: vertex}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		prim := l.Fragment[0].Prim
		of, at := prim.Provoking, 2
		if vertex > 0 {
			of = w.vertexOf(int(vertex - 1))
		}
		if vertex == 0 && fan || vertex == 2 && l.Doubt(doubtMiddleWord) {
			at = 1
		}
		if want := prim.V[of][ir.SlotVar0+1][0]; got[at] != want {
			t.Errorf("vertex %d, fan %v, seed %d: %d, want %d in word %d", vertex, fan, seed, got, want, at)
		}
	}
}
