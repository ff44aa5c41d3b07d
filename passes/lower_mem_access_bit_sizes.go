package passes

import "nirc/ir"

var lowerMemAccessBitSizesPass = &Pass{
	Name: "lower_mem_access_bit_sizes", For: ir.HasMemory, Class: "A", Run: lowerMemAccessBitSizes, Idempotent: true,
	Doc: "Splits explicit memory loads and stores so that none has wider components than max_bits, more than max_comps of them, or less alignment than a " +
		"component. Values are put together and taken apart by packs and shifts. Atomics stay. Where memory takes no components as narrow, loads take them out of " +
		"words, and stores put what fills a word into one and the rest by two atomics, which clear its bits and set them (in scratch memory by a load and a store).",
	Options: []Option{
		{Name: "max_bits", Doc: "widest component: 32 or 64", Default: 32},
		{Name: "max_comps", Doc: "most components an access", Default: 4},
		{Name: "const_bits", Doc: "narrowest component of UBO and push constant loads", Default: 8},
		{Name: "load_bits", Doc: "narrowest component of other loads: 8, 16 or 32", Default: 8},
		{Name: "store_bits", Doc: "narrowest component of stores: 8, 16 or 32", Default: 8},
	},
}

type memSplitter struct {
	b         *ir.Builder
	maxBits   int
	maxComps  int
	constBits int
	loadBits  int
}

func lowerMemAccessBitSizes(c *Context, s *ir.Shader) (bool, error) {
	if err := c.wantBits("max_bits", "const_bits", "load_bits", "store_bits"); err != nil {
		return false, err
	}
	m := &memSplitter{maxBits: c.Int("max_bits"), maxComps: c.Int("max_comps"), constBits: c.Int("const_bits"), loadBits: c.Int("load_bits")}
	narrow := NarrowStores{Bits: uint8(c.Int("store_bits")), Takes: func(i ir.Intrinsic) bool {
		_, store, ok := memOffsetSrc(i)
		return ok && store
	}}
	progress := false
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		m.b = ir.NewBuilder(ir.AtStart(f.Impl.Start()))
		changed := m.each(f.Impl, m.split)
		if changed && (m.constBits > 8 || m.loadBits > 8) {
			m.each(f.Impl, m.narrowLoad) // the parts of what was split
		}
		if narrow.Bits > 8 {
			changed = LowerNarrowStores(f.Impl, narrow) || changed
		}
		if changed {
			f.Impl.Preserve(ir.MetaControlFlow)
			progress = true
		}
	}
	return progress, nil
}

// each removes the intrinsics that f replaces.
func (m *memSplitter) each(impl *ir.Impl, f func(*ir.Instr) bool) (changed bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindIntrinsic && f(in) {
				in.Remove()
				changed = true
			}
		}
	}
	return changed
}

// narrowest is the narrowest component that an intrinsic may load.
func (m *memSplitter) narrowest(i ir.Intrinsic) int {
	if i == ir.IntrLoadUbo || i == ir.IntrLoadPushConstant {
		return m.constBits
	}
	return m.loadBits
}

// narrowLoad loads components that are narrower than memory gives, each aligned to its size, out of words.
func (m *memSplitter) narrowLoad(in *ir.Instr) bool {
	off, store, ok := memOffsetSrc(in.Intr)
	bits := int(in.Def.BitSize)
	if !ok || store || bits < 8 || bits >= m.narrowest(in.Intr) {
		return false
	}
	m.b.AtInstr(in)
	m.b.Exact, m.b.FastMath = false, 0
	in.Def.RewriteUses(m.narrowConst(in, off, bits, int(in.Def.NumComponents)))
	return true
}

// alignment is the largest power of two that the access's address is known to
// be a multiple of, in bytes.
func alignment(in *ir.Instr) int {
	mul, off := in.Get(ir.IdxAlignMul), in.Get(ir.IdxAlignOffset)
	if off != 0 {
		return int(off & -off)
	}
	return int(max(mul, 1))
}

// unit returns the component size in bits to access memory in: at most what
// the target takes and the alignment allows.
func (m *memSplitter) unit(bits, align int) int { return min(bits, m.maxBits, align*8) }

func (m *memSplitter) split(in *ir.Instr) bool {
	off, store, ok := memOffsetSrc(in.Intr)
	if !ok {
		return false
	}
	bits, n := int(in.Def.BitSize), int(in.Def.NumComponents)
	if store {
		bits, n = int(in.Srcs[0].Def.BitSize), int(in.Srcs[0].Def.NumComponents)
	}
	if alignment(in)*8 >= bits && m.narrowLoad(in) {
		return true
	}
	u := m.unit(bits, alignment(in))
	if u < 8 || u == bits && n <= m.maxComps {
		return false
	}
	m.b.AtInstr(in)
	m.b.Exact, m.b.FastMath = false, 0
	if store {
		m.store(in, off, bits, n, u)
	} else {
		in.Def.RewriteUses(m.load(in, off, bits, n, u))
	}
	return true
}

// access copies in for comps units of u bits at byte delta.
func (m *memSplitter) access(in *ir.Instr, off, delta, u, comps int, val *ir.Def) *ir.Instr {
	srcs := make([]*ir.Def, len(in.Srcs))
	for i := range in.Srcs {
		srcs[i] = in.Srcs[i].Def
	}
	srcs[off] = m.b.IAddImm(srcs[off], int64(delta))
	if val != nil {
		srcs[0] = val
	}
	n := m.b.Shader.NewIntrinsic(in.Intr, uint8(comps), uint8(u), srcs...)
	n.CopyIndices(in)
	if mul := in.Get(ir.IdxAlignMul); mul != 0 {
		n.Set(ir.IdxAlignOffset, (in.Get(ir.IdxAlignOffset)+uint64(delta))&(mul-1))
	}
	if val != nil {
		n.Set(ir.IdxWriteMask, 1<<comps-1)
	}
	return m.b.Insert(n)
}

