// Package slab hands out memory for the many small values that a compile makes
// (instructions, operands, blocks) and takes it back all at once, so that the
// next compile makes hardly any garbage. A caller keeps his slabs in a
// sync.Pool. Nothing here knows what the values are, and nothing is freed singly.
package slab

import (
	"math/bits"
	"unsafe"
)

// Slab hands out stable pointers to zeroed values in chunks. Chunks of a slab
// that was reset are used again. The zero value is ready for use.
type Slab[T any] struct {
	// last is the last of used, of which the first taken were handed out: to count costs less than to move a slice's start,
	// a pointer that the collector wants to know of.
	last  []T
	taken int
	used  [][]T // chunks that values were handed out from
	spare [][]T // zeroed chunks
	long  [][]T // long slices that were handed out
	// free are zeroed long slices by the logarithm of their room.
	free [][][]T
}

// Chunk is the number of values in a chunk, and of large ones what chunkBytes hold of them, but no fewer than a quarter.
const (
	Chunk      = 256
	chunkBytes = 32 << 10
)

// chunk is the number of values in a chunk of the slab.
func (s *Slab[T]) chunk() int {
	var v T
	return max(Chunk/4, min(Chunk, chunkBytes/max(1, int(unsafe.Sizeof(v)))))
}

func (s *Slab[T]) grow() {
	n := len(s.spare)
	if n == 0 {
		s.last = make([]T, s.chunk())
	} else {
		s.last = s.spare[n-1]
		s.spare = s.spare[:n-1]
	}
	s.taken = 0
	s.used = append(s.used, s.last)
}

// New returns a zeroed value.
func (s *Slab[T]) New() *T {
	if s.taken == len(s.last) {
		s.grow()
	}
	p := &s.last[s.taken]
	s.taken++
	return p
}

// Slice returns n zeroed values next to each other, with no room after them;
// nil if n is 0.
func (s *Slab[T]) Slice(n int) []T {
	if n == 0 {
		return nil
	}
	end := s.taken + n
	if end > len(s.last) {
		if n > Chunk/4 {
			return s.longSlice(n)
		}
		s.grow()
		end = n
	}
	p := s.last[s.taken:end:end]
	s.taken = end
	return p
}

// longSlice is Slice for more values than a quarter of a chunk. Its room is the next power of two, so that slices of other
// lengths find it again.
func (s *Slab[T]) longSlice(n int) []T {
	class := bits.Len(uint(n - 1))
	for len(s.free) <= class {
		s.free = append(s.free, nil)
	}
	var p []T
	if free := s.free[class]; len(free) > 0 {
		p = free[len(free)-1][:n]
		s.free[class] = free[:len(free)-1]
	} else {
		p = make([]T, n, 1<<class)
	}
	s.long = append(s.long, p)
	return p[:n:n]
}

// Reset takes everything back and zeroes it: nothing that was handed out may be
// used afterwards.
func (s *Slab[T]) Reset() {
	for i, c := range s.used {
		if i == len(s.used)-1 {
			c = c[:s.taken]
		}
		clear(c)
	}
	s.spare = append(s.spare, s.used...)
	clear(s.used)
	s.used, s.last, s.taken = s.used[:0], nil, 0
	for _, p := range s.long {
		clear(p)
		class := bits.Len(uint(len(p) - 1))
		s.free[class] = append(s.free[class], p)
	}
	clear(s.long)
	s.long = s.long[:0]
}

// Resized returns a slice of n elements, list's memory if it suffices; what
// they hold is anything.
func Resized[T any](list []T, n int) []T {
	if n > cap(list) {
		return make([]T, n, n+n/4)
	}
	return list[:n]
}

// Zeroed is Resized with every element zero.
func Zeroed[T any](list []T, n int) []T {
	if n > cap(list) {
		return make([]T, n, n+n/4)
	}
	list = list[:n]
	clear(list)
	return list
}
