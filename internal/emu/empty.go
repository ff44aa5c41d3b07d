package emu

import "fmt"

// EarlyRunner is a Program of which hardware may run a part, its preamble, for a dispatch of no workgroups too.
type EarlyRunner interface {
	// RunsEarly reports whether there is such a part. A compute launch of no lanes runs it.
	RunsEarly() bool
}

// empty runs what a program has before its workgroups where there are none: nothing promises then that indices and pointers are
// good, and what reads by them is an error.
func (d *dispatcher) empty() error {
	if e, ok := d.prog.(EarlyRunner); !ok || !e.RunsEarly() || !d.params.Check {
		return nil
	}
	seed := d.params.seed()
	w := d.prog.NewWave(&Launch{Env: d.env, Check: true, Approx: d.params.ApproxSeed(), Seed: seed,
		Compute: &ComputeLaunch{NumWorkgroups: d.params.Groups, BaseWorkgroupID: d.params.Base, NumSubgroups: uint32(d.waves)}})
	for {
		st, err := w.Run(d.meter.fuel(1))
		switch {
		case err != nil:
			return fmt.Errorf("without a workgroup: %w", err)
		case st == StatusDone:
			return nil
		}
		if err := d.meter.yielded(1, sliceFuel); err != nil {
			return err
		}
	}
}
