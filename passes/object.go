package passes

import "nirc/ir"

// object is a deref with what sets it apart from others at a glance, for passes that compare one with a hundred: elements of an
// array by constants, members, and variables of which nothing else can be the same memory. To walk both chains for each pair
// took an eighth of the compile of kernels that keep their sums in arrays.
type object struct {
	deref *ir.Instr
	root  *ir.Variable // see privateRoot
	// parent is what the last link starts at if that is an element by a constant or a member, of the number index; else nil.
	parent *ir.Instr
	index  uint64
}

// newObject looks at a deref once for all comparisons.
func newObject(d *ir.Instr) object {
	p := object{deref: d, root: privateRoot(d)}
	switch d.Deref {
	case ir.DerefStruct:
		p.parent, p.index = derefParent(d), uint64(d.DerefInfo().Field)
	case ir.DerefArray, ir.DerefPtrAsArray:
		if i, ok := firstConst(d.Srcs[1].Def); ok {
			p.parent, p.index = derefParent(d), i
		}
	}
	return p
}

// privateRoot returns the variable that a chain without casts starts at if
// nothing else can be the same memory: two different ones never alias.
func privateRoot(d *ir.Instr) *ir.Variable {
	const own = ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShaderIn | ir.ModeShaderOut | ir.ModeShared
	if d.DerefInfo().Modes&^own != 0 {
		return nil
	}
	return derefVar(d)
}

// compare is compareDerefs.
func (p *object) compare(q *object) alias {
	switch {
	case p.root != q.root && p.root != nil && q.root != nil:
		return noAlias
	case p.parent != nil && p.parent == q.parent && p.deref.Deref == q.deref.Deref:
		if p.index == q.index {
			return derefsEqual
		}
		return noAlias
	}
	return compareDerefs(p.deref, q.deref)
}

// equal reports whether compareDerefs finds the same object.
func (p *object) equal(q *object) bool {
	if p.deref == q.deref {
		return true
	}
	if p.root != q.root || p.parent != nil && q.parent != nil && p.index != q.index {
		return false
	}
	return p.compare(q) == derefsEqual
}
