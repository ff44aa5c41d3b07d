package emu

// Garbage is a stream of bits: what registers, memory and outputs hold that
// nothing has written. The zero Garbage gives zeros, as a lenient run wants;
// each other one never zeros all along, and the same for the same seed.
type Garbage struct {
	state uint64
	swap  *swap // nil: what is drawn is as the state says
}

// Poison returns the garbage of a seed; that of 0 is zeros.
func Poison(seed uint64) Garbage { return Garbage{state: seed} }

// On reports whether the stream is more than zeros.
func (g *Garbage) On() bool { return g.state != 0 }

// Long returns the next 64 bits (SplitMix64: Steele, Lea, Flood, "Fast
// Splittable Pseudorandom Number Generators", 2014).
func (g *Garbage) Long() uint64 {
	if g.state == 0 {
		return 0
	}
	if g.state += 0x9e3779b97f4a7c15; g.state == 0 {
		g.state = 1
	}
	if g.swap != nil {
		return g.swap.draw(scatter(g.state))
	}
	return scatter(g.state)
}

// Mark names what is filled from here on, with the number of the first and how many words each
// takes, 0 of bytes: "register", 3, 4. A [Garbage.Word] takes two.
func (g *Garbage) Mark(what string, first, words int) {
	if g.swap != nil {
		g.swap.marks = append(g.swap.marks, mark{g.swap.drawn, what, first, words})
	}
}

// Word returns the next 32 bits.
func (g *Garbage) Word() uint32 { return uint32(g.Long()) }

// Below returns the next number below n, which is more than 0.
func (g *Garbage) Below(n int) int { return int(g.Long() % uint64(n)) }

// Fork returns a stream for part n of something, whatever is drawn from g: of orders too, which
// are not what a register holds.
func (g *Garbage) Fork(n uint64) Garbage { return Poison(fork(g.state, n)) }

// Fill fills memory.
func (g *Garbage) Fill(b []byte) {
	if g.state == 0 {
		clear(b)
		return
	}
	for len(b) >= 8 {
		StoreBytes(b, 8, g.Long())
		b = b[8:]
	}
	for i, v := 0, g.Long(); i < len(b); i++ {
		b[i] = byte(v >> (8 * i))
	}
}

// FillWords fills registers.
func (g *Garbage) FillWords(w []uint32) {
	if g.state == 0 {
		clear(w)
		return
	}
	for i := 0; i < len(w); i += 2 {
		v := g.Long()
		w[i] = uint32(v)
		if i+1 < len(w) {
			w[i+1] = uint32(v >> 32)
		}
	}
}

// fillSlots fills the first slots of lanes' outputs.
func (g *Garbage) fillSlots(lanes []Slots, first int) {
	for i := range lanes {
		for k := range lanes[i][:first] {
			g.FillWords(lanes[i][k][:])
		}
	}
}

// scatter spreads a number's bits over all of them.
func scatter(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// fork makes the seed of a part; that of 0 is 0.
func fork(seed, n uint64) uint64 {
	if seed == 0 {
		return 0
	}
	return scatter(seed+n*0xd1342543de82ef95) | 1
}

// defaultSeed is the seed of a checked run that names none.
const defaultSeed = 0x6e697263

// seed is what garbage and orders of a draw or dispatch go by, 0 of a lenient one.
func (l *Limits) seed() uint64 {
	switch {
	case !l.Check:
		return 0
	case l.Seed == 0:
		return defaultSeed
	}
	return l.Seed
}

// ApproxSeed is Launch.Approx of the waves.
func (l *Limits) ApproxSeed() uint64 {
	if l.Exact {
		return 0
	}
	return fork(l.seed(), 2)
}

// Garbage returns what a wave finds in its registers, its private memory, and
// whatever else the core keeps for it: each wave other bits.
func (l *Launch) Garbage() Garbage { return Garbage{l.Seed, l.swap} }
