package isa

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// byHead lists instructions by the first dotted component of their name,
// longer names first.
var byHead = sync.OnceValue(func() map[string][]Op {
	heads := map[string][]Op{}
	for i := Op(1); i < NumOps; i++ {
		h := head(opTable[i].name)
		heads[h] = insertByName(heads[h], i)
	}
	return heads
})

func head(name string) string {
	if i := strings.IndexAny(name, ". "); i >= 0 {
		return name[:i]
	}
	return name
}

func insertByName(list []Op, o Op) []Op {
	at := len(list)
	for at > 0 && len(opTable[list[at-1]].name) < len(opTable[o].name) {
		at--
	}
	list = append(list, 0)
	copy(list[at+1:], list[at:])
	list[at] = o
	return list
}

// ParseText assembles one instruction; Pack turns it into a word. Operand
// sizes, kinds and ranges that the text gets wrong are found by Pack.
func ParseText(gen Gen, s string) (Instr, error) { return parseInstr(gen, s, nil) }

func parseInstr(gen Gen, s string, label func(string) (int32, bool)) (Instr, error) {
	p := parser{s: strings.TrimSpace(s), gen: gen, label: label}
	if strings.HasPrefix(p.s, "raw ") {
		v, err := strconv.ParseUint(strings.TrimSpace(p.s[4:]), 0, 64)
		if err != nil {
			return Instr{}, fmt.Errorf("ir3: bad raw word %q", p.s)
		}
		return Instr{Op: OpRaw, Raw: v}, nil
	}
	var base Instr
	if err := p.prefix(&base); err != nil {
		return Instr{}, err
	}
	start := p.pos
	candidates := byHead()[head(p.s[start:])]
	if len(candidates) == 0 {
		return Instr{}, fmt.Errorf("ir3: unknown mnemonic %q", head(p.s[start:]))
	}
	far, farErr := -1, error(nil)
	for _, o := range candidates {
		info := &opTable[o]
		if !strings.HasPrefix(p.s[start:], info.name) || !info.onGen(gen) {
			continue
		}
		in := base
		in.Op = o
		p.pos, p.in, p.info = start+len(info.name), &in, info
		err := p.elems()
		if err == nil {
			err = p.finish()
		}
		if err == nil {
			return in, nil
		}
		if p.pos > far {
			far, farErr = p.pos, err
		}
	}
	if farErr == nil {
		return Instr{}, fmt.Errorf("ir3: no %s instruction %q", gen, strings.Fields(p.s[start:])[0])
	}
	return Instr{}, fmt.Errorf("ir3: %q: at column %d: %w", p.s, far+1, farErr)
}

type parser struct {
	s     string
	pos   int
	gen   Gen
	label func(string) (int32, bool)
	in    *Instr
	info  *opInfo
}

func (p *parser) rest() string { return p.s[p.pos:] }

func (p *parser) accept(s string) bool {
	if strings.HasPrefix(p.rest(), s) {
		p.pos += len(s)
		return true
	}
	return false
}

func (p *parser) space() {
	for p.pos < len(p.s) && (p.s[p.pos] == ' ' || p.s[p.pos] == '\t') {
		p.pos++
	}
}

// word reads letters, digits, '_' and '/'.
func (p *parser) word() string {
	i := p.pos
	for i < len(p.s) && (p.s[i] == '_' || p.s[i] >= '0' && p.s[i] <= '9' || p.s[i] >= 'a' && p.s[i] <= 'z' || p.s[i] >= 'A' && p.s[i] <= 'Z') {
		i++
	}
	w := p.s[p.pos:i]
	p.pos = i
	return w
}

var errNumber = errors.New("a number is expected")

// number reads a decimal or 0x integer with optional sign.
func (p *parser) number() (int64, error) {
	i := p.pos
	if i < len(p.s) && (p.s[i] == '-' || p.s[i] == '+') {
		i++
	}
	hex := strings.HasPrefix(p.s[i:], "0x")
	if hex {
		i += 2
	}
	for i < len(p.s) && (p.s[i] >= '0' && p.s[i] <= '9' || hex && (p.s[i] >= 'a' && p.s[i] <= 'f' || p.s[i] >= 'A' && p.s[i] <= 'F')) {
		i++
	}
	v, err := strconv.ParseInt(strings.TrimPrefix(p.s[p.pos:i], "+"), 0, 64)
	if err != nil {
		return 0, errNumber
	}
	p.pos = i
	return v, nil
}

// ranged reads a number in [lo, hi].
func (p *parser) ranged(lo, hi int64) (int64, error) {
	v, err := p.number()
	if err == nil && (v < lo || v > hi) {
		err = fmt.Errorf("%d is not in %d..%d", v, lo, hi)
	}
	return v, err
}

