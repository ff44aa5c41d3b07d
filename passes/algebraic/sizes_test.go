package algebraic

import (
	"unsafe"

	"nirc/ir"
)

// tsize is a size variable of the tests' own unification, which works on the
// compiled tables: what the generator inferred is not taken on trust.
type tsize struct {
	up   *tsize
	bits uint8
	cls  uint8 // set of classes that places of this size have
}

const (
	clsInt uint8 = 1 << iota
	clsFloat
	clsBool
	clsUint
)

func (s *tsize) find() *tsize {
	for s.up != nil {
		s = s.up
	}
	return s
}

func tunify(a, b *tsize) bool {
	a, b = a.find(), b.find()
	if a == b {
		return true
	}
	if a.bits != 0 && b.bits != 0 && a.bits != b.bits {
		return false
	}
	if b.bits == 0 {
		b.bits = a.bits
	}
	b.cls |= a.cls
	a.up = b
	return true
}

// shape is what a rule's pattern says about sizes.
type shape struct {
	slots   [maxSlots]*tsize
	isVar   [maxSlots]bool
	isConst [maxSlots]bool
	width   [maxSlots]uint8
	root    *tsize
	node    map[*node]*tsize
	bits    []uint8 // by node, once sizes are chosen
	logical bool    // all operations make sense on 1 bit
	ok      bool
}

func classBit(c ir.TypeClass) uint8 {
	switch c {
	case ir.ClassFloat:
		return clsFloat
	case ir.ClassBool:
		return clsBool
	case ir.ClassInt:
		return clsInt
	}
	return clsUint
}

func shapeOf(r *rule) *shape {
	s := &shape{node: map[*node]*tsize{}, bits: make([]uint8, len(nodes)), logical: true, ok: true}
	s.root = s.walk(&nodes[r.root], 0)
	for i := r.first; i < r.last; i++ {
		if t := &steps[i]; t.kind == stepOp {
			s.logical = s.logical && logicalOp(t.op)
		}
	}
	return s
}

func logicalOp(op ir.Op) bool {
	switch op {
	case ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpInot, ir.OpIeq, ir.OpIne, ir.OpBcsel, ir.OpB32csel, ir.OpMov:
		return true
	}
	return false
}

func (s *shape) unify(a, b *tsize) { s.ok = s.ok && tunify(a, b) }

func (s *shape) walk(n *node, width uint8) *tsize {
	t := &tsize{bits: n.bits}
	s.node[n] = t
	if n.slot >= 0 {
		if s.slots[n.slot] == nil {
			s.slots[n.slot] = &tsize{}
		}
		s.unify(t, s.slots[n.slot])
		s.width[n.slot] = width
		s.isVar[n.slot] = s.isVar[n.slot] || n.kind != patOp
		s.isConst[n.slot] = s.isConst[n.slot] || n.kind == patConst
	}
	if n.kind != patOp {
		return t
	}
	s.logical = s.logical && logicalOp(n.op)
	info := n.op.Info()
	w := &tsize{}
	for i := range int(n.nsrc) {
		in := info.In[i]
		cw := in.Comps
		if cw == 0 {
			cw = width
			if info.Out.Comps != 0 {
				cw = info.Out.Comps
			}
		}
		c := s.walk(&nodes[int(n.first)+i], cw)
		c.find().cls |= classBit(in.Class)
		if in.Bits != 0 {
			s.unify(c, &tsize{bits: in.Bits})
		} else {
			s.unify(c, w)
		}
	}
	t.find().cls |= classBit(info.Out.Class)
	if info.Out.Bits != 0 {
		s.unify(t, &tsize{bits: info.Out.Bits})
	} else {
		s.unify(t, w)
	}
	return t
}

// id is the node's place in nodes.
func (n *node) id() int {
	return int((uintptr(unsafe.Pointer(n)) - uintptr(unsafe.Pointer(&nodes[0]))) / unsafe.Sizeof(nodes[0]))
}

// fix notes the sizes chosen, for quick access.
func (s *shape) fix() {
	for n, t := range s.node {
		s.bits[n.id()] = t.find().bits
	}
}

// assignments calls f with each choice of sizes for what the pattern leaves open.
func (s *shape) assignments(f func()) {
	var free []*tsize
	add := func(t *tsize) {
		t = t.find()
		if t.bits != 0 {
			return
		}
		for _, x := range free {
			if x == t {
				return
			}
		}
		free = append(free, t)
	}
	for _, t := range s.slots {
		if t != nil {
			add(t)
		}
	}
	for _, t := range s.node {
		add(t)
	}
	var rec func(i int)
	rec = func(i int) {
		if i == len(free) {
			f()
			return
		}
		t := free[i]
		sizes := []uint8{8, 16, 32, 64}
		switch {
		case t.cls&clsFloat != 0:
			sizes = []uint8{16, 32, 64}
		case t.cls&clsBool != 0:
			sizes = []uint8{1, 32}
		case s.logical:
			sizes = []uint8{1, 8, 16, 32, 64}
		}
		for _, b := range sizes {
			t.bits = b
			rec(i + 1)
		}
		t.bits = 0
	}
	rec(0)
}
