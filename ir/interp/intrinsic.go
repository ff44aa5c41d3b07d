package interp

import (
	"math"

	"nirc/internal/emu"
	"nirc/internal/lazy"
	"nirc/ir"
)

// intrinsicClass sorts the intrinsics that are executed by name.
type intrinsicClass uint8

const (
	classNone intrinsicClass = iota
	classSysval
	classInput
	classOutput
	classBary
	classInterp
	classSubgroup
	classDerivative
	classStageIO
	classEmit
	classMesh
	classCall
	classHit
	classRay
	classOther
)

var intrinsicClasses = lazy.Value[*[ir.NumIntrinsics]intrinsicClass]{Make: func() *[ir.NumIntrinsics]intrinsicClass {
	t := new([ir.NumIntrinsics]intrinsicClass)
	for i, sv := range sysvalIntrinsics {
		if sv != svNone {
			t[i] = classSysval
		}
	}
	put := func(c intrinsicClass, list ...ir.Intrinsic) {
		for _, i := range list {
			t[i] = c
		}
	}
	put(classInput, ir.IntrLoadInput, ir.IntrLoadInterpolatedInput, ir.IntrLoadInputVertex)
	put(classStageIO, ir.IntrLoadPerVertexInput, ir.IntrLoadPerVertexOutput, ir.IntrStorePerVertexOutput, ir.IntrLoadPerPrimitiveOutput,
		ir.IntrStorePerPrimitiveOutput)
	put(classHit, ir.IntrReportRayIntersection, ir.IntrIgnoreRayIntersection, ir.IntrAcceptRayIntersection, ir.IntrTerminateRay)
	put(classCall, ir.IntrTraceRay, ir.IntrExecuteCallable, ir.IntrRtTraceRay, ir.IntrRtExecuteCallable)
	put(classMesh, ir.IntrSetVertexAndPrimitiveCount, ir.IntrLaunchMeshWorkgroups, ir.IntrLaunchMeshWorkgroupsWithPayloadDeref)
	put(classEmit, ir.IntrEmitVertex, ir.IntrEndPrimitive, ir.IntrEmitVertexWithCounter, ir.IntrEndPrimitiveWithCounter)
	put(classOutput, ir.IntrStoreOutput, ir.IntrLoadOutput, ir.IntrLoadAttachment)
	put(classBary, ir.IntrLoadBarycentricPixel, ir.IntrLoadBarycentricCentroid, ir.IntrLoadBarycentricSample, ir.IntrLoadBarycentricAtSample,
		ir.IntrLoadBarycentricAtOffset, ir.IntrLoadBarycentricModel, ir.IntrLoadBarycentricCoordPixel)
	put(classInterp, ir.IntrInterpDerefAtCentroid, ir.IntrInterpDerefAtSample, ir.IntrInterpDerefAtOffset, ir.IntrInterpDerefAtVertex)
	put(classDerivative, ir.IntrDdx, ir.IntrDdy, ir.IntrDdxFine, ir.IntrDdyFine, ir.IntrDdxCoarse, ir.IntrDdyCoarse)
	put(classSubgroup, ir.IntrElect, ir.IntrFirstInvocation, ir.IntrLastInvocation, ir.IntrBallot, ir.IntrBallotRelaxed, ir.IntrInverseBallot,
		ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrVoteFeq, ir.IntrVoteIeq, ir.IntrReadInvocation, ir.IntrReadFirstInvocation, ir.IntrShuffle,
		ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown, ir.IntrRotate, ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal,
		ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll, ir.IntrReduce, ir.IntrInclusiveScan,
		ir.IntrExclusiveScan, ir.IntrBallotBitfieldExtract, ir.IntrBallotBitCountReduce, ir.IntrBallotBitCountInclusive,
		ir.IntrBallotBitCountExclusive, ir.IntrBallotFindLsb, ir.IntrBallotFindMsb)
	put(classRay, ir.IntrLoadAccelStruct, ir.IntrRqInitialize, ir.IntrRqTerminate, ir.IntrRqProceed, ir.IntrRqGenerateIntersection,
		ir.IntrRqConfirmIntersection, ir.IntrRqLoad)
	put(classOther, ir.IntrDemote, ir.IntrDemoteIf, ir.IntrTerminate, ir.IntrTerminateIf, ir.IntrIsHelperInvocation, ir.IntrBarrier, ir.IntrShaderClock,
		ir.IntrGetSsboSize, ir.IntrGetUboSize, ir.IntrDerefBufferArrayLength, ir.IntrDerefModeIs, ir.IntrLoadSsboAddress, ir.IntrLoadUboVec4, ir.IntrLoadGlobal2x32,
		ir.IntrStoreGlobal2x32, ir.IntrLoadGlobalConstantOffset, ir.IntrLoadGlobalConstantBounded, ir.IntrGlobalAtomic2x32, ir.IntrGlobalAtomicSwap2x32,
		ir.IntrLoadPreamble, ir.IntrStorePreamble, ir.IntrLoadSamplePosFromId, ir.IntrLoadFragCoordZw, ir.IntrLoadSampleMask, ir.IntrLoadFsInputInterpDeltas,
		ir.IntrLoadUserClipPlane, ir.IntrConvertAluTypes, ir.IntrIsSparseTexelsResident, ir.IntrSparseResidencyCodeAnd)
	return t
}}

