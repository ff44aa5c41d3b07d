package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// pointer is what a SPIR-V pointer stands for: a place that a chain of derefs
// leads to.
type pointer struct {
	typ    *typ // of the pointee
	mode   ir.Mode
	access ir.Access
	// deref is the deref that leads there (or near: see comp and col).
	deref *ir.Def
	// addr is a pointer value that derefs begin from with a cast; stride is the
	// step of pointer arithmetic, 0 unknown. A parameter is cast once, at the
	// function's start.
	addr   *ir.Def
	stride uint32
	param  bool
	// v is the variable that the chain begins at, as long as only indices of its
	// descriptor array (elem) or of the array of a split variable (outer) are known.
	v     *variable
	elem  *ir.Def
	outer *ir.Def
	// heap: the place is one of a descriptor, addr bytes from the beginning of a heap; descriptor is which one it is, nil if that is to be
	// found from the bytes.
	descriptor *ir.Def
	heap       bool
	// outerAt is the element of a variable that is split by elements, + 1, if it is known.
	outerAt int
	// comp: the place is this component of the vector that deref leads to.
	comp *ir.Def
	// col: the place is this column of the row-major matrix, an array of its
	// rows, that deref leads to.
	col *ir.Def
}

// ptr returns the pointer that an id stands for, which says what it points to.
func (t *translator) ptr(id uint32) *pointer {
	p := t.anyPtr(id)
	if p.typ == nil {
		t.fail(id, "a pointer that says what it points to is wanted here")
	}
	return p
}

// anyPtr returns the pointer that an id stands for. One that is untyped may not say what it points to: its type is nil.
func (t *translator) anyPtr(id uint32) *pointer {
	v := t.val(id)
	switch v.kind {
	case vPointer:
		return v.obj.(*pointer)
	case vVariable:
		return t.pointerTo(v.obj.(*variable))
	case vAddress:
		return t.constantAddress(id, v.typ)
	case vLeaves, vConst, vUndef:
		if v.typ.kind == tPointer {
			ty := v.typ
			if ty.untyped {
				return t.untypedAt(ty.sc, t.one(id))
			}
			p := t.pointee(ty)
			return t.newPointer(pointer{typ: p, mode: t.modeOf(ty.sc, p), addr: t.one(id), stride: ty.stride})
		}
	}
	t.fail(id, "a pointer is wanted here")
	return nil
}

// derefOf returns the deref of a pointer, making the cast or the descriptor
// access that it begins with.
func (t *translator) derefOf(p *pointer) *ir.Def {
	switch {
	case p.heap:
		return t.heapDeref(p)
	case p.deref != nil:
		return p.deref
	case p.addr != nil:
		info := ir.DerefInfo{Modes: p.mode, Type: t.storageType(p.mode, p.typ), PtrStride: p.stride}
		in := t.f.b.Shader.NewDeref(ir.DerefCast, info, p.addr.NumComponents, p.addr.BitSize, p.addr)
		if p.param {
			p.deref = t.f.atStart(in)
			return p.deref
		}
		return &t.f.b.Insert(in).Def
	}
	t.fail(0, "a pointer to %s cannot be used here", p.typ)
	return nil
}

// pointerValue returns a pointer as a value.
func (t *translator) pointerValue(p *pointer) *ir.Def {
	if p.comp != nil || p.col != nil || p.v != nil && p.v.members != nil && p.deref == nil {
		t.fail(0, "a pointer to a part of an interface variable or of a row-major matrix cannot be a value")
	}
	if p.addr != nil && p.deref == nil {
		return p.addr
	}
	return t.derefOf(p)
}

// index is an index of an access chain.
type index struct {
	c     int64
	known bool
	id    uint32
}

func (t *translator) indexOf(id uint32) index {
	c, ok := t.intConst(id)
	return index{c: c, known: ok, id: id}
}

// indexDef returns an index as a value of the given size.
func (t *translator) indexDef(ix index, bits uint8) *ir.Def {
	if ix.known {
		v := uint64(ix.c)
		if bits < 64 {
			v &= 1<<bits - 1
		}
		return t.f.constant(bits, v)
	}
	if ty := t.valType(ix.id); !ty.isScalar() || ty.kind != tInt {
		t.fail(ix.id, "an index is not an integer")
	}
	return t.signExtend(t.scalar(ix.id), bits)
}

// signExtend resizes a signed integer.
func (t *translator) signExtend(d *ir.Def, bits uint8) *ir.Def {
	if d.BitSize == bits {
		return d
	}
	return t.f.b.ALU(intResize(bits, true), d)
}

