package ir3

import (
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/ir"
)

// TestCoordMask: the metadata asks for the components of the position that the shader reads, in two registers where they
// are x and y alone, and each read finds its component.
func TestCoordMask(t *testing.T) {
	programs.Hold(t)
	build := func(want uint8) *ir.Shader {
		s, b := newStage(ir.StageFragment)
		sum := b.ImmFloat(0, 32)
		for c := range 4 {
			if want>>c&1 != 0 { // from loads of their own, so that masks add up
				pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
				sum = b.Ffma(b.Channel(pos, c), b.ImmFloat(float64(int(1)<<(4*c)), 32), sum)
			}
		}
		b.Intrinsic(ir.IntrLoadFragCoord, 4, 32) // that nobody reads
		outputTo(b, sum, ir.SlotData0)
		return s
	}
	for want := uint8(0); want < 16; want++ {
		bin, err := compile(build(want), CompileOptions{GPU: "a630"})
		if err != nil {
			t.Fatal(err)
		}
		var coords []abi.Sysval
		for _, v := range bin.Meta.Sysvals {
			if v.Kind == abi.FragCoord {
				coords = append(coords, v)
			}
		}
		if want == 0 {
			if len(coords) != 0 {
				t.Errorf("no component: asks for %+v", coords)
			}
			continue
		}
		mask, regs := want, 4
		if want == 15 {
			mask = 0
		} else if want < 4 {
			regs = 2
		}
		if len(coords) != 1 || coords[0].Mask != mask || coords[0].Count() != regs {
			t.Errorf("components %04b: asks for %+v, want mask %04b and %d registers", want, coords, mask, regs)
		}
		if err := stageDiffer(build(want), "a630"); err != nil {
			t.Errorf("components %04b: %v", want, err)
		}
	}
}
