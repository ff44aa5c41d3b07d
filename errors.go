package nirc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"

	"nirc/backend"
	"nirc/frontend/spirv"
	"nirc/ir"
)

// UsageError says that the compiler was asked for something that there is
// not: an unknown target, pass or option.
type UsageError struct{ Msg string }

// Error is the message.
func (e *UsageError) Error() string { return e.Msg }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// IOError says that input could not be read or output not be written.
type IOError struct{ Err error }

// Error is the message of the operating system.
func (e *IOError) Error() string { return e.Err.Error() }

// Unwrap returns the operating system's error.
func (e *IOError) Unwrap() error { return e.Err }

// InternalError is a mistake of the compiler itself.
type InternalError struct {
	// Pass is the pass that was running, "" outside of passes.
	Pass string
	// Value is what the code panicked with, or the error it returned.
	Value any
	// Stack is the stack trace, nil if there was no panic.
	Stack []byte
}

// Error names the pass and says what happened.
func (e *InternalError) Error() string {
	where := ""
	if e.Pass != "" {
		where = " in " + e.Pass
	}
	return fmt.Sprintf("internal error%s: %v", where, e.Value)
}

// ErrStopped says that RunOptions.StopAfter cut the compile in a machine step: there are dumps, and no code.
var ErrStopped = backend.ErrStopped

// aboutInput reports whether an error is a statement about the input, and so
// may become diagnostics.
func aboutInput(err error) bool {
	var (
		usage    *UsageError
		inout    *IOError
		path     *fs.PathError
		internal *InternalError
	)
	return !errors.As(err, &usage) && !errors.As(err, &inout) && !errors.As(err, &path) && !errors.As(err, &internal) && !errors.Is(err, ErrStopped) &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// Guard runs work on a shader that is no stage of a unit: a link, a load, a run. A panic of the
// compiler becomes an InternalError that names stage, the end of ctx its error, everything about the
// input Diagnostics.
func Guard(ctx context.Context, stage, file, target string, f func() error) error {
	g := guard{ctx: ctx, file: file, target: target, where: func() string { return stage }}
	return g.run(f)
}

// guard is what turns the outcome of a stage into the errors of this package.
type guard struct {
	ctx          context.Context
	file, target string
	// where names the step that is running, or failed.
	where func() string
}

func (g *guard) run(f func() error) (err error) {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = &InternalError{Pass: g.where(), Value: r, Stack: debug.Stack()}
		}
		if err != nil && g.ctx.Err() != nil {
			err = g.ctx.Err()
		}
		err = Diagnose(g.internal(err), g.file, g.target)
	}()
	return f()
}

// internal turns the errors by which a part of the compiler says that it is
// wrong itself into an InternalError.
func (g *guard) internal(err error) error {
	if err == nil {
		return nil
	}
	var front *spirv.Error
	if errors.As(err, &front) && front.Internal {
		return &InternalError{Pass: translateStep, Value: err, Stack: front.Stack}
	}
	return err
}

// verifyError makes a step's breach of the IR's rules an InternalError.
func (u *Unit) verifyError(err error) error {
	var broken *ir.ValidationError
	if !errors.As(err, &broken) {
		return err
	}
	return &InternalError{Pass: u.ins.Running(), Value: err}
}
