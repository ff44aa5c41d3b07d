package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Vectors of more than four components (SPV_EXT_long_vector) are arrays of their components, without gaps in memory. What is done to
// each component by itself is translated component by component, as if the operands were scalars.

// maxLongVector is how many components a vector may have.
const maxLongVector = 1024

// longVectorType translates OpTypeVectorIdEXT.
func (t *translator) longVectorType(in *inst, ty *typ) {
	v := t.val(in.args[1])
	c, ok := v.obj.(*cnst)
	if v.kind != vConst || !ok || c.typ.kind != tInt {
		t.fail(in.id, "the number of components of a vector is not an integer constant")
	}
	n := c.signed()
	if n >= 1 && n <= 4 {
		x := *in
		x.args = []uint32{in.args[0], uint32(n)}
		t.vectorType(&x, ty)
		return
	}
	elem := t.typeOf(in.args[0])
	switch {
	case !elem.isScalar():
		t.fail(in.id, "a vector has components that are scalars")
	case n < 1 || n > maxLongVector:
		t.refuse(in.id, "vectors of %d components are not supported, there are up to %d", n, maxLongVector)
	}
	ty.kind, ty.elem, ty.n, ty.long = tArray, elem, uint32(n), true
	ty.leaves, ty.nodes, ty.depth = ty.n, elem.nodes+1, elem.depth+1
	ty.stride = uint32(elem.bits) / 8
}

// longInst translates the instructions on long vectors that are not those on arrays, and reports whether in was one.
func (t *translator) longInst(in *inst) bool {
	if in.typ == 0 {
		return false
	}
	ty, long := t.typeOf(in.typ), t.longArgs(in)
	if !ty.long && len(long) == 0 {
		return false
	}
	switch in.op {
	case spv.OpLoad, spv.OpCompositeExtract, spv.OpCompositeInsert, spv.OpCopyObject, spv.OpCopyLogical, spv.OpFreezeKHR, spv.OpUndef, spv.OpPoisonKHR, spv.OpPhi, spv.OpFunctionCall,
		spv.OpCompositeConstructReplicateEXT:
		return false
	case spv.OpCompositeConstruct:
		return ty.long && t.longConstruct(in, ty)
	case spv.OpVectorShuffle:
		t.longShuffle(in, ty)
	case spv.OpVectorExtractDynamic, spv.OpVectorInsertDynamic:
		t.longDynamic(in, ty)
	case spv.OpDot, spv.OpAll, spv.OpAny:
		t.longFold(in, ty)
	case spv.OpExtInst:
		if t.extSets[t.index(t.arg(in, 0))] != spv.ExtSetGLSLstd450 {
			return false
		}
		if !t.longGeometric(in, ty, spv.GLSLstd450(t.arg(in, 1))) {
			t.longEach(in, ty, long)
		}
	default:
		if !ty.long {
			t.refuse(in.id, "%s of vectors of more than four components is not supported", in.op)
		}
		t.longEach(in, ty, long)
	}
	return true
}

// longArgs are the operands that are long vectors, by number.
func (t *translator) longArgs(in *inst) (list []int) {
	first := 0
	if in.op == spv.OpExtInst {
		first = 2 // a set and the number of an instruction
	}
	for i := first; i < len(in.args); i++ {
		if k := t.m.DefIndex(spv.ID(in.args[i])); k >= 0 {
			switch v := &t.vals[k]; v.kind {
			case vLeaves, vConst, vUndef:
				if v.typ != nil && v.typ.long {
					list = append(list, i)
				}
			}
		}
		if in.op == spv.OpVectorShuffle && i == 1 || in.op == spv.OpCompositeExtract && i == 0 || in.op == spv.OpCompositeInsert && i == 1 {
			break // literals follow
		}
	}
	return list
}

// longComponents are those of a scalar or vector of any length.
func (t *translator) longComponents(id uint32) []*ir.Def {
	if t.valType(id).long {
		return t.get(id)
	}
	return t.components(t.vector(id))
}

