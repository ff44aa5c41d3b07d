package passes

import "nirc/ir"

// NarrowStores says which stores LowerNarrowStores writes, and what takes their place.
type NarrowStores struct {
	// Bits is the narrowest component that memory takes, 16 or 32.
	Bits uint8
	// Takes chooses stores by their intrinsics.
	Takes func(ir.Intrinsic) bool
}

// LowerNarrowStores writes stores that are narrower than what memory takes. Components that fill a word, or a half where
// memory takes those, are stored as one. Around others there may be what other invocations store at the same time, which must stay
// whole: two atomics on the word clear their bits and set them. Private memory is nobody else's: the word is loaded and stored.
func LowerNarrowStores(impl *ir.Impl, n NarrowStores) bool {
	var found []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic && n.Takes(in.Intr) && in.Srcs[0].Def.BitSize < n.Bits {
				found = append(found, in)
			}
		}
	}
	for _, in := range found {
		addr, _, _ := memOffsetSrc(in.Intr)
		s := narrowStore{b: ir.NewBuilder(ir.Before(in)).AtInstr(in), in: in, addr: addr, bytes: int(in.Srcs[0].Def.BitSize / 8), halves: n.Bits == 16}
		s.lower()
	}
	if len(found) > 0 {
		impl.Preserve(ir.MetaControlFlow)
	}
	return len(found) > 0
}

// wordBytes is the size of a word.
const wordBytes = 4

// narrowStore is a store of components of 8 or 16 bits.
type narrowStore struct {
	b     *ir.Builder
	in    *ir.Instr
	addr  int // the source that is the offset or the address
	bytes int // of a component
	// halves: memory takes halves of words too.
	halves bool
	// start is a byte offset that is a multiple of align, which is at most a word; the first component comes phase
	// bytes after it.
	start        *ir.Def
	align, phase int
	run          storeRun
}

// storeRun is words or halves in line that go into one store.
type storeRun struct {
	at, size int // offset from the start, bytes of an element
	vals     []*ir.Def
}

// lower replaces the store.
func (s *narrowStore) lower() {
	in := s.in
	s.align = int(min(max(in.Get(ir.IdxAlignMul), uint64(s.bytes)), wordBytes))
	s.phase = int(in.Get(ir.IdxAlignOffset)) % s.align
	s.start = s.b.IAddImm(in.Srcs[s.addr].Def, int64(in.Get(ir.IdxBase))-int64(s.phase))
	end := s.phase + int(in.Srcs[0].Def.NumComponents)*s.bytes
	for at := 0; at < end; at += s.align {
		s.piece(at, s.align)
	}
	s.flush()
	in.Remove()
}

// written are the bits of the piece of so many bytes at an offset that are stored.
func (s *narrowStore) written(at, size int) (mask uint32) {
	for k := 0; k < size; k += s.bytes {
		if s.component(at+k) != nil {
			mask |= s.ones() << (8 * k)
		}
	}
	return mask
}

func (s *narrowStore) ones() uint32 { return 1<<(8*s.bytes) - 1 }

// component is the scalar that is stored at an offset, nil if there is none.
func (s *narrowStore) component(at int) *ir.Src {
	val := s.in.Srcs[0].Def
	c := (at - s.phase) / s.bytes
	if at < s.phase || c >= int(val.NumComponents) || s.in.Get(ir.IdxWriteMask)>>c&1 == 0 {
		return nil
	}
	if val.Instr.IsVec() {
		return &val.Instr.Srcs[c]
	}
	return &ir.Src{Def: val, Swizzle: ir.Swz(c)}
}

// piece stores what there is of the piece of so many bytes at an offset, which is a multiple of them.
func (s *narrowStore) piece(at, size int) {
	mask := s.written(at, size)
	switch {
	case mask == 0:
	case mask == uint32(1<<(8*size)-1) && (size == wordBytes || size == wordBytes/2 && s.halves):
		s.whole(at, size)
	case size == wordBytes && s.halves:
		s.piece(at, size/2)
		s.piece(at+size/2, size/2)
	default:
		s.part(at, size, mask)
	}
}

// whole adds a word or a half to the run.
func (s *narrowStore) whole(at, size int) {
	r := &s.run
	if len(r.vals) > 0 && (len(r.vals) == 4 || size != r.size || at != r.at+len(r.vals)*size) {
		s.flush()
	}
	if len(r.vals) == 0 {
		r.at, r.size = at, size
	}
	v := s.word(at, size)
	if size < wordBytes {
		v = s.b.U2u16(v)
	}
	r.vals = append(r.vals, v)
}

// flush stores the run.
func (s *narrowStore) flush() {
	r := &s.run
	if len(r.vals) == 0 {
		return
	}
	b := s.b
	v := b.Vec(r.vals...)
	s.store(v, b.IAddImm(s.start, int64(r.at)), r.size)
	r.vals = r.vals[:0]
}

// store stores a value of words or halves.
func (s *narrowStore) store(v, at *ir.Def, size int) {
	x := s.b.Effect(s.in.Intr, s.sources(s.in.Intr, v, at)...)
	x.CopyIndices(s.in)
	x.Set(ir.IdxWriteMask, 1<<v.NumComponents-1).Set(ir.IdxAlignMul, uint64(size)).Set(ir.IdxAlignOffset, 0)
	if s.in.Get(ir.IdxBase) != 0 {
		x.Set(ir.IdxBase, 0)
	}
}

// sources are those of an access to the store's memory with another value and offset: the value, if there is one, stands where
// the intrinsic has it.
func (s *narrowStore) sources(intr ir.Intrinsic, v, at *ir.Def) (list []*ir.Def) {
	if m := s.in.Memory(); m.Space == ir.SpaceSsbo {
		list = append(list, s.in.Srcs[m.Handle].Def)
	}
	list = append(list, at)
	switch {
	case v == nil:
	case intr == s.in.Intr: // stores begin with it
		list = append([]*ir.Def{v}, list...)
	default:
		list = append(list, v)
	}
	return list
}

