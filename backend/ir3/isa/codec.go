package isa

import (
	"fmt"
	"sync"
)

func init() {
	for i := range opTable {
		info := &opTable[i]
		for _, f := range info.match {
			m := uint64(1)<<f.n - 1
			info.mask |= m << f.lo
			info.value |= f.v & m << f.lo
		}
	}
}

// candidates lists, by category and bits 58:53, the instructions that a word
// can be, those with more constant bits first. Compilers do not decode: it is made when it is first asked for.
var candidates = sync.OnceValue(func() *[8][64][]Op {
	var list [8][64][]Op
	for i := Op(1); i < NumOps; i++ {
		info := &opTable[i]
		for k := uint64(0); k < 64; k++ {
			if (info.value^k<<53)&info.mask&(63<<53) == 0 {
				c := &list[info.value>>61][k]
				*c = insertByBits(*c, i)
			}
		}
	}
	return &list
})

func insertByBits(list []Op, o Op) []Op {
	at := len(list)
	for at > 0 && popcount(opTable[list[at-1]].mask) < popcount(opTable[o].mask) {
		at--
	}
	list = append(list, 0)
	copy(list[at+1:], list[at:])
	list[at] = o
	return list
}

func popcount(x uint64) (n int) {
	for ; x != 0; x &= x - 1 {
		n++
	}
	return n
}

// raw holds the field values of one word.
type raw [numFields]uint64

// Unpack decodes one word. A word that is no instruction of the generation
// gives an OpRaw that keeps it, and an error; nothing panics.
func Unpack(gen Gen, w uint64) (Instr, error) {
	if gen != A6xx && gen != A7xx {
		return Instr{Op: OpRaw, Raw: w}, fmt.Errorf("ir3: %s is not supported", gen)
	}
	for _, o := range candidates()[w>>61][w>>53&63] {
		info := &opTable[o]
		if w&info.mask != info.value || !info.onGen(gen) {
			continue
		}
		in := Instr{Op: o}
		if info.unpack(&in, w) {
			return in, nil
		}
	}
	return Instr{Op: OpRaw, Raw: w}, fmt.Errorf("ir3: %#016x is no %s instruction", w, gen)
}

func (info *opInfo) unpack(in *Instr, w uint64) bool {
	var r raw
	x := xfer{dec: true, in: in, r: &r}
	x.common(&w)
	for _, f := range info.layout {
		r[f.id] = w >> (f.lo & 63) & (1<<(f.n&63) - 1)
		if f.id < numSimple {
			x.simple(f.id, f.n)
		}
	}
	x.form(info)
	return !x.bad
}

// Pack encodes an instruction. An operand, flag or value that the encoding
// has no room for is an error.
func Pack(gen Gen, in *Instr) (uint64, error) {
	if in.Op == OpRaw {
		return in.Raw, nil
	}
	if in.Op >= NumOps {
		return 0, fmt.Errorf("ir3: opcode %d does not exist", in.Op)
	}
	info := &opTable[in.Op]
	if !info.onGen(gen) || gen != A6xx && gen != A7xx {
		return 0, fmt.Errorf("ir3: %s does not exist on %s", in.Op, gen)
	}
	copyIn := *in
	var r raw
	x := xfer{in: &copyIn, r: &r}
	w := info.value
	x.common(&w)
	x.form(info)
	for _, f := range info.layout {
		if f.id < numSimple {
			x.simple(f.id, f.n)
		}
		w |= r[f.id] & (1<<(f.n&63) - 1) << (f.lo & 63)
	}
	back := Instr{Op: in.Op}
	if !info.unpack(&back, w) || back != *in {
		got := back // which moves to the heap here only
		return 0, fmt.Errorf("ir3: %s: %s", in.Op, difference(in, &got))
	}
	return w, nil
}

