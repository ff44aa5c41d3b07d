package isa

import (
	"strconv"
	"strings"
)

// printer writes one instruction.
type printer struct {
	b     []byte
	in    *Instr
	quirk bool // show uniforms of selects as the reference disassembler does
}

// String returns the instruction's text.
func (i Instr) String() string { return i.Text() }

// Text returns the instruction in the notation of the reference vectors, except
// for the suffix .odd of device accesses with unusual unknown fields. It
// does not show Long, nor unknown fields that the notation hides.
func (i *Instr) Text() string { return string(i.AppendText(nil)) }

// AppendText appends the instruction's text to b.
func (i *Instr) AppendText(b []byte) []byte { return i.appendText(b, false) }

func (i *Instr) appendText(b []byte, quirk bool) []byte {
	if i.Op == OpInvalid || i.Op >= NumOps {
		return append(b, i.Op.String()...)
	}
	name, skip := mnemonic(i)
	p := printer{b: append(b, name...), in: i, quirk: quirk}
	if i.Flags&Sat != 0 {
		p.b = append(p.b, ".sat"...)
	}
	sep := " "
	if strings.HasPrefix(name, "bitop") {
		sep = ", "
	}
	items := infoOf(i.Op).items
	for k := range items {
		it := &items[k]
		if it.cls.text == nil || skips(skip, it.name) {
			continue
		}
		start := len(p.b)
		p.b = append(p.b, sep...)
		body := len(p.b)
		it.cls.text(&p, it)
		if len(p.b) == body {
			p.b = p.b[:start]
		} else {
			sep = ", "
		}
	}
	return p.b
}

// skips reports whether name stands in a list in blanks.
func skips(list, name string) bool {
	for i := 0; i+len(name)+2 <= len(list); i++ {
		if list[i] == ' ' && list[i+len(name)+1] == ' ' && list[i+1:i+1+len(name)] == name {
			return true
		}
	}
	return false
}

func (p *printer) str(s string) { p.b = append(p.b, s...) }
func (p *printer) num(v int64)  { p.b = strconv.AppendInt(p.b, v, 10) }

// bin writes a number in binary with all digits of a field.
func (p *printer) bin(v uint32, width uint8) {
	p.str("0b")
	for i := int(width) - 1; i >= 0; i-- {
		p.b = append(p.b, '0'+byte(v>>i&1))
	}
}

func (p *printer) opnd(it *item) *Operand {
	if it.slot < 0 {
		return &p.in.Dst
	}
	return &p.in.Srcs[it.slot]
}

// String returns the operand's text.
func (o Operand) String() string { return string(o.append(nil)) }

func (o *Operand) append(b []byte) []byte {
	switch o.Kind {
	case Reg, Uniform:
		if o.Count == 0 {
			return append(b, "None"...)
		}
		b = o.appendRun(b)
	case Imm:
		b = strconv.AppendInt(b, int64(o.Val), 10)
	case FImm:
		b = appendFloat(b, FloatImm(uint8(o.Val)))
	case SR, TS, SS, CF:
		b = append(b, [...]string{SR: "sr", TS: "ts", SS: "ss", CF: "cf"}[o.Kind]...)
		b = strconv.AppendInt(b, int64(o.Val), 10)
	default:
		b = append(b, "None"...)
	}
	for i, s := range flagText {
		if o.Flags>>i&1 != 0 && !(o.Flags>>i == SignExt>>i && o.Kind == Imm) {
			b = append(b, s...)
		}
	}
	return b
}

// flagText are the suffixes of the operand flags, in the order of their bits.
var flagText = [...]string{".cache", ".discard", ".abs", ".neg", ".sx"}

func appendFloat(b []byte, v float64) []byte {
	n := len(b)
	b = strconv.AppendFloat(b, v, 'f', -1, 64)
	for _, c := range b[n:] {
		if c == '.' {
			return b
		}
	}
	return append(b, ".0"...)
}

func (o *Operand) appendRun(b []byte) []byte {
	letter, step, n := byte('r'), int(o.Size)/16, int(o.Count)
	if o.Kind == Uniform {
		letter = 'u'
	}
	if o.Size == 64 {
		step, n = 2, 2*n
	}
	for i := 0; i < n; i++ {
		if i > 0 {
			b = append(b, '_')
		}
		h := int(o.Val) + i*step
		b = append(b, letter)
		b = strconv.AppendInt(b, int64(h>>1), 10)
		if step == 1 {
			b = append(b, "lh"[h&1])
		}
	}
	return b
}

func textOperand(p *printer, it *item) {
	o := *p.opnd(it)
	if p.quirk && it.name <= "Y" && it.name >= "X" && o.Kind == Uniform {
		o.Val &= 255
	}
	p.b = o.append(p.b)
}

// textOptional leaves an absent operand out.
func textOptional(p *printer, it *item) {
	if o := p.opnd(it); o.Kind != None {
		p.b = o.append(p.b)
	}
}

// textCompareOffset writes a depth reference with offsets as a register and a
// half.
func textCompareOffset(p *printer, it *item) {
	o := p.opnd(it)
	if o.Kind != None && o.Size == 16 && o.Count == 3 {
		first, last := R(int(o.Val/2)), H(int(o.Val)+2)
		p.b = first.append(p.b)
		p.b = append(p.b, '_')
		p.b = last.append(p.b)
		return
	}
	textOptional(p, it)
}

