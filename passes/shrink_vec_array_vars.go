package passes

import (
	"math/bits"

	"nirc/ir"
)

var shrinkVecArrayVarsPass = &Pass{
	Name: "shrink_vec_array_vars", Class: "B", Run: shrinkVecArrayVars, Idempotent: true, Optional: true,
	Options: []Option{{"modes", "modes whose variables shrink", ir.ModeFunctionTemp | ir.ModeShaderTemp}},
	Doc: "Cuts the ends off temporaries that are vectors, or arrays of them: components and elements that nothing reads, or nothing writes. What is stored there goes, and what is loaded from there is undefined. " +
		"Only variables that are loaded and stored, without initialisers and layouts. Needs lower_var_copies.",
}

func shrinkVecArrayVars(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes") & (ir.ModeFunctionTemp | ir.ModeShaderTemp)
	var vars, list []*extent
	consider := func(all []*ir.Variable) {
		for _, v := range all {
			if leaf := v.Type.WithoutArray(); v.Mode&modes != 0 && isLeafType(leaf) && !v.ExplicitLayout && v.Init == nil && v.PointerInit == nil {
				if vars == nil {
					vars = make([]*extent, highestVarID(s)+1)
				}
				e := &extent{v: v}
				vars[v.ID] = e
				list = append(list, e)
			}
		}
	}
	consider(s.Variables)
	for _, f := range s.Functions {
		if f.Impl != nil {
			consider(f.Impl.Locals)
		}
	}
	if len(list) == 0 {
		return false, nil
	}
	for _, f := range s.Functions {
		if f.Impl != nil {
			for in := range f.Impl.Instrs() {
				look(in, vars)
			}
		}
	}
	any := false
	for _, e := range list {
		any = e.cut() || any
	}
	if !any {
		return false, nil
	}
	eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool { return refit(impl, vars) })
	return true, nil
}

// extent is what of a variable is read and written: components, and how many elements of each
// level of arrays, the outermost first.
type extent struct {
	v             *ir.Variable
	whole         bool // it must stay as it is
	indexed       bool // components have derefs: it stays a vector
	read, written part
	shrunk        bool
}

// part is a reach into a variable.
type part struct {
	comps uint64
	lens  [4]uint64
}

// look notes a use of a variable.
func look(in *ir.Instr, vars []*extent) {
	if in.Kind != ir.KindDeref {
		return
	}
	v := rootVar(in)
	if v == nil || vars[v.ID] == nil {
		return
	}
	e := vars[v.ID]
	for u := range in.Def.Uses() {
		if isComplexUse(u) || u.Instr.IsIntrinsic(ir.IntrCopyDeref) {
			e.whole = true
			return
		}
		switch {
		case u.Instr.IsIntrinsic(ir.IntrLoadDeref):
			mask, _ := reads(&u.Instr.Def)
			e.note(&e.read, in, uint64(mask))
		case u.Instr.IsIntrinsic(ir.IntrStoreDeref):
			e.note(&e.written, in, u.Instr.Get(ir.IdxWriteMask))
		}
	}
}

// note widens a part by an access through d. An index that is not constant may reach all, which must be there then.
func (e *extent) note(p *part, d *ir.Instr, mask uint64) {
	var path [pathLen]*ir.Instr
	level, t := 0, e.v.Type
	for _, l := range derefPath(path[:0], d)[1:] {
		if l.Deref != ir.DerefArray || level == len(p.lens) && t.IsArray() {
			e.whole = true
			return
		}
		i, known := l.Srcs[1].Def.Const(0)
		if !t.IsArray() {
			e.indexed = true
			if mask = 1 << (i & 3); !known {
				mask = 1<<t.Rows - 1
				e.read.comps, e.written.comps = mask, mask
			}
			break
		}
		n := uint64(t.Len)
		if known {
			n = min(n, i+1)
		} else {
			e.read.lens[level], e.written.lens[level] = n, n
		}
		p.lens[level] = max(p.lens[level], n)
		level, t = level+1, t.Elem
	}
	p.comps |= mask
}

