package agx

import (
	"math"
	"math/bits"

	"nirc/backend"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/backend/resource"
	"nirc/ir"
)

// dense turns a table written by name into one by operation.
func dense[T any](m map[ir.Op]T) []T {
	t := make([]T, ir.NumOps)
	for k, v := range m {
		t[k] = v
	}
	return t
}

// floatOps are the operations that are one float instruction: for 32 bits, and
// for 16 where that is another one.
var floatOps = dense(map[ir.Op]struct{ op32, op16 isa.Op }{
	ir.OpFadd: {isa.OpFadd32, isa.OpFadd16}, ir.OpFsub: {isa.OpFadd32, isa.OpFadd16},
	ir.OpFmul: {isa.OpFmul32, isa.OpFmul16}, ir.OpFfma: {isa.OpFmadd32, isa.OpFmadd16},
	ir.OpFfloor: {isa.OpFloor, isa.OpFloor}, ir.OpFceil: {isa.OpCeil, isa.OpCeil},
	ir.OpFtrunc: {isa.OpTrunc, isa.OpTrunc}, ir.OpFroundEven: {isa.OpRint, isa.OpRint},
	ir.OpFrcp: {isa.OpRcp, isa.OpRcp}, ir.OpFrsq: {isa.OpRsqrt, isa.OpRsqrt},
	ir.OpFexp2: {isa.OpExp2, isa.OpExp2}, ir.OpFlog2: {isa.OpLog2, isa.OpLog2},
})

// compares are the comparisons.
var compares = dense(map[ir.Op]struct {
	ok, inv bool
	cond    isa.Cond
}{
	ir.OpFlt: {true, false, isa.CondFLT}, ir.OpFge: {true, false, isa.CondFGE}, ir.OpFeq: {true, false, isa.CondFEQ}, ir.OpFneu: {true, true, isa.CondFEQ},
	ir.OpFltu: {true, true, isa.CondFGE}, ir.OpFgeu: {true, true, isa.CondFLT},
	ir.OpIlt: {true, false, isa.CondSLT}, ir.OpIge: {true, true, isa.CondSLT}, ir.OpUlt: {true, false, isa.CondULT}, ir.OpUge: {true, true, isa.CondULT},
	ir.OpIeq: {true, false, isa.CondUEQ}, ir.OpIne: {true, true, isa.CondUEQ},
})

// isFloatOp reports whether sources of an operation are float operands, which
// take modifiers and widened halves.
func isFloatOp(op ir.Op) bool {
	switch op {
	case ir.OpFneg, ir.OpFabs, ir.OpF2f16, ir.OpF2f16Rtne, ir.OpFsat:
		return true
	}
	return floatOps[op].op32 != 0 || compares[op].ok && compares[op].cond >= isa.CondFEQ
}

// alu selects an ALU instruction.
func (s *isel) alu(in *ir.Instr) {
	if in.IsVec() || in.Op == ir.OpMov {
		s.setComps(&in.Def, backend.Components(in, backend.Parts(&in.Def), s.comp)...)
		return
	}
	if in.Def.NumComponents != 1 {
		s.broken(in, "%s with %d components is left at selection: ALU operations must be scalar", in.Op, in.Def.NumComponents)
		return
	}
	if in.Def.BitSize == 64 && s.wideSum(in) {
		return
	}
	for i := range in.Srcs {
		if b := in.Srcs[i].Def.BitSize; b == 64 && !resource.Splits64(in.Op) {
			s.fail(in, "64-bit %s is not supported", in.Op)
			return
		}
	}
	if s.float(in) || s.integer(in) || s.convert(in) || s.bitSearch(in) {
		return
	}
	s.fail(in, "%s is not supported: it must be lowered before selection", in.Op)
}

