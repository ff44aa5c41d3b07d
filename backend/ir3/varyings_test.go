package ir3

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestVaryingsFillSlots: fetches of varyings that are wanted late go where others wait for results.
func TestVaryingsFillSlots(t *testing.T) {
	s, b := newStage(ir.StageFragment)
	n := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0, 0, 3)
	x, y, z := b.Channel(n, 0), b.Channel(n, 1), b.Channel(n, 2)
	length := b.Frsq(b.Ffma(z, z, b.Ffma(y, y, b.Fmul(x, x))))
	for k := range ir.Slot(3) {
		late := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+1+k, 0, 4)
		outputTo(b, b.Fmul(late, b.Vec(length, length, length, length)), ir.SlotData0+k)
	}
	if err := lowerToScalar(s); err != nil {
		t.Fatal(err)
	}
	text := disasm(stageBinary(t, ir.Clone(s), "a630"))
	if last, first := strings.LastIndex(text, "bary.f"), strings.Index(text, "mul.f"); last < first || first < 0 {
		t.Errorf("all fetches come before the first product:\n%s", text)
	}
	if err := stageDiffer(s, "a630"); err != nil {
		t.Error(err)
	}
}
