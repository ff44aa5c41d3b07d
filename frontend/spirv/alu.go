package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// aluFlags are what a row of aluTable does besides naming an operation.
type aluFlags uint8

const (
	aSwap  aluFlags = 1 << iota // sources exchanged
	aNot                        // result inverted
	aExact                      // exact whatever the decorations say
	aShift                      // source 1 resized to 32 bits
	aFloat                      // sources are floats
	aInt                        // sources are integers
	aBool                       // sources are booleans
	aWrap                       // takes NoSignedWrap and NoUnsignedWrap
)

// aluRow says how a SPIR-V instruction becomes one IR operation.
type aluRow struct {
	op    ir.Op
	srcs  uint8 // 0: not in the table
	flags aluFlags
}

// aluTable has the instructions that become one operation, by opcode.
var aluTable = [...]aluRow{
	spv.OpSNegate:           {ir.OpIneg, 1, aInt | aWrap},
	spv.OpFNegate:           {ir.OpFneg, 1, aFloat},
	spv.OpIAdd:              {ir.OpIadd, 2, aInt | aWrap},
	spv.OpFAdd:              {ir.OpFadd, 2, aFloat},
	spv.OpISub:              {ir.OpIsub, 2, aInt | aWrap},
	spv.OpFSub:              {ir.OpFsub, 2, aFloat},
	spv.OpIMul:              {ir.OpImul, 2, aInt | aWrap},
	spv.OpFMul:              {ir.OpFmul, 2, aFloat},
	spv.OpUDiv:              {ir.OpUdiv, 2, aInt},
	spv.OpSDiv:              {ir.OpIdiv, 2, aInt},
	spv.OpFDiv:              {ir.OpFdiv, 2, aFloat},
	spv.OpUMod:              {ir.OpUmod, 2, aInt},
	spv.OpSRem:              {ir.OpIrem, 2, aInt},
	spv.OpSMod:              {ir.OpImod, 2, aInt},
	spv.OpFRem:              {ir.OpFrem, 2, aFloat},
	spv.OpFMod:              {ir.OpFmod, 2, aFloat},
	spv.OpVectorTimesScalar: {ir.OpFmul, 2, aFloat},

	spv.OpLogicalEqual:    {ir.OpIeq, 2, aBool},
	spv.OpLogicalNotEqual: {ir.OpIne, 2, aBool},
	spv.OpLogicalOr:       {ir.OpIor, 2, aBool},
	spv.OpLogicalAnd:      {ir.OpIand, 2, aBool},
	spv.OpLogicalNot:      {ir.OpInot, 1, aBool},

	spv.OpIEqual:            {ir.OpIeq, 2, aInt},
	spv.OpINotEqual:         {ir.OpIne, 2, aInt},
	spv.OpUGreaterThan:      {ir.OpUlt, 2, aInt | aSwap},
	spv.OpSGreaterThan:      {ir.OpIlt, 2, aInt | aSwap},
	spv.OpUGreaterThanEqual: {ir.OpUge, 2, aInt},
	spv.OpSGreaterThanEqual: {ir.OpIge, 2, aInt},
	spv.OpULessThan:         {ir.OpUlt, 2, aInt},
	spv.OpSLessThan:         {ir.OpIlt, 2, aInt},
	spv.OpULessThanEqual:    {ir.OpUge, 2, aInt | aSwap},
	spv.OpSLessThanEqual:    {ir.OpIge, 2, aInt | aSwap},

	spv.OpFOrdEqual:              {ir.OpFeq, 2, aFloat | aExact},
	spv.OpFUnordEqual:            {ir.OpFequ, 2, aFloat | aExact},
	spv.OpFOrdNotEqual:           {ir.OpFneo, 2, aFloat | aExact},
	spv.OpFUnordNotEqual:         {ir.OpFneu, 2, aFloat | aExact},
	spv.OpFOrdLessThan:           {ir.OpFlt, 2, aFloat | aExact},
	spv.OpFUnordLessThan:         {ir.OpFge, 2, aFloat | aExact | aNot},
	spv.OpFOrdGreaterThan:        {ir.OpFlt, 2, aFloat | aExact | aSwap},
	spv.OpFUnordGreaterThan:      {ir.OpFge, 2, aFloat | aExact | aSwap | aNot},
	spv.OpFOrdLessThanEqual:      {ir.OpFge, 2, aFloat | aExact | aSwap},
	spv.OpFUnordLessThanEqual:    {ir.OpFlt, 2, aFloat | aExact | aSwap | aNot},
	spv.OpFOrdGreaterThanEqual:   {ir.OpFge, 2, aFloat | aExact},
	spv.OpFUnordGreaterThanEqual: {ir.OpFlt, 2, aFloat | aExact | aNot},
	spv.OpLessOrGreater:          {ir.OpFneo, 2, aFloat | aExact},
	spv.OpOrdered:                {ir.OpFord, 2, aFloat | aExact},
	spv.OpUnordered:              {ir.OpFunord, 2, aFloat | aExact},
	spv.OpIsFinite:               {ir.OpFisfinite, 1, aFloat | aExact},
	spv.OpIsNormal:               {ir.OpFisnormal, 1, aFloat | aExact},

	spv.OpShiftRightLogical:    {ir.OpUshr, 2, aInt | aShift},
	spv.OpShiftRightArithmetic: {ir.OpIshr, 2, aInt | aShift},
	spv.OpShiftLeftLogical:     {ir.OpIshl, 2, aInt | aShift | aWrap},
	spv.OpBitwiseOr:            {ir.OpIor, 2, aInt},
	spv.OpBitwiseXor:           {ir.OpIxor, 2, aInt},
	spv.OpBitwiseAnd:           {ir.OpIand, 2, aInt},
	spv.OpNot:                  {ir.OpInot, 1, aInt},
	spv.OpQuantizeToF16:        {ir.OpFquantize2f16, 1, aFloat},
}

