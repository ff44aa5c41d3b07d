package amber

import (
	"context"
	"errors"
	"fmt"

	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

// Shader is one stage of a pipeline as a Target compiles it.
type Shader struct {
	// Name is the script's, for diagnostics.
	Name  string
	Stage ir.Stage
	// Next is the stage that follows in the pipeline, or none.
	Next ir.Stage
	// Words is a SPIR-V module; Entry names its entry point of that stage.
	Words []uint32
	Entry string
	// Spec gives specialization constants by id, in the script's order.
	Spec []Specialization
	// Layout is that of the pipeline, or nil.
	Layout *layout.Layout
	// OptimizationOff asks for a compile without optimisation.
	OptimizationOff bool
	// SubgroupSize is the size of subgroups that the script requires, or 0.
	SubgroupSize int
	// Robust is what the script's device features promise of accesses out of bounds.
	Robust ir.Robust
	// FullSubgroups promises that all subgroups start with all lanes.
	FullSubgroups bool
}

// Target compiles shaders for one kind of core.
type Target interface {
	// Name is the target's name: ir, agx, ir3 or midgard.
	Name() string
	// Compile returns the program of a shader. An error that wraps *Unsupported
	// skips the script, any other fails it. Several goroutines may call it.
	Compile(ctx context.Context, s Shader) (emu.Program, error)
}

// FloatTarget is a Target that does not honour all modes of floats.
type FloatTarget interface {
	// FloatControls are those that it does, nil for all.
	FloatControls() *ir.FloatControls
}

// Linker is a Target whose programs are parts that need a pipeline's state.
type Linker interface {
	// Link replaces the programs of a pipeline that is about to be drawn with, and
	// takes out of its state what they do themselves.
	Link(ctx context.Context, p *emu.Pipeline) error
}

// PipelineTarget is a Target that compiles the stages of a graphics pipeline together.
type PipelineTarget interface {
	// CompilePipeline is Compile for all shaders of a pipeline: their programs, in their order.
	CompilePipeline(ctx context.Context, shaders []Shader) ([]emu.Program, error)
}

// Unsupported is the error for what a target, a tool or this package does not
// do; a script that needs it is skipped.
type Unsupported struct {
	What string // what is not supported, for people
}

// Error is the reason.
func (u *Unsupported) Error() string { return u.What }

func unsupported(format string, args ...any) error {
	return &Unsupported{fmt.Sprintf(format, args...)}
}

// Verdict is the outcome of a script.
type Verdict uint8

// Verdicts.
const (
	Pass Verdict = iota + 1
	Fail
	Skip
)

// String is PASS, FAIL or SKIP.
func (v Verdict) String() string {
	switch v {
	case Pass:
		return "PASS"
	case Fail:
		return "FAIL"
	case Skip:
		return "SKIP"
	}
	return "verdict?"
}

// Cause is what made a script fail.
type Cause uint8

// Causes of failures.
const (
	CauseNone        Cause = iota
	CauseParse             // the script is not AmberScript
	CauseCompile           // a shader does not compile
	CauseRun               // the emulator or the program on it reported an error
	CauseExpectation       // an expectation is false
)

// Result is the outcome of one script.
type Result struct {
	Verdict Verdict
	// Reason says why it failed or was skipped.
	Reason string
	// Line is the line of the script that the reason is about, or 0.
	Line int
	// Cause of a failure.
	Cause Cause
	// Checked is how many expectations were evaluated and true.
	Checked int
	// Notes are the expectations that hold only as Amber counts tolerances.
	Notes []Note
}

// Note is a remark on a line of a script.
type Note struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// scriptError is an error at a line of a script.
type scriptError struct {
	line  int
	cause Cause
	err   error
}

func (e *scriptError) Error() string { return e.err.Error() }
func (e *scriptError) Unwrap() error { return e.err }

// at adds the line and cause to an error.
func at(line int, cause Cause, err error) error {
	if err == nil {
		return nil
	}
	return &scriptError{line, cause, err}
}

// resultOf turns the error that ended a script into its result.
func resultOf(err error, checked int) Result {
	r := Result{Verdict: Pass, Checked: checked}
	if err == nil {
		return r
	}
	r.Verdict, r.Reason, r.Cause = Fail, err.Error(), CauseRun
	var se *scriptError
	if errors.As(err, &se) {
		r.Line, r.Cause = se.line, se.cause
	}
	var pe *ParseError
	if errors.As(err, &pe) {
		r.Line, r.Reason, r.Cause = pe.Line, pe.Msg, CauseParse
	}
	var u *Unsupported
	if errors.As(err, &u) {
		r.Verdict, r.Reason, r.Cause = Skip, u.What, CauseNone
	}
	var g *emu.Unsupported
	if errors.As(err, &g) {
		r.Verdict, r.Reason, r.Cause = Skip, g.What, CauseNone
	}
	return r
}