// float selects float arithmetic; false if in is something else.
func (s *isel) float(in *ir.Instr) bool {
	half := isHalf(&in.Def)
	one := func(o opnd) bool { s.setComps(&in.Def, o); return true }
	if f := floatOps[in.Op]; f.op32 != 0 {
		t := isa.Instr{Op: f.op32}
		if half {
			t.Op = f.op16
		}
		var ops [3]opnd
		for i := range in.Srcs {
			ops[i] = s.src(in, i)
		}
		if in.Op == ir.OpFsub {
			ops[1] = ops[1].negated()
		}
		return one(s.intOp(t, half, ops[:len(in.Srcs)]...))
	}
	switch in.Op {
	case ir.OpFneg:
		return one(s.modified(in, s.src(in, 0).negated()))
	case ir.OpFabs:
		return one(s.modified(in, s.src(in, 0).absolute()))
	case ir.OpFsat:
		t := isa.Instr{Op: isa.OpFadd32, Flags: isa.Sat}
		if half {
			t.Op = isa.OpFadd16
		}
		return one(s.intOp(t, half, s.src(in, 0), negZero(half)))
	case ir.OpFmin, ir.OpFmax:
		return one(s.minMax(in))
	case ir.OpFsqrt:
		x := s.once(s.src(in, 0))
		mul := isa.OpFmul32
		if half {
			mul = isa.OpFmul16
		}
		return one(s.intOp(isa.Instr{Op: mul}, half, x, s.intOp(isa.Instr{Op: isa.OpRsqrtSpecial}, half, x)))
	case ir.OpFsin, ir.OpFcos:
		return one(s.trig(in, half))
	case ir.OpFsinAgx:
		return one(s.sineOfQuadrants(s.src(in, 0), half))
	}
	return false
}

// once makes an operand that is used twice one that costs nothing to read.
func (s *isel) once(o opnd) opnd {
	if o.kind == opVal || o.kind == opUniform {
		return o
	}
	return s.value(s.reg(o))
}

// compareSelect emits icmpsel or fcmpsel: x if the comparison holds, else y.
// Immediates for x and y are integers.
func (s *isel) compareSelect(t isa.Instr, half bool, a, b, x, y opnd) mach.Value {
	d := s.newReg(half)
	uses := s.source(&t, 0, a, s.f.ValueList(4)[:0])
	uses = s.source(&t, 1, b, uses)
	uses = s.source(&t, 2, s.sized(x, half), uses)
	uses = s.source(&t, 3, s.sized(y, half), uses)
	s.emit(&t, d, uses)
	return d
}

// sized makes an operand of the given size, extending with zeros.
func (s *isel) sized(o opnd, half bool) opnd {
	if o.half == half {
		return o
	}
	if o.kind == opImm {
		return immediate(o.bits, half)
	}
	if half {
		lo, _ := s.halves(o)
		return lo
	}
	return s.intOp(bitop(tableA), false, o, imm32(0))
}

// selectBy selects x or y by a condition.
func (s *isel) selectBy(c cond, half bool, x, y opnd) opnd {
	if c.inv {
		x, y = y, x
	}
	t := isa.Instr{Op: isa.OpIcmpsel, Cond: c.op}
	if c.flt {
		t.Op = isa.OpFcmpsel
	}
	return s.value(s.compareSelect(t, half, c.a, c.b, x, y))
}

// compare returns a comparison instruction's condition; false if in is none.
func (s *isel) compare(in *ir.Instr) (cond, bool) {
	c := compares[in.Op]
	if !c.ok || in.Srcs[0].Def.BitSize > 32 {
		return cond{}, false
	}
	r := cond{op: c.cond, inv: c.inv, flt: c.cond >= isa.CondFEQ, a: s.src(in, 0), b: s.src(in, 1)}
	if in.Srcs[0].Def.BitSize == 8 && !r.flt {
		signed := c.cond == isa.CondSLT
		r.a, r.b = s.widened(in, 0, signed), s.widened(in, 1, signed)
	}
	return r, true
}

// modified returns a float with a modifier: kept for later if all users can
// apply it, else applied.
func (s *isel) modified(in *ir.Instr, o opnd) opnd {
	if o.mods == 0 && !o.conv {
		return o
	}
	for u := range in.Def.Uses() {
		if u.Instr == nil || u.Instr.Kind != ir.KindALU || !isFloatOp(u.Instr.Op) || o.conv && u.Instr.Def.BitSize == 16 {
			return s.value(s.reg(o))
		}
	}
	return o
}

