package isa

import "math/bits"

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

func (w word) append(b []byte, n int) []byte {
	for i := 0; i < n; i++ {
		if i < 8 {
			b = append(b, byte(w.lo>>(8*i)))
		} else {
			b = append(b, byte(w.hi>>(8*i-64)))
		}
	}
	return b
}

func (w word) bit(n uint) uint64 {
	if n < 64 {
		return w.lo >> n & 1
	}
	return w.hi >> (n - 64) & 1
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

func (s span) get(w word) uint64 {
	if s.lo < 64 {
		return w.lo >> s.lo & (1<<s.n - 1)
	}
	return w.hi >> (s.lo - 64) & (1<<s.n - 1)
}

func (s span) put(w *word, v uint64) {
	v &= 1<<s.n - 1
	if s.lo < 64 {
		w.lo |= v << s.lo
	} else {
		w.hi |= v << (s.lo - 64)
	}
}

// field is a number kept in pieces, lowest first.
type field struct {
	name  string
	spans []span
	width uint8
}

func (f *field) get(w word) (v uint64) {
	at := uint8(0)
	for _, s := range f.spans {
		v |= s.get(w) << at
		at += s.n
	}
	return v
}

func (f *field) put(w *word, v uint64) {
	for _, s := range f.spans {
		s.put(w, v)
		v >>= s.n
	}
}