// longConstruct puts scalars and vectors together.
func (t *translator) longConstruct(in *inst, ty *typ) bool {
	out := t.leaves.Slice(t.leafCount(ty))[:0]
	for _, id := range in.args {
		part := t.longComponents(id)
		if e := t.valType(id); len(out)+len(part) > int(ty.n) || !e.sameShape(ty.elem) && (e.elem == nil || !e.elem.sameShape(ty.elem)) {
			t.fail(in.id, "%s: the parts do not fit the vector", in.op)
		}
		out = append(out, part...)
	}
	if len(out) != int(ty.n) {
		t.fail(in.id, "%s: the parts do not fill the vector", in.op)
	}
	t.setLeaves(in, ty, out)
	return true
}

// longShuffle translates OpVectorShuffle where any vector is a long one.
func (t *translator) longShuffle(in *inst, ty *typ) {
	x := append(append([]*ir.Def(nil), t.longComponents(t.arg(in, 0))...), t.longComponents(t.arg(in, 1))...)
	if ty.elem == nil || len(in.args)-2 != int(ty.n) {
		t.fail(in.id, "%s: the operands do not make a vector", in.op)
	}
	out := t.leaves.Slice(int(ty.n))
	for k, c := range in.args[2:] {
		switch {
		case c == 0xffffffff:
			out[k] = t.f.undef(1, x[0].BitSize)
		case int(c) < len(x) && x[c].BitSize == ty.elem.bits:
			out[k] = x[c]
		default:
			t.fail(in.id, "%s: the component %d is out of range", in.op, c)
		}
	}
	if ty.long {
		t.setLeaves(in, ty, out)
	} else {
		t.set(in, t.f.b.Vec(out...))
	}
}

// longDynamic chooses a component by a number that may be computed.
func (t *translator) longDynamic(in *inst, ty *typ) {
	b := t.f.b
	x, insert := t.longComponents(t.arg(in, 0)), in.op == spv.OpVectorInsertDynamic
	at := 1
	if insert {
		at = 2
	}
	n := t.indexDef(t.indexOf(t.arg(in, at)), 32)
	t.spend(len(x))
	if !insert {
		r := x[0]
		for k := 1; k < len(x); k++ {
			r = b.Bcsel(b.Ieq(n, t.f.u32(uint32(k))), x[k], r)
		}
		t.set(in, r)
		return
	}
	v, out := t.one(t.arg(in, 1)), t.leaves.Slice(len(x))
	if !ty.long || v.NumComponents != 1 || v.BitSize != x[0].BitSize {
		t.fail(in.id, "%s: the component does not fit the vector", in.op)
	}
	for k := range x {
		out[k] = b.Bcsel(b.Ieq(n, t.f.u32(uint32(k))), v, x[k])
	}
	t.setLeaves(in, ty, out)
}

// longFold translates what makes one value of all components.
func (t *translator) longFold(in *inst, ty *typ) {
	b := t.f.b
	x := t.longComponents(t.arg(in, 0))
	t.spend(len(x))
	if in.op != spv.OpDot {
		r := x[0]
		for _, v := range x[1:] {
			if in.op == spv.OpAll {
				r = b.Iand(r, v)
			} else {
				r = b.Ior(r, v)
			}
		}
		t.set(in, r)
		return
	}
	y := t.longComponents(t.arg(in, 1))
	if len(x) != len(y) || ty.kind != tFloat || ty.encoding != 0 || x[0].BitSize != ty.bits || y[0].BitSize != ty.bits {
		t.fail(in.id, "%s: the operands do not fit the result", in.op)
	}
	t.set(in, t.longDot(x, y))
}

// longDot sums the products of components.
func (t *translator) longDot(x, y []*ir.Def) *ir.Def {
	b := t.f.b
	r := b.Fmul(x[0], y[0])
	for k := 1; k < len(x); k++ {
		r = b.Fadd(r, b.Fmul(x[k], y[k]))
	}
	return r
}

