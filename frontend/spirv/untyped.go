package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Untyped pointers (SPV_KHR_untyped_pointers) and raw access chains (SPV_NV_raw_access_chains): places in memory that is laid out
// explicitly whose type the access says, and not the pointer. The first access of another type than the place has goes through a
// cast; nothing after the frontend knows such pointers.

// untypedPointer translates OpTypeUntypedPointerKHR.
func (t *translator) untypedPointer(in *inst, ty *typ) {
	ty.kind, ty.untyped, ty.sc = tPointer, true, spv.StorageClass(in.args[0])
	switch ty.sc {
	case spv.StorageClassUniform, spv.StorageClassStorageBuffer, spv.StorageClassPushConstant, spv.StorageClassPhysicalStorageBuffer,
		spv.StorageClassWorkgroup, spv.StorageClassUniformConstant, spv.StorageClassImage:
	default:
		t.refuse(in.id, "untyped pointers to storage class %s are not supported", ty.sc)
	}
}

// untypedMode is the mode of the storage that an untyped pointer's class names.
func untypedMode(sc spv.StorageClass) ir.Mode {
	switch sc {
	case spv.StorageClassUniform:
		return ir.ModeUBO
	case spv.StorageClassStorageBuffer:
		return ir.ModeSSBO
	case spv.StorageClassPushConstant:
		return ir.ModePushConst
	case spv.StorageClassWorkgroup:
		return ir.ModeShared
	case spv.StorageClassUniformConstant:
		return ir.ModeUniform
	}
	return ir.ModeGlobal
}

// untypedAt is the untyped pointer of a value.
func (t *translator) untypedAt(sc spv.StorageClass, at *ir.Def) *pointer {
	if sc == spv.StorageClassUniformConstant {
		return t.heapPointer(at)
	}
	return t.newPointer(pointer{mode: untypedMode(sc), addr: at})
}

// isVariable reports whether an operation declares a variable.
func isVariable(op spv.Op) bool { return op == spv.OpVariable || op == spv.OpUntypedVariableKHR }

// asVariable gives an OpUntypedVariableKHR the form of an OpVariable: dataType is what stands between the storage class and the
// initialiser, nil of an OpVariable.
func (t *translator) asVariable(in *inst) (dataType *typ) {
	if in.op != spv.OpUntypedVariableKHR {
		return nil
	}
	if len(in.args) < 2 {
		t.refuse(in.id, "%s without a data type is not supported: nothing says how large the variable is", in.op)
	}
	dataType = t.typeOf(in.args[1])
	x := append([]uint32{in.args[0]}, in.args[2:]...)
	in.args = x
	return dataType
}

// ptrAs is the pointer that an id stands for, to be used as one to ty if it is untyped.
func (t *translator) ptrAs(id uint32, ty *typ) *pointer {
	if p := t.anyPtr(id); t.valType(id).untyped {
		return t.viewed(id, p, ty)
	}
	return t.ptr(id)
}

// viewed is p as a pointer to ty.
func (t *translator) viewed(id uint32, p *pointer, ty *typ) *pointer {
	if p.heap {
		return t.heapAs(p, ty)
	}
	if p.typ == ty || p.typ != nil && ty.numeric() && ty.sameShape(p.typ) {
		return p
	}
	t.checkLayout(ty)
	n := t.newPointer(pointer{typ: ty, mode: p.mode, access: p.access})
	if p.typ == nil {
		n.addr, n.param = t.pointerValue(p), p.param
		return n
	}
	if p.col != nil || p.v != nil && p.deref == nil {
		t.fail(id, "the untyped pointer leads to %s, which has no place in memory of its own", p.typ)
	}
	n.deref = t.f.b.DerefCast(t.derefOf(p), p.mode, t.storageType(p.mode, ty), 0)
	return n
}

// untypedChain translates the access chains of untyped pointers: operand 0 is the type that the base is seen as.
func (t *translator) untypedChain(in *inst, elem, inBounds bool) {
	base := t.typeOf(t.arg(in, 0))
	id := t.arg(in, 1)
	p := t.anyPtr(id)
	sc := t.valType(id).sc
	if ty := t.typeOf(in.typ); ty.kind == tPointer && ty.sc != sc {
		t.broken(ruleStorage, in.id, "%s goes from storage class %s to %s", in.op, sc, ty.sc)
	}
	p = t.viewed(id, p, base)
	if elem && p.stride == 0 {
		n := t.newPointer(*p)
		n.stride = uint32(min(t.storageType(p.mode, base).Size(), 1<<31-1))
		p = n
	}
	x := *in
	x.args = in.args[1:]
	t.chain(&x, p, elem, inBounds)
}

