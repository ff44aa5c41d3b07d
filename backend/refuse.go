package backend

import (
	"fmt"

	"nirc/ir"
	"nirc/passes"
)

// Refuse makes the error of a code generator that cannot translate in: what is
// not supported, which target says so, and where in the source it stands. A
// nil instruction is the shader as a whole.
func Refuse(target string, s *ir.Shader, in *ir.Instr, format string, args ...any) error {
	return passes.RefusalAt(s, in, target+": "+fmt.Sprintf(format, args...))
}

// UnknownIntrinsic says of an intrinsic that a target has no selection for what it is. Outputs are read back by no module.
func UnknownIntrinsic(target string, in *ir.Instr) string {
	if in.Intr == ir.IntrLoadOutput {
		return fmt.Sprintf("reading back output slot %d is not supported", ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location)
	}
	return fmt.Sprintf("the intrinsic %s is not supported by the %s backend", in.Intr, target)
}

// Broken makes the error of a code generator that was given IR which the target's pipeline
// does not leave, as after a pass that was disabled. It is no refusal.
func Broken(target string, s *ir.Shader, in *ir.Instr, format string, args ...any) error {
	return passes.DiagnosticAt(s, in, target+": "+fmt.Sprintf(format, args...))
}

// CheckQuads reports a compute shader whose quads are squares still, where invocations in a row are neighbours on the machine: its
// derivatives would be taken between others.
func CheckQuads(target string, s *ir.Shader) error {
	if s.Info.DerivativeGroup != ir.DerivativeQuads {
		return nil
	}
	return Broken(target, s, nil, "the quads of the workgroup are squares (derivative_group %d): lower_compute_system_values brings their invocations together", ir.DerivativeQuads)
}

// Note keeps the first error: later ones may follow from it.
func Note(first *error, err error) {
	if *first == nil {
		*first = err
	}
}

// Unselected says what is wrong with a value that has no registers: where it is
// a deref, a texture or an image was to be a number that values choose.
func Unselected(d *ir.Def) string {
	if d.Instr.Kind == ir.KindDeref {
		return passes.ChosenOpaque
	}
	return fmt.Sprintf("%%%d is not supported as a value: %s", d.Index, ir.PrintInstr(d.Instr))
}

// RefuseKind is the refusal of what no code generator selects: derefs of
// memory, calls, parallel copies. Derefs of textures and images, which those
// that use them follow to the variable, give nil.
func RefuseKind(target string, s *ir.Shader, in *ir.Instr) error {
	switch in.Kind {
	case ir.KindDeref:
		if m := in.DerefInfo().Modes; m&(ir.ModeUniform|ir.ModeImage) == 0 {
			return Refuse(target, s, in, "a deref of %s is not supported at selection: variables must be lowered", m)
		}
		return nil
	case ir.KindCall:
		return Refuse(target, s, in, "a call of %s is not supported at selection: functions must be inlined", in.CallInfo().Callee.Name)
	}
	return Refuse(target, s, in, "a parallel copy is not supported at selection")
}