// aluSimple translates an instruction of aluTable and reports whether it was one.
func (t *translator) aluSimple(in *inst) bool {
	if int(in.op) >= len(aluTable) || aluTable[in.op].srcs == 0 {
		return false
	}
	row := &aluTable[in.op]
	b := t.f.b
	if len(in.args) < int(row.srcs) {
		t.arg(in, int(row.srcs)-1)
	}
	x := t.operand(in, 0, row)
	exact := b.Exact
	b.Exact = exact || row.flags&aExact != 0
	var d *ir.Def
	if row.srcs == 1 {
		d = b.ALU(row.op, x)
	} else {
		y := t.operand(in, 1, row)
		if row.flags&aShift != 0 {
			y = t.toU32(y)
		} else if y.BitSize != x.BitSize {
			t.fail(in.id, "%s: the operands have different sizes", in.op)
		}
		if x.NumComponents != y.NumComponents && (in.op != spv.OpVectorTimesScalar || y.NumComponents != 1) {
			t.fail(in.id, "%s: the operands have different component counts", in.op)
		}
		if row.flags&aSwap != 0 {
			x, y = y, x
		}
		d = b.ALU(row.op, x, y)
	}
	if row.flags&aWrap != 0 {
		t.wrapFlags(in, d.Instr)
	}
	if row.flags&aNot != 0 {
		d = b.Inot(d)
	}
	b.Exact = exact
	t.checkResult(in, d, row.flags&aFloat != 0)
	t.set(in, d)
	return true
}

