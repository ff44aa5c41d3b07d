package isa

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"nirc/internal/lazy"
)

// elem is one piece of an instruction's text: a literal or a part.
type elem struct {
	lit  string
	part part
}

type part uint8

const (
	pLit part = iota
	pDst
	pDstQuiet
	pSrc1
	pSrc2
	pSrc3
	pSrc4
	pSrc1Quiet
	pSrc2Quiet
	pConstDst
	pTarget
	pIndex
	pSrcType
	pDstType
	pType // data type; it sizes the data operands
	pType5
	pType6
	pRound
	pCond
	pEI
	pMsk
	pSign
	pPack
	pTex
	pMask
	pCluster
	pOff     // +4, -4 or nothing
	pOffBare // 4
	pOffReg6
	pSize
	pTyped
	pDims
	pMode
	pBase
	pUniform
	pGLRW
	pScope
	pAliasType
)

// partNames are the names of parts in the table's text column.
var partNames = lazy.Value[map[string]part]{Make: func() map[string]part {
	return map[string]part{
		"dst": pDst, "dstn": pDstQuiet, "1": pSrc1, "2": pSrc2, "3": pSrc3, "4": pSrc4, "1n": pSrc1Quiet, "2n": pSrc2Quiet,
		"cdst": pConstDst, "target": pTarget, "index": pIndex, "st": pSrcType, "dt": pDstType, "type": pType, "type5": pType5,
		"type6": pType6, "round": pRound, "cond": pCond, "ei": pEI, "msk": pMsk, "sign": pSign, "pack": pPack, "tex": pTex,
		"mask": pMask, "cluster": pCluster, "+off": pOff, "off": pOffBare, "offreg6": pOffReg6, "size": pSize, "typed": pTyped,
		"dims": pDims, "mode": pMode, "base": pBase, ".u": pUniform, "grlw": pGLRW, "scope": pScope, "atype": pAliasType,
	}
}}

// texts are the text columns in their parts. Compilers do not write text: they are made when they are first asked for.
var texts = sync.OnceValue(func() *[NumOps][]elem {
	var list [NumOps][]elem
	for i := range opTable {
		list[i] = compileText(opTable[i].text)
	}
	return &list
})

// compileText splits a text column: {part} is a part, all else is literal.
func compileText(s string) (list []elem) {
	for s != "" {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			return append(list, elem{lit: s})
		}
		if i > 0 {
			list = append(list, elem{lit: s[:i]})
		}
		j := strings.IndexByte(s, '}')
		p, ok := partNames.Get()[s[i+1:j]]
		if !ok {
			panic("isa: the table names an unknown text part " + s[i:j+1])
		}
		list = append(list, elem{part: p})
		s = s[j+1:]
	}
	return list
}

// Text returns the instruction as the reference disassembler writes it on a
// generation (it matters for the a1.x texture forms only).
func (in *Instr) Text(gen Gen) string { return string(in.AppendText(nil, gen)) }

// String returns the text on a6xx.
func (in Instr) String() string { return in.Text(A6xx) }

// AppendText appends the instruction's text to b.
func (in *Instr) AppendText(b []byte, gen Gen) []byte {
	if in.Op == OpRaw || in.Op >= NumOps {
		b = append(b, "raw 0x"...)
		h := strings.ToUpper(strconv.FormatUint(in.Raw, 16))
		return append(append(b, "0000000000000000"[len(h):]...), h...)
	}
	info := &opTable[in.Op]
	p := printer{in: in, info: info, gen: gen, b: b}
	p.prefix()
	p.b = append(p.b, info.name...)
	for _, e := range texts()[in.Op] {
		if e.part == pLit {
			p.b = append(p.b, e.lit...)
		} else {
			p.part(e.part)
		}
	}
	return p.b
}

type printer struct {
	in   *Instr
	info *opInfo
	gen  Gen
	b    []byte
}

func (p *printer) str(s string) { p.b = append(p.b, s...) }
func (p *printer) num(v int64)  { p.b = strconv.AppendInt(p.b, v, 10) }
func (p *printer) opt(c bool, s string) {
	if c {
		p.str(s)
	}
}

// prefixFlags are the flags before a mnemonic, in printing order.
var prefixFlags = [...]struct {
	f    Flags
	text string
}{{SY, "(sy)"}, {SS, "(ss)"}, {EQ, "(eq)"}, {JP, "(jp)"}, {Sat, "(sat)"}}

