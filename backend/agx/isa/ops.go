package isa

import "strconv"

// Op is an instruction: one row of the table. Rows that differ only in a small
// code (bitop, convert, atomic, reduce) share an Op.
type Op uint8

// The instructions, in the order of docs/isa/agx.md.
const (
	OpInvalid Op = iota

	// Moves and special registers.
	OpMovImm16
	OpMovImm32
	OpGetSR
	OpSRThing

	// Integer arithmetic.
	OpIadd
	OpImadd

	// Shifts and bit fields.
	OpBfi
	OpBfeil
	OpExtr
	OpShlhi
	OpShrhi
	OpAsr
	OpAsrh

	// Bit operations and conversion.
	OpBitop
	OpBitrev
	OpPopcount
	OpFfs
	OpIntl
	OpConvert

	// Float arithmetic.
	OpFmadd32
	OpFmadd16
	OpFadd32
	OpFadd16
	OpFmul32
	OpFmul16

	// Float unary.
	OpFloor
	OpCeil
	OpTrunc
	OpRint
	OpRcp
	OpRsqrt
	OpRsqrtSpecial
	OpSinPt1
	OpSinPt2
	OpLog2
	OpExp2
	OpDfdx
	OpDfdy

	// Compare and select, ballots.
	OpIcmpsel
	OpFcmpsel
	OpIcmpBallot
	OpIcmpQuadBallot
	OpFcmpBallot
	OpFcmpQuadBallot

	// Lane exchange, matrix.
	OpSimdShuffle
	OpSimdShuffleXor
	OpSimdShuffleUp
	OpSimdShuffleDown
	OpSimdShuffleRotateUp
	OpQuadShuffle
	OpQuadShuffleXor
	OpQuadShuffleUp
	OpQuadShuffleDown
	OpQuadShuffleRotateUp
	OpSimdMatrixFmadd32
	OpSimdMatrixFmadd16
	OpReduce

	// Control flow.
	OpIfIcmp
	OpIfFcmp
	OpElseIcmp
	OpElseFcmp
	OpWhileIcmp
	OpWhileFcmp
	OpPopExec
	OpPopExec2
	OpJmpExecAny
	OpJmpExecNone
	OpJmpIncomplete
	OpCallReg
	OpCall
	OpRet
	OpStop
	OpTrap

	// Device memory, uniforms, atomics.
	OpDeviceLoad
	OpDeviceStore
	OpUniformStore
	OpTexStateStore
	OpSamplerStateStore
	OpAtomic
	OpAsyncLoad
	OpAsyncStore

	// Threadgroup memory.
	OpThreadgroupLoad
	OpThreadgroupStore
	OpThreadgroupAtomic

	// Stack.
	OpStackLoad
	OpStackStore
	OpStackAdjust
	OpStackAdjust2
	OpStackGetPtr
	OpMap
	OpUnmap

	// Waits and barriers.
	OpWait
	OpWaitPix
	OpSignalPix
	OpThreadgroupBarrier
	OpMemoryBarrier
	OpDoorbell
	OpJmpIfSkippingDoorbell

	// Texture and image.
	OpTextureSample
	OpTextureLoad
	OpImageWrite
	OpImageWriteBlock

	// Fragment and vertex output.
	OpIter
	OpIterProj
	OpLdcf
	OpLdTile
	OpStTile
	OpSampleMask
	OpZsEmit
	OpStVar
	OpStVarFinal
	OpNoVar

	// Seen but not understood.
	OpAfterSampling1
	OpAfterSampling2
	OpUnk30C0
	OpUnk40C0
	OpUnkC0000000
	OpUnk51
	OpUnkE800
	OpUnk0C00

	// NumOps is the number of instructions, OpInvalid included.
	NumOps
)

// String returns the mnemonic. Ops that print by aliases give their base name:
// bitop, iadd, imadd, reduce.
func (o Op) String() string {
	if o == OpInvalid || o >= NumOps {
		return "op" + strconv.Itoa(int(o))
	}
	return opTable[o].name
}
