package ir3

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"nirc/ir"
)

// TestVaryingsFillSlots: fetches of varyings that are wanted late go where others wait for results.
func TestVaryingsFillSlots(t *testing.T) {
	programs.Hold(t)
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

// TestBranchesShareVaryings: what several branches load of the same varying is fetched once, parts of it too, and what
// differs in place is fetched by itself.
func TestBranchesShareVaryings(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name    string
		in      ir.Intrinsic
		comp, n uint8
		want    int // components fetched, that of the condition among them
	}{
		{"the same", ir.IntrLoadBarycentricPixel, 0, 2, 3},
		{"a part", ir.IntrLoadBarycentricPixel, 1, 1, 3},
		{"more, the middle of which nobody reads", ir.IntrLoadBarycentricPixel, 0, 3, 5},
		{"another place", ir.IntrLoadBarycentricCentroid, 0, 2, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, b := newStage(ir.StageFragment)
			x := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+1, 0, 1)
			i := b.PushIf(b.Flt(x, b.ImmFloat(0.5, 32)))
			v := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0, 0, 2)
			then := b.Fsqrt(b.Fmul(b.Channel(v, 0), b.Channel(v, 1)))
			b.PushElse(i)
			v = interpolated(b, c.in, ir.InterpSmooth, ir.SlotVar0, c.comp, c.n)
			els := b.Fsqrt(b.Fadd(b.Channel(v, 0), b.Channel(v, int(c.n)-1)))
			b.PopIf(i)
			outputTo(b, b.IfPhi(i, then, els), ir.SlotData0)
			if err := lowerToScalar(s); err != nil {
				t.Fatal(err)
			}
			text := disasm(stageBinary(t, ir.Clone(s), "a630"))
			got := 0
			for _, m := range regexp.MustCompile(`(?:\(rpt(\d)\))?bary\.f`).FindAllStringSubmatch(text, -1) {
				n, _ := strconv.Atoi(m[1])
				got += 1 + n
			}
			if got != c.want {
				t.Errorf("%d components are fetched, want %d:\n%s", got, c.want, text)
			}
			if err := stageDiffer(s, "a630"); err != nil {
				t.Error(err)
			}
		})
	}
}
