package ir3

import "nirc/ir"

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
		l := narrowLoad{b: ir.NewBuilder(ir.Before(in)).AtInstr(in), in: in, alone: readOnlyAccess(in) && !gpu.HasIsamV}
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
	words := l.pieces(start, align, pieces)
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

// pieces are words that begin with the pieces of so many bytes from start on.
func (l *narrowLoad) pieces(start *ir.Def, align, n int) (words []*ir.Def) {
	b := l.b
	if align < wordBytes {
		for k := range n {
			at := b.IAddImm(start, int64(k*align))
			w := l.load(b.Iand(at, b.Imm32(^uint32(wordBytes-1))), 1)
			words = append(words, b.Ushr(w, b.Ishl(at, b.Imm32(3))))
		}
		return words
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
	return words
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
