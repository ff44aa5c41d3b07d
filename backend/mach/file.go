package mach

import "math/bits"

// fileState is a register file while the allocator walks the program.
type fileState struct {
	val  []Value   // by unit: what is there, 0 nothing
	busy [8]uint64 // units in use
	held [8]uint64 // units of sources that die at the current instruction
	// next is by unit what is to come that would like it, first the next one.
	next  []int32
	after int // where the last gap ended
	used  int // highest unit ever used, plus 1
}

func (fs *fileState) reset() {
	clear(fs.val)
	fs.busy, fs.held = [8]uint64{}, [8]uint64{}
}

func setRange(s *[8]uint64, r, n int) {
	for ; n > 0; r, n = r+1, n-1 {
		s[r>>6] |= 1 << (r & 63)
	}
}

func clearRange(s *[8]uint64, r, n int) {
	for ; n > 0; r, n = r+1, n-1 {
		s[r>>6] &^= 1 << (r & 63)
	}
}

// lastSet returns the highest member of s in [r, r+n), or -1; n is at most 64.
func lastSet(s *[8]uint64, r, n int) int {
	for i := r + n - 1; i >= r; {
		w := s[i>>6] << (63 - i&63)
		if w != 0 {
			if j := i - bits.LeadingZeros64(w); j >= r {
				return j
			}
			return -1
		}
		i -= i&63 + 1
	}
	return -1
}

func (fs *fileState) take(v Value, r, n int) {
	for i := range n {
		fs.val[r+i] = v
	}
	setRange(&fs.busy, r, n)
	fs.used = max(fs.used, r+n)
}

func (fs *fileState) release(r, n int) {
	clear(fs.val[r : r+n])
	clearRange(&fs.busy, r, n)
}

func (fs *fileState) free(r, n int) bool { return lastSet(&fs.busy, r, n) < 0 }

// gap returns the first aligned place in [from, to) for n units where neither
// s nor t has a member, or -1.
func gap(s, t *[8]uint64, n, align, from, to int) int {
	r := (from + align - 1) &^ (align - 1)
	for r+n <= to {
		j := lastSet(s, r, n)
		if t != nil {
			j = max(j, lastSet(t, r, n))
		}
		if j < 0 {
			return r
		}
		r = (j + align) &^ (align - 1)
	}
	return -1
}