// trig selects the sine and cosine of radians.
func (s *isel) trig(in *ir.Instr, half bool) opnd {
	d, c, factor := backend.ScaledAngle(in)
	turns := float32Imm(float32(factor / (2 * math.Pi)))
	x := s.comp(d, c)
	if half {
		x.conv = true
	}
	t := s.intOp(isa.Instr{Op: isa.OpFmul32}, false, x, turns)
	if in.Op == ir.OpFcos {
		t = s.intOp(isa.Instr{Op: isa.OpFadd32}, false, t, float32Imm(0.25))
	}
	f := s.intOp(isa.Instr{Op: isa.OpFloor}, false, t)
	if faults.has(faultQuadrants) {
		f = float32Imm(0)
	}
	t = s.intOp(isa.Instr{Op: isa.OpFadd32}, false, t, f.negated())
	q := s.intOp(isa.Instr{Op: isa.OpFmul32}, false, t, float32Imm(4))
	return s.sineOfQuadrants(q, half)
}

func (s *isel) sineOfQuadrants(q opnd, half bool) opnd {
	p1 := s.intOp(isa.Instr{Op: isa.OpSinPt1}, false, q)
	p2 := s.intOp(isa.Instr{Op: isa.OpSinPt2}, false, p1)
	return s.intOp(isa.Instr{Op: isa.OpFmul32}, half, p2, p1)
}

// widen8 brings an 8-bit value, whose upper byte is undefined, to 16 bits.
func (s *isel) widen8(o opnd, signed bool) opnd {
	if o.kind == opImm {
		if signed {
			return imm16(uint32(int32(int8(o.bits))))
		}
		return imm16(o.bits & 0xff)
	}
	if !signed {
		return s.intOp(bitop(tableAnd), true, o, imm16(0xff))
	}
	up := s.intOp(isa.Instr{Op: isa.OpBfi}, true, imm16(0), o, imm16(8))
	return s.intOp(isa.Instr{Op: isa.OpAsr}, true, up, imm16(8))
}

var bitTables = dense(map[ir.Op]uint8{ir.OpIand: tableAnd, ir.OpIor: tableOr, ir.OpIxor: tableXor})

// integer selects integer arithmetic and logic, comparisons and selects; false
// if in is something else.
func (s *isel) integer(in *ir.Instr) bool {
	half := isHalf(&in.Def)
	one := func(o opnd) bool { s.setComps(&in.Def, o); return true }
	if in.Op == ir.OpIand {
		if o, ok := s.masked(in, half); ok {
			return one(o)
		}
	}
	if in.Op == ir.OpIor {
		if o, ok := s.joined(in, half); ok {
			return one(o)
		}
	}
	if t := bitTables[in.Op]; t != 0 {
		return one(s.intOp(bitop(t), half, s.src(in, 0), s.src(in, 1)))
	}
	if c, ok := s.compare(in); ok {
		return one(s.selectBy(c, true, imm16(1), imm16(0)))
	}
	switch in.Op {
	case ir.OpIadd:
		return one(s.iadd(in, half))
	case ir.OpIsub:
		if o, ok := s.fusedDifference(in, half); ok {
			return one(o)
		}
		return one(s.addSub(half, s.src(in, 0), s.src(in, 1), true))
	case ir.OpIneg:
		return one(s.intOp(isa.Instr{Op: isa.OpIadd, Flags: isa.Sub}, half, imm32(0), s.src(in, 0)))
	case ir.OpInot:
		if in.Def.BitSize == 1 {
			return one(s.intOp(bitop(tableXor), true, s.src(in, 0), imm16(1)))
		}
		return one(s.intOp(bitop(tableNot), half, s.src(in, 0), imm32(0)))
	case ir.OpImul, ir.OpAmul:
		return one(s.imul(half, s.src(in, 0), s.src(in, 1)))
	case ir.OpUmulHigh, ir.OpImulHigh, ir.OpUmul2x32_64, ir.OpImul2x32_64:
		return s.wideMul(in)
	case ir.OpIshl, ir.OpUshr, ir.OpIshr:
		return one(s.shift(in, half))
	case ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax:
		return one(s.intMinMax(in, half))
	case ir.OpBcsel:
		return s.bcsel(in, half)
	}
	return false
}

