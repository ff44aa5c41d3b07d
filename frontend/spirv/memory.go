package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// memoryOperands reads the memory operands at operand i of an instruction that loads or stores: access
// bits, the alignment (0 none), and where the next operands begin.
func (t *translator) memoryOperands(in *inst, i int, loads, stores bool) (a ir.Access, align uint32, next int) {
	if i >= len(in.args) {
		return 0, 0, i
	}
	m := in.args[i]
	t.checkMemory(in, &pointerBits, m, loads, stores)
	next = i + 1
	if m&uint32(spv.MemoryAccessAligned) != 0 {
		align = t.arg(in, next)
		next++
		if align&(align-1) != 0 {
			t.fail(in.id, "%s: the alignment %d is not a power of two", in.op, align)
		}
	}
	for _, bit := range [...]uint32{pointerBits.available, pointerBits.visible} {
		if m&bit != 0 {
			t.scope(in, next)
			next++
		}
	}
	return pointerBits.access(m), align, next
}

// aligned returns p with the alignment that a memory operand promises; only
// physical pointers need it.
func (t *translator) aligned(p *pointer, align uint32) *pointer {
	if align == 0 || p.mode != ir.ModeGlobal && !t.underAligned(p, align) || p.comp != nil || p.col != nil {
		return p
	}
	n := t.newPointer(*p)
	d := t.pointerValue(p)
	info := ir.DerefInfo{Modes: p.mode, Type: t.storageType(p.mode, p.typ), PtrStride: p.stride, AlignMul: align}
	n.deref = &t.f.b.Insert(t.f.b.Shader.NewDeref(ir.DerefCast, info, d.NumComponents, d.BitSize, d)).Def
	return n
}

// load translates OpLoad.
func (t *translator) load(in *inst) {
	ty := t.typeOf(in.typ)
	p := t.ptrAs(t.arg(in, 0), ty)
	if t.loadHeld(in, ty, p) {
		return
	}
	if !ty.sameShape(p.typ) {
		t.fail(in.id, "%s: the result type is %s, the pointer's is %s", in.op, ty, p.typ)
	}
	a, align, _ := t.memoryOperands(in, 1, true, false)
	p = t.withAccess(t.aligned(p, align), a)
	switch {
	case ty.byReference() && p.mode&(ir.ModeFunctionTemp|ir.ModeShaderTemp) == 0:
		t.vals[t.index(in.id)] = value{kind: vOpaque, typ: ty, obj: t.opaqueLoad(in, p)}
		return
	case ty.isLeaf():
		t.set(in, t.loadLeaf(p))
		return
	}
	l := t.loadLeaves(p, t.leaves.Slice(t.leafCount(ty))[:0])
	t.vals[t.index(in.id)] = value{kind: vLeaves, typ: ty, leaves: l}
}

// opaqueLoad keeps the pointer of an image or sampler as its value.
func (t *translator) opaqueLoad(in *inst, p *pointer) *pointer {
	n := t.newPointer(*p)
	n.deref = t.derefOf(p)
	if d := t.decHead[t.index(in.id)]; d != 0 {
		t.eachDec(t.index(in.id), func(d *decoration) { n.access |= accessBit(d.dec) })
	}
	return n
}

func (t *translator) withAccess(p *pointer, a ir.Access) *pointer {
	if a == 0 {
		return p
	}
	n := t.newPointer(*p)
	n.access |= a
	return n
}

// loadLeaves appends the leaves of the object at p.
func (t *translator) loadLeaves(p *pointer, out []*ir.Def) []*ir.Def {
	ty := p.typ
	if ty.isLeaf() {
		return append(out, t.loadLeaf(p))
	}
	for i := range t.parts(ty) {
		out = t.loadLeaves(t.part(p, i), out)
	}
	return out
}

// parts is the number of members, elements or columns of a type.
func (t *translator) parts(ty *typ) int {
	switch ty.kind {
	case tStruct:
		return len(ty.members)
	case tArray, tMatrix:
		return int(ty.n)
	}
	t.fail(ty.id, "%s cannot be loaded or stored as a whole", ty)
	return 0
}

func (t *translator) part(p *pointer, i int) *pointer {
	return t.step(p, index{c: int64(i), known: true}, true)
}

// loadLeaf loads a scalar, vector, or pointer.
func (t *translator) loadLeaf(p *pointer) *ir.Def {
	b := t.f.b
	d := t.derefOf(p)
	switch {
	case p.typ.opaque() && p.mode&(ir.ModeFunctionTemp|ir.ModeShaderTemp) == 0:
		if p.typ.kind == tAccel {
			return &b.Intrinsic(ir.IntrLoadAccelStruct, 1, 64, d).Def
		}
		return d
	case p.col != nil:
		comps := make([]*ir.Def, 0, 4)
		for r := range int(p.typ.n) {
			row := t.derefArray(d, index{c: int64(r), known: true}, true)
			comps = append(comps, b.LoadDeref(b.DerefArray(row, p.col), p.access))
		}
		return b.Vec(comps...)
	case p.comp != nil:
		return t.extract(b.LoadDeref(d, p.access), p.comp)
	case p.mode == ir.ModeSystemValue && p.access&ir.AccessVolatile != 0 && t.isHelperInvocation(d):
		return &b.Intrinsic(ir.IntrIsHelperInvocation, 1, 1).Def
	}
	return b.LoadDeref(d, p.access)
}