func (p *parser) prefix(in *Instr) error {
next:
	for {
		p.space()
		for _, f := range prefixFlags {
			if p.accept(f.text) {
				in.Flags |= f.f
				continue next
			}
		}
		n, err := int64(0), error(nil)
		switch {
		case p.accept("(ul)"):
			in.Flags |= UL
			continue
		case p.accept("(rpt"):
			n, err = p.ranged(0, 7)
			in.Repeat = uint8(n)
		case p.accept("(nop"):
			n, err = p.ranged(0, 3)
			in.Nop = uint8(n)
		default:
			return nil
		}
		if err == nil && !p.accept(")") {
			err = errors.New("missing )")
		}
		if err != nil {
			return fmt.Errorf("ir3: %q: %w", p.s, err)
		}
	}
}

func (p *parser) elems() error {
	for _, e := range texts()[p.in.Op] {
		if e.part != pLit {
			if err := p.part(e.part); err != nil {
				return err
			}
			continue
		}
		if err := p.literal(e.lit); err != nil {
			return err
		}
	}
	p.space()
	if p.pos < len(p.s) {
		return fmt.Errorf("unexpected %q", p.rest())
	}
	return nil
}

// literal accepts the literal; a blank in it stands for any white space.
func (p *parser) literal(s string) error {
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			p.space()
		} else if !p.accept(s[i : i+1]) {
			return fmt.Errorf("%q is expected", s[i:i+1])
		}
	}
	return nil
}

// bytes8 reports whether immediates of a type are bytes.
func bytes8(t Type) bool {
	switch t {
	case F16, F32, U32, S32, S16, U16:
		return false
	}
	return true
}

// finish sets what the text does not spell out.
func (p *parser) finish() error {
	in := p.in
	if p.info.imm == immMov && in.Srcs[0].Kind == Imm {
		switch v := &in.Srcs[0].Val; {
		case bytes8(in.SrcType):
			// The text of a byte has no more than its bits.
			if *v < -128 || *v > 255 {
				return fmt.Errorf("immediate %d needs more than 8 bits", *v)
			}
			*v &= 0xff
		case halfCat1(in.SrcType) || in.Op == OpMova || in.Op == OpMova1:
			if *v < -32768 || *v > 65535 {
				return fmt.Errorf("immediate %d needs more than 16 bits", *v)
			}
			if halfCat1(in.SrcType) {
				*v &= 0xffff
			}
		}
	}
	switch {
	case in.Op == OpMov && in.Type != in.SrcType || in.Op == OpCov && in.Type == in.SrcType:
		return errors.New("mov needs equal types, cov different ones")
	case in.Op == OpMova && in.Dst == R(A0):
		in.Type, in.SrcType = S16, S16
	case in.Op == OpMova1 && in.Dst == R(A1):
		in.Type, in.SrcType = U16, U16
	case p.info.form == formBary:
		in.Nop = 0
	}
	return nil
}

func (p *parser) part(id part) (err error) {
	in := p.in
	n := int64(0)
	switch id {
	case pDst, pDstQuiet, pConstDst:
		in.Dst, err = p.operand(immNone)
		p.quiet(&in.Dst, id == pDstQuiet)
	case pSrc1, pSrc2, pSrc3, pSrc4:
		in.Srcs[id-pSrc1], err = p.operand(p.info.imm)
	case pSrc1Quiet, pSrc2Quiet:
		o := &in.Srcs[id-pSrc1Quiet]
		*o, err = p.operand(p.info.imm)
		p.quiet(o, true)
	case pTarget:
		in.Target, err = p.target()
	case pIndex:
		n, err = p.ranged(0, 31)
		in.Index = uint8(n)
	case pSrcType:
		err = p.typ(&in.SrcType)
	case pDstType, pType, pType6:
		err = p.typ(&in.Type)
	case pType5:
		err = p.typ5()
	case pRound:
		for i, name := range roundNames {
			if i > 0 && p.accept(name) {
				in.Round = Round(i)
			}
		}
	case pCond:
		n, err = p.oneOf(condNames[:])
		in.Cond = Cond(n)
	case pEI:
		p.optFlag("(ei)", EI)
	case pMsk:
		n, err = p.ranged(32, 128)
		if in.Size = uint16(n / 32); err == nil && n%32 != 0 {
			err = fmt.Errorf("a mask of %d fibers is none of whole words", n)
		}
	case pSign:
		err = p.choice("mixed", "unsigned", Signed)
	case pPack:
		err = p.choice("high", "low", High)
	default:
		err = p.part2(id)
	}
	return err
}

