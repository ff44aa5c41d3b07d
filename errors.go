package nirc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"nirc/frontend/spirv"
	"nirc/ir"
	"nirc/passes"
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

// aboutInput reports whether an error is a statement about the input, and so
// may become diagnostics.
func aboutInput(err error) bool {
	var (
		usage    *UsageError
		inout    *IOError
		path     *fs.PathError
		internal *InternalError
	)
	return !errors.As(err, &usage) && !errors.As(err, &inout) && !errors.As(err, &path) && !errors.As(err, &internal) &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// stopped is what ends a compile from inside when its context has ended.
type stopped struct{ err error }

// Guard runs one stage of a compile, or what stands in for one. A panic of the compiler becomes an
// InternalError, the end of ctx its error, everything about the input Diagnostics.
func Guard(ctx context.Context, stage, file, target string, f func() error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stopped:
			err = r.err
		default:
			err = &InternalError{Pass: runningPass(stage), Value: r, Stack: debug.Stack()}
		}
		if err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		err = Diagnose(internal(err), file, target)
	}()
	return f()
}

// internal turns the errors by which a part of the compiler says that it is
// wrong itself into an InternalError.
func internal(err error) error {
	var front *spirv.Error
	if errors.As(err, &front) && strings.HasPrefix(front.Msg, "internal error") {
		return &InternalError{Pass: "translate", Value: err, Stack: front.Stack}
	}
	return err
}

// verifyError makes a pass's breach of the IR's rules an InternalError.
func verifyError(err error) error {
	var broken *ir.ValidationError
	if !errors.As(err, &broken) {
		return err
	}
	pass, _, _ := strings.Cut(err.Error(), ":")
	return &InternalError{Pass: pass, Value: err}
}

// runningPass finds the innermost pass on the stack of a panic, or returns
// the stage's name. Many passes share the same wrapper around a function that
// is named like the pass, so functions are known by pointer or by name.
func runningPass(stage string) string {
	byFunc := make(map[string]string)
	plain := strings.NewReplacer("_", "")
	for _, p := range passes.Registry() {
		byFunc[plain.Replace(p.Name)] = p.Name
		f := runtime.FuncForPC(reflect.ValueOf(p.Run).Pointer())
		if f == nil {
			continue
		}
		if _, shared := byFunc[f.Name()]; shared {
			byFunc[f.Name()] = ""
			continue
		}
		byFunc[f.Name()] = p.Name
	}
	pcs := make([]uintptr, 512)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if n := byFunc[f.Function]; n != "" {
			return n
		}
		if name, ok := strings.CutPrefix(f.Function, "nirc/passes."); ok {
			name, _, _ = strings.Cut(name, ".")
			if n := byFunc[strings.TrimSuffix(strings.ToLower(name), "pass")]; n != "" {
				return n
			}
		}
		if !more {
			return stage
		}
	}
}
