package ir_test

import (
	"slices"
	"testing"

	"nirc/ir"
	"nirc/ir/irtest"
)

// TestBlocksReverse: backwards come the blocks that come forwards, in loops with continue lists too, and it takes no memory.
func TestBlocksReverse(t *testing.T) {
	loops := 0
	for seed := range uint64(60) {
		for _, f := range irtest.RandomShader(seed, 60).Functions {
			if f.Impl == nil {
				continue
			}
			addContinues(f.Impl)
			want := slices.Collect(f.Impl.Blocks())
			slices.Reverse(want)
			if got := slices.Collect(f.Impl.BlocksReverse()); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %d blocks backwards, not the %d that there are", seed, len(got), len(want))
			}
			for b := range f.Impl.Blocks() {
				if l := b.FollowingLoop(); l != nil && !l.Continue.Empty() {
					loops++
				}
			}
			n := 0
			if m := testing.AllocsPerRun(5, func() {
				for range f.Impl.BlocksReverse() {
					n++
				}
			}); m != 0 {
				t.Fatalf("%v allocations", m)
			}
		}
	}
	if loops == 0 {
		t.Error("no loop has a continue list")
	}
}

// addContinues gives a function's loops continue lists.
func addContinues(impl *ir.Impl) {
	for b := range impl.Blocks() {
		if l := b.FollowingLoop(); l != nil && l.Continue.Empty() {
			l.AddContinue()
		}
	}
}
