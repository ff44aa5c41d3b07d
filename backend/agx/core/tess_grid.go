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

// Tessellation is a draw with tessellation as a driver runs it: each stage on
// the whole draw, joined to the one before by what the metadata say of its records.
// RunTessellation plays the driver.
type Tessellation struct {
	// Grid is the draw of the vertex shader.
	Grid Grid
	// PatchVertices is the number of vertices of an input patch.
	PatchVertices               int
	Vertex, Control, Evaluation emu.Program
	// Points is the tessellator: TessCoord of the points of a patch.
	Points func(p *emu.Patch) [][3]float32
}

// tessDraw is such a draw under way.
type tessDraw struct {
	*Tessellation
	ctx                   context.Context
	vertex, control, eval *program
	driver                *driverMemory
	patches               []emu.Patch
	perInstance           uint32
	first                 []int // by patch: its first point
	ids                   []uint32
}

// RunTessellation returns the patches that the control shader leaves, instance by instance,
// and for each the outputs of its points. The evaluation shader may be one that runs as compute.
func RunTessellation(ctx context.Context, t *Tessellation) ([]emu.Patch, [][]emu.Slots, error) {
	d := &tessDraw{Tessellation: t, ctx: ctx, driver: &driverMemory{}}
	for _, p := range []struct {
		prog  emu.Program
		to    **program
		stage ir.Stage
	}{{t.Vertex, &d.vertex, ir.StageVertex}, {t.Control, &d.control, ir.StageTessCtrl}, {t.Evaluation, &d.eval, ir.StageTessEval}} {
		prog, ok := p.prog.(*program)
		if !ok || prog.api != p.stage {
			return nil, nil, fmt.Errorf("agx core: the draw has no %s program", p.stage)
		}
		*p.to = prog
	}
	switch g := &t.Grid; {
	case g.Pipeline == nil || g.Pipeline.Env == nil || g.Pipeline.Env.Mem == nil:
		return nil, nil, errors.New("agx core: the draw has no environment")
	case d.vertex.meta.Next != ir.StageTessCtrl:
		return nil, nil, errors.New("agx core: the vertex program is none for compute")
	case t.PatchVertices < 1 || t.PatchVertices > emu.MaxPatchVertices:
		return nil, nil, fmt.Errorf("agx core: patches of %d vertices are not supported", t.PatchVertices)
	case d.control.meta.WorkgroupSize[0] == 0 || d.control.meta.WorkgroupSize[0] > lanes:
		return nil, nil, fmt.Errorf("agx core: a workgroup of %d lanes is not supported", d.control.meta.WorkgroupSize[0])
	}
	if err := d.runControl(); err != nil {
		return nil, nil, err
	}
	out, err := d.runEvaluation()
	return d.patches, out, err
}

// slotMask is the mask of a list of slots.
func slotMask(list []ir.Slot) (mask uint64) {
	for _, s := range list {
		mask |= 1 << s
	}
	return mask
}

