package passes

import (
	"slices"
	"sync"

	"nirc/ir"
	"nirc/ir/optab"
	"nirc/passes/analysis"
)

var optReassociatePass = &Pass{
	Name: "opt_reassociate", For: ir.HasALU, Class: "B", Run: optReassociate, Idempotent: true, Optional: true, Rewrites: true,
	Doc: "Reorders chains of one associative operation over scalars inside a block so that constants meet and fold, what is the same for all lanes meets and can be hoisted or moved to a preamble, " +
		"what a loop does not change meets and can leave it, and a part that another instruction has computed already is taken from there. Chains without such a gain stay as they are. " +
		"Floats only where neither exactness nor properties of special values are asked for. Wrap promises are dropped.",
	Options: []Option{
		{"float", "additions and multiplications of floats too", false},
		{"uniform_const", "constants go to what is the same for all lanes instead of outside", false},
	},
}

func optReassociate(c *Context, s *ir.Shader) (bool, error) {
	r := reassociations.Get().(*reassociation)
	defer r.release()
	r.c, r.float, r.uniformConst, r.mode = c, c.Bool("float"), c.Bool("uniform_const"), ir.ModeOf(s.Info.FloatControls)
	return eachImpl(s, ir.MetaControlFlow, r.function), nil
}

// reassociations keeps the memory of runs that are over.
var reassociations = sync.Pool{New: func() any { return new(reassociation) }}

func (r *reassociation) release() {
	clear(r.terms[:cap(r.terms)])
	clear(r.roots[:cap(r.roots)])
	clear(r.inner[:cap(r.inner)])
	*r = reassociation{terms: r.terms[:0], roots: r.roots[:0], inner: r.inner[:0]}
	reassociations.Put(r)
}

// function rewrites the chains of a function. Most have none: what values and blocks are is asked at the first.
func (r *reassociation) function(impl *ir.Impl) (progress bool) {
	known := false
	for blk := range impl.Blocks() {
		r.roots = r.roots[:0]
		for in := blk.First(); in != nil; in = in.Next() {
			if r.isRoot(in) {
				r.roots = append(r.roots, in)
			}
		}
		if len(r.roots) > 0 && !known {
			known = true
			r.place.init(impl)
			analysis.RequireDivergence(impl)
		}
		for _, in := range r.roots {
			progress = r.chain(in) || progress
		}
	}
	return progress
}

// maxTerms bounds the terms of a chain.
const maxTerms = 24

type reassociation struct {
	c                   *Context
	float, uniformConst bool
	mode                optab.Mode
	place               placement
	terms               []term
	roots               []*ir.Instr // the last operations of a block's chains
	inner               []*ir.Instr // a chain's operations without the root
}

// term is an operand of a chain: component lane of def.
type term struct {
	def   *ir.Def
	lane  int
	class uint32 // terms of one class shall meet; ascending from the inside out
}

// handles reports whether an operation may be part of a chain.
func (r *reassociation) handles(in *ir.Instr) bool {
	if in.Kind != ir.KindALU || in.Def.NumComponents != 1 {
		return false
	}
	switch in.Op {
	case ir.OpIadd, ir.OpImul, ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax:
		return true
	case ir.OpFadd, ir.OpFmul:
		return r.float && !in.Exact && in.FastMath == 0
	}
	return false
}

// below reports whether a source is an operation of the same chain.
func (r *reassociation) below(in *ir.Instr, s *ir.Src) bool {
	x := s.Def.Instr
	return x.Kind == ir.KindALU && x.Op == in.Op && x.Block == in.Block && s.Def.UsedOnce() && r.handles(x)
}

// isRoot reports whether in is the last operation of a chain of more than one.
func (r *reassociation) isRoot(in *ir.Instr) bool {
	if !r.handles(in) || in.Def.Unused() || !r.below(in, &in.Srcs[0]) && !r.below(in, &in.Srcs[1]) {
		return false
	}
	u := in.Def.FirstUse().Instr
	return u == nil || !r.handles(u) || !r.below(u, in.Def.FirstUse()) || u.Op != in.Op
}

