package midgard

import (
	"slices"

	"nirc/backend/midgard/isa"
)

// splitSelects takes apart the selects that read more than room work registers hold, and the one that reads stuck, for which no
// place was found; false if there is none. A select whose condition runs in its bundle reads four vectors, and where
// textures land in two of four work registers (midgard.md §1.2) no more than two can be there.
func (f *function) splitSelects(room int, stuck reg) (some bool) {
	for b := range f.blocks {
		list := f.blocks[b].list
		if !slices.ContainsFunc(list, func(in *inst) bool { return f.overfull(in, room, stuck) }) {
			continue
		}
		some = true
		var out []*inst
		for _, in := range list {
			if f.overfull(in, room, stuck) {
				out = f.splitSelect(out, in)
			} else {
				out = append(out, in)
			}
		}
		f.blocks[b].list = out
	}
	return some
}

// overfull reports whether in is a select of whole words with more operands than room registers hold, or with stuck among them.
func (f *function) overfull(in *inst, room int, stuck reg) bool {
	if !in.hasCond || in.op != isa.OpIcsel && in.op != isa.OpIcselV || in.half != partFull {
		return false
	}
	words, n, has := in.fuse != nil || in.cond.half == partFull, 0, false
	for i := range in.src {
		words = words && in.src[i].half == partFull && in.src[i].mod == 0
	}
	var seen []reg
	in.reads(func(r reg, _ uint8) {
		if r.virtual() && !slices.Contains(seen, r) {
			seen, n, has = append(seen, r), n+int(f.node(r).size), has || r == stuck
		}
	})
	return words && len(seen) > room && (n > 4*room || has)
}

// splitSelect appends a select as operations on bits, each of which reads two registers: booleans are 0 or all ones. What
// brings spilled values back before it goes to the operation that reads them.
func (f *function) splitSelect(out []*inst, in *inst) []*inst {
	from := len(out)
	for from > 0 && f.bringsBack(out[from-1], in) {
		from--
	}
	s := selectParts{f: f, fills: slices.Clone(out[from:]), out: out[:from]}
	cond := in.cond
	if in.fuse != nil {
		c := *in.fuse
		c.dst = f.newNode(4)
		s.add(c)
		cond = source{reg: c.dst, swz: identity}
		if !in.op.Is(isa.SelectVector) {
			cond.swz = replicate(3)
		}
	} else if !in.op.Is(isa.SelectVector) {
		cond.swz = replicate(cond.swz[3])
	}
	bits := func(op isa.Op, dst reg, a, b source) source {
		s.add(inst{op: op, dst: dst, mask: in.mask, out: isa.OutKeepLow, src: [2]source{a, b}, loc: in.loc})
		return source{reg: dst, swz: identity}
	}
	a := bits(isa.OpIand, f.newNode(4), cond, in.src[0])
	b := bits(isa.OpIandnot, f.newNode(4), in.src[1], cond)
	bits(isa.OpIor, in.dst, a, b)
	return s.out
}

// bringsBack reports whether an instruction makes for in alone what was spilled.
func (f *function) bringsBack(fill, in *inst) (yes bool) {
	if !fill.dst.virtual() || !f.node(fill.dst).noSpill {
		return false
	}
	in.reads(func(r reg, _ uint8) { yes = yes || r == fill.dst })
	return yes
}

// selectParts are the operations of a select that is taken apart.
type selectParts struct {
	f     *function
	fills []*inst
	out   []*inst
}

// add appends an operation after what brings its operands back.
func (s *selectParts) add(in inst) {
	t := s.f.newInst(in)
	var from, to []reg
	t.eachSource(func(src *source, _ uint8) {
		k := slices.Index(from, src.reg)
		if k < 0 {
			i := slices.IndexFunc(s.fills, func(fill *inst) bool { return fill.dst == src.reg })
			if i < 0 {
				return
			}
			c := *s.fills[i]
			old := *s.f.node(c.dst)
			c.dst = s.f.newNode(int(old.size))
			*s.f.node(c.dst) = old
			s.out = append(s.out, s.f.newInst(c))
			k, from, to = len(from), append(from, src.reg), append(to, c.dst)
		}
		src.reg = to[k]
	})
	s.out = append(s.out, t)
}
