package spirv

import (
	"math"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// extInst translates OpExtInst.
func (t *translator) extInst(in *inst) {
	set := t.index(t.arg(in, 0))
	switch t.extSets[set] {
	case spv.ExtSetGLSLstd450:
		t.glsl(in, spv.GLSLstd450(t.arg(in, 1)))
		return
	case spv.ExtSetOpenCLstd:
		t.opencl(in, spv.OpenCLstd(t.arg(in, 1)))
		return
	case spv.ExtSetNonSemanticShaderDebugInfo100:
		t.debugInst(in)
		return
	}
	if t.amdSet(in, t.extSets[set]) {
		return
	}
	if t.opts.Printf && isDebugPrintf(&t.m.Insts[set]) {
		t.printf(in)
		return
	}
	switch named, non := t.m.Insts[set].ImportSet(); {
	case non, named == spv.ExtSetDebugInfo, named == spv.ExtSetOpenCLDebugInfo100:
		return // these say nothing about what is computed; lines come from OpLine
	}
	name, _ := t.m.Insts[set].StringArg(0)
	t.refuse(in.id, "the extended instruction set %q is not supported", name)
}

// glslRow says how an instruction of GLSL.std.450 becomes one operation.
type glslRow struct {
	op    ir.Op
	srcs  uint8
	flags aluFlags
}

var glslTable = [...]glslRow{
	spv.GLSLstd450Round:       {ir.OpFroundEven, 1, aFloat},
	spv.GLSLstd450RoundEven:   {ir.OpFroundEven, 1, aFloat},
	spv.GLSLstd450Trunc:       {ir.OpFtrunc, 1, aFloat},
	spv.GLSLstd450FAbs:        {ir.OpFabs, 1, aFloat},
	spv.GLSLstd450SAbs:        {ir.OpIabs, 1, aInt},
	spv.GLSLstd450FSign:       {ir.OpFsign, 1, aFloat},
	spv.GLSLstd450SSign:       {ir.OpIsign, 1, aInt},
	spv.GLSLstd450Floor:       {ir.OpFfloor, 1, aFloat},
	spv.GLSLstd450Ceil:        {ir.OpFceil, 1, aFloat},
	spv.GLSLstd450Fract:       {ir.OpFfract, 1, aFloat},
	spv.GLSLstd450Sin:         {ir.OpFsin, 1, aFloat},
	spv.GLSLstd450Cos:         {ir.OpFcos, 1, aFloat},
	spv.GLSLstd450Pow:         {ir.OpFpow, 2, aFloat},
	spv.GLSLstd450Exp2:        {ir.OpFexp2, 1, aFloat},
	spv.GLSLstd450Log2:        {ir.OpFlog2, 1, aFloat},
	spv.GLSLstd450Sqrt:        {ir.OpFsqrt, 1, aFloat},
	spv.GLSLstd450InverseSqrt: {ir.OpFrsq, 1, aFloat},
	spv.GLSLstd450FMin:        {ir.OpFmin, 2, aFloat},
	spv.GLSLstd450UMin:        {ir.OpUmin, 2, aInt},
	spv.GLSLstd450SMin:        {ir.OpImin, 2, aInt},
	spv.GLSLstd450FMax:        {ir.OpFmax, 2, aFloat},
	spv.GLSLstd450UMax:        {ir.OpUmax, 2, aInt},
	spv.GLSLstd450SMax:        {ir.OpImax, 2, aInt},
	spv.GLSLstd450NMin:        {ir.OpFmin, 2, aFloat | aExact},
	spv.GLSLstd450NMax:        {ir.OpFmax, 2, aFloat | aExact},
	spv.GLSLstd450FMix:        {ir.OpFlrp, 3, aFloat},
	spv.GLSLstd450Fma:         {ir.OpFfma, 3, aFloat},
	spv.GLSLstd450FindILsb:    {ir.OpFindLsb, 1, aInt},
	spv.GLSLstd450FindSMsb:    {ir.OpIfindMsb, 1, aInt},
	spv.GLSLstd450FindUMsb:    {ir.OpUfindMsb, 1, aInt},
}

// glsl translates an instruction of GLSL.std.450.
func (t *translator) glsl(in *inst, n spv.GLSLstd450) {
	in.args = in.args[2:]
	if int(n) < len(glslTable) && glslTable[n].srcs != 0 {
		t.glslSimple(in, n, &glslTable[n])
		return
	}
	for _, f := range []func(*inst, spv.GLSLstd450) bool{t.glslMath, t.glslTrig, t.glslVector, t.glslPack, t.glslOther} {
		if f(in, n) {
			return
		}
	}
	t.refuse(in.id, "GLSL.std.450 instruction %s is not supported", n)
}

func (t *translator) glslSimple(in *inst, n spv.GLSLstd450, row *glslRow) {
	b := t.f.b
	var s [3]*ir.Def
	for k := range int(row.srcs) {
		var prev *ir.Def
		if k > 0 {
			prev = s[0]
		}
		if row.flags&aFloat != 0 {
			s[k] = t.floatLike(in, k, prev)
		} else {
			s[k] = t.intLike(in, k, prev)
		}
	}
	exact := b.Exact
	b.Exact = exact || row.flags&aExact != 0
	d := b.ALU(row.op, s[:row.srcs]...)
	b.Exact = exact
	switch n {
	case spv.GLSLstd450FindILsb, spv.GLSLstd450FindSMsb, spv.GLSLstd450FindUMsb:
		if s[0].BitSize != 32 {
			t.refuse(in.id, "%s of %d bits is not supported", n, s[0].BitSize)
		}
	}
	t.set(in, d)
}

// floatLike returns operand i, a float of like's shape (nil: any).
func (t *translator) floatLike(in *inst, i int, like *ir.Def) *ir.Def {
	if like == nil {
		return t.floatVector(t.arg(in, i), 0, 0)
	}
	return t.floatVector(t.arg(in, i), like.NumComponents, like.BitSize)
}

func (t *translator) intLike(in *inst, i int, like *ir.Def) *ir.Def {
	if like == nil {
		return t.intVector(t.arg(in, i), 0, 0)
	}
	return t.intVector(t.arg(in, i), like.NumComponents, like.BitSize)
}

// float returns a float constant of x's size.
func (t *translator) float1(v float64, x *ir.Def) *ir.Def { return t.f.float(v, x.BitSize) }

// glslMath translates clamps, exponentials and the like.
func (t *translator) glslMath(in *inst, n spv.GLSLstd450) bool {
	b := t.f.b
	switch n {
	case spv.GLSLstd450Radians:
		x := t.floatLike(in, 0, nil)
		t.set(in, b.Fmul(x, t.float1(math.Pi/180, x)))
	case spv.GLSLstd450Degrees:
		x := t.floatLike(in, 0, nil)
		t.set(in, b.Fmul(x, t.float1(180/math.Pi, x)))
	case spv.GLSLstd450Exp:
		x := t.floatLike(in, 0, nil)
		t.set(in, t.exp(x))
	case spv.GLSLstd450Log:
		x := t.floatLike(in, 0, nil)
		t.set(in, t.ln(x))
	case spv.GLSLstd450FClamp, spv.GLSLstd450NClamp:
		x := t.floatLike(in, 0, nil)
		lo, hi := t.floatLike(in, 1, x), t.floatLike(in, 2, x)
		if n == spv.GLSLstd450NClamp {
			t.set(in, t.exactly(func() *ir.Def { return b.Fmin(b.Fmax(x, lo), hi) }))
			return true
		}
		t.set(in, b.Fmin(b.Fmax(x, lo), hi))
	case spv.GLSLstd450UClamp:
		x := t.intLike(in, 0, nil)
		t.set(in, b.Umin(b.Umax(x, t.intLike(in, 1, x)), t.intLike(in, 2, x)))
	case spv.GLSLstd450SClamp:
		x := t.intLike(in, 0, nil)
		t.set(in, b.Imin(b.Imax(x, t.intLike(in, 1, x)), t.intLike(in, 2, x)))
	case spv.GLSLstd450Step:
		edge := t.floatLike(in, 0, nil)
		x := t.floatLike(in, 1, edge)
		less := t.exactly(func() *ir.Def { return b.Flt(x, edge) })
		t.set(in, b.Bcsel(less, t.float1(0, x), t.float1(1, x)))
	case spv.GLSLstd450SmoothStep:
		e0 := t.floatLike(in, 0, nil)
		e1, x := t.floatLike(in, 1, e0), t.floatLike(in, 2, e0)
		s := b.Fsat(b.Fdiv(b.Fsub(x, e0), b.Fsub(e1, e0)))
		t.set(in, b.Fmul(b.Fmul(s, s), b.Fsub(t.float1(3, x), b.Fmul(t.float1(2, x), s))))
	default:
		return false
	}
	return true
}

// exp is e^x, ln the natural logarithm.
func (t *translator) exp(x *ir.Def) *ir.Def {
	return t.f.b.Fexp2(t.f.b.Fmul(x, t.float1(math.Log2E, x)))
}

func (t *translator) ln(x *ir.Def) *ir.Def {
	return t.f.b.Fmul(t.f.b.Flog2(x), t.float1(math.Ln2, x))
}

// glslVector translates the geometric functions and those on matrices.
func (t *translator) glslVector(in *inst, n spv.GLSLstd450) bool {
	b := t.f.b
	switch n {
	case spv.GLSLstd450Length:
		t.set(in, t.length(t.floatLike(in, 0, nil)))
	case spv.GLSLstd450Distance:
		x := t.floatLike(in, 0, nil)
		t.set(in, t.length(b.Fsub(x, t.floatLike(in, 1, x))))
	case spv.GLSLstd450Normalize:
		x := t.floatLike(in, 0, nil)
		if x.NumComponents == 1 {
			t.set(in, b.Fsign(x))
			return true
		}
		t.set(in, b.Fmul(x, b.Frsq(t.dot(x, x))))
	case spv.GLSLstd450Cross:
		x := t.floatVector(t.arg(in, 0), 3, 0)
		y := t.floatLike(in, 1, x)
		p := b.Fmul(b.Swizzle(x, 1, 2, 0), b.Swizzle(y, 2, 0, 1))
		t.set(in, b.Fsub(p, b.Fmul(b.Swizzle(x, 2, 0, 1), b.Swizzle(y, 1, 2, 0))))
	case spv.GLSLstd450FaceForward:
		x := t.floatLike(in, 0, nil)
		i, ref := t.floatLike(in, 1, x), t.floatLike(in, 2, x)
		t.set(in, b.Bcsel(b.Flt(t.dot(ref, i), t.float1(0, x)), x, b.Fneg(x)))
	case spv.GLSLstd450Reflect:
		i := t.floatLike(in, 0, nil)
		nn := t.floatLike(in, 1, i)
		d := b.Fmul(t.float1(2, i), t.dot(nn, i))
		t.set(in, b.Fsub(i, b.Fmul(nn, d)))
	case spv.GLSLstd450Refract:
		t.set(in, t.refract(in))
	case spv.GLSLstd450Determinant:
		m, bits := t.square(in)
		t.set(in, t.narrow(t.determinant(m), bits))
	case spv.GLSLstd450MatrixInverse:
		m, bits := t.square(in)
		inv := t.inverse(m)
		for k := range inv {
			inv[k] = t.narrow(inv[k], bits)
		}
		t.setLeaves(in, t.typeOf(in.typ), inv)
	default:
		return false
	}
	return true
}

// square returns operand 0, a square matrix, and the size of its components.
// One of 16 bits comes at 32: sums of products would cancel too much.
func (t *translator) square(in *inst) (m []*ir.Def, bits uint8) {
	cols := t.columns(t.arg(in, 0))
	if len(cols) != int(cols[0].NumComponents) {
		t.fail(in.id, "a square matrix is wanted")
	}
	m = t.leaves.Slice(len(cols))
	for k, c := range cols {
		m[k] = t.widen(c)
	}
	return m, cols[0].BitSize
}

func (t *translator) length(x *ir.Def) *ir.Def {
	if x.NumComponents == 1 {
		return t.f.b.Fabs(x)
	}
	return t.f.b.Fsqrt(t.dot(x, x))
}

func (t *translator) refract(in *inst) *ir.Def {
	b := t.f.b
	i := t.floatLike(in, 0, nil)
	n := t.floatLike(in, 1, i)
	eta := t.scalar(t.arg(in, 2))
	if eta.BitSize != i.BitSize {
		if eta.BitSize < 16 || !t.valType(in.args[2]).isFloat() {
			t.fail(in.id, "the ratio of indices is not a float")
		}
		eta = b.ALU(f2fOps[ir.SizeIndex(i.BitSize)], eta)
	}
	d := t.dot(n, i)
	one := t.float1(1, i)
	k := b.Fsub(one, b.Fmul(b.Fmul(eta, eta), b.Fsub(one, b.Fmul(d, d))))
	r := b.Fsub(b.Fmul(i, eta), b.Fmul(n, b.Fadd(b.Fmul(eta, d), b.Fsqrt(k))))
	return b.Bcsel(b.Flt(k, t.float1(0, i)), t.float1(0, i), r)
}
