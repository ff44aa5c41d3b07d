package ir3

import (
	"math/bits"

	"nirc/backend"
	"nirc/backend/cost"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/core"
	"nirc/backend/ir3/isa"
	"nirc/backend/object"
	"nirc/ir"
)

// The pipes of the model, by index.
const (
	pipeALU = iota
	pipeFP32
	pipeFP16
	pipeInt
	pipeCvt
	pipeSFU
	pipeMemory
	pipeVarying
	pipeTexture
)

// rates says where the issue rates come from.
const rates = "Chips and Cheese, Inside the Snapdragon 855's iGPU (2024), measured on an Adreno 640: each of the two schedulers of a " +
	"micro processor has 64 lanes for 32-bit floats, 128 for 16-bit ones, 32 for integers and 8 for special functions; assumed for the other chips"

// costPipes is the model's table of pipes. Cycles are those of 64 fibers, half a double wave, on one scheduler.
var costPipes = []cost.Pipe{
	{Name: "arith_total", Title: "A", Doc: "vector ALU: categories 1 to 3, flow and the slots that nops fill", Source: "ir3.md §4, ir3.md §10; whether other waves use the slots of nops is not known"},
	{Name: "arith_fp32", Title: "FP32", Doc: "32-bit float arithmetic, a part of A", Part: true, Source: rates},
	{Name: "arith_fp16", Title: "FP16", Doc: "16-bit float arithmetic, a part of A", Part: true, Source: rates},
	{Name: "arith_int", Title: "INT", Doc: "integer arithmetic, a part of A", Part: true, Source: rates + "; of 16-bit integers no figure is published, they count as floats do"},
	{Name: "arith_cvt", Title: "CVT", Doc: "conversions and moves, a part of A", Part: true, Source: "ir3.md §10 (one slot each)"},
	{Name: "arith_sfu", Title: "SFU", Doc: "special functions: category 4", Source: rates},
	{Name: "load_store", Title: "LS", Doc: "memory: category 6, local and private memory among it", Source: "assumed: 4 fibers a cycle for global memory as the texture unit has it, 16 for local memory, constant loads 4 cycles"},
	{Name: "varying", Title: "V", Doc: "varying interpolation: bary.f, flat.b", Source: "assumed: a cycle a component beside its slot in the ALU"},
	{Name: "texture", Title: "T", Doc: "texture unit: category 5", Source: "4 texels a cycle and micro processor (24 units on the Adreno 640's 6, as its makers' 14 GTexel/s at 585 MHz say), shared by two schedulers; assumed for the other chips"},
}

// Cycles of 64 fibers.
const (
	cyclesFP16    = 0.5
	cyclesInt     = 2
	cyclesSFU     = 8
	cyclesTexture = 32 // 64 fibers, 4 a cycle, two schedulers
	cyclesGlobal  = 32
	cyclesLocal   = 8
	cyclesLdc     = 4
)

// schedulers is the number of schedulers of the unit whose waves ir3.md §1.6 counts.
const schedulers = 2

// Cost models the code of an object.
func (t Target) Cost(o *object.Object) (*cost.Program, error) {
	var m abi.Meta
	g, err := backend.Open(t.Name(), o, &m, FindGPU)
	if err != nil {
		return nil, err
	}
	lines := isa.Disassemble(m.Gen, o.Code)
	p := &cost.Program{Target: o.Target, GPU: g.Name, Pipes: costPipes, Turned: true, Instrs: make([]cost.Instr, len(lines)), Nodes: make([]cost.Node, len(lines))}
	first := costPreamble(lines)
	p.Entry, p.Props.Preamble = int32(first), first > 0
	c := newCoster(m.Stage, lines)
	for pc := range lines {
		p.Instrs[pc] = c.instr(pc)
		p.Instrs[pc].Once = pc < first
		p.Nodes[pc] = cost.Node{Instr: int32(pc), Succ: c.next(pc)}
	}
	if first >= len(lines) {
		p.Nodes = nil
	}
	// What stands after the end is padding.
	p.Instrs = p.Instrs[:c.used()]
	p.Nodes = p.Nodes[:min(len(p.Nodes), len(p.Instrs))]
	p.Occupancy = g.occupancy(&m)
	size := 1
	if m.DoubleWave {
		size = 2 // and each instruction takes as many cycles
	}
	p.Hiding = float64(p.Occupancy.Value*size) / schedulers
	costProps(&p.Props, &m)
	p.Fill()
	p.Liveness(core.Registers, core.Spans(o.Code, &m))
	return p, nil
}

