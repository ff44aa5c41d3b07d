package ir

import (
	"strings"

	"nirc/ir/optab"
)

// tableInstr parses an ALU operation, intrinsic or texture operation.
func (p *parser) tableInstr(name string, bits, comps uint8) *Instr {
	if op, ok := ParseOp(name); ok {
		return p.alu(op, bits, comps)
	}
	if i, ok := ParseIntrinsic(name); ok {
		return p.intrinsic(i, bits, comps)
	}
	if t, ok := ParseTexOp(name); ok {
		return p.tex(t, bits, comps)
	}
	p.failLast("no operation %q", name)
	return nil
}

func (p *parser) alu(op Op, bits, comps uint8) *Instr {
	in := p.s.newInstr(KindALU)
	in.Op = op
	p.s.initDef(in, comps, bits)
	in.Exact = p.accept("!")
	if p.accept("{") {
		for !p.accept("}") {
			switch w := p.word(); w {
			case "nsw":
				in.NoSignedWrap = true
			case "nuw":
				in.NoUnsignedWrap = true
			case "mediump":
				in.Relaxed = true
			case "fm":
				p.expect("=")
				in.FastMath = FloatControls(p.uint(32))
			default:
				p.failLast("no ALU flag %q", w)
			}
		}
	}
	p.blank(in, len(op.Info().In))
	for i := range in.Srcs {
		if i > 0 {
			p.expect(",")
		}
		p.value(&in.Srcs[i])
		if p.is(".") && !p.tok.space {
			p.next()
			p.swizzle(&in.Srcs[i])
		}
	}
	return in
}

func (p *parser) swizzle(s *Src) {
	w := p.tok.text
	if p.tok.kind != tokWord || len(w) > 16 {
		p.fail("ill-formed swizzle %q", w)
	}
	for i := 0; i < len(w); i++ {
		c := strings.IndexByte(letters, w[i])
		if c < 0 {
			p.fail("ill-formed swizzle %q", w)
		}
		s.Swizzle = s.Swizzle.With(i, c)
	}
	p.next()
}

func (p *parser) intrinsic(i Intrinsic, bits, comps uint8) *Instr {
	in := p.s.newInstr(KindIntrinsic)
	in.Intr = i
	info := i.Info()
	in.Imm = p.s.imms.Slice(len(info.Indices))
	p.s.initDef(in, comps, bits)
	p.blank(in, len(info.Srcs))
	for k := range in.Srcs {
		if k > 0 {
			p.expect(",")
		}
		p.value(&in.Srcs[k])
	}
	for p.tok.kind == tokWord && p.attrFollows() {
		x, ok := optab.ParseIndex(p.tok.text)
		k := info.IndexPos(x)
		if !ok || k < 0 {
			p.fail("%s has no index %q", i, p.tok.text)
		}
		p.next()
		p.expect("=")
		in.Imm[k] = p.indexValue(x, in)
	}
	if info.Vectorized() {
		in.NumComponents = comps
		if !info.HasDest || info.DestComps != 0 {
			p.widthFromSource(in, info)
		}
	}
	return in
}

// widthFromSource sets NumComponents of a store, or of a question about a vector, from its value, which the
// text defines before.
func (p *parser) widthFromSource(in *Instr, info *optab.Intrinsic) {
	first := len(p.uses) - len(in.Srcs)
	for k, c := range info.Srcs {
		if c != 0 {
			continue
		}
		if d := p.vals[p.uses[first+k].num]; d != nil {
			in.NumComponents = d.NumComponents
			return
		}
	}
	p.fail("%s: the value is not defined before", in.Intr)
}

// attrFollows tells name=value from the next instruction.
func (p *parser) attrFollows() bool {
	look := p.lexer
	look.next()
	return look.is("=")
}