// step follows one index of an access chain.
func (t *translator) step(p *pointer, ix index, inBounds bool) *pointer {
	if p.heap {
		return t.stepHeap(p, ix)
	}
	ty := p.typ
	n := t.newPointer(*p)
	n.addr, n.param, n.stride = nil, false, 0
	switch ty.kind {
	case tStruct:
		if !ix.known || ix.c < 0 || ix.c >= int64(len(ty.members)) {
			t.fail(ix.id, "the index of a struct member is not a constant below %d", len(ty.members))
		}
		return t.stepMember(p, n, int(ix.c))
	case tArray, tRuntimeArray:
		n.typ = ty.elem
		if isIndices(p.v) {
			return t.stepIndices(p, n, ix)
		}
		if p.deref == nil && p.addr == nil {
			return t.stepVariable(p, n, ix)
		}
	case tMatrix:
		n.typ = ty.elem
		d := t.derefOf(p)
		n.deref = d
		if d.Instr.DerefInfo().Type.IsArray() {
			n.col = t.column(d, ix)
			return n
		}
	case tVector:
		return t.stepComponent(p, n, ix)
	default:
		t.fail(ix.id, "an access chain goes into %s, which has no parts", ty)
	}
	n.deref = t.derefArray(t.derefOf(p), ix, inBounds || ix.known && ix.c >= 0 && ix.c < int64(ty.n))
	return n
}

func (t *translator) derefArray(d *ir.Def, ix index, inBounds bool) *ir.Def {
	r := t.element(d, ix)
	r.Instr.DerefInfo().InBounds = inBounds && r.Instr.Deref == ir.DerefArray
	return r
}

// stepMember goes to member k of a struct.
func (t *translator) stepMember(p, n *pointer, k int) *pointer {
	ty := p.typ
	n.typ = ty.members[k]
	n.access |= ty.memb[k].Access
	if p.v != nil && p.v.split && p.deref == nil {
		return t.splitMember(p, n, k)
	}
	if p.v != nil && p.v.members != nil && p.deref == nil {
		iv := p.v.members[k]
		if iv == nil {
			b := spv.BuiltIn(ty.memb[k].BuiltIn)
			t.refuse(p.v.id, "the built-in %s is not supported: %s", b, nvReason(b))
		}
		n.mode = iv.Mode
		n.deref = t.f.b.DerefVar(iv)
		if p.outer != nil {
			n.deref = t.f.b.DerefArray(n.deref, p.outer)
		} else if p.v.typ.kind == tArray {
			t.fail(p.v.id, "the whole of an array of blocks cannot be accessed through a member")
		}
		n.v, n.outer = nil, nil
		return n
	}
	n.deref = t.f.b.DerefStruct(t.derefOf(p), k)
	n.v, n.elem = nil, nil
	return n
}

// stepVariable indexes the array of descriptors or of a split variable.
func (t *translator) stepVariable(p, n *pointer, ix index) *pointer {
	i := t.indexDef(ix, 32)
	if p.v != nil && p.v.split && ix.known && ix.c >= 0 && ix.c < int64(p.typ.n) {
		n.outerAt = int(ix.c) + 1
	}
	switch {
	case p.v == nil:
		t.fail(ix.id, "the array cannot be indexed here")
	case p.v.members != nil:
		n.outer = i
	case p.elem != nil:
		n.elem = t.f.b.Iadd(t.f.b.IMulImm(p.elem, int64(p.typ.n)), i)
	default:
		n.elem = i
	}
	t.enterBlock(n)
	return n
}

// enterBlock makes the deref of a buffer's block when the descriptor's element is known.
func (t *translator) enterBlock(p *pointer) {
	if p.v != nil && p.v.buffer() && p.elem != nil && p.typ.kind == tStruct {
		p.deref = t.blockDeref(p.v, p.typ, p.elem, false)
	}
}

// stepComponent goes to a component of a vector.
func (t *translator) stepComponent(p, n *pointer, ix index) *pointer {
	n.typ = p.typ.elem
	if ix.known && (ix.c < 0 || ix.c >= int64(p.typ.n)) {
		ix.c = 0 // out of range: any component will do
	}
	d := t.derefOf(p)
	switch {
	case p.col != nil:
		row := t.derefArray(d, ix, true)
		n.deref = t.f.b.DerefArray(row, p.col)
		n.col = nil
	case p.mode&ir.ModeVecIndexable != 0, p.mode == ir.ModeShaderOut && t.sharesOutputs():
		n.deref = t.derefArray(d, ix, true)
	default:
		n.deref = d
		n.comp = t.indexDef(ix, 32)
	}
	return n
}

// sharesOutputs reports whether other invocations may write components of an output that this one writes a component of.
func (t *translator) sharesOutputs() bool {
	return t.stage == ir.StageMesh || t.stage == ir.StageTessCtrl
}

// accessChain translates OpAccessChain and its kin. elem says that the first
// index steps over whole objects.
func (t *translator) accessChain(in *inst, elem, inBounds bool) {
	p := t.ptr(t.arg(in, 0))
	if ty := t.typeOf(in.typ); ty.kind == tPointer && ty.sc != t.valType(in.args[0]).sc {
		t.broken(ruleStorage, in.id, "%s goes from storage class %s to %s", in.op, t.valType(in.args[0]).sc, ty.sc)
	}
	t.chain(in, p, elem, inBounds)
}