// supported reports whether an intrinsic can be executed by name.
func supported(i ir.Intrinsic) bool { return intrinsicClasses.Get()[i] != classNone }

// execIntrinsic runs an intrinsic; wait: the wave stands at a barrier.
func (w *Wave) execIntrinsic(i *inst) (wait bool, err error) {
	if len(w.on) == 0 {
		return false, nil
	}
	class := intrinsicClasses.Get()[i.x.in.Intr]
	if class == classInput && arrayed(w.p.shader.Stage) || class == classOutput && sharesOutputs(w.p.shader.Stage) {
		class = classStageIO
	}
	switch class {
	case classSysval:
		w.execSysval(i)
	case classStageIO:
		for _, l := range w.on {
			w.execStageIO(i, int(l))
		}
	case classEmit:
		w.execEmit(i)
	case classCall:
		for _, l := range w.on {
			if err := w.execCall(i, int(l)); err != nil {
				return false, err
			}
		}
	case classHit:
		if err := w.execHit(i); err != nil {
			return false, err
		}
	case classMesh:
		for _, l := range w.on {
			if err := w.execMesh(i, int(l)); err != nil {
				return false, err
			}
		}
	case classInput:
		for _, l := range w.on {
			if err := w.execInput(i, int(l)); err != nil {
				return false, err
			}
		}
	case classOutput:
		for _, l := range w.on {
			w.execOutput(i, int(l))
		}
	case classBary:
		for _, l := range w.on {
			w.execBary(i, int(l))
		}
	case classInterp:
		for _, l := range w.on {
			if err := w.execInterp(i, int(l)); err != nil {
				return false, err
			}
		}
	case classSubgroup:
		w.execSubgroup(i)
	case classDerivative:
		w.execDerivative(i)
	case classRay:
		for _, l := range w.on {
			w.execRay(i, int(l))
		}
	default:
		return w.execOther(i)
	}
	return false, nil
}

func (w *Wave) execSysval(i *inst) {
	sv := sysvalIntrinsics[i.x.in.Intr]
	for _, l := range w.on {
		v := w.sysvalColumn(sv, int(l), int(i.x.in.Get(ir.IdxColumn)))
		for k := range int32(i.n) {
			x := uint64(v[k&3])
			switch {
			case i.bits == 64 && sv >= svEqMask:
				x = uint64(v[2*k&3]) | uint64(v[(2*k+1)&3])<<32
			case i.bits == 1:
				x = truth(x != 0)
			case (sv == svFrontFace || sv == svHelper || sv == svFullyCovered) && x != 0:
				x = lowBits(i.bits)
			}
			w.regs[i.dst+k*w.w+int32(l)] = x & lowBits(i.bits)
		}
	}
}

// leave makes lanes helpers, or ends them.
func (w *Wave) leave(m emu.Mask, end bool) {
	w.dead = or(w.dead, m)
	w.helper = or(w.helper, m)
	if end {
		w.setActive(andNot(w.active, m))
	}
}

