package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// coopProduct is the state of an OpCooperativeMatrixMulAddKHR.
type coopProduct struct {
	t           *translator
	c           *coopMatrix
	lane, first *ir.Def
	wide        *typ // products and sums are of this type
	a, b        coopFactor
}

// coopFactor is one of the matrices that are multiplied, its components as the products want them.
type coopFactor struct {
	m     *coopMatrix
	parts []*ir.Def
	read  map[[2]uint32]*ir.Def // components of other lanes, by place and by the first lane
}

// coopMulAdd translates OpCooperativeMatrixMulAddKHR.
func (t *translator) coopMulAdd(in *inst) {
	ty := t.typeOf(in.typ)
	if ty.coop == nil {
		t.fail(in.id, "%s gives no cooperative matrix", in.op)
	}
	flags := uint32(0)
	if len(in.args) > 3 {
		flags = in.args[3]
	}
	at, a := t.coopOf(in, 0, nil)
	bt, b := t.coopOf(in, 1, nil)
	ct, c := t.coopOf(in, 2, nil)
	if m, n, k := ty.coop, at.coop, bt.coop; *m != *ct.coop || n.cols != k.rows || n.rows != m.rows || k.cols != m.cols || n.lanes != m.lanes || k.lanes != m.lanes ||
		n.use != spv.CooperativeMatrixUseMatrixAKHR || k.use != spv.CooperativeMatrixUseMatrixBKHR || m.use != spv.CooperativeMatrixUseMatrixAccumulatorKHR {
		t.fail(in.id, "%s: the matrices do not fit", in.op)
	}
	if f := ty.elem.isFloat(); at.elem.isFloat() != f || bt.elem.isFloat() != f || ct.elem.isFloat() != f {
		t.fail(in.id, "%s of integers and floats", in.op)
	}
	saturate := flags&uint32(spv.CooperativeMatrixOperandsSaturatingAccumulationKHR) != 0
	if saturate && (at.elem.bits > 8 || bt.elem.bits > 8 || ty.elem.bits < 32) {
		t.refuse(in.id, "%s with SaturatingAccumulationKHR is not supported but of components of 8 bits into those of 32", in.op)
	}
	p := coopProduct{t: t, c: ty.coop, wide: ty.elem}
	if p.wide.encoding != 0 {
		p.wide = t.typs.New()
		*p.wide = typ{kind: tFloat, bits: 32, leaves: 1}
	}
	p.lane, p.first = t.coopLane(ty.coop)
	signed := func(f spv.CooperativeMatrixOperands) bool { return flags&uint32(f) != 0 }
	p.a = p.factor(at, a, signed(spv.CooperativeMatrixOperandsMatrixASignedComponentsKHR))
	p.b = p.factor(bt, b, signed(spv.CooperativeMatrixOperandsMatrixBSignedComponentsKHR))
	add := p.factor(ct, c, signed(spv.CooperativeMatrixOperandsMatrixCSignedComponentsKHR)).parts
	t.spend(len(c) * int(at.coop.cols))
	out := t.leaves.Slice(t.leafCount(ty))
	for k := range out {
		out[k] = p.narrow(p.sum(uint32(k), add[k], saturate, signed(spv.CooperativeMatrixOperandsMatrixResultSignedComponentsKHR)), ty.elem)
	}
	t.setLeaves(in, ty, out)
}