// costPreamble is the number of words up to and including shpe.
func costPreamble(lines []isa.Line) int {
	if len(lines) == 0 || lines[0].Instr.Op != isa.OpShps {
		return 0
	}
	for i := range lines {
		if lines[i].Instr.Op == isa.OpShpe {
			return i + 1
		}
	}
	return 0
}

func costProps(p *cost.Properties, m *abi.Meta) {
	p.WorkRegisters, p.RegisterUnit, p.UniformRegisters = m.MaxRegs, "vec4 registers", m.ConstLen
	p.SpillBytes, p.SharedBytes = int(m.PrivateSize), int(m.SharedSize)
	p.SideEffects, p.Discards, p.EarlyTests, p.NeedsHelpers = m.WritesMemory, m.UsesDiscard, m.EarlyFragmentTests, m.NeedsQuads
	for i := range m.Outputs {
		p.WritesDepth = p.WritesDepth || m.Stage == ir.StageFragment && m.Outputs[i].Slot == ir.SlotDepth
	}
}

// coster looks at the words of a program.
type coster struct {
	stage ir.Stage
	lines []isa.Line
	head  []bool // by word: the start of a loop
	fixed []bool // by word: an access to private memory at a fixed place
}

func newCoster(stage ir.Stage, lines []isa.Line) coster {
	return coster{stage: stage, lines: lines, head: loopHeads(lines), fixed: fixedPlaces(lines)}
}

// loopHeads finds the words that branches lead back to.
func loopHeads(lines []isa.Line) []bool {
	head := make([]bool, len(lines))
	for pc := range lines {
		if t := lines[pc].Target; t >= 0 && t <= pc {
			head[t] = true
		}
	}
	return head
}

// used is the number of words up to the last end.
func (c *coster) used() int {
	n := 0
	for pc := range c.lines {
		if op := c.lines[pc].Instr.Op; op == isa.OpEnd || op == isa.OpChsh {
			n = pc + 1
		}
	}
	if n == 0 {
		n = len(c.lines)
	}
	return n
}

// next are the words that may come after one.
func (c *coster) next(pc int) (list []int32) {
	l := &c.lines[pc]
	op := l.Instr.Op
	add := func(t int) {
		if t >= 0 && t < c.used() && (len(list) == 0 || list[0] != int32(t)) {
			list = append(list, int32(t))
		}
	}
	switch op {
	case isa.OpEnd, isa.OpChsh:
		return nil
	case isa.OpJump:
	default:
		add(pc + 1)
	}
	if l.Target >= 0 && op != isa.OpShps {
		add(l.Target)
	}
	return list
}

// instr models one word.
func (c *coster) instr(pc int) cost.Instr {
	in := &c.lines[pc].Instr
	x := cost.Instr{Offset: pc * isa.WordBytes, Size: isa.WordBytes, Count: 1 + int(in.Repeat), Class: classOf(in)}
	x.Leader = in.Flags&isa.JP != 0 || in.Op == isa.OpEnd || pc > 0 && c.lines[pc-1].Target >= 0 || c.head[pc]
	// Slots are those of ir3.md §10.
	x.Issue = float64(issueSlots(in))
	rep := float64(1 + int(in.Repeat))
	alu := x.Issue
	switch x.Class {
	case cost.Float32:
		x.Pipes[pipeFP32] = rep
	case cost.Float16, cost.Int16:
		alu -= rep * (1 - cyclesFP16)
		x.Pipes[pipeFP16] = rep * cyclesFP16
		if x.Class == cost.Int16 {
			x.Pipes[pipeFP16], x.Pipes[pipeInt] = 0, rep*cyclesFP16
		}
	case cost.Int32:
		alu += rep * (cyclesInt - 1)
		x.Pipes[pipeInt] = rep * cyclesInt
	case cost.Convert, cost.Move:
		x.Pipes[pipeCvt] = rep
	case cost.Special:
		alu, x.Pipes[pipeSFU] = 0, rep*cyclesSFU
	case cost.Varying:
		x.Pipes[pipeVarying] = rep
	case cost.Texture:
		alu, x.Pipes[pipeTexture] = 0, cyclesTexture
	case cost.Memory:
		alu = 0
		x.Pipes[pipeMemory], x.Doubt = memoryCycles(in), true
	case cost.Sync:
		alu = 0
	}
	x.Pipes[pipeALU] = alu
	x.Bytes, x.Texels = moved(in)
	c.sync(in, &x)
	c.memoryFacts(pc, &x)
	return x
}

