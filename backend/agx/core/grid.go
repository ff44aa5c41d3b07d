package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// Grid is a draw whose vertex shader runs as compute, before the stages that
// a driver builds of compute shaders. RunGrid plays the driver.
type Grid struct {
	// Pipeline has the environment and the vertex buffers.
	Pipeline *emu.Pipeline
	Draw     emu.DrawParams
	// Inputs gives the attributes of a vertex to a program without a prolog.
	Inputs func(v *emu.VertexLane) []emu.Vec4
}

// gridWave is the place of a wave in the grid, and what the driver gives it.
type gridWave struct {
	first, instance   uint32
	assembly, records uint64
	vertices          uint32
	own               bool             // of one launch, see ownGrid
	lanes             []emu.VertexLane // of that launch
}

// RunGrid runs a vertex program with abi.Meta.Next on the grid of a draw and
// returns the records, instance by instance: what a vertex left in each slot of the
// record, zeros where nothing was stored.
func RunGrid(ctx context.Context, prog emu.Program, g *Grid) ([]emu.Slots, error) {
	p, ok := prog.(*program)
	if !ok || p.meta.Next == ir.StageNone {
		return nil, errors.New("agx core: the program is no vertex shader that runs as compute")
	}
	if g.Pipeline == nil || g.Pipeline.Env == nil || g.Pipeline.Env.Mem == nil {
		return nil, errors.New("agx core: the draw has no environment")
	}
	records, err := g.run(ctx, p)
	if err != nil {
		return nil, err
	}
	return readRecords(g.Pipeline.Env.Mem, records, int(g.Draw.VertexCount)*int(g.Draw.InstanceCount), p.meta.Record), nil
}

// run runs a vertex program on the grid and returns the address of the records.
func (g *Grid) run(ctx context.Context, p *program) (uint64, error) {
	n := uint64(g.Draw.VertexCount) * uint64(g.Draw.InstanceCount)
	if n > 1<<20 {
		return 0, fmt.Errorf("agx core: a draw of %d vertices is not supported", n)
	}
	records := g.Pipeline.Env.Mem.Alloc(int(n) * 16 * len(p.meta.Record))
	at := gridWave{assembly: g.assembly(), records: records.Addr, vertices: g.Draw.VertexCount}
	for at.instance = range g.Draw.InstanceCount {
		for at.first = 0; at.first < g.Draw.VertexCount; at.first += lanes {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			if err := g.wave(p, at); err != nil {
				return 0, err
			}
		}
	}
	return records.Addr, nil
}

// readRecords reads n records of some slots from an address on.
func readRecords(mem *emu.Memory, addr uint64, n int, slots []ir.Slot) []emu.Slots {
	out := make([]emu.Slots, n)
	for i := range out {
		for _, slot := range slots {
			for c := range out[i][slot] {
				out[i][slot][c] = uint32(mem.Load(addr, 4))
				addr += 4
			}
		}
	}
	return out
}

// assembly makes the input assembly block and returns its address, 0 of a
// draw without indices.
func (g *Grid) assembly() uint64 {
	b := g.Draw.Index
	if b == nil {
		return 0
	}
	mem := g.Pipeline.Env.Mem
	var data []byte
	if from := uint64(g.Draw.FirstVertex) * uint64(b.Bytes); from < uint64(len(b.Data)) {
		data = b.Data[from:]
	}
	indices, block := mem.Alloc(max(len(data), 4)), mem.Alloc(abi.AssemblySize)
	copy(indices.Data, data)
	binary.LittleEndian.PutUint64(block.Data[abi.AssemblyIndices:], indices.Addr)
	binary.LittleEndian.PutUint32(block.Data[abi.AssemblyRange:], uint32(len(data)/b.Bytes))
	return block.Addr
}

// wave runs the invocations of one wave.
func (g *Grid) wave(p *program, at gridWave) error {
	n := int(min(g.Draw.VertexCount-at.first, lanes))
	l := &emu.Launch{Env: g.Pipeline.Env, NumLanes: n, Check: g.Draw.Check, Draw: g.Pipeline, Out: make([]emu.Slots, n)}
	for lane := range n {
		l.Vertex = append(l.Vertex, g.vertex(at.first+uint32(lane), at.instance))
		if g.Inputs != nil {
			l.Inputs = append(l.Inputs, g.Inputs(&l.Vertex[lane]))
		}
	}
	w := p.newWave(l)
	w.grid = &at
	return w.whole(g.Draw.Budget)
}

// whole runs a wave that has no barriers to its end, with a budget of instructions (0 is
// emu's own).
func (w *wave) whole(budget uint64) error {
	if budget == 0 {
		budget = emu.DefaultBudget
	}
	st, err := w.Run(int(min(budget, math.MaxInt32)))
	switch {
	case err != nil:
		return err
	case st == emu.StatusYield:
		return emu.ErrTimeout
	case st == emu.StatusBarrier:
		return errors.New("agx core: a shader that a driver builds in stands at a barrier")
	}
	return nil
}

// vertex is the n-th vertex of an instance as Vulkan counts.
func (g *Grid) vertex(n, instance uint32) emu.VertexLane {
	d := &g.Draw
	v := emu.VertexLane{VertexIndex: d.FirstVertex + n, BaseVertex: d.FirstVertex, DrawIndex: d.DrawIndex,
		InstanceIndex: d.FirstInstance + instance, BaseInstance: d.FirstInstance}
	if b := d.Index; b != nil {
		v.IsIndexed, v.BaseVertex, v.VertexIndex = true, uint32(d.VertexOffset), uint32(d.VertexOffset)
		if from := (uint64(d.FirstVertex) + uint64(n)) * uint64(b.Bytes); from+uint64(b.Bytes) <= uint64(len(b.Data)) {
			v.VertexIndex += uint32(emu.LoadBytes(b.Data[from:], b.Bytes))
		}
	}
	return v
}

// special is a special register of a vertex shader that runs as compute.
func (g *gridWave) special(sr, lane int) (uint32, bool) {
	switch sr {
	case srGlobalID:
		return g.first + uint32(lane), true
	case srGlobalID + 1:
		if lane < len(g.lanes) {
			return g.lanes[lane].InstanceIndex - g.lanes[lane].BaseInstance, true
		}
		return g.instance, true
	case srGlobalID + 2:
		return 0, true
	}
	return 0, false
}

// fill fills the uniforms that only such shaders have; false if k is none of them.
func (g *gridWave) fill(k abi.UniformKind, to []uint32) bool {
	addr := func(a uint64) { to[0], to[1] = uint32(a), uint32(a>>32) }
	switch k {
	case abi.UniformAssembly:
		addr(g.assembly)
	case abi.UniformRecords:
		addr(g.records)
	case abi.UniformGridVertices:
		to[0] = g.vertices
	default:
		return false
	}
	return true
}
