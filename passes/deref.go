package passes

import (
	"slices"

	"nirc/ir"
)

// derefOf returns the deref instruction that makes d, or nil.
func derefOf(d *ir.Def) *ir.Instr {
	if d.Instr.Kind == ir.KindDeref {
		return d.Instr
	}
	return nil
}

// derefParent returns the deref that in is made from, nil of a var deref and
// of a cast of something else.
func derefParent(in *ir.Instr) *ir.Instr {
	if in.Deref == ir.DerefVar {
		return nil
	}
	return derefOf(in.Srcs[0].Def)
}

// derefVar returns the variable at the root of a deref chain without casts, or nil.
func derefVar(in *ir.Instr) *ir.Variable {
	for in.Deref != ir.DerefVar {
		if in.Deref == ir.DerefCast {
			return nil
		}
		in = derefParent(in)
	}
	return in.DerefInfo().Var
}

// rootVar is derefVar through casts.
func rootVar(in *ir.Instr) *ir.Variable {
	for in != nil {
		if in.Deref == ir.DerefVar {
			return in.DerefInfo().Var
		}
		in = derefParent(in)
	}
	return nil
}

// derefPath appends the chain of a deref from its var or cast on.
func derefPath(path []*ir.Instr, in *ir.Instr) []*ir.Instr {
	for d := in; d != nil; d = derefParent(d) {
		path = append(path, d)
		if d.Deref == ir.DerefVar || d.Deref == ir.DerefCast {
			break
		}
	}
	slices.Reverse(path)
	return path
}

// pathLen is the length of most chains: their space is on the stack.
const pathLen = 12

// alias is the relation of two derefs: a set of bits.
type alias uint8

const (
	// mayAlias: some byte may belong to both.
	mayAlias alias = 1 << iota
	// aContainsB and bContainsA: all of the other belongs to the one.
	aContainsB
	bContainsA

	noAlias alias = 0
	// derefsEqual: the same object for sure.
	derefsEqual = mayAlias | aContainsB | bContainsA
)

// compareDerefs relates two derefs (nir-ir.md §8).
func compareDerefs(a, b *ir.Instr) alias {
	if a == b {
		return derefsEqual
	}
	if a.DerefInfo().Modes&b.DerefInfo().Modes == 0 {
		return noAlias
	}
	var pa, pb [pathLen]*ir.Instr
	return comparePaths(derefPath(pa[:0], a), derefPath(pb[:0], b))
}

func comparePaths(a, b []*ir.Instr) alias {
	if r, ok := compareRoots(a[0], b[0]); !ok {
		return r
	}
	result := derefsEqual
	n := min(len(a), len(b))
	for i := 1; i < n; i++ {
		r := compareLinks(a[i], b[i])
		if r == noAlias {
			return noAlias
		}
		result &= r
	}
	if len(a) > n {
		result &^= aContainsB
	}
	if len(b) > n {
		result &^= bContainsA
	}
	// A pointer step after an equal prefix may leave the object.
	for i := n; i < len(a); i++ {
		if a[i].Deref == ir.DerefPtrAsArray {
			return mayAlias
		}
	}
	for i := n; i < len(b); i++ {
		if b[i].Deref == ir.DerefPtrAsArray {
			return mayAlias
		}
	}
	return result
}

// compareRoots reports whether two chains start at the same place; if not, what
// they may have in common.
func compareRoots(a, b *ir.Instr) (alias, bool) {
	if a.Deref == ir.DerefVar && b.Deref == ir.DerefVar {
		va, vb := a.DerefInfo().Var, b.DerefInfo().Var
		if va == vb {
			return derefsEqual, true
		}
		if va.Mode&(ir.ModeUBO|ir.ModeSSBO|ir.ModeImage|ir.ModeGlobal) != 0 && shareMemory(va, vb) {
			return mayAlias, false
		}
		return noAlias, false
	}
	if a == b {
		return derefsEqual, true
	}
	if a.Deref == ir.DerefCast && b.Deref == ir.DerefCast && a.Srcs[0].Def == b.Srcs[0].Def &&
		a.DerefInfo().Type.Equal(b.DerefInfo().Type) && a.DerefInfo().PtrStride == b.DerefInfo().PtrStride {
		return derefsEqual, true
	}
	return mayAlias, false
}

