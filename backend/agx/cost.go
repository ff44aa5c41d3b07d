package agx

import (
	"math/bits"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/core"
	"nirc/backend/agx/isa"
	"nirc/backend/cost"
	"nirc/backend/object"
	"nirc/internal/lazy"
	"nirc/ir"
)

// The pipes of the model, by index.
const (
	pipeFSCIB = iota
	pipeIC
	pipeFP32
	pipeFP16
	pipeInt
	pipeMemory
	pipeVarying
	pipeTexture
	pipeTile
)

// costPipes is the model's table of pipes. Cycles are those of a SIMD-group on one of the four schedulers of a core.
var costPipes = []cost.Pipe{
	{Name: "arith_fscib", Title: "FSCIB", Doc: "floats, selects, compares, integer additions, booleans, lane exchange", Source: "agx.md §10.4"},
	{Name: "arith_ic", Title: "IC", Doc: "integer multiplication, shifts, conversions, complex functions", Source: "agx.md §10.4; conversions, bit counts, rounding and intl are there by nature, their interval is assumed"},
	{Name: "arith_fp32", Title: "FP32", Doc: "32-bit float arithmetic, a part of FSCIB", Part: true, Source: "agx.md §10.4"},
	{Name: "arith_fp16", Title: "FP16", Doc: "16-bit float arithmetic, a part of FSCIB; no faster than 32 bits", Part: true, Source: "agx.md §10.4"},
	{Name: "arith_int", Title: "INT", Doc: "integer additions, selects and booleans, a part of FSCIB", Part: true, Source: "agx.md §10.4"},
	{Name: "load_store", Title: "LS", Doc: "device, threadgroup and stack memory, image writes, vertex outputs", Source: "assumed: a core moves 64 bytes a cycle"},
	{Name: "varying", Title: "V", Doc: "varying interpolation: iter, ldcf", Source: "assumed: a cycle a component"},
	{Name: "texture", Title: "T", Doc: "texture unit", Source: "8 texels a cycle and core, as Apple's 82 gigatexels a second of the 8 cores of an M1 at 1.278 GHz say; shared by four schedulers"},
	{Name: "tile", Title: "TB", Doc: "tile buffer: ld_tile, st_tile", Source: "4 pixels a cycle and core, as Apple's 41 gigapixels a second of the 8 cores of an M1 say; shared by four schedulers"},
}

// Cycles of a SIMD-group.
const (
	schedulers     = 4
	bytesPerCycle  = 64 // of a core
	cyclesTexture  = 32 / 8 * schedulers
	cyclesTile     = 32 / 4 * schedulers
	cyclesUnknown  = 2 // interval of what the model of agx.md §10.4 leaves out
	latencyMemory  = 100
	latencyTexture = 100
)

// Cost models the code of an object.
func (t Target) Cost(o *object.Object) (*cost.Program, error) {
	var m abi.Meta
	g, err := backend.Open(t.Name(), o, &m, FindGPU)
	if err != nil {
		return nil, err
	}
	lines := isa.Disassemble(o.Code)
	p := &cost.Program{Target: o.Target, GPU: g.Name, Pipes: costPipes, Instrs: make([]cost.Instr, len(lines))}
	for i := range lines {
		p.Instrs[i] = costInstr(&lines[i])
		p.Instrs[i].Leader = lines[i].Label || i > 0 && lines[i-1].Instr.Op.Traits()&(isa.TraitExec|isa.TraitBranch) != 0
	}
	w := walker{lines: lines, at: map[int]int32{}, nodes: map[lane]int32{}}
	if m.CodeSize > 0 {
		w.end = int(m.Entry + m.CodeSize)
	}
	reached := w.walk(int(m.Entry))
	p.Nodes = w.list
	for i := range p.Instrs {
		p.Instrs[i].Once = p.Nodes != nil && !reached[i] // a preamble, another program, padding
		p.Instrs[i].Aside = p.Instrs[i].Once && lines[i].Instr.Op == isa.OpTrap
	}
	w.aside(p.Instrs, &m)
	p.Occupancy = agxOccupancy(&m)
	p.Hiding = float64(p.Occupancy.Value) / 32 / schedulers
	costProps(&p.Props, &m)
	p.Fill()
	p.Liveness(core.Registers, core.Spans(o.Code, &m))
	return p, nil
}

