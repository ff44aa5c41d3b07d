package spirv

import (
	"math/bits"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Cooperative matrices (SPV_KHR_cooperative_matrix), of which each lane of a subgroup holds a part: a value of such a type is an array
// of the components that a lane has. No GPU of the targets multiplies matrices in hardware; lanes read the others' components by
// shuffles. The layout is made so that the component which a lane wants of another has the same place in all lanes:
//
// Component number n, of inner + outer*row, stands in lane n % lanes at place n / lanes. The inner index is that of the rows of A
// and of the columns of B and of accumulators, and row the power of two that holds all its values. Where a subgroup is larger than
// lanes, each group of so many lanes has the whole matrix, and the first one stores it. Matrices of SPV_NV_cooperative_matrix do not
// say whether they are A, B or an accumulator: each lane has all of them, row by row.

// coopMatrix is what a cooperative matrix's type says, and its layout.
type coopMatrix struct {
	rows, cols uint32
	use        spv.CooperativeMatrixUse
	lanes      uint32
	row        uint32 // values that the inner index has room for
}

// dims are the numbers of values of the inner and the outer index.
func (m *coopMatrix) dims() (inner, outer uint32) {
	if m.use == spv.CooperativeMatrixUseMatrixAKHR {
		return m.rows, m.cols
	}
	return m.cols, m.rows
}

// anyUse is that of matrices which do not say.
const anyUse spv.CooperativeMatrixUse = 0xffffffff

// exact reports whether each component of each lane is one of the matrix.
func (m *coopMatrix) exact(n uint32) bool {
	inner, outer := m.dims()
	return inner == m.row && n*m.lanes == inner*outer
}

// coopMatrixType translates OpTypeCooperativeMatrixKHR and OpTypeCooperativeMatrixNV.
func (t *translator) coopMatrixType(in *inst, ty *typ) {
	elem := t.typeOf(in.args[0])
	if elem.kind != tInt && elem.kind != tFloat {
		t.fail(in.id, "the components of a cooperative matrix are not numbers")
	}
	if s := spv.Scope(t.constArg(in, 1)); s != spv.ScopeSubgroup {
		t.refuse(in.id, "cooperative matrices of scope %s are not supported: lanes share them by operations of their subgroup", s)
	}
	m := &coopMatrix{rows: t.constArg(in, 2), cols: t.constArg(in, 3), use: anyUse, lanes: 1}
	if in.op == spv.OpTypeCooperativeMatrixKHR {
		m.use, m.lanes = spv.CooperativeMatrixUse(t.constArg(in, 4)), t.coopLanes()
	}
	if m.rows == 0 || m.cols == 0 || m.rows > 256 || m.cols > 256 {
		t.refuse(in.id, "cooperative matrices of %d x %d components are not supported: rows and columns are 1 to 256", m.rows, m.cols)
	}
	inner, outer := m.dims()
	if m.row = inner; m.use != anyUse {
		m.row = 1 << bits.Len32(inner-1)
	}
	ty.kind, ty.elem, ty.coop = tArray, elem, m
	ty.n = (m.row*outer + m.lanes - 1) / m.lanes
	ty.leaves, ty.nodes, ty.depth = ty.n, 2, 1
}

// coopLanes is the number of lanes that matrices are spread over: what the target says, unless workgroups have no multiple of it.
func (t *translator) coopLanes() uint32 {
	lanes := uint32(max(t.s.Options.MatrixLanes, 1))
	for lanes > 1 && t.threads()%lanes != 0 {
		lanes /= 2
	}
	return lanes
}

// threads is the number of invocations of a workgroup where that is known before types are, else 1.
func (t *translator) threads() uint32 {
	size := uint32(1)
	for i := range t.m.Insts {
		in := &t.m.Insts[i]
		switch in.Op {
		case spv.OpFunction:
			return size
		case spv.OpExecutionMode, spv.OpExecutionModeId:
			m := spv.ExecutionMode(in.Arg(1))
			if in.Arg(0) == t.entry.ID && in.NumArgs() >= 5 && (m == spv.ExecutionModeLocalSize || m == spv.ExecutionModeLocalSizeId) {
				size = t.product(in.Args()[2:5], m == spv.ExecutionModeLocalSizeId)
			}
		case spv.OpConstantComposite, spv.OpSpecConstantComposite:
			if b, ok := t.decOf(i, spv.DecorationBuiltIn); ok && spv.BuiltIn(b) == spv.BuiltInWorkgroupSize {
				return t.product(in.Args(), true)
			}
		}
	}
	return size
}

// product multiplies numbers, or constants of which these are the ids: 1 if one is not known.
func (t *translator) product(list []uint32, ids bool) uint32 {
	p := uint32(1)
	for _, n := range list {
		if ids {
			i := t.m.DefIndex(spv.ID(n))
			if i < 0 || t.m.Insts[i].Op != spv.OpConstant && t.m.Insts[i].Op != spv.OpSpecConstant {
				return 1
			}
			n = t.m.Insts[i].Arg(0)
			if v, ok := t.specValue(i); ok {
				n = uint32(v)
			}
		}
		p *= n
	}
	return max(p, 1)
}

// coopInst translates the instructions on cooperative matrices, as far as they are no arrays, and reports whether in was one.
func (t *translator) coopInst(in *inst) bool {
	switch in.op {
	case spv.OpCooperativeMatrixLoadKHR, spv.OpCooperativeMatrixLoadNV:
		t.coopLoad(in)
	case spv.OpCooperativeMatrixStoreKHR, spv.OpCooperativeMatrixStoreNV:
		t.coopStore(in)
	case spv.OpCooperativeMatrixMulAddKHR:
		t.coopMulAdd(in)
	case spv.OpCooperativeMatrixMulAddNV:
		t.coopMulAddNV(in)
	case spv.OpCooperativeMatrixLengthKHR, spv.OpCooperativeMatrixLengthNV:
		ty := t.typeOf(t.arg(in, 0))
		if ty.coop == nil {
			t.fail(in.id, "%s is not of a cooperative matrix type", in.op)
		}
		t.set(in, t.f.u32(ty.n))
	case spv.OpCooperativeMatrixGetCoordinateEXT:
		t.coopCoordinate(in)
	case spv.OpCooperativeMatrixConvertUseEXT, spv.OpCooperativeMatrixTransposeNV:
		t.coopConvertUse(in)
	case spv.OpCooperativeMatrixPerElementOpEXT:
		t.coopPerElement(in)
	case spv.OpCooperativeMatrixReduceEXT:
		t.coopReduce(in)
	default:
		if in.typ == 0 || t.coopArray(in) {
			return in.typ != 0
		}
		ty := t.typeOf(in.typ)
		return ty.coop != nil && t.coopEach(in, ty)
	}
	return true
}

// coopCoordinate translates OpCooperativeMatrixGetCoordinateEXT: the row and the column of a component of the lane, which is known
// by a number that may be computed.
func (t *translator) coopCoordinate(in *inst) {
	b := t.f.b
	ty, _ := t.coopOf(in, 0, nil)
	lane, _ := t.coopLane(ty.coop)
	n := b.Iadd(b.IMulImm(t.toU32(t.intVector(t.arg(in, 1), 1, 0)), int64(ty.coop.lanes)), lane)
	row, col := b.Udiv(n, t.f.u32(ty.coop.row)), b.Umod(n, t.f.u32(ty.coop.row))
	if ty.coop.use == spv.CooperativeMatrixUseMatrixAKHR {
		row, col = col, row
	}
	t.set(in, b.Vec(row, col))
}

// coopOf returns the components of a cooperative matrix, which has to have a shape like that of another.
func (t *translator) coopOf(in *inst, i int, like *coopMatrix) (*typ, []*ir.Def) {
	id := t.arg(in, i)
	ty := t.valType(id)
	if ty.coop == nil || like != nil && *ty.coop != *like {
		t.fail(in.id, "%s: operand %d is of type %s", in.op, i, ty)
	}
	return ty, t.get(id)
}

// coopEach translates what is done to each component by itself.
func (t *translator) coopEach(in *inst, ty *typ) bool {
	var f func(k int) *ir.Def
	c, converts := conversionOf(in.op)
	switch {
	case in.op == spv.OpMatrixTimesScalar:
		_, x := t.coopOf(in, 0, ty.coop)
		s := t.vector(t.arg(in, 1))
		if !t.valType(in.args[1]).sameShape(ty.elem) || ty.elem.encoding != 0 {
			t.fail(in.id, "%s: the scalar is of type %s", in.op, t.valType(in.args[1]))
		}
		mul := ir.OpImul
		if ty.elem.kind == tFloat {
			mul = ir.OpFmul
		}
		f = func(k int) *ir.Def { return t.f.b.ALU(mul, x[k], s) }
	case converts:
		from, x := t.coopUsed(in, ty.coop, ty.n)
		f = func(k int) *ir.Def { return t.converted(in, c, x[k], from.elem, ty.elem) }
	case in.op == spv.OpBitcast:
		from, x := t.coopOf(in, 0, ty.coop)
		if from.elem.bits != ty.elem.bits {
			t.fail(in.id, "%s between components of %d and %d bits", in.op, from.elem.bits, ty.elem.bits)
		}
		f = func(k int) *ir.Def { return x[k] }
	case int(in.op) < len(aluTable) && aluTable[in.op].srcs != 0:
		f = t.coopALU(in, ty)
	default:
		return false
	}
	out := t.leaves.Slice(t.leafCount(ty))
	for k := range out {
		out[k] = f(k)
	}
	t.setLeaves(in, ty, out)
	return true
}

// coopALU is an operation of aluTable on the components of matrices of one type.
func (t *translator) coopALU(in *inst, ty *typ) func(k int) *ir.Def {
	row := &aluTable[in.op]
	var x [2][]*ir.Def
	for i := range int(row.srcs) {
		from, l := t.coopOf(in, i, ty.coop)
		if f := row.flags; from.elem.encoding != 0 || from.elem.bits != ty.elem.bits || f&aFloat != 0 && !from.elem.isFloat() || f&aInt != 0 && !from.elem.isInt() {
			t.fail(in.id, "%s: operand %d is of type %s", in.op, i, from)
		}
		x[i] = l
	}
	switch {
	case row.flags&(aSwap|aNot|aExact|aBool|aShift) != 0:
		t.fail(in.id, "%s of cooperative matrices is not allowed", in.op)
	case row.srcs == 1:
		return func(k int) *ir.Def { return t.f.b.ALU(row.op, x[0][k]) }
	}
	return func(k int) *ir.Def { return t.f.b.ALU(row.op, x[0][k], x[1][k]) }
}

// coopLane is the number of the lane among those that share a matrix, first where the first of them is.
func (t *translator) coopLane(m *coopMatrix) (lane, first *ir.Def) {
	b := t.f.b
	own := &b.Intrinsic(ir.IntrLoadSubgroupInvocation, 1, 32).Def
	if uint32(t.s.Options.SubgroupSize) == m.lanes {
		return own, t.f.u32(0)
	}
	if m.lanes == 1 {
		return t.f.u32(0), own
	}
	return b.Iand(own, t.f.u32(m.lanes-1)), b.Iand(own, t.f.u32(^(m.lanes - 1)))
}

// place is where component k of a lane stands: the inner index and the outer, each of a part that is known and one that
// depends on the lane.
func (m *coopMatrix) place(k uint32) (inner, outer uint32, shift uint32, mask uint32) {
	if m.row <= m.lanes {
		return 0, k * (m.lanes / m.row), uint32(bits.TrailingZeros32(m.row)), m.row - 1
	}
	per := m.row / m.lanes
	return k % per * m.lanes, k / per, 32, m.lanes - 1
}

// coopIndex is the inner and outer index of component k in a lane.
func (t *translator) coopIndex(m *coopMatrix, k int, lane *ir.Def) (inner, outer *ir.Def) {
	b := t.f.b
	in, out, shift, mask := m.place(uint32(k))
	inner = b.IAddImm(b.Iand(lane, t.f.u32(mask)), int64(in))
	outer = t.f.u32(out)
	if shift < 32 {
		outer = b.IAddImm(b.Ushr(lane, t.f.u32(shift)), int64(out))
	}
	return inner, outer
}

// coopMemory is the memory of a matrix: what the pointer's element has, and how far rows, or columns, lie apart. Both count
// units: the longest pieces that make up elements and components, a component each unless an element is no whole number of them.
type coopMemory struct {
	p      *pointer
	base   *ir.Def
	per    uint32  // units in an element of the pointer, whose array counts as packed
	step   uint32  // units in a component of the matrix
	stride *ir.Def // in units, of blocks that are interleaved how many
	column bool
	blocks bool
	ty     *typ
	cast   bool // base is a pointer to components
}

// coopMemory reads operands of a load or store from the memory layout on: operand 0 is the pointer.
func (t *translator) coopMemory(in *inst, at int, ty *typ, loads bool) *coopMemory {
	if t.valType(t.arg(in, 0)).untyped {
		t.refuse(in.id, "%s by an untyped pointer is not supported", in.op)
	}
	p := t.ptr(in.args[0])
	column, blocks, stride := t.coopLayout(in, at, ty)
	a, align, _ := t.memoryOperands(in, at+2, loads, !loads)
	m := &coopMemory{p: t.withAccess(t.aligned(p, align), a), ty: ty, column: column, blocks: blocks}
	size := uint32(ty.elem.bits)
	if !p.typ.numeric() || p.typ.isBool() || p.comp != nil || p.col != nil {
		t.fail(in.id, "%s: the pointer is to %s", in.op, p.typ)
	}
	n, width := p.typ.shape()
	unit := gcd(uint32(n)*uint32(width), size)
	m.per, m.step = uint32(n)*uint32(width)/unit, size/unit
	if m.stride = t.toU32(t.intVector(stride, 1, 0)); !blocks {
		m.stride = t.f.b.IMulImm(m.stride, int64(m.per))
	}
	d := t.pointerValue(m.p)
	explicit := d.Instr.Kind != ir.KindDeref || d.Instr.DerefInfo().Modes&ir.ModeExplicit != 0 || t.caps.explicitShared
	if m.cast = explicit || uint32(width) != size || m.p.deref == nil || d.Instr.Deref != ir.DerefArray; m.cast {
		d = t.f.b.DerefCast(d, p.mode, t.storageType(p.mode, ty.elem), unit/8)
	}
	m.base = d
	return m
}

func gcd(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// coopLayout reads two operands: KHR has the layout before the stride, NV after it whether columns lie apart.
func (t *translator) coopLayout(in *inst, at int, ty *typ) (column, blocks bool, stride uint32) {
	if in.op == spv.OpCooperativeMatrixLoadNV || in.op == spv.OpCooperativeMatrixStoreNV {
		c := t.constOf(t.arg(in, at+1))
		if !c.typ.isBool() {
			t.fail(in.id, "%s: the order is not a boolean", in.op)
		}
		return c.v[0] != 0, false, t.arg(in, at)
	}
	layout := spv.CooperativeMatrixLayout(t.constArg(in, at))
	switch layout {
	case spv.CooperativeMatrixLayoutRowMajorKHR, spv.CooperativeMatrixLayoutColumnMajorKHR:
	case spv.CooperativeMatrixLayoutRowBlockedInterleavedARM, spv.CooperativeMatrixLayoutColumnBlockedInterleavedARM:
		if w := 128 / uint32(ty.elem.bits); ty.elem.bits > 32 || ty.coop.rows%4 != 0 || ty.coop.cols%w != 0 {
			t.refuse(in.id, "the layout %s is not supported of %s: rows are a multiple of 4, columns of 16 bytes, and components no wider than 4", layout, ty)
		}
		return layout == spv.CooperativeMatrixLayoutColumnBlockedInterleavedARM, true, t.arg(in, at+1)
	default:
		t.refuse(in.id, "the layout %s of cooperative matrices is not supported", layout)
	}
	return layout == spv.CooperativeMatrixLayoutColumnMajorKHR, false, t.arg(in, at+1)
}

// coopBlock is the number of a component in a layout of blocks (SPV_ARM_cooperative_matrix_layouts): 4 rows of 16 bytes each, in
// rows of blocks or columns of them. The words of as many blocks as the stride says take turns.
func (t *translator) coopBlock(m *coopMemory, row, col *ir.Def) *ir.Def {
	b, wide, c := t.f.b, 128/uint32(m.ty.elem.bits), m.ty.coop
	down, across := b.Ushr(row, t.f.u32(2)), b.Udiv(col, t.f.u32(wide))
	block := b.Iadd(b.IMulImm(down, int64(c.cols/wide)), across)
	if m.column {
		block = b.Iadd(b.IMulImm(across, int64(c.rows/4)), down)
	}
	within := b.Iadd(b.IMulImm(b.Iand(row, t.f.u32(3)), int64(wide)), b.Umod(col, t.f.u32(wide)))
	inWord := wide / 4 // components in a word
	word, part := b.Udiv(within, t.f.u32(inWord)), b.Umod(within, t.f.u32(inWord))
	group, turn := b.Udiv(block, m.stride), b.Umod(block, m.stride)
	words := b.Iadd(b.Imul(b.Iadd(b.IMulImm(group, 16), word), m.stride), turn)
	return b.Iadd(b.IMulImm(words, int64(inWord)), part)
}

// coopAt is the deref of the component at a row and a column.
func (t *translator) coopAt(m *coopMemory, row, col *ir.Def) *ir.Def {
	b := t.f.b
	var i *ir.Def
	if m.blocks {
		i = b.IMulImm(t.coopBlock(m, row, col), int64(m.step))
	} else {
		if m.column {
			row, col = col, row
		}
		i = b.Iadd(b.Imul(row, m.stride), b.IMulImm(col, int64(m.step)))
	}
	index := func(x *ir.Def) *ir.Def { return t.resize(x, m.base.BitSize, false) }
	if m.cast || m.per == 1 {
		return b.DerefPtrAsArray(m.base, index(i))
	}
	v := b.DerefPtrAsArray(m.base, index(b.Udiv(i, t.f.u32(m.per))))
	return b.DerefArray(v, index(b.Umod(i, t.f.u32(m.per))))
}

// rowCol are the row and the column of component k.
func (t *translator) rowCol(m *coopMatrix, k int, lane *ir.Def) (row, col *ir.Def) {
	inner, outer := t.coopIndex(m, k, lane)
	if m.use == spv.CooperativeMatrixUseMatrixAKHR {
		return inner, outer
	}
	return outer, inner
}

// coopLoad translates OpCooperativeMatrixLoadKHR. Places beyond the matrix get what its last row and column have.
func (t *translator) coopLoad(in *inst) {
	b := t.f.b
	ty := t.typeOf(in.typ)
	if ty.coop == nil {
		t.fail(in.id, "%s gives no cooperative matrix", in.op)
	}
	mem := t.coopMemory(in, 1, ty, true)
	lane, _ := t.coopLane(ty.coop)
	out := t.leaves.Slice(t.leafCount(ty))
	for k := range out {
		row, col := t.rowCol(ty.coop, k, lane)
		if !ty.coop.exact(ty.n) {
			row, col = b.Umin(row, t.f.u32(ty.coop.rows-1)), b.Umin(col, t.f.u32(ty.coop.cols-1))
		}
		out[k] = b.LoadDeref(t.coopAt(mem, row, col), mem.p.access)
	}
	t.setLeaves(in, ty, out)
}

// coopStore translates OpCooperativeMatrixStoreKHR.
func (t *translator) coopStore(in *inst) {
	b := t.f.b
	ty, l := t.coopOf(in, 1, nil)
	mem := t.coopMemory(in, 2, ty, false)
	if mem.p.mode&ir.ModeReadOnly != 0 {
		t.fail(in.id, "%s into storage that cannot be written (%s)", in.op, mem.p.mode)
	}
	t.spend(len(l))
	lane, first := t.coopLane(ty.coop)
	mine := b.PushIf(b.Ieq(first, t.f.u32(0)))
	for k, v := range l {
		row, col := t.rowCol(ty.coop, k, lane)
		var within *ir.If
		if !ty.coop.exact(ty.n) {
			within = b.PushIf(b.Iand(b.Ult(row, t.f.u32(ty.coop.rows)), b.Ult(col, t.f.u32(ty.coop.cols))))
		}
		b.StoreDeref(t.coopAt(mem, row, col), v, 0, mem.p.access)
		if within != nil {
			b.PopIf(within)
		}
	}
	b.PopIf(mine)
}