// difference names what of an instruction its encoding could not hold.
func difference(want, got *Instr) string {
	name := [...]string{"source 1", "source 2", "source 3", "source 4"}
	for i := range want.Srcs {
		if want.Srcs[i] != got.Srcs[i] {
			return fmt.Sprintf("%s %s cannot be encoded", name[i], operandText(want.Op, want.Srcs[i]))
		}
	}
	for _, c := range []struct {
		ok   bool
		what string
		v    any
	}{
		{want.Dst == got.Dst, "destination", operandText(want.Op, want.Dst)},
		{want.Flags == got.Flags, "flag set", fmt.Sprintf("%#x (the encoding keeps %#x)", want.Flags, got.Flags)},
		{want.Repeat == got.Repeat, "repeat count", want.Repeat},
		{want.Nop == got.Nop, "nop count", want.Nop},
		{want.Cond == got.Cond, "condition", want.Cond},
		{want.Type == got.Type, "type", want.Type},
		{want.SrcType == got.SrcType, "source type", want.SrcType},
		{want.Mode == got.Mode, "descriptor mode", want.Mode},
		{want.Set == got.Set, "descriptor set", want.Set},
		{want.Size == got.Size, "size", want.Size},
		{want.Off == got.Off, "offset", want.Off},
	} {
		if !c.ok {
			return fmt.Sprintf("%s %v cannot be encoded", c.what, c.v)
		}
	}
	return fmt.Sprintf("it cannot be encoded, the nearest is %s", got.Text(A6xx))
}

// operandText is an operand as assembly has it.
func operandText(op Op, o Operand) string {
	p := printer{in: &Instr{Op: op}, info: &opTable[op], gen: A6xx}
	p.operand(o, immInt)
	if len(p.b) == 0 {
		return "(none)"
	}
	return string(p.b)
}

// xfer moves values between an instruction and field values: one description
// serves both directions.
type xfer struct {
	dec bool
	bad bool
	in  *Instr
	r   *raw
}

// common transfers the bits that all instructions have.
func (x *xfer) common(w *uint64) {
	x.always(w, fSY, 60, SY)
	x.always(w, fJP, 59, JP)
}

func (x *xfer) always(w *uint64, id fieldID, lo uint8, f Flags) {
	if x.dec {
		x.r[id] = *w >> (lo & 63) & 1
	}
	x.flag(id, f)
	if !x.dec {
		*w |= x.r[id] << (lo & 63)
	}
}

var flagOf = [numSimple]Flags{fSY: SY, fSS: SS, fJP: JP, fEQ: EQ, fUL: UL, fEI: EI, fSat: Sat, fTyped: Typed,
	fUniform: Uniform, fSigned: Signed, fHigh: High, f3D: Tex3D, fA: TexA, fO: TexO, fClp: TexClp, fP: TexP, fS: TexS,
	fG: BarG, fL: BarL, fR: BarR, fW: BarW}

// simple transfers a field that depends on no other; n is its width.
func (x *xfer) simple(id fieldID, n uint8) {
	in := x.in
	if f := flagOf[id]; f != 0 {
		x.flag(id, f)
		return
	}
	switch id {
	case fRepeat:
		xnum(x, id, &in.Repeat)
	case fTarget:
		xsigned(x, id, &in.Target, 32)
	case fPred1:
		x.pred(id, &in.Srcs[0])
	case fPred2:
		x.pred(id, &in.Srcs[1])
	case fIndex:
		xnum(x, id, &in.Index)
	case fType:
		xnum(x, id, &in.Type)
	case fSrcType:
		xnum(x, id, &in.SrcType)
	case fCond:
		xnum(x, id, &in.Cond)
		x.bad = x.bad || in.Cond > CondNE
	case fRound:
		xnum(x, id, &in.Round)
	case fDst:
		x.reg(id, &in.Dst)
	case fReg1, fReg2, fReg3, fReg4:
		x.reg(id, &in.Srcs[id-fReg1])
	case fImm1, fImm2:
		x.kind(id, &in.Srcs[id-fImm1], Imm)
	case fConst1:
		x.kind(id, &in.Srcs[0], Const)
	case fConstDst:
		x.constDst()
	case fOffS:
		xsigned(x, id, &in.Off, n)
	case fOffU:
		xnum(x, id, &in.Off)
	case fOffLo, fOffHi:
		x.split(id, &in.Off, true)
	case fStscLo, fStscHi:
		in.Dst.Kind = ConstDst
		x.split(id, &in.Dst.Val, false)
	case fShift:
		xnum(x, id, &in.Shift)
	case fSize:
		xnum(x, id, &in.Size)
	case fSize1:
		xminus1(x, id, &in.Size)
	case fDims1:
		xminus1(x, id, &in.Dims)
	case fWrMask:
		xnum(x, id, &in.WrMask)
	}
}

