package passes

import "nirc/ir"

var optCopyPropPass = &Pass{
	Name: "opt_copy_prop", Withstands: ChangeFacts | ChangeRemoval, For: ir.HasMove, Class: "A", Run: implPass(ir.MetaControlFlow|ir.MetaInstrIndex, optCopyProp), Optional: true,
	Doc: "Makes uses of moves and vectors use what they copy, swizzles composed.",
}

// optCopyProp makes uses of moves and vectors use what they copy. It asks the copies for their uses: most instructions
// read none, and to ask all sources for what they read takes more. Source order sees what a copy reads propagated before
// its uses, except for phis, whose turn comes in the next run.
func optCopyProp(impl *ir.Impl) (progress bool) {
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if copies(in) {
				progress = copyPropUses(in) || progress
			}
		}
	}
	return progress
}

// copyPropUses makes the uses of a copy that may read what it copies read that.
func copyPropUses(in *ir.Instr) (progress bool) {
	for u, next := in.Def.FirstUse(), (*ir.Src)(nil); u != nil; u = next {
		next = u.NextUse()
		if u.Instr != nil && u.Instr.Kind == ir.KindALU {
			progress = copyPropALU(u.Instr, u, srcComps(u)) || progress
		} else {
			progress = copyPropWhole(u) || progress
		}
	}
	return progress
}

// srcComps is the number of lanes that an ALU instruction reads by a source.
func srcComps(u *ir.Src) int {
	in := u.Instr
	i := 0
	for &in.Srcs[i] != u {
		i++
	}
	return in.SrcComps(i)
}

// copies reports whether an instruction makes nothing new: a move, or a vector of components.
func copies(in *ir.Instr) bool { return in.Kind == ir.KindALU && (in.Op == ir.OpMov || in.IsVec()) }

// copyPropALU looks through moves and vectors after an ALU source of n lanes.
func copyPropALU(in *ir.Instr, s *ir.Src, n int) (progress bool) {
	for {
		swz, from := throughALU(in, s, n)
		if from == nil {
			return progress
		}
		s.Swizzle = swz
		s.Set(from)
		progress = true
	}
}

// throughALU returns what an ALU source of n lanes reads through the move or vector that it reads, nil if it reads none.
func throughALU(in *ir.Instr, s *ir.Src, n int) (ir.Swizzle, *ir.Def) {
	d := s.Def.Instr
	switch {
	case d.Kind != ir.KindALU || d == in:
		return 0, nil
	case d.Op == ir.OpMov:
		return s.Swizzle.Compose(d.Srcs[0].Swizzle), d.Srcs[0].Def
	case d.IsVec():
		if swz, from, ok := throughVec(d, s.Swizzle, n); ok {
			return swz, from
		}
	}
	return 0, nil
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
		from := throughWhole(s)
		if from == nil {
			return progress
		}
		s.Set(from)
		progress = true
	}
}

// throughWhole returns what the value that a source without swizzle reads is a copy of, nil if it is none.
func throughWhole(s *ir.Src) *ir.Def {
	d := s.Def.Instr
	if d.Kind != ir.KindALU || d == s.Instr {
		return nil
	}
	n := int(d.Def.NumComponents)
	var from *ir.Def
	switch {
	case d.Op == ir.OpMov && d.Srcs[0].Swizzle.Same(ir.IdentitySwizzle, n):
		from = d.Srcs[0].Def
	case d.IsVec():
		swz, def, ok := throughVec(d, ir.IdentitySwizzle, n)
		if !ok || !swz.Same(ir.IdentitySwizzle, n) {
			return nil
		}
		from = def
	}
	if from == nil || int(from.NumComponents) != n || from.Instr.Kind == ir.KindDeref && !takesDeref(s) {
		return nil
	}
	return from
}
