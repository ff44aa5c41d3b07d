package agx

import (
	"fmt"
	"testing"

	"nirc/backend"
	"nirc/backend/agx/core"
	"nirc/backend/gputest"
	"nirc/ir"
	"nirc/passes"
)

// without is a compile that leaves steps out.
func without(names ...string) *backend.Job {
	return &backend.Job{Lists: gputest.Lists, Instrument: passes.NewInstrument(passes.RunOptions{VerifyEach: true, Disable: names})}
}

// Steps stand after those that they name, and no step has the name of a pass.
func TestStepOrder(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range (Target{}).Steps("") {
		if seen[s.Name] || s.Doc == "" {
			t.Errorf("step %s stands twice or says nothing", s.Name)
		}
		if passes.Find(s.Name) != nil {
			t.Errorf("step %s has the name of a pass", s.Name)
		}
		for _, a := range s.After {
			if !seen[a] {
				t.Errorf("step %s comes before %s", s.Name, a)
			}
		}
		seen[s.Name] = true
	}
}

// Code without a step that is optional, and without all of them, is right too.
func TestWithoutOptionalSteps(t *testing.T) {
	programs.Hold(t)
	var all []string
	var cases [][]string
	for _, s := range (Target{}).Steps("") {
		if s.Optional {
			all = append(all, s.Name)
			cases = append(cases, []string{s.Name})
		}
	}
	if len(all) < 10 {
		t.Fatalf("%d optional steps", len(all))
	}
	for _, names := range append(cases, all) {
		t.Run(fmt.Sprint(names), func(t *testing.T) {
			for seed := range gputest.Seeds(12) {
				s := gputest.Random{Seed: seed, Size: 20 + int(seed)*5, Comps: 1, Halves: true}.Shader()
				opts := CompileOptions{Job: without(names...)}
				if seed%3 == 0 {
					opts.Halves = 60
				}
				bin, err := held(Compile(ir.Clone(s), opts))
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				p, err := core.Load(bin.Code, &bin.Meta)
				if err != nil {
					t.Fatal(err)
				}
				r := &gputest.Run{Groups: 2, In: gputest.RandomInput(seed, 128), OutSize: 128 * gputest.OutBytes, Wave: 32}
				if err := r.Differ(s, p, func() string { return "" }, nil); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}
