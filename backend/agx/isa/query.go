package isa

import "fmt"

// Traits are properties of an instruction that schedulers, allocators and the
// hazard model need (agx.md §10).
type Traits uint16

// Instruction traits.
const (
	// TraitAsync: the operation completes later, on scoreboard slot Instr.Slot;
	// its Dst needs a wait before it is read or written.
	TraitAsync Traits = 1 << iota
	// TraitLoad reads memory that a store can change, TraitStore writes it; an
	// atomic does both.
	TraitLoad
	TraitStore
	// TraitBarrier: memory accesses and coverage do not cross it.
	TraitBarrier
	// TraitCoverage: depends on or changes the covered samples or the tile; such
	// instructions keep their order.
	TraitCoverage
	// TraitExec: sets the execution mask, and reads and writes r0l; ends a block.
	TraitExec
	// TraitBranch: has a Target, or leaves the code (stop, trap, ret).
	TraitBranch
	// TraitLanes: reads registers of other lanes, so depends on the execution
	// mask.
	TraitLanes
	// TraitUnknown: seen in the wild, not understood, or not to be emitted.
	TraitUnknown
)

const memLoad, memStore = TraitAsync | TraitLoad, TraitAsync | TraitStore

var opTraits = [NumOps]Traits{
	OpSRThing: TraitUnknown,
	OpDfdx:    TraitCoverage | TraitLanes, OpDfdy: TraitCoverage | TraitLanes,
	OpIcmpBallot: TraitLanes, OpIcmpQuadBallot: TraitLanes, OpFcmpBallot: TraitLanes, OpFcmpQuadBallot: TraitLanes,
	OpSimdShuffle: TraitLanes, OpSimdShuffleXor: TraitLanes, OpSimdShuffleUp: TraitLanes, OpSimdShuffleDown: TraitLanes,
	OpSimdShuffleRotateUp: TraitLanes, OpQuadShuffle: TraitLanes, OpQuadShuffleXor: TraitLanes, OpQuadShuffleUp: TraitLanes,
	OpQuadShuffleDown: TraitLanes, OpQuadShuffleRotateUp: TraitLanes, OpSimdMatrixFmadd32: TraitLanes,
	OpSimdMatrixFmadd16: TraitLanes, OpReduce: TraitLanes,
	OpIfIcmp: TraitExec, OpIfFcmp: TraitExec, OpElseIcmp: TraitExec, OpElseFcmp: TraitExec, OpWhileIcmp: TraitExec,
	OpWhileFcmp: TraitExec, OpPopExec: TraitExec, OpPopExec2: TraitExec | TraitUnknown,
	OpJmpExecAny: TraitBranch, OpJmpExecNone: TraitBranch, OpJmpIncomplete: TraitBranch | TraitUnknown,
	OpCallReg: TraitBranch | TraitUnknown, OpCall: TraitBranch, OpRet: TraitBranch | TraitUnknown, OpStop: TraitBranch, OpTrap: TraitBranch,
	OpDeviceLoad: memLoad, OpDeviceStore: memStore, OpUniformStore: TraitStore, OpTexStateStore: TraitStore,
	OpSamplerStateStore: TraitStore, OpAtomic: memLoad | memStore, OpAsyncLoad: memLoad | TraitUnknown,
	OpAsyncStore: memStore | TraitUnknown, OpThreadgroupLoad: TraitLoad, OpThreadgroupStore: TraitStore,
	OpThreadgroupAtomic: TraitLoad | TraitStore, OpStackLoad: memLoad, OpStackStore: memStore, OpStackAdjust: TraitStore,
	OpStackAdjust2: TraitStore, OpStackGetPtr: TraitUnknown, OpMap: TraitBarrier, OpUnmap: TraitBarrier,
	OpWait: TraitBarrier, OpWaitPix: TraitBarrier | TraitCoverage, OpSignalPix: TraitBarrier | TraitCoverage,
	OpThreadgroupBarrier: TraitBarrier, OpMemoryBarrier: TraitBarrier, OpDoorbell: TraitBarrier,
	OpJmpIfSkippingDoorbell: TraitBranch,
	OpTextureSample:         TraitAsync, OpTextureLoad: TraitAsync | TraitLoad, OpImageWrite: TraitStore, OpImageWriteBlock: TraitStore,
	OpLdTile: TraitCoverage | TraitLoad, OpStTile: TraitCoverage | TraitStore, OpSampleMask: TraitCoverage | TraitStore,
	OpZsEmit: TraitCoverage | TraitStore, OpStVar: TraitStore, OpStVarFinal: TraitStore, OpNoVar: TraitStore,
	OpAfterSampling1: TraitUnknown, OpAfterSampling2: TraitUnknown, OpUnk30C0: TraitUnknown, OpUnk40C0: TraitUnknown,
	OpUnkC0000000: TraitUnknown, OpUnk51: TraitUnknown, OpUnkE800: TraitUnknown, OpUnk0C00: TraitUnknown,
}

