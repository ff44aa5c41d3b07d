package midgard

import (
	"math/bits"
	"slices"

	"nirc/backend"
	"nirc/backend/cost"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/core"
	"nirc/backend/midgard/isa"
	"nirc/backend/object"
)

// The pipes of the model, by index; the names are malioc's.
const (
	pipeArithmetic = iota
	pipeLoadStore
	pipeTexture
)

const midgardGuide = "Arm, The Midgard Shader Core: an instruction a pipe and clock, 128 bits or an access a clock of load/store, a bilinear sample a clock, two for a depth sample"

// costPipes is the model's table of pipes. Cycles are those of a thread.
var costPipes = []cost.Pipe{
	{Name: "arithmetic", Title: "A", Doc: "arithmetic bundles, shared among the chip's arithmetic pipes", Source: "Arm, The Midgard Shader Core: one arithmetic pipe on T720 and T820, three on T880, two on the others"},
	{Name: "load_store", Title: "LS", Doc: "load/store instructions: memory, varyings, attributes, uniforms, images", Source: midgardGuide},
	{Name: "texture", Title: "T", Doc: "texture instructions, derivatives among them", Source: midgardGuide},
}

// Cost models the code of an object.
func (t Target) Cost(o *object.Object) (*cost.Program, error) {
	var m abi.Meta
	g, err := backend.Open(t.Name(), o, &m, FindGPU)
	if err != nil {
		return nil, err
	}
	p := &cost.Program{Target: o.Target, GPU: g.Name, Pipes: costPipes}
	at := map[int]int32{}
	var bundles []isa.Bundle
	for off := 0; off < len(o.Code); {
		b, size, err := isa.Decode(o.Code[off:])
		if err != nil || size == 0 {
			break // the padding, or what the disassembly tells
		}
		at[off] = int32(len(bundles))
		bundles = append(bundles, b)
		x := costBundle(&b, g)
		x.Offset, x.Size = off, size
		p.Instrs = append(p.Instrs, x)
		off += size
	}
	for i := range bundles {
		p.Nodes = append(p.Nodes, nextBundles(&bundles[i], i, &p.Instrs[i], at))
	}
	// Threads hide each other's latencies, so nothing stalls (midgard.md §1.1).
	p.Occupancy = midgardOccupancy(&m)
	costProps(&p.Props, &m)
	p.Fill()
	p.Liveness(core.Registers, core.Spans(o.Code, &m))
	return p, nil
}

func costProps(p *cost.Properties, m *abi.Meta) {
	p.WorkRegisters, p.RegisterUnit, p.UniformRegisters = m.WorkRegs, "vec4 registers", len(m.Uniforms)
	p.SpillBytes, p.SharedBytes = int(m.TLSSize), int(m.SharedSize)
	p.SideEffects, p.Discards, p.EarlyTests, p.NeedsHelpers = m.WritesMemory, m.UsesDiscard, m.EarlyFragmentTests, m.NeedsQuads
	p.WritesDepth, p.ReadsColor = m.WritesDepth, m.ReadsTile
}

// midgardOccupancy is how many threads a core holds (midgard.md §11.5): 256 with four registers at most,
// half of them with eight, a quarter with more.
func midgardOccupancy(m *abi.Meta) cost.Occupancy {
	o := cost.Occupancy{Max: 256, Unit: "threads"}
	step := func(regs, threads int) {
		o.Next = &cost.Step{What: "vec4 registers", Less: m.WorkRegs - regs, Value: threads}
	}
	switch {
	case m.WorkRegs <= 4:
		o.Value = 256
	case m.WorkRegs <= 8:
		o.Value = 128
		step(4, 256)
	default:
		o.Value = 64
		step(8, 128)
	}
	o.Limits = []cost.Limit{{By: "registers", Value: o.Value}}
	return o
}

// nextBundles is the node of bundle i: which bundles may come after it, and whether the program may end with it, as the next tag or
// a branch's says (midgard.md §2.1), or discards.
func nextBundles(b *isa.Bundle, i int, x *cost.Instr, at map[int]int32) cost.Node {
	node := cost.Node{Instr: int32(i)}
	add := func(tag isa.Tag, off int) {
		if tag == isa.TagBreak {
			node.Ends = true
		} else if t, ok := at[off]; ok && !slices.Contains(node.Succ, t) {
			node.Succ = append(node.Succ, t)
		}
	}
	end := x.Offset + x.Size
	br, ok := b.Branch()
	jumps := ok && (br.Op == isa.BranchUncond || br.Op == isa.BranchCond && br.Cond == isa.CondAlways)
	if !jumps {
		add(b.Next, end)
	}
	if ok && (br.Op == isa.BranchUncond || br.Op == isa.BranchCond) {
		add(br.Target, end+int(br.Offset)*isa.Quad)
	}
	node.Ends = node.Ends || ok && br.Op == isa.BranchDiscard
	return node
}

