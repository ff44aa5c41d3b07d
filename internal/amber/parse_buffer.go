package amber

import (
	"math"
	"strings"

	"nirc/internal/emu"
)

// Limits of buffers and images.
const (
	maxItems = 1 << 30
	maxSide  = 1 << 16
)

// dataType takes a type name and returns its layout.
func (p *parser) dataType(std140 bool) *Format {
	t := p.next()
	if t.kind != tokWord {
		p.unexpected(t, "a data type")
		return nil
	}
	return p.formatOf(t, std140)
}

func (p *parser) formatOf(t token, std140 bool) *Format {
	key := formatKey{t.text, std140}
	if f := p.formats[key]; f != nil {
		return f
	}
	ty, err := parseType(t.text, func(n string) *Struct { s, _ := p.names["struct "+n].(*Struct); return s })
	if err != nil {
		p.fail(t.line, "%v", err)
		return nil
	}
	f, err := newFormat(ty, std140)
	if err != nil {
		p.fail(t.line, "%v", err)
		return nil
	}
	if p.leaves += len(f.Leaves); p.leaves > maxFormatLeaves {
		p.fail(t.line, "data types have more than %d numbers", maxFormatLeaves)
		return nil
	}
	p.formats[key] = f
	return f
}

// imageFormat takes the name of an image format.
func (p *parser) imageFormat() *Format {
	t := p.next()
	if t.kind == tokWord && emu.FormatByName(t.text) != nil {
		return p.formatOf(t, false)
	}
	p.unexpected(t, "an image format")
	return nil
}

func (p *parser) newBuffer(line int) *Buffer {
	b := &Buffer{Line: line, MipLevels: 1, Samples: 1, index: len(p.s.Buffers)}
	b.Name = p.declare("buffer", b)
	p.s.Buffers = append(p.s.Buffers, b)
	return b
}

func (p *parser) buffer(line int) {
	b := p.newBuffer(line)
	switch t := p.next(); {
	case t.isWord("DATA_TYPE"):
		p.dataBuffer(b)
	case t.isWord("FORMAT"):
		b.Format = p.imageFormat()
		for !p.atEnd() {
			if p.accept("FILE") {
				p.file(b)
			} else if !p.imageOption(b) {
				p.unexpected(p.peek(), "MIP_LEVELS, SAMPLES or FILE")
			}
		}
	default:
		p.unexpected(t, "DATA_TYPE or FORMAT")
	}
	p.end()
	p.account(b)
}

// account adds the buffer's contents to what the script declares.
func (p *parser) account(b *Buffer) {
	if p.err != nil {
		return
	}
	p.declared += int64(b.Elements) * int64(b.Format.Size) * int64(b.Samples)
	if p.declared > MaxDeclaredBytes {
		p.fail(b.Line, "the buffers need more than %d bytes", MaxDeclaredBytes)
	}
}

// imageOption parses MIP_LEVELS or SAMPLES.
func (p *parser) imageOption(b *Buffer) bool {
	switch {
	case p.accept("MIP_LEVELS"):
		b.MipLevels = p.positive("mip level count", 31)
	case p.accept("SAMPLES"):
		line := p.peek().line
		b.Samples = p.positive("sample count", 64)
		if b.Samples&(b.Samples-1) != 0 {
			p.fail(line, "%d is not a sample count", b.Samples)
		}
	default:
		return false
	}
	return true
}

// dataBuffer parses what stands after BUFFER name DATA_TYPE.
func (p *parser) dataBuffer(b *Buffer) {
	t := p.next()
	std140 := p.accept("STD140")
	if !std140 {
		p.accept("STD430")
	}
	if t.kind != tokWord {
		p.unexpected(t, "a data type")
		return
	}
	if b.Format = p.formatOf(t, std140); b.Format == nil {
		return
	}
	switch {
	case p.accept("SIZE"):
		b.Elements = int(p.uint("a size", maxItems))
		if p.accept("FILE") {
			p.file(b)
		} else if !p.generator(b) {
			p.unexpected(p.peek(), "FILL, SERIES_FROM or FILE")
		}
	case p.accept("WIDTH"):
		b.Width = p.positive("width", maxSide)
		p.expect("HEIGHT")
		b.Height = p.positive("height", maxSide)
		b.Elements = p.items(b.Width, b.Height, 1)
		switch {
		case p.accept("FILE"):
			p.file(b)
		case p.peek().isWord("DATA"):
			p.dataOf(b)
		default:
			p.generator(b)
		}
	case p.peek().isWord("DATA"):
		b.Elements = -1
		p.data(b)
	default:
		p.unexpected(p.peek(), "SIZE, WIDTH or DATA")
	}
}

