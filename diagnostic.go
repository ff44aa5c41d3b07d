package nirc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"nirc/backend"
	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
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

// ErrStopped says that RunOptions.StopAfter cut the compile in a machine step: there are dumps, and no code.
var ErrStopped = backend.ErrStopped

// Severity is how bad a Diagnostic is.
type Severity uint8

// Severities.
const (
	SeverityError Severity = iota
	SeverityWarning
	SeverityNote
)

var severityNames = [...]string{"error", "warning", "note"}

// String returns error, warning or note.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "severity?"
}

// MarshalText gives the name, for JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name.
func (s *Severity) UnmarshalText(b []byte) error {
	for i, n := range severityNames {
		if n == string(b) {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("no severity %q", b)
}

// Diagnostic is one thing that the compiler has to say about its input.
type Diagnostic struct {
	// File is the input, or the source file that the module names.
	File string `json:"file,omitempty"`
	// Line and Col count from 1; 0 unknown.
	Line uint32 `json:"line,omitempty"`
	Col  uint32 `json:"col,omitempty"`
	// Word is the offset in 32-bit words from the start of a binary module, ID
	// the result id that the message is about; 0 unknown.
	Word     int      `json:"word,omitempty"`
	ID       uint32   `json:"id,omitempty"`
	Severity Severity `json:"severity"`
	Msg      string   `json:"message"`
	// Target is the target that says so, "" if it is not about one.
	Target string `json:"target,omitempty"`
	// Unsupported says that the input is right, and asks for what the compiler or the target
	// does not do.
	Unsupported bool `json:"unsupported,omitempty"`
}

// String is the text form: file:line:col: severity: message, with what is
// unknown left out and the target after it in brackets.
func (d *Diagnostic) String() string {
	return d.Text(func(_ Severity, text string) string { return text })
}

// Text is String with the severity's word painted.
func (d *Diagnostic) Text(paint func(s Severity, text string) string) string {
	var b strings.Builder
	if d.File != "" {
		b.WriteString(d.File)
		b.WriteByte(':')
	}
	if d.Line != 0 {
		fmt.Fprintf(&b, "%d:", d.Line)
		if d.Col != 0 {
			fmt.Fprintf(&b, "%d:", d.Col)
		}
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(paint(d.Severity, d.Severity.String()+":"))
	b.WriteByte(' ')
	if d.Word != 0 {
		fmt.Fprintf(&b, "word %d: ", d.Word)
	}
	if d.ID != 0 {
		fmt.Fprintf(&b, "%%%d: ", d.ID)
	}
	b.WriteString(d.Msg)
	if d.Target != "" {
		fmt.Fprintf(&b, " [%s]", d.Target)
	}
	return b.String()
}

// Diagnostics is a list of diagnostics; it is the error that refused input
// comes back with.
type Diagnostics []Diagnostic

// Error returns the text forms, one a line.
func (l Diagnostics) Error() string {
	lines := make([]string, len(l))
	for i := range l {
		lines[i] = l[i].String()
	}
	return strings.Join(lines, "\n")
}

// Is makes the list an errors.ErrUnsupported if all that it says is that something is not
// supported.
func (l Diagnostics) Is(target error) bool {
	return target == errors.ErrUnsupported && len(l) > 0 && !slices.ContainsFunc(l, func(d Diagnostic) bool { return !d.Unsupported })
}

// diagnosticSchema is the number of the schema of a diagnostic as JSON (docs/schemas).
const diagnosticSchema = 1

// WriteJSON writes one JSON object a line, with the number of its schema.
func (l Diagnostics) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range l {
		if err := e.Encode(struct {
			*Diagnostic
			Schema int `json:"schema"`
		}{&l[i], diagnosticSchema}); err != nil {
			return err
		}
	}
	return nil
}

// Diagnose turns what a stage of the compiler returned into Diagnostics. file
// stands for the input where the error names no other file, target is added
// to each. Errors that are not about the input (InternalError, UsageError,
// input and output, an ended context) are returned unchanged.
func Diagnose(err error, file, target string) error {
	if err == nil || !aboutInput(err) {
		return err
	}
	list := appendDiagnostics(nil, err, file)
	for i := range list {
		if list[i].Target == "" {
			list[i].Target = target
			list[i].Msg = strings.TrimPrefix(list[i].Msg, target+": ")
		}
	}
	return list
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
	return !errors.As(err, &usage) && !errors.As(err, &inout) && !errors.As(err, &path) && !errors.As(err, &internal) && !errors.Is(err, ErrStopped) &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

func appendDiagnostics(list Diagnostics, err error, file string) Diagnostics {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			list = appendDiagnostics(list, e, file)
		}
		return list
	}
	var (
		ds    Diagnostics
		front *spirv.Error
		asm   *spv.Error
		text  *ir.ParseError
		pass  *passes.Diagnostic
	)
	d := Diagnostic{File: file, Msg: err.Error(), Unsupported: errors.Is(err, errors.ErrUnsupported)}
	switch {
	case errors.As(err, &ds):
		return append(list, ds...)
	case errors.As(err, &front):
		d.Word, d.ID, d.Msg, d.Target = front.Word, front.ID, front.Msg, front.Target
		d.place(front.File, front.Line, front.Col)
	case errors.As(err, &asm):
		d.Msg = asm.Msg
		if asm.Line > 0 {
			d.Line, d.Col = uint32(asm.Line), uint32(asm.Column)
		} else {
			d.Word = asm.Word
		}
	case errors.As(err, &text):
		d.Msg, d.Line, d.Col = text.Msg, uint32(text.Line), uint32(text.Col)
	case errors.As(err, &pass):
		// What stands before the diagnostic names the pass.
		d.Msg = strings.TrimSuffix(err.Error(), pass.Error()) + pass.Msg
		d.Word, d.ID = int(pass.Loc.Word), pass.Loc.ID
		d.place(pass.File, pass.Loc.Line, pass.Loc.Col)
	}
	return append(list, d)
}

// place sets the source place if it is known.
func (d *Diagnostic) place(file string, line, col uint32) {
	if line == 0 {
		return
	}
	d.Line, d.Col = line, col
	if file != "" {
		d.File = file
	}
}
