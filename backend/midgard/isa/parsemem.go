package isa

import (
	"slices"
	"strconv"
	"strings"

	"nirc/internal/lazy"
)

var addrList = addrNames[:]

// parseLdSt reads one load/store instruction.
func parseLdSt(line string) (l LoadStore, err error) {
	s := &scan{s: line}
	head := s.while("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.")
	if head == "nop" {
		return EmptySlot, s.end()
	}
	s.lit(" ")
	var suffix []string
	for {
		op, ok := ldByText()[head]
		if ok && head != "" {
			l.Op = op
			break
		}
		i := strings.LastIndexByte(head, '.')
		if i < 0 {
			s.fail("%q is no load/store operation", line)
			return l, s.err
		}
		suffix = append(suffix, head[i:])
		head = head[:i]
	}
	l.Swizzle = XYZW
	k := l.Op.Info().Kind
	if k == KindTrap {
		l.Offset = int32(signExtend(s.num(18), 18))
		return l, s.end()
	}
	parseSuffixes(s, &l, suffix)
	parseLdStReg(s, &l)
	parseLdStOperands(s, &l)
	return l, s.end()
}

// parseSuffixes takes what follows the mnemonic, and sets what its
// absence means.
func parseSuffixes(s *scan, l *LoadStore, list []string) {
	k := l.Op.Info().Kind
	has := func(x string) bool { return slices.Contains(list, x) }
	n := 0
	take := func(x string) bool {
		if has(x) {
			n++
			return true
		}
		return false
	}
	switch {
	case k == KindCube || k == KindPersp:
		l.Toggle = take(".f32")
		take(".f16")
	case k == KindVary || k == KindStVary:
		l.Format = AttrSecondary
		if take(".primary") {
			l.Format = 0
		}
	case k == KindAttr:
		if take(".secondary") {
			l.Format = AttrSecondary
		}
	}
	if l.Op.attrLike() && take(".a32") {
		l.Format |= AttrAuto32
	}
	if n != len(list) {
		s.fail("%s cannot have %s", l.Op, strings.Join(list, ""))
	}
}

var ldstRegs = lazy.Value[[]string]{Make: func() []string {
	var list []string
	for r := range uint8(32) {
		list = append(list, ldstRegName(r))
	}
	return list
}}

func parseLdStReg(s *scan, l *LoadStore) {
	k := l.Op.Info().Kind
	if k == KindStore || k == KindStVary || k == KindStImage {
		l.Reg, l.Mask = uint8(s.one("a register", addrList)), 15
		if s.lit(".") {
			n := 0
			for ; n < 4 && len(s.s) > 0 && s.s[0] != ','; n++ {
				c := s.letter(4)
				if n == 0 {
					l.Swizzle = Rep(c)
				}
				l.Swizzle = l.Swizzle.With(n, c)
			}
			l.Mask = 1<<n - 1
			if n == 0 {
				l.Swizzle = 0
			}
		}
		return
	}
	l.Reg = uint8(s.one("a register", ldstRegs.Get()))
	s.want(".")
	for i := range 4 {
		if s.lit("~") {
			continue
		}
		c := s.letter(4)
		l.Mask |= 1 << i
		l.Swizzle = l.Swizzle.With(i, c)
	}
}

func parseAddr(s *scan) (a AddrReg) {
	a.Reg = uint8(s.one("an address register", addrList))
	s.want(".")
	a.Comp = uint8(s.letter(4))
	return a
}

func parseShift(s *scan, l *LoadStore) {
	if s.lit(" << ") {
		l.Shift = uint8(s.num(4))
	}
}

// parseOffset reads " + 0xN" or " - 0xN".
func parseOffset(s *scan) int32 {
	switch {
	case s.lit(" + "):
		return int32(s.num(20))
	case s.lit(" - "):
		return -int32(s.num(20))
	}
	return 0
}

func parseArgSwizzled(s *scan, l *LoadStore) {
	s.want(", ")
	l.Arg.Reg = uint8(s.one("an address register", addrList))
	if s.lit(".") {
		for i := range 4 {
			l.Swizzle = l.Swizzle.With(i, s.letter(4))
		}
	}
}

func parseLdStOperands(s *scan, l *LoadStore) {
	info := l.Op.Info()
	if info.Kind.sourceSwizzled() {
		l.Swizzle = XYZW
	}
	switch info.Kind {
	case KindUbo:
		parseUBO(s, l)
	case KindUnpack, KindPack:
		parseArgSwizzled(s, l)
		s.want(", ")
		v := s.num(22)
		l.Shift, l.Offset = uint8(v&15), int32(signExtend(v>>4, 18))
	case KindCube, KindMov, KindPersp:
		parseArgSwizzled(s, l)
	case KindLea:
		parseLea(s, l)
	case KindLoad, KindStore:
		parseAddress(s, l)
	case KindAtomic, KindCmpXchg:
		parseAtomic(s, l)
	case KindSpecial, KindStSpecial:
		parseAttrIndex(s, l)
	case KindLeaImage:
		parseArgSwizzled(s, l)
		parseAttrIndex(s, l)
		parseAttrArg(s, l)
	default:
		if l.Op.attrLike() {
			parseAttrIndex(s, l)
			parseAttrArg(s, l)
		}
	}
}

