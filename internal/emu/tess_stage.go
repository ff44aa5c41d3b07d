package emu

import (
	"errors"
	"fmt"
	"math"

	"nirc/ir"
)

// tessStage runs the two tessellation stages with the tessellator between
// them. Patches that share a wave of the control stage go together.
type tessStage struct {
	d          *drawer
	ctrl, eval Program
	mode       TessIO
	gen        tessellator
	verts      int // control stage invocations a patch
	together   int // patches a wave of the control stage
	patches    []Patch
	n          int // of them in use
	ctrlLanes  []TessCtrlLane
	evalLanes  []TessEvalLane
	launches   []Launch
	waves      []Wave
	waiting    []bool
	slots      []Slots // outputs of the evaluation stage
	launch     Launch
	races      groupRaces // of the patches that run; without a log nobody looks
	before     uint64     // patches before those
}

func newTessStage(d *drawer) *tessStage {
	m := d.p.tessMode()
	t := &tessStage{d: d, ctrl: d.p.TessCtrl, eval: d.p.TessEval, mode: m, gen: tessellator{mode: m}, verts: int(m.OutputVertices)}
	t.together = max(1, t.ctrl.WaveSize()/t.verts)
	t.patches = make([]Patch, t.together)
	for i := range t.patches {
		t.patches[i].Out = make([]Slots, t.verts)
	}
	if d.params.Check {
		t.races.log = newRaceLog(d.p.Env)
	}
	return t
}

// add takes a patch; v is the stage's until the next flush.
func (t *tessStage) add(v []*Slots, id uint32) error {
	p := &t.patches[t.n]
	p.In, p.PrimitiveID, p.ViewIndex, p.Memory = v, id, t.d.view, nil
	t.d.garbage.fillSlots(p.Out, ir.NumVaryingSlots)
	for k := range p.PerPatch {
		t.d.garbage.FillWords(p.PerPatch[k][:])
	}
	if t.n++; t.n < t.together {
		return nil
	}
	return t.flush()
}

// flush runs the patches collected so far.
func (t *tessStage) flush() error {
	if t.n == 0 {
		return nil
	}
	if err := t.control(); err != nil {
		return fmt.Errorf("tessellation control stage: %w", err)
	}
	for i := range t.n {
		if err := t.patch(&t.patches[i]); err != nil {
			return err
		}
	}
	t.n = 0
	return nil
}

// control runs the control stage of the patches: several in one wave, or one in
// several waves.
func (t *tessStage) control() error {
	t.ctrlLanes = t.ctrlLanes[:0]
	for i := range t.n {
		for k := range t.verts {
			t.ctrlLanes = append(t.ctrlLanes, TessCtrlLane{Patch: &t.patches[i], InvocationID: uint32(k)})
		}
	}
	size := t.ctrl.WaveSize()
	count := (len(t.ctrlLanes) + size - 1) / size
	if len(t.launches) < count {
		t.launches, t.waves, t.waiting = make([]Launch, count), make([]Wave, count), make([]bool, count)
	}
	if t.races.log != nil {
		t.races.startPatches(t.before, t.n, t.verts, count, size)
		t.before += uint64(t.n)
	}
	for w := range count {
		lanes := t.ctrlLanes[w*size : min((w+1)*size, len(t.ctrlLanes))]
		t.launches[w] = Launch{Env: t.d.p.Env, NumLanes: len(lanes), Check: t.d.params.Check, Approx: t.d.params.ApproxSeed(), Seed: t.d.garbage.Long(), swap: t.d.swaps.of(ir.StageTessCtrl), TessCtrl: lanes}
		if t.races.log != nil {
			t.launches[w].Races = &t.races.waves[w]
		}
		t.waves[w] = t.ctrl.NewWave(&t.launches[w])
		t.waiting[w] = false
		t.d.stats.Waves++
	}
	return t.runGroup(t.waves[:count])
}