func (w *Wave) execOther(i *inst) (wait bool, err error) {
	x := i.x
	switch x.in.Intr {
	case ir.IntrDemote, ir.IntrTerminate:
		w.leave(w.active, x.in.Intr == ir.IntrTerminate)
	case ir.IntrDemoteIf, ir.IntrTerminateIf:
		w.leave(w.where1(x.src[0][0]), x.in.Intr == ir.IntrTerminateIf)
	case ir.IntrIsHelperInvocation:
		for _, l := range w.on {
			w.regs[i.dst+int32(l)] = truth(w.helper.Get(int(l))) * lowBits(i.bits)
		}
	case ir.IntrBarrier:
		w.noteBarrier(x.in)
		wait = (w.l.Compute != nil || w.l.TessCtrl != nil) && ir.Scope(x.in.Get(ir.IdxExecutionScope)) >= ir.ScopeWorkgroup
		if wait && w.l.Check && len(w.on) != w.l.NumLanes {
			return false, emu.ErrPartialBarrier
		}
		return wait, nil
	case ir.IntrShaderClock: // steps of this wave
		w.clock++
		for _, l := range w.on {
			w.regs[i.dst+int32(l)] = w.clock & 0xffffffff
			w.regs[i.dst+w.w+int32(l)] = w.clock >> 32
		}
	case ir.IntrStorePreamble:
		for k, s := range x.src[0] {
			w.preWords[preambleAt(x.in, k, x.in.Srcs[0].Def.BitSize)] = w.regs[s+int32(w.on[0])]
		}
	default:
		for _, l := range w.on {
			w.execLane(i, int(l))
		}
	}
	return false, nil
}

// execLane runs the intrinsics that look at one lane only.
func (w *Wave) execLane(i *inst, l int) {
	x := i.x
	src := func(k, c int) uint64 { return w.regs[x.src[k][c]+int32(l)] }
	out := func(c int, v uint64) { w.regs[i.dst+int32(c)*w.w+int32(l)] = v & lowBits(i.bits) }
	desc := func(h uint64) *emu.Descriptor { return w.l.Env.Bindings.Desc(int(int32(h))) }
	size := int(i.bits+7) / 8
	vec := func(sp space, h, at uint64) {
		for c := range int(i.n) {
			out(c, w.load(sp, l, h, at+uint64(c*size), size))
		}
	}
	switch x.in.Intr {
	case ir.IntrGetSsboSize, ir.IntrGetUboSize:
		out(0, desc(src(0, 0)).Size)
	case ir.IntrDerefBufferArrayLength:
		n := uint64(0)
		if s, off := desc(src(0, 0)).Size, (src(0, 1)+i.imm)&0xffffffff; s > off {
			n = (s - off) / uint64(x.comp)
		}
		out(0, n)
	case ir.IntrDerefModeIs:
		v := uint64(0)
		if modeIs(src(0, 0), ir.Mode(x.in.Get(ir.IdxMemoryModes))) {
			v = 1
		}
		out(0, v)
	case ir.IntrLoadSsboAddress:
		out(0, desc(src(0, 0)).Addr+src(1, 0))
	case ir.IntrLoadUboVec4:
		at := (src(1, 0)+x.in.Get(ir.IdxBase))*16 + x.in.Get(ir.IdxComponent)*uint64(size)
		for c := range int(i.n) {
			a := at&0xffffffff + uint64(c*size)
			v := w.load(spBuffer, l, src(0, 0), a, size)
			if a+uint64(size) > w.bufSize && w.inTail(x, a, size) {
				v = uint64(w.l.Env.Mem.LoadWithin(w.bufAddr, w.bufSize, a, size, 0))
			}
			out(c, v)
		}
	case ir.IntrLoadGlobal2x32:
		vec(spGlobal, 0, src(0, 0)|src(0, 1)<<32)
	case ir.IntrLoadGlobalConstantOffset:
		vec(spGlobal, 0, src(0, 0)+src(1, 0))
	case ir.IntrLoadGlobalConstantBounded:
		if src(1, 0)+uint64(int(i.n)*size) > src(2, 0) {
			for c := range int(i.n) {
				out(c, 0)
			}
			return
		}
		vec(spGlobal, 0, src(0, 0)+src(1, 0))
	case ir.IntrStoreGlobal2x32:
		n := int(x.in.Srcs[0].Def.BitSize) / 8
		for c, s := range x.src[0] {
			if x.in.Get(ir.IdxWriteMask)>>c&1 != 0 && !w.helper.Get(l) {
				w.store(spGlobal, l, 0, (src(1, 0)|src(1, 1)<<32)+uint64(c*n), n, w.regs[s+int32(l)])
			}
		}
	case ir.IntrGlobalAtomic2x32, ir.IntrGlobalAtomicSwap2x32:
		if !w.helper.Get(l) {
			a, b := src(1, 0), src(len(x.src)-1, 0)
			out(0, w.l.Env.Mem.Atomic(src(0, 0)|src(0, 1)<<32, size, func(old uint64) uint64 {
				return w.atomicValue(ir.AtomicOp(x.in.Get(ir.IdxAtomicOp)), i.bits, old, a, b)
			}))
		}
	case ir.IntrLoadUserClipPlane:
		plane := &w.l.Env.ClipPlanes[x.in.Get(ir.IdxUcpId)&7]
		for c := range int(i.n) {
			out(c, uint64(math.Float32bits(plane[c&3])))
		}
	case ir.IntrConvertAluTypes:
		from, to := ir.UnpackALUType(x.in.Get(ir.IdxSrcType)), ir.UnpackALUType(x.in.Get(ir.IdxDestType))
		from.Bits, to.Bits = x.in.Srcs[0].Def.BitSize, i.bits
		for c := range int(i.n) {
			out(c, ir.ConvertBits(src(0, c), from, to, ir.RoundingMode(x.in.Get(ir.IdxRoundingMode)), x.in.Get(ir.IdxSaturate) != 0))
		}
	case ir.IntrIsSparseTexelsResident:
		out(0, truth(src(0, 0) == emu.Resident)*lowBits(i.bits))
	case ir.IntrSparseResidencyCodeAnd:
		out(0, src(0, 0)|src(1, 0))
	case ir.IntrLoadPreamble:
		for c := range int(i.n) {
			v := uint64(0)
			if at := preambleAt(x.in, c, i.bits); at < len(w.preWords) {
				v = w.preWords[at]
			}
			out(c, v)
		}
	default:
		w.execFragmentLane(i, l, src, out)
	}
}

