package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// atomicOp returns the IR operation of a read-modify-write instruction.
func atomicOp(op spv.Op) (ir.AtomicOp, bool) {
	switch op {
	case spv.OpAtomicExchange:
		return ir.AtomicXchg, true
	case spv.OpAtomicCompareExchange, spv.OpAtomicCompareExchangeWeak, spv.OpAtomicFlagTestAndSet:
		return ir.AtomicCmpXchg, true
	case spv.OpAtomicIIncrement, spv.OpAtomicIDecrement, spv.OpAtomicIAdd, spv.OpAtomicISub:
		return ir.AtomicIAdd, true
	case spv.OpAtomicSMin:
		return ir.AtomicIMin, true
	case spv.OpAtomicUMin:
		return ir.AtomicUMin, true
	case spv.OpAtomicSMax:
		return ir.AtomicIMax, true
	case spv.OpAtomicUMax:
		return ir.AtomicUMax, true
	case spv.OpAtomicAnd:
		return ir.AtomicIAnd, true
	case spv.OpAtomicOr:
		return ir.AtomicIOr, true
	case spv.OpAtomicXor:
		return ir.AtomicIXor, true
	case spv.OpAtomicFAddEXT:
		return ir.AtomicFAdd, true
	case spv.OpAtomicFMinEXT:
		return ir.AtomicFMin, true
	case spv.OpAtomicFMaxEXT:
		return ir.AtomicFMax, true
	}
	return 0, false
}

// atomic translates atomics and reports whether the instruction was one.
func (t *translator) atomic(in *inst) bool {
	op, rmw := atomicOp(in.op)
	switch {
	case rmw, in.op == spv.OpAtomicLoad, in.op == spv.OpAtomicStore, in.op == spv.OpAtomicFlagClear:
	default:
		return false
	}
	scope := t.scope(in, 1)
	sem := spv.MemorySemantics(t.constArg(in, 2))
	if in.op == spv.OpAtomicCompareExchange || in.op == spv.OpAtomicCompareExchangeWeak {
		sem |= spv.MemorySemantics(t.constArg(in, 3))
	}
	s, modes := semantics(sem)
	if modes = t.ofStage(modes); modes == 0 { // old producers name no storage and mean the atomic's
		modes = t.atomicModes(in)
	}
	before := s & (ir.SemRelease | ir.SemMakeAvailable)
	after := s & (ir.SemAcquire | ir.SemMakeVisible)
	if before != 0 {
		t.putBarrier(ir.ScopeNone, scope, before, modes)
	}
	var vol ir.Access
	if sem&spv.MemorySemanticsVolatile != 0 {
		vol = ir.AccessVolatile
	}
	if v := t.val(t.arg(in, 0)); v.kind == vTexel {
		t.imageAtomic(in, v.obj.(*texel), op, vol)
	} else {
		t.memoryAtomic(in, op, rmw, vol)
	}
	if after != 0 {
		t.putBarrier(ir.ScopeNone, scope, after, modes)
	}
	return true
}

// atomicModes returns the storage that the atomic works on.
func (t *translator) atomicModes(in *inst) ir.Mode {
	if t.val(in.args[0]).kind == vTexel {
		return ir.ModeImage
	}
	return t.anyPtr(in.args[0]).mode
}

