package core

import (
	"fmt"

	"nirc/backend/agx/isa"
	"nirc/internal/lazy"
)

type execFn = func(w *wave, x *inst) error

// execs is what runs an instruction, unless floatOps, approxOps, floatVec or bitFns have it.
var execs = [isa.NumOps]execFn{
	isa.OpMovImm16: execMovImm, isa.OpMovImm32: execMovImm, isa.OpGetSR: execGetSR,
	isa.OpIadd: execAdd, isa.OpImadd: execAdd,
	isa.OpBfi: execShift, isa.OpBfeil: execShift, isa.OpExtr: execShift, isa.OpShlhi: execShift, isa.OpShrhi: execShift,
	isa.OpAsr: execShift, isa.OpAsrh: execShift, isa.OpBitop: execBitop, isa.OpConvert: execConvert,
	isa.OpDfdx: execDeriv, isa.OpDfdy: execDeriv,
	isa.OpIcmpsel: execCmpsel, isa.OpFcmpsel: execCmpsel,
	isa.OpIcmpBallot: execBallot, isa.OpIcmpQuadBallot: execBallot, isa.OpFcmpBallot: execBallot, isa.OpFcmpQuadBallot: execBallot,
	isa.OpSimdShuffle: execShuffle, isa.OpSimdShuffleXor: execShuffle, isa.OpSimdShuffleUp: execShuffle,
	isa.OpSimdShuffleDown: execShuffle, isa.OpSimdShuffleRotateUp: execShuffle,
	isa.OpQuadShuffle: execQuadShuffle, isa.OpQuadShuffleXor: execQuadShuffle, isa.OpQuadShuffleUp: execQuadShuffle,
	isa.OpQuadShuffleDown: execQuadShuffle, isa.OpQuadShuffleRotateUp: execQuadShuffle, isa.OpReduce: execReduce,
	isa.OpIfIcmp: execNest, isa.OpIfFcmp: execNest, isa.OpElseIcmp: execNest, isa.OpElseFcmp: execNest,
	isa.OpWhileIcmp: execNest, isa.OpWhileFcmp: execNest, isa.OpPopExec: execNest,
	isa.OpJmpExecAny: execJump, isa.OpJmpExecNone: execJump, isa.OpCall: execJump,
	isa.OpStop: execStop, isa.OpTrap: execTrap,
	isa.OpDeviceLoad: execDeviceLoad, isa.OpDeviceStore: execDeviceStore, isa.OpUniformStore: execUniformStore,
	isa.OpAtomic: execAtomic, isa.OpThreadgroupLoad: execGroupLoad, isa.OpThreadgroupStore: execGroupStore,
	isa.OpThreadgroupAtomic: execGroupAtomic, isa.OpStackLoad: execStackLoad, isa.OpStackStore: execStackStore,
	isa.OpStackAdjust: execStackAdjust,
	isa.OpWait:        execIdle, isa.OpWaitPix: execWaitPix, isa.OpSignalPix: execSignalPix, isa.OpThreadgroupBarrier: execBarrier,
	isa.OpMemoryBarrier: execIdle,
	isa.OpTextureSample: execTexture, isa.OpTextureLoad: execTexture, isa.OpImageWrite: execImageWrite,
	isa.OpIter: execIter, isa.OpIterProj: execIter, isa.OpLdcf: execLdcf, isa.OpLdTile: execLdTile, isa.OpStTile: execStTile,
	isa.OpSampleMask: execSampleMask, isa.OpZsEmit: execZsEmit,
	isa.OpStVar: execStVar, isa.OpStVarFinal: execStVar, isa.OpNoVar: execNoVar,
}

// execOf is what runs any instruction.
var execOf = lazy.Value[*[isa.NumOps]execFn]{Make: func() *[isa.NumOps]execFn {
	all := execs
	for op := range floatOps.Get() {
		all[op] = execFloat
	}
	for op := range approxOps.Get() {
		all[op] = execApprox
	}
	for op := range floatVec.Get() {
		all[op] = execFloatVec
	}
	for op := range bitFns.Get() {
		all[op] = execBits
	}
	return &all
}}

func execUnsupported(_ *wave, x *inst) error {
	return fmt.Errorf("%s is not supported by this core", x.Op)
}

// decode prepares operands and picks the execution function.
func (x *inst) decode() {
	x.exec = execOf.Get()[x.Op]
	if x.exec == nil {
		x.exec = execUnsupported
	}
	x.d, x.nest = decodeDst(x.Dst), nestOf(x.Op)
	x.nsrc = min(x.Op.NumSrcs(), len(x.s))
	for i := 0; i < x.nsrc; i++ {
		x.s[i] = decodeSrc(x.Srcs[i])
		x.signed = x.signed || x.s[i].sext
	}
	if f, ok := floatOps.Get()[x.Op]; ok {
		x.fn, x.half = f.f, f.half
	}
	x.fv, x.approx = floatVec.Get()[x.Op], approxOps.Get()[x.Op]
	if f, ok := bitFns.Get()[x.Op]; ok {
		x.fn = f
	}
	switch x.Op {
	case isa.OpAsr, isa.OpAsrh:
		x.s[0].sext = true
	case isa.OpIcmpsel, isa.OpIcmpBallot, isa.OpIcmpQuadBallot, isa.OpIfIcmp, isa.OpElseIcmp, isa.OpWhileIcmp:
		if x.Cond.Base() >= isa.CondSEQ {
			x.s[0].sext, x.s[1].sext = true, true
		}
	case isa.OpFmadd16, isa.OpFadd16, isa.OpFmul16:
		for i := 0; i < x.nsrc; i++ {
			if x.s[i].bits == 32 {
				x.exec = execWideSource
			}
		}
	case isa.OpReduce, isa.OpQuadShuffle, isa.OpQuadShuffleXor, isa.OpQuadShuffleUp, isa.OpQuadShuffleDown, isa.OpQuadShuffleRotateUp:
		for i := 0; i < x.nsrc; i++ {
			if x.s[i].bits == 64 {
				x.exec = execWideSource
			}
		}
	}
	x.chk = x.findHazards()
}

func execWideSource(_ *wave, x *inst) error {
	return fmt.Errorf("%s with a source of more bits than the operation is not supported", x.Op)
}