func textSR(p *printer, it *item) {
	o := p.opnd(it)
	p.b = o.append(p.b)
	if n := srNames[uint8(o.Val)]; n != "" {
		p.str(" (" + n + ")")
	}
}

// srNames are the names that the reference disassembler gives.
var srNames = [256]string{
	0: "threadgroup_position_in_grid.x", 1: "threadgroup_position_in_grid.y", 2: "threadgroup_position_in_grid.z",
	4: "threads_per_threadgroup.x", 5: "threads_per_threadgroup.y", 6: "threads_per_threadgroup.z",
	8: "dispatch_threads_per_threadgroup.x", 9: "dispatch_threads_per_threadgroup.y", 10: "dispatch_threads_per_threadgroup.z",
	20: "core_index", 21: "vm_slot",
	48: "thread_position_in_threadgroup.x", 49: "thread_position_in_threadgroup.y", 50: "thread_position_in_threadgroup.z",
	51: "thread_index_in_threadgroup", 52: "thread_index_in_simdgroup", 53: "simdgroup_index_in_threadgroup",
	56: "active_thread_index_in_quadgroup", 58: "active_thread_index_in_simdgroup", 62: "backfacing",
	80: "thread_position_in_grid.x", 81: "thread_position_in_grid.y", 82: "thread_position_in_grid.z",
	124: "input_sample_mask", 144: "opfifo_cmd", 146: "opfifo_data_l", 147: "opfifo_data_h",
}

func textSign(p *printer, _ *item) {
	if p.in.Flags&Unsigned != 0 {
		p.str(signNames[1])
	} else {
		p.str(signNames[0])
	}
}

func textCompare(p *printer, _ *item) {
	if p.in.Flags&Compare != 0 {
		p.str("1")
	} else {
		p.str("0")
	}
}

func textTMode(p *printer, _ *item) {
	switch p.in.Mode {
	case TexNormal:
	case TexQueryLod:
		p.str("query_lod")
	default:
		p.num(int64(p.in.Mode))
	}
}

func textKill(p *printer, _ *item)   { p.bin(uint32(p.in.Flags&Kill/Kill), 1) }
func textInterp(p *printer, _ *item) { p.str(p.in.Interp.String()) }
func textLod(p *printer, _ *item)    { p.str(p.in.Lod.String()) }

func textMask(p *printer, _ *item) {
	for i := 0; i < 4; i++ {
		if p.in.Mask>>i&1 != 0 {
			p.b = append(p.b, "xyzw"[i])
		}
	}
	if p.in.Mask == 0 {
		p.str("None")
	}
}

func textShift(p *printer, _ *item) {
	if p.in.Shift != 0 {
		p.str("lsl ")
		p.num(int64(p.in.Shift))
	}
}

func textBits(p *printer, _ *item) {
	if n := p.in.Bits; n != 0 {
		p.str("mask 0x")
		for _, c := range strconv.AppendUint(nil, 1<<n-1, 16) {
			if c >= 'a' {
				c -= 'a' - 'A'
			}
			p.b = append(p.b, c)
		}
	}
}

func textSlotBinary(p *printer, it *item) { p.bin(uint32(p.in.Slot), it.width) }
func textSImm(p *printer, _ *item)        { p.num(int64(int32(p.in.Imm))) }

// textBarrier writes a barrier code's fields a, b and c.
func textBarrier(p *printer, _ *item) {
	c := p.in.Imm
	p.num(int64(c >> 2 & 3))
	p.str(", ")
	p.num(int64(c & 3))
	p.str(", ")
	p.num(int64(c >> 4))
}

func textTarget(p *printer, _ *item) {
	p.str("pc")
	if p.in.Target >= 0 {
		p.b = append(p.b, '+')
	}
	p.num(int64(p.in.Target))
}

func (p *printer) extra(it *item) uint32 {
	return p.in.Extra>>it.shift&(1<<it.width-1) ^ it.def // all bits of a field of 32
}

func textExtra(p *printer, it *item)       { p.num(int64(p.extra(it))) }
func textExtraBinary(p *printer, it *item) { p.bin(p.extra(it), it.width) }

func textOdd(p *printer, it *item) {
	if p.in.unusual() {
		p.num(int64(p.extra(it)))
	}
}

// enum is a class of named values.
func enum[T ~uint8](code func(*xfer, *item), at func(*Instr) *T, names []string, more ...string) *class {
	return &class{more: more, code: code,
		text:  func(p *printer, _ *item) { p.str(enumName(names, *at(p.in))) },
		parse: func(s *scanner, _ *item) error { return parseEnum(s, at(s.in), names) }}
}

// number is a class of plain decimal numbers.
func number[T ~uint8 | ~uint32](code func(*xfer, *item), at func(*Instr) *T) *class {
	return &class{code: code,
		text: func(p *printer, _ *item) { p.num(int64(*at(p.in))) },
		parse: func(s *scanner, it *item) error {
			v, err := s.number(it.width)
			*at(s.in) = T(v)
			return err
		}}
}

// optionalFlag is a class of one bit that shows as a word if set.
func optionalFlag(code func(*xfer, *item), f Flags, word string) *class {
	return &class{code: code, flag: f,
		text: func(p *printer, _ *item) {
			if p.in.Flags&f != 0 {
				p.str(word)
			}
		},
		parse: func(s *scanner, _ *item) error {
			if s.peek() == word {
				s.at++
				s.in.Flags |= f
			}
			return nil
		}}
}
