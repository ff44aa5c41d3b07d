package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/internal/lazy"
	"nirc/ir"
)

// openclPointer translates the functions with a second result, which they store.
func (t *translator) openclPointer(in *inst, n spv.OpenCLstd) bool {
	b := t.f.b
	switch n {
	case spv.OpenCLstdModf:
		x := t.floatLike(in, 0, nil)
		whole := b.Ftrunc(x)
		part := b.Bcsel(b.Feq(b.Fabs(x), t.infinity(x.BitSize)), t.float1(0, x), b.Fsub(x, whole))
		t.twoResults(in, true, t.copySign(part, x), whole)
	case spv.OpenCLstdFract:
		x := t.floatLike(in, 0, nil)
		whole := b.Ffloor(x)
		below := t.f.constant(x.BitSize, ir.FloatBits(1, x.BitSize)-1) // the greatest below 1
		part := t.exactly(func() *ir.Def { return b.Fmin(b.Fsub(x, whole), below) })
		t.twoResults(in, true, b.Bcsel(b.Feq(b.Fabs(x), t.infinity(x.BitSize)), t.float1(0, x), part), whole)
	case spv.OpenCLstdFrexp:
		x := t.floatLike(in, 0, nil)
		t.twoResults(in, true, b.FrexpSig(x), b.FrexpExp(x))
	case spv.OpenCLstdSincos:
		x := t.relaxed(in, n, 0, nil)
		bits := t.typeOf(in.typ).scalarType().bits
		t.twoResults(in, true, t.narrow(b.Fsin(x), bits), t.narrow(b.Fcos(x), bits))
	case spv.OpenCLstdPrefetch: // there are no prefetches
	default:
		return false
	}
	return true
}

// halfVectors are the loads and stores of half floats: whether they store, of vectors, and aligned as those are.
var halfVectors = lazy.Value[map[spv.OpenCLstd]struct{ stores, vector, aligned, rounds bool }]{Make: func() map[spv.OpenCLstd]struct{ stores, vector, aligned, rounds bool } {
	return map[spv.OpenCLstd]struct{ stores, vector, aligned, rounds bool }{
		spv.OpenCLstdVload_half: {}, spv.OpenCLstdVload_halfn: {vector: true}, spv.OpenCLstdVloada_halfn: {vector: true, aligned: true},
		spv.OpenCLstdVstore_half: {stores: true}, spv.OpenCLstdVstore_half_r: {stores: true, rounds: true},
		spv.OpenCLstdVstore_halfn: {stores: true, vector: true}, spv.OpenCLstdVstore_halfn_r: {stores: true, vector: true, rounds: true},
		spv.OpenCLstdVstorea_halfn: {stores: true, vector: true, aligned: true}, spv.OpenCLstdVstorea_halfn_r: {stores: true, vector: true, aligned: true, rounds: true},
	}
}}

// openclMemory translates the loads and stores of vectors at places that are aligned as their components are.
func (t *translator) openclMemory(in *inst, n spv.OpenCLstd) bool {
	b := t.f.b
	switch n {
	case spv.OpenCLstdVloadn:
		ty := t.typeOf(in.typ)
		if ty.kind != tVector {
			t.fail(in.id, "%s of %s", n, ty)
		}
		t.set(in, t.loadComponents(t.arg(in, 1), t.arg(in, 0), ty.elem.ir, uint8(ty.n), uint8(ty.n)))
		return true
	case spv.OpenCLstdVstoren:
		x := t.vector(t.arg(in, 0))
		t.storeComponents(t.arg(in, 2), t.arg(in, 1), t.valType(in.args[0]).scalarType().ir, x, x.NumComponents)
		return true
	}
	row, ok := halfVectors.Get()[n]
	if !ok {
		return false
	}
	half := ir.ScalarType(ir.BaseFloat, 16)
	pitch := func(n uint8) uint8 {
		if row.aligned && n == 3 {
			return 4
		}
		return n
	}
	if !row.stores {
		ty := t.typeOf(in.typ)
		c, bits := ty.shape()
		if !ty.numeric() || !ty.isFloat() || bits != 32 {
			t.fail(in.id, "%s gives %s", n, ty)
		}
		t.set(in, b.F2f32(t.loadComponents(t.arg(in, 1), t.arg(in, 0), half, c, pitch(c))))
		return true
	}
	x := t.floatLike(in, 0, nil)
	op := ir.OpF2f16
	if row.rounds {
		switch m := spv.FPRoundingMode(t.arg(in, 3)); m {
		case spv.FPRoundingModeRTE:
			op = ir.OpF2f16Rtne
		case spv.FPRoundingModeRTZ:
			op = ir.OpF2f16Rtz
		default:
			t.storeComponents(t.arg(in, 2), t.arg(in, 1), half, t.roundedHalf(x, m), pitch(x.NumComponents))
			return true
		}
	}
	t.storeComponents(t.arg(in, 2), t.arg(in, 1), half, b.ALU(op, x), pitch(x.NumComponents))
	return true
}