// moved is what an instruction moves for a fiber: bytes of memory, texture operations.
func moved(in *isa.Instr) (bytes, texels int) {
	switch op := in.Op; {
	case op == isa.OpIsam || op >= isa.OpIsam && op <= isa.OpSamgq || op >= isa.OpGather4r && op <= isa.OpSamgp3 || op >= isa.OpImgHof && op <= isa.OpImgSsd:
		return 0, 1
	case op.Category() != 6, op == isa.OpResinfo, op == isa.OpResbase, op == isa.OpGetspid, op == isa.OpGetwid, op == isa.OpGetfiberid, op >= isa.OpShflXor:
		return 0, 0
	}
	size := 4
	switch in.Type {
	case isa.F16, isa.U16, isa.S16:
		size = 2
	case isa.U8, isa.U8x32:
		size = 1
	}
	return size * max(1, int(in.Size)), 0
}

// memoryCycles is what the memory pipe takes.
func memoryCycles(in *isa.Instr) float64 {
	n := float64(max(1, int(in.Size)))
	switch op := in.Op; {
	case op == isa.OpLdc || op == isa.OpLdcK || op == isa.OpStc || op == isa.OpStsc:
		return cyclesLdc
	case op == isa.OpLdl || op == isa.OpLdlw || op == isa.OpLdlv || op == isa.OpStl || op == isa.OpStlw || op >= isa.OpAtomicLAdd && op <= isa.OpAtomicLXor:
		return cyclesLocal * n
	case op == isa.OpGetfiberid || op == isa.OpGetwid || op == isa.OpGetspid || op == isa.OpResinfo || op == isa.OpResbase:
		return 1
	case op >= isa.OpShflXor && op <= isa.OpShflRdown:
		return cyclesLocal
	}
	return cyclesGlobal
}

// sync sets what an instruction waits for and what waits for it: token 0 is (ss), 1 (sy).
func (c *coster) sync(in *isa.Instr, x *cost.Instr) {
	if in.Flags&isa.SS != 0 {
		x.Waits |= 1
	}
	if in.Flags&isa.SY != 0 {
		x.Waits |= 2
	}
	ss, sy := softLatency(in, c.stage == ir.StageFragment || c.stage == ir.StageCompute)
	if ss > 0 {
		x.Produces |= 1
	}
	if sy > 0 {
		x.Produces |= 2
	}
	x.Latency = [2]float64{float64(ss), float64(sy)}
}

// softLatency is the soft latency of a result by class (ir3.md §4.9); double is assumed of
// fragment and compute stages.
func softLatency(in *isa.Instr, double bool) (ss, sy int) {
	k := syncOf(in)
	n := max(1, int(in.Size))
	switch {
	case k.ss && (in.Op.Category() == 4 || in.Op == isa.OpLdl || in.Op == isa.OpLdlw):
		ss = 10
	case k.ss:
		ss = 6
	}
	if !k.sy {
		return ss, 0
	}
	switch {
	case in.Op == isa.OpLdc && double:
		sy = (21 + 8*n) / 2
	case in.Op == isa.OpLdc:
		sy = 18 + 4*n
	case in.Op.Category() == 5 && double:
		sy = [...]int{29, 29, 30, 38, 39}[bits.OnesCount8(in.WrMask&15)]
	case in.Op.Category() == 5:
		sy = [...]int{51, 51, 53, 62, 64}[bits.OnesCount8(in.WrMask&15)]
	case double:
		sy = (172 + n) / 2
	default:
		sy = 109 + n
	}
	return ss, sy
}

