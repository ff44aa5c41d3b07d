package ir

// slab hands out stable pointers to zeroed values in chunks, so that a compile
// makes few allocations and dropping the shader frees everything.
type slab[T any] struct {
	chunk []T
}

const slabChunk = 256

func (s *slab[T]) new() *T {
	if len(s.chunk) == 0 {
		s.chunk = make([]T, slabChunk)
	}
	p := &s.chunk[0]
	s.chunk = s.chunk[1:]
	return p
}

// slice returns n zeroed values next to each other.
func (s *slab[T]) slice(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(s.chunk) {
		if n > slabChunk/4 {
			return make([]T, n)
		}
		s.chunk = make([]T, slabChunk)
	}
	p := s.chunk[:n:n]
	s.chunk = s.chunk[n:]
	return p
}
