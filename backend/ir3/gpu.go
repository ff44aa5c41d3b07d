package ir3

import (
	"sync"

	"nirc/backend/ir3/abi"
	"nirc/ir"
)

// GPU is a device as the code generator sees it.
type GPU struct{ abi.GPU }

// DefaultGPU is the device that an empty name stands for.
const DefaultGPU = "a630"

// GPUs returns the names of all devices.
func GPUs() []string {
	var names []string
	for _, class := range abi.GPUNames() {
		names = append(names, class...)
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
	for i, list := 0, devices(); i < len(list); i++ {
		if list[i].Name == name {
			return &list[i], nil
		}
	}
	return nil, ir.Unsupportedf("ir3: GPU %q is not supported", name)
}

// devices are all of them; every compile asks several times, and nobody changes one.
var devices = sync.OnceValue(func() []GPU {
	names := GPUs()
	list := make([]GPU, len(names))
	for i, n := range names {
		list[i] = GPU{*abi.FindGPU(n)}
	}
	return list
})

// floatControls are the modes of floats that are honoured: of 16 and 32 bits by the hardware
// (ir3.md §1.10), of 64 by software.
const floatControls = ir.SoftwareDoubles | (ir.FCSignedZeroPreserve|ir.FCInfPreserve|ir.FCNaNPreserve|ir.FCDenormFlush|ir.FCRoundRTE)*3

// Options returns what the device wants lowered before Compile, for a stage
// (nir-ir.md §4.4).
func Options(gpu string, stage ir.Stage) (*ir.Options, error) {
	g, err := FindGPU(gpu)
	if err != nil {
		return nil, err
	}
	o := &ir.Options{
		Target: TargetName, MaxVectorWidth: 1, MaxUnroll: 32, UniformCost: 16, LoadsTear: !faults.has(faultTornLoads), MatrixLanes: uint8(g.Fibers), MinSubgroupSize: uint8(g.Fibers),
		LowerFdiv: true, LowerFlrp: true, LowerFpow: true, LowerFmod: true, LowerFrem: true, LowerFfract: true, LowerScmp: true,
		LowerLdexp: true, LowerIsign: true, LowerFisnormal: true,
		LowerUaddCarry: true, LowerUsubBorrow: true,
		LowerBitfieldInsert: true, LowerBitfieldExtract: true, LowerBitfieldSelect: true, LowerUclz: true,
		LowerMulHigh: true, LowerMul2x32_64: true,
		LowerExtractByte: true, LowerExtractWord: true, LowerInsertByte: true, LowerInsertWord: true,
		LowerPackSnorm: true, LowerPackUnorm: true, LowerPackHalf: true, LowerPackInt: true, LowerPackSplit: true,
		LowerHadd: true, LowerRotate: true, LowerFdph: true, LowerFdot: true, LowerVectorCmp: true,
		LowerInt64: true, LowerDouble: true, LowerUabsSub: true, LowerMsad: true, LowerFsatSigned: true,
		LowerDot4x8: !g.HasDp2acc, LowerSdot4x8: g.HasDp2acc && !g.DotCompliant, LowerDotSat: true,
		FuseFfma16: true, FuseFfma32: true, SplitFfma16: true, SplitFfma32: true,
		HasFsub: true, HasIsub: true, HasImul24: true, HasAmul: true, HasIcselEqz: true, HasIadd3: g.SadIsAdd3, HasUmulLow: true, ChainsWait: true,
		HasDot4x8:       g.HasDp2acc,
		BoundsByElement: true, JoinsDistances: true, CutsTexels: !faults.has(faultCutTexels),
		FloatControls: floatControls, Int16ALU: true, Float16ALU: true,
		LowerIndirect: ir.ModeShaderIn | ir.ModeShaderOut,
	}
	return o, nil
}
