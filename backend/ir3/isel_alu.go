package ir3

import (
	"math"
	"math/bits"

	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/backend/resource"
	"nirc/ir"
	"nirc/passes/analysis"
)

// simple2 is a table of operations that are one category 2 instruction.
type simple2 struct {
	op    isa.Op
	flags isa.Flags
	imm   immClass
}

var simpleOps = [ir.NumOps]simple2{
	ir.OpFadd: {op: isa.OpAddF, imm: immFloat}, ir.OpFmul: {op: isa.OpMulF, imm: immFloat},
	ir.OpFmin: {op: isa.OpMinF, imm: immFloat}, ir.OpFmax: {op: isa.OpMaxF, imm: immFloat},
	ir.OpFfloor: {op: isa.OpFloorF, imm: immFloat}, ir.OpFceil: {op: isa.OpCeilF, imm: immFloat},
	ir.OpFtrunc: {op: isa.OpTruncF, imm: immFloat}, ir.OpFroundEven: {op: isa.OpRndneF, imm: immFloat},
	ir.OpFsign: {op: isa.OpSignF, imm: immFloat},
	ir.OpIadd:  {op: isa.OpAddU, imm: immInt}, ir.OpIsub: {op: isa.OpSubU, imm: immInt},
	ir.OpIand: {op: isa.OpAndB, imm: immInt}, ir.OpIor: {op: isa.OpOrB, imm: immInt}, ir.OpIxor: {op: isa.OpXorB, imm: immInt},
	ir.OpUmulLow: {op: isa.OpMullU, imm: immInt}, ir.OpImul24: {op: isa.OpMulS24, imm: immInt}, ir.OpUmul24: {op: isa.OpMulU24, imm: immInt},
	ir.OpImul24Relaxed: {op: isa.OpMulS24, imm: immInt}, ir.OpUmul24Relaxed: {op: isa.OpMulU24, imm: immInt},
	ir.OpBitfieldReverse: {op: isa.OpBfrevB, imm: immInt},
}

// Operations whose 8-bit operands must be widened first, with the signedness.
var widenedOps = [ir.NumOps]simple2{
	ir.OpImin: {op: isa.OpMinS, imm: immInt}, ir.OpImax: {op: isa.OpMaxS, imm: immInt},
	ir.OpUmin: {op: isa.OpMinU, imm: immInt}, ir.OpUmax: {op: isa.OpMaxU, imm: immInt},
	ir.OpIhadd: {op: isa.OpAddS, flags: isa.EI, imm: immInt}, ir.OpUhadd: {op: isa.OpAddU, flags: isa.EI, imm: immInt},
}

var satOps = [ir.NumOps]simple2{
	ir.OpIaddSat: {op: isa.OpAddS, flags: isa.Sat, imm: immInt}, ir.OpUaddSat: {op: isa.OpAddU, flags: isa.Sat, imm: immInt},
	ir.OpIsubSat: {op: isa.OpSubS, flags: isa.Sat, imm: immInt}, ir.OpUsubSat: {op: isa.OpSubU, flags: isa.Sat, imm: immInt},
}

var sfuOps = [ir.NumOps]simple2{
	ir.OpFrcp: {op: isa.OpRcp}, ir.OpFrsq: {op: isa.OpRsq}, ir.OpFsqrt: {op: isa.OpSqrt}, ir.OpFexp2: {op: isa.OpExp2}, ir.OpFlog2: {op: isa.OpLog2},
}

// compare is a comparison: instruction, condition, immediates.
type compare struct {
	op   isa.Op
	cond isa.Cond
	imm  immClass
}

var compareOps = [ir.NumOps]compare{
	ir.OpFlt: {isa.OpCmpsF, condLT, immFloat}, ir.OpFge: {isa.OpCmpsF, condGE, immFloat},
	ir.OpFeq: {isa.OpCmpsF, condEQ, immFloat}, ir.OpFneu: {isa.OpCmpsF, condNE, immFloat},
	ir.OpIlt: {isa.OpCmpsS, condLT, immInt}, ir.OpIge: {isa.OpCmpsS, condGE, immInt},
	ir.OpIeq: {isa.OpCmpsS, condEQ, immInt}, ir.OpIne: {isa.OpCmpsS, condNE, immInt},
	ir.OpUlt: {isa.OpCmpsU, condLT, immInt}, ir.OpUge: {isa.OpCmpsU, condGE, immInt},
}

