package gputest

import (
	"slices"

	"nirc/internal/refs"
)

// Seeds yields the numbers from 0 to n-1 of which random shaders are made: all of them where grids are taken
// whole, else one of three.
func Seeds(n int64) func(yield func(seed int64) bool) {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return slices.Values(refs.Sample(list, 3))
}
