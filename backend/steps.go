package backend

import (
	"errors"
	"slices"

	"nirc/ir"
	"nirc/passes"
)

// StepInfo describes a machine step: one of the steps that make machine code
// of lowered IR. A target's list of them is all that dumps, times, cuts,
// bisection and the docs know of its code generator.
type StepInfo struct {
	// Name is how --dump-after and its kin call it. No pass has the same name.
	Name string `json:"name"`
	// Doc says in a sentence what it does.
	Doc string `json:"doc"`
	// After names steps that must have run before it, where they run at all.
	After []string `json:"after,omitempty"`
	// Optional steps may be left out by --disable-pass and are counted by
	// bisection: code without them is right too.
	Optional bool `json:"optional,omitempty"`
}

// Step is a machine step of a code generator whose state of one shader is a T.
type Step[T any] struct {
	StepInfo
	// Run does the work; nil if the step only marks where something else is done.
	Run func(T) error
}

// Infos lists what the steps are, in order. Of what runs several times the first is listed.
func Infos[T any](lists ...[]Step[T]) []StepInfo {
	var all []StepInfo
	for _, l := range lists {
		for i := range l {
			if !slices.ContainsFunc(all, func(o StepInfo) bool { return o.Name == l[i].Name }) {
				all = append(all, l[i].StepInfo)
			}
		}
	}
	return all
}

// ErrStopped ends a code generator whose compile was cut before its end: there
// is no code.
var ErrStopped = errors.New("no code was generated: the compile was cut before its end")

// Generator is the state of one shader in a code generator. Lowering is the shader as long as there is no machine form of it, and nil
// from then on.
type Generator interface{ Lowering() *ir.Shader }

// RunSteps runs the steps in order under the switches of the job. text gives
// the state as text; it is called only if someone looks (Job.Dump). A cut before the last step
// is ErrStopped.
func RunSteps[T Generator](job *Job, steps []Step[T], t T, text func(T) string) error {
	if job.Instrument.Plain() && !job.Dump {
		return runPlain(job, steps, t)
	}
	r := stepRunner[T]{job: job, t: t, text: text}
	if job.Dump {
		r.state = text(t)
	}
	// One description serves all steps: a small shader has as many steps as a large one.
	do := passes.Step{Print: func() string { return r.state }, Run: r.run}
	for i := range steps {
		r.step, r.ran = &steps[i], false
		do.Name, do.Optional = r.step.Name, r.step.Optional
		if _, err := job.Instrument.Do(&do); err != nil {
			return err
		}
		if !r.ran && !r.step.Optional {
			return ErrStopped
		}
	}
	return nil
}

// runPlain runs the steps while nobody looks.
func runPlain[T Generator](job *Job, steps []Step[T], t T) error {
	for i := range steps {
		outer, err := job.Instrument.Enter(steps[i].Name)
		if err != nil {
			return err
		}
		if err := steps[i].Run(t); err != nil {
			return err
		}
		job.Instrument.Leave(outer)
	}
	return nil
}

// stepRunner is a run of RunSteps: step is the one at hand, state the text before it.
type stepRunner[T Generator] struct {
	job   *Job
	t     T
	text  func(T) string
	step  *Step[T]
	ran   bool
	state string
}

// runStep runs the step at hand. Where each step is to be verified, one of the IR is.
func (r *stepRunner[T]) runStep() error {
	if s := r.t.Lowering(); s != nil && r.job.Instrument.VerifyEach() {
		return passes.VerifyStep(r.step.Name, s, func() error { return r.step.Run(r.t) })
	}
	return r.step.Run(r.t)
}

// run runs the step at hand, and reports whether it changed the text if anybody looks at that.
func (r *stepRunner[T]) run() (bool, error) {
	r.ran = true
	if err := r.runStep(); err != nil || !r.job.Dump {
		return true, err
	}
	before := r.state
	r.state = r.text(r.t)
	return before != r.state, nil
}

// OptionalSteps names the steps that may be left out.
func OptionalSteps(steps []StepInfo) []string {
	var names []string
	for i := range steps {
		if steps[i].Optional {
			names = append(names, steps[i].Name)
		}
	}
	return names
}
