package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// counterMode is the mode of OpenGL's atomic counters, which are variables of the mode of uniforms that nothing but atomics reaches.
func (t *translator) counterMode(ty *typ) ir.Mode {
	if base := ty.withoutArray(); base.kind != tInt || base.bits != 32 {
		t.refuse(ty.id, "atomic counters of %s are not supported", ty)
	}
	return ir.ModeUniform
}

// counterAt notes where a counter stands in its buffer.
func (v *variable) counterAt(offset uint32) {
	if v.sc == spv.StorageClassAtomicCounter {
		v.iv.DriverLocation = offset
	}
}

// counter translates an atomic on a counter.
func (t *translator) counter(in *inst, p *pointer, op ir.AtomicOp) {
	b := t.f.b
	v, at := t.counterPlace(in, t.derefOf(p).Instr)
	var r *ir.Instr
	switch data, compare := t.counterData(in, p); {
	case in.op == spv.OpAtomicLoad:
		r = b.Intrinsic(ir.IntrLoadCounter, 1, 32, at)
	case in.op == spv.OpAtomicStore:
		r = b.Intrinsic(ir.IntrCounterAtomic, 1, 32, at, t.atomicOperand(in, 3, p.typ))
		op = ir.AtomicXchg
	case compare != nil:
		r = b.Intrinsic(ir.IntrCounterAtomicSwap, 1, 32, at, compare, data)
	default:
		r = b.Intrinsic(ir.IntrCounterAtomic, 1, 32, at, data)
	}
	r.Set(ir.IdxBase, uint64(v.Binding)).Set(ir.IdxAtomicOp, uint64(op))
	if in.op != spv.OpAtomicStore {
		t.atomicResult(in, &r.Def)
	}
}

// counterData are the operands of an atomic that changes a counter by its old value.
func (t *translator) counterData(in *inst, p *pointer) (data, compare *ir.Def) {
	if in.op == spv.OpAtomicLoad || in.op == spv.OpAtomicStore {
		return nil, nil
	}
	return t.atomicData(in, p.typ)
}

// counterPlace is the variable and the byte offset in its buffer that a deref leads to.
func (t *translator) counterPlace(in *inst, d *ir.Instr) (*ir.Variable, *ir.Def) {
	b, info := t.f.b, d.DerefInfo()
	switch d.Deref {
	case ir.DerefVar:
		return info.Var, b.Imm32(info.Var.DriverLocation)
	case ir.DerefArray:
		v, at := t.counterPlace(in, d.Srcs[0].Def.Instr)
		size := uint32(4)
		for e := info.Type; e.IsArray(); e = e.Elem {
			size *= e.Len
		}
		return v, b.Iadd(at, b.IMulImm(d.Srcs[1].Def, int64(size)))
	}
	t.refuse(in.id, "an atomic counter that a function is given is not supported")
	return nil, nil
}
