package isa

import "strings"

// The notes of full text: each line is parsed again, and what the parse gets
// wrong follows it.

// noteALU appends the notes of the instruction whose line begins at start.
func (p *printer) noteALU(b *Bundle, u Unit, start int) {
	a := &b.ALU[u]
	pr := program{opt: p.opt}
	read := func() (ALU, bool) {
		line := string(p.buf[start:])
		i := strings.LastIndexByte(line, '\n') + 1 // after a remark on its own line
		x := aluText{line: line[i:]}
		pr.readings(&aluCtx{b: b, full: true}, &x)
		if i > 0 {
			x.reads[u].Reserved = 32
		}
		return x.reads[u], x.err == nil && x.fits[u]
	}
	got, ok := read()
	if !ok {
		// No text says what this is: print the opcode, and the rest as notes.
		p.buf = p.buf[:start]
		plain := Bundle{Tag: b.Tag, Units: u.In()}
		plain.ALU[u] = Vector(a.Op, a.Mode, RegPipe0, FullMask)
		if u.Scalar() {
			plain.ALU[u] = Scalar(a.Op, RegPipe0, 0)
		}
		p.aluLine(&plain, u)
		if got, ok = read(); !ok {
			got = ALU{}
		}
	}
	p.buf = appendNotes(p.buf, a, &got, noteLists(u)...)
}

// noteLdSt is noteALU for a slot.
func (p *printer) noteLdSt(l *LoadStore, start int) {
	got, err := parseLdSt(string(p.buf[start:]))
	if err != nil {
		p.buf = append(p.buf[:start], "nop"...)
		got = EmptySlot
	}
	p.buf = appendNotes(p.buf, l, &got, ldstFields)
}

// noteTexture is noteALU for a texture bundle.
func (p *printer) noteTexture(b *Bundle, start int) {
	pr := program{opt: p.opt}
	var got Bundle
	if pr.texture(&got, []string{string(p.buf[start:])}) != nil || got.Tag != b.Tag {
		p.buf = append(p.buf[:start], "BARRIER"...)
		got = Bundle{Tag: TagBarrier, Tex: Barrier()}
	}
	p.buf = appendNotes(p.buf, &b.Tex, &got.Tex, textureFields)
}

// fullBundle prints a bundle as full text; next is the tag that a reader expects
// to follow.
func (p *printer) fullBundle(b *Bundle, next Tag) {
	start := len(p.buf)
	switch {
	case b.Tag == TagLdSt:
		for i := range b.LdSt {
			if i == 1 && b.LdSt[i] == EmptySlot {
				break
			}
			at := len(p.buf)
			if b.LdSt[i].Op == LdNop {
				p.str("nop")
			} else {
				p.ldstLine(&b.LdSt[i])
			}
			p.noteLdSt(&b.LdSt[i], at)
			p.byte('\n')
			if b.LdSt[i].Op.Load() {
				p.written |= 1 << b.LdSt[i].Reg
			}
		}
	case b.Tag.Texture():
		p.texLine(b)
		p.noteTexture(b, start)
		p.byte('\n')
	default:
		p.bundle(b)
	}
	want := *b
	want.Units, want.ALU = 0, [NumALUUnits]ALU{}
	got := Bundle{Tag: b.Tag, Next: next}
	if b.Tag.Texture() && string(p.buf[start:min(len(p.buf), start+7)]) == "BARRIER" {
		got.Tag = TagBarrier
	}
	if b.Tag.ALU() && b.Units == 0 {
		got.Tag = TagInvalid // without a line, nothing else says what the bundle is
	}
	for u := Unit(0); u < NumALUUnits; u++ {
		got.Control |= b.Control & (1 << (unitBit[u] - 1)) // printed as lines
	}
	if !b.Tag.Known() {
		got.Next = b.Next
	}
	notes := appendNotes(nil, &want, &got, bundleFields)
	if len(notes) > 0 {
		// The notes stand on a line of their own in front.
		line := append(notes[1:], '\n')
		body := append([]byte(nil), p.buf[start:]...)
		p.buf = append(append(p.buf[:start], line...), body...)
	}
}
