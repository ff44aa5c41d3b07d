package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// groupMemory are the modes that barriers of these instructions order.
const groupMemory = ir.ModeShared | ir.ModeGlobal

// groupCopy translates the copies of a workgroup and what waits for them, and reports whether the instruction was one. All
// invocations copy, and each has done its part when the instruction ends: events are numbers that say nothing.
func (t *translator) groupCopy(in *inst) bool {
	switch in.op {
	case spv.OpGroupAsyncCopy:
		t.asyncCopy(in)
		t.set(in, t.f.u32(0))
	case spv.OpGroupWaitEvents:
		t.s.Info.UsesControlBarrier = true
		t.putBarrier(ir.ScopeWorkgroup, ir.ScopeWorkgroup, ir.SemAcquire|ir.SemRelease, groupMemory)
	default:
		return false
	}
	return true
}

// asyncCopy is a loop in which invocation l copies the elements l, l + the workgroup's size, and so on.
func (t *translator) asyncCopy(in *inst) {
	b := t.f.b
	dst, src := t.ptr(t.arg(in, 1)), t.ptr(t.arg(in, 2))
	if !dst.typ.sameShape(src.typ) || !dst.typ.isLeaf() {
		t.fail(in.id, "%s between %s and %s", in.op, src.typ, dst.typ)
	}
	num := t.resize(t.intVector(t.arg(in, 3), 1, 0), 64, false)
	step := t.resize(t.intVector(t.arg(in, 4), 1, 0), 64, false)
	toStep, fromStep := b.ImmInt(1, 64), step // the side in global memory has gaps
	if dst.mode == ir.ModeGlobal {
		toStep, fromStep = step, toStep
	}
	at := func(p *pointer, i, step *ir.Def) *ir.Def {
		d := b.DerefCast(t.pointerValue(p), p.mode, p.typ.ir, t.kernelStride(in.id, p.typ))
		return b.DerefPtrAsArray(d, b.Imul(i, step))
	}
	size := t.s.Info.WorkgroupSize
	i := b.Impl.NewLocal(ir.ScalarType(ir.BaseUint, 64), "element")
	b.StoreVar(i, b.U2u64(b.LoadLocalInvocationIndex()), 0)
	loop := b.PushLoop()
	done := b.PushIf(b.Uge(b.LoadVar(i), num))
	b.Jump(ir.JumpBreak)
	b.PopIf(done)
	k := b.LoadVar(i)
	b.StoreDeref(at(dst, k, toStep), b.LoadDeref(at(src, k, fromStep), src.access), 0, dst.access)
	b.StoreVar(i, b.Iadd(k, b.ImmInt(int64(size[0])*int64(size[1])*int64(size[2]), 64)), 0)
	b.PopLoop(loop)
}

// groupOp translates the votes, broadcasts, reductions and scans of a whole workgroup, and reports whether the instruction was one. Each
// invocation leaves its value in workgroup memory and reads those of the others in their order.
func (t *translator) groupOp(in *inst) bool {
	if !t.kernel || len(in.args) < 2 || in.typ == 0 {
		return false
	}
	g := groupFold{op: ir.OpIor, kind: spv.GroupOperationReduce, value: 1}
	switch in.op {
	case spv.OpGroupAll:
		g.op = ir.OpIand
	case spv.OpGroupAny:
	case spv.OpGroupBroadcast:
		g.broadcast = true
	default:
		k := -1
		for i := range reduceOps {
			if reduceOps[i].op == in.op && in.op < spv.OpGroupNonUniformElect || reduceOps[i].op == in.op && in.op >= spv.OpGroupIMulKHR {
				k = i
			}
		}
		if k < 0 {
			return false
		}
		g.op, g.kind, g.value = reduceOps[k].alu, spv.GroupOperation(in.args[1]), 2
	}
	if t.scope(in, 0) != ir.ScopeWorkgroup {
		return false
	}
	t.foldGroup(in, &g)
	return true
}

// groupFold is what a workgroup computes of its values.
type groupFold struct {
	op        ir.Op
	kind      spv.GroupOperation
	value     int // operand
	broadcast bool
}

