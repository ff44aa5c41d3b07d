package passes

import "nirc/ir"

// castsToMember makes a cast of a pointer so many bytes into an object an access to the member or element that is
// there, where the object's type has a layout: in is cast(p), p steps from a cast of the object.
func castsToMember(in, p *ir.Instr) bool {
	if p.Deref != ir.DerefPtrAsArray || usedAsPointer(in) {
		return false
	}
	q := derefParent(p)
	if q == nil || q.Deref != ir.DerefCast || derefParent(q) == nil {
		return false
	}
	object, steps := derefParent(q), p.Srcs[1].Def
	n, ok := steps.Const(0)
	sh := 64 - steps.BitSize
	at := int64(n) << sh >> sh * int64(q.DerefInfo().PtrStride)
	if !ok || at <= 0 || in.DerefInfo().AlignMul > object.DerefInfo().AlignMul {
		return false
	}
	path, ok := memberAt(object.DerefInfo().Type, in.DerefInfo().Type, uint64(at))
	if !ok {
		return false
	}
	b := builderBefore(in)
	d := &object.Def
	for _, i := range path {
		if d.Instr.DerefInfo().Type.IsStruct() {
			d = b.DerefStruct(d, i)
		} else {
			d = b.DerefArrayImm(d, i)
		}
	}
	return replaceDeref(in, d)
}

// memberAt finds the way to what has a type and begins so many bytes into t.
func memberAt(t, want *ir.Type, at uint64) (path []int, ok bool) {
	for at != 0 || !t.Equal(want) {
		switch {
		case t.IsStruct():
			k := -1
			for i := range t.Fields {
				f := &t.Fields[i]
				if f.Offset < 0 {
					return nil, false
				}
				if size := sizeOf(f.Type); uint64(f.Offset) <= at && at-uint64(f.Offset) < size {
					k = i
				}
			}
			if k < 0 {
				return nil, false
			}
			at -= uint64(t.Fields[k].Offset)
			path, t = append(path, k), t.Fields[k].Type
		case t.IsArray() && t.Stride != 0 && at/uint64(t.Stride) < uint64(t.Len):
			path = append(path, int(at/uint64(t.Stride)))
			at, t = at%uint64(t.Stride), t.Elem
		default:
			return nil, false
		}
	}
	return path, true
}

// castAccess lets a load or store through a cast from one vector to another access the vector that is there, and
// takes its bits apart or puts them together.
func castAccess(in *ir.Instr) bool {
	d := derefOf(in.Srcs[0].Def)
	if d == nil || d.Deref != ir.DerefCast {
		return false
	}
	p := derefParent(d)
	if p == nil || !isPlainVector(d.DerefInfo().Type) || !isPlainVector(p.DerefInfo().Type) || spreadColumn(p) || d.DerefInfo().Modes&p.DerefInfo().Modes == 0 {
		return false
	}
	to, from := d.DerefInfo().Type, p.DerefInfo().Type
	if mul := d.DerefInfo().AlignMul; mul != 0 && mul < uint32(from.MemBits()/8) {
		return false // the cast says that the place is aligned less than a vector is by itself
	}
	if in.Intr == ir.IntrStoreDeref {
		return castStore(in, p, to, from)
	}
	if int(to.Rows)*int(to.Bits) > int(from.Rows)*int(from.Bits) || in.Def.BitSize != to.Bits {
		return false
	}
	b := builderBefore(in)
	v := &b.Intrinsic(ir.IntrLoadDeref, from.Rows, from.Bits, &p.Def).CopyIndices(in).Def
	in.Def.RewriteUses(rebits(b, v, to.Bits, int(to.Rows)))
	in.Remove()
	removeDeadDerefs(d)
	return true
}

// castStore stores the bits of a value in the vector that is there: whole, or the components that both have.
func castStore(in, p *ir.Instr, to, from *ir.Type) bool {
	val, mask := in.Srcs[1].Def, in.Get(ir.IdxWriteMask)
	whole := mask == 1<<to.Rows-1 && int(to.Rows)*int(to.Bits) == int(from.Rows)*int(from.Bits)
	if val.BitSize != to.Bits || !whole && (to.Bits != from.Bits || to.Rows > from.Rows) {
		return false
	}
	b := builderBefore(in)
	if to.Bits != from.Bits {
		val, mask = rebits(b, val, from.Bits, int(from.Rows)), 1<<from.Rows-1
	} else if to.Rows < from.Rows {
		comps := make([]*ir.Def, from.Rows)
		for i := range comps {
			comps[i] = b.Channel(val, min(i, int(to.Rows)-1))
		}
		val = b.Vec(comps...)
	}
	d := derefOf(in.Srcs[0].Def)
	b.Effect(ir.IntrStoreDeref, &p.Def, val).CopyIndices(in).Set(ir.IdxWriteMask, mask)
	in.Remove()
	removeDeadDerefs(d)
	return true
}

// isPlainVector reports scalars and vectors whose components are their bits.
func isPlainVector(t *ir.Type) bool { return isLeafType(t) && t.Base != ir.BaseBool }

// spreadColumn reports columns of a matrix whose rows lie together.
func spreadColumn(d *ir.Instr) bool {
	p := derefParent(d)
	return p != nil && p.DerefInfo().Type.IsMatrix() && p.DerefInfo().Type.RowMajor
}

// rebits makes n components of a size of the bits of a vector, from the lowest on.
func rebits(b *ir.Builder, v *ir.Def, bits uint8, n int) *ir.Def {
	unit := min(bits, v.BitSize)
	var units []*ir.Def
	for i := range int(v.NumComponents) {
		units = append(units, splitUnits(b, b.Channel(v, i), unit)...)
	}
	per := int(bits / unit)
	comps := make([]*ir.Def, n)
	for i := range comps {
		comps[i] = joinUnits(b, units[i*per:(i+1)*per], bits)
	}
	return b.Vec(comps...)
}

// outOfBounds drops an access to an element that a temporary does not have: what it loads is undefined.
func outOfBounds(in *ir.Instr) bool {
	const own = ir.ModeFunctionTemp | ir.ModeShaderTemp
	d := derefOf(in.Srcs[0].Def)
	if d == nil || d.DerefInfo().Modes&^own != 0 {
		return false
	}
	beyond := false
	for at := d; at != nil && at.Deref != ir.DerefVar; at = derefParent(at) {
		if at.Deref == ir.DerefCast || at.Deref == ir.DerefPtrAsArray {
			return false
		}
		if at.Deref != ir.DerefArray {
			continue
		}
		i, ok := at.Srcs[1].Def.Const(0)
		n := uint64(derefParent(at).DerefInfo().Type.ChildCount())
		beyond = beyond || ok && n > 0 && i >= n
	}
	if !beyond {
		return false
	}
	if in.Intr == ir.IntrLoadDeref {
		in.Def.RewriteUses(builderBefore(in).Undef(in.Def.NumComponents, in.Def.BitSize))
	}
	in.Remove()
	removeDeadDerefs(d)
	return true
}
