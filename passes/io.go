package passes

import "nirc/ir"

// What the passes have in common that replace variables of inputs and outputs
// by others.

// variableIndex returns each variable's place in the shader's list by ID.
func variableIndex(s *ir.Shader) []int32 {
	n := uint32(0)
	for _, v := range s.Variables {
		n = max(n, v.ID)
	}
	at := make([]int32, n+1)
	for i, v := range s.Variables {
		at[v.ID] = int32(i)
	}
	return at
}

// copyVariable adds a variable that is like v except for its type and name.
func copyVariable(s *ir.Shader, v *ir.Variable, t *ir.Type, name string) *ir.Variable {
	n := s.NewVariable(v.Mode, t, name)
	id := n.ID
	*n = *v
	n.ID, n.Type, n.Name = id, t, name
	return n
}

// eachIODeref calls f for each deref of an input or output variable.
func eachIODeref(s *ir.Shader, f func(impl *ir.Impl, in *ir.Instr, v *ir.Variable)) {
	for _, fn := range s.Functions {
		if fn.Impl == nil {
			continue
		}
		for in := range fn.Impl.Instrs() {
			if in.Kind == ir.KindDeref && in.DerefInfo().Modes&(ir.ModeShaderIn|ir.ModeShaderOut) != 0 {
				if v := rootVar(in); v != nil {
					f(fn.Impl, in, v)
				}
			}
		}
	}
}

// removeVariables drops the variables that f picks, and unused derefs of them.
func removeVariables(s *ir.Shader, f func(*ir.Variable) bool) {
	eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		for b := range impl.BlocksReverse() {
			for in := range b.InstrsReverse() {
				if in.Kind == ir.KindDeref && in.Def.Unused() {
					if v := rootVar(in); v != nil && f(v) {
						in.Remove()
						changed = true
					}
				}
			}
		}
		return changed
	})
	kept := s.Variables[:0]
	for _, v := range s.Variables {
		if !f(v) {
			kept = append(kept, v)
		}
	}
	s.Variables = kept
}

// ioSplit is an input or output that a pass replaces by several.
type ioSplit interface {
	comparable
	// split makes the new variables.
	split(s *ir.Shader)
}

// splitting is the choice of what is replaced; the zero T stands for a variable
// that stays.
type splitting[T ioSplit] struct {
	at    []int32 // a variable's place by ID, before the pass
	byVar []T
}

// newSplitting asks for each variable what becomes of it.
func newSplitting[T ioSplit](s *ir.Shader, choose func(v *ir.Variable) T) *splitting[T] {
	p := &splitting[T]{at: variableIndex(s), byVar: make([]T, len(s.Variables))}
	for i, v := range s.Variables {
		p.byVar[i] = choose(v)
	}
	return p
}

// of returns what becomes of the variable that a deref leads to.
func (p *splitting[T]) of(deref *ir.Instr) (x T) {
	if v := rootVar(deref); v != nil && v.Mode&(ir.ModeShaderIn|ir.ModeShaderOut) != 0 && int(v.ID) < len(p.at) {
		x = p.byVar[p.at[v.ID]]
	}
	return x
}

// chosen reports whether anything is to be replaced.
func (p *splitting[T]) chosen() bool {
	var stays T
	for _, x := range p.byVar {
		if x != stays {
			return true
		}
	}
	return false
}

// run replaces the variables of which all derefs fit: it makes the new ones,
// calls rewrite for every instruction, and removes the old ones.
func (p *splitting[T]) run(s *ir.Shader, fits func(deref *ir.Instr, x T) bool, rewrite func(in *ir.Instr) bool) bool {
	if !p.chosen() {
		return false
	}
	var stays T
	eachIODeref(s, func(_ *ir.Impl, in *ir.Instr, v *ir.Variable) {
		if x := p.of(in); x != stays && !fits(in, x) {
			p.byVar[p.at[v.ID]] = stays
		}
	})
	if !p.chosen() {
		return false
	}
	for _, x := range p.byVar {
		if x != stays {
			x.split(s)
		}
	}
	eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		for b := range impl.Blocks() {
			for in := range b.Instrs() {
				if rewrite(in) {
					changed = true
				}
			}
		}
		return changed
	})
	removeVariables(s, func(v *ir.Variable) bool { return int(v.ID) < len(p.at) && p.byVar[p.at[v.ID]] != stays })
	return true
}

