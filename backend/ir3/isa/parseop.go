package isa

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tex parses what printer.tex prints.
func (p *parser) tex() error {
	in, info := p.in, p.info
	p.optFlag(".3d", Tex3D)
	p.optFlag(".a", TexA)
	p.optFlag(".o", TexO)
	if in.Op == OpIsam {
		p.optFlag(".v", TexS)
	} else {
		p.optFlag(".p", TexP)
		if !strings.HasPrefix(p.rest(), ".s2en") {
			p.optFlag(".s", TexS)
		}
	}
	s2en, nonuniform := false, false
	if info.tex {
		if s2en = p.accept(".s2en"); s2en {
			if nonuniform = p.accept(".nonuniform"); !nonuniform && !p.accept(".uniform") {
				return errors.New(".uniform or .nonuniform is expected")
			}
		}
		if err := p.base(); err != nil {
			return err
		}
	}
	p.optFlag(".1d", Tex1D)
	p.optFlag(".clp", TexClp)
	if !strings.HasPrefix(p.rest(), " ") {
		return fmt.Errorf("unexpected %q", p.rest())
	}
	p.space()
	if info.typed {
		if err := p.typ5(); err != nil {
			return err
		}
	}
	err := p.mask()
	if err == nil {
		in.Dst, err = p.operand(immNone)
	}
	if err != nil {
		return err
	}
	if !info.typed && !in.Dst.IsHalf() {
		in.Type = F32
	}
	return p.texSources(s2en, nonuniform)
}

// texSources parses the operands after the destination.
func (p *parser) texSources(s2en, nonuniform bool) error {
	in, info := p.in, p.info
	n := int(info.nsrc)
	if in.Flags&(TexO|TexClp) != 0 {
		n = 2
	}
	for k := 0; k < n; k++ {
		if err := p.comma(); err != nil {
			return err
		}
		var err error
		if in.Srcs[k], err = p.operand(immNone); err != nil {
			return err
		}
		if k == 0 && in.Op == OpIsam && p.accept("+") {
			v, err := p.ranged(0, 255)
			if err != nil {
				return err
			}
			in.Off = int32(v)
			in.Flags |= TexP
		}
	}
	if !info.tex {
		return nil
	}
	return p.texIndex(s2en, nonuniform)
}

func (p *parser) comma() error {
	p.space()
	err := p.literal(",")
	p.space()
	return err
}

func (p *parser) texIndex(s2en, nonuniform bool) error {
	in := p.in
	a1 := false
	for p.pos < len(p.s) {
		if err := p.comma(); err != nil {
			return err
		}
		var err error
		v := int64(0)
		switch {
		case p.accept("s#"):
			v, err = p.ranged(0, 255)
			in.Samp = uint8(v)
		case p.accept("t#"):
			v, err = p.ranged(0, 255)
			in.Tex = uint8(v)
		case p.accept("a1.x"):
			a1 = true
		case s2en && in.Srcs[2].Kind == None:
			in.Srcs[2], err = p.operand(immNone)
		default:
			err = errors.New("s#n, t#n or a1.x is expected")
		}
		if err != nil {
			return err
		}
		p.space()
	}
	in.Mode = texMode(s2en, nonuniform, in.Set > 0, a1)
	if in.Mode == TexBindlessA1Imm {
		in.Tex, in.Samp = in.Tex|in.Samp, 0
	}
	if a1 && in.Set == 0 {
		return errors.New("a1.x needs .base")
	}
	return nil
}

func texMode(s2en, nonuniform, bindless, a1 bool) Mode {
	switch {
	case !s2en && !bindless:
		return TexDirect
	case !s2en && a1:
		return TexBindlessA1Imm
	case !s2en:
		return TexBindlessImm
	case !bindless && nonuniform:
		return TexNonuniform
	case !bindless:
		return TexUniform
	case a1 && nonuniform:
		return TexBindlessA1Nonu
	case a1:
		return TexBindlessA1
	case nonuniform:
		return TexBindlessNonu
	}
	return TexBindlessUniform
}

var operandMods = [...]struct {
	text string
	f    OpFlags
}{{"(last)", Last}, {"(neg)", Neg}, {"(absneg)", AbsNeg}, {"(abs)", Abs}, {"(r)", Rpt}, {"!", Inv}}

// operand parses any operand; class says what a bare number means. The
// (ei) mark of a destination is consumed as the instruction flag it is.
func (p *parser) operand(class immClass) (Operand, error) {
	var mods OpFlags
again:
	for _, m := range operandMods {
		if p.accept(m.text) {
			mods |= m.f
			goto again
		}
	}
	o, err := p.bare(class)
	o.Flags |= mods
	return o, err
}

