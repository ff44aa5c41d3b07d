package isa

import (
	"encoding/binary"
	"math"
	"strconv"
)

// hexOp reports whether integer constants of the operation print in hex: the
// logic operations.
func hexOp(o Op) bool { return o >= 0x70 && o <= 0x7a }

// constElement formats element i of width bits of the constants; zext says
// that the source is widened as unsigned.
func constElement(c []byte, a *ALU, mod Mod, zext bool, bits, i int) string {
	var v uint64
	at := i * bits / 8
	for k := bits/8 - 1; k >= 0; k-- {
		v <<= 8
		if at+k < len(c) {
			v |= uint64(c[at+k])
		}
	}
	switch {
	case bits == 8:
		return "0x" + upperHex(v)
	case a.Op.Is(FloatSrc):
		return floatConst(v, bits, mod)
	case hexOp(a.Op):
		return "0x" + upperHex(v)
	case a.Op.Is(Unsigned) || zext:
		return strconv.FormatUint(v, 10)
	}
	return strconv.FormatInt(signExtend(v, uint8(bits)), 10)
}

func upperHex(v uint64) string {
	var buf [16]byte
	n := len(buf)
	for {
		n--
		buf[n] = "0123456789ABCDEF"[v&15]
		if v >>= 4; v == 0 {
			return string(buf[n:])
		}
	}
}

func floatConst(v uint64, bits int, mod Mod) string {
	var f float64
	switch bits {
	case 16:
		f = halfToFloat(uint16(v))
	case 32:
		// Widening keeps a NaN's sign.
		f = float64(math.Float32frombits(uint32(v)))
		if f != f {
			f = math.Copysign(f, float64(int32(v)))
		}
	default:
		f = math.Float64frombits(v)
	}
	if mod&ModAbs != 0 {
		f = math.Abs(f)
	}
	if mod&ModNeg != 0 {
		f = math.Float64frombits(math.Float64bits(f) ^ 1<<63)
	}
	return formatG(f)
}

// constLanes lists the elements that a vector operand's constants show, as the
// reference shows them, which in the upper half of 16-bit elements, and for the
// upper half when widened, is not what the instruction reads.
func constLanes(a *ALU, s *Source, list []int) (elems []int, bits int) {
	m := a.Mode
	half := s.Expand.Widens()
	if half && m > Mode8 {
		m--
	}
	lanes := a.readLanes()
	if !a.Op.Is(Reduce) {
		lanes = (&ALU{Mode: m, Mask: a.Mask}).Lanes()
	}
	for l := 0; l < m.Lanes(); l++ {
		if lanes>>l&1 == 0 {
			continue
		}
		e := s.Swizzle.Lane(l)
		switch m {
		case Mode8:
			e = 2*s.Swizzle.Lane(l>>1) + l&1
			if !half {
				e += halfBase(s.Expand, l >= 8, 8)
			}
		case Mode16:
			if l >= 4 {
				e = 0
			}
			if !half {
				e += halfBase(s.Expand, l >= 4, 4)
			}
		case Mode64:
			e = s.Swizzle.Lane(2*l) / 2
		}
		list = append(list, e)
	}
	return list, m.Bits()
}

func (p *printer) vectorConst(b *Bundle, a *ALU, i int) {
	s := &a.Src[i]
	var buf [16]int
	elems, bits := constLanes(a, s, buf[:0])
	zext := s.Expand.Widens() && s.Mod == ModZext
	if len(elems) == 1 {
		p.byte('#')
		p.str(constElement(b.Consts[:], a, s.Mod, zext, bits, elems[0]))
		return
	}
	p.byte('<')
	for k, e := range elems {
		if k > 0 {
			p.str(", ")
		}
		p.str(constElement(b.Consts[:], a, s.Mod, zext, bits, e))
	}
	p.byte('>')
}

// scalarConst prints what the reference prints: a 32-bit constant's component
// c is looked up as element 2c, after the constants for z and w. Full text shows
// the constant that is read.
func (p *printer) scalarConst(b *Bundle, a *ALU, i int) {
	c := append(b.Consts[:len(b.Consts):len(b.Consts)], p.after...)
	p.byte('#')
	p.str(scalarConstText(c, a, &a.Src[i], p.opt.Full))
}

func (p *printer) constLine(b *Bundle) {
	p.str("uconstants ")
	for i := 0; i < Quad; i += 4 {
		if i > 0 {
			p.str(", ")
		}
		p.str("0x" + upperHex(uint64(binary.LittleEndian.Uint32(b.Consts[i:]))))
	}
}