// cut gives the variable its smaller type. A component in the middle stays: others would change their places.
func (e *extent) cut() bool {
	if e.whole {
		return false
	}
	leaf := e.v.Type.WithoutArray()
	n := uint8(max(1, min(bits.Len64(e.read.comps), bits.Len64(e.written.comps))))
	if e.indexed {
		n = max(n, 2)
	}
	var lens []uint32
	for t := e.v.Type; t.IsArray(); t = t.Elem {
		k := len(lens)
		if k == len(e.read.lens) {
			return false
		}
		lens = append(lens, uint32(max(1, min(uint64(t.Len), e.read.lens[k], e.written.lens[k]))))
	}
	t := leaf
	if n < leaf.Rows {
		t = ir.VectorType(leaf.Base, leaf.Bits, n)
	}
	same := t == leaf
	old := e.v.Type
	for i := range lens {
		same = same && old.Len == lens[i]
		old = old.Elem
	}
	if same {
		return false
	}
	for i := len(lens) - 1; i >= 0; i-- {
		t = ir.ArrayType(t, lens[i], 0)
	}
	e.v.Type, e.shrunk = t, true
	return true
}

// refit brings accesses in line with the variables.
func refit(impl *ir.Impl, vars []*extent) bool {
	progress := false
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			d := in
			access := in.IsIntrinsic(ir.IntrLoadDeref) || in.IsIntrinsic(ir.IntrStoreDeref)
			if access {
				d = derefOf(in.Srcs[0].Def)
			}
			if d == nil || d.Kind != ir.KindDeref {
				continue
			}
			v := rootVar(d)
			if v == nil || vars[v.ID] == nil || !vars[v.ID].shrunk {
				continue
			}
			progress = true
			if !access {
				refitDeref(in)
			} else if !outOfBounds(in) {
				refitAccess(in, d)
			}
		}
	}
	return progress
}

// refitDeref takes a deref's type from its variable or parent; that of a component has none of its own.
func refitDeref(in *ir.Instr) {
	info := in.DerefInfo()
	if in.Deref == ir.DerefVar {
		info.Type = info.Var.Type
	} else if t := derefParent(in).DerefInfo().Type; t.IsArray() {
		info.Type = t.Elem
	}
}

// refitAccess makes an access one of fewer components.
func refitAccess(in, d *ir.Instr) {
	t := d.DerefInfo().Type
	n := int(t.Rows)
	b := builderBefore(in)
	if in.Intr == ir.IntrLoadDeref {
		if n >= int(in.Def.NumComponents) {
			return
		}
		v := &b.Intrinsic(ir.IntrLoadDeref, t.Rows, in.Def.BitSize, &d.Def).CopyIndices(in).Def
		comps := make([]*ir.Def, in.Def.NumComponents)
		var none *ir.Def
		for i := range comps {
			if i < n {
				comps[i] = b.Channel(v, i)
				continue
			}
			if none == nil {
				none = b.Undef(1, in.Def.BitSize)
			}
			comps[i] = none
		}
		in.Def.RewriteUses(b.Vec(comps...))
		in.Remove()
		return
	}
	val, mask := in.Srcs[1].Def, in.Get(ir.IdxWriteMask)
	if n >= int(val.NumComponents) {
		return
	}
	if mask &= 1<<n - 1; mask != 0 {
		b.Effect(ir.IntrStoreDeref, &d.Def, leading(b, val, n)).CopyIndices(in).Set(ir.IdxWriteMask, mask)
	}
	in.Remove()
	removeDeadDerefs(d)
}

// leading is the first n components of a value; those of a constant are one again, for opt_large_constants to see.
func leading(b *ir.Builder, val *ir.Def, n int) *ir.Def {
	if !val.IsConst() {
		return b.Channels(val, 0, n)
	}
	comps := make([]uint64, n)
	for i := range comps {
		comps[i], _ = val.Const(i)
	}
	return b.Const(val.BitSize, comps...)
}
