package midgard

import (
	"nirc/backend"
	"nirc/ir"
)

// GPU is a chip as the code generator sees it (midgard.md §13).
type GPU struct {
	Name string
	Doc  string
	// Arch is 4 or 5.
	Arch int
	// Alias: the texture pipe shares r26 and r27 with load/store and leaves its
	// results in r0 and r1.
	Alias bool
	// NoUpperALU: writeout bundles have the plain ALU tags.
	NoUpperALU bool
	// BrokenLod: sampling with explicit LOD ignores the sampler's clamps and bias.
	BrokenLod bool
	// ArithmeticPipes is the number of arithmetic pipes of a core (Arm, The Midgard Shader Core).
	ArithmeticPipes int
}

// DefaultGPU is the chip that an empty name stands for.
const DefaultGPU = "t860"

// gpus begins with DefaultGPU.
var gpus = []GPU{
	{Name: "t860", Doc: "Mali T860", Arch: 5, ArithmeticPipes: 2},
	{Name: "t880", Doc: "Mali T880", Arch: 5, ArithmeticPipes: 3},
	{Name: "t820", Doc: "Mali T820", Arch: 5, ArithmeticPipes: 1, Alias: true},
	{Name: "t830", Doc: "Mali T830", Arch: 5, ArithmeticPipes: 2, Alias: true},
	{Name: "t760", Doc: "Mali T760", Arch: 5, ArithmeticPipes: 2, NoUpperALU: true},
	{Name: "t720", Doc: "Mali T720", Arch: 4, ArithmeticPipes: 1, Alias: true, NoUpperALU: true, BrokenLod: true},
}

// FindGPU returns the chip of that name; "" is DefaultGPU.
func FindGPU(name string) (*GPU, error) {
	return backend.FindGPU(TargetName, gpus, name, (*GPU).listed)
}

func (g *GPU) listed() backend.GPU { return backend.GPU{Name: g.Name, Doc: g.Doc} }

// floatControls are the modes of floats that are honoured: of 16 and 32 bits by the hardware
// (midgard.md §4.2), of 64 by software.
const floatControls = ir.SoftwareDoubles | (ir.FCSignedZeroPreserve|ir.FCInfPreserve|ir.FCNaNPreserve|ir.FCRoundRTE|ir.FCDenormPreserve)*3

// Options returns what the chip wants lowered before Compile, for a stage.
func Options(gpu string, stage ir.Stage) (*ir.Options, error) {
	if _, err := FindGPU(gpu); err != nil {
		return nil, err
	}
	return &ir.Options{
		Target: TargetName, MaxVectorWidth: 4, MaxUnroll: 32, UniformCost: 2, NoBaryCoord: true,
		LowerFdiv: true, LowerFlrp: true, LowerFpow: true, LowerFmod: true, LowerFrem: true, LowerFfract: true, LowerScmp: true,
		LowerLdexp: true, LowerIsign: true, LowerFsign: true, LowerFisnormal: true, LowerIneg: true,
		LowerFfma16: true, LowerFfma32: true,
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
		FloatControls: floatControls,
		LowerIndirect: ir.ModeShaderIn | ir.ModeShaderOut,
	}, nil
}