// arrayedIO reports whether the outermost array of an input or output counts vertices, or primitives of a mesh shader.
func arrayedIO(s *ir.Shader, v *ir.Variable) bool {
	if v.Patch {
		return false
	}
	switch s.Stage {
	case ir.StageTessCtrl:
		return true
	case ir.StageTessEval, ir.StageGeometry:
		return v.Mode == ir.ModeShaderIn
	case ir.StageMesh:
		return v.Mode == ir.ModeShaderOut && v.Type.IsArray()
	case ir.StageFragment:
		return v.PerVertex
	}
	return false
}

func compareLocation(a, b *ir.Variable) int {
	if a.Location != b.Location {
		return int(a.Location - b.Location)
	}
	return int(a.Component) - int(b.Component)
}

// storesOf lists the stores of an output slot.
func storesOf(impl *ir.Impl, slot ir.Slot) []*ir.Instr {
	return collect(impl, func(in *ir.Instr) bool {
		return in.Intr == ir.IntrStoreOutput && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location == slot
	})
}

// userLocation reports whether an input or output has a Location of the API's,
// as opposed to a built-in's slot.
func userLocation(s *ir.Shader, v *ir.Variable) bool {
	switch {
	case v.Location < 0:
		return false
	case s.Stage == ir.StageVertex && v.Mode == ir.ModeShaderIn:
		return true
	case s.Stage == ir.StageFragment && v.Mode == ir.ModeShaderOut:
		return v.Location >= int32(ir.SlotData0)
	}
	return v.Location >= int32(ir.SlotVar0)
}

// vectorAccesses reports whether a deref is an array step or its variable's, and
// is used for further steps and for accesses to whole vectors only.
func vectorAccesses(in *ir.Instr) bool {
	if in.Deref != ir.DerefVar && (in.Deref != ir.DerefArray || in.DerefInfo().Type.IsScalar()) {
		return false
	}
	for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr.Kind == ir.KindDeref {
			continue
		}
		ok := false
		switch u.Instr.Intr {
		case ir.IntrLoadDeref, ir.IntrInterpDerefAtCentroid, ir.IntrInterpDerefAtOffset, ir.IntrInterpDerefAtSample, ir.IntrInterpDerefAtVertex, ir.IntrStoreDeref:
			ok = u == &u.Instr.Srcs[0]
		}
		if u.Instr.Kind != ir.KindIntrinsic || !ok {
			return false
		}
	}
	return true
}

// withLeaf returns t with its vectors replaced by leaf.
func withLeaf(t, leaf *ir.Type) *ir.Type {
	if t.IsArray() {
		return ir.ArrayType(withLeaf(t.Elem, leaf), t.Len, t.Stride)
	}
	return leaf
}

// rebase builds the chain of d, of variables and array steps, on variable v.
func rebase(b *ir.Builder, d *ir.Instr, v *ir.Variable) *ir.Def {
	if d.Deref == ir.DerefVar {
		return b.DerefVar(v)
	}
	return b.DerefArray(rebase(b, d.Srcs[0].Def.Instr, v), d.Srcs[1].Def)
}

// outputStores calls f for each store of a slot.
func outputStores(s *ir.Shader, slot ir.Slot, f func(in *ir.Instr)) bool {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			return in.Intr == ir.IntrStoreOutput && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location == slot
		})
		for _, in := range list {
			f(in)
		}
		return len(list) > 0
	})
}
