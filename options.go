package nirc

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"nirc/backend"
	"nirc/frontend/spirv"
	"nirc/ir"
	"nirc/passes"
)

//go:embed pipeline.yaml
var pipelineFile []byte

// DefaultPipelines returns the passes of every target, from the pipeline.yaml
// that is part of the compiler.
var DefaultPipelines = sync.OnceValues(func() (*passes.Pipelines, error) {
	return passes.Load(pipelineFile, "pipeline.yaml")
})

// PipelineFile returns the text of the default pipeline.yaml, to be copied
// and changed.
func PipelineFile() []byte { return append([]byte(nil), pipelineFile...) }

// Options say what to compile and how. The zero value compiles the module's
// only entry point for DefaultTarget without optimisation.
type Options struct {
	// File names the input in diagnostics.
	File string
	// Target is a name that Targets lists, or IRTarget; "" is DefaultTarget.
	Target string
	// GPU is one of the target's; "" is its first.
	GPU string
	// Entry is the entry point; "" is the only one of the stage, or main. Stage
	// narrows the choice.
	Entry string
	Stage ir.Stage
	// Spec are the values of specialization constants; see Module.Spec.
	Spec  []spirv.SpecValue
	Level passes.Level
	// Debug keeps source lines in the object.
	Debug bool
	// ABI is the target's calling convention where it has several.
	ABI string
	// Next is the stage that follows in the pipeline, none if that is not known:
	// ir3's tessellation control and geometry shaders go on with the threads of
	// the stage before, which then leaves its outputs in memory; on AGX a vertex
	// or tessellation evaluation shader before them becomes a program for compute.
	Next ir.Stage
	// Pipelines takes the place of DefaultPipelines if not nil, Passes that of
	// both: a single list of passes for any target.
	Pipelines *passes.Pipelines
	Passes    *passes.Pipeline
	// Run dumps, times, verifies and bisects. The translation is the step
	// "translate"; its dump before is the module's assembly.
	Run passes.RunOptions
	// PrintCFG shows blocks' predecessors and successors in dumps.
	PrintCFG bool
}

// OptionalSteps lists the steps of a target's code generator that
// RunOptions.Disable may leave out, as it may passes that are Optional.
func OptionalSteps(target string) []string {
	b, err := Backend(target)
	if err != nil {
		return nil
	}
	return backend.OptionalSteps(b.Steps(""))
}

// checkSteps refuses names of passes that there are not, where a wrong name
// would silently change what is compiled. back is the target, nil of IRTarget.
func checkSteps(o *passes.RunOptions, back backend.Backend) error {
	var steps []string
	if back != nil {
		steps = backend.OptionalSteps(back.Steps(""))
	}
	check := func(what, name string) error {
		name, _, _ = strings.Cut(name, ":")
		if name != "" && name != translateStep && passes.Find(name) == nil {
			var names []string
			if what == "disable-pass" {
				names = append(names, steps...)
			}
			for _, p := range passes.Registry() {
				names = append(names, p.Name)
			}
			return Usagef("--%s: no pass %q%s", what, name, passes.Suggest(name, names))
		}
		return nil
	}
	for _, n := range o.Disable {
		if slices.Contains(steps, n) {
			continue
		}
		if err := check("disable-pass", n); err != nil {
			return err
		}
		if p := passes.Find(n); p == nil || !p.Optional {
			return Usagef("--disable-pass: %s is needed for correct code", n)
		}
	}
	if err := check("start-before", o.StartBefore); err != nil {
		return err
	}
	return check("stop-after", o.StopAfter)
}
