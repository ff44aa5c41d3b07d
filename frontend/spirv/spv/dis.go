package spv

import "strconv"

// DisassembleOptions choose what Disassemble writes around the instructions.
type DisassembleOptions struct {
	// Header puts the header's fields first, as comments.
	Header bool
	// Indent lines opcodes up as spirv-dis does.
	Indent bool
}

// indentColumn is where spirv-dis puts opcodes.
const indentColumn = 15

// Disassemble writes a module as assembly text with numeric ids, one instruction a line. Assemble with PreserveNumericIDs gives the same
// instructions back: words that no text of an operand stands for (say, a narrow integer that is not sign extended) are written as !0x….
func Disassemble(m *Module, opts DisassembleOptions) string {
	b := make([]byte, 0, len(m.Words)*12)
	if opts.Header {
		b = append(b, "; SPIR-V\n; Version: "...)
		b = strconv.AppendUint(b, uint64(m.Version>>8), 10)
		b = append(b, '.')
		b = strconv.AppendUint(b, uint64(m.Version&0xff), 10)
		b = append(b, "\n; Generator: "...)
		b = append(b, Generator(m.Generator)...)
		b = append(b, "; "...)
		b = strconv.AppendUint(b, uint64(m.Generator&0xffff), 10)
		b = append(b, "\n; Bound: "...)
		b = strconv.AppendUint(b, uint64(m.Bound), 10)
		b = append(b, "\n; Schema: "...)
		b = strconv.AppendUint(b, uint64(m.Schema), 10)
		b = append(b, '\n')
	}
	d := decoder{m: m, keep: true}
	for i := range m.Insts {
		b = d.appendInst(b, &m.Insts[i], opts.Indent)
		b = append(b, '\n')
	}
	return string(b)
}

// AppendInst appends one instruction's text (no newline) to b, for messages.
func (m *Module) AppendInst(b []byte, in *Instruction) []byte {
	d := decoder{m: m, keep: true}
	return d.appendInst(b, in, false)
}

func (d *decoder) appendInst(b []byte, in *Instruction, indent bool) []byte {
	start := len(b)
	if id := in.Result(); id != 0 {
		b = appendID(b, uint32(id))
		b = append(b, " = "...)
	}
	if pad := indentColumn - (len(b) - start); indent && pad > 0 {
		b = append(b, make([]byte, pad)...)
		copy(b[start+pad:], b[start:len(b)-pad])
		for i := range pad {
			b[start+i] = ' '
		}
	}
	b = append(b, in.Op.String()...)
	d.ops = d.ops[:0]
	info := in.Op.info()
	if info == nil || d.decode(in, info) != nil {
		return appendRaw(b, in.Words[1:])
	}
	for _, o := range d.ops {
		if o.Kind == KindIdResult {
			continue
		}
		b = append(b, ' ')
		var ok bool
		if b, ok = d.appendOperand(b, o); !ok {
			return appendRaw(b[:len(b)-1], in.Words[o.Start:])
		}
	}
	return b
}

// appendRaw appends words that the assembler copies.
func appendRaw(b []byte, words []uint32) []byte {
	for _, w := range words {
		b = append(b, " !0x"...)
		for s := 28; s >= 0; s -= 4 {
			b = append(b, "0123456789abcdef"[w>>s&15])
		}
	}
	return b
}

func appendID(b []byte, id uint32) []byte { return strconv.AppendUint(append(b, '%'), uint64(id), 10) }

// appendOperand appends one operand; ok is false, and nothing appended, when it has no text.
func (d *decoder) appendOperand(b []byte, o Operand) (_ []byte, ok bool) {
	w := d.in.Words[o.Start]
	switch {
	case o.Kind.IsID():
		return appendID(b, w), true
	case o.Kind.IsEnum() || o.Kind.IsMask():
		return o.Kind.appendText(b, w)
	case o.Num.Bits != 0:
		return appendNumber(b, o.Uint64(d.in), o.Num)
	case o.Kind == KindLiteralString:
		return appendQuoted(b, d.in.Words[o.Start:o.Start+o.Count])
	case o.Kind == KindLiteralExtInstInteger:
		return append(b, d.set.Text(w)...), true
	case o.Kind == KindLiteralSpecConstantOpInteger:
		return append(b, Op(w).String()[len("Op"):]...), true
	}
	return b, false
}

// appendQuoted appends a string in quotes; ok is false, and nothing appended, when bytes after its end are not zero.
func appendQuoted(b []byte, words []uint32) (_ []byte, ok bool) {
	start := len(b)
	b = append(b, '"')
	for _, w := range words[:len(words)-1] {
		for range 4 {
			b = appendEscaped(b, byte(w))
			w >>= 8
		}
	}
	w := words[len(words)-1]
	for ; byte(w) != 0; w >>= 8 {
		b = appendEscaped(b, byte(w))
	}
	if w != 0 {
		return b[:start], false
	}
	return append(b, '"'), true
}

func appendEscaped(b []byte, c byte) []byte {
	if c == '"' || c == '\\' {
		b = append(b, '\\')
	}
	return append(b, c)
}