// classOf is the kind of work of an instruction.
func classOf(in *isa.Instr) cost.Class {
	op := in.Op
	half := in.Dst.IsHalf()
	size := func(full, h cost.Class) cost.Class {
		if half {
			return h
		}
		return full
	}
	switch op.Category() {
	case 0:
		if op == isa.OpNop {
			return cost.Nop
		}
		return cost.Flow
	case 1:
		if op == isa.OpCov {
			return cost.Convert
		}
		return cost.Move
	case 2:
		switch {
		case op == isa.OpBaryF || op == isa.OpFlatB:
			return cost.Varying
		case op <= isa.OpTruncF && op >= isa.OpAddF:
			if op == isa.OpCmpsF || op == isa.OpCmpvF {
				half = in.Srcs[0].IsHalf() || in.Srcs[1].IsHalf()
			}
			return size(cost.Float32, cost.Float16)
		}
		return size(cost.Int32, cost.Int16)
	case 3:
		switch op {
		case isa.OpMadF16, isa.OpSelF16:
			return cost.Float16
		case isa.OpMadF32, isa.OpSelF32:
			return cost.Float32
		}
		return size(cost.Int32, cost.Int16)
	case 4:
		return cost.Special
	case 5:
		return cost.Texture
	case 6:
		return cost.Memory
	case 7:
		if op == isa.OpAlias {
			return cost.Other
		}
		return cost.Sync
	}
	return cost.Other
}

// occupancy is how many waves a core holds, and why (ir3.md §1.6).
func (g *GPU) occupancy(m *abi.Meta) cost.Occupancy {
	const most = 16
	o := cost.Occupancy{Value: most, Max: most, Unit: "waves"}
	limit := func(by string, n int) {
		o.Limits = append(o.Limits, cost.Limit{By: by, Value: n})
		o.Value = min(o.Value, n)
	}
	size := 1
	if m.DoubleWave {
		size = 2
	}
	byRegs := func(regs int) int {
		if regs <= 0 {
			return most
		}
		return g.RegVec4 / (regs * size) * g.WaveGranularity
	}
	limit("registers", byRegs(m.MaxRegs))
	if m.BranchStack > 0 {
		limit("branch stack", 64/m.BranchStack*g.WaveGranularity)
	}
	if m.SharedSize > 0 && m.Stage == ir.StageCompute {
		limit("workgroup memory", g.wavesPerGroup(m)*(g.LocalMem/backend.AlignUp(int(m.SharedSize), 1024))*g.WaveGranularity)
	}
	o.Sort()
	if o.Limits[0].By == "registers" {
		for r := m.MaxRegs - 1; r > 0; r-- {
			if n := o.With("registers", byRegs(r)); n > o.Value {
				o.Next = &cost.Step{What: "vec4 registers", Less: m.MaxRegs - r, Value: n}
				break
			}
		}
	}
	if o.Limits[0].By == "workgroup memory" {
		for b := backend.AlignUp(int(m.SharedSize), 1024) - 1024; b > 0; b -= 1024 {
			if n := o.With("workgroup memory", g.wavesPerGroup(m)*(g.LocalMem/b)*g.WaveGranularity); n > o.Value {
				o.Next = &cost.Step{What: "bytes of workgroup memory", Less: int(m.SharedSize) - b, Value: n}
				break
			}
		}
	}
	return o
}

// wavesPerGroup is the number of launches of WaveGranularity waves that a workgroup takes.
func (g *GPU) wavesPerGroup(m *abi.Meta) int {
	size := g.Fibers * g.WaveGranularity
	if m.DoubleWave {
		size *= 2
	}
	z := m.WorkgroupSize
	return (int(z[0])*int(z[1])*int(z[2]) + size - 1) / size
}
