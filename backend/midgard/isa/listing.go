package isa

import (
	"encoding/binary"
	"strings"
)

// Disassemble prints a program. Printing ends after a bundle whose next tag is
// break, unless a branch went forward. It never fails: what is wrong with the
// code is in the text.
func Disassemble(code []byte, opt TextOptions) string {
	l := lister{code: code, p: printer{opt: opt}, tags: make([]Tag, len(code)/Quad+1)}
	if opt.Full {
		l.p.opt.Verbose = true
	}
	l.run()
	return strings.TrimRight(string(l.p.buf), "\n")
}

// Text is one bundle's text: a line an instruction, no line end after the last.
func (b *Bundle) Text(opt TextOptions) string {
	p := printer{opt: opt}
	if opt.Full {
		p.opt.Verbose = true
		p.fullBundle(b, TagBreak)
	} else {
		p.bundle(b)
	}
	return strings.TrimRight(string(p.buf), "\n")
}

// String is the bundle's verbose text.
func (b Bundle) String() string { return b.Text(TextOptions{Verbose: true}) }

// lister prints a program and checks its tags on the way.
type lister struct {
	code []byte
	p    printer
	// tags holds, by quadword, the tag that an extended branch expects there.
	tags     []Tag
	seen     []Tag // by quadword, the tag of the bundle decoded there
	forward  bool  // the last branch went forward
	lastNext Tag
}

func (l *lister) run() {
	if l.p.opt.Full {
		l.runFull()
		return
	}
	l.lastNext = TagBreak
	first := true
	l.seen = make([]Tag, len(l.tags))
	for at := 0; at+Quad <= len(l.code); {
		b, size, _ := Decode(l.code[at:])
		if size == 0 {
			l.p.printf("/* the code ends inside a bundle of tag %s */\n", b.Tag)
			break
		}
		q := at / Quad
		l.seen[q] = b.Tag
		l.checkTags(&b, q, first)
		l.p.after = l.code[at+size:]
		l.p.bundle(&b)
		at += size
		l.noteBranch(&b, at/Quad)
		l.lastNext = b.Next
		first = false
		if b.Next == TagBreak {
			if !l.forward {
				break
			}
			l.p.str("break\n")
		}
		l.p.byte('\n')
	}
	if l.lastNext != TagBreak {
		l.p.printf(complaint+": shader ended with tag %s */", l.lastNext)
	}
}

// runFull prints all bundles, without checks.
func (l *lister) runFull() {
	for at := 0; at < len(l.code); {
		b, size, err := Decode(l.code[at:])
		if err != nil && (b.Tag.Known() || size == 0) {
			l.p.printf("/* %v */\n", err)
		}
		if size == 0 {
			break
		}
		at += size
		next := TagBreak
		if at < len(l.code) {
			next = Tag(l.code[at] & 15)
		}
		l.p.fullBundle(&b, next)
		l.p.byte('\n')
	}
}

// complaint begins the remarks of the reference disassembler.
var complaint = "/* " + strings.Repeat("X", 3)

// checkTags reports tags that disagree.
func (l *lister) checkTags(b *Bundle, q int, first bool) {
	if want := l.tags[q]; want != 0 && want != b.Tag {
		l.p.printf("\t"+complaint+": TAG ERROR branch, got %s expected %s */\n", b.Tag, want)
	}
	// The reference accepts any tag after one that ends the thread.
	if !first && l.lastNext != TagBreak && l.lastNext != b.Tag {
		l.p.printf("\t"+complaint+": TAG ERROR sequence, got %s expexted %s */\n", b.Tag, l.lastNext)
	}
	if b.Next == TagInvalid {
		l.p.str("\t" + complaint + ": invalid next tag */\n")
	}
}

// noteBranch remembers where the bundle's branch goes; q is the quadword
// after the bundle.
func (l *lister) noteBranch(b *Bundle, q int) {
	br, ok := b.Branch()
	if !ok {
		return
	}
	l.forward = br.Offset >= 0
	if br.Op == BranchDiscard || !b.Has(UnitBranchX) {
		return
	}
	to := q + int(br.Offset)
	switch {
	case to < 0 || to >= len(l.tags):
	case l.seen[to] != 0 && l.seen[to] != br.Target:
		l.p.printf("\t"+complaint+": TAG ERROR branch, got %s expected %s */\n", l.seen[to], br.Target)
	default:
		l.tags[to] = br.Target
	}
}

// bundle prints the lines of a bundle, each with its line end.
func (p *printer) bundle(b *Bundle) {
	switch {
	case b.Tag.ALU():
		p.aluBundle(b)
	case b.Tag == TagLdSt:
		for i := range b.LdSt {
			if b.LdSt[i].Op != LdNop {
				p.ldstLine(&b.LdSt[i])
				if b.LdSt[i].Op.Load() {
					p.written |= 1 << b.LdSt[i].Reg
				}
				p.byte('\n')
			}
		}
	case b.Tag.Texture():
		p.texLine(b)
		p.byte('\n')
	default:
		p.printf("Unknown word type %d:\n0x%08X, 0x%08X, 0x%08X, 0x%08X \n\n", b.Tag, binary.LittleEndian.Uint32(b.Raw[0:]),
			binary.LittleEndian.Uint32(b.Raw[4:]), binary.LittleEndian.Uint32(b.Raw[8:]), binary.LittleEndian.Uint32(b.Raw[12:]))
	}
}

func (p *printer) aluBundle(b *Bundle) {
	for u := Unit(0); u < NumALUUnits; u++ {
		p.unknownBit(b, unitBit[u]-1)
		if b.Has(u) {
			start := len(p.buf)
			p.aluLine(b, u)
			if p.opt.Full {
				p.noteALU(b, u, start)
			}
			p.byte('\n')
		}
	}
	if b.Has(UnitBranch) {
		p.branchLine(b.Compact, false)
		p.byte('\n')
	}
	if b.Has(UnitBranchX) {
		p.branchLine(b.Extended, true)
		p.byte('\n')
	}
	if b.HasConsts {
		p.constLine(b)
		p.byte('\n')
	}
	if b.Tag.Writeout() {
		p.str("writeout\n")
	}
}

func (p *printer) unknownBit(b *Bundle, bit uint8) {
	if b.Control>>bit&1 != 0 {
		p.printf("unknown bit %d enabled\n", bit)
	}
}

var (
	callNames  = [4]string{".reserved", "", ".call", ".return"}
	plusOrNone = [2]string{"", "+"}
)

func (p *printer) branchLine(br Branch, extended bool) {
	if extended {
		p.str("brx")
		p.str(callNames[br.Call&3])
	} else {
		p.str("br")
	}
	p.byte('.')
	p.str(br.Op.String())
	switch {
	case extended || br.Op != BranchUncond:
		p.byte('.')
		p.str(br.Cond.String())
	default:
		p.str(callNames[br.Call&3])
	}
	p.printf(" %s%d -> %s", plusOrNone[b2i(br.Offset >= 0)], br.Offset, br.Target)
}
