//go:build !race

package ir3

import (
	"runtime"
	"runtime/debug"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPlansShareMemory: the second plan of a shader is compiled in the memory of the first. The race detector empties pools
// at will, so it is not for this.
func TestPlansShareMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	s := twoPlans(t)
	allocated := func(onePlan bool) uint64 {
		const rounds = 10
		copies := make([]*ir.Shader, rounds+1)
		for i := range copies {
			copies[i] = ir.Clone(s)
		}
		var before, after runtime.MemStats
		for i, c := range copies {
			if i == 1 { // the first warms the pools
				runtime.ReadMemStats(&before)
			}
			if _, err := Compile(c, CompileOptions{GPU: "a630", onePlan: onePlan, Lists: gputest.Lists}); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / rounds
	}
	if one, two := allocated(true), allocated(false); two > one+one/4 {
		t.Errorf("two plans allocate %d bytes, one %d", two, one)
	}
}
