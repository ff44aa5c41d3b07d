package passes

import (
	"slices"

	"nirc/ir"
)

// The functions of this file work on the interface of two stages that run in
// one pipeline: producer writes outputs that consumer reads. Both are before
// lower_io, each with its entry point's functions inlined or not; inputs and
// outputs meet by location and component. Only user locations are looked at;
// built-in slots, captured outputs and always active variables are left alone.

// slotMask has a bit for each component of a user slot: slot*4 + component.
type slotMask [ir.NumVaryingSlots * 4 / 64]uint64

func (m *slotMask) add(o *slotMask) {
	for i := range m {
		m[i] |= o[i]
	}
}

func (m *slotMask) meets(o *slotMask) bool {
	for i := range m {
		if m[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// varyingMask returns the components that a variable may reach, and the type
// of one vertex of it.
func varyingMask(s *ir.Shader, v *ir.Variable) (m slotMask, t *ir.Type) {
	t = v.Type
	if arrayedIO(s, v) && t.IsArray() {
		t = t.Elem
	}
	leaf := t.WithoutArray()
	comps := uint64(15)
	if leaf.IsNumeric() && leaf.Bits <= 32 {
		comps = (1<<leaf.Rows - 1) << v.Component & 15
	}
	for k := range int(t.SlotCount()) {
		if at := (int(v.Location) + k) * 4; at >= 0 && at < len(m)*64 {
			m[at/64] |= comps << (at % 64)
		}
	}
	return m, t
}

// isVarying reports whether v belongs to the interface of the mode.
func isVarying(s *ir.Shader, v *ir.Variable, mode ir.Mode) bool {
	return v.Mode == mode && userLocation(s, v) && v.Location >= int32(ir.SlotVar0)
}

// usedVariables tells by variable place which are named by a deref that
// something uses.
func usedVariables(s *ir.Shader, at []int32) []bool {
	used := make([]bool, len(s.Variables))
	eachIODeref(s, func(_ *ir.Impl, in *ir.Instr, v *ir.Variable) {
		if in.Deref == ir.DerefVar && !in.Def.Unused() {
			used[at[v.ID]] = true
		}
	})
	return used
}

// RemoveUnusedIO makes private variables of outputs that consumer never reads,
// and of inputs that producer never writes, which have no defined value. Their
// stores and loads are left for other passes. It tells which shader changed.
func RemoveUnusedIO(producer, consumer *ir.Shader) (outputs, inputs bool) {
	var written, read slotMask
	collectMask := func(s *ir.Shader, mode ir.Mode, m *slotMask) {
		used := usedVariables(s, variableIndex(s))
		for i, v := range s.Variables {
			if isVarying(s, v, mode) && (used[i] || v.AlwaysActive) {
				x, _ := varyingMask(s, v)
				m.add(&x)
			}
		}
	}
	collectMask(producer, ir.ModeShaderOut, &written)
	collectMask(consumer, ir.ModeShaderIn, &read)
	if producer.Stage == ir.StageTessCtrl {
		// Invocations read each other's outputs.
		read.add(&written)
	}
	return makePrivate(producer, ir.ModeShaderOut, &read), makePrivate(consumer, ir.ModeShaderIn, &written)
}

// makePrivate turns the varyings of a mode that the other side leaves alone
// into private variables.
func makePrivate(s *ir.Shader, mode ir.Mode, other *slotMask) bool {
	progress := false
	for _, v := range s.Variables {
		if !isVarying(s, v, mode) || v.AlwaysActive || v.XfbBuffer >= 0 {
			continue
		}
		if m, _ := varyingMask(s, v); m.meets(other) {
			continue
		}
		v.Mode, v.Location, v.Component = ir.ModeShaderTemp, -1, 0
		v.Interp, v.Centroid, v.Sample, v.Patch = ir.InterpNone, false, false, false
		progress = true
	}
	if progress {
		eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool { return followMode(impl, mode) })
	}
	return progress
}

// followMode gives derefs of a mode the mode that their variable has now;
// interpolation of a private variable is a load.
func followMode(impl *ir.Impl, mode ir.Mode) (changed bool) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindDeref && in.DerefInfo().Modes == mode {
				if v := rootVar(in); v != nil && v.Mode != mode {
					in.DerefInfo().Modes = v.Mode
					changed = true
				}
				continue
			}
			if in.Kind != ir.KindIntrinsic || len(in.Srcs) == 0 {
				continue
			}
			switch in.Intr {
			case ir.IntrInterpDerefAtCentroid, ir.IntrInterpDerefAtOffset, ir.IntrInterpDerefAtSample, ir.IntrInterpDerefAtVertex:
				if d := derefOf(in.Srcs[0].Def); d != nil && d.DerefInfo().Modes == ir.ModeShaderTemp {
					in.Def.RewriteUses(builderBefore(in).LoadDeref(in.Srcs[0].Def, 0))
					in.Remove()
					changed = true
				}
			}
		}
	}
	return changed
}

