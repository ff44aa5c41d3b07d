package passes

import "nirc/ir"

var optCopyPropPass = &Pass{
	Name: "opt_copy_prop", Withstands: ChangeFacts | ChangeRemoval, For: ir.HasMove, Class: "A", Run: implPass(ir.MetaControlFlow|ir.MetaInstrIndex, optCopyProp), Optional: true,
	Doc: "Makes uses of moves and vectors use what they copy, swizzles composed.",
}

// optCopyProp makes uses of moves and vectors use what they copy. Source
// order sees a definition's own sources propagated before its uses, except for
// phis, whose turn comes in the next run.
func optCopyProp(impl *ir.Impl) (progress bool) {
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			for i := range in.Srcs {
				s := &in.Srcs[i]
				if !copies(s.Def.Instr) {
					continue
				}
				if in.Kind == ir.KindALU {
					progress = copyPropALU(in, s, in.SrcComps(i)) || progress
				} else {
					progress = copyPropWhole(s) || progress
				}
			}
		}
		if i := b.FollowingIf(); i != nil {
			progress = copyPropWhole(&i.Cond) || progress
		}
	}
	return progress
}

// copies reports whether an instruction makes nothing new: a move, or a vector of components.
func copies(in *ir.Instr) bool { return in.Kind == ir.KindALU && (in.Op == ir.OpMov || in.IsVec()) }

// copyPropALU looks through moves and vectors after an ALU source of n lanes.
func copyPropALU(in *ir.Instr, s *ir.Src, n int) (progress bool) {
	for {
		d := s.Def.Instr
		if d.Kind != ir.KindALU {
			return progress
		}
		switch {
		case d.Op == ir.OpMov && d != in:
			s.Swizzle = s.Swizzle.Compose(d.Srcs[0].Swizzle)
			s.Set(d.Srcs[0].Def)
		case d.IsVec() && d != in:
			swz, from, ok := throughVec(d, s.Swizzle, n)
			if !ok {
				return progress
			}
			s.Swizzle = swz
			s.Set(from)
		default:
			return progress
		}
		progress = true
	}
}

// throughVec finds the one value that the n lanes read of the vector come from.
func throughVec(vec *ir.Instr, swz ir.Swizzle, n int) (ir.Swizzle, *ir.Def, bool) {
	first := &vec.Srcs[swz.Lane(0)]
	out := ir.Broadcast(first.Swizzle.Lane(0))
	for i := 1; i < n; i++ {
		v := &vec.Srcs[swz.Lane(i)]
		if v.Def != first.Def {
			return 0, nil, false
		}
		out = out.With(i, v.Swizzle.Lane(0))
	}
	return out, first.Def, true
}

// takesDeref reports whether a source may be a deref (rule D7).
func takesDeref(s *ir.Src) bool { return s.Instr != nil && s.Instr.Kind != ir.KindPhi }

// copyPropWhole looks through copies of a whole value after a source without swizzle.
func copyPropWhole(s *ir.Src) (progress bool) {
	for {
		d := s.Def.Instr
		if d.Kind != ir.KindALU || d == s.Instr {
			return progress
		}
		n := int(d.Def.NumComponents)
		var from *ir.Def
		switch {
		case d.Op == ir.OpMov && d.Srcs[0].Swizzle.Same(ir.IdentitySwizzle, n):
			from = d.Srcs[0].Def
		case d.IsVec():
			swz, def, ok := throughVec(d, ir.IdentitySwizzle, n)
			if !ok || !swz.Same(ir.IdentitySwizzle, n) {
				return progress
			}
			from = def
		}
		if from == nil || int(from.NumComponents) != n || from.Instr.Kind == ir.KindDeref && !takesDeref(s) {
			return progress
		}
		s.Set(from)
		progress = true
	}
}