func parseUBO(s *scan, l *LoadStore) {
	s.want(", ")
	imm := int32(0)
	if i := strings.IndexAny(s.s, ".,"); i >= 0 && s.s[i] == ',' {
		l.SetUBO(int(s.num(8)), 0)
		imm = 1
	} else {
		l.Arg = parseAddr(s)
	}
	s.want(", ")
	l.Index = parseAddr(s)
	parseShift(s, l)
	l.Offset = parseOffset(s)<<2 | imm
}

func parseAttrIndex(s *scan, l *LoadStore) {
	s.want(", ")
	l.Index = parseAddr(s)
	parseShift(s, l)
	l.Offset = parseOffset(s) << 9
}

func parseAttrArg(s *scan, l *LoadStore) {
	s.want(", ")
	l.Arg.Reg = uint8(s.one("an address register", addrList))
	k := l.Op.Info().Kind
	image := k == KindImage || k == KindStImage || k == KindLeaImage
	if image {
		l.Toggle = s.one("a width", []string{".u32", ".u64"}) == 1
	}
	s.want(".")
	l.Arg.Comp = uint8(s.letter(4))
	if !image && s.s != "" {
		l.Toggle = true
		l.Offset |= parseOffset(s) & 0x1ff
	}
}

// parseAddress reads an address expression: up to two registers, the second
// one extended, and an offset. A register alone is the argument if it is a
// 64-bit one without a shift that could be either.
func parseAddress(s *scan, l *LoadStore) {
	s.want(", ")
	l.Arg.Reg, l.Index.Reg = AddrZero, AddrZero
	reg := func() (a AddrReg, f IndexFormat) {
		a.Reg = uint8(s.one("an address register", addrList))
		f = IndexFormat(s.one("a width", indexFormats[:]))
		s.want(".")
		a.Comp = uint8(s.letter(4))
		return a, f
	}
	if s.s == "" || strings.HasPrefix(s.s, " ") || strings.HasPrefix(s.s, ",") {
		l.Offset = parseOffset(s)
		return
	}
	a, f := reg()
	second := strings.HasPrefix(s.s, " + ") && !strings.HasPrefix(s.s, " + 0x")
	if second || f == IndexU64 && !strings.HasPrefix(s.s, " << ") || f == IndexU32 && !strings.HasPrefix(s.s, " << ") && l.Op.Info().Kind == KindCmpXchg {
		l.Arg, l.Toggle = a, f == IndexU64
		if f != IndexU64 && f != IndexU32 {
			s.fail("an address is 32 or 64 bits wide")
		}
		if second {
			s.want(" + ")
			l.Index, l.Format = reg()
		}
	} else {
		l.Index, l.Format = a, f
	}
	parseShift(s, l)
	l.Offset = parseOffset(s)
}

// parseLea reads an address and the argument register, which says what a single
// register of the address is.
func parseLea(s *scan, l *LoadStore) {
	parseAddress(s, l)
	a := l.Arg
	parseArgSwizzled(s, l)
	switch {
	case l.Arg.Reg == AddrZero && a.Reg != AddrZero:
		l.Index, l.Format = a, IndexU32
		if l.Toggle {
			l.Format = IndexU64
		}
		l.Arg.Comp, l.Toggle = 0, false
	case l.Arg.Reg != AddrZero && a.Reg == AddrZero:
		l.Arg.Comp, l.Toggle = l.Index.Comp, l.Format == IndexU64
		l.Index, l.Format = AddrReg{Reg: AddrZero}, 0
	}
}

func parseAtomic(s *scan, l *LoadStore) {
	info := l.Op.Info()
	if !info.Nameless {
		parseAddress(s, l)
		s.want(", ")
		l.SetAtomicSrc(parseAddr(s))
	}
	if info.Kind == KindCmpXchg {
		s.want(", ")
		l.Index = parseAddr(s)
	}
}

// The texture instruction.

func parseTexture(line string, alias bool) (t Texture, tag Tag, err error) {
	s := &scan{s: line}
	tag = TagTex
	t.Op = TexOp(s.any(texOpNames[:]))
	if t.Op == 255 {
		s.want("tex_op_")
		v, err := strconv.ParseUint(s.while("0123456789ABCDEF"), 16, 4)
		if err != nil {
			s.fail("%q is no texture operation", line)
		}
		t.Op = TexOp(v)
	}
	t.Helpers = HelpersNormal
	if t.Op == TexBarrier {
		if s.lit(".ooo") {
			t.OutOfOrder = uint8(s.num(4))
		}
		return t, TagBarrier, s.end()
	}
	if s.lit(".vtx") {
		tag = TagTexVtx
	}
	parseTexMode(s, &t)
	t.Dim = TexDim(s.one("a dimension", texDimNames[:]))
	if i := s.any([]string{".reserved", ".skip", ".kill"}); i >= 0 {
		t.Helpers = Helpers(i)
	}
	if s.lit(".ooo") {
		t.OutOfOrder = uint8(s.num(4))
	}
	s.want(" ")
	in, out := []string{"AT0", "AT1"}, []string{"TA0", "TA1"}
	if alias {
		in, out = []string{"R0", "R1"}, []string{"AL0", "AL1"}
	}
	parseTexDst(s, &t, out)
	parseTexHandles(s, &t, in)
	parseTexCoord(s, &t, in)
	parseTexLod(s, &t, in)
	return t, tag, s.end()
}

