package isa

import (
	"fmt"
	"math"
	"strconv"
)

// TextOptions chooses the form of the text.
type TextOptions struct {
	// Verbose prints unit names and address registers that read as zero.
	Verbose bool
	// Full makes the text lossless: verbose, and notes for all that a parse of
	// the line would not bring back. See the package comment.
	Full bool
	// Alias prints texture registers as on GPUs whose texture pipe shares
	// registers with the others (T720, T820, T830), the way the reference does.
	Alias bool
}

// printer prints bundles; it remembers which registers were written so far,
// because r8 to r15 print as uniforms until then.
type printer struct {
	opt     TextOptions
	buf     []byte
	written uint32
	after   []byte // the bytes after the bundle's constants
}

func (p *printer) str(s string)                 { p.buf = append(p.buf, s...) }
func (p *printer) printf(f string, args ...any) { p.buf = fmt.Appendf(p.buf, f, args...) }
func (p *printer) byte(c byte)                  { p.buf = append(p.buf, c) }

const letters = "xyzwefghijklmnop"

// regName is the name of a register of an ALU instruction.
func (p *printer) regName(r uint8, dst bool) string {
	switch {
	case r == RegPipe0 || r == RegPipe1:
		return [2]string{"TMP0", "TMP1"}[r-RegPipe0]
	case r == RegConst || r == RegLdSt1:
		return [2]string{"AL0", "AL1"}[r-RegConst]
	case r == RegTex0 || r == RegTex1:
		if dst {
			return [2]string{"AT0", "AT1"}[r-RegTex0]
		}
		return [2]string{"TA0", "TA1"}[r-RegTex0]
	case r == RegCond && !dst:
		return "PC_SP"
	case r >= 16 && r <= 23, r >= 8 && r <= 15 && p.written>>r&1 == 0:
		return "U" + strconv.Itoa(23-int(r))
	}
	return "R" + strconv.Itoa(int(r))
}

// aluLine prints one instruction of unit u.
func (p *printer) aluLine(b *Bundle, u Unit) {
	a := &b.ALU[u]
	if u.Scalar() && a.Reserved != 0 {
		p.str("scalar ALU reserved bit set\n")
	}
	if p.opt.Verbose {
		p.str(u.String())
		p.byte('.')
	}
	m := a.Mode
	if u.Scalar() {
		m = Mode32
	}
	kind := byte('i')
	if a.Op.Is(FloatDst) {
		kind = 'f'
	}
	p.printf("%s.%c%d ", a.Op.mnemonic(), kind, m.Bits())
	p.written |= 1 << a.Dst
	p.str(p.regName(a.Dst, true))
	if u.Scalar() {
		p.scalarDst(a)
		p.str(", ")
		p.scalarSrc(b, a, 0)
	} else {
		p.vectorDst(a)
		p.str(", ")
		p.vectorSrc(b, a, 0)
	}
	p.str(", ")
	switch {
	case a.Imm && a.Op.Is(FloatSrc):
		p.printf("#%s", formatG(halfToFloat(a.Const)))
	case a.Imm:
		p.printf("#%d", a.Const)
	case u.Scalar():
		p.scalarSrc(b, a, 1)
	default:
		p.vectorSrc(b, a, 1)
	}
}

var (
	intOut   = [4]string{".ssat", ".usat", ".keeplo", ".keephi"}
	floatOut = [4]string{"", ".clamp_0_inf", ".clamp_m1_1", ".clamp_0_1"}
	intMods  = [4]string{".sext", ".zext", ".replicate", ".lshift"}
)

func (p *printer) outMod(a *ALU, shrunk bool) {
	if !a.Op.Is(FloatDst) {
		if shrunk {
			p.str(intOut[a.Out&3])
		}
		return
	}
	if shrunk {
		p.str(".shrink")
	}
	p.str(floatOut[a.Out&3])
}

func (p *printer) scalarDst(a *ALU) {
	c := a.DstComp
	if a.DstFull {
		c >>= 1
	}
	p.byte('.')
	p.byte(letters[c])
	p.outMod(a, !a.DstFull)
}

func (p *printer) vectorDst(a *ALU) {
	shrunk := a.Shrink != ShrinkNone
	// Half a byte is as little known as the reserved mode.
	if a.Shrink == ShrinkReserved || a.Shrink == ShrinkLow && a.Mode == Mode8 {
		p.printf("/* do%d */ ", a.Shrink)
	}
	if a.Mask != FullMask || shrunk {
		p.byte('.')
		p.str(maskLetters(a.Mode, a.Lanes(), a.Shrink == ShrinkHigh))
		if a.Mask != LaneMask(a.Mode, a.Lanes()) {
			p.printf(" /* %X */", a.Mask)
		}
		if a.Op.Is(Reduce) && bitCount(a.Lanes()) > 1 {
			p.str(" /* err too many components */")
		}
	}
	p.outMod(a, shrunk)
}

// maskLetters are the letters of a set of lanes; upper names those of a result
// shrunk to the upper half.
func maskLetters(m Mode, lanes uint16, upper bool) string {
	var out [16]byte
	n := 0
	base := 0
	if upper {
		base = m.Lanes()
	}
	if upper && m == Mode8 {
		base = 0 // there are no half bytes
	}
	for i := 0; i < m.Lanes(); i++ {
		if lanes>>i&1 != 0 {
			out[n] = letters[base+i]
			n++
		}
	}
	return string(out[:n])
}

