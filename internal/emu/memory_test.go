package emu

import "testing"

// TestLoadWithin: of a word that a buffer has a part of, the rest is of what is given.
func TestLoadWithin(t *testing.T) {
	m := NewMemory()
	b := m.Alloc(6)
	copy(b.Data, []byte{1, 2, 3, 4, 5, 6})
	for off, want := range map[uint64]uint32{0: 0x04030201, 3: 0xaa060504, 4: 0xaabb0605, 5: 0xaabbcc06, 6: 0xaabbccdd, 100: 0xaabbccdd} {
		if got := m.LoadWithin(b.Addr, 6, off, 4, 0xaabbccdd); got != want {
			t.Errorf("at %d: %#x, want %#x", off, got, want)
		}
	}
}
