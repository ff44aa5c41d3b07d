package passes

import (
	"fmt"
	"slices"

	"nirc/ir"
)

var lowerClipCullDistanceToVec4sPass = &Pass{
	Name: "lower_clip_cull_distance_to_vec4s", Class: "A", Run: lowerClipCullDistanceToVec4s, Idempotent: true,
	Instead: "hardware: lower_io makes components of slots of the elements, as all targets take them; it stays for targets without compact arrays, which want vectors as variables",
	Doc: "Turns the compact arrays of clip and cull distances into one or two vec4 variables. Input: what lower_clip_cull_distance_arrays gives, stored by " +
		"constant indices. Output: vec4 variables at CLIP_DIST0 and CLIP_DIST1, stores with write masks; a load by a dynamic index selects.",
}

func lowerClipCullDistanceToVec4s(_ *Context, s *ir.Shader) (bool, error) {
	progress := false
	for _, mode := range []ir.Mode{ir.ModeShaderIn, ir.ModeShaderOut} {
		l := distanceVectors{s: s, mode: mode}
		if l.arrays = distanceArrays(s, mode); l.arrays == nil {
			continue
		}
		if err := l.run(); err != nil {
			return progress, err
		}
		progress = true
	}
	return progress, nil
}

// distanceArrays returns the compact arrays of a mode in the slots CLIP_DIST0 and CLIP_DIST1.
func distanceArrays(s *ir.Shader, mode ir.Mode) (list []*ir.Variable) {
	for _, v := range s.Variables {
		slot := ir.Slot(v.Location)
		if v.Mode == mode && v.Compact && (slot == ir.SlotClipDist0 || slot == ir.SlotClipDist1) && !outerSlots(s, mode) {
			list = append(list, v)
		}
	}
	return list
}

// firstDistance is the number of an array's first distance among those of both slots.
func firstDistance(v *ir.Variable) uint32 {
	return 4*uint32(v.Location-int32(ir.SlotClipDist0)) + uint32(v.Component)
}

// distanceVectors replaces arrays by vectors.
type distanceVectors struct {
	s         *ir.Shader
	mode      ir.Mode
	arrays    []*ir.Variable
	perVertex bool
	vec       [2]*ir.Variable
	b         *ir.Builder
}

func (l *distanceVectors) run() error {
	n := 0
	for _, v := range l.arrays {
		n = max(n, int(firstDistance(v)+distanceLen(v)))
	}
	if n > 4*len(l.vec) {
		return fmt.Errorf("%d clip and cull distances are more than %d", n, 4*len(l.vec))
	}
	list, err := l.derefs()
	if err != nil {
		return err
	}
	for i := range (n + 3) / 4 {
		l.vec[i] = l.vector(ir.SlotClipDist0 + ir.Slot(i))
	}
	for _, d := range list {
		if err := l.accesses(d); err != nil {
			return err
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		list[i].Remove()
	}
	l.s.Variables = slices.DeleteFunc(l.s.Variables, func(v *ir.Variable) bool { return slices.Contains(l.arrays, v) })
	eachImpl(l.s, ir.MetaControlFlow, func(*ir.Impl) bool { return true })
	return nil
}

// vector makes the variable that holds the distances of a slot.
func (l *distanceVectors) vector(slot ir.Slot) *ir.Variable {
	like := l.arrays[0]
	t := ir.VectorType(ir.BaseFloat, 32, 4)
	if l.perVertex = like.Type.Elem.IsArray(); l.perVertex {
		t = ir.ArrayType(t, like.Type.Len, 0)
	}
	v := l.s.NewVariable(l.mode, t, like.Name)
	id := v.ID
	*v = *like
	v.ID, v.Type, v.Location, v.Component, v.Compact = id, t, int32(slot), 0, false
	return v
}

// derefs lists those that lead into the arrays.
func (l *distanceVectors) derefs() (list []*ir.Instr, err error) {
	for _, f := range l.s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			for in := range b.Instrs() {
				if in.Kind != ir.KindDeref || !slices.Contains(l.arrays, rootVar(in)) {
					continue
				}
				if u := wholeDistances(in); u != nil {
					return nil, diag(l.s, u, "clip or cull distances copied as a whole")
				}
				list = append(list, in)
			}
		}
	}
	return list, nil
}

// wholeDistances returns an access by a deref to more than an element of an array, or nil.
func wholeDistances(in *ir.Instr) *ir.Instr {
	if in.Deref != ir.DerefVar && in.Deref != ir.DerefArray {
		return in
	}
	for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr.Kind != ir.KindDeref && !in.DerefInfo().Type.IsScalar() {
			return u.Instr
		}
	}
	return nil
}

// accesses rewrites what loads and stores an element.
func (l *distanceVectors) accesses(d *ir.Instr) error {
	v := rootVar(d)
	n, first := uint64(distanceLen(v)), firstDistance(v)
	for u := range d.Def.Uses() {
		in := u.Instr
		if in.Kind == ir.KindDeref {
			continue
		}
		l.b = builderBefore(in)
		k, ok := d.Srcs[1].Def.Const(0)
		at := int(first) + int(min(k, n-1)) // beyond the end is undefined, but stays in the array
		switch {
		case in.Intr == ir.IntrStoreDeref && u == &in.Srcs[0] && ok && k < n:
			val := l.b.Swizzle(in.Srcs[1].Def, 0, 0, 0, 0)
			l.b.StoreDeref(l.at(at/4, d), val, 1<<(at%4), ir.Access(in.Get(ir.IdxAccess)))
		case in.Intr == ir.IntrLoadDeref && ok:
			in.Def.RewriteUses(l.b.Channel(l.b.LoadDeref(l.at(at/4, d), 0), at%4))
		case in.Intr == ir.IntrLoadDeref:
			in.Def.RewriteUses(l.choose(d, first))
		default:
			return diag(l.s, in, "clip or cull distance stored by a dynamic index, or interpolated elsewhere")
		}
		in.Remove()
	}
	return nil
}

// at builds the deref of vector i that element d of an array lies in.
func (l *distanceVectors) at(i int, d *ir.Instr) *ir.Def {
	p := l.b.DerefVar(l.vec[i])
	if l.perVertex {
		p = l.b.DerefArray(p, d.Srcs[0].Def.Instr.Srcs[1].Def)
	}
	return p
}

// choose reads the element d, of an array that begins at a distance, by its dynamic index.
func (l *distanceVectors) choose(d *ir.Instr, first uint32) *ir.Def {
	var all [2]*ir.Def
	for i := range all {
		if l.vec[i] != nil {
			all[i] = l.b.LoadDeref(l.at(i, d), 0)
		}
	}
	index := d.Srcs[1].Def
	if first != 0 {
		index = l.b.IAddImm(index, int64(first))
	}
	if all[1] == nil {
		return vectorExtract(l.b, all[0], index)
	}
	low := l.b.Iand(index, l.b.ImmInt(3, index.BitSize))
	second := l.b.Uge(index, l.b.ImmInt(4, index.BitSize))
	return l.b.Bcsel(second, vectorExtract(l.b, all[1], low), vectorExtract(l.b, all[0], low))
}