func bitCount(x uint16) (n int) {
	for ; x != 0; x &= x - 1 {
		n++
	}
	return n
}

// readLanes is the set of lanes of the sources that an instruction reads.
func (a *ALU) readLanes() uint16 {
	switch {
	case a.Op.Is(Reduce3):
		return 7
	case a.Op.Is(Reduce4):
		return 15
	}
	return a.Lanes()
}

func (p *printer) vectorSrc(b *Bundle, a *ALU, i int) {
	s := &a.Src[i]
	if s.Reg == RegConst && b.HasConsts {
		p.vectorConst(b, a, i)
		return
	}
	p.str(p.regName(s.Reg, false))
	if s.Swizzle != XYZW || s.Expand != ExpandNone {
		p.byte('.')
		p.buf = appendSwizzle(p.buf, a.Mode, s, a.readLanes())
	}
	if i == 0 && (a.Op == OpIshladd || a.Op == OpIshlsub) {
		p.str(".x2")
	}
	p.srcMods(a, i, s.Expand.Widens())
}

func (p *printer) srcMods(a *ALU, i int, half bool) {
	s := &a.Src[i]
	if !a.Op.Is(FloatSrc) {
		if half {
			p.str(intMods[s.Mod&3])
		}
		return
	}
	if s.Mod&ModAbs != 0 {
		p.str(".abs")
	}
	if s.Mod&ModNeg != 0 {
		p.str(".neg")
	}
	if half {
		p.str(".widen")
	}
}

// appendSwizzle appends the letters of the elements that the lanes read.
func appendSwizzle(buf []byte, m Mode, s *Source, lanes uint16) []byte {
	for l := 0; l < m.Lanes(); l++ {
		if lanes>>l&1 == 0 {
			continue
		}
		if m != Mode64 {
			buf = append(buf, letters[s.Element(m, l)])
			continue
		}
		lo, hi := s.Swizzle.Lane(2*l), s.Swizzle.Lane(2*l+1)
		switch {
		case s.Expand == ExpandHigh || s.Expand == ExpandHighSwapped:
			buf = append(buf, letters[(s.Swizzle.Lane(2+l)+2)/2])
		case s.Expand.Widens():
			buf = append(buf, letters[s.Swizzle.Lane(l)/2])
		case lo&1 == 0 && hi == lo+1:
			buf = append(buf, 'X'+byte(lo/2))
		default:
			buf = append(buf, '[', letters[lo], letters[hi], ']')
		}
	}
	return buf
}

// Element is the element of the register that lane l of a vector operand reads,
// counted in elements of the mode's width, or half of it when the source is
// widened. In mode 64 it is the element of the lane's low word, counted in
// 64-bit elements, 32-bit ones when widened.
func (s *Source) Element(m Mode, l int) int {
	switch m {
	case Mode8:
		return halfBase(s.Expand, l >= 8, 8) + 2*s.Swizzle.Lane(l>>1) + l&1
	case Mode16:
		if !s.Expand.Widens() {
			return halfBase(s.Expand, l >= 4, 4) + s.Swizzle.Lane(l)
		}
		base := int(s.Expand&1) * 8
		if (l >= 4) != (s.Expand >= ExpandLowSwapped) {
			base += 4
		}
		return base + s.Swizzle.Lane(l)
	case Mode32:
		if s.Expand.Widens() {
			return int(s.Expand&1)*4 + s.Swizzle.Lane(l)
		}
		return s.Swizzle.Lane(l)
	}
	if s.Expand.Widens() {
		return int(s.Expand&1)*2 + s.Swizzle.Lane(2*l)/2
	}
	return s.Swizzle.Lane(2*l) / 2
}

// halfBase is where the elements of a half of an operand begin; n elements make
// a half.
func halfBase(e Expand, upper bool, n int) int {
	switch {
	case e == ExpandRepLow, e == ExpandNone && !upper, e == ExpandSwap && upper:
		return 0
	}
	return n
}

func (p *printer) scalarSrc(b *Bundle, a *ALU, i int) {
	s := &a.Src[i]
	if s.Reg == RegConst && b.HasConsts {
		p.scalarConst(b, a, i)
		return
	}
	p.str(p.regName(s.Reg, false))
	p.byte('.')
	c := s.Comp
	if s.Full {
		c >>= 1
	}
	p.byte(letters[c])
	p.srcMods(a, i, !s.Full)
}

// formatG formats as C's %g.
func formatG(v float64) string {
	switch {
	case math.IsNaN(v) && math.Signbit(v):
		return "-nan"
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// halfToFloat widens an IEEE half, exactly.
func halfToFloat(h uint16) float64 {
	sign, e, m := uint64(h>>15)<<63, int(h>>10&31), uint64(h&0x3ff)
	var v float64
	switch {
	case e == 31 && m != 0:
		return math.Float64frombits(sign | 0x7ff8<<48 | m<<42)
	case e == 31:
		v = math.Inf(1)
	case e == 0:
		v = math.Ldexp(float64(m), -24)
	default:
		v = math.Ldexp(float64(m|0x400), e-25)
	}
	return math.Float64frombits(math.Float64bits(v) | sign)
}