// LinkOptVaryings lets consumer, a fragment shader, do without inputs whose
// value is known: where producer stores a constant as its only store, inputs
// are that constant, and where it stores one value to two outputs of the same
// interpolation, consumer reads the first. Both are in SSA form. It reports
// whether consumer changed.
func LinkOptVaryings(producer, consumer *ir.Shader) bool {
	if producer.Stage != ir.StageVertex && producer.Stage != ir.StageTessEval || consumer.Stage != ir.StageFragment {
		return false
	}
	stores := onlyStores(producer)
	inputs := linkableInputs(consumer)
	progress := false
	for i, out := range stores {
		in := findVarying(inputs, out.v)
		if in == nil {
			continue
		}
		if out.value.IsConst() {
			replaceLoads(consumer, in, func(b *ir.Builder, bits uint8) *ir.Def { return b.Const(bits, out.value.Instr.Imm...) })
			progress = true
			continue
		}
		for _, earlier := range stores[:i] {
			first := findVarying(inputs, earlier.v)
			if earlier.value == out.value && first != nil && first != in && sameInterpolation(first, in) && first.Type.Equal(in.Type) {
				replaceLoads(consumer, in, func(b *ir.Builder, _ uint8) *ir.Def { return b.LoadVar(first) })
				progress = true
				break
			}
		}
	}
	return progress
}

// onlyStore is the one store that an output gets.
type onlyStore struct {
	v     *ir.Variable
	value *ir.Def
}

// onlyStores lists, by location and component, the outputs that are stored
// once, whole, and on every way to the end.
func onlyStores(s *ir.Shader) (list []onlyStore) {
	f := s.Entry()
	if f == nil || f.Impl == nil {
		return nil
	}
	at := variableIndex(s)
	found := make([]onlyStore, len(s.Variables))
	bad := make([]bool, len(s.Variables))
	eachIODeref(s, func(impl *ir.Impl, in *ir.Instr, v *ir.Variable) {
		for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
			st := u.Instr
			whole := st != nil && st.IsIntrinsic(ir.IntrStoreDeref) && u == &st.Srcs[0] && in.Deref == ir.DerefVar && impl == f.Impl &&
				ir.Parent(st.Block) == nil && st.Get(ir.IdxWriteMask) == 1<<v.Type.Rows-1
			if !whole || found[at[v.ID]].value != nil || len(impl.End.Preds) != 1 {
				bad[at[v.ID]] = true
				continue
			}
			found[at[v.ID]] = onlyStore{v, st.Srcs[1].Def}
		}
	})
	for i, v := range s.Variables {
		if isVarying(s, v, ir.ModeShaderOut) && found[i].value != nil && !bad[i] && v.Type.IsVectorOrScalar() {
			list = append(list, found[i])
		}
	}
	slices.SortStableFunc(list, func(a, b onlyStore) int { return compareLocation(a.v, b.v) })
	return list
}

// linkableInputs are the inputs whose every use is a load or interpolation of
// the whole.
func linkableInputs(s *ir.Shader) (list []*ir.Variable) {
	at := variableIndex(s)
	bad := make([]bool, len(s.Variables))
	eachIODeref(s, func(_ *ir.Impl, in *ir.Instr, v *ir.Variable) {
		bad[at[v.ID]] = bad[at[v.ID]] || !vectorAccesses(in)
	})
	for i, v := range s.Variables {
		if isVarying(s, v, ir.ModeShaderIn) && !bad[i] && v.Type.IsVectorOrScalar() {
			list = append(list, v)
		}
	}
	return list
}

// findVarying returns the variable of the list that is all of output v, or nil.
func findVarying(list []*ir.Variable, v *ir.Variable) *ir.Variable {
	for _, x := range list {
		if x.Location == v.Location && x.Component == v.Component && x.Patch == v.Patch && x.Type.IsVectorOrScalar() && v.Type.IsVectorOrScalar() &&
			x.Type.Rows == v.Type.Rows && x.Type.Bits == v.Type.Bits && x.Type.Base != ir.BaseBool {
			return x
		}
	}
	return nil
}

// sameInterpolation reports whether two inputs see a value in the same way.
func sameInterpolation(a, b *ir.Variable) bool {
	return a.Interp == b.Interp && a.Centroid == b.Centroid && a.Sample == b.Sample && a.Patch == b.Patch && a.PerPrimitive == b.PerPrimitive
}

// replaceLoads gives every plain load of v another value; places where v is
// interpolated by hand keep it.
func replaceLoads(s *ir.Shader, v *ir.Variable, value func(b *ir.Builder, bits uint8) *ir.Def) {
	eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		for b := range impl.Blocks() {
			for in := range b.Instrs() {
				if !in.IsIntrinsic(ir.IntrLoadDeref) {
					continue
				}
				if d := derefOf(in.Srcs[0].Def); d != nil && d.Deref == ir.DerefVar && d.DerefInfo().Var == v {
					in.Def.RewriteUses(value(builderBefore(in), in.Def.BitSize))
					in.Remove()
					removeDeadDerefs(d)
					changed = true
				}
			}
		}
		return changed
	})
}
