package passes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"nirc/ir"
)

// wideShader loads n words, all at the start, and adds them up at the end.
func wideShader(n int) *ir.Shader {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	s.Info.WorkgroupSize = [3]uint32{1, 1, 1}
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	zero := b.Imm32(0)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
	var vals []*ir.Def
	for i := range n {
		vals = append(vals, b.Imul(id, b.Imm32(uint32(2*i+1))))
	}
	sum := id
	for _, v := range vals {
		sum = b.Ixor(b.Iadd(sum, v), b.Imm32(5))
	}
	b.Intrinsic(ir.IntrStoreSsbo, 0, 0, sum, zero, b.Ishl(id, b.Imm32(8))).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
	return s
}

// mostLive returns the largest number of words that are live at a time in the
// only block, constants left out.
func mostLive(s *ir.Shader) int {
	live, most := 0, 0
	seen := map[*ir.Def]bool{}
	for in := range s.Entry().Impl.Start().InstrsReverse() {
		if seen[&in.Def] {
			live -= width(&in.Def)
		}
		for i := range in.Srcs {
			if d := in.Srcs[i].Def; !seen[d] && !d.IsConst() {
				seen[d] = true
				live += width(d)
			}
		}
		most = max(most, live)
	}
	return most
}

// TestSchedulePressure: at a low threshold few values are live, at a high one
// what the longest chain waits for comes first.
func TestSchedulePressure(t *testing.T) {
	s := wideShader(40)
	before := ir.Clone(s)
	if n := mostLive(s); n < 40 {
		t.Fatalf("%d words live at the start", n)
	}
	for _, limit := range []string{"6", "20"} {
		if _, err := RunPass(s, "schedule", "threshold", limit); err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		compareRuns(t, before, s)
		most := map[string]int{"6": 8, "20": 22}[limit]
		if n := mostLive(s); n > most {
			t.Errorf("threshold %s: %d words live\n%s", limit, n, ir.Print(s))
		}
	}
}

// TestScheduleKeepsEffects: what two orders of stores and loads leave differs.
func TestScheduleKeepsEffects(t *testing.T) {
	s := wideShader(4)
	b := ir.NewBuilder(ir.AtEnd(s.Entry().Impl.Start()))
	zero := b.Imm32(0)
	at := b.Ishl(b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0), b.Imm32(8))
	for i := range uint32(12) {
		v := &b.Intrinsic(ir.IntrLoadSsbo, 1, 32, zero, at).Set(ir.IdxAlignMul, 4).Def
		v = b.Imul(b.Iadd(v, b.Imm32(i)), b.Imm32(3))
		b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, zero, at).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
	}
	before := ir.Clone(s)
	for _, limit := range []string{"0", "8", "100"} {
		if _, err := RunPass(s, "schedule", "threshold", limit); err != nil {
			t.Fatal(err)
		}
		compareRuns(t, before, s)
	}
}

// TestScheduleHeap: what a scheduler has ready beyond its window comes out from the first to the last, whatever it was given between.
func TestScheduleHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 60 {
		var sc scheduler
		var left []int32
		for range 4 * n {
			if k := int32(r.IntN(50)); r.IntN(3) > 0 {
				sc.push(k)
				left = append(left, k)
				slices.Sort(left)
			} else if len(left) > 0 {
				if got := sc.pop(); got != left[0] {
					t.Fatalf("%d came out of %v", got, left)
				}
				left = left[1:]
			}
		}
		for _, want := range left {
			if got := sc.pop(); got != want {
				t.Fatalf("%d came out, want %d", got, want)
			}
		}
	}
}
