package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// mixedDot translates the dot products of SPV_VALVE_mixed_float_dot_product: vectors of halves, of bfloat16 or of floats of 8 bits, added to a
// float that may be larger. Products and sums are floats of 32 bits, rounded to the result's in the end.
func (t *translator) mixedDot(in *inst) {
	b := t.f.b
	from, to := t.valType(t.arg(in, 0)), t.typeOf(in.typ)
	elem, other, acc := from.scalarType(), t.valType(t.arg(in, 1)), t.valType(t.arg(in, 2))
	n, bits := uint32(2), uint8(16)
	if in.op == spv.OpFDot4MixAcc32VALVE {
		n, bits = 4, 8
	}
	switch {
	case from.kind != tVector || from.n != n || !elem.isFloat() || elem.bits != bits || !other.isFloat() || other.kind != tVector || other.n != n ||
		other.elem.bits != bits || bits == 16 && !from.sameShape(other): // those of 8 bits may be of both formats
		t.fail(in.id, "%s: the vectors are of types %s and %s", in.op, from, other)
	case to.kind != tFloat || !to.sameShape(acc) || to.encoding != 0 && to.encoding != elem.encoding ||
		to.bits != map[spv.Op]uint8{spv.OpFDot2MixAcc32VALVE: 32, spv.OpFDot2MixAcc16VALVE: 16, spv.OpFDot4MixAcc32VALVE: 32}[in.op]:
		t.fail(in.id, "%s: the result is a %s, the sum before a %s", in.op, to, acc)
	}
	x, y := t.vector(in.args[0]), t.vector(in.args[1])
	sum := t.widened(t.vector(in.args[2]), to)
	for k := range int(n) {
		sum = b.Fadd(sum, b.Fmul(t.widened(b.Channel(x, k), elem), t.widened(b.Channel(y, k), other.elem)))
	}
	t.set(in, t.narrowed(sum, to))
}

// brainMulAdd translates OpBFloat16MulAddQCOM: a product and a sum of bfloat16, rounded in the end.
func (t *translator) brainMulAdd(in *inst) {
	b, ty := t.f.b, t.typeOf(in.typ)
	var x [3]*ir.Def
	for i := range x {
		if from := t.valType(t.arg(in, i)); from.scalarType().encoding != bfloat16 || !from.sameShape(ty) {
			t.fail(in.id, "%s: operand %d is of type %s", in.op, i, from)
		}
		x[i] = t.fromBrain(t.vector(in.args[i]))
	}
	t.set(in, t.toBrain(b.Fadd(b.Fmul(x[0], x[1]), x[2])))
}

// widened is a float of up to 32 bits, of type ty, as one of 32; narrowed one of 32 bits as one of type ty.
func (t *translator) widened(x *ir.Def, ty *typ) *ir.Def {
	switch {
	case ty.encoding != 0:
		return t.fromNarrow(x, ty.encoding)
	case x.BitSize == 16:
		return t.f.b.F2f32(x)
	}
	return x
}

func (t *translator) narrowed(x *ir.Def, ty *typ) *ir.Def {
	switch {
	case ty.encoding != 0:
		return t.toNarrow(x, ty.encoding, false)
	case ty.bits == 16:
		return t.f.b.F2f16(x)
	}
	return x
}