// items multiplies the sides of an image.
func (p *parser) items(w, h, d int) int {
	n := w * h
	if n > maxItems || n*d > maxItems {
		p.fail(p.peek().line, "%dx%dx%d texels are too many", w, h, d)
		return 0
	}
	return n * d
}

// generator parses FILL or SERIES_FROM.
func (p *parser) generator(b *Buffer) bool {
	line := p.peek().line
	s := b.Format.Leaves[0].Scalar
	switch {
	case p.accept("FILL"):
		b.Init = InitFill
		b.Fill = p.fillValue(b.Format)
	case p.accept("SERIES_FROM"):
		b.Init = InitSeries
		if len(b.Format.Leaves) > 1 {
			p.fail(line, "SERIES_FROM needs a type of one number, not %s", b.Format.Type.Name)
		}
		b.Fill = p.number(s, "the first value")
		p.expect("INC_BY")
		b.Inc = p.number(s, "the increment")
	default:
		return false
	}
	return true
}

// fillValue takes a value that is given to every number of an element.
func (p *parser) fillValue(f *Format) Number {
	t := p.next()
	if !t.isNumber() {
		p.unexpected(t, "a value")
	}
	n := Number{U: t.u, F: t.f, IsFloat: t.kind == tokFloat}
	if n.IsFloat && (n.F >= math.MaxInt64 || n.F <= math.MinInt64) {
		for i := range f.Leaves {
			if f.Leaves[i].Scalar.Kind != ScalarFloat {
				p.fail(t.line, "%v is out of range", t)
				break
			}
		}
	}
	return n
}

// dataOf parses DATA of an image, whose size is declared.
func (p *parser) dataOf(b *Buffer) {
	want, line := b.Elements, p.peek().line
	b.Elements = -1
	p.data(b)
	if p.err == nil && b.Elements != want {
		p.fail(line, "DATA has %d elements, not the %d of the declared size", b.Elements, want)
	}
}

// data parses DATA values END.
func (p *parser) data(b *Buffer) {
	line := p.peek().line
	p.expect("DATA")
	b.Init = InitData
	b.Data, b.Elements = p.values(b.Format, line)
}

// values parses numbers up to END into elements of the format.
func (p *parser) values(f *Format, line int) (data []byte, elements int) {
	k := 0
	for {
		t := p.next()
		if t.kind == tokEOL {
			continue
		}
		if t.isWord("END") {
			break
		}
		if t.kind == tokEOF {
			p.fail(line, "DATA without END")
			return nil, 0
		}
		l := &f.Leaves[k]
		if !t.isNumber() || t.kind == tokFloat && l.Scalar.Kind != ScalarFloat {
			p.fail(t.line, "%v where a value of type %s is expected", t, f.Type.Name)
			return nil, 0
		}
		if k == 0 {
			if len(data)+f.Size > MaxDeclaredBytes {
				p.fail(t.line, "the buffers need more than %d bytes", MaxDeclaredBytes)
				return nil, 0
			}
			data = append(data, zeros(f.Size)...)
		}
		l.Scalar.put(data[elements*f.Size+int(l.Offset):], Number{U: t.u, F: t.f})
		if k++; k == len(f.Leaves) {
			k = 0
			elements++
		}
	}
	if k != 0 {
		p.fail(line, "DATA ends inside an element of type %s: %d of %d numbers", f.Type.Name, k, len(f.Leaves))
	}
	return data, elements
}

var zeroPage [4096]byte

// zeros returns n zero bytes that must not be written.
func zeros(n int) []byte {
	if n <= len(zeroPage) {
		return zeroPage[:n]
	}
	return make([]byte, n)
}

// file parses what stands after FILE.
func (p *parser) file(b *Buffer) {
	switch t := p.next(); {
	case t.isWord("PNG"):
		b.Init = InitPNG
	case t.isWord("BINARY"):
		b.Init = InitBinary
	case t.isWord("TEXT"):
		b.Init = InitText
	default:
		p.unexpected(t, "PNG, BINARY or TEXT")
	}
	b.File = p.word("a file name")
}

