package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// pairOps are the operations of SPV_INTEL_shader_integer_functions2 on two integers of a size, in the order of their opcodes.
var pairOps = [...]ir.Op{
	ir.OpUabsIsub, ir.OpUabsUsub, ir.OpIaddSat, ir.OpUaddSat, ir.OpIhadd, ir.OpUhadd, ir.OpIrhadd, ir.OpUrhadd, ir.OpIsubSat, ir.OpUsubSat,
}

// integerFunction translates an instruction of SPV_INTEL_shader_integer_functions2 (capability IntegerFunctions2INTEL) and
// reports whether it was one.
func (t *translator) integerFunction(in *inst) bool {
	b := t.f.b
	switch op := in.op; op {
	case spv.OpUCountLeadingZerosINTEL:
		x := t.intVector(t.arg(in, 0), 0, 0)
		if x.BitSize == 64 {
			t.setCount(in, b.Isub(t.f.constant(32, 63), b.UfindMsb(x))) // -1 of zero
			break
		}
		n := b.Uclz(t.toU32(x))
		if x.BitSize < 32 {
			n = b.Isub(n, t.f.constant(32, 32-uint64(x.BitSize)))
		}
		t.setCount(in, n)
	case spv.OpUCountTrailingZerosINTEL:
		x := t.intVector(t.arg(in, 0), 0, 0)
		t.setCount(in, b.Umin(b.FindLsb(x), t.f.constant(32, uint64(x.BitSize))))
	case spv.OpIMul32x16INTEL, spv.OpUMul32x16INTEL:
		x := t.intVector(t.arg(in, 0), 0, 32)
		y := t.intVector(t.arg(in, 1), x.NumComponents, 0)
		if y.BitSize != 16 && y.BitSize != 32 {
			t.fail(in.id, "%s: operand 2 has %d bits, not 16 or 32", op, y.BitSize)
		}
		t.set(in, b.Imul(x, t.resize(t.resize(y, 16, false), 32, op == spv.OpIMul32x16INTEL)))
	default:
		if op < spv.OpAbsISubINTEL || op > spv.OpUSubSatINTEL {
			return false
		}
		x := t.intVector(t.arg(in, 0), 0, 0)
		t.set(in, b.ALU(pairOps[op-spv.OpAbsISubINTEL], x, t.intVector(t.arg(in, 1), x.NumComponents, x.BitSize)))
	}
	return true
}

// setCount gives an instruction a count of bits, in the size of its result.
func (t *translator) setCount(in *inst, n *ir.Def) {
	t.set(in, t.resize(n, t.typeOf(in.typ).scalarType().bits, false))
}