// chain follows the indices of an access chain that begins at p; operand 0 is the base.
func (t *translator) chain(in *inst, p *pointer, elem, inBounds bool) {
	ids := in.args[1:]
	if elem {
		p = t.pointerStep(in, p, t.indexOf(t.arg(in, 1)))
		ids = in.args[2:]
	}
	t.decorateAccess(in, &p)
	for _, id := range ids {
		p = t.step(p, t.indexOf(id), inBounds)
	}
	ty := t.typeOf(in.typ)
	if ty.untyped {
		t.setPointer(in, p)
		return
	}
	want := t.pointee(ty)
	if t.kernel && p.typ.isLeaf() && want.isLeaf() && !want.sameShape(p.typ) {
		p = t.seenAs(p, want)
	}
	if !want.sameShape(p.typ) {
		t.fail(in.id, "%s leads to %s, the result type points to %s", in.op, p.typ, want)
	}
	t.setPointer(in, p)
}

// decorateAccess gives a chain the access decorations of its result id.
func (t *translator) decorateAccess(in *inst, p **pointer) {
	i := t.index(in.id)
	if t.decHead[i] == 0 {
		return
	}
	n := t.newPointer(**p)
	t.eachDec(i, func(d *decoration) { n.access |= accessBit(d.dec) })
	*p = n
}

// pointerStep moves a pointer by a number of elements.
func (t *translator) pointerStep(in *inst, p *pointer, ix index) *pointer {
	if p.mode&(ir.ModeUBO|ir.ModeSSBO|ir.ModeGlobal|ir.ModeConstant|ir.ModePushConst|ir.ModeShared|ir.ModeShaderTemp|ir.ModeFunctionTemp) == 0 {
		t.fail(in.id, "%s of a pointer that points to no memory is not allowed", in.op)
	}
	n := t.newPointer(*p)
	stride := p.stride
	if t.kernel {
		if ix.known && ix.c == 0 {
			return p
		}
		stride = t.kernelStride(in.id, p.typ)
	}
	if ty := t.valType(t.arg(in, 0)); ty.kind == tPointer && ty.stride != 0 {
		stride = ty.stride
	}
	if p.v != nil && p.v.buffer() && p.v.typ.kind != tStruct && p.elem != nil {
		n.elem = t.f.b.Iadd(p.elem, t.indexDef(ix, 32)) // elements of a descriptor array
		t.enterBlock(n)
		return n
	}
	d := t.pointerValue(p)
	if p.deref == nil || d.Instr.Kind != ir.KindDeref || d.Instr.Deref != ir.DerefArray || d.Instr.DerefInfo().Modes&ir.ModeExplicit != 0 {
		d = t.f.b.DerefCast(d, p.mode, t.storageType(p.mode, p.typ), stride)
	}
	n.deref = t.moved(d, ix, stride)
	return n
}

// arrayLength translates OpArrayLength, of the block at p; operand member is the number of the member.
func (t *translator) arrayLength(in *inst, p *pointer, member int) {
	k := int(t.arg(in, member))
	if p.typ.kind != tStruct || k != len(p.typ.members)-1 || p.typ.members[k].kind != tRuntimeArray || p.mode != ir.ModeSSBO {
		t.fail(in.id, "%s is not of the last member of a storage buffer, a run-time array", in.op)
	}
	if p.typ.members[k].stride == 0 {
		t.fail(in.id, "the run-time array has no ArrayStride")
	}
	d := t.f.b.DerefStruct(t.derefOf(p), k)
	r := t.f.b.Intrinsic(ir.IntrDerefBufferArrayLength, 1, 32, d).Set(ir.IdxAccess, uint64(p.access))
	t.set(in, &r.Def)
}

// pointerCompare translates OpPtrEqual, OpPtrNotEqual and OpPtrDiff.
func (t *translator) pointerCompare(in *inst) {
	p, q := t.anyPtr(t.arg(in, 0)), t.anyPtr(t.arg(in, 1))
	x, y := t.pointerValue(p), t.pointerValue(q)
	b := t.f.b
	if x.NumComponents != y.NumComponents || x.BitSize != y.BitSize {
		t.fail(in.id, "%s: the pointers are of different storage", in.op)
	}
	if in.op == spv.OpPtrDiff {
		p = t.ptr(in.args[0])
		stride := t.valType(in.args[0]).stride
		if stride == 0 {
			stride = uint32(min(t.storageType(p.mode, p.typ).Size(), 1<<31-1))
		}
		if stride == 0 {
			t.fail(in.id, "the pointers have no ArrayStride")
		}
		last := int(x.NumComponents) - 1
		diff := b.Isub(b.Channel(x, last), b.Channel(y, last))
		q := b.Idiv(diff, t.f.constant(diff.BitSize, uint64(stride)))
		t.set(in, t.signExtend(q, t.typeOf(in.typ).bits))
		return
	}
	eq := t.reduce(b.Ieq(x, y), ir.OpIand)
	if in.op == spv.OpPtrNotEqual {
		eq = b.Inot(eq)
	}
	t.set(in, eq)
}