func (m *memSplitter) load(in *ir.Instr, off, bits, n, u int) *ir.Def {
	total := n * bits / u
	units := make([]*ir.Def, 0, total)
	for len(units) < total {
		k := valueWidth(min(m.maxComps, total-len(units)))
		l := m.access(in, off, len(units)*u/8, u, k, nil)
		for i := 0; i < k; i++ {
			units = append(units, m.b.Channel(&l.Def, i))
		}
	}
	per := bits / u
	comps := make([]*ir.Def, n)
	for i := range comps {
		comps[i] = joinUnits(m.b, units[i*per:(i+1)*per], uint8(bits))
	}
	return m.b.Vec(comps...)
}

// narrowConst loads components of 8 or 16 bits, each aligned to its size, out
// of the words that hold them.
func (m *memSplitter) narrowConst(in *ir.Instr, off, bits, n int) *ir.Def {
	b := m.b
	base := in.Srcs[off].Def
	comps := make([]*ir.Def, n)
	for i := range comps {
		at := b.IAddImm(base, int64(i*bits/8+int(in.Get(ir.IdxBase))))
		word := m.access(in, off, 0, 32, 1, nil)
		if in.Get(ir.IdxBase) != 0 {
			word.Set(ir.IdxBase, 0)
		}
		mul := max(in.Get(ir.IdxAlignMul), 4)
		word.Set(ir.IdxAlignMul, mul).Set(ir.IdxAlignOffset, (in.Get(ir.IdxAlignOffset)+uint64(i*bits/8))&(mul-1)&^3)
		aligned := b.Iand(at, b.ImmInt(^int64(3), at.BitSize))
		word.MoveTo(ir.Cursor{Block: b.Cursor.Block, At: b.Cursor.At})
		word.Srcs[off].Set(aligned)
		shift := b.Ishl(b.Iand(at, b.ImmInt(3, at.BitSize)), b.Imm32(3))
		comps[i] = resizeUint(b, b.Ushr(&word.Def, resizeUint(b, shift, 32)), uint8(bits))
	}
	return b.Vec(comps...)
}

// LoadWords takes the components of a load of 8 or 16 bits, each aligned to its size, out of the words that hold them, and replaces it.
func LoadWords(in *ir.Instr) {
	off, _, _ := memOffsetSrc(in.Intr)
	m := memSplitter{b: builderBefore(in)}
	in.Def.RewriteUses(m.narrowConst(in, off, int(in.Def.BitSize), int(in.Def.NumComponents)))
	in.Remove()
}

func (m *memSplitter) store(in *ir.Instr, off, bits, n, u int) {
	mask := in.Get(ir.IdxWriteMask)
	per := bits / u
	for i := 0; i < n; {
		if mask>>i&1 == 0 {
			i++
			continue
		}
		// A run of components that one access can take.
		var units []*ir.Def
		first := i
		for i < n && mask>>i&1 != 0 && (len(units) == 0 || len(units)+per <= m.maxComps) {
			units = append(units, splitUnits(m.b, m.b.Channel(in.Srcs[0].Def, i), uint8(u))...)
			i++
		}
		for k := 0; k < len(units); {
			part := units[k : k+valueWidth(min(m.maxComps, len(units)-k))]
			m.access(in, off, (first*bits+k*u)/8, u, len(part), m.b.Vec(part...))
			k += len(part)
		}
	}
}

// joinUnits makes one value of the given size from its parts, lowest first.
func joinUnits(b *ir.Builder, parts []*ir.Def, bits uint8) *ir.Def {
	u := parts[0].BitSize
	switch {
	case len(parts) == 1:
		return parts[0]
	case bits == 64 && u == 32:
		return b.Pack64_2x32Split(parts[0], parts[1])
	case bits == 64:
		half := len(parts) / 2
		return b.Pack64_2x32Split(joinUnits(b, parts[:half], 32), joinUnits(b, parts[half:], 32))
	case bits == 32 && u == 16:
		return b.Pack32_2x16Split(parts[0], parts[1])
	}
	r := resizeUint(b, parts[0], bits)
	for i, p := range parts[1:] {
		r = b.Ior(r, b.Ishl(resizeUint(b, p, bits), b.Imm32(uint32(i+1)*uint32(u))))
	}
	return r
}

// splitUnits is the inverse of joinUnits.
func splitUnits(b *ir.Builder, v *ir.Def, u uint8) []*ir.Def {
	switch {
	case v.BitSize == u:
		return []*ir.Def{v}
	case v.BitSize == 64:
		lo := splitUnits(b, b.Unpack64_2x32SplitX(v), u)
		return append(lo, splitUnits(b, b.Unpack64_2x32SplitY(v), u)...)
	case v.BitSize == 32 && u == 16:
		return []*ir.Def{b.Unpack32_2x16SplitX(v), b.Unpack32_2x16SplitY(v)}
	}
	parts := make([]*ir.Def, v.BitSize/u)
	for i := range parts {
		parts[i] = resizeUint(b, b.Ushr(v, b.Imm32(uint32(i)*uint32(u))), u)
	}
	return parts
}