func (p *parser) image(line int) {
	b := p.newBuffer(line)
	b.IsImage = true
	for !p.atEnd() && p.imageWord(b) {
	}
	if p.err != nil {
		return
	}
	if b.Format == nil {
		p.fail(line, "IMAGE needs a FORMAT or DATA_TYPE")
		return
	}
	if b.Dim == 0 {
		b.Dim = 2
	}
	sides := [3]*int{&b.Width, &b.Height, &b.Depth}
	for i, side := range sides {
		if *side == 0 {
			if i < b.Dim {
				p.fail(line, "IMAGE of %d dimensions needs a %s", b.Dim, [...]string{"WIDTH", "HEIGHT", "DEPTH"}[i])
				return
			}
			*side = 1
		}
	}
	b.Elements = p.items(b.Width, b.Height, b.Depth)
	if p.peek().isWord("DATA") {
		p.dataOf(b)
	} else {
		p.generator(b)
	}
	p.end()
	p.account(b)
}

// imageWord parses one property of an image; false stands before the
// initialiser.
func (p *parser) imageWord(b *Buffer) bool {
	if p.imageOption(b) {
		return true
	}
	t := p.peek()
	if t.isWord("FILL") || t.isWord("SERIES_FROM") || t.isWord("DATA") {
		return false
	}
	p.next()
	switch {
	case t.isWord("DATA_TYPE"):
		b.Format = p.dataType(false)
	case t.isWord("FORMAT"):
		b.Format = p.imageFormat()
	case t.isWord("DIM_1D"), t.isWord("DIM_2D"), t.isWord("DIM_3D"):
		b.Dim = int(t.text[4] - '0')
	case t.isWord("WIDTH"):
		b.Width = p.positive("width", maxSide)
	case t.isWord("HEIGHT"):
		b.Height = p.positive("height", maxSide)
	case t.isWord("DEPTH"):
		b.Depth = p.positive("depth", maxSide)
	default:
		p.unexpected(t, "a property of an image")
	}
	return true
}

var (
	filterWords = []string{"nearest", "linear"}
	// The last is spelled mirrored_clamp_to_edge in Amber's documentation, and as next to it in its parser.
	addressWords = []string{"repeat", "mirrored_repeat", "clamp_to_edge", "clamp_to_border", "mirrored_clamp_to_edge", "mirror_clamp_to_edge"}
	borderWords  = []string{"float_transparent_black", "int_transparent_black", "float_opaque_black", "int_opaque_black", "float_opaque_white", "int_opaque_white"}
)

func (p *parser) sampler(line int) {
	s := &Sampler{Line: line, MaxLod: 1}
	s.Name = p.declare("sampler", s)
	for !p.atEnd() {
		switch t := p.next(); {
		case t.isWord("MAG_FILTER"):
			s.MagLinear = p.choose("a filter", filterWords) == 1
		case t.isWord("MIN_FILTER"):
			s.MinLinear = p.choose("a filter", filterWords) == 1
		case t.kind == tokWord && len(t.text) == 14 && strings.HasPrefix(t.text, "ADDRESS_MODE_") && t.text[13] >= 'U' && t.text[13] <= 'W':
			s.Address[t.text[13]-'U'] = emu.AddressMode(min(p.choose("an address mode", addressWords), int(emu.AddressMirrorClampToEdge)))
		case t.isWord("BORDER_COLOR"):
			s.Border = emu.BorderColor(p.choose("a border colour", borderWords))
		case t.isWord("MIN_LOD"):
			s.MinLod = float32(p.float("a level of detail"))
		case t.isWord("MAX_LOD"):
			s.MaxLod = float32(p.float("a level of detail"))
		case t.isWord("NORMALIZED_COORDS"):
			s.Unnormalized = false
		case t.isWord("UNNORMALIZED_COORDS"):
			s.Unnormalized, s.MinLod, s.MaxLod = true, 0, 0
		case t.isWord("COMPARE"):
			s.Compare = p.onOff()
		case t.isWord("COMPARE_OP"):
			s.CompareOp = p.compareOp()
		default:
			p.unexpected(t, "a property of a sampler")
		}
	}
	if s.MaxLod < s.MinLod {
		p.fail(line, "MAX_LOD is less than MIN_LOD")
	}
	p.end()
	p.s.Samplers = append(p.s.Samplers, s)
}
