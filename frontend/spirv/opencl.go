package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// openclTable has the instructions of OpenCL.std (OpenCL Extended Instruction Set Specification) that become one operation.
var openclTable = [...]glslRow{
	spv.OpenCLstdCeil:          {ir.OpFceil, 1, aFloat},
	spv.OpenCLstdFabs:          {ir.OpFabs, 1, aFloat},
	spv.OpenCLstdFloor:         {ir.OpFfloor, 1, aFloat},
	spv.OpenCLstdFmax:          {ir.OpFmax, 2, aFloat | aExact},
	spv.OpenCLstdFmin:          {ir.OpFmin, 2, aFloat | aExact},
	spv.OpenCLstdRint:          {ir.OpFroundEven, 1, aFloat},
	spv.OpenCLstdRsqrt:         {ir.OpFrsq, 1, aFloat},
	spv.OpenCLstdSqrt:          {ir.OpFsqrt, 1, aFloat},
	spv.OpenCLstdTrunc:         {ir.OpFtrunc, 1, aFloat},
	spv.OpenCLstdHalf_sqrt:     {ir.OpFsqrt, 1, aFloat},
	spv.OpenCLstdHalf_rsqrt:    {ir.OpFrsq, 1, aFloat},
	spv.OpenCLstdHalf_recip:    {ir.OpFrcp, 1, aFloat},
	spv.OpenCLstdHalf_divide:   {ir.OpFdiv, 2, aFloat},
	spv.OpenCLstdNative_sqrt:   {ir.OpFsqrt, 1, aFloat},
	spv.OpenCLstdNative_rsqrt:  {ir.OpFrsq, 1, aFloat},
	spv.OpenCLstdNative_recip:  {ir.OpFrcp, 1, aFloat},
	spv.OpenCLstdNative_divide: {ir.OpFdiv, 2, aFloat},
	spv.OpenCLstdFmax_common:   {ir.OpFmax, 2, aFloat},
	spv.OpenCLstdFmin_common:   {ir.OpFmin, 2, aFloat},
	spv.OpenCLstdMix:           {ir.OpFlrp, 3, aFloat},
	spv.OpenCLstdSign:          {ir.OpFsign, 1, aFloat},

	spv.OpenCLstdS_abs:      {ir.OpIabs, 1, aInt},
	spv.OpenCLstdU_abs:      {ir.OpMov, 1, aInt},
	spv.OpenCLstdS_abs_diff: {ir.OpUabsIsub, 2, aInt},
	spv.OpenCLstdU_abs_diff: {ir.OpUabsUsub, 2, aInt},
	spv.OpenCLstdS_add_sat:  {ir.OpIaddSat, 2, aInt},
	spv.OpenCLstdU_add_sat:  {ir.OpUaddSat, 2, aInt},
	spv.OpenCLstdS_sub_sat:  {ir.OpIsubSat, 2, aInt},
	spv.OpenCLstdU_sub_sat:  {ir.OpUsubSat, 2, aInt},
	spv.OpenCLstdS_hadd:     {ir.OpIhadd, 2, aInt},
	spv.OpenCLstdU_hadd:     {ir.OpUhadd, 2, aInt},
	spv.OpenCLstdS_rhadd:    {ir.OpIrhadd, 2, aInt},
	spv.OpenCLstdU_rhadd:    {ir.OpUrhadd, 2, aInt},
	spv.OpenCLstdS_max:      {ir.OpImax, 2, aInt},
	spv.OpenCLstdU_max:      {ir.OpUmax, 2, aInt},
	spv.OpenCLstdS_min:      {ir.OpImin, 2, aInt},
	spv.OpenCLstdU_min:      {ir.OpUmin, 2, aInt},
	spv.OpenCLstdS_mul24:    {ir.OpImul, 2, aInt}, // beyond 24 bits the result is the implementation's
	spv.OpenCLstdU_mul24:    {ir.OpImul, 2, aInt},
	spv.OpenCLstdBitselect:  {},
}