// shareMemory reports whether two variables of buffers or images may be the same
// memory (own_memory.go says when not).
func shareMemory(a, b *ir.Variable) bool {
	if (a.Access|b.Access)&ir.AccessRestrict != 0 {
		return false
	}
	return a.Access&b.Access&ir.AccessAliased != 0 || !a.HasBinding || !b.HasBinding || a.Set == b.Set && a.Binding == b.Binding
}

// compareLinks relates two links after equal parents.
func compareLinks(a, b *ir.Instr) alias {
	if a == b {
		return derefsEqual
	}
	if a.Deref != b.Deref {
		switch {
		case a.Deref == ir.DerefArrayWildcard && b.Deref == ir.DerefArray:
			return mayAlias | aContainsB
		case a.Deref == ir.DerefArray && b.Deref == ir.DerefArrayWildcard:
			return mayAlias | bContainsA
		}
		return mayAlias
	}
	switch a.Deref {
	case ir.DerefStruct:
		if a.DerefInfo().Field == b.DerefInfo().Field {
			return derefsEqual
		}
		return noAlias
	case ir.DerefArrayWildcard:
		return derefsEqual
	case ir.DerefArray, ir.DerefPtrAsArray:
		ia, ib := a.Srcs[1].Def, b.Srcs[1].Def
		if ia == ib {
			return derefsEqual
		}
		if ca, ok := firstConst(ia); ok {
			if cb, ok := firstConst(ib); ok {
				if ca == cb {
					return derefsEqual
				}
				return noAlias
			}
		}
	}
	return mayAlias
}

// removeDeadDerefs deletes d and its parents as far as nothing uses them.
func removeDeadDerefs(d *ir.Instr) (progress bool) {
	for d != nil && d.Block != nil && d.Kind == ir.KindDeref && d.Def.Unused() {
		p := derefParent(d)
		d.Remove()
		progress = true
		d = p
	}
	return progress
}

// rewriteAccesses calls rewrite, which may replace what it gets, for each
// instruction, and removes the derefs that are left without use.
func rewriteAccesses(impl *ir.Impl, rewrite func(*ir.Instr)) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			rewrite(in)
		}
	}
	removeUnusedDerefs(impl)
}

// valueBits is the size of what a load_deref or store_deref accesses. That of
// booleans may differ from their variable's.
func valueBits(in *ir.Instr) uint8 {
	if in.Intr == ir.IntrStoreDeref {
		return in.Srcs[1].Def.BitSize
	}
	return in.Def.BitSize
}

// isComplexUse reports whether a use of a deref is anything but a child deref
// or a load, store or copy through it.
func isComplexUse(u *ir.Src) bool {
	switch u.Instr.Kind {
	case ir.KindDeref:
		return u.Instr.Deref == ir.DerefCast || u.Instr.Deref == ir.DerefPtrAsArray || u != &u.Instr.Srcs[0]
	case ir.KindIntrinsic:
		switch u.Instr.Intr {
		case ir.IntrLoadDeref, ir.IntrCopyDeref:
			return false
		case ir.IntrStoreDeref:
			return u != &u.Instr.Srcs[0]
		}
	}
	return true
}

// rebuildDeref builds at b the same link as in on another parent.
func rebuildDeref(b *ir.Builder, in *ir.Instr, parent *ir.Def) *ir.Def {
	switch in.Deref {
	case ir.DerefArray:
		return b.DerefArray(parent, in.Srcs[1].Def)
	case ir.DerefArrayWildcard:
		return b.DerefWildcard(parent)
	case ir.DerefPtrAsArray:
		return b.DerefPtrAsArray(parent, in.Srcs[1].Def)
	case ir.DerefStruct:
		return b.DerefStruct(parent, in.DerefInfo().Field)
	}
	i := in.DerefInfo()
	d := b.DerefCast(parent, i.Modes, i.Type, i.PtrStride)
	d.Instr.DerefInfo().AlignMul, d.Instr.DerefInfo().AlignOffset = i.AlignMul, i.AlignOffset
	return d
}

// isLeafType reports whether t is loaded and stored as one value.
func isLeafType(t *ir.Type) bool { return t.IsNumeric() && t.Cols == 1 }

func maxVarID(vars []*ir.Variable) (n uint32) {
	for _, v := range vars {
		n = max(n, v.ID)
	}
	return n
}

func highestVarID(s *ir.Shader) uint32 {
	n := maxVarID(s.Variables)
	for _, f := range s.Functions {
		if f.Impl != nil {
			n = max(n, maxVarID(f.Impl.Locals))
		}
	}
	return n
}
