package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Shaders of ray tracing pipelines: SPV_KHR_ray_tracing, and where it is the same SPV_NV_ray_tracing, which names payloads by
// their locations.

// rayInst translates the instructions of ray tracing pipelines and reports whether the instruction was one.
func (t *translator) rayInst(in *inst) bool {
	b := t.f.b
	switch in.op {
	case spv.OpTraceRayKHR, spv.OpTraceNV:
		t.traceRay(in)
	case spv.OpExecuteCallableKHR, spv.OpExecuteCallableNV:
		data := t.callData(in, 1, spv.StorageClassCallableDataKHR)
		b.Effect(ir.IntrExecuteCallable, data, t.intVector(t.arg(in, 0), 1, 32))
	case spv.OpReportIntersectionKHR:
		r := b.Intrinsic(ir.IntrReportRayIntersection, 1, 1, t.floatVector(t.arg(in, 0), 1, 32), t.intVector(t.arg(in, 1), 1, 32))
		t.set(in, &r.Def)
	case spv.OpIgnoreIntersectionNV:
		b.Effect(ir.IntrIgnoreRayIntersection)
	case spv.OpTerminateRayNV:
		b.Effect(ir.IntrTerminateRay)
	default:
		return false
	}
	return true
}

func (t *translator) traceRay(in *inst) {
	data := t.callData(in, 10, spv.StorageClassRayPayloadKHR)
	accel := t.one(t.arg(in, 0))
	if t.valType(in.args[0]).kind != tAccel {
		t.fail(in.id, "%s: operand 0 is no acceleration structure", in.op)
	}
	srcs := []*ir.Def{data, accel}
	for i := 1; i <= 5; i++ {
		srcs = append(srcs, t.intVector(t.arg(in, i), 1, 32))
	}
	srcs = append(srcs, t.floatVector(t.arg(in, 6), 3, 32), t.floatVector(t.arg(in, 7), 1, 32), t.floatVector(t.arg(in, 8), 3, 32), t.floatVector(t.arg(in, 9), 1, 32))
	t.f.b.Effect(ir.IntrTraceRay, srcs...)
}

// callData is the deref of what a call hands on: of a pointer, or of the variable of a storage class that is at a location.
func (t *translator) callData(in *inst, i int, sc spv.StorageClass) *ir.Def {
	id := t.arg(in, i)
	if t.valType(id).kind == tPointer {
		p := t.ptr(id)
		if p.mode != ir.ModeShaderCall {
			t.fail(in.id, "%s: the data is in %s", in.op, p.mode)
		}
		return t.derefOf(p)
	}
	location, ok := t.intConst(id)
	if !ok {
		t.fail(in.id, "%s: the location is not a constant", in.op)
	}
	for k := range t.m.Insts {
		if !namedByLocation(&t.m.Insts[k], sc) {
			continue
		}
		if at, ok := t.decOf(k, spv.DecorationLocation); ok && int64(at) == location {
			if v, ok := t.val(uint32(t.m.Insts[k].Result())).obj.(*variable); ok {
				return t.derefOf(t.pointerTo(v))
			}
		}
	}
	t.fail(in.id, "%s: no variable of storage class %s is at location %d", in.op, sc, location)
	return nil
}

// namedByLocation reports whether an instruction is a variable of a call's storage class, or of what the shader itself was called
// with, that an instruction of SPV_NV_ray_tracing may name by its location.
func namedByLocation(in *spv.Instruction, sc spv.StorageClass) bool {
	if in.Op != spv.OpVariable || in.NumArgs() == 0 {
		return false
	}
	incoming := spv.StorageClassIncomingRayPayloadKHR
	if sc == spv.StorageClassCallableDataKHR {
		incoming = spv.StorageClassIncomingCallableDataKHR
	}
	return spv.StorageClass(in.Arg(0)) == sc || spv.StorageClass(in.Arg(0)) == incoming
}

// useLocations marks the variables that an instruction may name by their locations.
func (t *translator) useLocations(in *spv.Instruction, used []bool) {
	sc := spv.StorageClassRayPayloadKHR
	switch in.Op {
	case spv.OpTraceNV:
	case spv.OpExecuteCallableNV:
		sc = spv.StorageClassCallableDataKHR
	default:
		return
	}
	for k := range int(t.funcs[0].def) {
		used[k] = used[k] || namedByLocation(&t.m.Insts[k], sc)
	}
}

// endHit ends an any-hit shader.
func (t *translator) endHit(i ir.Intrinsic) {
	t.f.b.Effect(i)
	t.f.b.Jump(ir.JumpHalt)
}

// callVariable makes the variable of what calls hand on, or of a hit's attributes. Its location names it in the text only: the
// caller's data and the callee's meet by the call.
func (t *translator) callVariable(v *variable, i int) {
	v.iv = t.s.NewVariable(v.mode, v.typ.plain, t.nameOf(v.id))
	v.iv.Incoming = v.sc == spv.StorageClassIncomingRayPayloadKHR || v.sc == spv.StorageClassIncomingCallableDataKHR
	if at, ok := t.decOf(i, spv.DecorationLocation); ok {
		v.iv.Location = int32(at & 0xffff)
	}
}

// recordDeref is the deref of the shader record, a block at an address of the shader's own.
func (t *translator) recordDeref(v *variable) *ir.Def {
	s := t.f.b.Shader
	ptr := t.f.atStart(s.NewIntrinsic(ir.IntrLoadShaderRecordPtr, 1, 64))
	info := ir.DerefInfo{Modes: ir.ModeGlobal, Type: v.typ.ir, AlignMul: 32}
	return t.f.atStart(s.NewDeref(ir.DerefCast, info, 1, 64, ptr))
}