// compareOp returns the instruction of a comparison.
func compareOp(op ir.Op) (isa.Instr, immClass, bool) {
	c := compareOps[op]
	return isa.Instr{Op: c.op, Cond: c.cond}, c.imm, c.imm != immNo
}

// alu selects an ALU instruction.
func (s *isel) alu(in *ir.Instr) {
	if in.IsVec() || in.Op == ir.OpMov {
		s.setComps(&in.Def, backend.Components(in, backend.Parts(&in.Def), s.comp)...)
		return
	}
	if in.Def.NumComponents != 1 {
		s.fail(in, "%s with %d components is not supported at selection: ALU operations must be scalar", in.Op, in.Def.NumComponents)
		return
	}
	for i := range in.Srcs {
		if b := in.Srcs[i].Def.BitSize; b == 64 && !resource.Splits64(in.Op) {
			s.fail(in, "64-bit %s is not supported", in.Op)
			return
		}
	}
	if !booleanForm(in) {
		s.fail(in, "1-bit %s is not supported", in.Op)
		return
	}
	if s.table(in) || s.convert(in) || s.bits(in) {
		return
	}
	s.special(in)
}

// satFlag returns (sat) if the instruction's only use is an fsat, which is then folded.
func (s *isel) satFlag(in *ir.Instr) isa.Flags {
	if !backend.OnlySaturated(in) {
		return 0
	}
	s.folded[in.Def.Index] = true
	return isa.Sat
}

// table selects what the tables say; false if they do not have it.
func (s *isel) table(in *ir.Instr) bool {
	half := isHalf(&in.Def)
	if c := compareOps[in.Op]; c.imm != immNo {
		s.compare(in, c)
		return true
	}
	if t := sfuOps[in.Op]; t.op != 0 {
		s.setComps(&in.Def, s.sfu(t.op, half, s.src(in, 0)))
		return true
	}
	if in.Op == ir.OpIadd && s.multiplyAdd24(in) {
		return true
	}
	if t := simpleOps[in.Op]; t.op != 0 {
		i := isa.Instr{Op: t.op, Flags: t.flags | narrowSources(in)}
		var b opnd
		if len(in.Srcs) > 1 {
			b = s.src(in, 1)
		}
		if t.op == isa.OpAddF || t.op == isa.OpMulF || t.op == isa.OpMinF || t.op == isa.OpMaxF {
			i.Flags |= s.satFlag(in)
		}
		s.setComps(&in.Def, s.alu2(i, half, half, t.imm, s.src(in, 0), b))
		if in.Def.BitSize == 1 {
			s.widenBool(in)
		}
		return true
	}
	t := widenedOps[in.Op]
	if t.op == 0 {
		if t = satOps[in.Op]; t.op == 0 {
			return false
		}
		if in.Def.BitSize == 8 {
			s.fail(in, "8-bit %s is not supported: it must be lowered to 16 bits", in.Op)
			return true
		}
	}
	a, b := s.src(in, 0), s.src(in, 1)
	if in.Def.BitSize == 8 {
		signed := t.op == isa.OpMinS || t.op == isa.OpMaxS || t.op == isa.OpAddS
		a, b = s.widen8(a, signed), s.widen8(b, signed)
	}
	s.setComps(&in.Def, s.alu2(isa.Instr{Op: t.op, Flags: t.flags}, half, half, t.imm, a, b))
	return true
}

// widen8 brings an 8-bit value, whose upper byte is undefined, to 16 bits.
func (s *isel) widen8(o opnd, signed bool) opnd {
	if o.kind == opImm {
		if signed {
			return immediate(uint32(int32(int8(o.bits))), true)
		}
		return immediate(o.bits&0xff, true)
	}
	if !signed {
		return s.alu2(isa.Instr{Op: isa.OpAndB}, true, true, immInt, o, immediate(0xff, true))
	}
	t := isa.Instr{Op: isa.OpCov, SrcType: isa.U8, Type: isa.S16}
	d := s.newReg(true)
	uses := s.source(&t, 0, o, sourceForm{}, nil)
	s.add(t, d, uses...)
	return s.value(d)
}

// needs32 and needs16 tell in which sizes a boolean is wanted: selects of
// 32-bit values want a full register, branches make their own comparison.
func needs(d *ir.Def) (n16, n32 bool) {
	for u := range d.Uses() {
		switch {
		case u.If != nil:
			if _, _, ok := compareOp(d.Instr.Op); !ok || d.Instr.Kind != ir.KindALU {
				n16 = true
			}
		case u.Instr.IsALU(ir.OpBcsel) && u == &u.Instr.Srcs[0] && u.Instr.Def.BitSize >= 32:
			n32 = true
		default:
			n16 = true
		}
	}
	return n16, n32
}

