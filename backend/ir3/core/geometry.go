package core

import (
	"nirc/backend/ir3/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// threads is the number of threads of a geometry invocation: one for each
// vertex that it may emit.
func (p *program) threads() int { return max(1, int(p.meta.Chain.Geom.MaxVertices)) }

// prims is the number of invocations that the wave's threads belong to.
func (w *wave) prims() int {
	return (w.firstThread+w.n-1)/w.p.threads() - w.firstPrim + 1
}

// geometryWave runs the threads of a geometry launch, in as many waves as they
// take, and puts together what they emit.
type geometryWave struct {
	p     *program
	l     *emu.Launch
	first int // thread
	cur   *wave
	outs  []emu.Slots
}

func (p *program) newGeometryWave(l *emu.Launch) emu.Wave {
	return &geometryWave{p: p, l: l, outs: make([]emu.Slots, min(p.size, l.NumLanes*p.threads()))}
}

// Run executes the waves one after the other.
func (g *geometryWave) Run(fuel int) (emu.Status, error) {
	ran := 0
	total := min(g.l.NumLanes, len(g.l.Geometry)) * g.p.threads()
	for g.first < total {
		if g.cur == nil {
			w := g.p.newWave(g.l, min(g.p.size, total-g.first))
			w.firstThread, w.firstPrim = g.first, g.first/g.p.threads()
			clear(g.outs)
			w.out = g.outs
			g.cur = w
		}
		if ran >= fuel {
			return emu.StatusYield, nil
		}
		st, err := g.cur.Run(fuel - ran)
		ran += g.l.Ran
		g.l.Ran = ran
		if err != nil || st != emu.StatusDone {
			return st, err
		}
		g.take(g.cur)
		g.first += g.cur.n
		g.cur = nil
	}
	return emu.StatusDone, nil
}

// take hands the vertices of the threads that have one to their invocations,
// in the order of the threads.
func (g *geometryWave) take(w *wave) {
	for t := range w.n {
		if !w.emitted.Get(t) {
			continue
		}
		e := g.l.Geometry[(w.firstThread+t)/g.p.threads()].Emitted
		flags := w.flags[t]
		stream := int(flags & abi.FlagStream)
		if flags&abi.FlagCut != 0 {
			e.EndPrimitiveOf(stream)
		}
		e.EmitTo(stream, &g.outs[t])
	}
}

// emitVertex notes what a geometry thread that ends leaves.
func (w *wave) emitVertex(lane int) {
	if w.killed.Get(lane) {
		return
	}
	w.emitted.Set(lane)
	w.flags[lane] = abi.FlagCut
	for i := range w.p.meta.Outputs {
		if o := &w.p.meta.Outputs[i]; o.VertexFlags {
			w.flags[lane] = uint8(w.laneGet(o.Reg, lane, o.Half))
		}
	}
}

func isGeometry(p *program) bool { return p.meta.Stage == ir.StageGeometry }

// chainIO fills the part of the stage's interface that the geometry pipeline has.
func (p *program) chainIO() {
	c := &p.meta.Chain
	p.io.Tess = emu.TessIO{OutputVertices: c.Tess.OutputVertices, Domain: c.Tess.Domain, Spacing: c.Tess.Spacing, CCW: c.Tess.CCW, PointMode: c.Tess.PointMode}
	p.io.Geom = emu.GeomIO{Invocations: c.Geom.Invocations, MaxVertices: c.Geom.MaxVertices, InPrimitive: c.Geom.InPrimitive, OutPrimitive: c.Geom.OutPrimitive}
	if f := p.meta.Feedback; f != nil {
		p.io.Captures, p.io.XfbStrides = f.Captures, f.Strides
	}
	for _, o := range c.Locations {
		p.io.Outputs = append(p.io.Outputs, emu.OutputSlot{Slot: o.Slot, Mask: o.Mask, Patch: o.Patch})
	}
}
