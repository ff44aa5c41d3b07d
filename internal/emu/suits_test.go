package emu

import (
	"testing"

	"nirc/ir"
)

// TestSuits: of the shapes in which a binding is seen, each image suits its own best.
func TestSuits(t *testing.T) {
	type shape struct {
		name  string
		dim   ir.Dim
		array bool
	}
	format := FormatByName("R8_UNORM")
	for want, d := range map[shape]Descriptor{
		{"2D", ir.Dim2D, false}:          {Image: mustImage(t, ImageDesc{Width: 4, Height: 4, Format: format})},
		{"2D array", ir.Dim2D, true}:     {Image: mustImage(t, ImageDesc{Width: 4, Height: 4, Layers: 5, Format: format})},
		{"3D", ir.Dim3D, false}:          {Image: mustImage(t, ImageDesc{Width: 4, Height: 4, Depth: 6, Format: format})},
		{"cube", ir.DimCube, false}:      {Image: mustImage(t, ImageDesc{Width: 4, Height: 4, Layers: 6, Format: format})},
		{"cube array", ir.DimCube, true}: {Image: mustImage(t, ImageDesc{Width: 4, Height: 4, Layers: 12, Format: format})},
		{"1D", ir.Dim1D, false}:          {Image: mustImage(t, ImageDesc{Width: 4, Height: 1, Format: format})},
		{"1D array", ir.Dim1D, true}:     {Image: mustImage(t, ImageDesc{Width: 4, Height: 1, Layers: 3, Format: format})},
		{"samples", ir.DimMS, false}:     {Image: mustImage(t, ImageDesc{Width: 4, Height: 4, Samples: 2, Format: format})},
		{"sample array", ir.DimMS, true}: {Image: mustImage(t, ImageDesc{Width: 4, Height: 4, Layers: 2, Samples: 2, Format: format})},
		{"buffer", ir.DimBuf, false}:     {Format: format},
	} {
		best, most := shape{}, 0
		for _, s := range []shape{{"2D", ir.Dim2D, false}, {"2D array", ir.Dim2D, true}, {"3D", ir.Dim3D, false}, {"cube", ir.DimCube, false}, {"cube array", ir.DimCube, true},
			{"1D", ir.Dim1D, false}, {"1D array", ir.Dim1D, true}, {"samples", ir.DimMS, false}, {"sample array", ir.DimMS, true}, {"buffer", ir.DimBuf, false}} {
			switch n := d.Suits(s.dim, s.array); {
			case n == most && n > 0:
				t.Errorf("%s: suits %s and %s alike", want.name, best.name, s.name)
			case n > most:
				best, most = s, n
			}
		}
		if best != want {
			t.Errorf("%s: suits %s best", want.name, best.name)
		}
	}
}
