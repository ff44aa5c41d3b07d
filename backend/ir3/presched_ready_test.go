package ir3

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestReadyUnits: what is ready is the same as in a sorted list, of which the first may be taken, however many there are.
func TestReadyUnits(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(600)
		var got readyUnits
		got.begin(n)
		var want []int32
		todo := r.Perm(n)
		for len(todo) > 0 || len(want) > 0 {
			if len(todo) > 0 && (len(want) == 0 || r.IntN(3) > 0) {
				u := int32(todo[0])
				todo = todo[1:]
				got.add(u)
				at, _ := slices.BinarySearch(want, u)
				want = slices.Insert(want, at, u)
			} else {
				k := r.IntN(min(len(want), maxReady))
				if u := got.take(k); u != want[k] {
					t.Fatalf("seed %d: took %d, want %d", seed, u, want[k])
				}
				want = slices.Delete(want, k, k+1)
			}
			if first := want[:min(len(want), maxReady)]; !slices.Equal(got.first, first) || got.n != len(want)-len(first) {
				t.Fatalf("seed %d: first are %v and %d more, want %v and %d", seed, got.first, got.n, first, len(want)-len(first))
			}
		}
	}
}

// BenchmarkReadyUnits: the time of a unit is the same among a hundred and among a hundred thousand, all ready at once.
func BenchmarkReadyUnits(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(map[bool]string{true: "few", false: "many"}[n == 100], func(b *testing.B) {
			var r readyUnits
			for done := 0; done < b.N; done += n {
				r.begin(n)
				for u := n - 1; u >= 0; u-- {
					r.add(int32(u))
				}
				for range n {
					r.take(len(r.first) / 2)
				}
			}
		})
	}
}