func (s *isel) compare(in *ir.Instr, c compare) {
	a, b := s.src(in, 0), s.src(in, 1)
	if bits := in.Srcs[0].Def.BitSize; bits == 8 && c.imm == immInt {
		a, b = s.widen8(a, c.op == isa.OpCmpsS), s.widen8(b, c.op == isa.OpCmpsS)
	}
	t := isa.Instr{Op: c.op, Cond: c.cond}
	n16, n32 := needs(&in.Def)
	var o opnd
	if n16 || !n32 {
		o = s.alu2(t, a.half, true, c.imm, a, b)
	}
	if n32 {
		w := s.alu2(t, a.half, false, c.imm, a, b)
		s.wide[in.Def.Index] = w.val
		if !n16 {
			o = w
		}
	}
	s.setComps(&in.Def, o)
}

// widenBool makes the full form of a boolean right after it, if someone wants it.
func (s *isel) widenBool(in *ir.Instr) {
	if _, n32 := needs(&in.Def); n32 {
		s.wide[in.Def.Index] = s.cov(isa.U16, isa.U32, 0, s.comp(&in.Def, 0)).val
	}
}

// condition returns a boolean as 0 or 1 in a register of the given size.
func (s *isel) condition(src *ir.Src, half bool) opnd {
	lane := src.Swizzle.Lane(0)
	o := s.comp(src.Def, lane)
	if o.kind == opImm {
		return opnd{kind: opImm, bits: o.bits & 1, half: half}
	}
	if half {
		if !o.half { // only branches and selects of words asked for it when it was made
			return s.cov(isa.U32, isa.U16, 0, o)
		}
		return o
	}
	if w := s.wide[src.Def.Index]; w != 0 && src.Def.NumComponents == 1 {
		return s.value(w)
	}
	return s.cov(isa.U16, isa.U32, 0, o)
}

// special selects what takes more than one instruction or modifiers.
func (s *isel) special(in *ir.Instr) {
	half := isHalf(&in.Def)
	one := func(o opnd) { s.setComps(&in.Def, o) }
	switch in.Op {
	case ir.OpFneg:
		one(s.modified(in, s.src(in, 0).negated()))
	case ir.OpFabs:
		one(s.modified(in, s.src(in, 0).absolute()))
	case ir.OpFsat:
		if src := &in.Srcs[0]; s.folded[src.Def.Index] {
			one(s.comp(src.Def, 0))
			return
		}
		a := s.src(in, 0)
		one(s.alu2(isa.Instr{Op: isa.OpMaxF, Flags: isa.Sat}, half, half, immFloat, s.once(a), s.once(a)))
	case ir.OpFsub:
		one(s.alu2(isa.Instr{Op: isa.OpAddF, Flags: s.satFlag(in)}, half, half, immFloat, s.src(in, 0), s.src(in, 1).negated()))
	case ir.OpFfma:
		t := isa.Instr{Op: isa.OpMadF32, Flags: s.satFlag(in)}
		if half {
			t.Op = isa.OpMadF16
		}
		one(s.alu3(t, form3{half: half, float: true, commutes: true}, s.src(in, 0), s.src(in, 1), s.src(in, 2)))
	case ir.OpFsin, ir.OpFcos:
		s.trig(in)
	case ir.OpFquantize2f16:
		if half {
			one(s.src(in, 0))
			return
		}
		h := s.cov(isa.F32, isa.F16, isa.RoundEven, s.src(in, 0))
		one(s.cov(isa.F16, isa.F32, 0, h))
	case ir.OpIneg:
		one(s.alu2Mod(isa.Instr{Op: isa.OpAbsnegS}, half, s.src(in, 0), isa.Neg))
	case ir.OpIabs:
		a := s.src(in, 0)
		if in.Def.BitSize == 8 {
			a = s.widen8(a, true)
		}
		one(s.alu2Mod(isa.Instr{Op: isa.OpAbsnegS}, half, a, isa.Abs))
	case ir.OpInot:
		if in.Def.BitSize == 1 {
			one(s.alu2(isa.Instr{Op: isa.OpSubU}, true, true, immInt, immediate(1, true), s.src(in, 0)))
			s.widenBool(in)
			return
		}
		one(s.alu2(isa.Instr{Op: isa.OpNotB}, half, half, immInt, s.src(in, 0), opnd{}))
	case ir.OpIshl, ir.OpUshr, ir.OpIshr:
		s.shift(in)
	case ir.OpImul, ir.OpAmul:
		s.imul(in)
	case ir.OpImad24Ir3:
		one(s.alu3(isa.Instr{Op: isa.OpMadS24}, form3{commutes: true}, s.src(in, 0), s.src(in, 1), s.src(in, 2)))
	case ir.OpImadshMix16:
		one(s.madsh(s.src(in, 0), s.src(in, 1), s.src(in, 2)))
	case ir.OpIadd3:
		s.iadd3(in)
	case ir.OpBcsel:
		s.bcsel(in)
	case ir.OpIcselEqz:
		s.selectZero(in)
	case ir.OpShrmIr3, ir.OpShlmIr3, ir.OpShrgIr3, ir.OpShlgIr3, ir.OpAndgIr3:
		s.shiftLogic(in)
	case ir.OpUdot4x8Uadd, ir.OpSudot4x8Iadd, ir.OpSdot4x8Iadd:
		s.dot(in)
	default:
		s.fail(in, "%s is not supported: it must be lowered before selection", in.Op)
	}
}

