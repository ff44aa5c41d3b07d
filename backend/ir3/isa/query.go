package isa

// has reports whether the encoding of o has a field.
func (o Op) has(id fieldID) bool {
	if o == OpRaw || o >= NumOps {
		return false
	}
	for _, f := range opTable[o].layout {
		if f.id == id {
			return true
		}
	}
	return false
}

// Can reports whether the encoding has a bit for every one of the flags. Whether
// the hardware honours it there (sat on category 4) is another matter.
func (o Op) Can(flags Flags) bool {
	if o == OpRaw || o >= NumOps {
		return false
	}
	for f := Flags(1); f <= flags; f <<= 1 {
		if flags&f == 0 || f == SY || f == JP {
			continue
		}
		ok := f == Tex1D && o.has(fInv1D)
		for id, x := range flagOf {
			ok = ok || x == f && o.has(fieldID(id))
		}
		if !ok {
			return false
		}
	}
	return true
}

// CanRepeat reports whether the instruction takes (rptN).
func (o Op) CanRepeat() bool { return o.has(fRepeat) }

// CanNop reports whether the instruction takes (nopN).
func (o Op) CanNop() bool { return o.has(fR2) }

// HasTarget reports whether the instruction has a branch offset.
func (o Op) HasTarget() bool { return o.has(fTarget) }

// OnGen reports whether the instruction exists on a generation.
func (o Op) OnGen(g Gen) bool { return o != OpRaw && o < NumOps && opTable[o].onGen(g) }

// Word is a word of the instruction that has the given bits where its encoding has fields. Not all that fields can hold
// means something, so it need not decode.
func (o Op) Word(bits uint64) uint64 {
	info := &opTable[o]
	fields := uint64(0)
	for _, f := range info.layout {
		fields |= (1<<f.n - 1) << f.lo
	}
	return info.value | bits&fields&^info.mask
}

// StartsPair reports whether the instruction is the first half of a fine derivative: the second, its like
// with TexP, must follow at once and without a wait.
func (in *Instr) StartsPair() bool {
	return (in.Op == OpDsxpp1 || in.Op == OpDsypp1) && in.Flags&TexP == 0
}