// opencl translates an instruction of OpenCL.std.
func (t *translator) opencl(in *inst, n spv.OpenCLstd) {
	in.args = in.args[2:]
	if int(n) < len(openclTable) && openclTable[n].srcs != 0 {
		t.openclSimple(in, &openclTable[n])
		return
	}
	if n == spv.OpenCLstdPrintf {
		t.openclPrintf(in)
		return
	}
	for _, f := range []func(*inst, spv.OpenCLstd) bool{t.openclInt, t.openclCommon, t.openclRemainder, t.openclExp, t.openclTrig, t.openclBits, t.openclPointer, t.openclMemory, t.openclVector} {
		if f(in, n) {
			return
		}
	}
	t.refuse(in.id, "OpenCL.std instruction %s is not supported", n)
}

func (t *translator) openclSimple(in *inst, row *glslRow) {
	b := t.f.b
	var s [3]*ir.Def
	for k := range int(row.srcs) {
		var like *ir.Def
		if k > 0 {
			like = s[0]
		}
		if row.flags&aFloat != 0 {
			s[k] = t.floatLike(in, k, like)
		} else {
			s[k] = t.intLike(in, k, like)
		}
	}
	if s[0].BitSize == 8 && row.flags&aInt != 0 {
		if d := t.saturatedBytes(row.op, s[0], s[1]); d != nil {
			t.set(in, d)
			return
		}
	}
	exact := b.Exact
	b.Exact = exact || row.flags&aExact != 0
	d := b.ALU(row.op, s[:row.srcs]...)
	b.Exact = exact
	t.set(in, d)
}

// saturatedBytes is a saturated sum or difference of bytes, in 16 bits; nil of other operations.
func (t *translator) saturatedBytes(op ir.Op, x, y *ir.Def) *ir.Def {
	b := t.f.b
	signed, low, high := op == ir.OpIaddSat || op == ir.OpIsubSat, int64(0), int64(255)
	if signed {
		low, high = -128, 127
	}
	wide := func() (p, q *ir.Def) { return t.resize(x, 16, signed), t.resize(y, 16, signed) }
	var d *ir.Def
	switch op {
	case ir.OpIaddSat, ir.OpUaddSat:
		d = b.Iadd(wide())
	case ir.OpIsubSat, ir.OpUsubSat:
		d = b.Isub(wide())
	default:
		return nil
	}
	return b.U2u8(b.Imin(b.Imax(d, b.ImmInt(low, 16)), b.ImmInt(high, 16)))
}

// openclInt translates the functions on integers.
func (t *translator) openclInt(in *inst, n spv.OpenCLstd) bool {
	b := t.f.b
	sign := false
	switch n {
	case spv.OpenCLstdS_clamp:
		x := t.intLike(in, 0, nil)
		t.set(in, b.Imin(b.Imax(x, t.intLike(in, 1, x)), t.intLike(in, 2, x)))
	case spv.OpenCLstdU_clamp:
		x := t.intLike(in, 0, nil)
		t.set(in, b.Umin(b.Umax(x, t.intLike(in, 1, x)), t.intLike(in, 2, x)))
	case spv.OpenCLstdClz:
		x := t.intLike(in, 0, nil)
		t.set(in, t.resize(b.Isub(t.f.u32(uint32(x.BitSize)-1), b.UfindMsb(t.resize(x, max(32, x.BitSize), false))), x.BitSize, false))
	case spv.OpenCLstdCtz:
		x := t.intLike(in, 0, nil)
		t.set(in, t.resize(b.Umin(b.FindLsb(x), t.f.u32(uint32(x.BitSize))), x.BitSize, false)) // -1 is the most
	case spv.OpenCLstdPopcount:
		x := t.intLike(in, 0, nil)
		t.set(in, t.resize(b.BitCount(x), x.BitSize, false))
	case spv.OpenCLstdRotate:
		x := t.intLike(in, 0, nil)
		k := t.toU32(t.intLike(in, 1, x))
		t.set(in, b.Ior(b.Ishl(x, k), b.Ushr(x, b.Ineg(k)))) // counts are by the size
	case spv.OpenCLstdS_mul_hi, spv.OpenCLstdU_mul_hi:
		x := t.intLike(in, 0, nil)
		t.set(in, t.mulHigh(x, t.intLike(in, 1, x), n == spv.OpenCLstdS_mul_hi))
	case spv.OpenCLstdS_mad_hi, spv.OpenCLstdU_mad_hi:
		x := t.intLike(in, 0, nil)
		t.set(in, b.Iadd(t.mulHigh(x, t.intLike(in, 1, x), n == spv.OpenCLstdS_mad_hi), t.intLike(in, 2, x)))
	case spv.OpenCLstdS_mad_sat:
		x := t.intLike(in, 0, nil)
		t.set(in, t.madSat(x, t.intLike(in, 1, x), t.intLike(in, 2, x)))
	case spv.OpenCLstdU_mad_sat:
		x := t.intLike(in, 0, nil)
		y, z := t.intLike(in, 1, x), t.intLike(in, 2, x)
		low := b.Imul(x, y)
		sum := b.Iadd(low, z)
		over := b.Ior(b.Ine(t.mulHigh(x, y, false), t.f.constant(x.BitSize, 0)), b.Ult(sum, low))
		t.set(in, b.Bcsel(over, t.f.constant(x.BitSize, ^uint64(0)>>(64-x.BitSize)), sum))
	case spv.OpenCLstdS_mad24, spv.OpenCLstdU_mad24:
		x := t.intLike(in, 0, nil)
		t.set(in, b.Iadd(b.Imul(x, t.intLike(in, 1, x)), t.intLike(in, 2, x)))
	case spv.OpenCLstdS_upsample:
		sign = true
		fallthrough
	case spv.OpenCLstdU_upsample:
		hi := t.intLike(in, 0, nil)
		lo := t.intLike(in, 1, hi)
		bits := 2 * hi.BitSize
		if bits > 64 {
			t.fail(in.id, "%s of %d bits", n, hi.BitSize)
		}
		t.set(in, b.Ior(b.Ishl(t.resize(hi, bits, sign), t.f.u32(uint32(hi.BitSize))), t.resize(lo, bits, false)))
	default:
		return false
	}
	return true
}

