package interp

import "testing"

// TestBufferOffset: sums of offsets into buffers are those of integers of any size as long as 32 bits hold them; what leaves
// them stays out of bounds.
func TestBufferOffset(t *testing.T) {
	numbers := []uint64{0, 1, 4, 255, lostOffset - 1, lostOffset, lostOffset + 1, belowZero - 1, belowZero, belowZero + 1, 1<<32 - 4, 1<<32 - 1}
	for _, off := range numbers {
		for _, n := range append([]uint64{^uint64(0), ^uint64(3), ^uint64(lostOffset) + 1, ^uint64(1<<28) + 1, 1 << 32, 1 << 33}, numbers...) {
			from := int64(off)
			if off >= belowZero {
				from -= 1 << 32
			}
			sum := from + int64(n)
			want := uint64(sum) & (1<<32 - 1)
			switch {
			case off >= lostOffset && off < belowZero: // out of bounds already
				want = off
			case sum >= lostOffset || sum < -(1<<32-belowZero):
				want = lostOffset
			}
			if got := bufferOffset(off, n); got != want {
				t.Errorf("%#x + %#x: %#x, want %#x", off, n, got, want)
			}
		}
	}
}