// once makes an operand that is used twice a register, so that neither use is an immediate or const.
func (s *isel) once(o opnd) opnd {
	if o.kind == opVal {
		return o
	}
	return s.value(s.reg(o))
}

// modified returns a float with a modifier: kept for later if all users can
// apply it, else applied.
func (s *isel) modified(in *ir.Instr, o opnd) opnd {
	if o.mods == 0 {
		return o
	}
	for u := range in.Def.Uses() {
		if u.Instr == nil || u.Instr.Kind != ir.KindALU || !takesMods(u.Instr.Op, o.mods) {
			return s.value(s.reg(o))
		}
	}
	return o
}

// takesMods reports whether an operation's instruction has the float modifiers.
func takesMods(op ir.Op, mods isa.OpFlags) bool {
	if op == ir.OpFfma {
		return mods == isa.Neg
	}
	return simpleOps[op].imm == immFloat || compareOps[op].imm == immFloat || sfuOps[op].op != 0 || op == ir.OpFneg || op == ir.OpFabs || op == ir.OpFsub || op == ir.OpFsat
}

// alu2Mod emits a one-source integer instruction with a modifier on its source.
func (s *isel) alu2Mod(t isa.Instr, half bool, a opnd, mod isa.OpFlags) opnd {
	d := s.newReg(half)
	uses := s.source(&t, 0, a, sourceForm{imm: immInt, consts: true}, nil)
	t.Srcs[0].Flags |= mod
	s.add(t, d, uses...)
	return s.value(d)
}

func (s *isel) shift(in *ir.Instr) {
	half := isHalf(&in.Def)
	op := isa.OpShlB
	a, n := s.src(in, 0), s.src(in, 1)
	switch in.Op {
	case ir.OpUshr:
		op = isa.OpShrB
	case ir.OpIshr:
		op = isa.OpAshrB
	}
	if in.Def.BitSize == 8 {
		if op != isa.OpShlB {
			a = s.widen8(a, op == isa.OpAshrB)
		}
		if n.kind == opImm {
			n.bits &= 7
		} else {
			n = s.alu2(isa.Instr{Op: isa.OpAndB}, false, false, immInt, n, immediate(7, false))
		}
	}
	if n.kind == opImm {
		n = immediate(n.bits&31, half)
		if half {
			n.bits &= 15
		}
	} else if half {
		n = s.cov(isa.U32, isa.U16, 0, n)
	}
	s.setComps(&in.Def, s.alu2(isa.Instr{Op: op}, half, half, immInt, a, n))
}

// imul multiplies: on halves in one instruction, and so where both numbers are known to have 24 bits; else low x low
// and the two mixed products (ir3.md §3.5), except for that of an upper half that is known to be 0.
func (s *isel) imul(in *ir.Instr) {
	a, b := s.src(in, 0), s.src(in, 1)
	if isHalf(&in.Def) {
		s.setComps(&in.Def, s.alu2(isa.Instr{Op: isa.OpMulS24}, true, true, immInt, a, b))
		return
	}
	bitsA, bitsB := sourceBits(in, 0), sourceBits(in, 1)
	if a.kind == opImm {
		a, b, bitsA, bitsB = b, a, bitsB, bitsA
	}
	if max(bitsA, bitsB) > 16 && max(bitsA, bitsB) <= 24 {
		s.setComps(&in.Def, s.alu2(isa.Instr{Op: isa.OpMulU24}, false, false, immInt, a, b))
		return
	}
	t := s.alu2(isa.Instr{Op: isa.OpMullU}, false, false, immInt, a, b)
	if bitsB > 16 {
		t = s.madsh(a, b, t)
	}
	if bitsA > 16 {
		t = s.madsh(b, a, t)
	}
	s.setComps(&in.Def, t)
}

