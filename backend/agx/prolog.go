package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// newPart makes the empty shader of a prolog or an epilog.
func newPart(stage ir.Stage, name string) (*ir.Shader, *ir.Builder) {
	s := ir.NewShader(stage, allOptions())
	s.Name = name
	f := s.NewFunction("main")
	f.IsEntry = true
	return s, ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
}

// compilePart brings a part's IR to code.
func compilePart(s *ir.Shader, o CompileOptions) (*Binary, error) {
	if err := o.lists().Run(s, "agx_part"); err != nil {
		return nil, err
	}
	return Compile(s, o)
}

// VertexProlog compiles the prolog that fetches the attributes of a main part,
// which its meta names. Attributes that the state does not mention are (0, 0, 0, 1).
// Before a vertex shader that runs as compute it makes the indices too.
func (t Target) VertexProlog(gpu string, main *abi.Meta, state *backend.State) (*Binary, error) {
	s, b := newPart(ir.StageVertex, "vertex_prolog")
	p := &prolog{b: b}
	o := CompileOptions{GPU: gpu, Job: t.job(), Part: abi.PartProlog, Next: main.Next, Slots: []ir.Slot{}}
	for _, a := range main.Attribs {
		o.Slots = append(o.Slots, a.Slot)
	}
	if main.Next != ir.StageNone {
		if err := p.grid(state.IndexBytes); err != nil {
			return nil, err
		}
	} else { // they stay where the main part wants them
		p.vertex, p.instance = imported(b, abi.VertexIDReg, 32), imported(b, abi.InstanceIDReg, 32)
	}
	exported(b, abi.VertexIDReg, p.vertex)
	exported(b, abi.InstanceIDReg, p.instance)
	for i, a := range main.Attribs {
		v, err := p.attrib(i, a.Slot, state.Attributes)
		if err != nil {
			return nil, err
		}
		for c := range 4 {
			if a.Mask>>c&1 != 0 {
				exported(b, a.Reg+2*c, v[c])
			}
		}
	}
	return compilePart(s, o)
}

// imported reads a value that arrives in registers from a half on, exported leaves one.
func imported(b *ir.Builder, half int, bits uint8) *ir.Def {
	return &b.Intrinsic(ir.IntrLoadExportedAgx, 1, bits).Set(ir.IdxBase, uint64(half)).Def
}

func exported(b *ir.Builder, half int, v *ir.Def) {
	b.Effect(ir.IntrExportAgx, v).Set(ir.IdxBase, uint64(half))
}

// grid makes the indices of the invocation's place in the grid: the vertex is the
// first vertex plus the index at that place, of an index buffer with indices of some bytes,
// or the place itself.
func (p *prolog) grid(bytes int) error {
	b := p.b
	place := &b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def
	p.vertex = b.Channel(place, 0)
	exported(b, abi.GridVertexReg, p.vertex)
	if bytes != 0 {
		f, ok := map[int]isa.Format{1: isa.FormatI8, 2: isa.FormatI16, 4: isa.FormatI32}[bytes]
		if !ok {
			return ir.Unsupportedf("agx: indices of %d bytes are not supported", bytes)
		}
		block := &b.Intrinsic(ir.IntrLoadSysvalAgx, 1, 64).Set(ir.IdxFlags, uint64(abi.UniformAssembly)).Def
		w := p.words(block, b.Imm32(abi.AssemblyIndices/4), isa.FormatI32, 3)
		// Indices beyond the buffer are read from nowhere, which gives zeros.
		inside := b.Ult(p.vertex, b.Channel(w, abi.AssemblyRange/4))
		hi := b.Bcsel(inside, b.Channel(w, 1), b.Imm32(0))
		p.vertex = p.words(b.Pack64_2x32Split(b.Channel(w, 0), hi), p.vertex, f, 1)
	}
	p.vertex = b.Iadd(p.vertex, &b.Intrinsic(ir.IntrLoadFirstVertex, 1, 32).Def)
	p.instance = b.Channel(place, 1)
	return nil
}

// words loads n elements of a memory format into words.
func (p *prolog) words(base, index *ir.Def, f isa.Format, n uint8) *ir.Def {
	return &p.b.Intrinsic(ir.IntrLoadConstantAgx, n, 32, base, index).Set(ir.IdxFormat, uint64(f)).Def
}

// prolog builds a vertex prolog.
type prolog struct {
	b                *ir.Builder
	vertex, instance *ir.Def
	base, index      *ir.Def // of the attribute under way: 64-bit address, element
	stride           uint32
	format           *emu.Format
}