// costBundle models one bundle.
func costBundle(b *isa.Bundle, g *GPU) cost.Instr {
	var x cost.Instr
	x.Issue = 1
	switch {
	case b.Tag.ALU():
		x.Pipes[pipeArithmetic] = 1 / float64(g.ArithmeticPipes)
		for u := isa.Unit(0); u < isa.NumUnits; u++ {
			if b.Has(u) {
				c := cost.Flow
				if u < isa.NumALUUnits {
					c = classOf(&b.ALU[u], u.Scalar())
				}
				x.Classes = append(x.Classes, c)
			}
		}
	case b.Tag == isa.TagLdSt:
		for i := range b.LdSt {
			if b.LdSt[i].Op != isa.LdNop {
				x.Pipes[pipeLoadStore]++
				x.Bytes += ldstBytes(&b.LdSt[i])
				x.Classes = append(x.Classes, ldstClass(&b.LdSt[i], &x))
			}
		}
	case b.Tag.Texture():
		x.Pipes[pipeTexture] = 1
		if op := b.Tex.Op; op == isa.TexSample || op == isa.TexSampleLod || op == isa.TexFetch {
			x.Texels = 1
		}
		if m := b.Tex.Mode; b.Tex.Op != isa.TexDerivative && (m == isa.TexShadow || m == isa.TexGatherShadow) {
			x.Pipes[pipeTexture] = 2
		}
		x.Classes = append(x.Classes, cost.Texture)
	}
	x.Count = len(x.Classes)
	if x.Count > 0 {
		x.Class = x.Classes[0]
	}
	return x
}

// ldstBytes is what a load/store instruction moves for a thread.
func ldstBytes(l *isa.LoadStore) int {
	sized := func(base, op isa.LdOp) int { // U8 to 128, four opcodes apart
		switch n := op - base; {
		case n < 4:
			return 1
		case n < 8:
			return 2
		case n < 12:
			return 4
		case n < 16:
			return 8
		}
		return 16
	}
	switch op := l.Op; {
	case op >= isa.LdAtomicAdd && op < isa.LdU8:
		return 4 + 4*int(op&1)
	case op >= isa.LdU8 && op < isa.LdAttrF32:
		return sized(isa.LdU8, op)
	case op >= isa.LdUboU8 && op < isa.LdImageF32:
		return sized(isa.LdUboU8, op)
	case op >= isa.StU8 && op < isa.StVaryF32:
		return sized(isa.StU8, op)
	case op >= isa.LdAttrF32:
		return 4 * bits.OnesCount8(l.Mask)
	}
	return 0
}

// ldstClass is the kind of a load/store instruction; it notes spills and arrays in private memory.
func ldstClass(l *isa.LoadStore, x *cost.Instr) cost.Class {
	switch op := l.Op; {
	case op >= isa.LdVaryF32 && op <= isa.LdVaryS32:
		return cost.Varying
	case op >= isa.LdUnpackF32 && op <= isa.LdPackS32:
		return cost.Convert
	}
	if l.Arg == spillBase && l.Op >= isa.LdU8 && l.Op < isa.LdAttrF32 || l.Arg == spillBase && l.Op >= isa.StU8 && l.Op < isa.StVaryF32 {
		x.Spill = 2
		if l.Op >= isa.StU8 {
			x.Spill = 1
		}
		if l.Index.Reg != isa.AddrZero {
			x.Spill, x.Array = 0, true
		}
	}
	return cost.Memory
}

// classOf is the kind of work of an ALU instruction.
func classOf(a *isa.ALU, scalar bool) cost.Class {
	op := a.Op
	half := a.Mode == isa.Mode16 || a.Mode == isa.Mode8
	if scalar {
		half = !a.DstFull
	}
	switch {
	case op.Is(isa.Convert):
		return cost.Convert
	case op.Is(isa.Move):
		return cost.Move
	case op.Is(isa.OneLane) && op != isa.OpFfma && bits.OnesCount16(uint16(op.Info().Units)) == 1:
		return cost.Special
	case op.Is(isa.FloatSrc | isa.FloatDst):
		if half {
			return cost.Float16
		}
		return cost.Float32
	case half:
		return cost.Int16
	}
	return cost.Int32
}
