package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerClipCullDistanceArraysPass = &Pass{
	Name:  "lower_clip_cull_distance_arrays",
	Class: "A",
	Doc: "Puts the cull distances behind the clip distances into one compact array, as hardware takes them. Input: compact float arrays at slots CLIP_DIST0 and " +
		"CULL_DIST0, accessed element by element (lower_var_copies before). Output: one array at CLIP_DIST0, clip_distances and cull_distances in the shader's " +
		"facts. Both stages of an interface take it.",
	Run:        lowerClipCullDistanceArrays,
	Idempotent: true,
}

var lowerClipCullDistanceToVec4sPass = &Pass{
	Name:  "lower_clip_cull_distance_to_vec4s",
	Class: "A",
	Doc: "Turns the compact array of clip and cull distances into one or two vec4 variables. Input: what lower_clip_cull_distance_arrays gives, stored by " +
		"constant indices. Output: vec4 variables at CLIP_DIST0 and CLIP_DIST1, stores with write masks; a load by a dynamic index selects.",
	Run:        lowerClipCullDistanceToVec4s,
	Idempotent: true,
}

// distanceArray returns the compact array of a mode at a slot, or nil.
func distanceArray(s *ir.Shader, mode ir.Mode, slot ir.Slot) *ir.Variable {
	if mode == ir.ModeShaderIn && s.Stage == ir.StageVertex || mode == ir.ModeShaderOut && s.Stage == ir.StageFragment {
		return nil // attributes and results have other slots
	}
	for _, v := range s.Variables {
		if v.Mode == mode && v.Compact && v.Location == int32(slot) {
			return v
		}
	}
	return nil
}

// distanceLen is the number of distances that v holds a vertex.
func distanceLen(v *ir.Variable) uint32 {
	if v == nil {
		return 0
	}
	t := v.Type
	for t.Elem.IsArray() {
		t = t.Elem
	}
	return t.Len
}

// withDistances returns t with n elements in its innermost array.
func withDistances(t *ir.Type, n uint32) *ir.Type {
	if t.Elem.IsArray() {
		return ir.ArrayType(withDistances(t.Elem, n), t.Len, t.Stride)
	}
	return ir.ArrayType(t.Elem, n, t.Stride)
}

func lowerClipCullDistanceArrays(_ *Context, s *ir.Shader) (progress bool, err error) {
	for _, mode := range []ir.Mode{ir.ModeShaderIn, ir.ModeShaderOut} {
		clip, cull := distanceArray(s, mode, ir.SlotClipDist0), distanceArray(s, mode, ir.SlotCullDist0)
		if cull == nil {
			continue
		}
		n, k := distanceLen(clip), distanceLen(cull)
		if n+k > 8 {
			return progress, fmt.Errorf("%d clip and %d cull distances are more than 8", n, k)
		}
		if clip != nil {
			if err := joinDistances(s, clip, cull, n, k); err != nil {
				return progress, err
			}
		} else {
			cull.Location = int32(ir.SlotClipDist0)
		}
		if mode == ir.ModeShaderOut {
			s.Captures = moveCaptures(s.Captures, n)
		}
		if mode == ir.ModeShaderOut || s.Stage == ir.StageFragment {
			s.Info.ClipDistances, s.Info.CullDistances = uint8(n), uint8(k)
		}
		progress = true
	}
	return progress, nil
}

// moveCaptures brings the captured cull distances behind n clip distances. A
// run that then lies in two slots becomes two.
func moveCaptures(list []ir.Capture, n uint32) []ir.Capture {
	var moved []ir.Capture
	for _, c := range list {
		if c.Slot != ir.SlotCullDist0 && c.Slot != ir.SlotCullDist1 {
			moved = append(moved, c)
			continue
		}
		at := uint32(c.Slot-ir.SlotCullDist0)*4 + uint32(c.First) + n
		for left := uint32(c.Count); left > 0; {
			part := min(left, 4-at%4)
			c.Slot, c.First, c.Count = ir.SlotClipDist0+ir.Slot(at/4), uint8(at%4), uint8(part)
			moved = append(moved, c)
			c.Offset += c.Size()
			at += part
			left -= part
		}
	}
	return moved
}

// joinDistances makes clip hold the n distances it has and the k of cull,
// which goes.
func joinDistances(s *ir.Shader, clip, cull *ir.Variable, n, k uint32) error {
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		if in := wholeDistances(f.Impl, clip, cull); in != nil {
			return diag(s, in, "clip or cull distances copied as a whole")
		}
	}
	clip.Type = withDistances(clip.Type, n+k)
	eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		for b := range impl.Blocks() {
			for in := range b.Instrs() {
				if in.Kind == ir.KindDeref {
					changed = joinDeref(in, clip, cull, n) || changed
				}
			}
		}
		return changed
	})
	for i, v := range s.Variables {
		if v == cull {
			s.Variables = append(s.Variables[:i], s.Variables[i+1:]...)
			break
		}
	}
	return nil
}

// wholeDistances returns an access to more than an element of the arrays, or nil.
func wholeDistances(impl *ir.Impl, clip, cull *ir.Variable) *ir.Instr {
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindDeref {
				continue
			}
			if v := rootVar(in); v != clip && v != cull {
				continue
			}
			if in.Deref != ir.DerefVar && in.Deref != ir.DerefArray {
				return in
			}
			for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
				if u.Instr != nil && u.Instr.Kind != ir.KindDeref && !in.DerefInfo().Type.IsScalar() {
					return u.Instr
				}
			}
		}
	}
	return nil
}

// joinDeref brings a deref of either array to the joined one.
func joinDeref(in *ir.Instr, clip, cull *ir.Variable, n uint32) bool {
	d := in.DerefInfo()
	if in.Deref == ir.DerefVar {
		if d.Var != clip && d.Var != cull {
			return false
		}
		if d.Var == cull {
			in.Flags = 1 // its elements move
		} else {
			in.Flags = 0
		}
		d.Var, d.Type = clip, clip.Type
		return true
	}
	if rootVar(in) != clip {
		return false
	}
	p := in.Srcs[0].Def.Instr
	in.Flags = p.Flags
	if d.Type.IsScalar() && in.Flags == 1 {
		b := ir.NewBuilder(ir.Before(in))
		i := in.Srcs[1].Def
		if k, ok := i.Const(0); ok {
			in.Srcs[1].Set(b.ImmInt(int64(k)+int64(n), i.BitSize))
		} else {
			in.Srcs[1].Set(b.IAddImm(i, int64(n)))
		}
	}
	d.Type = p.DerefInfo().Type.Child()
	return true
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