// mulHigh is the upper half of a product.
func (t *translator) mulHigh(x, y *ir.Def, signed bool) *ir.Def {
	b := t.f.b
	if w := x.BitSize; w < 32 { // the whole product fits
		p := b.Imul(t.resize(x, 32, signed), t.resize(y, 32, signed))
		return t.resize(b.Ushr(p, t.f.u32(uint32(w))), w, false)
	}
	if signed {
		return b.ImulHigh(x, y)
	}
	return b.UmulHigh(x, y)
}

// madSat is x·y + z held to the signed range.
func (t *translator) madSat(x, y, z *ir.Def) *ir.Def {
	b, w := t.f.b, x.BitSize
	zero, top := t.f.constant(w, 0), t.f.u32(uint32(w)-1)
	low := b.Imul(x, y)
	sum := b.Iadd(low, z)
	carry := b.Bcsel(b.Ult(sum, low), t.f.constant(w, 1), zero)
	high := b.Iadd(b.Iadd(t.mulHigh(x, y, true), b.Ishr(z, top)), carry)
	least := t.f.constant(w, 1<<(w-1))
	limit := b.Bcsel(b.Ilt(high, zero), least, t.f.constant(w, 1<<(w-1)-1))
	return b.Bcsel(b.Ieq(high, b.Ishr(sum, top)), sum, limit)
}

