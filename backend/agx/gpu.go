package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/ir"
)

// GPU is a chip as the code generator sees it
// (agx.md §1.3 and 7.5).
type GPU struct {
	Name string
	Doc  string
	// MultiDie: several dies share memory, which atomics must be told of.
	MultiDie bool
}

// DefaultGPU is the chip that an empty name stands for.
const DefaultGPU = "g13g"

// gpus begins with DefaultGPU.
var gpus = []GPU{
	{Name: "g13g", Doc: "Apple M1"},
	{Name: "g13s", Doc: "Apple M1 Pro", MultiDie: true},
	{Name: "g13c", Doc: "Apple M1 Max", MultiDie: true},
	{Name: "g13d", Doc: "Apple M1 Ultra", MultiDie: true},
	{Name: "g14g", Doc: "Apple M2"},
	// Of G14 only the chip of two dies wants what all of several clusters want of G13.
	{Name: "g14s", Doc: "Apple M2 Pro"},
	{Name: "g14c", Doc: "Apple M2 Max"},
	{Name: "g14d", Doc: "Apple M2 Ultra", MultiDie: true},
}

// FindGPU returns the chip of that name; "" is DefaultGPU.
func FindGPU(name string) (*GPU, error) {
	return backend.FindGPU(TargetName, gpus, name, (*GPU).listed)
}

func (g *GPU) listed() backend.GPU { return backend.GPU{Name: g.Name, Doc: g.Doc} }

// floatControls are the modes of floats that are honoured: of 16 and 32 bits by the hardware
// (agx.md §1.6), of 64 by software.
const floatControls = ir.SoftwareDoubles | (ir.FCSignedZeroPreserve|ir.FCInfPreserve|ir.FCNaNPreserve|ir.FCRoundRTE)*3 |
	ir.FCDenormPreserve | ir.FCDenormFlush<<1

// Options returns what the chip wants lowered before Compile, for a stage.
func Options(gpu string, stage ir.Stage) (*ir.Options, error) {
	_, err := FindGPU(gpu)
	return allOptions(), err
}

// maxSampling is how large a loop of unknown trips with texture operations may become: what its counter costs is little beside these.
const maxSampling = 192

// allOptions are the options that all chips and stages have in common.
func allOptions() *ir.Options {
	return &ir.Options{
		Target: TargetName, MaxVectorWidth: 1, MaxUnroll: 32, MaxSampling: maxSampling, UniformCost: 16, SmoothCheaper: true, SubgroupSize: abi.WaveSize, MatrixLanes: abi.WaveSize, NeedsPointSize: true,
		LowerFdiv: true, LowerFlrp: true, LowerFpow: true, LowerFmod: true, LowerFrem: true, LowerFfract: true, LowerScmp: true,
		LowerLdexp: true, LowerIsign: true, LowerFsign: true, LowerIabs: true, LowerFisnormal: true,
		LowerFquantize2f16: true, LowerFsatSigned: true,
		LowerUaddCarry: true, LowerUsubBorrow: true, LowerAddSat: true, LowerUsubSat: true,
		LowerBitfieldInsert: true, LowerBitfieldExtract: true, LowerBitfieldSelect: true, LowerUclz: true,
		LowerExtractByte: true, LowerExtractWord: true, LowerInsertByte: true, LowerInsertWord: true,
		LowerPackSnorm: true, LowerPackUnorm: true, LowerPackHalf: true, LowerPackInt: true, LowerPackSplit: true,
		LowerHadd: true, LowerFminMaxSignedZero: true, LowerRotate: true, LowerIadd3: true, LowerFdph: true, LowerFdot: true, LowerVectorCmp: true,
		LowerInt64: true, LowerDouble: true, LowerUabsSub: true, LowerMsad: true,
		LowerDot4x8: true, LowerDotSat: true,
		FuseFfma16: true, FuseFfma32: true,
		HasFsub: true, HasIsub: true, HasLea: true,
		FloatControls: floatControls, Int16ALU: true, Float16ALU: true,
		LowerIndirect: ir.ModeShaderIn | ir.ModeShaderOut,
	}
}

// occupancy says how many threads a core holds for a number of halves.
var occupancy = [...]struct{ halves, threads int }{
	{104, 1024}, {112, 896}, {128, 832}, {136, 768}, {144, 704}, {160, 640}, {184, 576}, {208, 512}, {232, 448}, {256, 384},
}

// threadsFor is the number of threads a core holds at a register footprint.
func threadsFor(halves int) int {
	for _, o := range occupancy {
		if halves <= o.halves {
			return o.threads
		}
	}
	return occupancy[len(occupancy)-1].threads
}

// halvesFor is the largest footprint at which a workgroup of that many threads
// is resident as a whole.
func halvesFor(threads int) int {
	most := occupancy[0].halves
	for _, o := range occupancy {
		if o.threads >= threads {
			most = o.halves
		}
	}
	return most
}