// word is the components of a piece in their places, zeros between them.
func (s *narrowStore) word(at, size int) *ir.Def {
	if w := s.loaded(at, size); w != nil {
		return w
	}
	b := s.b
	var sum *ir.Def
	for k := 0; k < size; k += s.bytes {
		c := s.component(at + k)
		if c == nil {
			continue
		}
		v := s.widen(c, 8*(k+s.bytes) == 32)
		if k > 0 {
			v = s.shl(v, uint32(8*k))
		}
		if sum != nil {
			v = b.Ior(v, sum)
		}
		sum = v
	}
	return sum
}

// loaded is the word that the components of a piece are all parts of, each in its place; nil if there is none.
func (s *narrowStore) loaded(at, size int) (word *ir.Def) {
	if size != wordBytes {
		return nil
	}
	for k := 0; k < size; k += s.bytes {
		c := s.component(at + k)
		if c == nil {
			return nil
		}
		w, shift, ok := partOf(c)
		if !ok || shift != uint64(8*k) || word != nil && w != word {
			return nil
		}
		word = w
	}
	return word
}

// partOf takes a narrow scalar for a word that was shifted to the right and narrowed.
func partOf(c *ir.Src) (word *ir.Def, shift uint64, ok bool) {
	w := narrowed(c)
	if w == nil {
		return nil, 0, false
	}
	if in := w.Instr; in.IsALU(ir.OpUshr) && in.Srcs[0].Def.NumComponents == 1 {
		if n, ok := in.Srcs[1].Const(0); ok {
			return in.Srcs[0].Def, n, true
		}
	}
	return w, 0, true
}

// narrowed is the word whose low bits a narrow scalar is, nil if it is not made so.
func narrowed(c *ir.Src) *ir.Def {
	in := c.Def.Instr
	if in.Kind == ir.KindALU && (in.Op == ir.OpU2u8 || in.Op == ir.OpU2u16) && in.Def.NumComponents == 1 && in.Srcs[0].Def.BitSize == 32 && in.Srcs[0].Def.NumComponents == 1 {
		return in.Srcs[0].Def
	}
	return nil
}

// widen is a component as a word; what stands above it in a word that it was cut from goes, unless it is the top of
// a word and is shifted out.
func (s *narrowStore) widen(c *ir.Src, top bool) *ir.Def {
	b := s.b
	if v, ok := c.Const(0); ok {
		return b.Imm32(uint32(v) & s.ones())
	}
	if w := narrowed(c); w != nil {
		if top {
			return w
		}
		return b.Iand(w, b.Imm32(s.ones()))
	}
	return b.U2u32(b.Channel(c.Def, c.Swizzle.Lane(0)))
}

func (s *narrowStore) shl(x *ir.Def, n uint32) *ir.Def {
	if v, ok := x.Const(0); ok {
		return s.b.Imm32(uint32(v) << n)
	}
	return s.b.Ishl(x, s.b.Imm32(n))
}

// part stores bits of a piece, as its mask says, by two atomics on the word that it is in.
func (s *narrowStore) part(at, size int, mask uint32) {
	b := s.b
	offset := b.IAddImm(s.start, int64(at))
	bits := s.word(at, size)
	var word, keep *ir.Def
	if s.align == wordBytes {
		n := uint32(at % wordBytes * 8)
		word, keep, bits = b.IAddImm(s.start, int64(at&^(wordBytes-1))), b.Imm32(^(mask << n)), s.shl(bits, n)
	} else {
		word = wordAround(b, offset)
		n := b.Ishl(resizeUint(b, offset, 32), b.Imm32(3)) // shifts take it modulo 32
		keep, bits = s.keep(mask, n), b.Ishl(bits, n)
	}
	if s.in.Memory().Space == ir.SpaceScratch {
		old := b.Intrinsic(ir.IntrLoadScratch, 1, 32, word).Set(ir.IdxAlignMul, wordBytes)
		s.store(b.Ior(b.Iand(&old.Def, keep), bits), word, wordBytes)
		return
	}
	s.atomic(ir.AtomicIAnd, word, keep)
	s.atomic(ir.AtomicIOr, word, bits)
}

// wordAround is the offset of the word that a byte is in, as four times its number.
func wordAround(b *ir.Builder, at *ir.Def) *ir.Def {
	word := b.Ishl(b.Ushr(at, b.Imm32(2)), b.Imm32(2))
	word.Instr.NoUnsignedWrap = true
	return word
}

// keep has the bits of a word that are not in a mask shifted by n.
func (s *narrowStore) keep(mask uint32, n *ir.Def) *ir.Def {
	b := s.b
	if mask == 1<<16-1 { // the other half, and n is 0 or 16
		return b.Ushr(b.Imm32(^mask), n)
	}
	return b.Inot(b.Ishl(b.Imm32(mask), n))
}

func (s *narrowStore) atomic(op ir.AtomicOp, word, data *ir.Def) {
	intr := ir.IntrSsboAtomic
	switch s.in.Memory().Space {
	case ir.SpaceShared:
		intr = ir.IntrSharedAtomic
	case ir.SpaceGlobal:
		intr = ir.IntrGlobalAtomic
	}
	x := s.b.Intrinsic(intr, 1, 32, s.sources(intr, data, word)...).Set(ir.IdxAtomicOp, uint64(op))
	if x.Has(ir.IdxAccess) { // workgroup memory has none
		x.Set(ir.IdxAccess, s.in.Get(ir.IdxAccess))
	}
}
