package abi

import (
	"fmt"

	"nirc/ir"
)

// GPU is a chip as the code generator and the core see it (midgard.md §13). What all of them share are constants:
// MaxWork, MaxUniforms, MaxThreads, WorkLimit, MaxShared, MaxTLS, MaxUBOs.
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
	// BrokenLOD: sampling with explicit LOD ignores the sampler's clamps and bias.
	BrokenLOD bool
	// Targets is the number of render targets that a program may write or read.
	Targets int
	// TileLoads: LD_TILEBUFFER reads the tile. Where it does not exist LD_SPECIAL does, by SpecialTileTyped and SpecialTileRaw,
	// which exist nowhere else.
	TileLoads bool
	// RawTile: typed loads from the tile give something else.
	RawTile bool
	// OutOfOrder: texture instructions may say how many of the next bundles run before they end.
	OutOfOrder bool
	// ArithmeticPipes is the number of arithmetic pipes of a core (Arm, The Midgard Shader Core).
	ArithmeticPipes int
}

// GPUs are the chips, the first the one that an empty name stands for.
var GPUs = []GPU{
	{Name: "t860", Doc: "Mali T860", Arch: 5, Targets: 8, TileLoads: true, OutOfOrder: true, ArithmeticPipes: 2},
	{Name: "t880", Doc: "Mali T880", Arch: 5, Targets: 8, TileLoads: true, OutOfOrder: true, ArithmeticPipes: 3},
	{Name: "t820", Doc: "Mali T820", Arch: 5, Targets: 8, TileLoads: true, OutOfOrder: true, ArithmeticPipes: 1, Alias: true},
	{Name: "t830", Doc: "Mali T830", Arch: 5, Targets: 8, TileLoads: true, OutOfOrder: true, ArithmeticPipes: 2, Alias: true},
	{Name: "t760", Doc: "Mali T760", Arch: 5, Targets: 8, TileLoads: true, OutOfOrder: true, ArithmeticPipes: 2, NoUpperALU: true},
	{Name: "t720", Doc: "Mali T720", Arch: 4, Targets: 1, ArithmeticPipes: 1, Alias: true, NoUpperALU: true, BrokenLOD: true},
	{Name: "t620", Doc: "Mali T620", Arch: 4, Targets: 1, ArithmeticPipes: 2, NoUpperALU: true, BrokenLOD: true, RawTile: true},
}

// FindGPU returns the chip of that name, nil if there is none.
func FindGPU(name string) *GPU {
	for i := range GPUs {
		if GPUs[i].Name == name {
			return &GPUs[i]
		}
	}
	return nil
}

// checkGPU holds the program to its chip.
func (m *Meta) checkGPU() error {
	g := FindGPU(m.GPU)
	switch {
	case m.GPU == "":
		return nil // tests of the core
	case g == nil:
		return fmt.Errorf("midgard meta: the unknown GPU %q", m.GPU)
	case m.Alias != g.Alias || m.NoUpperALU != g.NoUpperALU || m.BrokenLOD != g.BrokenLOD:
		return fmt.Errorf("midgard meta: facts of another GPU than %s", g.Name)
	case m.Blend != nil && m.Blend.Target >= g.Targets:
		return fmt.Errorf("midgard meta: a blend program for render target %d of %d", m.Blend.Target, g.Targets)
	}
	for _, o := range m.Outputs {
		if n := int(o.Slot) - int(ir.SlotData0); m.Stage == ir.StageFragment && n >= g.Targets && n < 8 {
			return fmt.Errorf("midgard meta: render target %d is written, %s has %d", n, g.Name, g.Targets)
		}
	}
	return nil
}
