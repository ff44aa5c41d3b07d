package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// emitBlock translates a block's instructions, the stores for the phis after
// it, and its terminator as far as it is no branch.
func (t *translator) emitBlock(blk *block) {
	f := t.f
	t.inScope = debugScope{} // it ends with the block
	for i := blk.first; i < blk.term; i++ {
		t.emitInst(i)
	}
	in := &t.m.Insts[blk.term]
	t.word = int(in.Offset)
	for k := blk.phiOut; k != 0; k = f.stores[k-1].next {
		s := &f.stores[k-1]
		l := t.get(s.val)
		p := &f.phis[s.phi]
		if len(l) != len(p.vars) {
			t.fail(p.id, "OpPhi: a value does not have the result type")
		}
		for j, v := range p.vars {
			if c, b := v.Type.Rows, v.Type.Bits; l[j].NumComponents != c || l[j].BitSize != b {
				t.fail(p.id, "OpPhi: a value does not have the result type")
			}
			f.b.StoreVar(v, l[j], 0)
		}
	}
	t.terminator(in)
}

// emitInst translates one instruction of a function body.
func (t *translator) emitInst(i int32) {
	raw := &t.m.Insts[i]
	t.word = int(raw.Offset)
	switch raw.Op {
	case spv.OpLine, spv.OpNoLine:
		t.sourceLine(raw)
		t.setLoc(0)
		return
	case spv.OpNop, spv.OpSelectionMerge, spv.OpLoopMerge:
		return
	}
	t.body = makeInst(raw)
	in := &t.body
	if len(t.lacks) > 0 {
		t.checkLacks(in.id, in.op.Capabilities())
	}
	if t.opts.Debug {
		t.setLoc(in.id)
	}
	d := int32(0)
	if in.id != 0 {
		d = t.decHead[i]
	}
	if d == 0 {
		t.instruction(in)
		return
	}
	b := t.f.b
	exact, fast, first := b.Exact, b.FastMath, b.Impl.NumDefs
	relaxed := t.resultDecorations(int(i))
	t.instruction(in)
	b.Exact, b.FastMath = exact, fast
	if relaxed {
		t.relax(in, first)
	}
}

// relax marks what an instruction with RelaxedPrecision has made, the values
// numbered from first on: of the instructions of GLSL.std.450 only the last
// operation, for what leads to it may need more bits than the result.
func (t *translator) relax(in *inst, first uint32) {
	for x := t.f.b.Cursor.Block.Last(); x != nil && (!x.HasDef() || x.Def.Index >= first); x = x.Prev() {
		switch {
		case x.Kind == ir.KindTex:
			x.TexInfo().Precise16 = true
		case x.Kind == ir.KindALU && x.Def.BitSize == 32:
			x.Relaxed = true
			if in.op == spv.OpExtInst {
				return
			}
		}
	}
}

// resultDecorations enters the float decorations of a result; relaxed is that
// of RelaxedPrecision.
func (t *translator) resultDecorations(i int) (relaxed bool) {
	b := t.f.b
	t.eachDec(i, func(d *decoration) {
		switch d.dec {
		case spv.DecorationNoContraction:
			b.Exact = true
		case spv.DecorationFPFastMathMode:
			t.fastMath(spv.FPFastMathMode(d.arg(0)))
		case spv.DecorationRelaxedPrecision:
			relaxed = true
		}
	})
	return relaxed
}

func (t *translator) terminator(in *spv.Instruction) {
	f := t.f
	b := f.b
	t.checkStage(in.Op, 0)
	switch in.Op {
	case spv.OpReturn, spv.OpUnreachable:
		if f.ret != nil && in.Op == spv.OpReturn {
			t.broken(ruleReturn, f.fn.id, "the function returns no value of type %s", f.ret.typ)
		}
		b.Jump(ir.JumpReturn)
	case spv.OpReturnValue:
		if f.ret == nil || !t.valType(in.Arg(0)).sameShape(f.ret.typ) {
			t.fail(f.fn.id, "the function returns a value that is not of its result type")
		}
		l := t.get(in.Arg(0))
		k := 0
		t.storeLeaves(f.ret, l, &k)
		b.Jump(ir.JumpReturn)
	case spv.OpKill, spv.OpTerminateInvocation:
		b.Effect(ir.IntrTerminate)
		b.Jump(ir.JumpHalt)
	case spv.OpBranch, spv.OpBranchConditional, spv.OpSwitch:
	case spv.OpEmitMeshTasksEXT:
		t.emitMeshTasks(in)
	case spv.OpIgnoreIntersectionKHR:
		t.endHit(ir.IntrIgnoreRayIntersection)
	case spv.OpTerminateRayKHR:
		t.endHit(ir.IntrTerminateRay)
	default:
		x := makeInst(in)
		t.unsupported(&x)
	}
}

