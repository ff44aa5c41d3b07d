package backend

import "nirc/ir"

// Intrinsics lists the intrinsics of a function in order: what a lowering changes while it walks.
func Intrinsics(impl *ir.Impl) []*ir.Instr {
	list := make([]*ir.Instr, 0, 16)
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic {
				list = append(list, in)
			}
		}
	}
	return list
}

// TessellationHas reports whether a stage of tessellation, the control or the evaluation shader, may have an intrinsic, as far as that tells the two
// apart: an invocation has a number in the control shader, a place and levels in the evaluation shader.
func TessellationHas(i ir.Intrinsic, control bool) bool {
	switch i {
	case ir.IntrLoadInvocationId:
		return control
	case ir.IntrLoadTessCoord, ir.IntrLoadTessCoordXy, ir.IntrLoadTessLevelOuter, ir.IntrLoadTessLevelInner:
		return !control
	}
	return true
}
