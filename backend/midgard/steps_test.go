package midgard

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
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
	programs.Hold(t)
	steps := backend.OptionalSteps(Target{}.Steps(""))
	sets := [][]string{steps}
	for _, name := range steps {
		sets = append(sets, []string{name})
	}
	for n, set := range sets {
		for i, pl := range plans {
			opts := CompileOptions{plan: pl.name, Job: &backend.Job{Instrument: passes.NewInstrument(passes.RunOptions{VerifyEach: true, Disable: set})}}
			for seed := range gputest.Seeds(6) {
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
	programs.Hold(t)
	for _, s := range (Target{}).Steps("") {
		seen := ""
		job := &backend.Job{Dump: true, Instrument: passes.NewInstrument(passes.RunOptions{StopAfter: s.Name, DumpAfter: []string{s.Name},
			Dump: func(title, _ string) { seen = title }})}
		bin, err := held(Compile(ir.Clone(fragment(1)), CompileOptions{Job: job, plan: planWith(s.Name)}))
		if s.Name == "encode" && err == nil && len(bin.Code) > 0 {
			continue
		}
		if !errors.Is(err, backend.ErrStopped) || seen != "after "+s.Name {
			t.Errorf("cut after %s: error %v, last dump %q", s.Name, err, seen)
		}
	}
}

// planWith names the first plan that has a step, or that bundles come first in.
func planWith(name string) string {
	for _, pl := range plans {
		if pl.name != surePlan && slices.ContainsFunc(pl.steps, func(s step) bool { return s.Name == name }) {
			return pl.name
		}
	}
	return "bundles_first"
}

// What steps are printed as reads back.
func TestMachineTextReadsBack(t *testing.T) {
	programs.Hold(t)
	for seed := range gputest.Seeds(24) {
		look := func(title, text string) {
			f, p, err := readMachine(text, &gpus[0])
			if err != nil {
				t.Fatalf("%s: %v\n%s", title, err, text)
			}
			back := f.String()
			if p != nil {
				back = p.listing(f)
			}
			if back != text {
				t.Fatalf("%s:\n%s\nreads back as\n%s", title, text, back)
			}
		}
		job := &backend.Job{Dump: true, Instrument: passes.NewInstrument(passes.RunOptions{Dump: look,
			DumpAfter: []string{"isel", "dce", "coalesce", "fuse_conditions", "presched", "ra", "sched", "pipe_registers", "ra_bundles"}})}
		s := gputest.Random{Seed: seed, Size: 10 + 2*int(seed), Comps: 4}.Shader()
		if _, err := held(Compile(s, CompileOptions{Job: job, plan: plans[seed%3].name, Registers: 16 - int(seed)%3*5})); err != nil {
			t.Fatal(err)
		}
	}
}

// lowerStageText is what lower_stage makes of a shader.
func lowerStageText(name, in string) (string, error) {
	s, err := ir.Parse(in)
	if err != nil || name == "" {
		return in, err
	}
	text := ""
	o := passes.RunOptions{DumpAfter: []string{name}, VerifyEach: true, Dump: func(_, after string) {
		if text == "" { // of a geometry shader the raster program comes after it
			text = after
		}
	}}
	_, err = held(Compile(s, CompileOptions{Job: &backend.Job{Dump: true, Lists: gputest.Lists, Instrument: passes.NewInstrument(o)}}))
	return text, err
}

// TestSteps runs steps on texts. Options of a test: gpu, registers.
func TestSteps(t *testing.T) {
	programs.Hold(t)
	gputest.StepTests(t, "testdata/steps", func(name string, o gputest.StepOptions, in string) (string, error) {
		g, err := FindGPU(o["gpu"])
		if err != nil {
			return "", err
		}
		if name == "lower_stage" || strings.HasPrefix(in, "shader ") {
			return lowerStageText(name, in)
		}
		c := &compiler{gpu: g, mem: new(memory)}
		c.s, _ = gputest.NewShader(ir.StageCompute, 64)
		c.opts.Registers, _ = strconv.Atoi(o["registers"])
		if c.f, c.p, err = readMachine(in, g); err != nil || name == "" {
			return c.text(), err
		}
		list := slices.Clone(selectSteps)
		for _, pl := range plans {
			list = append(list, pl.steps...)
		}
		i := slices.IndexFunc(list, func(s step) bool { return s.Name == name })
		if i < 0 {
			return "", fmt.Errorf("no step %q", name)
		}
		err = list[i].Run(c)
		return c.text(), err
	})
}
