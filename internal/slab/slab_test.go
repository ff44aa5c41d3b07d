package slab

import "testing"

type item struct {
	n    int
	next *item
}

// TestReset: what is handed out is zero, also in memory that was used before,
// and no chunk is made again.
func TestReset(t *testing.T) {
	var s Slab[item]
	for round := range 3 {
		var last *item
		for i := range 3 * Chunk {
			p := s.New()
			if *p != (item{}) {
				t.Fatalf("round %d, value %d: %v", round, i, *p)
			}
			p.n, p.next = i+1, last
			last = p
		}
		s.Reset()
		if len(s.spare) != 3 {
			t.Errorf("round %d: %d chunks kept, not 3", round, len(s.spare))
		}
	}
}

// TestLongSlices: a slice that is longer than a chunk's part is zero, too, and its memory is used again by one of about its length.
func TestLongSlices(t *testing.T) {
	var s Slab[int]
	for _, n := range []int{Chunk/4 + 1, 128, 129, 1000, 1024} {
		first := s.Slice(n)
		if len(first) != n || cap(first) != n {
			t.Fatalf("%d values with room for %d, not %d", len(first), cap(first), n)
		}
		for i := range first {
			first[i] = 1
		}
		other := s.Slice(n)
		if &first[0] == &other[0] {
			t.Fatalf("two slices of %d are the same", n)
		}
		s.Reset()
		for range 2 {
			again := s.Slice(n)
			if &again[0] != &first[0] && &again[0] != &other[0] {
				t.Errorf("a slice of %d is new memory", n)
			}
			for _, v := range again {
				if v != 0 {
					t.Fatalf("a slice of %d is not zero", n)
				}
			}
		}
		s.Reset()
	}
	// The room of 129 holds 200, and nothing is left of it.
	long := s.Slice(200)
	long[199] = 1
	s.Reset()
	if short := s.Slice(129); cap(short) != 129 {
		t.Errorf("room for %d", cap(short))
	}
	if again := s.Slice(256); again[199] != 0 {
		t.Error("what a longer slice held is still there")
	}
}

// TestSlice: slices do not overlap, keep their values when others are made, and cannot grow into each other.
func TestSlice(t *testing.T) {
	var s Slab[int]
	var all [][]int
	for n := range 2 * Chunk {
		l := s.Slice(n % 90)
		if cap(l) != len(l) && len(l) <= Chunk/4 {
			t.Fatalf("slice of %d has room for %d", len(l), cap(l))
		}
		for i := range l {
			if l[i] != 0 {
				t.Fatal("not zero")
			}
			l[i] = n
		}
		all = append(all, l)
	}
	for n, l := range all {
		if len(l) != n%90 {
			t.Fatalf("slice %d has %d elements", n, len(l))
		}
		for _, v := range l {
			if v != n {
				t.Fatalf("slice %d holds %d", n, v)
			}
		}
	}
	if s.Slice(0) != nil {
		t.Error("an empty slice is not nil")
	}
}

func TestResized(t *testing.T) {
	l := Resized[int](nil, 4)
	l[3] = 7
	if m := Resized(l[:0], 4); &m[0] != &l[0] || m[3] != 7 {
		t.Error("memory that suffices is not used")
	}
	if m := Zeroed(l[:0], 4); &m[0] != &l[0] || m[3] != 0 {
		t.Error("memory that suffices is not zeroed")
	}
	if m := Zeroed(l, 40); len(m) != 40 || m[3] != 0 {
		t.Error("longer slice")
	}
}