// attrib fetches the attribute of a slot, the i-th that the main part reads.
func (p *prolog) attrib(i int, slot ir.Slot, keys []backend.AttribKey) (v [4]*ir.Def, err error) {
	b := p.b
	key, f, tail := findAttrib(slot, keys)
	if key == nil {
		return [4]*ir.Def{b.Imm32(0), b.Imm32(0), b.Imm32(0), b.ImmFloat(1, 32)}, nil
	}
	if f == nil || f.IsDepthStencil() {
		return v, ir.Unsupportedf("agx: vertex attributes of format %s are not supported", key.Format)
	}
	p.format, p.stride = f, key.Stride
	p.index = p.element(key)
	n := b.ImmInt(int64(i), 32)
	base := &b.Intrinsic(ir.IntrLoadVboBaseAgx, 1, 64, n).Def
	clamp := &b.Intrinsic(ir.IntrLoadAttribClampAgx, 1, 32, n).Def
	// Elements beyond the last one are fetched from nowhere, which gives zeros.
	hi := b.Unpack64_2x32SplitY(base)
	if !faults.has(faultAttributeClamp) {
		hi = b.Bcsel(b.Uge(clamp, p.index), hi, b.Imm32(0))
	}
	p.base = b.Pack64_2x32Split(b.Unpack64_2x32SplitX(base), hi)
	if f.IsWide() {
		return p.wide(f, tail)
	}
	return p.convert(f)
}

// findAttrib finds the key of a slot, which may be the second one of a 64-bit attribute.
func findAttrib(slot ir.Slot, keys []backend.AttribKey) (key *backend.AttribKey, f *emu.Format, tail bool) {
	for i := range keys {
		k := &keys[i]
		f := emu.FormatByName(k.Format)
		if k.Location == uint32(slot) {
			return k, f, false
		}
		if f != nil && f.IsWide() && f.Bytes > 16 && k.Location+1 == uint32(slot) {
			return k, f, true
		}
	}
	return nil, nil, false
}

// element is the number of the element that the invocation fetches.
func (p *prolog) element(k *backend.AttribKey) *ir.Def {
	b := p.b
	if !k.Instance {
		return p.vertex
	}
	base, n := &b.Intrinsic(ir.IntrLoadBaseInstance, 1, 32).Def, p.instance
	switch k.Divisor {
	case 0:
		return base
	case 1:
	default:
		n = b.Udiv(n, b.Imm32(k.Divisor))
	}
	if faults.has(faultBaseInstance) {
		return n
	}
	return b.Iadd(n, base)
}

// load loads n elements of a memory format from a byte of the attribute on.
func (p *prolog) load(f isa.Format, at uint32, n, bits uint8) *ir.Def {
	b, size := p.b, uint32(f.Size())
	if f.Packed() {
		size = 4
	}
	index := b.Iadd(b.Imul(p.index, b.Imm32(p.stride/size)), b.Imm32(at/size))
	return &b.Intrinsic(ir.IntrLoadConstantAgx, n, bits, p.base, index).Set(ir.IdxFormat, uint64(f)).Def
}

// aligned reports whether elements of some bytes can be loaded by themselves.
func (p *prolog) aligned(size int) error {
	if p.stride%uint32(size) != 0 {
		return ir.Unsupportedf("agx: vertex attributes of format %s with a stride of %d are not supported", p.format.Name, p.stride)
	}
	return nil
}

// wide loads the words of a 64-bit attribute's slot; tail is its second one.
func (p *prolog) wide(f *emu.Format, tail bool) (v [4]*ir.Def, err error) {
	if err := p.aligned(4); err != nil {
		return v, err
	}
	words := f.Bytes / 4
	if tail {
		words -= 4 // the address is that of the slot
	}
	words = min(words, 4)
	d := p.load(isa.FormatI32, 0, uint8(words), 32)
	for c := range v {
		if v[c] = p.b.Imm32(0); c < words {
			v[c] = p.b.Channel(d, c)
		}
	}
	return v, nil
}

