package agx

import (
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/gputest"
	"nirc/ir"
)

// Inputs at vertices and weights have coefficient registers of their own, beside those of
// the same slot that is interpolated.
func TestBarycentrics(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageFragment, 64)
	weights := &b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32).Set(ir.IdxInterpMode, uint64(ir.InterpSmooth)).Def
	at := func(v *ir.Def, comp uint64) *ir.Def {
		in := b.Intrinsic(ir.IntrLoadInputVertex, 1, 32, v, b.Imm32(0))
		in.Set(ir.IdxComponent, comp).Set(ir.IdxIoSemantics, ioSemantics(ir.SlotVar0+2)).Set(ir.IdxRange, 1)
		return &in.Def
	}
	smooth := b.Intrinsic(ir.IntrLoadInterpolatedInput, 1, 32, weights, b.Imm32(0))
	smooth.Set(ir.IdxComponent, 1).Set(ir.IdxIoSemantics, ioSemantics(ir.SlotVar0+2)).Set(ir.IdxRange, 1)
	index := b.Iand(at(b.Imm32(0), 3), b.Imm32(3))
	storeOutput(b, ir.SlotData0, b.Vec(b.Channel(weights, 0), b.Channel(weights, 1), at(index, 2), &smooth.Def))
	bin, text := build(t, s, CompileOptions{})
	want := []abi.Coef{
		{Source: abi.CoefW, CF: 0, Count: 1},
		{CF: 1, Slot: ir.SlotVar0 + 2, First: 1, Count: 1, Interp: ir.InterpSmooth},
		{CF: 2, Slot: ir.SlotVar0 + 2, First: 2, Count: 2, Interp: ir.InterpFlat, Vertex: 1},
		{CF: 4, Slot: ir.SlotVar0 + 2, First: 2, Count: 2, Interp: ir.InterpFlat, Vertex: 2},
		{CF: 6, Slot: ir.SlotVar0 + 2, First: 2, Count: 2, Interp: ir.InterpFlat, Vertex: 3},
		{Source: abi.CoefBary, CF: 8, Count: 2, Interp: ir.InterpSmooth},
	}
	if got := bin.Meta.Coefs; len(got) != len(want) {
		t.Fatalf("coefficients %+v, want %+v", got, want)
	}
	for i, c := range bin.Meta.Coefs {
		if c != want[i] {
			t.Errorf("coefficients %+v, want %+v", c, want[i])
		}
	}
	expect(t, text, "iterproj", "cf8", "cf0")
}