// coopMulAddNV translates OpCooperativeMatrixMulAddNV: each lane has all components. Integers have the signs of their types.
func (t *translator) coopMulAddNV(in *inst) {
	ty := t.typeOf(in.typ)
	at, a := t.coopOf(in, 0, nil)
	bt, b := t.coopOf(in, 1, nil)
	ct, c := t.coopOf(in, 2, nil)
	m, n, k := ty.coop, at.coop, bt.coop
	if m == nil || *m != *ct.coop || n.cols != k.rows || n.rows != m.rows || k.cols != m.cols || m.use != anyUse || n.use != anyUse || k.use != anyUse {
		t.fail(in.id, "%s: the matrices do not fit", in.op)
	}
	if f := ty.elem.isFloat(); at.elem.isFloat() != f || bt.elem.isFloat() != f || ct.elem.isFloat() != f {
		t.fail(in.id, "%s of integers and floats", in.op)
	}
	p := coopProduct{t: t, c: m, wide: ty.elem}
	x, y, out := p.factor(at, a, at.elem.sign).parts, p.factor(bt, b, bt.elem.sign).parts, p.factor(ct, c, ct.elem.sign).parts
	t.spend(len(c) * int(n.cols))
	for r := range int(m.rows) {
		for s := range int(m.cols) {
			sum := &out[r*int(m.cols)+s]
			for i := range int(n.cols) {
				*sum = p.addProduct(x[r*int(n.cols)+i], y[i*int(k.cols)+s], *sum)
			}
		}
	}
	t.setLeaves(in, ty, out)
}

// addProduct is x·y + sum.
func (p *coopProduct) addProduct(x, y, sum *ir.Def) *ir.Def {
	b := p.t.f.b
	if p.wide.kind == tFloat {
		return b.Fadd(b.Fmul(x, y), sum)
	}
	return b.Iadd(b.Imul(x, y), sum)
}

// factor converts a matrix's components to the type of the products.
func (p *coopProduct) factor(ty *typ, l []*ir.Def, signed bool) coopFactor {
	t := p.t
	f := coopFactor{m: ty.coop, read: map[[2]uint32]*ir.Def{}, parts: make([]*ir.Def, len(l))}
	for k, x := range l {
		switch {
		case ty.elem.encoding != 0:
			x = t.fromNarrow(x, ty.elem.encoding)
		case ty.elem.kind == tInt:
			x = t.resize(x, p.wide.bits, signed)
		}
		if ty.elem.kind == tFloat && x.BitSize != p.wide.bits {
			x = t.f.b.ALU(f2fOps[ir.SizeIndex(p.wide.bits)], x)
		}
		f.parts[k] = x
	}
	return f
}

// narrow gives a sum the type of the result.
func (p *coopProduct) narrow(x *ir.Def, ty *typ) *ir.Def {
	if ty.encoding != 0 {
		return p.t.toNarrow(x, ty.encoding, false)
	}
	return x
}

// sum is component k of the result.
func (p *coopProduct) sum(k uint32, add *ir.Def, saturate, signed bool) *ir.Def {
	b := p.t.f.b
	col, row, shift, mask := p.c.place(k)
	var below *ir.Def // what of the row the lane decides
	if p.c.row < p.c.lanes {
		below = b.Ushr(p.lane, p.t.f.u32(shift))
		if p.c.lanes/p.c.row > p.a.m.row { // more lanes than there are rows
			below = b.Iand(below, p.t.f.u32(p.a.m.row-1))
		}
	}
	column := p.lane
	if mask != p.c.lanes-1 {
		column = b.Iand(p.lane, p.t.f.u32(mask))
	}
	total := add
	if saturate {
		total = p.t.f.constant(p.wide.bits, 0)
	}
	for i := range p.a.m.cols {
		x := p.component(&p.a, i*p.a.m.row+row, below)
		y := p.component(&p.b, i*p.b.m.row+col, column)
		total = p.addProduct(x, y, total)
	}
	switch {
	case saturate && signed:
		return b.IaddSat(total, add)
	case saturate:
		return b.UaddSat(total, add)
	}
	return total
}

// component is component n of a factor and those after it, a lane each as below says: nil is none.
func (p *coopProduct) component(f *coopFactor, n uint32, below *ir.Def) *ir.Def {
	b := p.t.f.b
	place, from := n/p.c.lanes, n%p.c.lanes
	v := f.parts[place]
	if p.c.lanes == 1 || from == 0 && below == p.lane {
		return v
	}
	if x := f.read[[2]uint32{place, from}]; x != nil {
		return x
	}
	lane := b.IAddImm(p.first, int64(from))
	if below != nil {
		lane = b.Iadd(lane, below)
	}
	x := &b.Intrinsic(ir.IntrShuffle, 1, v.BitSize, v, lane).Def
	f.read[[2]uint32{place, from}] = x
	return x
}
