package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// GPU is a device as the code generator sees it
// (ir3.md §1.8).
type GPU struct {
	Name string
	Gen  isa.Gen
	// RegVec4 is the register file of a base-size wave's fiber in vec4.
	RegVec4 int
	// WaveGranularity is the number of waves launched at a time.
	WaveGranularity int
	LocalMem        int // bytes
	// ConstsCS is the compute stage's const file in vec4.
	ConstsCS int
	// NoDoubleWave: waves of 128 fibers do not exist.
	NoDoubleWave bool
	ScalarALU    bool
	// EarlyPreamble: preambles that touch no registers of fibers run before dispatch.
	EarlyPreamble bool
	HasFiberID    bool
	HasDp2acc     bool
	HasDp4acc     bool
	DotCompliant  bool
	HasIsamV      bool // isam.v, immediate offsets of ldib and stib
	SadIsAdd3     bool
	Storage16     bool // halves in storage buffers: views of 16 bits, one slot each, which isam.v reads as words too
	Storage8      bool
	Atomic64      bool // atomics of 64 bits on storage buffers and global memory
	PredeNops     bool
	PredtNops     bool
	AliasRT       bool // alias.rt names consts and immediates for render targets
	NoImmediates  bool // the command stream cannot put immediates into the const file
	FSMinConst    bool // fragment shaders need 4 vec4 of consts
	TessLocal     bool // vertices go to tessellation control by stl and ldl
	ICacheUnits   int  // instruction cache in units of 16 instructions
	NoPrefetch    bool // fragment shaders start without texture prefetches
	MaxInputs     int  // vertex attributes, 0: 32
}

type gpuClass struct {
	names []string
	gpu   GPU
}

var gpuClasses = []gpuClass{
	{[]string{"a605", "a608", "a610", "a612"}, GPU{Gen: isa.A6xx, RegVec4: 48, WaveGranularity: 1, LocalMem: 16 << 10, ConstsCS: 256, NoDoubleWave: true, NoPrefetch: true, MaxInputs: 16, ICacheUnits: 64}},
	{[]string{"a615", "a616", "a618", "a619", "a620", "a630"}, GPU{Gen: isa.A6xx, RegVec4: 96, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 256, ICacheUnits: 64}},
	{[]string{"a640", "a680"}, GPU{Gen: isa.A6xx, RegVec4: 96, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 256, ICacheUnits: 64}},
	{[]string{"a621", "a650"}, GPU{Gen: isa.A6xx, RegVec4: 64, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 256, ScalarALU: true, EarlyPreamble: true,
		// 16-bit storage would take two slots a buffer, as isam.v lacks: halves go in words.
		HasDp2acc: true, PredeNops: true, TessLocal: true, ICacheUnits: 127}},
	{[]string{"a635", "a643", "a644", "a660", "a662", "a663", "a690"}, GPU{Gen: isa.A6xx, RegVec4: 64, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 256,
		ScalarALU: true, HasFiberID: true, HasDp2acc: true, HasDp4acc: true, HasIsamV: true, SadIsAdd3: true, Storage16: true, PredeNops: true, PredtNops: true, TessLocal: true, ICacheUnits: 127}},
	{[]string{"a725", "a730"}, GPU{Gen: isa.A7xx, RegVec4: 96, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 512, ScalarALU: true, EarlyPreamble: true, HasFiberID: true,
		HasDp2acc: true, HasDp4acc: true, HasIsamV: true, SadIsAdd3: true, Storage16: true, PredeNops: true, PredtNops: true, FSMinConst: true, TessLocal: true, ICacheUnits: 127}},
	{[]string{"a735", "a740", "a32", "x1-85"}, GPU{Gen: isa.A7xx, RegVec4: 96, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 512, ScalarALU: true, EarlyPreamble: true, HasFiberID: true,
		HasDp2acc: true, HasDp4acc: true, HasIsamV: true, SadIsAdd3: true, Storage16: true, Atomic64: true, PredeNops: true, PredtNops: true, FSMinConst: true, TessLocal: true, ICacheUnits: 127}},
	{[]string{"a750"}, GPU{Gen: isa.A7xx, RegVec4: 96, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 512, ScalarALU: true, EarlyPreamble: true, HasFiberID: true,
		HasDp2acc: true, HasDp4acc: true, DotCompliant: true, HasIsamV: true, SadIsAdd3: true, Storage16: true, Atomic64: true, Storage8: true, PredeNops: true, PredtNops: true,
		AliasRT: true, NoImmediates: true, TessLocal: true, ICacheUnits: 127}},
}

// DefaultGPU is the device that an empty name stands for.
const DefaultGPU = "a630"

// GPUs returns the names of all devices.
func GPUs() []string {
	var names []string
	for _, c := range gpuClasses {
		names = append(names, c.names...)
	}
	return names
}

// FindGPU returns the device of that name; "" is DefaultGPU, "a6xx" and
// "a7xx" are the default devices of their generations (a630, a740).
func FindGPU(name string) (*GPU, error) {
	switch name {
	case "", "a6xx":
		name = DefaultGPU
	case "a7xx":
		name = "a740"
	}
	for i := range gpuClasses {
		for _, n := range gpuClasses[i].names {
			if n == name {
				g := gpuClasses[i].gpu
				g.Name = n
				if n == "x1-85" {
					g.ConstsCS = 256
				}
				return &g, nil
			}
		}
	}
	return nil, ir.Unsupportedf("ir3: GPU %q is not supported", name)
}

// Options returns what the device wants lowered before Compile, for a stage
// (nir-ir.md §4.4).
func Options(gpu string, stage ir.Stage) (*ir.Options, error) {
	g, err := FindGPU(gpu)
	if err != nil {
		return nil, err
	}
	o := &ir.Options{
		Target: TargetName, MaxVectorWidth: 1, MaxUnroll: 32,
		LowerFdiv: true, LowerFlrp: true, LowerFpow: true, LowerFmod: true, LowerFrem: true, LowerFfract: true, LowerScmp: true,
		LowerLdexp: true, LowerIsign: true, LowerFisnormal: true,
		LowerUaddCarry: true, LowerUsubBorrow: true,
		LowerBitfieldInsert: true, LowerBitfieldExtract: true, LowerBitfieldSelect: true, LowerUclz: true,
		LowerMulHigh: true, LowerMul2x32_64: true,
		LowerExtractByte: true, LowerExtractWord: true, LowerInsertByte: true, LowerInsertWord: true,
		LowerPackSnorm: true, LowerPackUnorm: true, LowerPackHalf: true, LowerPackInt: true, LowerPackSplit: true,
		LowerHadd: true, LowerRotate: true, LowerFdph: true, LowerFdot: true, LowerVectorCmp: true,
		LowerInt64: true, LowerDouble: true, LowerUabsSub: true, LowerMsad: true, LowerFsatSigned: true,
		LowerDot4x8: !g.HasDp2acc, LowerDotSat: true,
		FuseFfma16: true, FuseFfma32: true,
		HasFsub: true, HasIsub: true, HasImul24: true, HasAmul: true, HasIcselEqz: true, HasIadd3: g.SadIsAdd3, HasUmulLow: true,
		HasDot4x8:       g.HasDp2acc,
		BoundsByElement: true,
		FlushDenorm:     3, Int16ALU: true, Float16ALU: true,
		LowerIndirect: ir.ModeShaderIn | ir.ModeShaderOut,
	}
	return o, nil
}