func (p *printer) prefix() {
	in := p.in
	for _, f := range prefixFlags {
		if in.Flags&f.f != 0 {
			p.str(f.text)
		}
	}
	switch {
	case in.Repeat > 0:
		p.str("(rpt")
		p.num(int64(in.Repeat))
		p.str(")")
	case in.Nop > 0:
		p.str("(nop")
		p.num(int64(in.Nop))
		p.str(") ")
	}
	if in.Flags&UL != 0 {
		p.str("(ul)")
	}
}

func (p *printer) part(id part) {
	in := p.in
	switch id {
	case pDst:
		p.operand(in.Dst, immNone)
	case pDstQuiet:
		p.operand(quiet(in.Dst), immNone)
	case pSrc1, pSrc2, pSrc3, pSrc4:
		p.operand(in.Srcs[id-pSrc1], p.info.imm)
	case pSrc1Quiet, pSrc2Quiet:
		p.operand(quiet(in.Srcs[id-pSrc1Quiet]), p.info.imm)
	case pConstDst:
		p.operand(in.Dst, immNone)
	case pTarget:
		p.str("#")
		p.num(int64(in.Target))
	case pIndex:
		p.num(int64(in.Index))
	case pSrcType:
		p.str(in.SrcType.String())
	case pDstType, pType:
		p.str(in.Type.String())
	case pType5:
		p.str("(" + in.Type.String() + ")")
	case pType6:
		p.type6()
	case pRound:
		p.str(roundNames[in.Round&3])
	case pCond:
		p.str(in.Cond.String())
	case pEI:
		p.flag(EI, "(ei)")
	case pMsk:
		p.num(int64(in.Size) * 32)
	case pSign:
		p.either(Signed, "mixed", "unsigned")
	case pPack:
		p.either(High, "high", "low")
	default:
		p.part2(id)
	}
}

func (p *printer) part2(id part) {
	in := p.in
	switch id {
	case pTex:
		p.tex()
	case pMask:
		p.mask()
	case pCluster:
		p.num(int64(2) << in.Index)
	case pOff:
		p.off()
	case pOffBare:
		p.num(int64(in.Off))
	case pOffReg6:
		p.offReg6()
	case pSize:
		p.num(int64(in.Size))
	case pTyped:
		p.either(Typed, "typed", "untyped")
	case pDims:
		p.num(int64(in.Dims))
	case pMode:
		p.str(modeNames[in.Mode&3])
	case pBase:
		p.base()
	case pUniform:
		p.flag(Uniform, ".u")
	case pGLRW:
		p.flag(BarG, ".g")
		p.flag(BarL, ".l")
		p.flag(BarR, ".r")
		p.flag(BarW, ".w")
	case pScope:
		p.str(scopeNames[in.Scope&3])
	case pAliasType:
		p.str(aliasTypes[in.Type&3])
	}
}

var (
	modeNames = [...]string{"imm", "uniform", "nonuniform", "mode?"}
	// aliasTypes are the types of alias by Type F16, F32, U16, U32.
	aliasTypes = [...]string{"f16", "f32", "b16", "b32"}
	scopeNames = [...]string{"tex", "rt", "mem", "mem"}
)

func (p *printer) flag(f Flags, s string) {
	if p.in.Flags&f != 0 {
		p.str(s)
	}
}

func (p *printer) either(f Flags, yes, no string) {
	if p.in.Flags&f != 0 {
		p.str(yes)
	} else {
		p.str(no)
	}
}

// type6 is the type of an atomic or descriptor access, where code 6 is u64
// in atomics.
func (p *printer) type6() {
	in := p.in
	if in.Type == U64 && in.Op.IsAtomic() {
		p.str("u64")
		return
	}
	p.str(in.Type.String())
}

// IsAtomic reports whether o is an atomic operation on any memory.
func (o Op) IsAtomic() bool {
	return o >= OpAtomicLAdd && o <= OpAtomicGXor || o >= OpAtomicBAdd && o <= OpAtomicBXor
}

// IsExchange reports whether an atomic puts a value in place of another, if need be only of one that it compares with.
func (o Op) IsExchange() bool {
	switch o {
	case OpAtomicLXchg, OpAtomicLCmpxchg, OpAtomicBXchg, OpAtomicBCmpxchg, OpAtomicGXchg, OpAtomicGCmpxchg:
		return true
	}
	return false
}

func (p *printer) off() {
	if p.in.Off > 0 {
		p.str("+")
	}
	if p.in.Off != 0 {
		p.num(int64(p.in.Off))
	}
}