// openclVector translates the functions on whole vectors and on bits.
func (t *translator) openclVector(in *inst, n spv.OpenCLstd) bool {
	b := t.f.b
	switch n {
	case spv.OpenCLstdCross:
		x := t.floatLike(in, 0, nil)
		y := t.floatLike(in, 1, x)
		if x.NumComponents != 3 && x.NumComponents != 4 {
			t.fail(in.id, "%s of %d components", n, x.NumComponents)
		}
		x3, y3 := b.Swizzle(x, 0, 1, 2), b.Swizzle(y, 0, 1, 2)
		p := b.Fmul(b.Swizzle(x3, 1, 2, 0), b.Swizzle(y3, 2, 0, 1))
		r := b.Fsub(p, b.Fmul(b.Swizzle(x3, 2, 0, 1), b.Swizzle(y3, 1, 2, 0)))
		if x.NumComponents == 4 {
			r = b.Vec(b.Channel(r, 0), b.Channel(r, 1), b.Channel(r, 2), t.float1(0, x))
		}
		t.set(in, r)
	case spv.OpenCLstdDistance, spv.OpenCLstdFast_distance:
		x := t.floatLike(in, 0, nil)
		t.set(in, t.length(b.Fsub(x, t.floatLike(in, 1, x))))
	case spv.OpenCLstdLength, spv.OpenCLstdFast_length:
		t.set(in, t.length(t.floatLike(in, 0, nil)))
	case spv.OpenCLstdNormalize, spv.OpenCLstdFast_normalize:
		x := t.floatLike(in, 0, nil)
		if x.NumComponents == 1 {
			t.set(in, b.Fsign(x))
			return true
		}
		d := t.dot(x, x)
		t.set(in, b.Bcsel(b.Feq(d, t.float1(0, d)), x, b.Fmul(x, b.Frsq(d))))
	case spv.OpenCLstdBitselect:
		x := t.vector(t.arg(in, 0))
		y, c := t.like(in, 1, x), t.like(in, 2, x)
		t.set(in, b.BitfieldSelect(c, y, x))
	case spv.OpenCLstdSelect:
		x := t.vector(t.arg(in, 0))
		y, c := t.like(in, 1, x), t.intVector(t.arg(in, 2), x.NumComponents, x.BitSize)
		zero := t.f.constant(c.BitSize, 0)
		chosen := b.Ilt(c, zero) // vectors go by the upper bit
		if c.NumComponents == 1 {
			chosen = b.Ine(c, zero)
		}
		t.set(in, b.Bcsel(chosen, y, x))
	case spv.OpenCLstdShuffle:
		t.shuffle(in, t.vector(t.arg(in, 0)), t.intVector(t.arg(in, 1), 0, 0))
	case spv.OpenCLstdShuffle2:
		x := t.vector(t.arg(in, 0))
		y := t.like(in, 1, x)
		all := append(t.components(x), t.components(y)...)
		if len(all) > 16 { // the upper half by a choice
			t.shuffleWide(in, x, y, t.intVector(t.arg(in, 2), 0, 0))
			return true
		}
		t.shuffle(in, t.joined(all), t.intVector(t.arg(in, 2), 0, 0))
	default:
		return false
	}
	return true
}

// like is operand i, a number of x's shape.
func (t *translator) like(in *inst, i int, x *ir.Def) *ir.Def {
	d := t.vector(t.arg(in, i))
	if d.NumComponents != x.NumComponents || d.BitSize != x.BitSize {
		t.fail(in.id, "%s: operand %d does not have the shape of the first", in.op, i)
	}
	return d
}

func (t *translator) components(x *ir.Def) []*ir.Def {
	list := make([]*ir.Def, x.NumComponents)
	for k := range list {
		list[k] = t.f.b.Channel(x, k)
	}
	return list
}

// joined is a vector of components, filled up to a size that vectors have.
func (t *translator) joined(list []*ir.Def) *ir.Def {
	for n := len(list); n > 5 && n != 8 && n != 16; n = len(list) {
		list = append(list, list[0])
	}
	return t.f.b.Vec(list...)
}

// shuffle chooses components by the lower bits of a mask.
func (t *translator) shuffle(in *inst, x, mask *ir.Def) {
	n := uint64(x.NumComponents)
	out := make([]*ir.Def, mask.NumComponents)
	for k := range out {
		m := t.toU32(t.f.b.Channel(mask, k))
		if c, ok := mask.Const(k); ok {
			m = t.f.u32(uint32(c & (n - 1)))
		} else {
			m = t.f.b.Iand(m, t.f.u32(uint32(n-1)))
		}
		out[k] = t.extract(x, m)
	}
	t.set(in, t.f.b.Vec(out...))
}

// shuffleWide is shuffle of two vectors of 16 components.
func (t *translator) shuffleWide(in *inst, x, y, mask *ir.Def) {
	b := t.f.b
	n := uint32(x.NumComponents)
	out := make([]*ir.Def, mask.NumComponents)
	for k := range out {
		m := t.toU32(b.Channel(mask, k))
		low := b.Iand(m, t.f.u32(n-1))
		upper := b.Ine(b.Iand(m, t.f.u32(n)), t.f.u32(0))
		out[k] = b.Bcsel(upper, t.extract(y, low), t.extract(x, low))
	}
	t.set(in, b.Vec(out...))
}