// addSub emits an addition or subtraction; negative immediates are subtracted.
func (s *isel) addSub(half bool, a, b opnd, sub bool) opnd {
	t := isa.Instr{Op: isa.OpIadd}
	if a.kind == opImm && !sub {
		a, b = b, a
	}
	if b.isImm(0) && a.half == half {
		return a
	}
	if a.kind == opImm && b.kind == opImm && a.half == half && b.half == half {
		if sub {
			return immediate(a.bits-b.bits, half)
		}
		return immediate(a.bits+b.bits, half)
	}
	if b.kind == opImm && b.bits > maxImmediate {
		neg := -b.bits
		if b.half {
			neg &= 0xffff
		}
		if neg <= maxImmediate {
			b.bits, sub = neg, !sub
		}
	}
	if sub {
		t.Flags = isa.Sub
	}
	return s.intOp(t, half, a, b)
}

// iadd selects an addition, with a product or a shifted operand folded in
// where they have no other use.
func (s *isel) iadd(in *ir.Instr, half bool) opnd {
	if o, ok := s.index0(in); ok {
		return o
	}
	if c, ok := s.globalID(in); ok {
		return s.getSR(srGlobalID+int32(c), false)
	}
	if o, ok := s.fusedSum(in, half); ok {
		return o
	}
	return s.addSub(half, s.src(in, 0), s.src(in, 1), false)
}

// index0 recognises the sum of a vertex index that counts from zero and its base: it
// is what the hardware gives. The instance index it counts from zero.
func (s *isel) index0(in *ir.Instr) (opnd, bool) {
	a, b := in.Srcs[0].Def.Instr, in.Srcs[1].Def.Instr
	for range 2 {
		switch {
		case faults.has(faultBaseInstance) && a.IsIntrinsic(ir.IntrLoadInstanceId) && b.IsIntrinsic(ir.IntrLoadBaseInstance):
			return s.in.instanceID, true
		case a.IsIntrinsic(ir.IntrLoadVertexIdZeroBase) && b.IsIntrinsic(ir.IntrLoadFirstVertex):
			return s.in.vertexID, true
		}
		a, b = b, a
	}
	return opnd{}, false
}

// globalID recognises a component of the global invocation id computed from
// workgroup and local id.
func (s *isel) globalID(in *ir.Instr) (comp int, ok bool) {
	for k := range 2 {
		m := in.Srcs[k].Def.Instr
		if in.Def.BitSize != 32 || m.Kind != ir.KindALU || in.Srcs[k].Def.NumComponents != 1 || m.Op != ir.OpIshl && m.Op != ir.OpImul {
			continue
		}
		n, isConst := m.Srcs[1].Const(0)
		if m.Op == ir.OpIshl {
			n = 1 << (n & 31)
		}
		group, c := component(&m.Srcs[0])
		local, d := component(&in.Srcs[1-k])
		if isConst && c == d && c < 3 && group.Instr.IsIntrinsic(ir.IntrLoadWorkgroupId) && local.Instr.IsIntrinsic(ir.IntrLoadLocalInvocationId) &&
			n == uint64(s.sh.Info.WorkgroupSize[c]) {
			return c, true
		}
	}
	return 0, false
}

// component follows moves to the value and component that a scalar source reads.
func component(src *ir.Src) (*ir.Def, int) {
	d, c := src.Def, src.Swizzle.Lane(0)
	for {
		switch in := d.Instr; {
		case in.IsALU(ir.OpMov):
			d, c = in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(c)
		case in.IsVec():
			d, c = in.Srcs[c].Def, in.Srcs[c].Swizzle.Lane(0)
		default:
			return d, c
		}
	}
}

func (s *isel) imul(half bool, a, b opnd) opnd {
	if a.kind == opImm {
		a, b = b, a
	}
	if b.kind == opImm && bits.OnesCount32(b.bits) == 1 {
		return s.shiftLeft(half, a, uint32(bits.TrailingZeros32(b.bits)))
	}
	if n := bits.TrailingZeros32(b.bits - 1); b.kind == opImm && b.bits == 1<<n+1 && n > 0 && n <= maxAddShift && a.half == half {
		a = s.once(a)
		return s.intOp(isa.Instr{Op: isa.OpIadd, Shift: uint8(n)}, half, a, a) // a sum is quicker than a product
	}
	return s.intOp(isa.Instr{Op: isa.OpImadd}, half, a, b, imm32(0))
}

