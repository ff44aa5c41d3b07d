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
		for b := range fn.Impl.Blocks() {
			for in := range b.Instrs() {
				if in.Kind == ir.KindDeref && in.DerefInfo().Modes&(ir.ModeShaderIn|ir.ModeShaderOut) != 0 {
					if v := rootVar(in); v != nil {
						f(fn.Impl, in, v)
					}
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