// multiplyAdd24 selects the sum of something and a product of two factors of 24 bits that nobody else reads, or a shift, whose factor
// is a const: a preamble that stores it would cost more.
func (s *isel) multiplyAdd24(in *ir.Instr) bool {
	if in.Def.BitSize != 32 || s.gpu.PreambleConsts {
		return false
	}
	for k := range 2 {
		p := in.Srcs[k].Def.Instr
		if !p.IsALU(ir.OpIshl) && !p.IsALU(ir.OpImul) || p.Op == ir.OpImul && !p.Def.UsedOnce() || p.Def.NumComponents != 1 || !p.Def.Divergent || sourceBits(p, 0) > narrowBits {
			continue
		}
		a, b := s.src(p, 0), s.src(p, 1)
		if n, ok := p.Srcs[1].Const(p.Srcs[1].Swizzle.Lane(0)); p.Op == ir.OpIshl && ok && n < narrowBits {
			b = immediate(1<<n, false)
		} else if p.Op == ir.OpIshl || sourceBits(p, 1) > narrowBits {
			continue
		}
		if a.kind != opVal || p.Srcs[0].Def.Instr.IsIntrinsic(ir.IntrLoadWorkgroupId) {
			continue
		}
		s.setComps(&in.Def, s.alu3(isa.Instr{Op: isa.OpMadU24}, form3{commutes: true}, a, b, s.src(in, 1-k)))
		return true
	}
	return false
}

// sourceBits is how many bits from the lowest on a source of an operation on scalars has at most.
func sourceBits(in *ir.Instr, i int) int {
	return bits.Len64(analysis.UintMax(in.Srcs[i].Def, in.Srcs[i].Swizzle.Lane(0)))
}

// madsh emits ((lo16(a) * hi16(b)) << 16) + c.
func (s *isel) madsh(a, b, c opnd) opnd {
	return s.alu3(isa.Instr{Op: isa.OpMadshM16}, form3{}, a, b, c)
}

func (s *isel) iadd3(in *ir.Instr) {
	half := isHalf(&in.Def)
	a, b, c := s.src(in, 0), s.src(in, 1), s.src(in, 2)
	if s.gpu.SadIsAdd3 {
		t := isa.Instr{Op: isa.OpSadS32}
		if half {
			t.Op = isa.OpSadS16
		}
		s.setComps(&in.Def, s.alu3(t, form3{half: half, commutes: true}, a, b, c))
		return
	}
	t := isa.Instr{Op: isa.OpAddU}
	s.setComps(&in.Def, s.alu2(t, half, half, immInt, s.alu2(t, half, half, immInt, a, b), c))
}

// sel emits d = cond != 0 ? a : c.
func (s *isel) sel(half bool, cond, a, c opnd) opnd {
	t := isa.Instr{Op: isa.OpSelB32}
	if half {
		t.Op = isa.OpSelB16
	}
	return s.alu3(t, form3{half: half}, a, cond, c)
}

func (s *isel) bcsel(in *ir.Instr) {
	half := isHalf(&in.Def)
	cond := s.condition(&in.Srcs[0], half)
	n := backend.Parts(&in.Def)
	ops := make([]opnd, n)
	for k := range n {
		a := s.comp(in.Srcs[1].Def, in.Srcs[1].Swizzle.Lane(0)*n+k)
		c := s.comp(in.Srcs[2].Def, in.Srcs[2].Swizzle.Lane(0)*n+k)
		switch {
		case cond.kind == opImm && cond.bits != 0:
			ops[k] = a
		case cond.kind == opImm:
			ops[k] = c
		default:
			ops[k] = s.sel(half, cond, a, c)
		}
	}
	s.setComps(&in.Def, ops...)
	if in.Def.BitSize == 1 {
		s.widenBool(in)
	}
}

// selectZero is icsel_eqz: c = 0 ? a : b.
func (s *isel) selectZero(in *ir.Instr) {
	half := isHalf(&in.Def)
	c := s.src(in, 0)
	if in.Def.BitSize == 8 {
		c = s.widen8(c, false)
	}
	s.setComps(&in.Def, s.sel(half, c, s.src(in, 2), s.src(in, 1)))
}

