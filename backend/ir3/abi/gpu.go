package abi

import "nirc/backend/ir3/isa"

// GPU is a device as the code generator and the core see it (ir3.md §1.8).
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
	// Fibers is the number of a wave, twice as many of a double one (0 in the table: 64).
	Fibers int
	// NoGeometry: there are no tessellation and geometry stages.
	NoGeometry bool
	// ConstsStage is the const file of a stage that is not compute, in vec4 (0 in the table: 512).
	ConstsStage int
	// NoDoubleWave: double waves do not exist.
	NoDoubleWave bool
	ScalarALU    bool
	// EarlyPreamble: preambles that touch no registers of fibers run before dispatch.
	EarlyPreamble  bool
	HasFiberID     bool
	HasDp2acc      bool
	HasDp4acc      bool
	DotCompliant   bool
	HasIsamV       bool // isam.v, immediate offsets of ldib and stib
	SadIsAdd3      bool
	Storage16      bool // halves in storage buffers: views of 16 bits, one slot each, which isam.v reads as words too
	Storage8       bool
	Atomic64       bool // atomics of 64 bits on storage buffers and global memory
	Rays           bool // ray_intersection
	Images         bool // filters of many texels and block matches: img_bindless
	PredeNops      bool
	PredtNops      bool
	AliasRT        bool // alias.rt names consts and immediates for render targets
	PreambleConsts bool // preambles load the const file: the command stream only the parameters of vertex shaders
	FSMinConst     bool // fragment shaders need 4 vec4 of consts
	ShadingRate    bool // fragments are told the rate at which they are shaded
	RateWithMask   bool // they are only where they are told the mask of covered samples too
	PrimitiveRate  bool // the stage before fragments writes a rate
	TessLocal      bool // vertices go to tessellation control by stl and ldl
	ICacheUnits    int  // instruction cache in units of 16 instructions
	NoPrefetch     bool // fragment shaders start without texture prefetches
	MaxInputs      int  // vertex attributes, 0: 32
	Sets           int  // descriptor sets that instructions name
	LB             int  // bytes of the local buffer: workgroup memory and consts of a workgroup's waves (ir3.md §1.7)
	Lock           bool // compute shaders end in lock and unlock
}

type gpuClass struct {
	names []string
	gpu   GPU
}

var gpuClasses = []gpuClass{
	{[]string{"a605", "a610"}, GPU{Gen: isa.A6xx, RegVec4: 48, WaveGranularity: 1, LocalMem: 16 << 10, ConstsCS: 256, NoDoubleWave: true, NoPrefetch: true, MaxInputs: 16, ICacheUnits: 64}},
	{[]string{"a608", "a612", "a613"}, GPU{Gen: isa.A6xx, RegVec4: 32, WaveGranularity: 1, LocalMem: 16 << 10, ConstsCS: 256, NoDoubleWave: true, NoPrefetch: true, MaxInputs: 16, ICacheUnits: 64}},
	{[]string{"a702"}, GPU{Gen: isa.A6xx, RegVec4: 64, WaveGranularity: 1, Fibers: 16, NoGeometry: true, LocalMem: 16 << 10, ConstsCS: 128, ConstsStage: 128,
		// 16-bit storage would take two slots a buffer, as on the a650.
		NoPrefetch: true, MaxInputs: 16, ICacheUnits: 64}},
	{[]string{"a615", "a616", "a618", "a619", "a620", "a630"}, GPU{Gen: isa.A6xx, RegVec4: 96, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 256, ICacheUnits: 64}},
	{[]string{"a640", "a680"}, GPU{Gen: isa.A6xx, RegVec4: 96, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 256, ICacheUnits: 64}},
	{[]string{"a621", "a623", "a650"}, GPU{Gen: isa.A6xx, RegVec4: 64, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 256, ScalarALU: true, EarlyPreamble: true,
		// 16-bit storage would take two slots a buffer, as isam.v lacks: halves go in words.
		HasDp2acc: true, PredeNops: true, TessLocal: true, ICacheUnits: 127}},
	{[]string{"a635", "a643", "a644", "a660", "a662", "a663", "a690"}, GPU{Gen: isa.A6xx, RegVec4: 64, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 256,
		ScalarALU: true, HasFiberID: true, HasDp2acc: true, HasDp4acc: true, HasIsamV: true, SadIsAdd3: true, Storage16: true, PredeNops: true, PredtNops: true, TessLocal: true, ICacheUnits: 127}},
	{[]string{"a725", "a730"}, GPU{Gen: isa.A7xx, RegVec4: 96, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 512, ScalarALU: true, EarlyPreamble: true, HasFiberID: true,
		HasDp2acc: true, HasDp4acc: true, HasIsamV: true, SadIsAdd3: true, Storage16: true, PredeNops: true, PredtNops: true, FSMinConst: true, ShadingRate: true, RateWithMask: true, TessLocal: true, ICacheUnits: 127}},
	{[]string{"a735", "a740", "a32", "x1-45", "x1-85"}, GPU{Gen: isa.A7xx, RegVec4: 96, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 512, ScalarALU: true, EarlyPreamble: true, HasFiberID: true,
		HasDp2acc: true, HasDp4acc: true, HasIsamV: true, SadIsAdd3: true, Storage16: true, Atomic64: true, Rays: true, Images: true, PredeNops: true, PredtNops: true, FSMinConst: true,
		ShadingRate: true, RateWithMask: true, PrimitiveRate: true, TessLocal: true, ICacheUnits: 127}},
	{[]string{"a750"}, GPU{Gen: isa.A7xx, RegVec4: 96, WaveGranularity: 2, LocalMem: 32 << 10, ConstsCS: 512, ScalarALU: true, EarlyPreamble: true, HasFiberID: true,
		HasDp2acc: true, HasDp4acc: true, DotCompliant: true, HasIsamV: true, SadIsAdd3: true, Storage16: true, Atomic64: true, Rays: true, Images: true, Storage8: true, PredeNops: true, PredtNops: true,
		AliasRT: true, PreambleConsts: true, ShadingRate: true, PrimitiveRate: true, TessLocal: true, ICacheUnits: 127}},
}

// GPUNames returns the names of all devices by class.
func GPUNames() [][]string {
	var names [][]string
	for i := range gpuClasses {
		names = append(names, gpuClasses[i].names)
	}
	return names
}

// FindGPU returns the device of that name, nil if there is none.
func FindGPU(name string) *GPU {
	for i := range gpuClasses {
		for _, n := range gpuClasses[i].names {
			if n != name {
				continue
			}
			g := gpuClasses[i].gpu
			g.Name = n
			if n == "x1-45" || n == "x1-85" {
				g.ConstsCS = 256
			}
			if g.Fibers == 0 {
				g.Fibers = 64
			}
			if g.ConstsStage == 0 {
				g.ConstsStage = maxConst
			}
			g.Sets, g.LB = 5, g.ConstsCS*16*g.WaveGranularity+g.LocalMem
			if g.Gen == isa.A7xx {
				g.Sets, g.LB, g.Lock = 8, 40<<10, true
			}
			return &g
		}
	}
	return nil
}