// runControl runs the vertex shader and, for each patch, a workgroup of the control shader.
func (d *tessDraw) runControl() error {
	draw, env, m := &d.Grid.Draw, d.Grid.Pipeline.Env, d.control.meta
	records, err := d.Grid.run(d.ctx, d.vertex)
	if err != nil {
		return err
	}
	d.perInstance = draw.VertexCount / uint32(d.PatchVertices)
	n := int(d.perInstance) * int(draw.InstanceCount)
	size, vertices := abi.PatchWords(m.PatchSlots, len(m.Record), int(m.WorkgroupSize[0])), m.WorkgroupSize[0]
	patches := env.Mem.Alloc(4 * size * n)
	u := d.driver
	u.uniform(abi.UniformRecords, records)
	u.uniform(abi.UniformRecordSlots, slotMask(d.vertex.meta.Record))
	u.uniform(abi.UniformGridVertices, uint64(draw.VertexCount))
	u.uniform(abi.UniformPatchVertices, uint64(d.PatchVertices))
	u.uniform(abi.UniformPatchCount, uint64(d.perInstance))
	u.uniform(abi.UniformPatches, patches.Addr)
	for k := range uint32(n) {
		c := &emu.ComputeLaunch{WorkgroupID: [3]uint32{k % d.perInstance, k / d.perInstance, 0},
			NumWorkgroups: [3]uint32{d.perInstance, draw.InstanceCount, 1}, NumSubgroups: 1}
		for lane := range vertices {
			c.LocalID = append(c.LocalID, [3]uint32{lane, 0, 0})
		}
		if err := d.run(d.control, &emu.Launch{NumLanes: int(vertices), Compute: c}); err != nil {
			return err
		}
	}
	for k := range n {
		at := patches.Addr + uint64(4*size*k)
		p := emu.Patch{PrimitiveID: uint32(k) % d.perInstance}
		word := func() uint32 {
			at += 4
			return uint32(env.Mem.Load(at-4, 4))
		}
		for c := range 4 {
			p.PerPatch[ir.SlotTessLevelOuter][c] = word()
		}
		for c := range 2 {
			p.PerPatch[ir.SlotTessLevelInner][c] = word()
		}
		for s := range m.PatchSlots {
			for c := range 4 {
				p.PerPatch[int(ir.SlotPatch0)+s][c] = word()
			}
		}
		p.Out = readRecords(env.Mem, at, int(vertices), m.Record)
		d.patches = append(d.patches, p)
	}
	return nil
}

// run runs a wave with the uniforms of the draw.
func (d *tessDraw) run(p *program, l *emu.Launch) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	l.Env, l.Check, l.Approx = d.Grid.Pipeline.Env, d.Grid.Draw.Check, d.Grid.Draw.ApproxSeed()
	w := p.newWave(l)
	w.driver = d.driver
	if p.meta.Next != ir.StageNone {
		w.ownGrid()
	}
	return w.whole(d.Grid.Draw.Budget)
}

// runEvaluation leaves the points where the shader finds them and runs it on them.
func (d *tessDraw) runEvaluation() ([][]emu.Slots, error) {
	m, mem := d.control.meta, d.Grid.Pipeline.Env.Mem
	var points []byte
	for k := range d.patches {
		d.first = append(d.first, len(d.ids))
		list := d.Points(&d.patches[k])
		if len(list) > 1<<abi.PatchShift || k >= 1<<(32-abi.PatchShift) {
			return nil, fmt.Errorf("agx core: %d points of patch %d are not supported", len(list), k)
		}
		for i, c := range list {
			d.ids = append(d.ids, uint32(k)<<abi.PatchShift|uint32(i))
			for _, x := range c[:2] {
				points = binary.LittleEndian.AppendUint32(points, uint32(math.RoundToEven(float64(x)*(1<<abi.PointShift))))
			}
		}
	}
	first, at := mem.Alloc(4*len(d.patches)+4), mem.Alloc(len(points)+8)
	for k, n := range d.first {
		binary.LittleEndian.PutUint32(first.Data[4*k:], uint32(n))
	}
	copy(at.Data, points)
	u := d.driver
	u.uniform(abi.UniformPatchPoints, first.Addr)
	u.uniform(abi.UniformTessPoints, at.Addr)
	u.uniform(abi.UniformPatchRecord, slotMask(m.Record))
	u.uniform(abi.UniformPatchSlots, uint64(m.PatchSlots))
	u.uniform(abi.UniformPatchVertices, uint64(m.WorkgroupSize[0]))
	out := make([]emu.Slots, len(d.ids))
	for from := 0; from < len(d.ids); from += lanes {
		n := min(lanes, len(d.ids)-from)
		l := &emu.Launch{NumLanes: n, Out: out[from : from+n]}
		for _, id := range d.ids[from : from+n] {
			l.Vertex = append(l.Vertex, emu.VertexLane{VertexIndex: id, IsIndexed: true})
		}
		if err := d.run(d.eval, l); err != nil {
			return nil, err
		}
	}
	list := make([][]emu.Slots, len(d.patches))
	for k := range list {
		end := len(out)
		if k+1 < len(d.first) {
			end = d.first[k+1]
		}
		list[k] = out[d.first[k]:end]
	}
	return list, nil
}