// Traits returns the instruction's traits.
func (o Op) Traits() Traits {
	if o >= NumOps {
		return 0
	}
	return opTraits[o]
}

// Allow says what an operand can be.
type Allow uint16

// What an operand can be. AllowReg64 and AllowUniform64 are pairs; AllowRun
// means that the number of registers follows from other fields.
const (
	AllowReg16 Allow = 1 << iota
	AllowReg32
	AllowReg64
	AllowUniform16
	AllowUniform32
	AllowUniform64
	AllowImm      // 0..255, or what the field holds
	AllowFloatImm // minifloat
	AllowSignExt  // .sx
	AllowAbsNeg   // .abs, .neg
	AllowHints    // .cache, .discard
	AllowRun      // several registers
	AllowNone     // may be absent
	AllowState    // a state, special or coefficient register number
	AllowDiscard  // .discard alone
)

// item returns the item of destination (-1) or source i, nil if there is none.
func (o Op) item(slot int) *item {
	if o < NumOps {
		for k := range infoOf(o).items {
			if it := &infoOf(o).items[k]; it.cls.operand && int(it.slot) == slot {
				return it
			}
		}
	}
	return nil
}

// HasDst reports whether the instruction has a destination operand.
func (o Op) HasDst() bool { return o.item(-1) != nil }

// NumSrcs returns the number of source operands (absent ones included).
func (o Op) NumSrcs() int {
	n := 0
	for o.item(n) != nil {
		n++
	}
	return n
}

// DstAllow returns what the destination can be, 0 if there is none.
func (o Op) DstAllow() Allow { return o.SrcAllow(-1) }

// SrcAllow returns what source i can be, 0 if there is none.
func (o Op) SrcAllow(i int) Allow {
	if o >= NumOps || uint(i+1) > uint(len(Instr{}.Srcs)) {
		return 0
	}
	return infoOf(o).allow[i+1]
}

// Can reports whether the encoding has a bit for every one of the flags. Long
// asks for a long form.
func (o Op) Can(flags Flags) bool {
	if o == OpInvalid || o >= NumOps {
		return false
	}
	in := infoOf(o)
	for k := range in.items {
		flags &^= in.items[k].cls.flag
	}
	if in.lbit != 0 {
		flags &^= Long
	}
	return flags == 0
}

// Form is the instruction in the encoding whose fields hold what next gives. Not all that fields can hold means something:
// ok is false then.
func (o Op) Form(next func() uint64) (i Instr, ok bool) {
	in := infoOf(o)
	w := in.value
	for k := range in.fields {
		f := &in.fields[k]
		f.put(&w, next()&(1<<f.width-1))
	}
	w = w.xor(w.and(in.mask)).or(in.value)
	if in.lbit != 0 {
		span{in.lbit, 1}.put(&w, 1)
	}
	i, _, err := Unpack(w.append(nil, int(in.long)))
	return i, err == nil && i.Op == o && o.Can(i.Flags)
}

// HasTarget reports whether the instruction has a branch offset.
func (o Op) HasTarget() bool {
	if o < NumOps {
		for k := range infoOf(o).items {
			if infoOf(o).items[k].cls.target {
				return true
			}
		}
	}
	return false
}

// Length returns the length in bytes that Pack would give. Target does not
// matter: branches have one length. Operands that do not suit the instruction
// are an error here or in Pack.
func (i *Instr) Length() (int, error) {
	if i.Op == OpInvalid || i.Op >= NumOps {
		return 0, fmt.Errorf("agx: opcode %d does not exist", i.Op)
	}
	in := infoOf(i.Op)
	if in.lbit == 0 {
		return int(in.long), nil
	}
	_, n, err := in.pack(i)
	return n, err
}

// CoordRun is the operand that holds the coordinates of dimension d, from half
// h on: with 16-bit ones if short.
func CoordRun(d Dim, h int, short bool) Operand {
	size, n := coordShape(d, short)
	return regRun(uint64(h), size, n)
}

// SetMultiDie prepares an atomic for chips of several dies (or of one).
func (i *Instr) SetMultiDie(on bool) error {
	v := uint32(2)
	if on {
		v = 3
	}
	return i.SetField("u5", v)
}
