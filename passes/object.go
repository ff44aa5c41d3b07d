package passes

import "nirc/ir"

// object is a deref with what sets it apart from others at a glance, for passes that compare one with a hundred: elements of an
// array by constants, members, and variables of which nothing else can be the same memory. To walk both chains for each pair
// took an eighth of the compile of kernels that keep their sums in arrays.
type object struct {
	deref *ir.Instr
	root  *ir.Variable // where the chain starts, if without casts
	own   bool         // see ownModes
	// links is how many links have their number in way, which is all of them from the variable on; else -1.
	links int8
	way   uint64
	// parent is what the last link starts at, nil of a variable or a cast. numbered says that this link, of a kind, has a number, index.
	parent   *ir.Instr
	index    uint64
	kind     ir.DerefKind
	numbered bool
}

// ownModes are the modes of variables that no other variable and no pointer shares memory with.
const ownModes = ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShaderIn | ir.ModeShaderOut | ir.ModeShared

// A way has room for so many links, and a link's number so many bits.
const (
	wayLinks = 4
	wayBits  = 64 / wayLinks
)

// newObject looks at a deref once for all comparisons.
func newObject(d *ir.Instr) object {
	o := object{deref: d, kind: d.Deref, own: d.DerefInfo().Modes&^ownModes == 0}
	if d.Deref != ir.DerefCast {
		o.parent = derefParent(d)
	}
	o.index, o.numbered = linkNumber(d)
	for ; d.Deref != ir.DerefVar; d = derefParent(d) {
		if d.Deref == ir.DerefCast {
			o.links = -1
			return o
		}
		n, ok := linkNumber(d)
		if !ok || n>>wayBits != 0 || o.links == wayLinks || d.Deref == ir.DerefPtrAsArray {
			o.links = -1
		}
		if o.links >= 0 {
			o.way = o.way<<wayBits | n
			o.links++
		}
	}
	o.root = d.DerefInfo().Var
	return o
}

// linkNumber is the number of a member, or of an element by a constant.
func linkNumber(d *ir.Instr) (uint64, bool) {
	switch d.Deref {
	case ir.DerefStruct:
		return uint64(d.DerefInfo().Field), true
	case ir.DerefArray, ir.DerefPtrAsArray:
		return firstConst(d.Srcs[1].Def)
	}
	return 0, false
}

// compare is compareDerefs.
func (o *object) compare(p *object) alias {
	switch {
	case o.root != p.root:
		if o.own && p.own && o.root != nil && p.root != nil {
			return noAlias
		}
	case o.root != nil && o.links >= 0 && o.links == p.links:
		if o.way == p.way {
			return derefsEqual
		}
		return noAlias
	}
	if o.parent != nil && o.parent == p.parent {
		if o.numbered && p.numbered && o.kind == p.kind { // compareLinks would look up the same numbers
			if o.index == p.index {
				return derefsEqual
			}
			return noAlias
		}
		return compareLinks(o.deref, p.deref)
	}
	return compareDerefs(o.deref, p.deref)
}

// equal reports whether compareDerefs finds the same object.
func (o *object) equal(p *object) bool {
	switch {
	case o.deref == p.deref:
		return true
	case o.root != p.root, o.links != p.links && o.links >= 0 && p.links >= 0, o.numbered && p.numbered && o.index != p.index:
		return false
	}
	return o.compare(p) == derefsEqual
}
