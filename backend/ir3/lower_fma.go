package ir3

import (
	"sync"

	"nirc/internal/slab"
	"nirc/ir"
)

// orderSums brings sums of products into the order that mads like: what is
// added comes first, so that a*b + c*d + e is two mads and no add (a matrix product with
// a translation ends like that), then the products in the order in which their factors are
// computed, so that the chain waits for the last of them only at its end. Only what need
// not be exact is regrouped, and no sum from which something is taken away. It reports whether anything changed.
func orderSums(impl *ir.Impl) bool {
	if !hasSums(impl) {
		return false
	}
	r := regroups.Get().(*regroup)
	defer regroups.Put(r)
	r.pos = slab.Zeroed(r.pos, int(impl.NumDefs))
	n := 0.0
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if n++; in.HasDef() {
				r.pos[in.Def.Index] = n
			}
		}
	}
	changed := false
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if sumRoot(in) {
				changed = r.order(in) || changed
			}
		}
	}
	if changed {
		impl.Preserve(ir.MetaControlFlow)
	}
	return changed
}

// hasSums reports whether there is a sum that may be brought into order.
func hasSums(impl *ir.Impl) bool {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if sumRoot(in) {
				return true
			}
		}
	}
	return false
}

// regroup knows where instructions stand: pos, by Def.Index, grows along the
// blocks. What two definitions that dominate a sum have to do with each other follows.
type regroup struct {
	pos []float64
}

// regroups keeps the memory of runs that are over.
var regroups = sync.Pool{New: func() any { return new(regroup) }}

// after makes room for an instruction after in; false if there is none left.
func (r *regroup) after(in *ir.Instr) (c ir.Cursor, pos float64, ok bool) {
	at := r.pos[in.Def.Index]
	next := at + 1
	for n := in.Next(); n != nil; n = n.Next() {
		if n.HasDef() {
			next = r.pos[n.Def.Index]
			break
		}
	}
	pos = at + (next-at)/2
	if in.Kind == ir.KindPhi {
		// Behind all phis, whose positions are before the next instruction's.
		l := in
		for n := in.Next(); n != nil && n.Kind == ir.KindPhi; n = n.Next() {
			l = n
		}
		if l != in {
			return r.after(l)
		}
	}
	return ir.After(in), pos, pos > at && pos < next
}

// maxSum bounds the products of a sum that is regrouped.
const maxSum = 8

// sumRoot reports whether in is the last addition of a sum that may be regrouped.
func sumRoot(in *ir.Instr) bool {
	if in.Kind != ir.KindALU || in.Exact || in.Def.NumComponents != 1 {
		return false
	}
	if in.Op == ir.OpFadd {
		return true
	}
	if in.Op != ir.OpFfma {
		return false
	}
	u := in.Def.FirstUse()
	if u == nil || u.Instr == nil || !in.Def.UsedOnce() || u.Instr.Kind != ir.KindALU || u.Instr.Exact {
		return true
	}
	return u.Instr.Op != ir.OpFadd && (u.Instr.Op != ir.OpFfma || u != &u.Instr.Srcs[2])
}

// sum is a sum of products and at most one other addend.
type sum struct {
	products [maxSum]*ir.Instr
	keys     [maxSum]uint32
	n        int
	addend   *ir.Src
}

// follow collects the products that only the sum reads, from its last to its first.
func (s *sum) follow(src *ir.Src) bool {
	for s.n < maxSum {
		p := src.Def.Instr
		if p.Kind != ir.KindALU || p.Exact || !src.Def.UsedOnce() || src.Def.NumComponents != 1 || p.Op != ir.OpFmul && p.Op != ir.OpFfma {
			if s.addend != nil {
				return false
			}
			s.addend = src
			return true
		}
		s.add(p)
		if p.Op == ir.OpFmul {
			return true
		}
		src = &p.Srcs[2]
	}
	return false
}

func (s *sum) add(p *ir.Instr) {
	s.products[s.n], s.keys[s.n] = p, factorKey(p)
	s.n++
}

// factorKey orders products by when their factors are known: consts are from the start.
func factorKey(p *ir.Instr) uint32 {
	k := uint32(0)
	for i := range 2 {
		d := p.Srcs[i].Def
		switch in := d.Instr; {
		case in.Kind == ir.KindLoadConst:
		case in.Kind == ir.KindIntrinsic && (in.Intr == ir.IntrLoadUbo || in.Intr == ir.IntrLoadPushConstant):
		default:
			k = max(k, 1+4*d.Index+uint32(p.Srcs[i].Swizzle.Lane(0)))
		}
	}
	return k
}

