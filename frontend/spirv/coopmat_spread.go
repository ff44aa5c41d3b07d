package spirv

import (
	"slices"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// What moves the components of cooperative matrices between lanes, or calls functions of them (SPV_NV_cooperative_matrix2 and
// what became of it in Vulkan's VK_EXT_cooperative_matrix_maintenance1): other uses, transposition, reductions, operations on
// each component.

// coopFrom says which component of another matrix one is: its row and column times a scale and a sum, after they change places.
type coopFrom struct {
	transposed bool
	scale, add [2]uint32
	// most, unless 0, are the largest row and column.
	most [2]uint32
	// lanes of any group read those of the first one.
	firstGroup bool
}

// sameFrom is the component at the same place.
var sameFrom = coopFrom{scale: [2]uint32{1, 1}}

// number is where component (row, col) stands among all of a matrix.
func (m *coopMatrix) number(row, col uint32) uint32 {
	if m.use == spv.CooperativeMatrixUseMatrixAKHR {
		row, col = col, row
	}
	return col + row*m.row
}

// at is the row and column of component k of a lane, or the last ones.
func (m *coopMatrix) at(k, lane uint32) (row, col uint32) {
	in, out, shift, mask := m.place(k)
	in += lane & mask
	if shift < 32 {
		out += lane >> shift
	}
	if m.use == spv.CooperativeMatrixUseMatrixAKHR {
		in, out = out, in
	}
	return min(out, m.rows-1), min(in, m.cols-1)
}

// of applies the rule to numbers.
func (f coopFrom) of(row, col uint32) (uint32, uint32) {
	if f.transposed {
		row, col = col, row
	}
	row, col = row*f.scale[0]+f.add[0], col*f.scale[1]+f.add[1]
	if f.most != [2]uint32{} {
		row, col = min(row, f.most[0]), min(col, f.most[1])
	}
	return row, col
}

// coopGather makes n components of a matrix like to of those of another.
func (t *translator) coopGather(from *coopMatrix, parts []*ir.Def, to *coopMatrix, n uint32, f coopFrom) []*ir.Def {
	b := t.f.b
	lane, first := t.coopLane(to)
	out := t.leaves.Slice(int(n))
	for k := range n {
		places, own := t.coopPlaces(from, to, k, f)
		own = own && !f.firstGroup
		t.spend(len(places))
		if own {
			out[k] = parts[places[0]]
			continue
		}
		row, col := t.rowColWithin(to, int(k), lane, n)
		if f.transposed {
			row, col = col, row
		}
		row, col = b.IAddImm(b.IMulImm(row, int64(f.scale[0])), int64(f.add[0])), b.IAddImm(b.IMulImm(col, int64(f.scale[1])), int64(f.add[1]))
		if f.most != [2]uint32{} {
			row, col = b.Umin(row, t.f.u32(f.most[0])), b.Umin(col, t.f.u32(f.most[1]))
		}
		if from.use == spv.CooperativeMatrixUseMatrixAKHR {
			row, col = col, row
		}
		number := b.Iadd(col, b.IMulImm(row, int64(from.row)))
		reads := b.Umod(number, t.f.u32(from.lanes))
		if !f.firstGroup {
			reads = b.Iadd(first, reads)
		}
		for i, p := range places {
			x := &b.Intrinsic(ir.IntrShuffle, 1, parts[p].BitSize, parts[p], reads).Def
			if i == 0 {
				out[k] = x
				continue
			}
			out[k] = b.Bcsel(b.Ieq(b.Udiv(number, t.f.u32(from.lanes)), t.f.u32(p)), x, out[k])
		}
	}
	return out
}

// coopPlaces are the places where lanes hold what they want for component k, and own is set where each lane has it itself, at one place.
func (t *translator) coopPlaces(from, to *coopMatrix, k uint32, f coopFrom) (places []uint32, own bool) {
	own = true
	for lane := range to.lanes {
		n := from.number(f.of(to.at(k, lane)))
		own = own && n%from.lanes == lane
		if p := n / from.lanes; !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	return places, own && len(places) == 1
}

// rowColWithin is rowCol, the last row and column where the component is none of the matrix.
func (t *translator) rowColWithin(m *coopMatrix, k int, lane *ir.Def, n uint32) (row, col *ir.Def) {
	row, col = t.rowCol(m, k, lane)
	if !m.exact(n) {
		row, col = t.f.b.Umin(row, t.f.u32(m.rows-1)), t.f.b.Umin(col, t.f.u32(m.cols-1))
	}
	return row, col
}

// coopUsed is operand 0, a matrix of the shape of another, brought into its use if that is not the operand's: accumulators
// become factors.
func (t *translator) coopUsed(in *inst, to *coopMatrix, n uint32) (*typ, []*ir.Def) {
	ty, x := t.coopOf(in, 0, nil)
	if *ty.coop == *to {
		return ty, x
	}
	if m := ty.coop; m.rows != to.rows || m.cols != to.cols || m.lanes != to.lanes || m.use != spv.CooperativeMatrixUseMatrixAccumulatorKHR ||
		to.use != spv.CooperativeMatrixUseMatrixAKHR && to.use != spv.CooperativeMatrixUseMatrixBKHR {
		t.fail(in.id, "%s: operand 0 is of type %s", in.op, ty)
	}
	return ty, t.coopGather(ty.coop, x, to, n, sameFrom)
}

// coopConvertUse translates OpCooperativeMatrixConvertUseEXT and OpCooperativeMatrixTransposeNV.
func (t *translator) coopConvertUse(in *inst) {
	ty := t.coopResult(in)
	from, x := t.coopOf(in, 0, nil)
	if !from.elem.sameShape(ty.elem) {
		t.fail(in.id, "%s: operand 0 is of type %s", in.op, from)
	}
	if in.op == spv.OpCooperativeMatrixConvertUseEXT {
		_, x = t.coopUsed(in, ty.coop, ty.n)
		t.setLeaves(in, ty, x)
		return
	}
	if m := from.coop; m.rows != ty.coop.cols || m.cols != ty.coop.rows || m.lanes != ty.coop.lanes || m.use != spv.CooperativeMatrixUseMatrixAccumulatorKHR || ty.coop.use != spv.CooperativeMatrixUseMatrixBKHR {
		t.fail(in.id, "%s: operand 0 is of type %s", in.op, from)
	}
	f := sameFrom
	f.transposed = true
	t.setLeaves(in, ty, t.coopGather(from.coop, x, ty.coop, ty.n, f))
}

// coopResult is the type of a result that is a cooperative matrix.
func (t *translator) coopResult(in *inst) *typ {
	ty := t.typeOf(in.typ)
	if ty.coop == nil {
		t.fail(in.id, "%s gives no cooperative matrix", in.op)
	}
	return ty
}

// coopFunction is the function that an instruction names, which takes some integers of 32 bits and then as many components, and gives one.
func (t *translator) coopFunction(in *inst, at, ints, elems int, elem *typ) *function {
	f := t.val(t.arg(in, at)).obj.(*function) // what is reachable was found by calls of functions
	ok := f.typ.elem.sameShape(elem) && len(f.typ.members) >= ints+elems
	for k, p := range f.typ.members {
		switch {
		case k < ints:
			ok = ok && p.kind == tInt && p.bits == 32
		case k < ints+elems:
			ok = ok && p.sameShape(elem)
		}
	}
	if !ok {
		t.fail(in.id, "%s: the function's parameters are not those of %s", in.op, elem)
	}
	return f
}

// invoke calls a function that gives one number.
func (t *translator) invoke(f *function, args ...*ir.Def) *ir.Def {
	b := t.f.b
	local := b.Impl.NewLocal(f.typ.elem.temp, "")
	b.Insert(b.Shader.NewCall(f.irf, append([]*ir.Def{b.DerefVar(local)}, args...)...))
	p := t.newPointer(pointer{typ: f.typ.elem, mode: ir.ModeFunctionTemp, deref: b.DerefVar(local)})
	return t.loadLeaves(p, t.leaves.Slice(1)[:0])[0]
}

// coopPerElement translates OpCooperativeMatrixPerElementOpEXT: a call for each component, with its row and column.
func (t *translator) coopPerElement(in *inst) {
	ty := t.coopResult(in)
	_, x := t.coopOf(in, 0, ty.coop)
	f := t.coopFunction(in, 1, 2, 1, ty.elem)
	if len(in.args)-2 != len(f.typ.members)-3 {
		t.fail(in.id, "%s has %d operands for the function's %d parameters", in.op, len(in.args)-2, len(f.typ.members)-3)
	}
	lane, _ := t.coopLane(ty.coop)
	t.spend(16 * len(x))
	out := t.leaves.Slice(len(x))
	for k := range out {
		row, col := t.rowColWithin(ty.coop, k, lane, ty.n)
		args := []*ir.Def{row, col, x[k]}
		for i, id := range in.args[2:] {
			if of := t.valType(id); of.coop != nil && *of.coop == *ty.coop && f.typ.members[3+i].sameShape(of.elem) {
				args = append(args, t.get(id)[k])
			} else if f.typ.members[3+i].sameShape(of) && of.kind != tPointer {
				args = append(args, t.get(id)...)
			} else {
				t.fail(in.id, "%s: operand %d is of type %s", in.op, 2+i, of)
			}
		}
		out[k] = t.invoke(f, args...)
	}
	t.setLeaves(in, ty, out)
}

// coopReduce translates OpCooperativeMatrixReduceEXT.
func (t *translator) coopReduce(in *inst) {
	ty := t.coopResult(in)
	from, x := t.coopOf(in, 0, nil)
	m, to, mode := from.coop, ty.coop, spv.CooperativeMatrixReduce(t.arg(in, 1))
	r := &coopReduction{t: t, m: m, f: t.coopFunction(in, 2, 0, 2, ty.elem), parts: slices.Clone(x)}
	row, col, square := mode&spv.CooperativeMatrixReduceRow != 0, mode&spv.CooperativeMatrixReduceColumn != 0, mode&spv.CooperativeMatrixReduce2x2 != 0
	if !from.elem.sameShape(ty.elem) || m.use != spv.CooperativeMatrixUseMatrixAccumulatorKHR || to.use != m.use || to.lanes != m.lanes || square == (row || col) ||
		square && (m.rows != 2*to.rows || m.cols != 2*to.cols) || row && !col && m.rows != to.rows || col && !row && m.cols != to.cols {
		t.fail(in.id, "%s: the matrices do not fit", in.op)
	}
	t.spend(32 * (len(x) + int(ty.n)))
	r.lane, r.first = t.coopLane(m)
	f := sameFrom
	switch {
	case square:
		t.setLeaves(in, ty, r.squares(to, ty.n))
		return
	case row:
		r.rows()
		f.scale[1] = 0
	}
	if col {
		r.columns()
		f.scale[0] = 0
	}
	t.setLeaves(in, ty, t.coopGather(m, r.parts, to, ty.n, f))
}

// coopReduction is the state of a reduction of an accumulator's components: in the end each of a row, or of a column, has the result.
type coopReduction struct {
	t           *translator
	m           *coopMatrix
	f           *function
	lane, first *ir.Def
	parts       []*ir.Def
}

// join combines two results, of which either may be none of the matrix: nil stands for what always is.
func (r *coopReduction) join(x, y, hasX, hasY *ir.Def) *ir.Def {
	b := r.t.f.b
	v := r.t.invoke(r.f, x, y)
	if hasY != nil {
		v = b.Bcsel(hasY, v, x)
	}
	if hasX != nil {
		v = b.Bcsel(hasX, v, y)
	}
	return v
}

// across joins the results of lanes whose numbers differ in the bits from low up to high; index counts what they hold in steps of
// low, of which there are so many that belong to the matrix.
func (r *coopReduction) across(v *ir.Def, low, high uint32, index *ir.Def, count uint32) *ir.Def {
	b := r.t.f.b
	for s := low; s < high; s *= 2 {
		n := s / low
		var hasX, hasY *ir.Def
		if count < high/low {
			base := b.Iand(index, r.t.f.u32(^(n - 1)))
			hasX, hasY = b.Ult(base, r.t.f.u32(count)), b.Ult(b.Ixor(base, r.t.f.u32(n)), r.t.f.u32(count))
		}
		other := b.Iadd(r.first, b.Ixor(r.lane, r.t.f.u32(s)))
		v = r.join(v, &b.Intrinsic(ir.IntrShuffle, 1, v.BitSize, v, other).Def, hasX, hasY)
	}
	return v
}

// rows gives the components of each row their reduction.
func (r *coopReduction) rows() {
	b, m := r.t.f.b, r.m
	if m.row <= m.lanes {
		col := b.Iand(r.lane, r.t.f.u32(m.row-1))
		for k := range r.parts {
			r.parts[k] = r.across(r.parts[k], 1, m.row, col, m.cols)
		}
		return
	}
	per := m.row / m.lanes
	for at := uint32(0); at < uint32(len(r.parts)); at += per {
		v := r.parts[at]
		for j := uint32(1); j < per; j++ {
			switch left := int(m.cols) - int(j*m.lanes); {
			case left >= int(m.lanes):
				v = r.join(v, r.parts[at+j], nil, nil)
			case left > 0:
				v = r.join(v, r.parts[at+j], nil, b.Ult(r.lane, r.t.f.u32(uint32(left))))
			}
		}
		v = r.across(v, 1, m.lanes, r.lane, m.lanes)
		for j := range per {
			r.parts[at+j] = v
		}
	}
}

// columns gives the components of each column their reduction.
func (r *coopReduction) columns() {
	b, m := r.t.f.b, r.m
	per, group := uint32(1), uint32(1) // places in a row, rows in a place
	if m.row <= m.lanes {
		group = m.lanes / m.row
	} else {
		per = m.row / m.lanes
	}
	var row *ir.Def
	if group > 1 {
		_, _, shift, _ := m.place(0)
		row = b.Ushr(r.lane, r.t.f.u32(shift))
	}
	for j := range per {
		v := r.parts[j]
		for at := j + per; at < uint32(len(r.parts)); at += per {
			var has *ir.Def
			if left := m.rows - at/per*group; left < group {
				has = b.Ult(row, r.t.f.u32(left))
			}
			v = r.join(v, r.parts[at], nil, has)
		}
		if group > 1 {
			v = r.across(v, m.row, m.lanes, row, m.rows)
		}
		for at := j; at < uint32(len(r.parts)); at += per {
			r.parts[at] = v
		}
	}
}

// squares reduces aligned squares of four components.
func (r *coopReduction) squares(to *coopMatrix, n uint32) []*ir.Def {
	var corner [4][]*ir.Def
	for i := range corner {
		corner[i] = r.t.coopGather(r.m, r.parts, to, n, coopFrom{scale: [2]uint32{2, 2}, add: [2]uint32{uint32(i) / 2, uint32(i) % 2}})
	}
	out := r.t.leaves.Slice(int(n))
	for k := range out {
		out[k] = r.join(r.join(corner[0][k], corner[1][k], nil, nil), r.join(corner[2][k], corner[3][k], nil, nil), nil, nil)
	}
	return out
}
