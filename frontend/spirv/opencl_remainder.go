package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/internal/lazy"
	"nirc/ir"
)

// fmod, remainder and remquo of OpenCL, which are exact (OpenCL C 3.0, “Relative Error as ULPs”: 0), whatever the quotient: floats are taken
// for whole numbers times powers of two and divided as by hand, some bits of the quotient at a time. There is no arithmetic of floats, so
// that denormals are right wherever they are lost otherwise.

// floatParts say how floats of a size are made.
type floatParts struct {
	bits, fraction uint8 // all bits, those of the fraction
	work, step     uint8 // the size of the whole numbers, and by how much a remainder can be shifted there
	top            uint64
}

var floatPartsOf = lazy.Value[map[uint8]floatParts]{Make: func() map[uint8]floatParts {
	return map[uint8]floatParts{16: {16, 10, 32, 16, 0x1f}, 32: {32, 23, 32, 8, 0xff}, 64: {64, 52, 64, 11, 0x7ff}}
}}

// openclRemainder translates what gives the rest of a division, and reports whether the instruction was one.
func (t *translator) openclRemainder(in *inst, n spv.OpenCLstd) bool {
	switch n {
	case spv.OpenCLstdFmod, spv.OpenCLstdRemainder, spv.OpenCLstdRemquo:
	default:
		return false
	}
	x := t.floatLike(in, 0, nil)
	r, q := t.divide(x, t.floatLike(in, 1, x), n != spv.OpenCLstdFmod)
	if n != spv.OpenCLstdRemquo {
		t.set(in, r)
		return true
	}
	in.args = append([]uint32{in.args[0]}, in.args[2:]...)
	t.twoResults(in, true, r, q)
	return true
}

// divide returns what is left of x when whole multiples of y are taken away, with x's sign, or with nearest what is nearest to 0, and
// the lower seven bits of how many multiples these are, with the sign of the quotient.
func (t *translator) divide(x, y *ir.Def, nearest bool) (rest, quotient *ir.Def) {
	b, p := t.f.b, floatPartsOf.Get()[x.BitSize]
	c := func(v uint64) *ir.Def { return t.f.constant(p.work, v) }
	x, y = t.resize(x, p.work, false), t.resize(y, p.work, false)
	sign, infinity := c(1<<(p.bits-1)), c(p.top<<p.fraction)
	ax, ay := b.Iand(x, c(1<<(p.bits-1)-1)), b.Iand(y, c(1<<(p.bits-1)-1))
	mx, ex := t.wholeOf(ax, p)
	my, ey := t.wholeOf(ay, p)
	// Both in units of the smaller one; of a y that is more than twice as large it does not matter by how much.
	n := b.Imax(b.Isub(ex, ey), t.f.u32(0))
	my = b.Ishl(my, b.Umin(b.Imax(b.Isub(ey, ex), t.f.u32(0)), t.f.u32(2)))
	r, q := t.longDivision(mx, my, n, p)
	signs := b.Iand(x, sign)
	if nearest {
		twice := b.Iadd(r, r)
		odd := b.Ine(b.Iand(q, t.f.u32(1)), t.f.u32(0))
		more := b.Ior(b.Ult(my, twice), b.Iand(b.Ieq(my, twice), odd))
		r = b.Bcsel(more, b.Isub(my, r), r)
		q = b.Bcsel(more, b.Iadd(q, t.f.u32(1)), q)
		signs = b.Bcsel(more, b.Ixor(signs, sign), signs)
	}
	q = b.Iand(q, t.f.u32(0x7f))
	q = b.Bcsel(b.Ine(b.Iand(b.Ixor(x, y), sign), c(0)), b.Ineg(q), q)
	d := b.Ior(t.floatOf(r, b.Imin(ex, ey), p), signs)
	// A y that is infinite; an x that is, a y of 0, and no numbers.
	far := b.Ieq(ay, infinity)
	d, q = b.Bcsel(far, x, d), b.Bcsel(far, t.f.u32(0), q)
	none := b.Ior(b.Uge(ax, infinity), b.Ior(b.Ieq(ay, c(0)), b.Ult(infinity, ay)))
	d, q = b.Bcsel(none, c(p.top<<p.fraction|1<<(p.fraction-1)), d), b.Bcsel(none, t.f.u32(0), q)
	return t.resize(d, p.bits, false), q
}

// wholeOf is the whole number that a float without its sign is of units of 2^exponent, of its biased exponent, which is 1 of denormals too.
func (t *translator) wholeOf(x *ir.Def, p floatParts) (m, exponent *ir.Def) {
	b := t.f.b
	c := func(v uint64) *ir.Def { return t.f.constant(p.work, v) }
	e := t.toU32(b.Ushr(x, t.f.u32(uint32(p.fraction))))
	m = b.Iand(x, c(1<<p.fraction-1))
	m = b.Bcsel(b.Ieq(e, t.f.u32(0)), m, b.Ior(m, c(1<<p.fraction)))
	return m, b.Umax(e, t.f.u32(1))
}

// floatOf is the float of a whole number, which has no more bits than a significand, of units of 2^exponent.
func (t *translator) floatOf(m, exponent *ir.Def, p floatParts) *ir.Def {
	b := t.f.b
	up := b.Isub(t.f.u32(uint32(p.fraction)), b.UfindMsb(m))
	up = b.Imin(up, b.Isub(exponent, t.f.u32(1)))
	e := t.resize(b.Isub(b.Isub(exponent, up), t.f.u32(1)), p.work, false)
	d := b.Iadd(b.Ishl(m, up), b.Ishl(e, t.f.u32(uint32(p.fraction))))
	zero := t.f.constant(p.work, 0)
	return b.Bcsel(b.Ieq(m, zero), zero, d)
}

// longDivision divides x·2^n by y, which is greater than x if n is not 0, and gives the rest and the lower 32 bits of the quotient.
func (t *translator) longDivision(x, y, n *ir.Def, p floatParts) (rest, quotient *ir.Def) {
	b, comps := t.f.b, x.NumComponents
	local := func(bits uint8, name string, d *ir.Def) *ir.Variable {
		v := b.Impl.NewLocal(ir.VectorType(ir.BaseUint, bits, comps), name)
		b.StoreVar(v, d, 0)
		return v
	}
	first := b.Udiv(x, y)
	r, q, left := local(p.work, "rest", b.Isub(x, b.Imul(first, y))), local(32, "quotient", t.resize(first, 32, false)), local(32, "left", n)
	loop := b.PushLoop()
	todo := b.LoadVar(left)
	done := b.PushIf(b.Ieq(t.reduce(todo, ir.OpIor), t.f.u32(0)))
	b.Jump(ir.JumpBreak)
	b.PopIf(done)
	k := b.Umin(todo, t.f.u32(uint32(p.step)))
	up := b.Ishl(b.LoadVar(r), k)
	part := b.Udiv(up, y)
	b.StoreVar(r, b.Isub(up, b.Imul(part, y)), 0)
	b.StoreVar(q, b.Iadd(b.Ishl(b.LoadVar(q), k), t.resize(part, 32, false)), 0)
	b.StoreVar(left, b.Isub(todo, k), 0)
	b.PopLoop(loop)
	return b.LoadVar(r), b.LoadVar(q)
}
