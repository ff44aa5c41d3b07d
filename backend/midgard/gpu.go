package midgard

import (
	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// GPU is a chip as the code generator sees it.
type GPU = abi.GPU

// DefaultGPU is the chip that an empty name stands for.
const DefaultGPU = "t860"

var gpus = abi.GPUs

// FindGPU returns the chip of that name; "" is DefaultGPU.
func FindGPU(name string) (*GPU, error) {
	return backend.FindGPU(TargetName, gpus, name, asListed)
}

func asListed(g *GPU) backend.GPU { return backend.GPU{Name: g.Name, Doc: g.Doc} }

// floatControls are the modes of floats that are honoured: of 16 and 32 bits by the hardware
// (midgard.md §4.2), of 64 by software. Nothing promises what the hardware does with denormals.
func floatControls() ir.FloatControls {
	modes := ir.FCSignedZeroPreserve | ir.FCInfPreserve | ir.FCNaNPreserve | ir.FCRoundRTE
	if faults.has(faultDenormals) {
		modes |= ir.FCDenormPreserve | ir.FCDenormFlush
	}
	return ir.SoftwareDoubles | modes*3
}

// Options returns what the chip wants lowered before Compile, for a stage.
func Options(gpu string, stage ir.Stage) (*ir.Options, error) {
	if _, err := FindGPU(gpu); err != nil {
		return nil, err
	}
	return &ir.Options{
		Target: TargetName, MaxVectorWidth: 4, MaxUnroll: 32, UniformCost: 2, NoBaryCoord: true,
		LowerFdiv: true, LowerFlrp: true, LowerFpow: true, LowerFmod: true, LowerFrem: true, LowerFfract: true, LowerScmp: true,
		LowerLdexp: true, LowerIsign: true, LowerFsign: true, LowerFisnormal: true, LowerIneg: true,
		LowerFfma16: true, LowerFfma32: true, SplitFfma16: true, SplitFfma32: true,
		LowerFquantize2f16: true, LowerFsatSigned: true,
		LowerUaddCarry: true, LowerUsubBorrow: true,
		LowerBitfieldInsert: true, LowerBitfieldExtract: true, LowerBitfieldReverse: true, LowerBitfieldSelect: true,
		LowerFindLsb: true, LowerIfindMsb: true,
		LowerExtractByte: true, LowerExtractWord: true, LowerInsertByte: true, LowerInsertWord: true,
		LowerPackSnorm: true, LowerPackUnorm: true, LowerPackHalf: true, LowerPackInt: true,
		LowerRotate: true, LowerIadd3: true, LowerFdph: true,
		LowerInt64: true, LowerDouble: true, LowerUabsSub: true, LowerMsad: true,
		LowerDot4x8: true, LowerDotSat: true,
		HasFsub: true, HasIsub: true, HasGlobalInvocationID: true,
		FloatControls: floatControls(),
		LowerIndirect: ir.ModeShaderIn | ir.ModeShaderOut,
	}, nil
}