// offReg6 is a6xx's offset register: (r1.x+1)<<2 or r1.x<<4+1<<2.
func (p *printer) offReg6() {
	in := p.in
	reg := in.Srcs[1]
	if in.Op == OpStgA6 {
		reg = in.Srcs[2]
	}
	if in.Shift == 0 {
		p.str("(")
		p.operand(reg, immNone)
		p.off()
		p.str(")<<2")
		return
	}
	p.operand(reg, immNone)
	p.str("<<")
	p.num(int64(in.Shift) + 2)
	if in.Off != 0 {
		p.off()
		p.str("<<2")
	}
}

func (p *printer) base() {
	if p.in.Set > 0 {
		p.str(".base")
		p.num(int64(p.in.Set) - 1)
	}
}

func (p *printer) mask() {
	p.str("(")
	for i := 0; i < 4; i++ {
		if p.in.WrMask>>i&1 != 0 {
			p.b = append(p.b, "xyzw"[i])
		}
	}
	p.str(")")
}

// tex is everything after the mnemonic of a category 5 instruction.
func (p *printer) tex() {
	in, info := p.in, p.info
	p.flag(Tex3D, ".3d")
	p.flag(TexA, ".a")
	p.flag(TexO, ".o")
	if in.Op == OpIsam {
		p.flag(TexS, ".v")
	} else {
		p.flag(TexP, ".p")
		p.flag(TexS, ".s")
	}
	if info.tex {
		if in.Mode <= TexBindlessA1Imm {
			p.str(texModeNames[in.Mode])
		}
		p.base()
	}
	p.flag(Tex1D, ".1d")
	p.flag(TexClp, ".clp")
	p.str(" ")
	if info.typed {
		p.str("(" + in.Type.String() + ")")
	}
	p.mask()
	p.operand(in.Dst, immNone)
	for i := 0; i < 2; i++ {
		if in.Srcs[i].Kind != None {
			p.str(", ")
			p.operand(in.Srcs[i], immNone)
		}
		if i == 0 && in.Op == OpIsam && in.Flags&TexP != 0 {
			p.str("+")
			p.num(int64(in.Off))
		}
	}
	if info.tex {
		p.texIndex()
	}
}

var texModeNames = [TexBindlessA1Imm + 1]string{TexUniform: ".s2en.uniform", TexBindlessA1: ".s2en.uniform",
	TexBindlessNonu: ".s2en.nonuniform", TexBindlessA1Nonu: ".s2en.nonuniform", TexNonuniform: ".s2en.nonuniform",
	TexBindlessUniform: ".s2en.uniform"}

func (p *printer) texIndex() {
	in := p.in
	samp, tex := p.info.samp, true
	s, t := int64(in.Samp), int64(in.Tex)
	switch in.Mode {
	case TexDirect, TexBindlessImm:
	case TexBindlessA1Imm:
		samp, tex = p.info.samp && p.gen == A6xx, p.gen == A7xx
		s = t
	default:
		samp, tex = false, false
		p.str(", ")
		p.operand(in.Srcs[2], immNone)
	}
	if samp {
		p.str(", s#")
		p.num(s)
	}
	if tex {
		p.str(", t#")
		p.num(t)
	}
	if in.Mode == TexBindlessA1 || in.Mode == TexBindlessA1Nonu || in.Mode == TexBindlessA1Imm {
		p.str(", a1.x")
	}
}

func quiet(o Operand) Operand { o.Flags &^= Half; return o }

// operand prints a source or destination.
func (p *printer) operand(o Operand, class immClass) {
	if o.Flags&Inv != 0 {
		p.str("!")
	}
	if o.Flags&Last != 0 {
		p.str("(last)")
	}
	switch o.Flags & AbsNeg {
	case Neg:
		p.str("(neg)")
	case Abs:
		p.str("(abs)")
	case AbsNeg:
		p.str("(absneg)")
	}
	if o.Flags&Rpt != 0 {
		p.str("(r)")
	}
	if o.Kind == Imm {
		p.imm(o, class)
		return
	}
	if o.IsHalf() {
		p.str("h")
	}
	switch o.Kind {
	case Reg:
		p.str(regName(o.Val))
	case Const:
		p.str("c")
		p.vec(o.Val)
	case RelReg, RelConst:
		if o.Kind == RelReg {
			p.str("r<a0.x")
		} else {
			p.str("c<a0.x")
		}
		if o.Val != 0 || p.info.form == formMad || p.info.form == formAlt || p.info.form == formDot {
			p.str(" + ")
			p.num(int64(o.Val))
		}
		p.str(">")
	case FLUT:
		p.str("(" + flutName(o.Val) + ")")
	case ConstDst:
		p.str("c[")
		p.num(int64(o.Val))
		p.str("]")
	case ConstA1:
		p.str("c[a1.x")
		if o.Val != 0 {
			p.str("+")
			p.num(int64(o.Val))
		}
		p.str("]")
	case RT:
		p.str("rt")
		p.vec(o.Val)
	}
}