// chain rewrites the chain of which in is the last operation.
func (r *reassociation) chain(in *ir.Instr) bool {
	r.terms, r.inner = r.terms[:0], r.inner[:0]
	r.flatten(in)
	if len(r.terms) < 3 || len(r.terms) > maxTerms {
		return false
	}
	reused := r.reuse(in)
	if !reused && !r.gains(in) || !r.c.Step() {
		return false
	}
	r.rebuild(in)
	return true
}

func (r *reassociation) flatten(in *ir.Instr) {
	for i := range in.Srcs {
		s := &in.Srcs[i]
		if len(r.terms) <= maxTerms && r.below(in, s) {
			r.flatten(s.Def.Instr)
			r.inner = append(r.inner, s.Def.Instr)
			continue
		}
		r.terms = append(r.terms, term{s.Def, s.Swizzle.Lane(0), r.classOf(s.Def)})
	}
}

const constClass = 1 << 20

// classOf ranks a term: uniform ones first, then by the loops around them,
// constants last.
func (r *reassociation) classOf(d *ir.Def) uint32 {
	if d.IsConst() {
		return constClass
	}
	c := uint32(r.place.depth[d.Instr.Block.Index]) << 1
	if d.Divergent {
		c++
	}
	return c
}

// gains reports whether two terms of a class that a part of the chain could hold
// alone are apart: there is a second constant, or a class of two or more,
// that does not make up a part of the chain as it stands.
func (r *reassociation) gains(in *ir.Instr) bool {
	consts, highest := 0, uint32(0)
	for i := range r.terms {
		if r.terms[i].class == constClass {
			consts++
		} else {
			highest = max(highest, r.terms[i].class)
		}
	}
	if consts > 1 {
		return true
	}
	for i := range r.terms {
		c := r.terms[i].class
		if c == constClass || c == highest {
			continue // the highest gains nothing by itself
		}
		n := 0
		for k := range r.terms {
			if r.terms[k].class <= c {
				n++
			}
		}
		if n > 1 && !r.together(in, c, n) {
			return true
		}
	}
	return r.uniformConst && consts == 1 && r.constApart(in, highest)
}

// together reports whether the n terms of classes up to c are all of an
// operation's terms.
func (r *reassociation) together(in *ir.Instr, c uint32, n int) bool {
	for _, x := range r.inner {
		if low, all := r.count(x, c); low == n && all == n {
			return true
		}
	}
	low, all := r.count(in, c)
	return low == n && all == n
}

// count counts the terms below an operation: those of classes up to c, and all.
func (r *reassociation) count(in *ir.Instr, c uint32) (low, all int) {
	for i := range in.Srcs {
		s := &in.Srcs[i]
		if r.below(in, s) {
			l, a := r.count(s.Def.Instr, c)
			low, all = low+l, all+a
			continue
		}
		all++
		if r.classOf(s.Def) <= c {
			low++
		}
	}
	return low, all
}

// constApart reports whether the only constant does not stand with the terms
// that are lower than the highest class.
func (r *reassociation) constApart(in *ir.Instr, highest uint32) bool {
	low := 0
	for i := range r.terms {
		if r.terms[i].class < highest {
			low++
		}
	}
	if low == 0 {
		return false
	}
	for _, x := range r.inner {
		n, consts := 0, 0
		for _, t := range r.termsOf(x, nil) {
			if t.class < highest {
				n++
			} else if t.class == constClass {
				consts++
			}
		}
		if _, all := r.count(x, constClass); n == low && consts == 1 && all == low+1 {
			return false
		}
	}
	return true
}

func (r *reassociation) termsOf(in *ir.Instr, list []term) []term {
	for i := range in.Srcs {
		s := &in.Srcs[i]
		if r.below(in, s) {
			list = r.termsOf(s.Def.Instr, list)
			continue
		}
		list = append(list, term{s.Def, s.Swizzle.Lane(0), r.classOf(s.Def)})
	}
	return list
}

// maxPartUses bounds the uses of a term among which a part is sought.
const maxPartUses = 8

