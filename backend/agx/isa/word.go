package isa

import (
	"encoding/binary"
	"math/bits"
)

// MaxBytes is the length of the longest instruction.
const MaxBytes = 12

// word holds an instruction's bits, bit 0 the lowest of the first byte.
type word struct{ lo, hi uint64 }

func loadWord(b []byte) (w word) {
	for i, v := range b {
		if i < 8 {
			w.lo |= uint64(v) << (8 * i)
		} else {
			w.hi |= uint64(v) << (8*i - 64)
		}
	}
	return w
}

// append appends the first n bytes to b, and touches none after them.
func (w word) append(b []byte, n int) []byte {
	var buf [16]byte
	binary.LittleEndian.PutUint64(buf[:8], w.lo)
	binary.LittleEndian.PutUint64(buf[8:], w.hi)
	return append(b, buf[:n]...)
}

func (w word) and(o word) word { return word{w.lo & o.lo, w.hi & o.hi} }
func (w word) xor(o word) word { return word{w.lo ^ o.lo, w.hi ^ o.hi} }
func (w word) or(o word) word  { return word{w.lo | o.lo, w.hi | o.hi} }

func (w word) count() int { return bits.OnesCount64(w.lo) + bits.OnesCount64(w.hi) }

// first is the lowest bit that is set.
func (w word) first() int {
	if w.lo != 0 {
		return bits.TrailingZeros64(w.lo)
	}
	return 64 + bits.TrailingZeros64(w.hi)
}

// below is the word with the lowest n bits set.
func below(n uint) word {
	switch {
	case n < 64:
		return word{lo: 1<<n - 1}
	case n < 128:
		return word{^uint64(0), 1<<(n-64) - 1}
	}
	return word{^uint64(0), ^uint64(0)}
}

// span is one piece of a field: bits lo to lo+n-1, inside one half of a word.
type span struct{ lo, n uint8 }

func (s span) get(w *word) uint64 {
	half := w.lo
	if s.lo >= 64 {
		half = w.hi
	}
	return half >> (s.lo & 63) & (1<<(s.n&63) - 1)
}

func (s span) put(w *word, v uint64) {
	v &= 1<<(s.n&63) - 1
	if s.lo < 64 {
		w.lo |= v << (s.lo & 63)
	} else {
		w.hi |= v << (s.lo & 63)
	}
}

// field is a number kept in pieces, lowest first.
type field struct {
	width  uint8
	pieces uint8
	spans  [4]span
	name   string
}

func (f *field) get(w *word) uint64 {
	v, at := f.spans[0].get(w), f.spans[0].n
	for i := uint8(1); i < f.pieces; i++ {
		s := f.spans[i&3]
		v |= s.get(w) << at
		at += s.n
	}
	return v
}

func (f *field) put(w *word, v uint64) {
	for i := range f.pieces {
		s := f.spans[i&3]
		s.put(w, v)
		v >>= s.n & 63
	}
}