// operand returns operand i of an instruction of the table, checking its class.
func (t *translator) operand(in *inst, i int, row *aluRow) *ir.Def {
	id := in.args[i]
	ty := t.valType(id)
	if !ty.numeric() {
		t.fail(in.id, "%s: operand %d is not a scalar or vector", in.op, i)
	}
	f := row.flags
	if ty.scalarType().encoding != 0 || f&aFloat != 0 && !ty.isFloat() || f&aInt != 0 && !ty.isInt() || f&aBool != 0 && !ty.isBool() {
		t.fail(in.id, "%s: operand %d is of type %s", in.op, i, ty)
	}
	if row.op == ir.OpFquantize2f16 && ty.scalarType().bits != 32 {
		t.fail(in.id, "%s: operand %d is of type %s", in.op, i, ty)
	}
	return t.one(id)
}

func (t *translator) wrapFlags(in *inst, x *ir.Instr) {
	i := t.m.DefIndex(spv.ID(in.id))
	if i < 0 || t.decHead[i] == 0 {
		return
	}
	t.eachDec(i, func(d *decoration) {
		x.NoSignedWrap = x.NoSignedWrap || d.dec == spv.DecorationNoSignedWrap
		x.NoUnsignedWrap = x.NoUnsignedWrap || d.dec == spv.DecorationNoUnsignedWrap
	})
}

// toU32 zero-extends or truncates to 32 bits.
func (t *translator) toU32(d *ir.Def) *ir.Def {
	if d.BitSize == 32 {
		return d
	}
	return t.f.b.U2u32(d)
}

// resize changes the size of an integer.
func (t *translator) resize(d *ir.Def, bits uint8, signed bool) *ir.Def {
	if d.BitSize == bits {
		return d
	}
	return t.f.b.ALU(intResize(bits, signed), d)
}

// reduce joins the components of a vector by an operation.
func (t *translator) reduce(d *ir.Def, op ir.Op) *ir.Def {
	b := t.f.b
	r := b.Channel(d, 0)
	for k := 1; k < int(d.NumComponents); k++ {
		r = b.ALU(op, r, b.Channel(d, k))
	}
	return r
}

// intVector returns a scalar or vector of integers of the given shape (0: any).
func (t *translator) intVector(id uint32, n, bits uint8) *ir.Def {
	d := t.vector(id)
	if !t.valType(id).isInt() || n != 0 && d.NumComponents != n || bits != 0 && d.BitSize != bits {
		t.fail(id, "the operand is not an integer of the wanted shape")
	}
	return d
}

// boolVector returns a scalar or vector of booleans.
func (t *translator) boolVector(id uint32, n uint8) *ir.Def {
	d := t.vector(id)
	if d.BitSize != 1 || n != 0 && d.NumComponents != n {
		t.fail(id, "the operand is not a boolean of the wanted shape")
	}
	return d
}

// aluOther translates arithmetic that takes more than one operation, and reports
// whether the instruction was such.
func (t *translator) aluOther(in *inst) bool {
	b := t.f.b
	switch in.op {
	case spv.OpAny:
		t.set(in, t.reduce(t.boolVector(t.arg(in, 0), 0), ir.OpIor))
	case spv.OpAll:
		t.set(in, t.reduce(t.boolVector(t.arg(in, 0), 0), ir.OpIand))
	case spv.OpIsNan:
		x := t.floatVector(t.arg(in, 0), 0, 0)
		t.set(in, t.exactly(func() *ir.Def { return b.Fneu(x, x) }))
	case spv.OpIsInf:
		x := t.floatVector(t.arg(in, 0), 0, 0)
		t.set(in, t.exactly(func() *ir.Def { return b.Feq(b.Fabs(x), t.infinity(x.BitSize)) }))
	case spv.OpSignBitSet:
		x := t.floatVector(t.arg(in, 0), 0, 0)
		t.set(in, b.Ilt(x, t.f.constant(x.BitSize, 0)))
	case spv.OpFmaKHR:
		t.multiplyAdd(in)
	case spv.OpFDot2MixAcc32VALVE, spv.OpFDot2MixAcc16VALVE, spv.OpFDot4MixAcc32VALVE:
		t.mixedDot(in)
	case spv.OpBFloat16MulAddQCOM:
		t.brainMulAdd(in)
	case spv.OpDot:
		if t.valType(t.arg(in, 0)).scalarType().encoding == bfloat16 {
			t.set(in, t.brainDot(in))
			return true
		}
		x := t.floatVector(t.arg(in, 0), 0, 0)
		t.set(in, t.dot(x, t.floatVector(t.arg(in, 1), x.NumComponents, x.BitSize)))
	case spv.OpIAddCarry, spv.OpISubBorrow, spv.OpUMulExtended, spv.OpSMulExtended:
		t.extended(in)
	case spv.OpBitFieldInsert, spv.OpBitFieldSExtract, spv.OpBitFieldUExtract:
		t.bitField(in)
	case spv.OpBitReverse:
		x := t.intVector(t.arg(in, 0), 0, 0)
		t.set(in, t.bitReverse(x))
	case spv.OpBitCount:
		x := t.intVector(t.arg(in, 0), 0, 0)
		t.setCount(in, b.BitCount(x))
	case spv.OpSDot, spv.OpUDot, spv.OpSUDot, spv.OpSDotAccSat, spv.OpUDotAccSat, spv.OpSUDotAccSat:
		t.integerDot(in)
	default:
		return t.integerFunction(in)
	}
	return true
}

