package parcopy

import (
	"math/rand/v2"
	"testing"
)

// machine does moves at once, on units that hold numbers.
type machine struct {
	t      *testing.T
	units  []int
	swaps  bool
	moves  int
	breaks int
}

func (m *machine) Move(_ int, dst, src int32, size uint8) {
	m.moves++
	if src == Nowhere {
		for k := range int32(size) {
			m.units[dst+k] = -1
		}
		return
	}
	copy(m.units[dst:dst+int32(size)], append([]int(nil), m.units[src:src+int32(size)]...))
}

func (m *machine) Break(dst, src int32, size uint8) (int32, bool) {
	m.breaks++
	if !m.swaps {
		if size != 1 {
			m.t.Fatalf("%d units are saved", size)
		}
		m.units = append(m.units, m.units[dst])
		return int32(len(m.units) - 1), false
	}
	for k := range int32(size) {
		m.units[dst+k], m.units[src+k] = m.units[src+k], m.units[dst+k]
	}
	return 0, true
}

// TestRandomCopies: the sequence of random copies leaves in all destinations what all of them would have read before.
func TestRandomCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var c Copies
	for n := range 20000 {
		const units = 12
		m := &machine{t: t, swaps: n%2 == 0, units: make([]int, units)}
		want := make([]int, units)
		for i := range want {
			m.units[i], want[i] = i, i
		}
		c.Begin(n % (units + 1))
		for dst := int32(0); dst < units; {
			size := int32(1)
			if m.swaps && dst%2 == 0 && r.IntN(3) == 0 {
				size = 2
			}
			if r.IntN(4) != 0 {
				src := r.Int32N(units/size) * size
				if r.IntN(8) == 0 {
					src = Nowhere
				}
				for k := range size {
					if want[dst+k] = int(src + k); src == Nowhere {
						want[dst+k] = -1
					}
				}
				c.Add(dst, src, uint8(size))
			}
			dst += size
		}
		c.Flush(m)
		for i, w := range want {
			if m.units[i] != w {
				t.Fatalf("copies %d: unit %d holds %d, want %d", n, i, m.units[i], w)
			}
		}
	}
}

// TestNothingInVain: a chain takes a move a copy, a cycle a place beside or a swap less than it has copies.
func TestNothingInVain(t *testing.T) {
	for _, x := range []struct {
		name          string
		from          []int32 // of unit i
		swaps         bool
		moves, breaks int
	}{
		{"chain", []int32{1, 2, 3, Nowhere}, false, 4, 0},
		{"spread", []int32{3, 3, 3}, false, 3, 0},
		{"cycle", []int32{1, 2, 0}, false, 3, 1},
		{"swaps", []int32{1, 2, 0}, true, 0, 2},
		{"own", []int32{0, 0}, false, 2, 0},
	} {
		m := &machine{t: t, swaps: x.swaps, units: []int{0, 1, 2, 3}}
		var c Copies
		for dst, src := range x.from {
			c.Add(int32(dst), src, 1)
		}
		if c.Flush(m); m.moves != x.moves || m.breaks != x.breaks {
			t.Errorf("%s: %d moves and %d breaks, want %d and %d", x.name, m.moves, m.breaks, x.moves, x.breaks)
		}
	}
}