func costProps(p *cost.Properties, m *abi.Meta) {
	p.WorkRegisters, p.RegisterUnit, p.UniformRegisters = m.Halves, "16-bit registers", m.UniformHalves
	p.SpillBytes, p.SharedBytes, p.Preamble = int(m.ScratchSize), int(m.SharedSize), m.HasPreamble
	p.SideEffects, p.Discards, p.EarlyTests, p.NeedsHelpers = m.WritesMemory, m.UsesDiscard, m.EarlyFragmentTests, m.NeedsQuads
	for i := range m.Results {
		p.WritesDepth = p.WritesDepth || m.Results[i].Slot == ir.SlotDepth
	}
}

// agxOccupancy is how many threads a core holds, and why (agx.md §1.3).
func agxOccupancy(m *abi.Meta) cost.Occupancy {
	o := cost.Occupancy{Value: threadsFor(m.Halves), Max: threadsFor(0), Unit: "threads"}
	o.Limits = []cost.Limit{{By: "registers", Value: o.Value}}
	for i, s := range occupancy {
		if i > 0 && s.threads == o.Value {
			o.Next = &cost.Step{What: "16-bit registers", Less: m.Halves - occupancy[i-1].halves, Value: occupancy[i-1].threads}
		}
	}
	return o
}

// classes of the operations that compute; sizes of integers go by the destination.
var costClasses = lazy.Value[*[isa.NumOps]cost.Class]{Make: func() *[isa.NumOps]cost.Class {
	t := new([isa.NumOps]cost.Class)
	set := func(c cost.Class, ops ...isa.Op) {
		for _, op := range ops {
			t[op] = c
		}
	}
	set(cost.Float32, isa.OpFmadd32, isa.OpFadd32, isa.OpFmul32, isa.OpFcmpsel, isa.OpDfdx, isa.OpDfdy, isa.OpFloor, isa.OpCeil, isa.OpTrunc, isa.OpRint, isa.OpSimdMatrixFmadd32)
	set(cost.Float16, isa.OpFmadd16, isa.OpFadd16, isa.OpFmul16, isa.OpSimdMatrixFmadd16)
	set(cost.Int32, isa.OpIadd, isa.OpImadd, isa.OpBfi, isa.OpBfeil, isa.OpExtr, isa.OpShlhi, isa.OpShrhi, isa.OpAsr, isa.OpAsrh, isa.OpBitop, isa.OpBitrev,
		isa.OpPopcount, isa.OpFfs, isa.OpIntl, isa.OpIcmpsel, isa.OpIcmpBallot, isa.OpIcmpQuadBallot, isa.OpFcmpBallot, isa.OpFcmpQuadBallot, isa.OpReduce)
	set(cost.Convert, isa.OpConvert)
	set(cost.Special, isa.OpRcp, isa.OpRsqrt, isa.OpRsqrtSpecial, isa.OpSinPt1, isa.OpSinPt2, isa.OpLog2, isa.OpExp2)
	set(cost.Move, isa.OpMovImm16, isa.OpMovImm32, isa.OpGetSR)
	for op := isa.OpSimdShuffle; op <= isa.OpQuadShuffleRotateUp; op++ {
		t[op] = cost.Move
	}
	for op := isa.OpIfIcmp; op <= isa.OpTrap; op++ {
		t[op] = cost.Flow
	}
	set(cost.Memory, isa.OpDeviceLoad, isa.OpDeviceStore, isa.OpUniformStore, isa.OpAtomic, isa.OpAsyncLoad, isa.OpAsyncStore, isa.OpThreadgroupLoad,
		isa.OpThreadgroupStore, isa.OpThreadgroupAtomic, isa.OpStackLoad, isa.OpStackStore, isa.OpStVar, isa.OpStVarFinal, isa.OpImageWrite, isa.OpImageWriteBlock)
	for op := isa.OpWait; op <= isa.OpDoorbell; op++ {
		t[op] = cost.Sync
	}
	set(cost.Tile, isa.OpLdTile, isa.OpStTile)
	set(cost.Varying, isa.OpIter, isa.OpIterProj, isa.OpLdcf)
	set(cost.Texture, isa.OpTextureSample, isa.OpTextureLoad)
	return t
}}

