package refs

import (
	"math/rand/v2"
	"os"
)

// WholeGrids reports whether tests that go through all combinations of something are to take them all, as
// .ci/run has it: NIRC_GRIDS=all.
func WholeGrids() bool { return os.Getenv("NIRC_GRIDS") == "all" }

// Sample takes of a list one in n, by a fixed seed and from all of its length; with WholeGrids all.
func Sample[T any](list []T, n int) []T {
	if WholeGrids() {
		return list
	}
	r := rand.New(rand.NewPCG(uint64(len(list)), uint64(n)))
	var some []T
	for ; len(list) > 0; list = list[min(n, len(list)):] {
		some = append(some, list[r.IntN(min(n, len(list)))])
	}
	return some
}
