package midgard

import (
	"errors"
	"slices"
	"testing"

	"nirc/backend"
	"nirc/ir"
	"nirc/passes"
)

// The steps are named and described, and no plan runs one before what it needs.
func TestStepsAreInOrder(t *testing.T) {
	for _, pl := range plans {
		list := backend.Infos(lowerSteps, selectSteps, pl.steps, encodeSteps)
		for i, s := range list {
			if s.Doc == "" || passes.Find(s.Name) != nil {
				t.Errorf("%s: documented as %q, a pass of that name: %v", s.Name, s.Doc, passes.Find(s.Name) != nil)
			}
			for _, a := range s.After {
				if is := func(o backend.StepInfo) bool { return o.Name == a }; slices.ContainsFunc(list, is) && !slices.ContainsFunc(list[:i], is) {
					t.Errorf("%s: %s runs before %s", pl.name, s.Name, a)
				}
				if !slices.ContainsFunc(Target{}.Steps(""), func(o backend.StepInfo) bool { return o.Name == a }) {
					t.Errorf("%s wants %s before it, which is no step", s.Name, a)
				}
			}
		}
	}
}

// Without any optional step, and without all of them, code is right by every plan.
func TestOptionalStepsMayBeLeftOut(t *testing.T) {
	steps := backend.OptionalSteps(Target{}.Steps(""))
	sets := [][]string{steps}
	for _, name := range steps {
		sets = append(sets, []string{name})
	}
	for n, set := range sets {
		for i, pl := range plans {
			opts := CompileOptions{plan: pl.name, Job: &backend.Job{Instrument: passes.NewInstrument(passes.RunOptions{VerifyEach: true, Disable: set})}}
			for seed := range int64(6) {
				opts.GPU = gpus[(int(seed)+n)%len(gpus)].Name
				opts.Registers = 16 - int(seed)%3*5
				bin := executeRandom(t, 5000+100*int64(n)+10*int64(i)+seed, 10+int(seed)*12, opts)
				if n == 0 && len(bin.Code) == 0 {
					t.Error("no code")
				}
			}
		}
	}
}

// A compile that is cut after a step has no code, but where that is the last.
func TestStepsCanBeCut(t *testing.T) {
	for _, s := range (Target{}).Steps("") {
		seen := ""
		job := &backend.Job{Dump: true, Instrument: passes.NewInstrument(passes.RunOptions{StopAfter: s.Name, DumpAfter: []string{s.Name},
			Dump: func(title, _ string) { seen = title }})}
		bin, err := Compile(ir.Clone(fragment(1)), CompileOptions{Job: job, plan: "bundles_first"})
		if s.Name == "encode" && err == nil && len(bin.Code) > 0 {
			continue
		}
		if !errors.Is(err, backend.ErrStopped) || seen != "after "+s.Name {
			t.Errorf("cut after %s: error %v, last dump %q", s.Name, err, seen)
		}
	}
}