// unmodelled are the operations that belong to IC by nature and that the model leaves out.
var unmodelled = lazy.Value[*[isa.NumOps]bool]{Make: func() *[isa.NumOps]bool {
	t := new([isa.NumOps]bool)
	for _, op := range []isa.Op{isa.OpConvert, isa.OpBitrev, isa.OpPopcount, isa.OpFfs, isa.OpIntl, isa.OpCeil, isa.OpTrunc, isa.OpRint, isa.OpShlhi, isa.OpShrhi, isa.OpAsrh} {
		t[op] = true
	}
	return t
}}

// costInstr models one instruction.
func costInstr(l *isa.Line) cost.Instr {
	in := &l.Instr
	x := cost.Instr{Offset: l.PC, Size: len(l.Bytes), Count: 1}
	if l.Err != nil || in.Op >= isa.NumOps {
		return x
	}
	x.Class, x.Issue = costClasses.Get()[in.Op], 1
	if in.Dst.Size == 16 {
		switch x.Class {
		case cost.Int32:
			x.Class = cost.Int16
		case cost.Float32:
			if in.Op == isa.OpFcmpsel {
				x.Class = cost.Float16
			}
		}
	}
	t := timings.Get()[in.Op]
	if in.Op == isa.OpReduce && in.Flags&isa.Prefix != 0 {
		t.interval = prefixInterval
	}
	if unmodelled.Get()[in.Op] {
		t, x.Doubt = timing{unitIC, cyclesUnknown}, true
	}
	switch t.unit {
	case unitIC:
		x.Pipes[pipeIC], x.Pipes[pipeFSCIB] = float64(2*t.interval), 1
	case unitF, unitSCIB:
		x.Pipes[pipeFSCIB], x.Issue = float64(t.interval), float64(t.interval)
		switch x.Class {
		case cost.Float32:
			x.Pipes[pipeFP32] = x.Issue
		case cost.Float16:
			x.Pipes[pipeFP16] = x.Issue
		case cost.Int32, cost.Int16:
			x.Pipes[pipeInt] = x.Issue
		}
	}
	outsideALU(in, &x)
	return x
}

// outsideALU models memory, varyings, textures and what is waited for. Token 0 and 1 are the slots of
// the scoreboard.
func outsideALU(in *isa.Instr, x *cost.Instr) {
	n := float64(max(1, bits.OnesCount8(in.Mask)))
	latency := 0.0
	switch x.Class {
	case cost.Memory:
		width := in.Format.Size()
		if in.Op == isa.OpAtomic || in.Op == isa.OpThreadgroupAtomic || in.Op == isa.OpStVar || in.Op == isa.OpStVarFinal {
			width, n = 4, 1
		}
		x.Bytes = int(n) * width
		x.Pipes[pipeMemory], x.Doubt = n*float64(width)*32/bytesPerCycle*schedulers, true
		latency = latencyMemory
	case cost.Varying:
		x.Pipes[pipeVarying], x.Doubt = float64(max(1, in.Dst.Count)), true
	case cost.Tile:
		x.Pipes[pipeTile] = cyclesTile
	case cost.Texture:
		x.Pipes[pipeTexture], x.Texels = cyclesTexture, 1
		latency = latencyTexture
	}
	if in.Op.Traits()&isa.TraitAsync != 0 && in.Dst.Kind == isa.Reg {
		x.Produces = 1 << (in.Slot & 1)
		x.Latency[in.Slot&1] = latency
	}
	if in.Op == isa.OpWait {
		x.Waits = 1 << (in.Slot & 1)
	}
	switch in.Op {
	case isa.OpDeviceLoad, isa.OpAtomic:
		x.Address64 = in.Srcs[0].Kind == isa.Reg
	case isa.OpDeviceStore:
		x.Address64 = in.Srcs[1].Kind == isa.Reg
	case isa.OpStackLoad:
		x.Spill, x.Array = stackUse(2, in.Srcs[0])
	case isa.OpStackStore:
		x.Spill, x.Array = stackUse(1, in.Srcs[1])
	}
}

// stackUse tells spills, at fixed offsets, from arrays, which are indexed.
func stackUse(spill uint8, index isa.Operand) (uint8, bool) {
	if index.Kind == isa.Reg {
		return 0, true
	}
	return spill, false
}