type integer interface {
	~uint8 | ~uint16 | ~int32
}

func xnum[T integer](x *xfer, id fieldID, p *T) {
	if x.dec {
		*p = T(x.r[id])
	} else {
		x.r[id] = uint64(*p)
	}
}

func xminus1[T integer](x *xfer, id fieldID, p *T) {
	if x.dec {
		*p = T(x.r[id]) + 1
	} else {
		x.r[id] = uint64(*p - 1)
	}
}

func xsigned(x *xfer, id fieldID, p *int32, n uint8) {
	if x.dec {
		*p = signExtend(x.r[id], n)
	} else {
		x.r[id] = uint64(uint32(*p))
	}
}

func signExtend(v uint64, n uint8) int32 { return int32(uint32(v)<<(32-n)) >> (32 - n) }

// split transfers a 13-bit number kept as low 8 and high 5 bits; the low part
// comes after the high one in the layouts.
func (x *xfer) split(id fieldID, p *int32, signed bool) {
	hi, lo := fOffHi, fOffLo
	if !signed {
		hi, lo = fStscHi, fStscLo
	}
	switch {
	case !x.dec:
		x.r[hi], x.r[lo] = uint64(uint32(*p))>>8, uint64(*p&0xff)
	case id == lo && signed:
		*p = signExtend(x.r[hi]<<8|x.r[lo], 13)
	case id == lo:
		*p = int32(x.r[hi]<<8 | x.r[lo])
	}
}

func (x *xfer) flag(id fieldID, f Flags) {
	switch {
	case !x.dec:
		x.r[id] = 0
		if x.in.Flags&f != 0 {
			x.r[id] = 1
		}
	case x.r[id] != 0:
		x.in.Flags |= f
	}
}

func (x *xfer) opFlag(id fieldID, o *Operand, f OpFlags) {
	switch {
	case !x.dec:
		x.r[id] = 0
		if o.Flags&f != 0 {
			x.r[id] = 1
		}
	case x.r[id] != 0:
		o.Flags |= f
	}
}

func (x *xfer) reg(id fieldID, o *Operand) {
	if x.dec {
		*o = Operand{Kind: Reg, Flags: o.Flags, Val: int32(x.r[id])}
	} else {
		x.r[id] = uint64(o.Val)
	}
}

// kind turns the register that was decoded before into another kind.
func (x *xfer) kind(id fieldID, o *Operand, k Kind) {
	if !x.dec {
		x.r[id] = 0
		if o.Kind == k {
			x.r[id] = 1
		}
	} else if x.r[id] != 0 {
		o.Kind = k
	}
}

func (x *xfer) pred(id fieldID, o *Operand) {
	if !x.dec {
		x.r[id] = uint64(o.Val-P0) & 3 << 1
		if o.Flags&Inv != 0 {
			x.r[id] |= 1
		}
		return
	}
	*o = P(int(x.r[id] >> 1))
	if x.r[id]&1 != 0 {
		o.Flags = Inv
	}
}

func (x *xfer) constDst() {
	o := &x.in.Dst
	if !x.dec {
		x.r[fConstDst] = uint64(o.Val) & 0xff
		if o.Kind == ConstA1 {
			x.r[fConstDst] |= 0x100
		}
		return
	}
	*o = Operand{Kind: ConstDst, Val: int32(x.r[fConstDst] & 0xff)}
	if x.r[fConstDst]&0x100 != 0 {
		o.Kind = ConstA1
	}
}