func (p *parser) bare(class immClass) (Operand, error) {
	if class == immMov || class == immAlias {
		if o, ok, err := p.typedImm(class); ok {
			return o, err
		}
	}
	half := OpFlags(0)
	if p.accept("h") {
		half = Half
	}
	switch {
	case p.accept("("):
		o, err := p.parenImm()
		o.Flags |= half
		return o, err
	case p.accept("c["):
		return p.constDst()
	case p.accept("rt"):
		v, err := p.vec()
		return Operand{Kind: RT, Val: v}, err
	case p.accept("r<a0.x"):
		return p.rel(RelReg, half)
	case p.accept("c<a0.x"):
		return p.rel(RelConst, half)
	case p.accept("r"):
		v, err := p.vec()
		return Operand{Kind: Reg, Flags: half, Val: v}, err
	case p.accept("c"):
		v, err := p.vec()
		return Operand{Kind: Const, Flags: half, Val: v}, err
	case p.accept("a1.x"):
		return Operand{Kind: Reg, Flags: half, Val: A1}, nil
	case p.accept("a0."):
		c, err := p.comp()
		return Operand{Kind: Reg, Flags: half, Val: A0 + c}, err
	case p.accept("p0."):
		c, err := p.comp()
		return Operand{Kind: Reg, Flags: half, Val: P0 + c}, err
	}
	if class == immNone {
		return Operand{}, errors.New("a register is expected")
	}
	v, err := p.ranged(math.MinInt32, math.MaxUint32)
	if err != nil {
		err = errors.New("an operand is expected")
	}
	return I(int32(v)), err
}

// parenImm is a FLUT name or an integer of a half instruction, after "(".
func (p *parser) parenImm() (Operand, error) {
	for i, n := range flutNames {
		if p.accept(n + ")") {
			return F(i), nil
		}
	}
	v, err := p.ranged(-1024, 4095)
	if err == nil {
		err = p.literal(")")
	}
	return I(int32(v)), err
}

func (p *parser) comp() (int32, error) {
	if p.pos < len(p.s) {
		if i := strings.IndexByte("xyzw", p.s[p.pos]); i >= 0 {
			p.pos++
			return int32(i), nil
		}
	}
	return 0, errors.New("a component x y z w is expected")
}

func (p *parser) vec() (int32, error) {
	n, err := p.ranged(0, 511)
	if err != nil {
		return 0, errors.New("a register number is expected")
	}
	if err = p.literal("."); err != nil {
		return 0, err
	}
	c, err := p.comp()
	return int32(n)*4 + c, err
}

func (p *parser) rel(k Kind, half OpFlags) (Operand, error) {
	o := Operand{Kind: k, Flags: half}
	p.space()
	if !p.accept(">") {
		neg := p.accept("-")
		if !neg && !p.accept("+") {
			return o, errors.New("+ or > is expected")
		}
		p.space()
		v, err := p.ranged(-512, 511)
		if err != nil {
			return o, err
		}
		if neg {
			v = -v
		}
		o.Val = int32(v)
		p.space()
		return o, p.literal(">")
	}
	return o, nil
}

func (p *parser) constDst() (Operand, error) {
	o := Operand{Kind: ConstDst}
	if p.accept("a1.x") {
		o.Kind = ConstA1
		if p.accept("]") {
			return o, nil
		}
		p.accept("+")
	}
	v, err := p.ranged(0, 8191)
	if err == nil {
		err = p.literal("]")
	}
	o.Val = int32(v)
	return o, err
}

// typedImm is an immediate of mov or alias; false: it is something else.
func (p *parser) typedImm(class immClass) (Operand, bool, error) {
	t := p.in.SrcType
	if class == immAlias {
		t = p.in.Type
	}
	at := p.pos
	half := p.accept("h")
	if !p.accept("(") {
		p.pos = at
		return Operand{}, false, nil
	}
	i := strings.IndexByte(p.rest(), ')')
	if i < 0 {
		return Operand{}, true, errors.New("missing )")
	}
	text := p.rest()[:i]
	p.pos += i + 1
	if half != t.Half() {
		return Operand{}, true, errors.New("the immediate's size does not fit the type")
	}
	if v, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 32); strings.HasPrefix(text, "0x") && err == nil {
		return I(int32(uint32(v))), true, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return Operand{}, true, fmt.Errorf("bad float %q", text)
	case t == F16:
		return I(int32(floatToHalf(f))), true, nil
	case t == F32:
		return I(int32(math.Float32bits(float32(f)))), true, nil
	}
	return Operand{}, true, fmt.Errorf("%q is no integer", text)
}

// floatToHalf rounds to f16, nearest even.
func floatToHalf(f float64) uint16 {
	sign := uint16(math.Float64bits(f) >> 48 & 0x8000)
	a := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return 0x7e00
	case a >= 65520:
		return sign | 0x7c00
	case a < math.Ldexp(1, -14):
		return sign | uint16(math.RoundToEven(math.Ldexp(a, 24)))
	}
	frac, exp := math.Frexp(a) // a = frac * 2^exp, frac in [0.5, 1)
	m := uint16(math.RoundToEven(math.Ldexp(frac, 11)))
	return sign | (uint16(exp+13)<<10 + m)
}