// runGroup runs waves that share barriers to their end.
func (t *tessStage) runGroup(waves []Wave) error {
	m := t.d.meter
	for live := len(waves); live > 0; {
		standing := 0
		order := newShuffle(t.d.garbage.Long(), uint64(len(waves)))
		for k := range waves {
			i := int(order.at(uint64(k)))
			w := waves[i]
			if w == nil {
				continue
			}
			if t.waiting[i] {
				standing++
				continue
			}
			lanes := t.launches[i].NumLanes
			fuel := m.slice(lanes, order.seed)
			st, err := w.Run(fuel)
			if err == nil && t.races.log != nil {
				err = t.races.log.failed()
			}
			if err != nil {
				return err
			}
			switch st {
			case StatusDone:
				waves[i] = nil
				live--
				err = m.ended(&t.launches[i])
			case StatusBarrier:
				t.waiting[i] = true
				standing++
				err = m.ended(&t.launches[i])
			default:
				err = m.yielded(lanes, fuel)
			}
			if err != nil {
				return err
			}
		}
		if live > 0 && standing == live {
			clear(t.waiting)
			t.races.barrier()
		}
		if err := m.poll(); err != nil {
			return err
		}
	}
	return nil
}

// level reads a tessellation level.
func (p *Patch) level(s ir.Slot, i int) float32 { return math.Float32frombits(p.PerPatch[s][i]) }

// patch divides a patch, shades the vertices and hands the primitives on.
func (t *tessStage) patch(p *Patch) error {
	var outer [4]float32
	for i := range outer {
		outer[i] = p.level(ir.SlotTessLevelOuter, i)
	}
	t.gen.patch(outer, [2]float32{p.level(ir.SlotTessLevelInner, 0), p.level(ir.SlotTessLevelInner, 1)})
	n := len(t.gen.points)
	if n == 0 {
		return nil
	}
	if cap(t.slots) < n {
		t.slots = make([]Slots, n)
	}
	t.slots = t.slots[:n]
	t.d.garbage.fillSlots(t.slots, ir.NumVaryingSlots)
	if err := t.evaluate(p); err != nil {
		return fmt.Errorf("tessellation evaluation stage: %w", err)
	}
	size := tessPrimVertices(&t.mode)
	if len(t.gen.index)%size != 0 {
		return errors.New("emu: the tessellator gave a part of a primitive")
	}
	for at := 0; at < len(t.gen.index); at += size {
		v := make([]*Slots, size)
		for k := range v {
			v[k] = &t.slots[t.gen.index[at+k]]
		}
		var err error
		if t.d.geom != nil {
			err = t.d.geom.add(v, p.PrimitiveID)
		} else {
			err = t.d.rasterise(v, size, p.PrimitiveID)
		}
		if err != nil {
			return err
		}
	}
	if t.d.geom != nil {
		return t.d.geom.flush()
	}
	// The fragments in flight point at the patch's vertices.
	return t.d.frag.drain()
}

// evaluate runs the evaluation stage on the points of a patch.
func (t *tessStage) evaluate(p *Patch) error {
	size := t.eval.WaveSize()
	for first := 0; first < len(t.gen.points); first += size {
		points := t.gen.points[first:min(first+size, len(t.gen.points))]
		t.evalLanes = t.evalLanes[:0]
		for _, c := range points {
			t.evalLanes = append(t.evalLanes, TessEvalLane{Patch: p, Coord: c})
		}
		t.launch = Launch{Env: t.d.p.Env, NumLanes: len(points), Check: t.d.params.Check, Approx: t.d.params.ApproxSeed(), Seed: t.d.garbage.Long(), swap: t.d.swaps.of(ir.StageTessEval), Draw: t.d.p, Viewport: t.d.viewport, TessEval: t.evalLanes, Out: t.slots[first : first+len(points)]}
		if err := t.d.runWave(t.eval.NewWave(&t.launch), &t.launch); err != nil {
			return err
		}
	}
	return nil
}