// instruction translates an instruction with effect or result.
func (t *translator) instruction(in *inst) {
	switch {
	case t.caps.coop && t.coopInst(in), t.caps.long && t.longInst(in):
		return
	case t.aluSimple(in), t.memoryInst(in), t.compositeInst(in), t.convert(in), t.aluOther(in), t.control(in):
		return
	case t.atomic(in), t.barrier(in), t.subgroup(in), t.image(in), t.fragmentMask(in), t.rayQuery(in), t.meshInst(in), t.rayInst(in):
		return
	}
	t.unsupported(in)
}

// memoryInst translates the instructions on memory and pointers.
func (t *translator) memoryInst(in *inst) bool {
	switch in.op {
	case spv.OpVariable:
		t.localVariable(in)
	case spv.OpLoad:
		t.load(in)
	case spv.OpStore:
		t.store(in)
	case spv.OpCopyMemory:
		t.copyMemory(in)
	case spv.OpAccessChain:
		t.accessChain(in, false, false)
	case spv.OpInBoundsAccessChain:
		t.accessChain(in, false, true)
	case spv.OpPtrAccessChain:
		t.accessChain(in, true, false)
	case spv.OpInBoundsPtrAccessChain:
		t.accessChain(in, true, true)
	case spv.OpArrayLength:
		t.arrayLength(in, t.ptr(t.arg(in, 0)), 1)
	case spv.OpPtrEqual, spv.OpPtrNotEqual, spv.OpPtrDiff:
		t.pointerCompare(in)
	case spv.OpPtrCastToGeneric, spv.OpGenericCastToPtr, spv.OpGenericCastToPtrExplicit, spv.OpGenericPtrMemSemantics:
		t.genericPointer(in)
	default:
		return t.untypedMemory(in)
	}
	return true
}

// compositeInst translates the instructions on composite values.
func (t *translator) compositeInst(in *inst) bool {
	switch in.op {
	case spv.OpCompositeConstruct:
		t.construct(in)
	case spv.OpCompositeConstructReplicateEXT:
		t.construct(t.replicated(in))
	case spv.OpCompositeExtract:
		t.compositeExtract(in)
	case spv.OpCompositeInsert:
		t.compositeInsert(in)
	case spv.OpVectorShuffle:
		t.vectorShuffle(in)
	case spv.OpVectorExtractDynamic, spv.OpVectorInsertDynamic:
		t.vectorDynamic(in)
	case spv.OpCopyObject, spv.OpCopyLogical, spv.OpExpectKHR, spv.OpFreezeKHR:
		t.copyObject(in)
	case spv.OpArithmeticFenceEXT:
		t.fence(in)
	case spv.OpSelect:
		t.selectOp(in)
	case spv.OpUndef, spv.OpPoisonKHR:
		t.vals[t.index(in.id)] = value{kind: vUndef, typ: t.typeOf(in.typ)}
	case spv.OpTranspose, spv.OpMatrixTimesScalar, spv.OpVectorTimesMatrix, spv.OpMatrixTimesVector, spv.OpMatrixTimesMatrix, spv.OpOuterProduct:
		t.matrix(in)
	default:
		return false
	}
	return true
}

