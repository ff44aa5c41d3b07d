package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// kernelConvert translates what makes pointers of pointers and of integers, and integers of pointers.
func (t *translator) kernelConvert(in *inst, from, to *typ) {
	switch {
	case from.kind == tPointer && to.kind == tPointer:
		if in.op != spv.OpBitcast || from.sc != to.sc {
			t.fail(in.id, "%s between %s and %s is not allowed", in.op, from, to)
		}
		t.setPointer(in, t.seenAs(t.anyPtr(in.args[0]), t.pointee(to)))
	case from.kind == tPointer && to.numeric() && to.isInt():
		x := t.pointerValue(t.anyPtr(in.args[0]))
		if to.kind == tVector {
			t.set(in, t.repack(x, to.elem.bits))
			return
		}
		t.set(in, t.f.b.Mov(t.resize(x, to.bits, false)))
	case to.kind == tPointer && from.numeric() && from.isInt():
		x := t.one(in.args[0])
		if x.NumComponents > 1 {
			x = t.repack(x, 64)
		}
		p := t.pointee(to)
		t.setPointer(in, t.newPointer(pointer{typ: p, mode: t.kernelMode(to.sc, p), addr: t.resize(x, 64, false)}))
	default:
		t.fail(in.id, "%s between %s and %s is not allowed", in.op, from, to)
	}
}

// seenAs is a pointer as one to another type.
func (t *translator) seenAs(p *pointer, to *typ) *pointer {
	if p.typ == to {
		return p
	}
	return t.newPointer(pointer{typ: to, mode: p.mode, access: p.access, addr: t.pointerValue(p)})
}

// genericPointer translates the casts from and to generic pointers. What is known of a pointer's memory stays known.
func (t *translator) genericPointer(in *inst) {
	b := t.f.b
	p := t.anyPtr(t.arg(in, 0))
	if in.op == spv.OpGenericPtrMemSemantics {
		t.genericSemantics(in, p)
		return
	}
	ty := t.typeOf(in.typ)
	if ty.kind != tPointer {
		t.fail(in.id, "%s: the result type is not a pointer", in.op)
	}
	to := t.pointee(ty)
	mode := t.kernelMode(ty.sc, to)
	switch in.op {
	case spv.OpPtrCastToGeneric:
		if ty.sc != spv.StorageClassGeneric || p.mode&modeGeneric == 0 {
			t.fail(in.id, "%s of a pointer to %s", in.op, p.mode)
		}
		t.setPointer(in, t.seenAs(p, to))
	case spv.OpGenericCastToPtr:
		n := *t.seenAs(p, to)
		if n.mode&^mode != 0 {
			n = pointer{typ: to, mode: mode, access: p.access, addr: t.pointerValue(p)}
		}
		t.setPointer(in, t.newPointer(n))
	default:
		is := &b.Intrinsic(ir.IntrDerefModeIs, 1, 1, t.derefOf(p)).Set(ir.IdxMemoryModes, uint64(mode)).Def
		addr := b.Bcsel(is, t.pointerValue(p), t.f.constant(64, 0))
		t.setPointer(in, t.newPointer(pointer{typ: to, mode: mode, access: p.access, addr: addr}))
	}
}

// genericSemantics is which memory a pointer leads to, as a mask of memory semantics.
func (t *translator) genericSemantics(in *inst, p *pointer) {
	b := t.f.b
	r := t.f.u32(uint32(spv.MemorySemanticsCrossWorkgroupMemory))
	for _, c := range [...]struct {
		mode ir.Mode
		is   spv.MemorySemantics
	}{{ir.ModeShared, spv.MemorySemanticsWorkgroupMemory}, {ir.ModeFunctionTemp, 0}} {
		is := &b.Intrinsic(ir.IntrDerefModeIs, 1, 1, t.derefOf(p)).Set(ir.IdxMemoryModes, uint64(c.mode)).Def
		r = b.Bcsel(is, t.f.u32(uint32(c.is)), r)
	}
	t.set(in, r)
}

// copyBytes translates OpCopyMemorySized.
func (t *translator) copyBytes(in *inst) {
	da, align, next := t.memoryOperands(in, 3, true, true)
	sa, from := da, align
	if next < len(in.args) {
		sa, from, _ = t.memoryOperands(in, next, true, false)
	}
	dst, src := t.bytesOf(in.args[0], align), t.bytesOf(in.args[1], from)
	if dst.Instr.DerefInfo().Modes&^ir.ModeReadOnly == 0 {
		t.fail(in.id, "%s into storage that cannot be written (%s)", in.op, dst.Instr.DerefInfo().Modes)
	}
	size := t.intVector(t.arg(in, 2), 1, 0)
	if size.BitSize < 32 {
		size = t.resize(size, 32, false)
	}
	if n, ok := size.Const(0); ok && n > maxCopy {
		t.refuse(in.id, "%s of %d bytes is not supported: the most is %d", in.op, n, maxCopy)
	}
	c := t.f.b.Effect(ir.IntrMemcpyDeref, dst, src, size)
	c.Set(ir.IdxDstAccess, uint64(da|t.anyPtr(in.args[0]).access)).Set(ir.IdxSrcAccess, uint64(sa|t.anyPtr(in.args[1]).access))
}

// maxCopy is the most bytes of a copy whose size is known: it becomes so many loads and stores.
const maxCopy = 1 << 16

// bytesOf is a pointer as the deref of bytes, aligned as an operand says.
func (t *translator) bytesOf(id, align uint32) *ir.Def {
	p := t.anyPtr(id)
	d := t.pointerValue(p)
	info := ir.DerefInfo{Modes: p.mode, Type: ir.ScalarType(ir.BaseUint, 8), PtrStride: 1, AlignMul: align}
	return &t.f.b.Insert(t.f.b.Shader.NewDeref(ir.DerefCast, info, d.NumComponents, d.BitSize, d)).Def
}
