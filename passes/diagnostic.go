package passes

import (
	"fmt"

	"nirc/ir"
)

// Diagnostic is a pass's refusal: what is not supported and where in the source.
type Diagnostic struct {
	Msg string
	Loc ir.Loc
	// File is the source file that Loc.Line counts in, or "".
	File string
}

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

// DiagnosticAt makes the refusal of an instruction of s, placed where it comes
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

// diag makes the refusal of instruction in.
func diag(s *ir.Shader, in *ir.Instr, msg string) error { return DiagnosticAt(s, in, msg) }