// sorted reports whether the products, the last first, are in their order.
func (s *sum) sorted() bool {
	for i := 1; i < s.n; i++ {
		if s.keys[i] > s.keys[i-1] {
			return false
		}
	}
	return true
}

// takesAway reports whether one of at least three terms is taken away from the others. Their order may be what keeps their digits, as in
// (1 - n*n) + a*a, where n is nearly 1 and a small: the sum of 1 and a*a has none of a's left.
func (s *sum) takesAway() bool {
	if s.n == 2 && s.addend == nil {
		return false
	}
	for _, p := range s.products[:s.n] {
		if p.Srcs[0].Def.Instr.IsALU(ir.OpFneg) || p.Srcs[1].Def.Instr.IsALU(ir.OpFneg) {
			return true
		}
	}
	return false
}

// sort puts the product whose factors come last first, and leaves equal ones alone.
func (s *sum) sort() {
	for i := 1; i < s.n; i++ {
		for k := i; k > 0 && s.keys[k] > s.keys[k-1]; k-- {
			s.keys[k], s.keys[k-1] = s.keys[k-1], s.keys[k]
			s.products[k], s.products[k-1] = s.products[k-1], s.products[k]
		}
	}
}

// order regroups the sum that ends in in.
func (r *regroup) order(in *ir.Instr) bool {
	var s sum
	late := false // the addend stands after the products
	if in.Op == ir.OpFadd {
		k := 0
		if p := in.Srcs[0].Def.Instr; p.Kind != ir.KindALU || p.Op != ir.OpFfma || !in.Srcs[0].Def.UsedOnce() {
			k = 1
		}
		s.addend, late = &in.Srcs[1-k], true
		if !s.follow(&in.Srcs[k]) {
			return false
		}
	} else {
		s.add(in)
		if !s.follow(&in.Srcs[2]) {
			return false
		}
	}
	if s.n < 2 || !late && s.sorted() || s.takesAway() {
		return false
	}
	// The places of the products, the first last.
	var places [maxSum]*ir.Instr
	copy(places[:], s.products[:s.n])
	if late {
		copy(places[1:], s.products[:s.n-1])
		places[0] = in
	}
	s.sort()
	return r.rebuild(in, &s, &places)
}

// rebuild computes the sum again in its order, each step where the one that it
// stands for was or as soon as its operands are there.
func (r *regroup) rebuild(in *ir.Instr, s *sum, places *[maxSum]*ir.Instr) bool {
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	var acc *ir.Def
	if s.addend != nil {
		acc = s.addend.Def
	}
	for k := s.n - 1; k >= 0; k-- {
		p := s.products[k]
		anchor := places[k]
		for i := range 2 {
			anchor = r.later(anchor, p.Srcs[i].Def)
		}
		if acc != nil {
			anchor = r.later(anchor, acc)
		}
		c, pos, ok := r.after(anchor)
		if !ok {
			return true // the steps so far are dead
		}
		op, srcs := ir.OpFfma, []*ir.Def{p.Srcs[0].Def, p.Srcs[1].Def, acc}
		if acc == nil {
			op, srcs = ir.OpFmul, srcs[:2]
		}
		step := c.Insert(b.Shader.NewALU(op, 1, in.Def.BitSize, srcs...))
		step.FastMath, step.Loc = in.FastMath, in.Loc
		for i := range 2 {
			step.Srcs[i].Swizzle = p.Srcs[i].Swizzle
		}
		if k == s.n-1 && s.addend != nil {
			step.Srcs[2].Swizzle = s.addend.Swizzle
		}
		acc = &step.Def
		for len(r.pos) <= int(acc.Index) {
			r.pos = append(r.pos, 0)
		}
		r.pos[acc.Index] = pos
	}
	in.Def.RewriteUses(acc)
	in.Remove()
	s.remove()
	return true
}

// remove removes the products, which nobody reads now: others that read their factors would not be the only ones.
func (s *sum) remove() {
	for again := true; again; {
		again = false
		for _, p := range s.products[:s.n] {
			if p.Block != nil && p.Def.Unused() {
				p.Remove()
				again = true
			}
		}
	}
}

// later is the one of two definitions that stands after the other.
func (r *regroup) later(in *ir.Instr, d *ir.Def) *ir.Instr {
	if r.pos[d.Index] > r.pos[in.Def.Index] {
		return d.Instr
	}
	return in
}