// reuse replaces two terms by an operation over both that stands elsewhere,
// where it is known before the chain begins.
func (r *reassociation) reuse(in *ir.Instr) (found bool) {
	for i := 0; i < len(r.terms) && len(r.terms) > 2; i++ {
		t := r.terms[i]
		if t.def.IsConst() {
			continue
		}
		n := 0
		for u := range t.def.Uses() {
			if n++; n > maxPartUses {
				break
			}
			part := u.Instr
			if part == nil || part == in || !r.handles(part) || part.Op != in.Op || part.Block == in.Block || slices.Contains(r.inner, part) ||
				!part.Block.Dominates(in.Block) {
				continue
			}
			if k := r.partner(part, i); k >= 0 {
				r.terms[i] = term{&part.Def, 0, r.classOf(&part.Def)}
				r.terms = append(r.terms[:k], r.terms[k+1:]...)
				found = true
				i = -1
				break
			}
		}
	}
	return found
}

// partner returns the term after i that part combines with term i, or -1.
func (r *reassociation) partner(part *ir.Instr, i int) int {
	for side := range 2 {
		a, b := &part.Srcs[side], &part.Srcs[1-side]
		if a.Def != r.terms[i].def || a.Swizzle.Lane(0) != r.terms[i].lane {
			continue
		}
		for k := i + 1; k < len(r.terms); k++ {
			if b.Def == r.terms[k].def && b.Swizzle.Lane(0) == r.terms[k].lane {
				return k
			}
		}
	}
	return -1
}

// rebuild makes the chain again before its last operation, terms by class.
func (r *reassociation) rebuild(in *ir.Instr) {
	b := ir.NewBuilder(ir.Before(in))
	b.AtInstr(in)
	r.foldConsts(b, in.Op, in.Def.BitSize)
	if r.uniformConst {
		r.lowerConst()
	}
	slices.SortStableFunc(r.terms, func(x, y term) int { return int(x.class) - int(y.class) })
	acc := r.terms[0]
	for _, t := range r.terms[1:] {
		x := b.Shader.NewALU(in.Op, 1, in.Def.BitSize, acc.def, t.def)
		x.Srcs[0].Swizzle, x.Srcs[1].Swizzle = ir.Broadcast(acc.lane), ir.Broadcast(t.lane)
		x.Loc = in.Loc
		b.Insert(x)
		x.Def.Divergent = acc.def.Divergent || t.def.Divergent
		acc = term{def: &x.Def}
	}
	if acc.def.Instr.Kind == ir.KindALU && acc.lane == 0 && acc.def.NumComponents == 1 {
		in.Def.RewriteUses(acc.def)
	} else {
		in.Def.RewriteUses(b.Channel(acc.def, acc.lane))
	}
	in.Remove()
	for i := len(r.inner) - 1; i >= 0; i-- {
		r.inner[i].Remove()
	}
}

// foldConsts makes one constant of all.
func (r *reassociation) foldConsts(b *ir.Builder, op ir.Op, bits uint8) {
	var args [4]uint64
	n, at := 0, 0
	kept := r.terms[:0]
	for _, t := range r.terms {
		if t.class != constClass {
			kept = append(kept, t)
			continue
		}
		v, _ := t.def.Const(t.lane)
		if n++; n == 1 {
			args[0], at = v, len(kept)
			kept = append(kept, t)
			continue
		}
		args[1] = v
		args[0] = op.Info().Eval(r.mode, bits, &args)
	}
	if n > 1 {
		kept[at] = term{b.Const(bits, args[0]), 0, constClass}
	}
	r.terms = kept
}

// lowerConst gives the constant the rank of the highest class but one.
func (r *reassociation) lowerConst() {
	highest, next, at := uint32(0), uint32(0), -1
	for i, t := range r.terms {
		switch {
		case t.class == constClass:
			at = i
		case t.class > highest:
			highest, next = t.class, highest
		case t.class < highest:
			next = max(next, t.class)
		}
	}
	mixed := slices.ContainsFunc(r.terms, func(t term) bool { return t.class < highest })
	if at >= 0 && mixed {
		r.terms[at].class = next
		// After its new class.
		t := r.terms[at]
		r.terms = append(append(r.terms[:at], r.terms[at+1:]...), t)
	}
}
