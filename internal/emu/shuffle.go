package emu

import "math/bits"

// shuffle is an order of the numbers below n that goes by a seed; that of seed
// 0 is as they are. It needs no memory: a Feistel network over an even number
// of bits is walked until it comes to a number below n.
type shuffle struct {
	seed, n uint64
	half    uint // bits of a half
}

func newShuffle(seed, n uint64) shuffle {
	return shuffle{seed: seed, n: n, half: uint(bits.Len64(max(n, 2)-1)+1) / 2}
}

// at returns the number at place i of the order.
func (s *shuffle) at(i uint64) uint64 {
	if s.seed == 0 || s.n < 2 {
		return i
	}
	for {
		mask := uint64(1)<<s.half - 1
		l, r := i>>s.half, i&mask
		for round := range uint64(4) {
			l, r = r, l^scatter(r^fork(s.seed, round))&mask
		}
		if i = l<<s.half | r; i < s.n {
			return i
		}
	}
}
