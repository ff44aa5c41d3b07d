package ir3

import (
	"math"

	"nirc/ir"
	"nirc/passes"
	"nirc/passes/analysis"
)

// lowerNarrowLoads reads components of storage buffers that are narrower than the GPU's loads out of the words that
// hold them: one load a word where the alignment says which components share it.
func lowerNarrowLoads(impl *ir.Impl, gpu *GPU) {
	var found []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if bits := in.Def.BitSize; in.IsIntrinsic(ir.IntrLoadSsbo) && (bits == 8 || bits == 16 && !gpu.Storage16) {
				found = append(found, in)
			}
		}
	}
	for _, in := range found {
		l := narrowLoad{b: ir.NewBuilder(ir.Before(in)).AtInstr(in), in: in, alone: readOnlyAccess(in) && !gpu.HasIsamV, halves: gpu.Storage16 && !faults.has(faultLastHalf)}
		l.lower()
	}
	if len(found) > 0 {
		impl.Preserve(ir.MetaControlFlow)
	}
}

// narrowLoad is a load of components of 8 or 16 bits.
type narrowLoad struct {
	b  *ir.Builder
	in *ir.Instr
	// alone: the device has the quick way for one word only.
	alone bool
	// halves: the device sees buffers in halves, of which the last may be the first of its word (ir3.md §6.10).
	halves bool
}

// wordBytes is the size of a word.
const wordBytes = 4

// lower replaces the load. Components in one piece of the size of the alignment are in one word.
func (l *narrowLoad) lower() {
	in, b := l.in, l.b
	bytes := int(in.Def.BitSize / 8)
	align := int(min(max(in.Get(ir.IdxAlignMul), uint64(bytes)), wordBytes))
	phase := int(in.Get(ir.IdxAlignOffset)) % align
	start := b.IAddImm(in.Srcs[1].Def, int64(-phase))
	comps := make([]*ir.Def, in.Def.NumComponents)
	pieces := (phase + len(comps)*bytes + align - 1) / align
	words := l.pieces(start, align, pieces, phase+len(comps)*bytes)
	for k := range comps {
		at := phase + k*bytes
		w := words[at/align]
		if sh := at % align * 8; sh > 0 {
			w = b.Ushr(w, b.Imm32(uint32(sh)))
		}
		comps[k] = w
	}
	l.replace(comps)
}

// pieces are words that begin with the n pieces of so many bytes from start on, of which the first end bytes are wanted.
func (l *narrowLoad) pieces(start *ir.Def, align, n, end int) (words []*ir.Def) {
	b := l.b
	if align < wordBytes {
		for k := range n {
			words = append(words, l.piece(b.IAddImm(start, int64(k*align))))
		}
		return words
	}
	start = l.wholeWords(start)
	rest := end % wordBytes
	half := l.halves && rest > 0 && rest <= wordBytes/2
	if half {
		n--
	}
	for k := 0; k < n; {
		m := min(n-k, 4)
		if l.alone {
			m = 1
		}
		v := l.load(b.IAddImm(start, int64(k*wordBytes)), uint8(m))
		for c := range m {
			words = append(words, b.Channel(v, c))
		}
		k += m
	}
	if half {
		words = append(words, l.half(b.IAddImm(start, int64(n*wordBytes))))
	}
	return words
}

// piece is a word that begins with the byte at an offset.
func (l *narrowLoad) piece(at *ir.Def) *ir.Def {
	b := l.b
	if l.halves {
		return b.Ushr(l.half(b.Iand(at, b.Imm32(^uint32(1)))), b.Ishl(b.Iand(at, b.Imm32(1)), b.Imm32(3)))
	}
	return b.Ushr(l.load(wordAround(b, at), 1), b.Ishl(at, b.Imm32(3)))
}

// wordAround is the offset of the word that a byte is in, as four times its number.
func wordAround(b *ir.Builder, at *ir.Def) *ir.Def {
	word := b.Ishl(b.Ushr(at, b.Imm32(2)), b.Imm32(2))
	word.Instr.NoUnsignedWrap = true
	return word
}

