package midgard

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/backend/midgard/core"
	"nirc/backend/midgard/isa"
	"nirc/ir"
	"nirc/passes"
)

// verifying is a job that checks the result of each step.
func verifying() *backend.Job {
	return &backend.Job{Lists: gputest.Lists, Instrument: passes.NewInstrument(passes.RunOptions{VerifyEach: true})}
}

// programs are those that the tests compile, each of which holds its own.
var programs gputest.HeldPrograms

// held adds what a test compiles itself to what it holds.
func held(bin *Binary, err error) (*Binary, error) {
	if err == nil {
		programs.Add(bin.Code, bin.Meta, bin.Stats, bin.Lines)
	}
	return bin, err
}

// compile compiles a copy of s and checks that every bundle decodes and that the
// listing assembles to the same bytes.
func compile(s *ir.Shader, opts CompileOptions) (*Binary, error) {
	if opts.Job == nil {
		opts.Job = verifying()
	}
	bin, err := held(Compile(gputest.Located(s), opts))
	if err != nil {
		return nil, err
	}
	lines, err := Target{}.Disassemble(opts.GPU, bin.Code)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, l := range lines {
		if l.Bad {
			return nil, fmt.Errorf("byte %d does not decode: %s", l.Offset, l.Text)
		}
		fmt.Fprintf(&text, "    %s\n", l.Text)
	}
	back, err := Target{}.Assemble(opts.GPU, text.String())
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, text.String())
	}
	if string(back) != string(bin.Code) {
		return nil, fmt.Errorf("the listing assembles to other bytes:\n%s", text.String())
	}
	return bin, nil
}

// execute compares a run of s on the core with the interpreter's.
func execute(s *ir.Shader, opts CompileOptions, r *gputest.Run, same func(i int, want, got uint32) bool) (*Binary, error) {
	bin, err := compile(s, opts)
	if err != nil {
		return nil, err
	}
	p, err := core.LoadFresh(bin.Code, &bin.Meta)
	if err != nil {
		return bin, fmt.Errorf("load: %w", err)
	}
	r.Wave, r.Push = 1, r.In[:min(len(r.In), 128)]
	return bin, r.Differ(s, p, func() string { return isa.Disassemble(bin.Code, isa.TextOptions{Verbose: true}) }, same)
}

// TestOps runs the ALU operations that are selected, in vectors of one to four components, on the interpreter and on the core; narrow
// integers as the pipeline widens them.
func TestOps(t *testing.T) {
	programs.Hold(t)
	ops := gputest.Ops{Target: "midgard", Sizes: []uint8{1, 8, 16, 32}, Comps: 4, InRange: true}
	ops.Differ = func(n int, s *ir.Shader, r *gputest.Run, same func(i int, want, got uint32) bool) error {
		if _, err := passes.RunPass(s, "lower_bit_size", "below", "32", "to", "32", "bytes", "true"); err != nil {
			return err
		}
		_, err := execute(s, CompileOptions{GPU: gpus[n%len(gpus)].Name}, r, same)
		return err
	}
	ops.Test(t)
	ops.TestOperands(t, 3)
}
