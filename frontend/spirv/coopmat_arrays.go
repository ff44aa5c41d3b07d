package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Matrices of arrays, of which each lane of the subgroup has a row, or of a B a column (SPV_QCOM_cooperative_matrix_conversion).

// coopArray translates the instructions on arrays beside matrices, and reports whether in was one.
func (t *translator) coopArray(in *inst) bool {
	switch in.op {
	case spv.OpBitCastArrayQCOM:
		ty := t.numbersResult(in)
		from, x := t.numbersOf(in, 0)
		if uint64(from.n)*uint64(from.elem.bits) != uint64(ty.n)*uint64(ty.elem.bits) {
			t.fail(in.id, "%s: operand 0 is of type %s", in.op, from)
		}
		t.setLeaves(in, ty, t.recut(x, from.elem.bits, ty.elem.bits, ty.n))
	case spv.OpExtractSubArrayQCOM:
		t.subArray(in)
	case spv.OpCompositeConstructCoopMatQCOM:
		t.coopOfArray(in)
	case spv.OpCompositeExtractCoopMatQCOM:
		t.arrayOfCoop(in)
	default:
		return false
	}
	return true
}

// numbers reports whether a type is an array of numbers of 8, 16 or 32 bits.
func numbers(ty *typ) bool {
	return ty.kind == tArray && ty.coop == nil && (ty.elem.kind == tInt || ty.elem.kind == tFloat) && ty.elem.encoding == 0 && ty.elem.bits <= 32
}

func (t *translator) numbersResult(in *inst) *typ {
	ty := t.typeOf(in.typ)
	if !numbers(ty) {
		t.fail(in.id, "%s: the type %s is no array of numbers", in.op, ty)
	}
	return ty
}

func (t *translator) numbersOf(in *inst, i int) (*typ, []*ir.Def) {
	id := t.arg(in, i)
	ty := t.valType(id)
	if !numbers(ty) {
		t.fail(in.id, "%s: operand %d is of type %s", in.op, i, ty)
	}
	return ty, t.get(id)
}

// recut cuts numbers of some bits into n of others, the lowest bits first.
func (t *translator) recut(x []*ir.Def, from, to uint8, n uint32) []*ir.Def {
	b := t.f.b
	out := t.leaves.Slice(int(n))
	t.spend(len(x) + int(n))
	for k := range out {
		switch {
		case from == to:
			out[k] = x[k]
		case from > to:
			per := int(from / to)
			out[k] = t.resize(b.Ushr(x[k/per], t.f.u32(uint32(k%per)*uint32(to))), to, false)
		default:
			per := int(to / from)
			for j := range per {
				v := t.resize(x[k*per+j], to, false)
				if j == 0 {
					out[k] = v
				} else {
					out[k] = b.Ior(out[k], b.Ishl(v, t.f.u32(uint32(j)*uint32(from))))
				}
			}
		}
	}
	return out
}

// subArray translates OpExtractSubArrayQCOM, whose first index may be computed.
func (t *translator) subArray(in *inst) {
	b, ty := t.f.b, t.numbersResult(in)
	from, x := t.numbersOf(in, 0)
	if !from.elem.sameShape(ty.elem) || ty.n > from.n {
		t.fail(in.id, "%s: operand 0 is of type %s", in.op, from)
	}
	at := t.intVector(t.arg(in, 1), 1, 32)
	t.spend(int(ty.n) * int(from.n-ty.n+1))
	out := t.leaves.Slice(int(ty.n))
	for k := range out {
		out[k] = x[k]
		for s := uint32(1); s+ty.n <= from.n; s++ {
			out[k] = b.Bcsel(b.Ieq(at, t.f.u32(s)), x[int(s)+k], out[k])
		}
	}
	t.setLeaves(in, ty, out)
}

// coopLanesOf describes the arrays of all lanes as a matrix: lane i holds row i, or column i of a B, in its places in order.
func (t *translator) coopLanesOf(in *inst, m *coopMatrix, ty *typ, elem *typ) *coopMatrix {
	a := &coopMatrix{rows: m.lanes, cols: m.cols, use: spv.CooperativeMatrixUseMatrixAKHR, lanes: m.lanes, row: m.lanes}
	count, length := m.rows, m.cols
	if m.use == spv.CooperativeMatrixUseMatrixBKHR {
		*a = coopMatrix{rows: m.rows, cols: m.lanes, use: m.use, lanes: m.lanes, row: m.lanes}
		count, length = m.cols, m.rows
	}
	packed := ty.elem.kind == tInt && ty.elem.bits == 32
	switch {
	case m.use == anyUse || !(ty.elem.sameShape(elem) || packed) || uint64(ty.n)*uint64(ty.elem.bits) != uint64(length)*uint64(elem.bits):
		t.fail(in.id, "%s: an array of type %s for a matrix of %d x %d", in.op, ty, m.rows, m.cols)
	case count > m.lanes:
		t.refuse(in.id, "%s is not supported: each of %d arrays is a lane's, and %d lanes share a matrix", in.op, count, m.lanes)
	}
	return a
}

// coopOfArray translates OpCompositeConstructCoopMatQCOM.
func (t *translator) coopOfArray(in *inst) {
	ty := t.coopResult(in)
	from, x := t.numbersOf(in, 0)
	a := t.coopLanesOf(in, ty.coop, from, ty.elem)
	length := a.cols
	if a.use == spv.CooperativeMatrixUseMatrixBKHR {
		length = a.rows
	}
	f := sameFrom
	f.firstGroup = true
	t.setLeaves(in, ty, t.coopGather(a, t.recut(x, from.elem.bits, ty.elem.bits, length), ty.coop, ty.n, f))
}

// arrayOfCoop translates OpCompositeExtractCoopMatQCOM. Lanes beyond the matrix get its last row or column.
func (t *translator) arrayOfCoop(in *inst) {
	ty := t.numbersResult(in)
	from, x := t.coopOf(in, 0, nil)
	a := t.coopLanesOf(in, from.coop, ty, from.elem)
	length := a.cols
	f := coopFrom{scale: [2]uint32{1, 1}, most: [2]uint32{from.coop.rows - 1, from.coop.cols - 1}}
	if a.use == spv.CooperativeMatrixUseMatrixBKHR {
		length = a.rows
	}
	t.setLeaves(in, ty, t.recut(t.coopGather(from.coop, x, a, length, f), from.elem.bits, ty.elem.bits, ty.n))
}