func (p *printer) vec(v int32) {
	p.num(int64(v >> 2))
	p.b = append(p.b, '.', "xyzw"[v&3])
}

func (p *printer) imm(o Operand, class immClass) {
	v := o.Val
	switch class {
	case immMov:
		p.movImm(v)
	case immAlias:
		p.opt(p.in.Type.Half(), "h")
		if p.in.Type.Float() {
			p.str("(")
			p.float(v, p.in.Type)
			p.str(")")
		} else {
			p.str("(0x" + strconv.FormatUint(uint64(uint32(v)), 16) + ")")
		}
	default:
		if o.IsHalf() {
			p.str("h(")
			p.num(int64(v))
			p.str(")")
		} else {
			p.num(int64(v))
		}
	}
}

func (p *printer) float(v int32, t Type) {
	f := float64(math.Float32frombits(uint32(v)))
	if t == F16 {
		f = halfToFloat(uint16(v))
	}
	p.b = strconv.AppendFloat(p.b, f, 'f', 6, 64)
}

// movImm prints a cat1 immediate by its source type.
func (p *printer) movImm(v int32) {
	switch p.in.SrcType {
	case F16, F32:
		p.opt(p.in.SrcType == F16, "h")
		p.str("(")
		p.float(v, p.in.SrcType)
		p.str(")")
	case U32:
		if uint32(v) > 0x1000 {
			p.str("0x" + strconv.FormatUint(uint64(uint32(v)), 16))
		} else {
			p.num(int64(v))
		}
	case S32:
		p.num(int64(v))
	case S16:
		p.num(int64(int16(v)))
	case U16:
		p.num(int64(uint16(v)))
	default:
		p.num(int64(uint8(v)))
	}
}

// regName names a full register number.
func regName(v int32) string {
	n, c := v>>2, "xyzw"[v&3:v&3+1]
	switch {
	case v == A1:
		return "a1.x"
	case n == 61:
		return "a0." + c
	case n == 62:
		return "p0." + c
	}
	return "r" + strconv.Itoa(int(n)) + "." + c
}

// flutNames are the texts of the float immediates by index.
var flutNames = [...]string{"0.0", "0.5", "1.0", "2.0", "e", "pi", "1/pi", "1/log2(e)", "log2(e)", "1/log2(10)", "log2(10)", "4.0"}

var flutBits = [...][2]uint32{{0, 0}, {0x3f000000, 0x3800}, {0x3f800000, 0x3c00}, {0x40000000, 0x4000},
	{0x402df854, 0x4170}, {0x40490fdb, 0x4248}, {0x3ea2f983, 0x3518}, {0x3f317218, 0x398c}, {0x3fb8aa3b, 0x3dc5},
	{0x3e9a209b, 0x34d1}, {0x40549a78, 0x42a5}, {0x40800000, 0x4400}}

func flutName(i int32) string {
	if i < 0 || int(i) >= len(flutNames) {
		return "flut?"
	}
	return flutNames[i]
}

// FLUTSize is the number of float immediates.
const FLUTSize = len(flutBits)

// FLUTValue returns the bits of float immediate i, as f32 and as f16; i
// outside 0..FLUTSize-1 gives 0.
func FLUTValue(i int) (f32 uint32, f16 uint16) {
	if i < 0 || i >= FLUTSize {
		return 0, 0
	}
	return flutBits[i][0], uint16(flutBits[i][1])
}

// FLUTIndex returns the index of the float immediate with those f32 bits.
func FLUTIndex(f32 uint32) (int, bool) {
	for i := range flutBits {
		if flutBits[i][0] == f32 {
			return i, true
		}
	}
	return 0, false
}

// halfToFloat widens an f16.
func halfToFloat(h uint16) float64 {
	sign := 1.0
	if h>>15 != 0 {
		sign = -1
	}
	e, m := int(h>>10&31), float64(h&0x3ff)
	switch e {
	case 0:
		return sign * math.Ldexp(m, -24)
	case 31:
		if m != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return math.Copysign(math.Ldexp(m+1024, e-25), sign)
}