func parseTexMode(s *scan, t *Texture) {
	if s.lit("unk") {
		t.Mode = 15
		if t.Op != TexDerivative {
			t.Mode = 0
		}
		return
	}
	if t.Op == TexDerivative {
		t.Mode = TexMode(s.one("a direction", []string{".x", ".y"}))
		return
	}
	t.Mode = TexNormal
	if i := s.any(texModeNames[:]); i >= 0 {
		t.Mode = TexMode(i)
	}
}

var texWidths = []string{".16", ".32"}

func parseTexDst(s *scan, t *Texture, out []string) {
	t.Dst = uint8(s.one("a result register", out))
	t.Mask = 15
	if s.lit("'") {
		t.Upper = true
	}
	if !strings.HasPrefix(s.s, ".f16") && !strings.HasPrefix(s.s, ".f32") && !strings.HasPrefix(s.s, ".i") {
		s.want(".")
		t.Mask = 0
		for len(s.s) > 0 && s.s[0] != '.' {
			i := s.letter(8)
			t.Upper = i >= 4
			t.Mask |= 1 << (i & 3)
			if s.err != nil {
				return
			}
		}
	}
	t.Type = TexTypeUint
	if s.one("a type", []string{".i", ".f"}) == 1 {
		t.Type = TexTypeFloat
	}
	t.Full = s.one("a width", []string{"16", "32"}) == 1
	if i := s.any(floatOut[:]); i >= 0 {
		t.Out = OutMod(i)
	}
}

func parseSelector(s *scan, in []string) (r TexReg) {
	r.Select = uint8(s.one("an input register", in))
	s.want(".")
	c := s.letter(8)
	r.Upper, r.Comp = c >= 4, uint8(c&3)
	r.Full = s.one("a width", texWidths) == 1
	return r
}

func parseTexHandles(s *scan, t *Texture, in []string) {
	handle := func() (reg bool, v uint16) {
		if !s.lit("[") {
			return false, uint16(s.num(16))
		}
		v = parseSelector(s, in).Selector()
		s.want("]")
		return true, v
	}
	s.want(", texture")
	t.TextureReg, t.Texture = handle()
	s.want(", ")
	t.Type = TexType(s.one("a sampler", []string{"?", "f", "u", "i"}))
	s.want("sampler")
	t.SamplerReg, t.Sampler = handle()
	t.Swizzle = XYZW
	if s.lit(".") {
		t.Swizzle, _ = parseFour(s)
	}
}

func parseFour(s *scan) (z Swizzle, upper bool) {
	for i := range 4 {
		c := s.letter(8)
		upper = c >= 4
		z = z.With(i, c&3)
	}
	return z, upper
}

func parseTexCoord(s *scan, t *Texture, in []string) {
	s.want(", ")
	t.CoordSel = uint8(s.one("an input register", in))
	t.CoordSwizzle = XYZW
	if !strings.HasPrefix(s.s, ".16") && !strings.HasPrefix(s.s, ".32") {
		s.want(".")
		t.CoordSwizzle, t.CoordUpper = parseFour(s)
	}
	t.CoordFull = s.one("a width", texWidths) == 1
	switch {
	case s.lit(" + <"):
		for i := range 3 {
			if i > 0 {
				s.want(", ")
			}
			t.Offset |= uint16(s.num(4)) << (4 * i)
		}
		s.want(">")
	case s.lit(" + "):
		r := TexReg{Select: uint8(s.one("an input register", in))}
		s.want(".")
		z, upper := parseFour(s)
		r.Upper = upper
		r.Full = s.one("a width", texWidths) == 1
		t.OffsetReg = true
		t.Offset = r.Selector()&7 | uint16(z)<<3
	}
	s.want(", ")
}

func parseTexLod(s *scan, t *Texture, in []string) {
	if s.s == "" {
		return
	}
	s.want("lod ")
	sign := s.one("a sign", []string{"+ ", "- ", "= "})
	switch {
	case strings.HasPrefix(s.s, in[0]) || strings.HasPrefix(s.s, in[1]):
		t.LodReg = true
		t.Lod = parseSelector(s, in).Selector()
	case t.Op == TexFetch:
		t.Lod = uint16(s.num(8))
	default:
		v, err := strconv.ParseFloat(s.while("0123456789."), 64)
		if err != nil || v > 128 || v == 128 && sign == 0 { // the word has -128, whose sign is lost after "="
			s.fail("the level of detail is no number")
		}
		if sign == 1 {
			v = -v
		}
		t.Lod = uint16(int32(v * 256))
	}
	s.want(", ")
}