func (p *parser) part2(id part) (err error) {
	in := p.in
	n := int64(0)
	switch id {
	case pTex:
		err = p.tex()
	case pMask:
		err = p.mask()
	case pCluster:
		n, err = p.ranged(2, 16)
		if err == nil && n&(n-1) != 0 {
			err = fmt.Errorf("a cluster of %d fibers is no power of two", n)
		}
		for n > 2 {
			n, in.Index = n/2, in.Index+1
		}
	case pOff, pOffBare:
		err = p.off(id == pOffBare)
	case pOffReg6:
		err = p.offReg6()
	case pSize:
		n, err = p.ranged(0, 256)
		in.Size = uint16(n)
	case pTyped:
		err = p.choice("typed", "untyped", Typed)
	case pDims:
		n, err = p.ranged(1, 4)
		in.Dims = uint8(n)
	case pMode:
		n, err = p.oneOf(modeNames[:3])
		in.Mode = Mode(n)
	case pBase:
		err = p.base()
	case pUniform:
		p.optFlag(".u", Uniform)
	case pGLRW:
		p.optFlag(".g", BarG)
		p.optFlag(".l", BarL)
		p.optFlag(".r", BarR)
		p.optFlag(".w", BarW)
	case pScope:
		n, err = p.oneOf(scopeNames[:3])
		in.Scope = uint8(n)
	case pAliasType:
		n, err = p.oneOf(aliasTypes[:])
		in.Type = Type(n)
	}
	return err
}

func (p *parser) optFlag(s string, f Flags) {
	if p.accept(s) {
		p.in.Flags |= f
	}
}

// oneOf reads a word of the list and returns its index.
func (p *parser) oneOf(names []string) (int64, error) {
	at := p.pos
	w := p.word()
	for i, n := range names {
		if n == w {
			return int64(i), nil
		}
	}
	p.pos = at
	return 0, fmt.Errorf("%q is none of %s", w, strings.Join(names, " "))
}

func (p *parser) choice(yes, no string, f Flags) error {
	n, err := p.oneOf([]string{no, yes})
	if n == 1 {
		p.in.Flags |= f
	}
	return err
}

// typ reads a type name; the two names of a mov are not separated.
func (p *parser) typ(t *Type) error {
	if p.in.Op.IsAtomic() && p.accept("u64") {
		*t = U64
		return nil
	}
	for _, i := range [...]Type{U8x32, F16, F32, U16, U32, S16, S32, U8} { // u8_32 before u8
		if p.accept(typeNames[i]) {
			if i == U8 && p.in.Op.IsAtomic() {
				break
			}
			*t = i
			return nil
		}
	}
	return errors.New("a type is expected")
}

func (p *parser) typ5() error {
	if !p.accept("(") {
		return errors.New("(type) is expected")
	}
	err := p.typ(&p.in.Type)
	if err == nil && !p.accept(")") {
		err = errors.New("missing )")
	}
	return err
}

// quiet gives a data register whose h is not printed the size of its type.
func (p *parser) quiet(o *Operand, quiet bool) {
	if quiet && o.Kind == Reg && p.info.data != dataNone && p.in.Type.Half() {
		o.Flags |= Half
	}
}

func (p *parser) target() (int32, error) {
	if !p.accept("#") {
		return 0, errors.New("#offset or #label is expected")
	}
	at := p.pos
	if v, err := p.ranged(math.MinInt32, math.MaxInt32); err == nil {
		return int32(v), nil
	}
	p.pos = at
	name := p.word()
	if p.label == nil || name == "" {
		return 0, errNumber
	}
	t, ok := p.label(name)
	if !ok {
		return 0, fmt.Errorf("label %q is not defined", name)
	}
	return t, nil
}

func (p *parser) off(bare bool) error {
	if !bare && !strings.HasPrefix(p.rest(), "+") && !strings.HasPrefix(p.rest(), "-") {
		return nil
	}
	v, err := p.ranged(-4096, 8191)
	p.in.Off = int32(v)
	return err
}

func (p *parser) offReg6() error {
	in := p.in
	reg := &in.Srcs[1]
	if in.Op == OpStgA6 {
		reg = &in.Srcs[2]
	}
	paren := p.accept("(")
	var err error
	if *reg, err = p.operand(immNone); err != nil {
		return err
	}
	if paren {
		if err = p.off(false); err == nil {
			err = p.literal(")<<2")
		}
		return err
	}
	if !p.accept("<<") {
		return errors.New("<< is expected")
	}
	n, err := p.ranged(3, 5)
	in.Shift = uint8(n - 2)
	if err == nil && strings.HasPrefix(p.rest(), "+") {
		if err = p.off(false); err == nil {
			err = p.literal("<<2")
		}
	}
	return err
}

func (p *parser) base() error {
	if !p.accept(".base") {
		return nil
	}
	n, err := p.ranged(0, 7)
	p.in.Set = int8(n) + 1
	return err
}

func (p *parser) mask() error {
	if !p.accept("(") {
		return errors.New("a component mask is expected")
	}
	for i := 0; i < 4; i++ {
		if p.accept("xyzw"[i : i+1]) {
			p.in.WrMask |= 1 << i
		}
	}
	return p.literal(")")
}
