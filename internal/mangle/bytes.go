package mangle

import (
	"encoding/binary"
	"math/rand/v2"
)

// Bytes returns a copy of data with a few changes: bytes, bits and whole words that are
// others (words of limits, or words that stand elsewhere in data), runs of
// bytes that are missing, twice there or cut off at the end.
func Bytes(r *rand.Rand, data []byte) []byte {
	b := append([]byte(nil), data...)
	for range 1 + r.IntN(1+r.IntN(4)) {
		if len(b) == 0 {
			return append(b, byte(r.Uint32()))
		}
		i, n := r.IntN(len(b)), 1+r.IntN(8)
		e := min(i+n, len(b))
		switch r.IntN(10) {
		case 0:
			b = b[:i]
		case 1:
			b = append(b[:i:i], b[e:]...)
		case 2:
			b = append(b[:e:e], b[i:]...)
		case 3:
			b[i] ^= 1 << r.IntN(8)
		case 4, 5:
			b[i] = byte(r.Uint32())
		case 6:
			copy(b[i:e], b[r.IntN(len(b)):])
		default:
			word(r, b)
		}
	}
	return b
}

// word changes a little-endian number of 16, 32 or 64 bits.
func word(r *rand.Rand, b []byte) {
	n := 2 << r.IntN(3)
	if len(b) < n {
		return
	}
	at := r.IntN(len(b)-n+1) &^ (n - 1)
	var old [8]byte
	copy(old[:], b[at:at+n])
	v := binary.LittleEndian.Uint64(old[:])
	switch r.IntN(3) {
	case 0:
		v += uint64(r.IntN(9)) - 4
	case 1:
		v = -numbers[r.IntN(len(numbers))]
	default:
		v = numbers[r.IntN(len(numbers))]
	}
	binary.LittleEndian.PutUint64(old[:], v)
	copy(b[at:at+n], old[:n])
}
