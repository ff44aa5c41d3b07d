package analysis

import (
	"sort"

	"nirc/ir"
)

// counted is a value that steps by a constant in each iteration, and the compare with a constant that ends its loop.
type counted struct {
	first, step, limit int64
	// most and least are the ends of its numbers: beyond, it wraps.
	least, most int64
	less, after bool // the compare is < rather than >=, the limit is its first source
	exit        bool
}

// leaves reports whether the loop is left in iteration k, before which nothing has wrapped.
func (c *counted) leaves(k int64) bool {
	a, b := c.first+k*c.step, c.limit
	if c.after {
		a, b = b, a
	}
	return (a < b == c.less) == c.exit
}

// trips returns the first iteration that leaves; decided is false where only following the loop can say. Without wrapping
// the compare changes once at most, so that the iteration is searched by halves.
func (c *counted) trips() (trips uint32, known, decided bool) {
	end := c.most
	if c.step < 0 {
		end = c.least
	}
	last := min(maxSimulated-1, (end-c.first)/c.step)
	switch {
	case c.leaves(0):
		return 0, true, true
	case !c.leaves(last):
		return 0, false, last == maxSimulated-1
	}
	return uint32(sort.Search(int(last), func(k int) bool { return c.leaves(int64(k)) })), true, true
}

// counter finds the counter that a test looks at; false if it is anything else, wider than 32 bits or stands still.
func (s *simulator) counter(test *exitTest) (c counted, ok bool) {
	op, at := test.op, test.key
	c = counted{after: test.after, exit: test.exit}
	limit := test.limit
	if op == 0 {
		k := &s.keys[at]
		if k.def.Instr.Kind != ir.KindALU || len(k.def.Instr.Srcs) != 2 {
			return c, false
		}
		op = k.def.Instr.Op
		var isConst bool
		if at, limit, isConst = s.besideConst(k); !isConst {
			return c, false
		}
		c.after = at == k.src[1]
	}
	signed := op == ir.OpIlt || op == ir.OpIge
	if c.less = op == ir.OpIlt || op == ir.OpUlt; !c.less && op != ir.OpIge && op != ir.OpUge {
		return c, false
	}
	phi, by := s.sum(at)
	if phi < 0 {
		return c, false
	}
	next, step := s.sum(s.keys[phi].src[0])
	bits := s.keys[phi].def.BitSize
	if next != phi || bits < 8 || bits > 32 {
		return c, false
	}
	wide := func(v uint64, signed bool) int64 {
		if v <<= 64 - bits; signed {
			return int64(v) >> (64 - bits)
		}
		return int64(v >> (64 - bits))
	}
	c.first, c.step, c.limit = wide(s.keys[phi].init+by, signed), wide(step, true), wide(limit, signed)
	if c.most = 1<<bits - 1; signed {
		c.least, c.most = -1<<(bits-1), 1<<(bits-1)-1
	}
	return c, c.step != 0
}

// besideConst takes a key of two sources apart, one of which is a constant.
func (s *simulator) besideConst(k *sliceKey) (other int, v uint64, ok bool) {
	for i := range 2 {
		c := &s.keys[k.src[1-i]]
		if v, ok = c.def.Const(c.comp); ok {
			return k.src[i], v, true
		}
	}
	return 0, 0, false
}

// sum returns the phi that a key is, with or without a constant added to it, and the constant; -1 if it is anything else.
func (s *simulator) sum(at int) (phi int, by uint64) {
	k := &s.keys[at]
	if k.phi {
		return at, 0
	}
	if !k.def.Instr.IsALU(ir.OpIadd) {
		return -1, 0
	}
	phi, by, ok := s.besideConst(k)
	if !ok || !s.keys[phi].phi {
		return -1, 0
	}
	return phi, by
}
