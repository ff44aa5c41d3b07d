package nirc

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"nirc/backend"
	"nirc/backend/layout"
	"nirc/frontend/spirv"
	"nirc/internal/jsonplace"
	"nirc/internal/layouts"
	"nirc/ir"
	"nirc/passes"
)

// Values of Options.ABI, of the targets that have them: parts that are linked later, blend programs (the
// format of the render target follows), fragment shaders that cull or clip (the numbers of
// distances follow).
const (
	SeparateABI = backend.SeparateABI
	BlendABI    = backend.BlendABI
	CullABI     = backend.CullABI
	ClipABI     = backend.ClipABI
	LinearABI   = backend.LinearABI
	FeedbackABI = backend.FeedbackABI
)

//go:embed pipeline.yaml
var pipelineFile []byte

// DefaultPipelines returns the passes of every target, from the pipeline.yaml
// that is part of the compiler.
var DefaultPipelines = sync.OnceValues(func() (*passes.Pipelines, error) {
	return passes.LoadBuiltin(pipelineFile, "pipeline.yaml") // TestDefaultPipeline of package passes looks at the order
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
	// Backend, unless nil, generates the code in place of Target's, which then is its name: a backend of one's own.
	// Its passes are those that Pipelines, or the built-in file, has for its name. A cache.Builder wants another Code with it.
	Backend backend.Backend
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
	// State is the state of the pipeline. What State.Shader says passes do in the shader, on every target. For the rest
	// targets whose backends link parts make the whole shader, as Link does; code of others does not depend on it.
	// It is not changed.
	State *State
	// Uniforms are words of uniform buffers and push constants that are known: the shader is a variant for them.
	Uniforms []passes.UniformValue
	// Printf is the storage buffer in which the shader leaves what it prints by debugPrintfEXT, or a kernel by printf; nil, and it prints nothing.
	Printf *passes.PrintfBuffer
	// Next is the stage that follows in the pipeline, none if that is not known:
	// ir3's tessellation control and geometry shaders go on with the threads of
	// the stage before, which then leaves its outputs in memory; on AGX a vertex
	// or tessellation evaluation shader before them becomes a program for compute.
	Next ir.Stage
	// DispatchBase is for compute pipelines that vkCmdDispatchBase may start
	// (VK_PIPELINE_CREATE_DISPATCH_BASE_BIT): workgroup ids count from the base.
	DispatchBase bool
	// WorkgroupSize is that of kernels that fix none themselves; zeros: such kernels are refused.
	WorkgroupSize [3]uint32
	// LocalMemory is how many bytes of workgroup memory, from its beginning on, are for the arguments of kernels that point
	// there; the kernel's own variables come after it.
	LocalMemory uint32
	anySize     bool // kernels need no workgroup size
	// SampleShading is for pipelines that shade each sample (sampleShadingEnable with a
	// minSampleShading of more than one sample's share): fragment shaders run once a sample and
	// interpolate there, whatever they read.
	SampleShading bool
	// Points is for graphics pipelines that draw points (VK_PRIMITIVE_TOPOLOGY_POINT_LIST): a vertex shader that
	// writes no size stores 1 where the hardware needs it (AGX).
	Points bool
	// Multiview is for graphics pipelines that draw several views (a viewMask that is not 0): input
	// attachments are read at the view. Without it they are read at the fragment's layer.
	Multiview bool
	// Robust is what becomes of accesses out of bounds: the application promises that there are none
	// where it is off, the zero value (VkPipelineRobustnessCreateInfo).
	Robust ir.Robust
	// Layout is the layout of the pipelines that the shader is for: where its descriptors stand
	// follows from it, alike in all stages, and what a shader uses and the layout does not have is
	// a diagnostic. Without one places follow from the numbers of bindings alone (docs/abi.md).
	// It must hold to Layout.Check and is not changed.
	Layout *Layout
	// SafeConsts keeps shaders of graphics pipelines on ir3 to the consts that each of five stages may
	// take: for a pipeline whose shaders take too many together.
	SafeConsts bool
	// HardFaults is for drivers of AGX that turn the hardware's soft faults off: preambles of draws then read by
	// no pointer of the application.
	HardFaults bool
	// Pipelines takes the place of DefaultPipelines if not nil, Passes that of
	// both: a single list of passes for any target.
	Pipelines *passes.Pipelines
	Passes    *passes.Pipeline
	// Run dumps, times, verifies and bisects. The translation is the step
	// "translate"; its dump before is the module's assembly.
	Run passes.RunOptions
	// PrintCFG shows blocks' predecessors and successors in dumps.
	PrintCFG bool
	// Log, unless nil, is told of each stage of a compile when it ends, with its time: at slog.LevelInfo of what
	// Generate made, at slog.LevelDebug of the others and of those that failed.
	Log *slog.Logger
}

// isPass reports whether a name, without the number of a run, is a pass's or the translation's.
func isPass(name string) bool {
	name, _, _ = strings.Cut(name, ":")
	return name == translateStep || passes.Find(name) != nil
}

// checkSteps refuses names of passes and machine steps that there are not, where a wrong name
// would silently change what is compiled. steps are the target's, none of IRTarget.
func checkSteps(o *passes.RunOptions, steps []backend.StepInfo) error {
	find := func(name string) *backend.StepInfo {
		name, _, _ = strings.Cut(name, ":")
		if i := slices.IndexFunc(steps, func(s backend.StepInfo) bool { return s.Name == name }); i >= 0 {
			return &steps[i]
		}
		return nil
	}
	unknown := func(flag, name string) error {
		if name == "" || isPass(name) || find(name) != nil {
			return nil
		}
		var names []string
		for i := range steps {
			names = append(names, steps[i].Name)
		}
		for _, p := range passes.Registry() {
			names = append(names, p.Name)
		}
		name, _, _ = strings.Cut(name, ":")
		return Usagef("--%s: no pass %q%s", flag, name, passes.Suggest(name, names))
	}
	for _, n := range o.Disable {
		if err := unknown("disable-pass", n); err != nil {
			return err
		}
		p, s := passes.Find(n), find(n)
		if (p == nil || !p.Optional) && (s == nil || !s.Optional) {
			return Usagef("--disable-pass: %s is needed for correct code", n)
		}
	}
	if s := find(o.StartBefore); s != nil {
		return Usagef("--start-before: %s is a machine step, which needs all that stands before it", s.Name)
	}
	if err := unknown("start-before", o.StartBefore); err != nil {
		return err
	}
	return unknown("stop-after", o.StopAfter)
}

// Layout is a pipeline layout: what Options.Layout takes. Make one by hand and Check it, or read
// one with ReadLayout.
type Layout = layout.Layout

// ReadLayout reads a pipeline layout from JSON (docs/abi.md); file names it in errors, which are
// Diagnostics with the line.
func ReadLayout(file string, data []byte) (*Layout, error) {
	l, err := layouts.Read(data)
	var wrong *layouts.Error
	if errors.As(err, &wrong) {
		return nil, Diagnostics{{File: file, Line: uint32(wrong.Line), Msg: wrong.Msg}}
	}
	return l, err
}

// LayoutJSON writes a layout in the form that ReadLayout reads, in one line, the same for equal
// layouts; nil if it does not hold to Check.
func LayoutJSON(l *Layout) []byte { return layouts.JSON(l) }

// State is the state of a pipeline: what Options.State takes. Make one by hand, or read one with ReadState.
type State = backend.State

// ReadState reads the state of a pipeline from JSON (docs/state.md); file names it in errors, which are Diagnostics with the
// line where it is known.
func ReadState(file string, data []byte) (*State, error) {
	s := &State{}
	wrong := func(line int, text string) error {
		return Diagnostics{{File: file, Line: uint32(line), Msg: "the pipeline state: " + text}}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // a word that is spelled wrong must not be a default
	if err := d.Decode(s); err != nil {
		return nil, wrong(jsonplace.Explain(data, err))
	}
	if d.More() {
		return nil, wrong(0, "there is more after the object")
	}
	if s.Shader != nil {
		if err := s.Shader.Check(); err != nil {
			return nil, wrong(jsonplace.Find(data, "shader", passes.StateMember(err)), err.Error())
		}
	}
	return s, nil
}
