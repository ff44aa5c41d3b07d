package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Arrays of blocks as interface variables: element after element takes its locations. Such an
// array is one variable of the IR, but where its members interpolate differently one for each member of
// each element.

// arrayOfBlocks gives an interface variable that is an array of structs what its members
// are decorated with: the first Location and Patch. It fails where members do not follow each other.
func (t *translator) arrayOfBlocks(v *variable, own *ir.Field) {
	st := v.typ.withoutArray()
	if st.kind != tStruct || st == v.typ || len(st.memb) == 0 {
		return
	}
	for k := range st.memb {
		own.Patch = own.Patch || st.memb[k].Patch
	}
	if t.arrayedInterface(v.sc, own.Patch) && v.typ.elem == st {
		return // the array counts vertices
	}
	loc := own.Location
	if loc < 0 {
		loc = st.memb[0].Location
		own.Location = loc
	}
	for k := range st.memb {
		f := &st.memb[k]
		if f.Location >= 0 && f.Location != loc || f.Component != 0 {
			t.refuse(v.id, "an array of blocks is not supported whose members have locations that do not follow each other, or components")
		}
		if loc >= 0 {
			loc += int32(min(st.members[k].plain.SlotCount(), 1<<16))
		}
	}
}

// blockInterp gives the variable of an array of blocks the interpolation of the members.
func (t *translator) blockInterp(v *variable, own *ir.Field) {
	if st := v.typ.withoutArray(); v.typ.kind == tArray && st.kind == tStruct && len(st.memb) > 0 {
		f := st.memb[0]
		inherit(&f, own)
		own.Interp, own.Centroid, own.Sample = t.interpolation(&f, st.members[0]), f.Centroid, f.Sample
	}
}

// interpolation is how a member of a block interpolates, with the default of its type.
func (t *translator) interpolation(f *ir.Field, m *typ) ir.Interp {
	if f.Interp != ir.InterpNone || t.stage != ir.StageFragment {
		return f.Interp
	}
	return defaultInterp(m.plain)
}

// defaultInterp is how fragment inputs of a type interpolate that are not decorated: what holds
// integers or doubles has to be Flat, so the first component of a struct tells.
func defaultInterp(ty *ir.Type) ir.Interp {
	for ty.IsArray() || ty.IsStruct() && len(ty.Fields) > 0 {
		if ty.IsArray() {
			ty = ty.Elem
		} else {
			ty = ty.Fields[0].Type
		}
	}
	if ty.Base == ir.BaseFloat && ty.Bits != 64 {
		return ir.InterpSmooth
	}
	return ir.InterpFlat
}

// mixed reports whether members of a fragment shader's array of blocks interpolate differently.
func (t *translator) mixed(v *variable, own *ir.Field) bool {
	st := v.typ.withoutArray()
	if t.stage != ir.StageFragment || v.sc != spv.StorageClassInput || v.typ.kind != tArray || st.kind != tStruct {
		return false
	}
	var first ir.Field
	for k := range st.memb {
		f := st.memb[k]
		inherit(&f, own)
		f.Interp = t.interpolation(&f, st.members[k])
		if k == 0 {
			first = f
		}
		if f.Interp != first.Interp || f.Centroid != first.Centroid || f.Sample != first.Sample {
			if st != v.typ.elem {
				t.refuse(v.id, "the array of arrays of blocks %q is not supported: its members interpolate differently", t.nameOf(v.id))
			}
			return true
		}
	}
	return false
}

// maxSplit bounds the variables that an array of blocks is split into; there are 32 locations.
const maxSplit = 128

// splitElements makes a variable for each member of each element; finish enters the
// decorations into one.
func (t *translator) splitElements(v *variable, own *ir.Field, finish func(iv *ir.Variable, f *ir.Field)) {
	st := v.typ.elem
	n := int(v.typ.n)
	if n*len(st.members) > maxSplit {
		t.refuse(v.id, "the array of blocks %q is not supported: it has more than %d members", t.nameOf(v.id), maxSplit)
	}
	v.split = true
	loc := own.Location
	for range n {
		for k, m := range st.members {
			f := st.memb[k]
			inherit(&f, own)
			f.Interp = t.interpolation(&f, m)
			f.Location = loc
			loc += int32(min(m.plain.SlotCount(), 1<<16))
			iv := t.newInterface(v, -1, m.plain, t.nameOf(v.id)+"."+f.Name)
			iv.InterfaceType = st.plain
			finish(iv, &f)
			v.members = append(v.members, iv)
		}
	}
}

// splitMember is the deref of member k of an element: of the element's own variable, or, if the index
// is not known, of a copy of the members of all.
func (t *translator) splitMember(p, n *pointer, k int) *pointer {
	v, b := p.v, t.f.b
	m := len(v.typ.elem.members)
	if p.outerAt > 0 {
		n.deref = b.DerefVar(v.members[(p.outerAt-1)*m+k])
		return n
	}
	count := int(v.typ.n)
	ty := v.members[k].Type
	t.spend(count * int(n.typ.nodes))
	all := b.Impl.NewLocal(ir.ArrayType(ty, uint32(count), 0), "")
	for i := range count {
		to := b.DerefArray(b.DerefVar(all), t.f.u32(uint32(i)))
		from := b.DerefVar(v.members[i*m+k])
		if ty.IsVectorOrScalar() {
			b.StoreDeref(to, b.LoadDeref(from, 0), 0, 0)
			continue
		}
		b.CopyDeref(to, from)
	}
	n.mode = ir.ModeFunctionTemp
	n.deref = b.DerefArray(b.DerefVar(all), p.outer)
	return n
}