// indexValue reads what indexText printed.
func (p *parser) indexValue(x Index, in *Instr) uint64 {
	switch x {
	case optab.IdxWriteMask:
		return p.mask()
	case optab.IdxAccess, optab.IdxDstAccess, optab.IdxSrcAccess:
		return p.flags(accessNames[:])
	case optab.IdxMemoryModes:
		return p.flags(modeNames[:])
	case optab.IdxAtomicOp:
		return p.enum(AtomicOpNames[:])
	case optab.IdxMemoryScope, optab.IdxExecutionScope:
		return p.enum(ScopeNames[:])
	case optab.IdxImageDim:
		return p.enum(dimNames[:])
	case optab.IdxInterpMode:
		return p.enum(interpNames[:])
	case optab.IdxRayQueryValue:
		return p.rayQueryValue()
	case optab.IdxReductionOp:
		if op, ok := ParseOp(p.tok.text); ok {
			p.next()
			return uint64(op)
		}
	case optab.IdxSrcType, optab.IdxDestType:
		if c := p.tok.text; c != "" && (c[0] < '0' || c[0] > '9') {
			return p.aluType(p.word()).Pack()
		}
	case optab.IdxIoSemantics:
		if p.accept("{") {
			return p.ioSemantics()
		}
	}
	return p.uint(64)
}

func (p *parser) mask() uint64 {
	w := p.tok.text
	if w == "" || w[0] >= '0' && w[0] <= '9' {
		return p.uint(64)
	}
	var v uint64
	for i := 0; i < len(w); i++ {
		c := strings.IndexByte(letters, w[i])
		if c < 0 {
			p.fail("ill-formed mask %q", w)
		}
		v |= 1 << c
	}
	p.next()
	return v
}

func (p *parser) ioSemantics() uint64 {
	var s IOSemantics
	loc, ok := parseSlot(p.word())
	if !ok || loc < 0 || loc > 255 {
		p.failLast("no such location")
	}
	s.Location = Slot(loc)
	s.NumSlots = uint8(p.uint(8))
	fields := append(ioFlags(&s), namedField{"dual", &s.DualSourceIndex}, namedField{"streams", &s.GSStreams})
	for !p.accept("}") {
		if name := p.word(); !p.setField(name, fields) {
			p.failLast("no io_semantics %q", name)
		}
	}
	return s.Pack()
}

func (p *parser) tex(op TexOp, bits, comps uint8) *Instr {
	in := p.s.NewTex(op, comps, bits)
	t := in.TexInfo()
	var kinds []TexSrc
	var nums, poss []int
	for p.tok.kind == tokWord {
		name := p.tok.text
		kind, isSrc := texSrcByName(name)
		switch {
		case isSrc && p.attrFollows():
			p.next()
			p.expect("=")
			kinds = append(kinds, kind)
			poss = append(poss, p.tok.pos)
			nums = append(nums, p.prefixed("%"))
			continue
		case !p.attrFollows() && !p.texFlag(name, t):
			// The next instruction or block begins here.
		default:
			p.next()
			p.texAttr(name, t)
			continue
		}
		break
	}
	t.SrcKinds = kinds
	p.blank(in, len(kinds))
	for i := range kinds {
		p.uses = append(p.uses, pendingUse{src: &in.Srcs[i], num: nums[i], pos: poss[i]})
	}
	return in
}

func texSrcByName(name string) (TexSrc, bool) {
	for i := range optab.TexSources {
		if optab.TexSources[i].Name == name {
			return TexSrc(i), true
		}
	}
	return 0, false
}

// texFlag reports whether name is a flag of a texture instruction.
func (p *parser) texFlag(name string, t *TexInfo) bool {
	for _, f := range texFields(t) {
		if _, ok := f.ptr.(*bool); ok && f.name == name {
			return true
		}
	}
	return false
}

func (p *parser) texAttr(name string, t *TexInfo) {
	switch name {
	case "dim":
		p.expect("=")
		t.Dim = Dim(p.named(dimNames[:]))
	case "dest":
		p.expect("=")
		t.DestType = p.aluType(p.word())
	case "offsets":
		p.expect("=")
		t.HasOffsets = true
		for i := 0; i < 8; i++ {
			if i > 0 {
				p.expect(",")
			}
			t.Offsets[i/2][i%2] = int8(p.int(8))
		}
	default:
		if !p.setField(name, texFields(t)) {
			p.failLast("no texture attribute %q", name)
		}
	}
}
