package passes

import (
	"slices"

	"nirc/ir"
)

// wrapArrays returns elem inside of the array levels of t.
func wrapArrays(t, elem *ir.Type) *ir.Type {
	if !t.IsArray() {
		return elem
	}
	return ir.ArrayType(wrapArrays(t.Elem, elem), t.Len, 0)
}

// splitter says how variables fall apart.
type splitter struct {
	// wants returns the number of parts of a type, 0 to leave it alone.
	wants func(*ir.Type) int
	part  func(t *ir.Type, i int) *ir.Type
	// name is what a part's name has more than the variable's.
	name func(t *ir.Type, i int) string
	// cut returns the part that a deref chooses, or -1.
	cut func(*ir.Instr) int
	// passes reports whether a deref may stand between the variable and the cut.
	passes func(*ir.Instr) bool
}

// splitState is what is known of the variables of one run.
type splitState struct {
	sp    *splitter
	modes ir.Mode
	ok    []bool // by variable ID
	parts [][]*ir.Variable
}

func splitVars(s *ir.Shader, modes ir.Mode, sp *splitter) (progress bool) {
	for anySplits(s, modes, sp) {
		n := highestVarID(s) + 1
		st := &splitState{sp: sp, modes: modes & (ir.ModeFunctionTemp | ir.ModeShaderTemp), ok: make([]bool, n), parts: make([][]*ir.Variable, n)}
		if !st.round(s) {
			return progress
		}
		progress = true
	}
	return progress
}

// anySplits reports whether there is a variable that may fall apart: most shaders have none.
func anySplits(s *ir.Shader, modes ir.Mode, sp *splitter) bool {
	wanted := func(v *ir.Variable) bool { return v.Mode&modes != 0 && sp.wants(v.Type) > 0 }
	if slices.ContainsFunc(s.Variables, wanted) {
		return true
	}
	for _, f := range s.Functions {
		if f.Impl != nil && slices.ContainsFunc(f.Impl.Locals, wanted) {
			return true
		}
	}
	return false
}

// keepEscaped keeps the variables of a kernel whole that pointers as values lead to: one to a part may be moved to the others.
func (st *splitState) keepEscaped(impl *ir.Impl) {
	for in := range impl.Instrs() {
		if in.Kind != ir.KindDeref || in.DerefInfo().Modes&st.modes == 0 {
			continue
		}
		v := rootVar(in)
		for u := in.Def.FirstUse(); u != nil && v != nil; u = u.NextUse() {
			if u.Instr == nil || isComplexUse(u) {
				st.ok[v.ID] = false
			}
		}
	}
}

// round splits all variables that can be, one level.
func (st *splitState) round(s *ir.Shader) (any bool) {
	consider := func(vars []*ir.Variable) {
		for _, v := range vars {
			st.ok[v.ID] = v.Mode&st.modes != 0 && st.sp.wants(v.Type) > 0 && v.Init == nil && v.PointerInit == nil
		}
	}
	consider(s.Variables)
	for _, f := range s.Functions {
		if f.Impl != nil {
			consider(f.Impl.Locals)
			st.examine(f.Impl)
			if s.Info.Kernel {
				st.keepEscaped(f.Impl)
			}
		}
	}
	s.Variables, any = st.makeParts(s.Variables, func(t *ir.Type, name string) *ir.Variable {
		v := s.NewVariable(ir.ModeShaderTemp, t, name)
		s.Variables = s.Variables[:len(s.Variables)-1]
		return v
	})
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		var did bool
		impl := f.Impl
		impl.Locals, did = st.makeParts(impl.Locals, func(t *ir.Type, name string) *ir.Variable {
			v := impl.NewLocal(t, name)
			impl.Locals = impl.Locals[:len(impl.Locals)-1]
			return v
		})
		any = any || did
	}
	if !any {
		return false
	}
	return eachImpl(s, ir.MetaControlFlow, st.rewrite) || any
}

// examine finds uses that keep variables whole.
func (st *splitState) examine(impl *ir.Impl) {
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindDeref {
				continue
			}
			v := rootVar(in)
			if v == nil || !st.ok[v.ID] || st.below(in) {
				continue
			}
			whole := in.Deref == ir.DerefVar || st.sp.passes(in)
			if st.sp.cut(in) >= 0 {
				continue
			}
			for u := in.Def.FirstUse(); u != nil && whole; u = u.NextUse() {
				whole = u.Instr.Kind == ir.KindDeref && u == &u.Instr.Srcs[0] && u.Instr.Deref != ir.DerefCast && u.Instr.Deref != ir.DerefPtrAsArray
			}
			if !whole {
				st.ok[v.ID] = false
			}
		}
	}
}

// below reports whether a deref stands after the one where its variable is cut.
func (st *splitState) below(in *ir.Instr) bool {
	for d := derefParent(in); d != nil && d.Deref != ir.DerefVar; d = derefParent(d) {
		if st.sp.cut(d) >= 0 && st.atCut(d) {
			return true
		}
	}
	return false
}

// atCut reports whether only passing derefs stand between in and its variable.
func (st *splitState) atCut(in *ir.Instr) bool {
	for d := derefParent(in); d != nil; d = derefParent(d) {
		if d.Deref == ir.DerefVar {
			return true
		}
		if !st.sp.passes(d) {
			return false
		}
	}
	return false
}

func (st *splitState) makeParts(vars []*ir.Variable, fresh func(*ir.Type, string) *ir.Variable) (out []*ir.Variable, any bool) {
	for _, v := range vars {
		if !st.ok[v.ID] {
			out = append(out, v)
			continue
		}
		parts := make([]*ir.Variable, st.sp.wants(v.Type))
		for i := range parts {
			parts[i] = fresh(st.sp.part(v.Type, i), v.Name+st.sp.name(v.Type, i))
			parts[i].Access, parts[i].Mediump = v.Access, v.Mediump
		}
		st.parts[v.ID] = parts
		out = append(out, parts...)
		any = true
	}
	return out, any
}

// rewrite builds the chains of split variables on their parts.
func (st *splitState) rewrite(impl *ir.Impl) (progress bool) {
	var links []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind != ir.KindDeref || st.sp.cut(in) < 0 || !st.atCut(in) {
				continue
			}
			v := derefVar(in)
			if v == nil || int(v.ID) >= len(st.parts) || st.parts[v.ID] == nil {
				continue
			}
			links = derefPath(links[:0], in)
			bld := builderBefore(in)
			d := bld.DerefVar(st.parts[v.ID][st.sp.cut(in)])
			for _, l := range links[1 : len(links)-1] {
				d = rebuildDeref(bld, l, d)
			}
			in.Def.RewriteUses(d)
			in.Remove()
			removeDeadDerefs(links[len(links)-2])
			progress = true
		}
	}
	if progress {
		removeUnusedDerefs(impl)
	}
	return progress
}