// half is the half word at an even offset.
func (l *narrowLoad) half(at *ir.Def) *ir.Def {
	x := l.b.Intrinsic(l.in.Intr, 1, 16, l.in.Srcs[0].Def, at)
	x.CopyIndices(l.in)
	return l.b.U2u32(&x.Set(ir.IdxAlignMul, 2).Set(ir.IdxAlignOffset, 0).Def)
}

// wholeWords is the offset of a word as four times its number: that of bytes shifted to the left is not what was
// shifted, by less, for the shift may have lost bits. Where a constant is added to that, only the sum need be a whole
// word: what cutting takes from the one part to make it whole, the other has in addition.
func (l *narrowLoad) wholeWords(at *ir.Def) *ir.Def {
	b, in := l.b, at.Instr
	more := uint64(0)
	if in.IsALU(ir.OpIadd) {
		if n, ok := in.Srcs[1].Const(0); ok {
			in, more = in.Srcs[0].Def.Instr, n
		}
	}
	if !in.IsALU(ir.OpIshl) || in.Def.NumComponents != 1 || keepsBits(in) {
		return at
	}
	number := b.Ushr(&in.Def, b.Imm32(2))
	if n, ok := in.Srcs[1].Const(0); ok && n&31 == 2 {
		number = b.Iand(b.Channel(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(0)), b.Imm32(math.MaxUint32>>2))
	}
	word := b.Ishl(number, b.Imm32(2))
	word.Instr.NoUnsignedWrap = true
	return b.IAddImm(word, int64(int32((more+wordBytes-1)&^(wordBytes-1))))
}

// keepsBits reports whether a shift to the left by a constant is known to lose no bits.
func keepsBits(in *ir.Instr) bool {
	n, ok := in.Srcs[1].Const(0)
	x := &in.Srcs[0]
	return in.NoUnsignedWrap || ok && analysis.UintMax(x.Def, x.Swizzle.Lane(0)) <= math.MaxUint32>>(n&31)
}

// load loads n words.
func (l *narrowLoad) load(at *ir.Def, n uint8) *ir.Def {
	x := l.b.Intrinsic(l.in.Intr, n, 32, l.in.Srcs[0].Def, at)
	x.CopyIndices(l.in)
	return &x.Set(ir.IdxAlignMul, wordBytes).Set(ir.IdxAlignOffset, 0).Def
}

// replace puts words in whose low bits are the components: what widens those takes them as they are.
func (l *narrowLoad) replace(words []*ir.Def) {
	in, b := l.in, l.b
	bits := in.Def.BitSize
	narrow := make([]*ir.Def, len(words))
	for k, w := range words {
		if bits == 8 {
			narrow[k] = b.U2u8(w)
		} else {
			narrow[k] = b.U2u16(w)
		}
	}
	for _, u := range widened(&in.Def) {
		at := ir.NewBuilder(ir.Before(u)).AtInstr(u)
		u.Def.RewriteUses(at.Iand(words[u.Srcs[0].Swizzle.Lane(0)], at.Imm32(1<<bits-1)))
		u.Remove()
	}
	in.Def.RewriteUses(b.Vec(narrow...))
	in.Remove()
}

// widened are the instructions that make words of a value's components with zeros on top.
func widened(d *ir.Def) (list []*ir.Instr) {
	for u := range d.Uses() {
		if in := u.Instr; in != nil && in.IsALU(ir.OpU2u32) && in.Def.NumComponents == 1 {
			list = append(list, in)
		}
	}
	return list
}

// narrowStores joins or splits stores to storage buffers of components that are narrower than the GPU's.
func (c *compiler) narrowStores() {
	n := passes.NarrowStores{Bits: 32, Takes: func(i ir.Intrinsic) bool { return i == ir.IntrStoreSsbo }}
	if c.gpu.Storage16 {
		n.Bits = 16
	}
	passes.LowerNarrowStores(c.impl, n)
}
