package ir3

import (
	"math/bits"

	"nirc/internal/slab"
)

// maxReady bounds how many candidates are looked at.
const maxReady = 48

// readyUnits are the units of a segment that may go, in the order of the program. Only the first are looked at; where
// thousands are ready, to keep the others in a list would move most of it for each unit: they are bits.
type readyUnits struct {
	first []int32  // up to maxReady, ascending
	later []uint64 // those after them, a bit a unit; none unless first is full
	n     int      // how many these are
}

// begin empties the set for a segment of so many units.
func (r *readyUnits) begin(units int) {
	r.first, r.later, r.n = r.first[:0], slab.Zeroed(r.later, (units+63)/64), 0
}

func (r *readyUnits) add(u int32) {
	if len(r.first) == maxReady {
		last := r.first[maxReady-1]
		if u < last {
			r.first = r.first[:maxReady-1]
			u, last = last, u
		}
		r.later[u/64] |= 1 << (u % 64)
		if r.n++; len(r.first) == maxReady {
			return
		}
		u = last
	}
	r.first = append(r.first, u)
	for k := len(r.first) - 1; k > 0 && r.first[k-1] > u; k-- {
		r.first[k-1], r.first[k] = r.first[k], r.first[k-1]
	}
}

// take removes the k-th of the first and returns it.
func (r *readyUnits) take(k int) int32 {
	u := r.first[k]
	last := r.first[len(r.first)-1]
	r.first = append(r.first[:k], r.first[k+1:]...)
	if r.n > 0 {
		r.n--
		r.first = append(r.first, r.after(last))
	}
	return u
}

// after removes the lowest unit of later, which is above u, and returns it.
func (r *readyUnits) after(u int32) int32 {
	for w := int(u / 64); ; w++ {
		if b := r.later[w]; b != 0 {
			r.later[w] = b & (b - 1)
			return int32(64*w + bits.TrailingZeros64(b))
		}
	}
}