// control translates calls, phis, derivatives and the like.
func (t *translator) control(in *inst) bool {
	t.checkStage(in.op, in.id)
	switch in.op {
	case spv.OpFunctionCall:
		t.call(in)
	case spv.OpPhi:
		t.loadPhi(in)
	case spv.OpExtInst:
		t.extInst(in)
	case spv.OpDPdx, spv.OpDPdy, spv.OpFwidth, spv.OpDPdxFine, spv.OpDPdyFine, spv.OpFwidthFine, spv.OpDPdxCoarse, spv.OpDPdyCoarse, spv.OpFwidthCoarse:
		t.derivative(in)
	case spv.OpColorAttachmentReadEXT:
		t.readTile(in)
	case spv.OpDepthAttachmentReadEXT, spv.OpStencilAttachmentReadEXT:
		t.readDepthStencil(in)
	case spv.OpDemoteToHelperInvocation:
		t.f.b.Effect(ir.IntrDemote)
	case spv.OpIsHelperInvocationEXT:
		t.set(in, &t.f.b.Intrinsic(ir.IntrIsHelperInvocation, 1, 1).Def)
	case spv.OpAssumeTrueKHR, spv.OpLifetimeStart, spv.OpLifetimeStop:
	case spv.OpReadClockKHR:
		t.readClock(in)
	case spv.OpBeginInvocationInterlockEXT:
		t.f.b.Effect(ir.IntrBeginInvocationInterlock)
		t.putBarrier(ir.ScopeNone, ir.ScopeDevice, ir.SemAcquire, interlocked)
	case spv.OpEndInvocationInterlockEXT:
		t.putBarrier(ir.ScopeNone, ir.ScopeDevice, ir.SemRelease, interlocked)
		t.f.b.Effect(ir.IntrEndInvocationInterlock)
	case spv.OpEmitVertex, spv.OpEndPrimitive, spv.OpEmitStreamVertex, spv.OpEndStreamPrimitive:
		t.emitVertex(in)
	default:
		return false
	}
	return true
}

func (t *translator) loadPhi(in *inst) {
	n := t.phiOf[t.index(in.id)]
	if n == 0 || int(n) > len(t.f.phis) || t.f.phis[n-1].id != in.id {
		t.fail(in.id, "OpPhi does not stand at the start of its block")
	}
	p := &t.f.phis[n-1]
	ty := t.typeOf(in.typ)
	l := t.leaves.Slice(len(p.vars))
	for k, v := range p.vars {
		l[k] = t.f.b.LoadVar(v)
	}
	if ty.isLeaf() {
		t.nameDef(in.id, l[0])
	}
	t.vals[t.index(in.id)] = value{kind: vLeaves, typ: ty, leaves: l}
}

func (t *translator) derivative(in *inst) {
	b := t.f.b
	x := t.floatVector(t.arg(in, 0), 0, 0)
	if x.BitSize == 64 {
		t.refuse(in.id, "%s of 64-bit floats is not supported", in.op)
	}
	if t.stage != ir.StageFragment && t.s.Info.DerivativeGroup == 0 {
		zero := make([]uint64, x.NumComponents)
		t.set(in, t.f.constant(x.BitSize, zero...))
		return
	}
	d := func(i ir.Intrinsic) *ir.Def { return &b.Intrinsic(i, x.NumComponents, x.BitSize, x).Def }
	wide := func(dx, dy ir.Intrinsic) *ir.Def { return b.Fadd(b.Fabs(d(dx)), b.Fabs(d(dy))) }
	switch in.op {
	case spv.OpDPdx:
		t.set(in, d(ir.IntrDdx))
	case spv.OpDPdy:
		t.set(in, d(ir.IntrDdy))
	case spv.OpDPdxFine:
		t.set(in, d(ir.IntrDdxFine))
	case spv.OpDPdyFine:
		t.set(in, d(ir.IntrDdyFine))
	case spv.OpDPdxCoarse:
		t.set(in, d(ir.IntrDdxCoarse))
	case spv.OpDPdyCoarse:
		t.set(in, d(ir.IntrDdyCoarse))
	case spv.OpFwidth:
		t.set(in, wide(ir.IntrDdx, ir.IntrDdy))
	case spv.OpFwidthFine:
		t.set(in, wide(ir.IntrDdxFine, ir.IntrDdyFine))
	default:
		t.set(in, wide(ir.IntrDdxCoarse, ir.IntrDdyCoarse))
	}
}

func (t *translator) readClock(in *inst) {
	sc := t.scope(in, 0)
	d := &t.f.b.Intrinsic(ir.IntrShaderClock, 2, 32).Set(ir.IdxMemoryScope, uint64(sc)).Def
	if n, _ := t.typeOf(in.typ).shape(); n == 1 {
		d = t.f.b.Pack64_2x32(d)
	}
	t.set(in, d)
}

func (t *translator) emitVertex(in *inst) {
	stream := uint64(0)
	if len(in.args) > 0 {
		stream = uint64(t.constArg(in, 0))
	}
	if stream >= ir.NumXfbBuffers {
		t.refuse(0, "%s: the vertex stream %d is not supported: there are %d", in.op, stream, ir.NumXfbBuffers)
	}
	i := ir.IntrEmitVertex
	if in.op == spv.OpEndPrimitive || in.op == spv.OpEndStreamPrimitive {
		i = ir.IntrEndPrimitive
	}
	t.f.b.Effect(i).Set(ir.IdxStreamId, stream)
}
