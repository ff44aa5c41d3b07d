package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// extract returns component i of a vector, i any 32-bit value: a chain of selections.
func (t *translator) extract(v, i *ir.Def) *ir.Def {
	b := t.f.b
	n := int(v.NumComponents)
	if c, ok := i.Const(0); ok {
		return b.Channel(v, int(min(c, uint64(n-1))))
	}
	r := b.Channel(v, 0)
	for k := 1; k < n; k++ {
		r = b.Bcsel(b.Ieq(i, t.f.u32(uint32(k))), b.Channel(v, k), r)
	}
	return r
}

// insert returns v with component i replaced.
func (t *translator) insert(v, x, i *ir.Def) *ir.Def {
	b := t.f.b
	n := int(v.NumComponents)
	comps := make([]*ir.Def, n)
	c, known := i.Const(0)
	for k := range comps {
		comps[k] = b.Channel(v, k)
		switch {
		case known && int(min(c, uint64(n-1))) == k:
			comps[k] = x
		case !known:
			comps[k] = b.Bcsel(b.Ieq(i, t.f.u32(uint32(k))), x, comps[k])
		}
	}
	return b.Vec(comps...)
}

// vectorDynamic translates OpVectorExtractDynamic and OpVectorInsertDynamic.
func (t *translator) vectorDynamic(in *inst) {
	v := t.vector(t.arg(in, 0))
	if in.op == spv.OpVectorExtractDynamic {
		t.set(in, t.extract(v, t.indexDef(t.indexOf(t.arg(in, 1)), 32)))
		return
	}
	x := t.vector(t.arg(in, 1))
	if x.NumComponents != 1 || x.BitSize != v.BitSize {
		t.fail(in.id, "%s: the component does not fit the vector", in.op)
	}
	t.set(in, t.insert(v, x, t.indexDef(t.indexOf(t.arg(in, 2)), 32)))
}

// construct translates OpCompositeConstruct.
func (t *translator) construct(in *inst) {
	ty := t.typeOf(in.typ)
	if ty.kind == tVector {
		var comps []*ir.Def
		for _, id := range in.args {
			v := t.vector(id)
			if v.BitSize != ty.bits || len(comps)+int(v.NumComponents) > int(ty.n) {
				t.fail(in.id, "%s: the parts do not fit the vector", in.op)
			}
			for c := range int(v.NumComponents) {
				comps = append(comps, t.f.b.Channel(v, c))
			}
		}
		if len(comps) != int(ty.n) {
			t.fail(in.id, "%s: the parts do not fill the vector", in.op)
		}
		t.set(in, t.f.b.Vec(comps...))
		return
	}
	if ty.isLeaf() {
		t.fail(in.id, "%s: the result type is not a composite", in.op)
	}
	if ty.coop != nil && len(in.args) == 1 {
		in = t.replicated(in)
	}
	out := t.leaves.Slice(t.leafCount(ty))[:0]
	for _, id := range in.args {
		l := t.get(id)
		if len(out)+len(l) > cap(out) {
			t.fail(in.id, "%s: too many parts", in.op)
		}
		out = append(out, l...)
	}
	t.setLeaves(in, ty, out)
}

// replicated writes out an instruction that makes all parts of a composite of one
// (SPV_EXT_replicated_composites).
func (t *translator) replicated(in *inst) *inst {
	ty := t.typeOf(in.typ)
	n := len(ty.members)
	if ty.kind != tStruct {
		n = int(ty.n)
	}
	if ty.kind != tStruct && ty.kind != tArray && ty.kind != tMatrix && ty.kind != tVector {
		t.fail(in.id, "%s: the type %s is not composite", in.op, ty)
	}
	t.spend(n)
	x := *in
	x.args = make([]uint32, n)
	for i := range x.args {
		x.args[i] = t.arg(in, 0)
	}
	return &x
}

// place follows literal indices into a composite type: the leaves that the
// part has, and if it is a component of a leaf, which (else -1).
func (t *translator) place(in *inst, ty *typ, idx []uint32) (part *typ, first, n, comp int) {
	comp = -1
	if len(idx) == 0 {
		t.fail(in.id, "%s has no index", in.op)
	}
	for _, i := range idx {
		if comp >= 0 {
			t.fail(in.id, "%s: too many indices", in.op)
		}
		switch ty.kind {
		case tStruct:
			if int64(i) >= int64(len(ty.members)) {
				t.fail(in.id, "%s: the index %d is out of range", in.op, i)
			}
			for _, m := range ty.members[:i] {
				first += int(m.leaves)
			}
			ty = ty.members[i]
		case tArray, tMatrix:
			if ty.coop != nil {
				i = min(i, ty.n-1) // modules do not know how many components a lane has: another is undefined when it runs
			}
			if i >= ty.n {
				t.fail(in.id, "%s: the index %d is out of range", in.op, i)
			}
			ty = ty.elem
			first += int(i) * int(ty.leaves)
		case tVector:
			if i >= ty.n {
				t.fail(in.id, "%s: the index %d is out of range", in.op, i)
			}
			ty, comp = ty.elem, int(i)
		default:
			t.fail(in.id, "%s: %s has no parts", in.op, ty)
		}
	}
	return ty, first, int(ty.leaves), comp
}