// memoryAtomic translates an atomic on memory.
func (t *translator) memoryAtomic(in *inst, op ir.AtomicOp, rmw bool, vol ir.Access) {
	b := t.f.b
	p := t.atomicPointer(in)
	ty := p.typ
	if p.mode == ir.ModeUniform && ty.kind == tInt {
		t.counter(in, p, op)
		return
	}
	if ty.kind != tInt && ty.kind != tFloat || ty.bits < 16 {
		t.refuse(in.id, "%s on %s is not supported", in.op, ty)
	}
	if p.mode&(ir.ModeReadOnly|ir.ModeShaderOut) != 0 && in.op != spv.OpAtomicLoad || p.comp != nil || p.col != nil {
		t.fail(in.id, "%s on storage %s is not allowed", in.op, p.mode)
	}
	t.atomicClass(in, ty)
	access := p.access | vol | ir.AccessCoherent
	if p.mode&ir.ModeShared != 0 && (in.op == spv.OpAtomicLoad || in.op == spv.OpAtomicStore) {
		t.s.Info.CoherentShared = true
	}
	d := t.derefOf(p)
	switch in.op {
	case spv.OpAtomicLoad:
		t.set(in, b.LoadDeref(d, access))
		return
	case spv.OpAtomicStore:
		b.StoreDeref(d, t.atomicOperand(in, 3, ty), 0, access)
		return
	case spv.OpAtomicFlagClear:
		b.StoreDeref(d, t.f.constant(ty.bits, 0), 0, access)
		return
	}
	data, compare := t.atomicData(in, ty)
	var r *ir.Instr
	if compare != nil {
		r = b.Intrinsic(ir.IntrDerefAtomicSwap, 1, ty.bits, d, compare, data)
	} else {
		r = b.Intrinsic(ir.IntrDerefAtomic, 1, ty.bits, d, data)
	}
	r.Set(ir.IdxAccess, uint64(access)).Set(ir.IdxAtomicOp, uint64(op))
	t.atomicResult(in, &r.Def)
}

// atomicPointer is the place of an atomic: where the pointer is untyped, of the type of the value or the result.
func (t *translator) atomicPointer(in *inst) *pointer {
	switch in.op {
	case spv.OpAtomicFlagTestAndSet, spv.OpAtomicFlagClear:
		return t.ptr(in.args[0])
	case spv.OpAtomicStore:
		return t.ptrAs(in.args[0], t.valType(t.arg(in, 3)))
	}
	return t.ptrAs(in.args[0], t.typeOf(in.typ))
}

// atomicClass checks that an atomic on floats, or on integers, is given such.
func (t *translator) atomicClass(in *inst, ty *typ) {
	switch in.op {
	case spv.OpAtomicLoad, spv.OpAtomicStore, spv.OpAtomicExchange:
		return
	}
	isFloat := in.op == spv.OpAtomicFAddEXT || in.op == spv.OpAtomicFMinEXT || in.op == spv.OpAtomicFMaxEXT
	if isFloat != (ty.kind == tFloat) {
		t.broken(ruleTypes, in.id, "%s on %s", in.op, ty)
	}
}

func (t *translator) atomicResult(in *inst, d *ir.Def) {
	if in.op == spv.OpAtomicFlagTestAndSet {
		d = t.f.b.Ine(d, t.f.constant(d.BitSize, 0))
	}
	t.set(in, d)
}

// atomicOperand returns operand i, a scalar of the type.
func (t *translator) atomicOperand(in *inst, i int, ty *typ) *ir.Def {
	d := t.scalar(t.arg(in, i))
	if d.BitSize != ty.bits {
		t.fail(in.id, "%s: operand %d does not have the type of the memory", in.op, i)
	}
	return d
}

// atomicData returns the data of a read-modify-write, and the value to compare
// with if it has one.
func (t *translator) atomicData(in *inst, ty *typ) (data, compare *ir.Def) {
	b := t.f.b
	switch in.op {
	case spv.OpAtomicIIncrement:
		return t.f.constant(ty.bits, 1), nil
	case spv.OpAtomicIDecrement:
		return t.f.constant(ty.bits, ^uint64(0)), nil
	case spv.OpAtomicISub:
		return b.Ineg(t.atomicOperand(in, 3, ty)), nil
	case spv.OpAtomicCompareExchange, spv.OpAtomicCompareExchangeWeak:
		return t.atomicOperand(in, 4, ty), t.atomicOperand(in, 5, ty)
	case spv.OpAtomicFlagTestAndSet:
		return t.f.constant(ty.bits, ^uint64(0)), t.f.constant(ty.bits, 0)
	}
	return t.atomicOperand(in, 3, ty), nil
}