// convert loads an attribute and makes four words of it.
func (p *prolog) convert(f *emu.Format) (v [4]*ir.Def, err error) {
	b := p.b
	v = [4]*ir.Def{b.Imm32(0), b.Imm32(0), b.Imm32(0), b.ImmFloat(1, 32)}
	if f.IsInteger() {
		v[3] = b.Imm32(1)
	}
	if m, ok := packedFloats(f); ok {
		if err := p.aligned(4); err != nil {
			return v, err
		}
		d := p.load(m, 0, 3, 32)
		v[0], v[1], v[2] = b.Channel(d, 0), b.Channel(d, 1), b.Channel(d, 2)
		return v, nil
	}
	word, err := p.packedWord(f)
	if err != nil {
		return v, err
	}
	for i := range f.Channels {
		c := &f.Channels[i]
		if c.Kind == emu.KindNone || c.Comp > emu.CompA {
			continue
		}
		var x *ir.Def
		if word != nil {
			x = channelOf(b, word, c)
		} else if x, err = p.element1(c); err != nil {
			return v, err
		}
		v[c.Comp] = x
	}
	return v, nil
}

// packedFloats are the formats of three small floats in a word.
func packedFloats(f *emu.Format) (isa.Format, bool) {
	switch {
	case f.SharedExponent:
		return isa.FormatRGB9E5, true
	case len(f.Channels) == 3 && f.Channels[0].Kind == emu.KindUfloat:
		return isa.FormatRG11B10F, true
	}
	return 0, false
}

// packedWord loads a format with fields of odd widths as a word, nil if it has none.
func (p *prolog) packedWord(f *emu.Format) (*ir.Def, error) {
	odd := false
	for i := range f.Channels {
		c := &f.Channels[i]
		odd = odd || c.Width != 8 && c.Width != 16 && c.Width != 32 || c.Offset%c.Width != 0
	}
	if !odd {
		return nil, nil
	}
	if err := p.aligned(f.Bytes); err != nil {
		return nil, err
	}
	switch f.Bytes {
	case 1:
		return p.load(isa.FormatI8, 0, 1, 32), nil
	case 2:
		return p.load(isa.FormatI16, 0, 1, 32), nil
	case 4:
		return p.load(isa.FormatI32, 0, 1, 32), nil
	}
	return nil, ir.Unsupportedf("agx: vertex attributes of format %s are not supported", f.Name)
}

// element1 loads one channel of whole bytes.
func (p *prolog) element1(c *emu.Channel) (*ir.Def, error) {
	b, at := p.b, uint32(c.Offset)/8
	if err := p.aligned(int(c.Width) / 8); err != nil {
		return nil, err
	}
	norm := map[[2]uint8]isa.Format{{uint8(emu.KindUnorm), 8}: isa.FormatU8Norm, {uint8(emu.KindSnorm), 8}: isa.FormatS8Norm,
		{uint8(emu.KindUnorm), 16}: isa.FormatU16Norm, {uint8(emu.KindSnorm), 16}: isa.FormatS16Norm, {uint8(emu.KindSrgb), 8}: isa.FormatSRGBA8}
	if m, ok := norm[[2]uint8{uint8(c.Kind), c.Width}]; ok {
		if c.Kind == emu.KindSrgb && c.Comp == emu.CompA {
			m = isa.FormatU8Norm
		}
		return b.Channel(p.load(m, at, 1, 32), 0), nil
	}
	raw := map[uint8]isa.Format{8: isa.FormatI8, 16: isa.FormatI16, 32: isa.FormatI32}[c.Width]
	if c.Kind == emu.KindSfloat && c.Width == 16 {
		return b.F2f32(p.load(raw, at, 1, 16)), nil
	}
	return numberOf(b, p.load(raw, at, 1, 32), c), nil
}

// channelOf takes a channel out of a word.
func channelOf(b *ir.Builder, word *ir.Def, c *emu.Channel) *ir.Def {
	x := b.Ushr(word, b.Imm32(uint32(c.Offset)))
	if c.Width < 32 {
		x = b.Iand(x, b.Imm32(1<<c.Width-1))
	}
	return numberOf(b, x, c)
}

// numberOf turns the bits of a channel, zero-extended, into what they stand for.
func numberOf(b *ir.Builder, x *ir.Def, c *emu.Channel) *ir.Def {
	signed := func() *ir.Def {
		n := b.Imm32(32 - uint32(c.Width))
		return b.Ishr(b.Ishl(x, n), n)
	}
	switch c.Kind {
	case emu.KindUnorm:
		return b.Fmul(b.U2f32(x), b.ImmFloat(1/float64(uint64(1)<<c.Width-1), 32))
	case emu.KindSnorm:
		return b.Fmax(b.Fmul(b.I2f32(signed()), b.ImmFloat(1/float64(uint64(1)<<(c.Width-1)-1), 32)), b.ImmFloat(-1, 32))
	case emu.KindUscaled:
		return b.U2f32(x)
	case emu.KindSscaled:
		return b.I2f32(signed())
	case emu.KindSint:
		return signed()
	}
	return x
}
