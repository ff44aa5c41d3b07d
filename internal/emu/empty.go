package emu

import "fmt"

// EarlyRunner is a Program of which hardware may run a part, its preamble, for a dispatch of no workgroups too, or a draw that shades nothing.
type EarlyRunner interface {
	// RunsEarly reports whether there is such a part. A launch of no lanes runs it; of a draw it has one lane more than it counts, with what
	// all lanes of the draw have in common.
	RunsEarly() bool
}

// runsEarly reports whether a program is one of which a part may run for nothing.
func runsEarly(p Program) bool {
	e, ok := p.(EarlyRunner)
	return ok && e.RunsEarly()
}

// empty runs what a program has before its workgroups where there are none: nothing promises then that indices and pointers are
// good, and what reads by them is an error.
func (d *dispatcher) empty() error {
	if !d.params.Check || !runsEarly(d.prog) {
		return nil
	}
	seed := d.params.seed()
	w := d.prog.NewWave(&Launch{Env: d.env, Check: true, Approx: d.params.ApproxSeed(), Seed: seed,
		Compute: &ComputeLaunch{NumWorkgroups: d.params.Groups, BaseWorkgroupID: d.params.Base, NumSubgroups: uint32(d.waves)}})
	if err := runEmpty(w, d.meter); err != nil {
		return fmt.Errorf("without a workgroup: %w", err)
	}
	return nil
}

// runEmpty runs a wave without lanes to its end.
func runEmpty(w Wave, m *meter) error {
	for {
		if st, err := w.Run(m.fuel(1)); err != nil || st == StatusDone {
			return err
		}
		if err := m.yielded(1, sliceFuel); err != nil {
			return err
		}
	}
}

// empty is the same of the vertex and the fragment program of a draw of which no invocation ran.
func (d *drawer) empty() error {
	if !d.params.Check {
		return nil
	}
	l := Launch{Env: d.p.Env, Check: true, Approx: d.params.ApproxSeed(), Seed: d.params.seed(), Draw: d.p, Out: make([]Slots, 1)}
	if d.stats.VertexInvocations == 0 && runsEarly(d.p.Vertex) {
		v := l
		v.Viewport, v.Vertex, v.Inputs = d.viewport, []VertexLane{d.firstLane(0)}, [][]Vec4{make([]Vec4, d.fetcher.slots)}
		if err := runEmpty(d.p.Vertex.NewWave(&v), d.meter); err != nil {
			return fmt.Errorf("vertex stage, without an invocation: %w", err)
		}
	}
	if d.stats.FragmentInvocations == 0 && d.p.Fragment != nil && !d.p.Raster.Discard && runsEarly(d.p.Fragment) {
		l.Fragment = make([]FragmentLane, 1)
		if err := runEmpty(d.p.Fragment.NewWave(&l), d.meter); err != nil {
			return fmt.Errorf("fragment stage, without an invocation: %w", err)
		}
	}
	return nil
}