// longGeometric translates the instructions of GLSL.std.450 that look at vectors as wholes, and reports whether in was one.
func (t *translator) longGeometric(in *inst, ty *typ, op spv.GLSLstd450) bool {
	b := t.f.b
	each := func(f func(k int) *ir.Def) {
		out := t.leaves.Slice(int(ty.n))
		for k := range out {
			out[k] = f(k)
		}
		t.setLeaves(in, ty, out)
	}
	arg := func(i int) []*ir.Def {
		x := t.longComponents(t.arg(in, 2+i))
		if e := t.valType(in.args[2+i]); !e.long || !e.elem.isFloat() || e.elem.encoding != 0 || ty.long && !e.sameShape(ty) || !ty.long && !e.elem.sameShape(ty) {
			t.fail(in.id, "%s: operand %d is of type %s", op, i, e)
		}
		t.spend(len(x))
		return x
	}
	switch op {
	case spv.GLSLstd450Length:
		x := arg(0)
		t.set(in, b.Fsqrt(t.longDot(x, x)))
	case spv.GLSLstd450Distance:
		x, y := arg(0), arg(1)
		if len(x) != len(y) {
			t.fail(in.id, "%s: the operands differ in length", op)
		}
		d := make([]*ir.Def, len(x))
		for k := range d {
			d[k] = b.Fsub(x[k], y[k])
		}
		t.set(in, b.Fsqrt(t.longDot(d, d)))
	case spv.GLSLstd450Normalize:
		x := arg(0)
		over := b.Frsq(t.longDot(x, x))
		each(func(k int) *ir.Def { return b.Fmul(x[k], over) })
	case spv.GLSLstd450FaceForward:
		n, i, like := arg(0), arg(1), arg(2)
		front := b.Flt(t.longDot(like, i), t.f.float(0, n[0].BitSize))
		each(func(k int) *ir.Def { return b.Bcsel(front, n[k], b.Fneg(n[k])) })
	case spv.GLSLstd450Reflect:
		i, n := arg(0), arg(1)
		twice := b.Fmul(t.longDot(n, i), t.f.float(2, n[0].BitSize))
		each(func(k int) *ir.Def { return b.Fsub(i[k], b.Fmul(twice, n[k])) })
	case spv.GLSLstd450Refract, spv.GLSLstd450Cross, spv.GLSLstd450Modf, spv.GLSLstd450ModfStruct, spv.GLSLstd450Frexp, spv.GLSLstd450FrexpStruct,
		spv.GLSLstd450InterpolateAtCentroid, spv.GLSLstd450InterpolateAtSample, spv.GLSLstd450InterpolateAtOffset:
		t.refuse(in.id, "%s of vectors of more than four components is not supported", op)
	default:
		if !ty.long {
			t.refuse(in.id, "%s of vectors of more than four components is not supported", op)
		}
		return false
	}
	return true
}

// longEach translates an instruction for each component: the operands that are long vectors are their components meanwhile.
func (t *translator) longEach(in *inst, ty *typ, long []int) {
	x := *in
	x.typ = ty.elem.id
	if in.op == spv.OpVectorTimesScalar {
		x.op = spv.OpFMul
	}
	parts := make([][]*ir.Def, len(long))
	old := make([]value, len(long))
	types := make([]*typ, len(long))
	for i, k := range long {
		id := in.args[k]
		types[i], parts[i], old[i] = t.valType(id), t.get(id), *t.val(id)
		if types[i].n != ty.n {
			t.fail(in.id, "%s: operand %d has %d components, the result %d", in.op, k, types[i].n, ty.n)
		}
	}
	restore := func() {
		for i, k := range long {
			t.vals[t.index(in.args[k])] = old[i]
		}
	}
	defer restore()
	t.spend(int(ty.n))
	out := make([]*ir.Def, ty.n)
	for c := range out {
		for i, k := range long {
			t.vals[t.index(in.args[k])] = value{kind: vLeaves, typ: types[i].elem, leaves: parts[i][c : c+1 : c+1]}
		}
		one := x // what translates it may change it
		t.instruction(&one)
		out[c] = t.one(in.id)
	}
	t.setLeaves(in, ty, out)
}
