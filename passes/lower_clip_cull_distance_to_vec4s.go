package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerClipCullDistanceToVec4sPass = &Pass{
	Name: "lower_clip_cull_distance_to_vec4s", Class: "A", Run: lowerClipCullDistanceToVec4s, Idempotent: true,
	Instead: "linking: lower_io makes slots of the arrays' elements; it stays for targets that want variables",
	Doc: "Turns the compact array of clip and cull distances into one or two vec4 variables. Input: what lower_clip_cull_distance_arrays gives, stored by " +
		"constant indices. Output: vec4 variables at CLIP_DIST0 and CLIP_DIST1, stores with write masks; a load by a dynamic index selects.",
}

func lowerClipCullDistanceToVec4s(_ *Context, s *ir.Shader) (bool, error) {
	progress := false
	for _, mode := range []ir.Mode{ir.ModeShaderIn, ir.ModeShaderOut} {
		v := distanceArray(s, mode, ir.SlotClipDist0)
		if v == nil {
			continue
		}
		l := distanceVectors{s: s, v: v, perVertex: v.Type.Elem.IsArray()}
		if err := l.run(); err != nil {
			return progress, err
		}
		progress = true
	}
	return progress, nil
}

// distanceVectors replaces the array v by vectors.
type distanceVectors struct {
	s         *ir.Shader
	v         *ir.Variable
	perVertex bool
	vec       [2]*ir.Variable
	b         *ir.Builder
}

func (l *distanceVectors) run() error {
	if n := int(distanceLen(l.v)); n > 4*len(l.vec) {
		return fmt.Errorf("%d clip and cull distances are more than %d", n, 4*len(l.vec))
	}
	var list []*ir.Instr
	for _, f := range l.s.Functions {
		if f.Impl == nil {
			continue
		}
		if in := wholeDistances(f.Impl, l.v, l.v); in != nil {
			return diag(l.s, in, "clip or cull distances copied as a whole")
		}
		for b := range f.Impl.Blocks() {
			for in := range b.Instrs() {
				if in.Kind == ir.KindDeref && rootVar(in) == l.v {
					list = append(list, in)
				}
			}
		}
	}
	for i := range (distanceLen(l.v) + 3) / 4 {
		t := ir.VectorType(ir.BaseFloat, 32, 4)
		if l.perVertex {
			t = ir.ArrayType(t, l.v.Type.Len, 0)
		}
		n := l.s.NewVariable(l.v.Mode, t, l.v.Name)
		id := n.ID
		*n = *l.v
		n.ID, n.Type, n.Location, n.Component, n.Compact = id, t, l.v.Location+int32(i), 0, false
		l.vec[i] = n
	}
	for _, d := range list {
		if err := l.accesses(d); err != nil {
			return err
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		list[i].Remove()
	}
	for i, v := range l.s.Variables {
		if v == l.v {
			l.s.Variables = append(l.s.Variables[:i], l.s.Variables[i+1:]...)
			break
		}
	}
	eachImpl(l.s, ir.MetaControlFlow, func(*ir.Impl) bool { return true })
	return nil
}

// accesses rewrites what loads and stores an element.
func (l *distanceVectors) accesses(d *ir.Instr) error {
	for u := range d.Def.Uses() {
		in := u.Instr
		if in.Kind == ir.KindDeref {
			continue
		}
		l.b = builderBefore(in)
		k, ok := d.Srcs[1].Def.Const(0)
		switch {
		case in.Intr == ir.IntrStoreDeref && u == &in.Srcs[0] && ok && k < uint64(distanceLen(l.v)):
			val := l.b.Swizzle(in.Srcs[1].Def, 0, 0, 0, 0)
			l.b.StoreDeref(l.at(int(k/4), d), val, 1<<(k%4), ir.Access(in.Get(ir.IdxAccess)))
		case in.Intr == ir.IntrLoadDeref:
			in.Def.RewriteUses(l.load(d, k, ok))
		default:
			return diag(l.s, in, "clip or cull distance stored by a dynamic index, or interpolated elsewhere")
		}
		in.Remove()
	}
	return nil
}

// at builds the deref of vector i that element d of the array lies in.
func (l *distanceVectors) at(i int, d *ir.Instr) *ir.Def {
	p := l.b.DerefVar(l.vec[i])
	if l.perVertex {
		p = l.b.DerefArray(p, d.Srcs[0].Def.Instr.Srcs[1].Def)
	}
	return p
}

// load reads the element d: k if that is constant.
func (l *distanceVectors) load(d *ir.Instr, k uint64, constant bool) *ir.Def {
	n := int(distanceLen(l.v))
	if constant {
		k = min(k, uint64(n-1))
		return l.b.Channel(l.b.LoadDeref(l.at(int(k/4), d), 0), int(k%4))
	}
	var all [2]*ir.Def
	for i := range (n + 3) / 4 {
		all[i] = l.b.LoadDeref(l.at(i, d), 0)
	}
	index := d.Srcs[1].Def
	if all[1] == nil {
		return vectorExtract(l.b, all[0], index)
	}
	low := l.b.Iand(index, l.b.ImmInt(3, index.BitSize))
	second := l.b.Uge(index, l.b.ImmInt(4, index.BitSize))
	return l.b.Bcsel(second, vectorExtract(l.b, all[1], low), vectorExtract(l.b, all[0], low))
}