// shiftLeft shifts by a constant: small ones are cheaper as an addition.
func (s *isel) shiftLeft(half bool, a opnd, n uint32) opnd {
	if n == 0 {
		return a
	}
	if a.kind == opImm && a.half == half && n < 32 {
		return immediate(a.bits<<n, half)
	}
	if n <= maxAddShift {
		return s.intOp(isa.Instr{Op: isa.OpIadd, Shift: uint8(n)}, half, imm32(0), a)
	}
	return s.intOp(isa.Instr{Op: isa.OpBfi}, half, imm32(0), a, imm32(n))
}

func (s *isel) shiftRight(half bool, a opnd, n uint32) opnd {
	if n == 0 {
		return a
	}
	if a.kind == opImm && n < 32 {
		return immediate(a.bits>>n, half)
	}
	return s.intOp(isa.Instr{Op: isa.OpBfeil}, half, imm32(0), a, imm32(n))
}

// shift selects shifts, whose count is taken modulo the size.
func (s *isel) shift(in *ir.Instr, half bool) opnd {
	a, n := s.src(in, 0), s.src(in, 1)
	size := uint32(in.Def.BitSize)
	if size == 8 && (in.Op == ir.OpIshr || in.Op == ir.OpUshr && n.kind != opImm) {
		a = s.widened(in, 0, in.Op == ir.OpIshr)
	}
	if n.kind == opImm {
		c := n.bits & (size - 1)
		if o, ok := s.field(in, c); ok {
			return o
		}
		switch in.Op {
		case ir.OpIshl:
			return s.shiftLeft(half, a, c)
		case ir.OpUshr:
			return s.shiftedRight(in, half, c)
		}
		return s.intOp(isa.Instr{Op: isa.OpAsr}, half, a, imm32(c))
	}
	n = s.intOp(bitop(tableAnd), n.half, n, immediate(size-1, n.half))
	switch in.Op {
	case ir.OpIshl:
		return s.intOp(isa.Instr{Op: isa.OpBfi}, half, imm32(0), a, n)
	case ir.OpUshr:
		return s.intOp(isa.Instr{Op: isa.OpBfeil}, half, imm32(0), a, n)
	}
	// An immediate would not be sign-extended.
	return s.intOp(isa.Instr{Op: isa.OpAsr}, half, s.once(a), n)
}

// field selects a shift to the right of a value that was shifted to the left, both by constants: a field that is taken out, or the
// lower half with its sign.
func (s *isel) field(in *ir.Instr, right uint32) (o opnd, ok bool) {
	up := in.Srcs[0].Def.Instr
	if in.Def.BitSize != 32 || in.Op == ir.OpIshl || !up.IsALU(ir.OpIshl) || up.Def.NumComponents != 1 {
		return o, false
	}
	c, isConst := up.Srcs[1].Const(0)
	left := uint32(c) & 31
	switch {
	case !isConst || left == 0:
	case in.Op == ir.OpUshr && right > left:
		return s.intOp(isa.Instr{Op: isa.OpBfeil, Bits: uint8(32 - right)}, false, imm32(0), s.src(up, 0), imm32(right-left)), true
	case in.Op == ir.OpIshr && right == 16 && left == 16 && s.src(up, 0).kind != opImm:
		low, _ := s.halves(s.src(up, 0))
		return s.signExtend(low), true
	}
	return o, false
}

func (s *isel) intMinMax(in *ir.Instr, half bool) opnd {
	a, b := s.src(in, 0), s.src(in, 1)
	signed := in.Op == ir.OpImin || in.Op == ir.OpImax
	if in.Def.BitSize == 8 {
		a, b = s.widened(in, 0, signed), s.widened(in, 1, signed)
	}
	c := cond{op: isa.CondULT, a: a, b: b}
	if signed {
		c.op = isa.CondSLT
	}
	if in.Op == ir.OpImax || in.Op == ir.OpUmax {
		a, b = b, a
	}
	return s.selectBy(c, half, a, b)
}

func (s *isel) bcsel(in *ir.Instr, half bool) bool {
	c := s.condition(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(0))
	n := backend.Parts(&in.Def)
	ops := make([]opnd, n)
	for k := range ops {
		x := s.comp(in.Srcs[1].Def, in.Srcs[1].Swizzle.Lane(0)*n+k)
		y := s.comp(in.Srcs[2].Def, in.Srcs[2].Swizzle.Lane(0)*n+k)
		ops[k] = s.selectBy(c, half, x, y)
	}
	s.setComps(&in.Def, ops...)
	return true
}
