package passes

import (
	"errors"
	"fmt"

	"nirc/ir"
)

// Diagnostic is why a pass or a code generator does not take a shader, and where in the source.
type Diagnostic struct {
	Msg string
	Loc ir.Loc
	// File is the source file that Loc.Line counts in, or "".
	File string
	// Unsupported says that the shader is right, and asks for what the compiler or its target
	// does not do.
	Unsupported bool
}

// Is makes a refusal an errors.ErrUnsupported.
func (d *Diagnostic) Is(target error) bool { return d.Unsupported && target == errors.ErrUnsupported }

// Error returns the message with its place.
func (d *Diagnostic) Error() string {
	switch {
	case d.Loc.Line != 0:
		return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Loc.Line, d.Loc.Col, d.Msg)
	case d.Loc.ID != 0:
		return fmt.Sprintf("%%%d: %s", d.Loc.ID, d.Msg)
	}
	return d.Msg
}

// DiagnosticAt makes the diagnostic of an instruction of s, placed where it comes
// from in the source. An instruction that came without a place lies where the
// first of its sources does that has one; nil is the shader as a whole.
func DiagnosticAt(s *ir.Shader, in *ir.Instr, msg string) *Diagnostic {
	d := &Diagnostic{Msg: msg}
	if in == nil {
		return d
	}
	loc := in.Loc
	for i := 0; loc == 0 && i < len(in.Srcs); i++ {
		if from := in.Srcs[i].Def; from != nil {
			loc = from.Instr.Loc
		}
	}
	if int(loc) < len(s.Locs) {
		d.Loc = s.Locs[loc]
		if int(d.Loc.File) < len(s.Files) {
			d.File = s.Files[d.Loc.File]
		}
	}
	return d
}

// RefusalAt is DiagnosticAt for what is not supported.
func RefusalAt(s *ir.Shader, in *ir.Instr, msg string) *Diagnostic {
	d := DiagnosticAt(s, in, msg)
	d.Unsupported = true
	return d
}

// refusal makes the refusal of instruction in.
func refusal(s *ir.Shader, in *ir.Instr, msg string) error { return RefusalAt(s, in, msg) }

// diag makes the diagnostic of instruction in.
func diag(s *ir.Shader, in *ir.Instr, msg string) error { return DiagnosticAt(s, in, msg) }