func (w *Wave) execFragmentLane(i *inst, l int, src func(k, c int) uint64, out func(c int, v uint64)) {
	x := i.x
	f := &w.l.Fragment[l]
	switch x.in.Intr {
	case ir.IntrLoadSamplePosFromId:
		px, py := float32(0.5), float32(0.5)
		if n := int(int32(src(0, 0))); f.Prim.SamplePos != nil && n >= 0 && n < max(1, f.Prim.Samples) {
			px, py = f.Prim.SamplePos(n)
		}
		out(0, ir.FloatBits(float64(px), i.bits))
		out(1, ir.FloatBits(float64(py), i.bits))
	case ir.IntrLoadFragCoordZw:
		out(0, uint64(math.Float32bits(f.Coord[x.in.Get(ir.IdxComponent)&3])))
	case ir.IntrLoadSampleMask:
		if w.helper.Get(l) {
			out(0, 0)
		} else {
			out(0, uint64(f.Coverage))
		}
	case ir.IntrLoadFsInputInterpDeltas:
		slot := uint64(x.io.Location) + src(0, 0)
		if slot >= ir.NumVaryingSlots {
			return
		}
		c := x.in.Get(ir.IdxComponent) & 3
		v := func(k int) float32 { return math.Float32frombits(f.Prim.V[k][slot][c]) }
		out(0, uint64(math.Float32bits(v(0))))
		out(1, uint64(math.Float32bits(v(2)-v(0))))
		out(2, uint64(math.Float32bits(v(1)-v(0))))
	}
}

// preambleAt is where component k of a value between the preamble and the
// shader is, in halves of words: those of 16 bits stand two in a word.
func preambleAt(in *ir.Instr, k int, bits uint8) int {
	return 2*int(in.Get(ir.IdxBase)) + k*max(int(bits)/16, 1)
}
