// Package backend says what a target is: the Backend interface that the
// library drives, and nothing of any instruction set. The machine layer that
// targets share is in backend/mach; each target is a package below this one,
// and none knows another. No target registers itself: package nirc lists them.
package backend

import (
	"slices"
	"strings"

	"nirc/backend/cost"
	"nirc/backend/layout"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// GPU is a chip that a backend generates code for.
type GPU struct {
	Name string `json:"name"` // as --gpu takes it: "a630"
	Doc  string `json:"doc"`  // the chips it stands for
}

// Hardware is what tools outside of nirc call a chip, and what they want to know of its family.
type Hardware struct {
	// Architecture is the family's name: Adreno. Core is the chip's as Arm's malioc has it for chips of Arm's, else nirc's.
	Architecture, Core string
	// Stalls: a thread can wait for its own results. Others never do, their pipes are the whole of it.
	Stalls bool
}

// Calling conventions. A target's own come from Backend.ABIs; those that end in a
// colon go on with a parameter.
const (
	// MonolithicABI is that of whole programs; "" stands for it.
	MonolithicABI = "monolithic"
	// SeparateABI makes parts that are linked later.
	SeparateABI = "separate"
	// BlendABI makes a fragment shader a blend program; the format of the render target
	// follows, by Vulkan's name.
	BlendABI = "blend:"
	// CullABI makes a whole fragment shader that drops what cull distances of the stage
	// before it cull; their number follows.
	CullABI = "cull:"
	// ClipABI makes a fragment shader that drops what clip and cull distances of the stage
	// before it cut off; their numbers follow, as in clip:2+1.
	ClipABI = "clip:"
	// LinearABI makes a vertex shader that multiplies outputs by w, which the fragment shader
	// interpolates without perspective; the mask of their locations follows, as in linear:0x5.
	LinearABI = "linear:"
	// FeedbackABI makes the program of a vertex shader that writes what transform feedback captures, and
	// nothing for the rasteriser.
	FeedbackABI = "xfb"
)

// ABIKinds lists the calling conventions of targets without their parameters, each once.
func ABIKinds(targets ...Backend) []string {
	list := []string{MonolithicABI}
	for _, b := range targets {
		for _, a := range b.ABIs() {
			if k := ABIKind(a); !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}

// ABIKind is a calling convention without its parameter.
func ABIKind(abi string) string {
	if i := strings.IndexByte(abi, ':'); i >= 0 {
		return abi[:i+1]
	}
	return abi
}

// HasABI reports whether a target knows a calling convention, whatever its parameter:
// Compile says what is wrong with that.
func HasABI(b Backend, abi string) bool {
	return abi == "" || slices.Contains(ABIKinds(b), ABIKind(abi))
}

// Job is what a compile asks of a backend.
type Job struct {
	GPU   string
	Level passes.Level
	// Instrument dumps, times, verifies and bisects machine steps; never nil.
	Instrument *passes.Instrument
	// Lists runs the lists of key codegen of the pipeline file that the compile
	// goes by, on the job's shader or on others that are made on the way.
	Lists passes.Lists
	// ABI is the calling convention: "" or MonolithicABI, or one of Backend.ABIs.
	ABI string
	// Debug keeps source lines in the object.
	Debug bool
	// Next is the stage that follows in the pipeline, none if that is not known.
	// Targets on which it takes over the threads make a shader for that.
	Next ir.Stage
	// Layout is the pipeline layout, nil if slots follow from binding numbers alone.
	Layout *layout.Layout
	// State is the state of the pipeline, nil if it is not known.
	State *State
	// Dump says that someone looks at the machine steps: their text must be made.
	Dump bool
}

// Line is one disassembled instruction.
type Line struct {
	Offset int // bytes from the start of the code
	Hex    string
	Text   string
	// Bad says that the bytes decode to no instruction.
	Bad bool
	// Label, if not "", stands before the line; branches name it.
	Label string
}

// PipelineFitter is a Backend whose programs share something in a pipeline.
type PipelineFitter interface {
	// Misfits returns the numbers of those programs of a pipeline that are to be compiled again, with
	// ir.Options.SafeConsts, so that all fit.
	Misfits(programs []emu.Program) []int
}

// Backend turns lowered IR into machine code for one family of GPUs.
type Backend interface {
	// Name is the target's name as -t takes it.
	Name() string
	// GPUs lists the chips, the default first. The list is shared: nobody changes it.
	GPUs() []GPU
	// Options are the lowerings that the target wants of the common passes; an
	// unknown GPU or a stage that the target lacks is a diagnostic.
	Options(gpu string, stage ir.Stage) (*ir.Options, error)
	// ABIs lists the values of Job.ABI that the target knows beside MonolithicABI, which
	// all know.
	ABIs() []string
	// Steps lists the machine steps of the chip's code generator in their order: what
	// --dump-after and its kin, --disable-pass, --time-passes, bisection and the docs know of it.
	Steps(gpu string) []StepInfo
	// Compile generates code for a shader that went through the target's
	// pipeline. It changes the shader.
	Compile(s *ir.Shader, job *Job) (*object.Object, error)
	// Linker makes programs of parts, where ABIs has SeparateABI; nil where there are no parts. What
	// it, Dropper and FeedbackStage compile goes through the lists that they are given: no compile has
	// asked for it.
	Linker(lists passes.Lists) Linker
	// Dropper compiles the fragment program of pipelines that have none of their own, but clip or
	// cull distances that the hardware does not know: abi is CullABI or ClipABI with its numbers.
	Dropper(abi string, lists passes.Lists) (*object.Object, error)
	// FeedbackStage is what makes the geometry stage that pipelines with transform feedback need where
	// they have none; nil where the other stages write it.
	FeedbackStage(lists passes.Lists) FeedbackStage
	// Figures says what the figures of its objects are, in the order of their page.
	Figures() []Figure
	// Hardware is what the world calls the chip, and what is so on all of the target's.
	Hardware(gpu string) Hardware
	// Cost models the machine code of an object.
	Cost(o *object.Object) (*cost.Program, error)
	// Load makes an object runnable on the target's emulator core. Only the
	// object's code and metadata are looked at.
	Load(o *object.Object) (emu.Program, error)
	// Disassemble decodes raw code; words that decode to nothing become Bad lines.
	Disassemble(gpu string, code []byte) ([]Line, error)
	// Assemble encodes a listing; errors name the line.
	Assemble(gpu, text string) ([]byte, error)
	// DecodeHex decodes one encoding written in hex digits, EncodeHex is its
	// inverse. With an error may come the text that stands for what does not decode.
	DecodeHex(gpu, hex string) (string, error)
	// DecodeHexVerbose is DecodeHex in the longer form of assembly, which says what the
	// usual one leaves out; the same where there is one form.
	DecodeHexVerbose(gpu, hex string) (string, error)
	// EncodeHex encodes one line of assembly to hex digits.
	EncodeHex(gpu, text string) (string, error)
}
