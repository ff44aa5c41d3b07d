package passes

import (
	"math/bits"

	"nirc/ir"
)

// The files link_*.go work on the interface of two stages that run in one
// pipeline: producer writes outputs that consumer reads. Both are before
// lower_io and have everything in their entry points; inputs and
// outputs meet by location and component. Only user locations are looked at;
// built-in slots, captured outputs, other streams than the first and always active variables are left alone.

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

// size counts the components, and the slots that have any.
func (m *slotMask) size() (comps, slots int) {
	for _, w := range m {
		comps += bits.OnesCount64(w)
		for ; w != 0; w >>= 4 {
			if w&15 != 0 {
				slots++
			}
		}
	}
	return comps, slots
}

// vertexType is the type of one vertex of an input or output.
func vertexType(s *ir.Shader, v *ir.Variable) *ir.Type {
	if arrayedIO(s, v) && v.Type.IsArray() {
		return v.Type.Elem
	}
	return v.Type
}

// leafMask are the components that a leaf takes in each of its slots.
func leafMask(leaf *ir.Type, component uint8) uint64 {
	if leaf.IsNumeric() && leaf.Bits <= 32 {
		return (1<<leaf.Rows - 1) << component & 15
	}
	return 15
}

// varyingMask returns the components that a variable may reach, and the type
// of one vertex of it.
func varyingMask(s *ir.Shader, v *ir.Variable) (m slotMask, t *ir.Type) {
	t = vertexType(s, v)
	comps := leafMask(t.WithoutArray(), v.Component)
	for k := range int(t.SlotCount()) {
		if at := (int(v.Location) + k) * 4; at >= 0 && at < len(m)*64 {
			m[at/64] |= comps << (at % 64)
		}
	}
	return m, t
}

// isVarying reports whether v belongs to the interface of the mode.
func isVarying(s *ir.Shader, v *ir.Variable, mode ir.Mode) bool {
	return v.Mode == mode && userLocation(s, v) && v.Location >= int32(ir.SlotVar0) && v.Stream == 0
}

// varyingUses says by variable place what a stage does with its inputs and outputs.
type varyingUses struct {
	at           []int32
	used, loaded []bool // named by a deref that something uses; and not only stored to
}

func usesOfVaryings(s *ir.Shader) varyingUses {
	u := varyingUses{variableIndex(s), make([]bool, len(s.Variables)), make([]bool, len(s.Variables))}
	eachIODeref(s, func(_ *ir.Impl, in *ir.Instr, v *ir.Variable) {
		i := u.at[v.ID]
		if in.Deref == ir.DerefVar && !in.Def.Unused() {
			u.used[i] = true
		}
		for use := range in.Def.Uses() {
			if use.Instr == nil || use.Instr.Kind != ir.KindDeref && (!use.Instr.IsIntrinsic(ir.IntrStoreDeref) || use != &use.Instr.Srcs[0]) {
				u.loaded[i] = true
			}
		}
	})
	return u
}

// mask are the components of a mode's varyings that pick picks.
func (u *varyingUses) mask(s *ir.Shader, mode ir.Mode, pick func(i int, v *ir.Variable) bool) (m slotMask) {
	for i, v := range s.Variables {
		if isVarying(s, v, mode) && pick(i, v) {
			x, _ := varyingMask(s, v)
			m.add(&x)
		}
	}
	return m
}

// VaryingSize counts the components and the slots at user locations that a
// stage's code names, of its inputs or its outputs.
func VaryingSize(s *ir.Shader, mode ir.Mode) (comps, slots int) {
	u := usesOfVaryings(s)
	m := u.mask(s, mode, func(i int, _ *ir.Variable) bool { return u.used[i] })
	return m.size()
}

// inputLoads calls f for each load or interpolation of an input: a whole one, or a whole vertex of it.
func inputLoads(s *ir.Shader, v *ir.Variable, f func(b *ir.Builder, in, d *ir.Instr) *ir.Def) bool {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			return (in.Intr == ir.IntrLoadDeref || isInterp(in)) && rootVar(derefOf(in.Srcs[0].Def)) == v
		})
		for _, in := range list {
			d := derefOf(in.Srcs[0].Def)
			in.Def.RewriteUses(f(builderBefore(in), in, d))
			in.Remove()
			removeDeadDerefs(d)
		}
		return len(list) > 0
	})
}