// untypedMemory translates the instructions on untyped pointers, and reports whether the instruction was one.
func (t *translator) untypedMemory(in *inst) bool {
	switch in.op {
	case spv.OpUntypedVariableKHR:
		t.fail(in.id, "%s stands inside a function", in.op)
	case spv.OpUntypedAccessChainKHR:
		t.untypedChain(in, false, false)
	case spv.OpUntypedInBoundsAccessChainKHR:
		t.untypedChain(in, false, true)
	case spv.OpUntypedPtrAccessChainKHR:
		t.untypedChain(in, true, false)
	case spv.OpUntypedInBoundsPtrAccessChainKHR:
		t.untypedChain(in, true, true)
	case spv.OpUntypedArrayLengthKHR:
		t.arrayLength(in, t.viewed(t.arg(in, 1), t.anyPtr(t.arg(in, 1)), t.typeOf(t.arg(in, 0))), 2)
	case spv.OpCopyMemorySized:
		t.copySized(in)
	case spv.OpRawAccessChainNV:
		t.rawChain(in)
	case spv.OpBufferPointerEXT:
		t.bufferPointer(in)
	case spv.OpUntypedImageTexelPointerEXT:
		t.heapTexelPointer(in)
	default:
		return false
	}
	return true
}

// copySized translates OpCopyMemorySized, between pointers of any kind: byte by byte, which passes join.
func (t *translator) copySized(in *inst) {
	if t.kernel {
		t.copyBytes(in)
		return
	}
	size, ok := t.intConst(t.arg(in, 2))
	if !ok || size < 0 || size > 4*maxLeaves {
		t.refuse(in.id, "%s of a size that is not a constant of up to %d bytes is not supported", in.op, 4*maxLeaves)
	}
	dst, src := t.arg(in, 0), t.arg(in, 1)
	da, _, next := t.memoryOperands(in, 3, true, true)
	sa := da
	if next < len(in.args) {
		sa, _, _ = t.memoryOperands(in, next, true, false)
	}
	t.spend(int(size))
	to, from := t.bytesAt(dst), t.bytesAt(src)
	if to.Instr.DerefInfo().Modes&ir.ModeReadOnly != 0 {
		t.fail(in.id, "%s into storage that cannot be written (%s)", in.op, to.Instr.DerefInfo().Modes)
	}
	b := t.f.b
	for k := range size {
		at := func(d *ir.Def) *ir.Def { return b.DerefPtrAsArray(d, b.ImmInt(k, d.BitSize)) }
		b.StoreDeref(at(to), b.LoadDeref(at(from), sa|t.anyPtr(src).access), 0, da|t.anyPtr(dst).access)
	}
}

// bytesAt is a pointer as one to bytes.
func (t *translator) bytesAt(id uint32) *ir.Def {
	p := t.anyPtr(id)
	explicit := ir.ModeExplicit
	if t.caps.explicitShared {
		explicit |= ir.ModeShared
	}
	if p.mode&explicit == 0 {
		t.fail(id, "the pointer leads to no memory that is laid out explicitly")
	}
	return t.f.b.DerefCast(t.pointerValue(p), p.mode, ir.ScalarType(ir.BaseUint, 8), 1)
}

// rawChain translates OpRawAccessChainNV: base, the bytes of an element, the number of the element, and an offset in bytes.
// Accesses out of bounds are tested by component, which is what the operand RobustnessPerComponentNV asks for.
func (t *translator) rawChain(in *inst) {
	if len(in.args) > 4 && in.args[4]&uint32(spv.RawAccessChainOperandsRobustnessPerElementNV) != 0 {
		t.refuse(in.id, "%s with RobustnessPerElementNV is not supported: bounds are tested for the bytes of an access, not for elements", in.op)
	}
	p := t.anyPtr(t.arg(in, 0))
	if p.mode != ir.ModeSSBO && p.mode != ir.ModeGlobal && p.mode != ir.ModeUBO {
		t.fail(in.id, "%s of a pointer to %s is not allowed", in.op, p.mode)
	}
	b := t.f.b
	stride, ok := t.intConst(t.arg(in, 1))
	if !ok {
		t.fail(in.id, "%s: the stride is not a constant", in.op)
	}
	d := t.pointerValue(p)
	element, offset := t.toU32(t.intVector(t.arg(in, 2), 1, 0)), t.toU32(t.intVector(t.arg(in, 3), 1, 0))
	at := b.Iadd(b.Imul(element, t.f.u32(uint32(stride))), offset)
	bytes := b.DerefCast(d, p.mode, ir.ScalarType(ir.BaseUint, 8), 1)
	ty := t.typeOf(in.typ)
	to := t.pointee(ty)
	n := t.newPointer(pointer{typ: to, mode: p.mode, access: p.access, stride: ty.stride})
	info := ir.DerefInfo{Modes: p.mode, Type: t.storageType(p.mode, to), PtrStride: ty.stride}
	if to.numeric() {
		info.AlignMul = uint32(max(to.scalarType().bits, 8)) / 8
	}
	place := b.DerefPtrAsArray(bytes, t.resize(at, bytes.BitSize, false))
	n.deref = &b.Insert(b.Shader.NewDeref(ir.DerefCast, info, place.NumComponents, place.BitSize, place)).Def
	t.decorateAccess(in, &n)
	t.setPointer(in, n)
}