// trig brings the argument to [-pi, pi] first (ir3.md §3.6).
func (s *isel) trig(in *ir.Instr) {
	half := isHalf(&in.Def)
	op := isa.OpSin
	if in.Op == ir.OpFcos {
		op = isa.OpCos
	}
	d, c, factor := backend.ScaledAngle(in)
	x := s.comp(d, c)
	if half {
		x = s.cov(isa.F16, isa.F32, 0, x)
	}
	f := func(bits uint32) opnd { return immediate(bits, false) }
	mad := isa.Instr{Op: isa.OpMadF32}
	t := s.alu3(mad, form3{float: true, commutes: true}, f(math.Float32bits(float32(factor/(2*math.Pi)))), x, f(0x3f000000))
	fl := s.alu2(isa.Instr{Op: isa.OpFloorF}, false, false, immFloat, t, opnd{})
	t = s.alu2(isa.Instr{Op: isa.OpAddF}, false, false, immFloat, t, fl.negated())
	t = s.alu3(mad, form3{float: true, commutes: true}, f(0x40c90fdb), t, f(0xc0490fdb))
	r := s.sfu(op, false, t)
	if half {
		r = s.cov(isa.F32, isa.F16, isa.RoundEven, r)
	}
	s.setComps(&in.Def, r)
}

// shiftLogic selects shrm, shlm, shrg, shlg (src1 is the amount) and andg.
func (s *isel) shiftLogic(in *ir.Instr) {
	op := isa.OpShrm + isa.Op(in.Op-ir.OpShrmIr3)
	half := isHalf(&in.Def)
	t := isa.Instr{Op: op}
	a, b, c := s.src(in, 0), s.src(in, 1), s.src(in, 2)
	if in.Def.BitSize == 8 {
		s.fail(in, "8-bit %s is not supported: it must be lowered to 16 bits", in.Op)
		return
	}
	if in.Op != ir.OpAndgIr3 {
		n := b
		if half && n.kind != opImm {
			n = s.cov(isa.U32, isa.U16, 0, n)
		}
		a, b = n, a
	}
	var buf [3]mach.Value
	uses := s.source12(&t, 0, a, half, buf[:0])
	uses = s.register(&t, 1, s.reg(b), 0, uses)
	uses = s.source12(&t, 2, c, half, uses)
	d := s.newReg(half)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.value(d))
}

// source12 is a source that takes 12-bit unsigned immediates and no consts.
func (s *isel) source12(t *isa.Instr, i int, o opnd, half bool, uses []mach.Value) []mach.Value {
	o.half = half || o.kind == opVal && o.half
	if o.kind == opImm && o.mods == 0 && o.bits < 1<<12 {
		t.Srcs[i] = isa.I(int32(o.bits))
		return uses
	}
	return s.register(t, i, s.reg(o), 0, uses)
}

// dot selects the dot products of bytes: dp4acc, or dp2acc twice.
func (s *isel) dot(in *ir.Instr) {
	t := isa.Instr{Op: isa.OpDp4acc}
	a, b, c := s.src(in, 0), s.src(in, 1), s.src(in, 2)
	switch in.Op {
	case ir.OpSudot4x8Iadd:
		t.Flags = isa.Signed
	case ir.OpSdot4x8Iadd:
		if !s.gpu.DotCompliant {
			s.fail(in, "%s is not supported on %s: it must be lowered", in.Op, s.gpu.Name)
			return
		}
		t.Flags = isa.Signed | isa.High
	}
	switch {
	case s.gpu.HasDp4acc:
		s.setComps(&in.Def, s.alu3reg(t, a, b, c))
	case s.gpu.HasDp2acc:
		t.Op = isa.OpDp2acc
		lo := s.alu3reg(t, a, b, c)
		t.Flags |= isa.High
		s.setComps(&in.Def, s.alu3reg(t, a, b, lo))
	default:
		s.fail(in, "%s is not supported on %s: it must be lowered", in.Op, s.gpu.Name)
	}
}

// alu3reg emits a three-source instruction with registers only.
func (s *isel) alu3reg(t isa.Instr, a, b, c opnd) opnd {
	d := s.newReg(false)
	var uses []mach.Value
	for i, o := range [3]opnd{a, b, c} {
		uses = s.register(&t, i, s.reg(o), 0, uses)
	}
	s.add(t, d, uses...)
	return s.value(d)
}