// roundedHalf rounds to half floats up or down: the nearest, and the next where that lies on the wrong side.
func (t *translator) roundedHalf(x *ir.Def, m spv.FPRoundingMode) *ir.Def {
	b := t.f.b
	near := b.ALU(ir.OpF2f16Rtne, x)
	back := b.ALU(f2fOps[ir.SizeIndex(x.BitSize)], near)
	inf := t.infinity(16)
	if m == spv.FPRoundingModeRTP {
		return b.Bcsel(t.exactly(func() *ir.Def { return b.Flt(back, x) }), t.nextAfter(near, inf), near)
	}
	return b.Bcsel(t.exactly(func() *ir.Def { return b.Flt(x, back) }), t.nextAfter(near, b.Ior(inf, t.f.constant(16, 1<<15))), near)
}

// componentsAt is the pointer p + offset·pitch, as one to elements of a type.
func (t *translator) componentsAt(id, offset uint32, elem *ir.Type, pitch uint8) (d *ir.Def, p *pointer) {
	b := t.f.b
	p = t.anyPtr(id)
	bytes := uint32(elem.Bits) / 8
	d = b.DerefCast(t.pointerValue(p), p.mode, elem, bytes)
	at := t.intVector(offset, 1, 0)
	return b.DerefPtrAsArray(d, b.IMulImm(t.resize(at, d.BitSize, false), int64(pitch))), p
}

func (t *translator) loadComponents(id, offset uint32, elem *ir.Type, n, pitch uint8) *ir.Def {
	b := t.f.b
	d, p := t.componentsAt(id, offset, elem, pitch)
	if n == 1 {
		return b.LoadDeref(d, p.access)
	}
	return b.LoadDeref(t.asVector(d, elem, n), p.access)
}

func (t *translator) storeComponents(id, offset uint32, elem *ir.Type, x *ir.Def, pitch uint8) {
	b := t.f.b
	d, p := t.componentsAt(id, offset, elem, pitch)
	if p.mode&^ir.ModeReadOnly == 0 {
		t.fail(id, "a store into storage that cannot be written (%s)", p.mode)
	}
	if x.NumComponents > 1 {
		d = t.asVector(d, elem, x.NumComponents)
	}
	b.StoreDeref(d, x, 0, p.access)
}

// asVector is a pointer to an element as one to a vector that is aligned as that.
func (t *translator) asVector(d *ir.Def, elem *ir.Type, n uint8) *ir.Def {
	info := ir.DerefInfo{Modes: d.Instr.DerefInfo().Modes, Type: ir.VectorType(elem.Base, elem.Bits, n), PtrStride: uint32(n) * uint32(elem.Bits) / 8, AlignMul: uint32(elem.Bits) / 8}
	return &t.f.b.Insert(t.f.b.Shader.NewDeref(ir.DerefCast, info, d.NumComponents, d.BitSize, d)).Def
}