// exactly builds with exact operations.
func (t *translator) exactly(f func() *ir.Def) *ir.Def {
	b := t.f.b
	old := b.Exact
	b.Exact = true
	d := f()
	b.Exact = old
	return d
}

func (t *translator) infinity(bits uint8) *ir.Def {
	switch bits {
	case 16:
		return t.f.constant(16, 0x7c00)
	case 32:
		return t.f.constant(32, 0x7f800000)
	}
	return t.f.constant(64, 0x7ff0000000000000)
}

// extended translates the operations with a result of two halves.
func (t *translator) extended(in *inst) {
	b := t.f.b
	x := t.intVector(t.arg(in, 0), 0, 0)
	y := t.intVector(t.arg(in, 1), x.NumComponents, x.BitSize)
	var lo, hi *ir.Def
	switch in.op {
	case spv.OpIAddCarry:
		lo, hi = b.Iadd(x, y), b.UaddCarry(x, y)
	case spv.OpISubBorrow:
		lo, hi = b.Isub(x, y), b.UsubBorrow(x, y)
	case spv.OpUMulExtended:
		lo, hi = b.Imul(x, y), b.UmulHigh(x, y)
	default:
		lo, hi = b.Imul(x, y), b.ImulHigh(x, y)
	}
	out := t.leaves.Slice(2)
	out[0], out[1] = lo, hi
	t.setLeaves(in, t.typeOf(in.typ), out)
}

// bitField translates the bit field operations. The IR has them for 32 bits;
// other sizes are made of shifts.
func (t *translator) bitField(in *inst) {
	b := t.f.b
	base := t.intVector(t.arg(in, 0), 0, 0)
	k := 1
	var ins *ir.Def
	if in.op == spv.OpBitFieldInsert {
		ins = t.intVector(t.arg(in, 1), base.NumComponents, base.BitSize)
		k = 2
	}
	off := t.toU32(t.intVector(t.arg(in, k), 1, 0))
	n := t.toU32(t.intVector(t.arg(in, k+1), 1, 0))
	if base.BitSize == 32 {
		switch in.op {
		case spv.OpBitFieldInsert:
			t.set(in, b.BitfieldInsert(base, ins, off, n))
		case spv.OpBitFieldSExtract:
			t.set(in, b.IbitfieldExtract(base, off, n))
		default:
			t.set(in, b.UbitfieldExtract(base, off, n))
		}
		return
	}
	w := base.BitSize
	zero := t.f.constant(w, 0)
	none := b.Ieq(n, t.f.u32(0))
	up := b.Isub(t.f.u32(uint32(w)), n) // w - n; n = 0 is selected away
	if in.op == spv.OpBitFieldInsert {
		mask := b.Bcsel(none, zero, b.Ishl(b.Ushr(t.f.constant(w, ^uint64(0)), up), off))
		t.set(in, b.BitfieldSelect(mask, b.Ishl(ins, off), base))
		return
	}
	top := b.Ishl(base, b.Isub(up, off))
	shifted := b.Ushr(top, up)
	if in.op == spv.OpBitFieldSExtract {
		shifted = b.Ishr(top, up)
	}
	t.set(in, b.Bcsel(none, zero, shifted))
}