// compositeExtract translates OpCompositeExtract.
func (t *translator) compositeExtract(in *inst) {
	id := t.arg(in, 0)
	l := t.get(id)
	part, first, n, comp := t.place(in, t.valType(id), in.args[1:])
	ty := t.typeOf(in.typ)
	if !ty.sameShape(part) {
		t.fail(in.id, "%s: the part has type %s, the result type is %s", in.op, part, ty)
	}
	if comp >= 0 {
		t.set(in, t.f.b.Channel(l[first], comp))
		return
	}
	t.vals[t.index(in.id)] = value{kind: vLeaves, typ: ty, leaves: l[first : first+n : first+n]}
}

// compositeInsert translates OpCompositeInsert.
func (t *translator) compositeInsert(in *inst) {
	id := t.arg(in, 1)
	ty := t.typeOf(in.typ)
	if !ty.sameShape(t.valType(id)) {
		t.fail(in.id, "%s: the composite's type is not the result type", in.op)
	}
	part, first, n, comp := t.place(in, ty, in.args[2:])
	obj := t.get(in.args[0])
	if !part.sameShape(t.valType(in.args[0])) {
		t.fail(in.id, "%s: the object's type is %s, the part's is %s", in.op, t.valType(in.args[0]), part)
	}
	out := t.leaves.Slice(t.leafCount(ty))
	copy(out, t.get(id))
	if comp >= 0 {
		out[first] = t.insert(out[first], obj[0], t.f.u32(uint32(comp)))
	} else {
		copy(out[first:first+n], obj)
	}
	t.setLeaves(in, ty, out)
}

// vectorShuffle translates OpVectorShuffle.
func (t *translator) vectorShuffle(in *inst) {
	x, y := t.vector(t.arg(in, 0)), t.vector(t.arg(in, 1))
	n := len(in.args) - 2
	if ty := t.typeOf(in.typ); ty.kind != tVector || n != int(ty.n) || x.BitSize != y.BitSize {
		t.fail(in.id, "%s: the operands do not make a vector", in.op)
	}
	b := t.f.b
	nx := uint32(x.NumComponents)
	onlyX, onlyY := true, true
	sel := make([]int, n)
	for k, c := range in.args[2:] {
		switch {
		case c == 0xffffffff:
		case c < nx:
			onlyY = false
			sel[k] = int(c)
		case c < nx+uint32(y.NumComponents):
			onlyX = false
			sel[k] = int(c - nx)
		default:
			t.fail(in.id, "%s: the component %d is out of range", in.op, c)
		}
	}
	switch {
	case onlyX:
		t.set(in, b.Swizzle(x, sel...))
		return
	case onlyY:
		t.set(in, b.Swizzle(y, sel...))
		return
	}
	comps := make([]*ir.Def, n)
	for k, c := range in.args[2:] {
		switch {
		case c == 0xffffffff:
			comps[k] = t.f.undef(1, x.BitSize)
		case c < nx:
			comps[k] = b.Channel(x, sel[k])
		default:
			comps[k] = b.Channel(y, sel[k])
		}
	}
	t.set(in, b.Vec(comps...))
}

// copyObject translates OpCopyObject and OpCopyLogical.
func (t *translator) copyObject(in *inst) {
	v := t.val(t.arg(in, 0))
	ty := t.typeOf(in.typ)
	if t.valType(in.args[0]); !ty.sameShape(v.typ) {
		t.fail(in.id, "%s: the types %s and %s differ", in.op, ty, v.typ)
	}
	switch v.kind {
	case vPointer, vVariable, vOpaque, vSampled:
		t.alias(in, *v, ty)
	default:
		l := t.get(in.args[0])
		t.vals[t.index(in.id)] = value{kind: vLeaves, typ: ty, leaves: l}
	}
}

// fence translates OpArithmeticFenceEXT: what makes the value is exact, and so joins no operation after it.
func (t *translator) fence(in *inst) {
	t.copyObject(in)
	for _, l := range t.get(in.id) {
		if l.Instr != nil && l.Instr.Kind == ir.KindALU {
			l.Instr.Exact = true
		}
	}
}

// chosen refuses values that no operation can choose among at run time.
func (t *translator) chosen(id uint32, op spv.Op, ty *typ) {
	switch {
	case ty.byReference():
		t.refuse(id, "%s of images or samplers is not supported", op)
	case ty.kind == tPointer && (ty.sc == spv.StorageClassInput || ty.sc == spv.StorageClassOutput):
		t.refuse(id, "%s of pointers to inputs or outputs is not supported: variable pointers lead to storage buffers and workgroup memory alone", op)
	}
}

// selectOp translates OpSelect.
func (t *translator) selectOp(in *inst) {
	c := t.vector(t.arg(in, 0))
	ty := t.typeOf(in.typ)
	if c.BitSize != 1 {
		t.fail(in.id, "%s: the condition is not a boolean", in.op)
	}
	t.chosen(in.id, in.op, ty)
	if !ty.sameShape(t.valType(t.arg(in, 1))) || !ty.sameShape(t.valType(t.arg(in, 2))) {
		t.fail(in.id, "%s: the objects do not have the result type", in.op)
	}
	x, y := t.get(in.args[1]), t.get(in.args[2])
	t.spend(len(x))
	out := t.leaves.Slice(len(x))
	for k := range x {
		if c.NumComponents != 1 && (ty.kind != tVector || c.NumComponents != x[k].NumComponents) {
			t.fail(in.id, "%s: the condition does not fit the objects", in.op)
		}
		out[k] = t.f.b.Bcsel(c, x[k], y[k])
	}
	t.setLeaves(in, ty, out)
}
