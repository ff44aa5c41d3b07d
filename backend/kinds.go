package backend

import "nirc/ir"

// Kinds are the methods of a selection S that select the kinds of instructions.
type Kinds[S any] struct {
	ALU, Intrinsic, Phi, Tex func(S, *ir.Instr)
}

// Select calls the method for in. Constants and undefined values are read where they
// are used, jumps end their blocks; what no code generator selects is an error.
func (k *Kinds[S]) Select(target string, sh *ir.Shader, s S, in *ir.Instr) error {
	switch in.Kind {
	case ir.KindALU:
		k.ALU(s, in)
	case ir.KindIntrinsic:
		k.Intrinsic(s, in)
	case ir.KindPhi:
		k.Phi(s, in)
	case ir.KindTex:
		k.Tex(s, in)
	case ir.KindLoadConst, ir.KindUndef, ir.KindJump:
	default:
		return RefuseKind(target, sh, in)
	}
	return nil
}

// WritesMemory reports whether an intrinsic of the IR writes a buffer or an image. A
// target's own intrinsics are its own affair.
func WritesMemory(in *ir.Instr) bool {
	m := in.Memory()
	return m.Writes() && m.Space.Device() && in.Intr.Info().Target == ""
}
