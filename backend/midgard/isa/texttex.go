package isa

import (
	"math"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

func (p *printer) texReg(input bool, sel uint8) {
	switch {
	case p.opt.Alias && input:
		p.str("R")
	case p.opt.Alias:
		p.str("AL")
	case input:
		p.str("AT")
	default:
		p.str("TA")
	}
	p.byte('0' + sel&1)
}

func (p *printer) selector(r TexReg) {
	p.texReg(true, r.Select)
	p.byte('.')
	c := r.Comp
	if r.Upper {
		c += 4
	}
	p.byte(letters[c])
	p.str([2]string{".16", ".32"}[b2i(r.Full)])
}

// texLine prints the instruction of a texture bundle.
func (p *printer) texLine(b *Bundle) {
	t := &b.Tex
	if t.Op == TexBarrier {
		p.barrierLine(b)
		return
	}
	p.str(t.Op.String())
	if b.Tag == TagTexVtx {
		p.str(".vtx")
	}
	if b.Tag == TagBarrier {
		p.str("/* nonbarrier had tex/bar tag */ ")
	}
	switch {
	case t.Op == TexDerivative && t.Mode <= TexDdy:
		p.str([2]string{".x", ".y"}[t.Mode])
	case t.Op != TexDerivative && (t.Mode == TexNormal || texModeNames[t.Mode&15] != ""):
		p.str(texModeNames[t.Mode])
	default:
		p.str("unk")
	}
	p.str(texDimNames[t.Dim&3])
	p.str([4]string{".reserved", ".skip", ".kill", ""}[t.Helpers&3])
	if t.OutOfOrder != 0 {
		p.printf(".ooo%d", t.OutOfOrder)
	}
	p.byte(' ')
	p.texDst(t)
	p.texHandles(t)
	p.texCoord(t)
	p.texLod(t)
	if (t.Unknown4 != 0 || t.Unknown8 != 0) && !p.opt.Full {
		p.printf("\n// unknown4 = 0x%x\n// unknown8 = 0x%x", t.Unknown8, t.Unknown4)
	}
}

// barrierZeros are the bits that a barrier has zero, in its own layout: 8:13 op,
// 14:15 zero, 16 and 17 one, 18:55 zero, 56:59 the count, the rest zero.
var barrierZeros = [...]struct {
	name  string
	lo, n uint8
}{{"zero1", 14, 2}, {"zero2", 18, 38}, {"zero3", 60, 4}, {"zero4", 64, 63}}

func (p *printer) barrierLine(b *Bundle) {
	t := &b.Tex
	p.str("BARRIER")
	if b.Tag != TagBarrier {
		p.printf("/* barrier tag %d != tex/bar */ ", b.Tag)
	}
	var w word
	if packFields(t, textureFields, &w) == nil {
		for _, z := range barrierZeros {
			if v := w.get(z.lo, z.n); v != 0 {
				p.printf("/* %s = 0x%X */ ", z.name, v)
			}
		}
	}
	if t.OutOfOrder != 0 {
		p.printf(".ooo%d", t.OutOfOrder)
	}
}

func (p *printer) texDst(t *Texture) {
	p.texReg(false, t.Dst)
	switch {
	case t.Mask == 15:
		if t.Upper {
			p.byte('\'')
		}
	default:
		p.byte('.')
		for i := 0; i < 4; i++ {
			if t.Mask>>i&1 != 0 {
				p.byte(letters[i+4*b2i(t.Upper)])
			}
		}
	}
	float := t.Type == TexTypeFloat
	p.byte('.')
	p.byte("if"[b2i(float)])
	p.str([2]string{"16", "32"}[b2i(t.Full)])
	if float {
		p.str(floatOut[t.Out&3])
	}
}

func (p *printer) texHandles(t *Texture) {
	handle := func(reg bool, v uint16) {
		if !reg {
			p.str(itoa(int(v)))
			return
		}
		p.byte('[')
		p.selector(TexSelector(v))
		p.byte(']')
	}
	p.str(", texture")
	handle(t.TextureReg, t.Texture)
	p.str(", ")
	p.byte("?fui"[t.Type&3])
	p.str("sampler")
	handle(t.SamplerReg, t.Sampler)
	if t.Swizzle != XYZW {
		p.byte('.')
		p.fourLetters(t.Swizzle, false)
	}
}

func (p *printer) fourLetters(s Swizzle, upper bool) {
	for i := 0; i < 4; i++ {
		p.byte(letters[s.Lane(i)+4*b2i(upper)])
	}
}

func (p *printer) texCoord(t *Texture) {
	p.str(", ")
	p.texReg(true, t.CoordSel)
	if t.CoordSwizzle != XYZW || t.CoordUpper {
		p.byte('.')
		p.fourLetters(t.CoordSwizzle, t.CoordUpper)
	}
	p.str([2]string{".16", ".32"}[b2i(t.CoordFull)])
	switch {
	case t.OffsetReg:
		r, s := t.OffsetRegister()
		p.str(" + ")
		p.texReg(true, r.Select)
		p.byte('.')
		p.fourLetters(s, r.Upper)
		p.str([2]string{".16", ".32"}[b2i(r.Full)])
	case t.Offset != 0:
		p.printf(" + <%d, %d, %d>", t.Offset&15, t.Offset>>4&15, t.Offset>>8&15)
	}
	p.str(", ")
}

func (p *printer) texLod(t *Texture) {
	op := byte('+')
	if t.Op == TexSampleLod || t.Op == TexFetch {
		op = '='
	}
	switch {
	case t.LodReg:
		p.printf("lod %c ", op)
		p.selector(TexSelector(t.Lod & 0xff))
		if t.Lod>>8 != 0 {
			p.printf(" /* bias_int = 0x%X */", t.Lod>>8)
		}
	case t.Op == TexFetch:
		if t.Lod>>8 != 0 {
			p.printf(" /* bias_int = 0x%X */ ", t.Lod>>8)
		}
		p.printf("lod = %d", t.Lod&0xff)
	case t.Lod != 0:
		v := t.LodValue()
		if v < 0 && op == '+' {
			op = '-'
		}
		v = math.Abs(v) // also after "=", where the sign is lost
		p.printf("lod %c %f", op, v)
	}
	if t.LodReg || t.Op == TexFetch || t.Lod != 0 {
		p.str(", ")
	}
}
