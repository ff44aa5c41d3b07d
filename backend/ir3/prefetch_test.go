package ir3

import (
	"testing"

	"nirc/ir"
)

// TestPrefetchSlots: textures of any slot are prefetched, in a set nothing limits them to the first.
func TestPrefetchSlots(t *testing.T) {
	programs.Hold(t)
	for _, binding := range []uint32{0, 7, 40, 63} {
		s, b := newStage(ir.StageFragment)
		x := &texBuild{s: s, b: b, uv: interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+1, 1, 2)}
		d := x.variable(0, binding, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
		outputTo(b, &x.op(ir.TexOpTex, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.uv})...).Def, ir.SlotData0)
		bin, err := compile(s, CompileOptions{GPU: "a630"})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(bin.Meta.Prefetches); n != 1 || bin.Meta.Prefetches[0].Texture != uint16(bin.Meta.Descriptors[0].Slot) {
			t.Errorf("binding %d: prefetches %+v of descriptors %+v", binding, bin.Meta.Prefetches, bin.Meta.Descriptors)
		}
	}
}

// TestPrefetchPointCoord: the place in a point is a varying, and textures there are prefetched as at others.
func TestPrefetchPointCoord(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageFragment)
	x := &texBuild{s: s, b: b, uv: &b.Intrinsic(ir.IntrLoadPointCoord, 2, 32).Def}
	d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
	outputTo(b, &x.op(ir.TexOpTex, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.uv})...).Def, ir.SlotData0)
	bin, err := compile(s, CompileOptions{GPU: "a630"})
	if err != nil {
		t.Fatal(err)
	}
	if p := bin.Meta.Prefetches; len(p) != 1 || len(bin.Meta.Inputs) != 1 || bin.Meta.Inputs[0].Slot != ir.SlotPointCoord || p[0].InLoc != bin.Meta.Inputs[0].InLoc || bin.Meta.Inputs[0].Mask != 3 {
		t.Errorf("prefetches %+v of inputs %+v", p, bin.Meta.Inputs)
	}
}