func (t *translator) isHelperInvocation(d *ir.Def) bool {
	v := d.Instr.DerefInfo().Var
	return v != nil && v.BuiltIn == int32(spv.BuiltInHelperInvocation)
}

// store translates OpStore.
func (t *translator) store(in *inst) {
	ty := t.valType(t.arg(in, 1))
	p := t.ptrAs(t.arg(in, 0), ty)
	if t.storeHeld(in, ty, p) {
		return
	}
	if !ty.sameShape(p.typ) {
		t.fail(0, "OpStore: the object's type is %s, the pointer's is %s", ty, p.typ)
	}
	a, align, _ := t.memoryOperands(in, 2, false, true)
	p = t.withAccess(t.aligned(p, align), a)
	l := t.get(in.args[1])
	if !ty.isLeaf() {
		t.spend(len(l))
	}
	k := 0
	t.storeLeaves(p, l, &k)
}

// storeLeaves stores the object at p from leaves beginning at l[*k].
func (t *translator) storeLeaves(p *pointer, l []*ir.Def, k *int) {
	if p.typ.isLeaf() {
		t.storeLeaf(p, l[*k])
		*k++
		return
	}
	for i := range t.parts(p.typ) {
		t.storeLeaves(t.part(p, i), l, k)
	}
}

// storeLeaf stores a scalar, vector or pointer.
func (t *translator) storeLeaf(p *pointer, v *ir.Def) {
	b := t.f.b
	if p.mode&ir.ModeReadOnly != 0 {
		t.fail(0, "a store into storage that cannot be written (%s)", p.mode)
	}
	d := t.derefOf(p)
	switch {
	case p.col != nil:
		for r := range int(p.typ.n) {
			row := t.derefArray(d, index{c: int64(r), known: true}, true)
			b.StoreDeref(b.DerefArray(row, p.col), b.Channel(v, r), 0, p.access)
		}
	case p.comp != nil:
		t.storeComponent(p, d, v)
	default:
		b.StoreDeref(d, v, 0, p.access)
	}
}

// storeComponent stores into one component of the vector that d leads to.
func (t *translator) storeComponent(p *pointer, d, v *ir.Def) {
	b := t.f.b
	n := int(d.Instr.DerefInfo().Type.Rows)
	if c, ok := p.comp.Const(0); ok {
		all := b.Swizzle(v, make([]int, n)...)
		b.StoreDeref(d, all, 1<<min(c, uint64(n-1)), p.access)
		return
	}
	old := b.LoadDeref(d, p.access)
	b.StoreDeref(d, t.insert(old, v, p.comp), 0, p.access)
}

// copyMemory translates OpCopyMemory.
func (t *translator) copyMemory(in *inst) {
	dst, src := t.anyPtr(t.arg(in, 0)), t.anyPtr(t.arg(in, 1))
	switch { // one of them says how much
	case t.valType(in.args[0]).untyped && !t.valType(in.args[1]).untyped:
		dst = t.viewed(in.args[0], dst, src.typ)
	case t.valType(in.args[1]).untyped && !t.valType(in.args[0]).untyped:
		src = t.viewed(in.args[1], src, dst.typ)
	case t.valType(in.args[1]).untyped:
		t.fail(0, "OpCopyMemory: neither pointer says how much is copied")
	}
	if !dst.typ.sameShape(src.typ) {
		t.fail(0, "OpCopyMemory: the types %s and %s differ", dst.typ, src.typ)
	}
	da, align, next := t.memoryOperands(in, 2, true, true)
	sa := da
	if next < len(in.args) {
		sa, align, _ = t.memoryOperands(in, next, true, false)
	}
	dst, src = t.withAccess(t.aligned(dst, align), da), t.withAccess(t.aligned(src, align), sa)
	if t.copyWhole(dst, src) {
		b := t.f.b
		c := b.CopyDeref(t.derefOf(dst), t.derefOf(src))
		c.Set(ir.IdxDstAccess, uint64(dst.access)).Set(ir.IdxSrcAccess, uint64(src.access))
		return
	}
	l := t.loadLeaves(src, t.leaves.Slice(t.leafCount(src.typ))[:0])
	k := 0
	t.storeLeaves(dst, l, &k)
}

// copyWhole reports whether a copy can be one copy_deref: whole aggregates of
// the same bare type.
func (t *translator) copyWhole(dst, src *pointer) bool {
	if dst.typ.isLeaf() || dst.col != nil || src.col != nil || dst.mode&ir.ModeReadOnly != 0 {
		return false
	}
	for _, p := range []*pointer{dst, src} {
		if p.deref == nil && p.addr == nil {
			return false
		}
	}
	t.spend(int(dst.typ.nodes))
	d, s := t.storageType(dst.mode, dst.typ), t.storageType(src.mode, src.typ)
	if dst.deref != nil {
		d = dst.deref.Instr.DerefInfo().Type
	}
	if src.deref != nil {
		s = src.deref.Instr.DerefInfo().Type
	}
	return d.Bare().Equal(s.Bare())
}