// bitReverse reverses the bits of any integer by way of 32-bit words.
func (t *translator) bitReverse(x *ir.Def) *ir.Def {
	b := t.f.b
	switch x.BitSize {
	case 32:
		return b.BitfieldReverse(x)
	case 64:
		lo, hi := b.Unpack64_2x32SplitX(x), b.Unpack64_2x32SplitY(x)
		return b.Pack64_2x32Split(b.BitfieldReverse(hi), b.BitfieldReverse(lo))
	}
	r := b.Ushr(b.BitfieldReverse(b.U2u32(x)), t.f.u32(32-uint32(x.BitSize)))
	return t.resize(r, x.BitSize, false)
}

// packedDot is the dot product of packed 4x8 vectors, of which the first and
// second may be signed and the sum saturated.
func packedDot(sx, sy, sat bool) ir.Op {
	switch {
	case sx && sy && sat:
		return ir.OpSdot4x8IaddSat
	case sx && sy:
		return ir.OpSdot4x8Iadd
	case sx && sat:
		return ir.OpSudot4x8IaddSat
	case sx:
		return ir.OpSudot4x8Iadd
	case sat:
		return ir.OpUdot4x8UaddSat
	}
	return ir.OpUdot4x8Uadd
}

// integerDot translates the integer dot products: packed 4x8 by the IR's own
// operations, others by widening.
func (t *translator) integerDot(in *inst) {
	b := t.f.b
	ty := t.typeOf(in.typ)
	x := t.intVector(t.arg(in, 0), 0, 0)
	y := t.intVector(t.arg(in, 1), x.NumComponents, x.BitSize)
	sat := in.op == spv.OpSDotAccSat || in.op == spv.OpUDotAccSat || in.op == spv.OpSUDotAccSat
	sx := in.op != spv.OpUDot && in.op != spv.OpUDotAccSat
	sy := in.op == spv.OpSDot || in.op == spv.OpSDotAccSat
	if ty.kind != tInt {
		t.fail(in.id, "%s: the result type is not an integer", in.op)
	}
	acc := t.f.constant(ty.bits, 0)
	if sat {
		acc = t.intVector(t.arg(in, 2), 1, ty.bits)
	}
	if x.NumComponents == 4 && x.BitSize == 8 && ty.bits == 32 {
		x, y = b.Pack32_4x8(x), b.Pack32_4x8(y)
	}
	if x.NumComponents == 1 && x.BitSize == 32 && ty.bits == 32 {
		t.set(in, b.ALU(packedDot(sx, sy, sat), x, y, acc))
		return
	}
	if x.NumComponents == 1 && x.BitSize == 32 {
		x, y = b.Unpack32_4x8(x), b.Unpack32_4x8(y)
	}
	// The sum of at most 4 products is exact at twice the size; it saturates
	// only when the accumulator is added.
	w := ty.bits
	if w < x.BitSize {
		t.fail(in.id, "%s: the result type is narrower than the operands", in.op)
	}
	var sum *ir.Def
	for k := range int(x.NumComponents) {
		p := b.Imul(t.resize(b.Channel(x, k), w, sx), t.resize(b.Channel(y, k), w, sy))
		if sum == nil {
			sum = p
		} else {
			sum = b.Iadd(sum, p)
		}
	}
	switch {
	case !sat:
	case sx:
		sum = b.IaddSat(sum, acc)
	default:
		sum = b.UaddSat(sum, acc)
	}
	t.set(in, sum)
}
