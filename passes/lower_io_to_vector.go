package passes

import (
	"slices"
	"strings"

	"nirc/ir"
)

var lowerIOToVectorPass = &Pass{
	Name: "lower_io_to_vector", Class: "B", Run: lowerIOToVector, Idempotent: true,
	Doc: "Merges inputs or outputs that lie in different components of one slot into one vector variable. Input: scalar and vector variables of 16 or 32 bits (or " +
		"arrays of them of one length) at user locations, that agree in type, interpolation and all other qualities. Output: one variable from the lowest " +
		"component to the highest, of outputs only where no other output lies between; loads pick their components, stores have write masks.",
	Options: []Option{
		{Name: "modes", Doc: "shader_in, shader_out or both", Default: ir.ModeShaderIn | ir.ModeShaderOut},
	},
}

// componentMerge is a set of variables that become one.
type componentMerge struct {
	vars   []*ir.Variable
	vector *ir.Variable
}

func lowerIOToVector(c *Context, s *ir.Shader) (bool, error) {
	at := variableIndex(s)
	skip := make([]bool, len(s.Variables))
	eachIODeref(s, func(_ *ir.Impl, in *ir.Instr, v *ir.Variable) {
		skip[at[v.ID]] = skip[at[v.ID]] || !vectorAccesses(in)
	})
	byVar, progress := mergeComponents(s, c.Modes("modes"), at, skip)
	if !progress {
		return false, nil
	}
	merged := func(v *ir.Variable) *componentMerge {
		if v == nil || int(v.ID) >= len(at) || v.Mode&(ir.ModeShaderIn|ir.ModeShaderOut) == 0 {
			return nil
		}
		return byVar[at[v.ID]]
	}
	eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		for b := range impl.Blocks() {
			for in := range b.Instrs() {
				if in.Kind != ir.KindIntrinsic || len(in.Srcs) == 0 {
					continue
				}
				if d := derefOf(in.Srcs[0].Def); d != nil {
					if v := rootVar(d); merged(v) != nil {
						merged(v).access(in, d, v)
						changed = true
					}
				}
			}
		}
		return changed
	})
	removeVariables(s, func(v *ir.Variable) bool { return merged(v) != nil })
	return true, nil
}

// mergeComponents makes the vectors; it returns by variable place what each
// becomes part of, and whether anything does.
func mergeComponents(s *ir.Shader, modes ir.Mode, at []int32, skip []bool) (byVar []*componentMerge, progress bool) {
	byVar = make([]*componentMerge, len(s.Variables))
	var list []*ir.Variable
	for i, v := range s.Variables {
		t := v.Type.WithoutArray()
		if v.Mode&modes != 0 && !skip[i] && !v.Compact && t.IsVectorOrScalar() && t.Bits <= 32 && t.Base != ir.BaseBool && v.Init == nil &&
			v.XfbBuffer < 0 && v.Component+t.Rows <= 4 && v.Component <= 3 && userLocation(s, v) {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, compareLocation)
	for i, v := range list {
		if byVar[at[v.ID]] != nil {
			continue
		}
		m := &componentMerge{vars: []*ir.Variable{v}}
		for _, u := range list[i+1:] {
			if u.Location != v.Location {
				break
			}
			if byVar[at[u.ID]] == nil && m.takes(u) && !m.covers(s, u) {
				m.vars = append(m.vars, u)
			}
		}
		if len(m.vars) < 2 {
			continue
		}
		m.make(s)
		for _, u := range m.vars {
			byVar[at[u.ID]] = m
		}
		progress = true
	}
	return byVar, progress
}

// takes reports whether u can join the variables of m, which lie before it.
func (m *componentMerge) takes(u *ir.Variable) bool {
	v, last := m.vars[0], m.vars[len(m.vars)-1]
	t, w := v.Type.WithoutArray(), u.Type.WithoutArray()
	if u.Component < last.Component+last.Type.WithoutArray().Rows {
		return false // they overlap
	}
	for a, b := v.Type, u.Type; a.IsArray() || b.IsArray(); a, b = a.Elem, b.Elem {
		if !a.IsArray() || !b.IsArray() || a.Len != b.Len {
			return false
		}
	}
	return v.Mode == u.Mode && t.Base == w.Base && t.Bits == w.Bits && v.Index == u.Index && v.Interp == u.Interp && v.Centroid == u.Centroid &&
		v.Sample == u.Sample && v.Patch == u.Patch && v.Invariant == u.Invariant && v.PerView == u.PerView && v.PerVertex == u.PerVertex &&
		v.PerPrimitive == u.PerPrimitive && v.FBFetch == u.FBFetch && v.Stream == u.Stream && v.Mediump == u.Mediump && v.Access == u.Access
}

// covers reports whether the vector of outputs that ends with u would have components that another output has: what stores
// the vector whole would store them.
func (m *componentMerge) covers(s *ir.Shader, u *ir.Variable) bool {
	last := m.vars[len(m.vars)-1]
	from := last.Component + last.Type.WithoutArray().Rows
	if u.Mode != ir.ModeShaderOut || from == u.Component {
		return false
	}
	return slices.ContainsFunc(s.Variables, func(x *ir.Variable) bool {
		if x.Mode != u.Mode || x.Index != u.Index || x.Location > u.Location || int64(u.Location-x.Location) >= int64(x.Type.SlotCount()) {
			return false
		}
		t := x.Type.WithoutArray()
		return !t.IsVectorOrScalar() || t.Bits > 32 || x.Component < u.Component && x.Component+t.Rows > from
	})
}

// make adds the vector.
func (m *componentMerge) make(s *ir.Shader) {
	v, last := m.vars[0], m.vars[len(m.vars)-1]
	t := v.Type.WithoutArray()
	rows := last.Component + last.Type.WithoutArray().Rows - v.Component
	m.vector = copyVariable(s, v, withLeaf(v.Type, ir.VectorType(t.Base, t.Bits, rows)), m.name())
}

// name joins the names; components of one variable get its name back.
func (m *componentMerge) name() string {
	whole, _ := strings.CutSuffix(m.vars[0].Name, ".x")
	name, same := m.vars[0].Name, whole != m.vars[0].Name
	for k, u := range m.vars[1:] {
		name += "+" + u.Name
		same = same && k < 3 && u.Name == whole+"."+"yzw"[k:k+1]
	}
	if same {
		return whole
	}
	return name
}

// access rewrites an access of v through d.
func (m *componentMerge) access(in, d *ir.Instr, v *ir.Variable) {
	b := builderBefore(in)
	first := int(v.Component - m.vector.Component)
	p := rebase(b, d, m.vector)
	rows := int(m.vector.Type.WithoutArray().Rows)
	if in.Intr == ir.IntrStoreDeref {
		var sel [4]int
		for k := range int(in.Srcs[1].Def.NumComponents) {
			sel[first+k] = k
		}
		b.StoreDeref(p, b.Swizzle(in.Srcs[1].Def, sel[:rows]...), uint16(in.Get(ir.IdxWriteMask))<<first, ir.Access(in.Get(ir.IdxAccess)))
	} else {
		var srcs [2]*ir.Def
		for i := range in.Srcs {
			srcs[i] = in.Srcs[i].Def
		}
		srcs[0] = p
		l := b.Intrinsic(in.Intr, uint8(rows), in.Def.BitSize, srcs[:len(in.Srcs)]...)
		copy(l.Imm, in.Imm)
		in.Def.RewriteUses(b.Channels(&l.Def, first, int(in.Def.NumComponents)))
	}
	in.Remove()
	removeDeadDerefs(d)
}