func (t *translator) foldGroup(in *inst, g *groupFold) {
	b := t.f.b
	x := t.vector(t.arg(in, g.value))
	size := t.s.Info.WorkgroupSize
	n := size[0] * size[1] * size[2]
	base := ir.VectorType(ir.BaseUint, max(x.BitSize, 8), x.NumComponents)
	if x.BitSize == 1 {
		base = ir.VectorType(ir.BaseBool, 1, x.NumComponents)
	}
	all := b.DerefVar(t.s.NewVariable(ir.ModeShared, ir.ArrayType(base, n, 0), "group values"))
	me := b.LoadLocalInvocationIndex()
	t.groupBarrier() // what was read before has been read
	b.StoreDeref(b.DerefArray(all, me), x, 0, 0)
	t.groupBarrier()
	if g.broadcast {
		t.set(in, b.LoadDeref(b.DerefArray(all, t.groupIndex(in)), 0))
		return
	}
	sum := b.Impl.NewLocal(base, "sum")
	at := b.Impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), "lane")
	b.StoreVar(sum, t.neutral(in, g.op, x), 0)
	b.StoreVar(at, b.Imm32(0), 0)
	end := b.Imm32(n)
	switch g.kind {
	case spv.GroupOperationReduce:
	case spv.GroupOperationInclusiveScan:
		end = b.Iadd(me, b.Imm32(1))
	case spv.GroupOperationExclusiveScan:
		end = me
	default:
		t.refuse(in.id, "%s: the group operation %s is not supported", in.op, g.kind)
	}
	loop := b.PushLoop()
	done := b.PushIf(b.Uge(b.LoadVar(at), end))
	b.Jump(ir.JumpBreak)
	b.PopIf(done)
	k := b.LoadVar(at)
	b.StoreVar(sum, b.ALU(g.op, b.LoadVar(sum), b.LoadDeref(b.DerefArray(all, k), 0)), 0)
	b.StoreVar(at, b.Iadd(k, b.Imm32(1)), 0)
	b.PopLoop(loop)
	t.set(in, b.LoadVar(sum))
}

func (t *translator) groupBarrier() {
	t.s.Info.UsesControlBarrier = true
	t.putBarrier(ir.ScopeWorkgroup, ir.ScopeWorkgroup, ir.SemAcquire|ir.SemRelease, ir.ModeShared)
}

// groupIndex is the invocation that a broadcast reads, by its local id.
func (t *translator) groupIndex(in *inst) *ir.Def {
	b := t.f.b
	id := t.toU32(t.intVector(t.arg(in, 2), 0, 0))
	size := t.s.Info.WorkgroupSize
	at := b.Channel(id, int(id.NumComponents)-1)
	for k := int(id.NumComponents) - 2; k >= 0; k-- {
		at = b.Iadd(b.Channel(id, k), b.IMulImm(at, int64(size[k])))
	}
	return at
}

// neutral is the value that an operation leaves others as they are with.
func (t *translator) neutral(in *inst, op ir.Op, x *ir.Def) *ir.Def {
	bits := x.BitSize
	ones := ^uint64(0) >> (64 - bits)
	v := uint64(0)
	switch op {
	case ir.OpImul:
		v = 1
	case ir.OpFmul:
		v = ir.FloatBits(1, bits)
	case ir.OpIand, ir.OpUmin:
		v = ones
	case ir.OpImin:
		v = ones >> 1
	case ir.OpImax:
		v = ones>>1 + 1
	case ir.OpFmin, ir.OpFmax:
		return t.spread(t.signedInfinity(bits, op == ir.OpFmax), x.NumComponents)
	}
	return t.spread(t.f.constant(bits, v), x.NumComponents)
}

func (t *translator) signedInfinity(bits uint8, negative bool) *ir.Def {
	inf := t.infinity(bits)
	if negative {
		return t.f.b.Ior(inf, t.f.constant(bits, 1<<(bits-1)))
	}
	return inf
}

// spread is a vector of n times x.
func (t *translator) spread(x *ir.Def, n uint8) *ir.Def {
	return t.f.b.Swizzle(x, make([]int, n)...)
}
