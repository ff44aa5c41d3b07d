package passes

import (
	"math/bits"
	"slices"

	"nirc/ir"
)

var optRayQueryRangesPass = &Pass{
	Name: "opt_ray_query_ranges", For: ir.HasRayQuery, Class: "C", Run: optRayQueryRanges, Idempotent: true, Optional: true,
	Doc: "Lets ray queries share a variable, and with it the memory of a traversal, where none of them is asked anything between another's rq_initialize and its last use. " +
		"Input: one function. Queries in arrays stay.",
}

// maxRayQueries bounds the queries that are looked at: a word has a bit for each.
const maxRayQueries = 64

// rayQueryRanges finds where the queries of a function live: from rq_initialize, which forgets what was there, to the last use.
type rayQueryRanges struct {
	impl *ir.Impl
	vars []*ir.Variable
	// live has the queries that live where a block begins, apart those that must not share, by their number.
	live  []uint64
	apart [maxRayQueries]uint64
}

func optRayQueryRanges(_ *Context, s *ir.Shader) (bool, error) {
	e := s.Entry()
	if e == nil || e.Impl == nil || slices.ContainsFunc(s.Functions, func(f *ir.Function) bool { return f.Impl != nil && f != e }) {
		return false, nil
	}
	r := &rayQueryRanges{impl: e.Impl}
	r.find(s)
	if len(r.vars) < 2 {
		return false, nil
	}
	e.Impl.Require(ir.MetaBlockIndex)
	r.live = make([]uint64, len(slices.Collect(e.Impl.Blocks()))+1)
	for changed := true; changed; {
		changed = false
		for b := range e.Impl.BlocksReverse() {
			if in := r.block(b); in != r.live[b.Index] {
				r.live[b.Index], changed = in, true
			}
		}
	}
	return r.share(s), nil
}

// find takes the variables that are queries and of which no pointer is made.
func (r *rayQueryRanges) find(s *ir.Shader) {
	var other []*ir.Variable
	for in := range r.impl.Instrs() {
		if in.Kind != ir.KindDeref || in.Deref != ir.DerefVar {
			continue
		}
		v := in.DerefInfo().Var
		if v.Type.Base != ir.BaseRayQuery || v.Mode&(ir.ModeFunctionTemp|ir.ModeShaderTemp) == 0 {
			continue
		}
		for u := range in.Def.Uses() {
			if !u.Instr.IsRayQuery() {
				other = append(other, v)
			}
		}
		if !slices.Contains(r.vars, v) {
			r.vars = append(r.vars, v)
		}
	}
	r.vars = slices.DeleteFunc(r.vars, func(v *ir.Variable) bool { return slices.Contains(other, v) })
	r.vars = r.vars[:min(len(r.vars), maxRayQueries)]
}

// block goes backwards through a block, notes who lives beside whom, and returns who lives where it begins.
func (r *rayQueryRanges) block(b *ir.Block) (live uint64) {
	for _, next := range b.Succ {
		if next != nil {
			live |= r.live[next.Index]
		}
	}
	for in := range b.InstrsReverse() {
		if !in.IsRayQuery() {
			continue
		}
		d := derefOf(in.Srcs[0].Def)
		k := slices.Index(r.vars, derefVar(d))
		if k < 0 {
			continue
		}
		live |= 1 << k
		for others := live &^ (1 << k); others != 0; others &= others - 1 {
			o := bits.TrailingZeros64(others)
			r.apart[k] |= 1 << o
			r.apart[o] |= 1 << k
		}
		if in.Intr == ir.IntrRqInitialize {
			live &^= 1 << k
		}
	}
	return live
}

// share gives each query the variable of the first one that it may share with.
func (r *rayQueryRanges) share(s *ir.Shader) bool {
	stands := make([]*ir.Variable, len(r.vars)) // for a query's variable
	var groups []int                            // the queries whose variables stay
	for k, v := range r.vars {
		stands[k] = v
		g := slices.IndexFunc(groups, func(g int) bool {
			return r.apart[g]>>k&1 == 0 && r.vars[g].Mode == v.Mode
		})
		if g < 0 {
			groups = append(groups, k)
			continue
		}
		first := groups[g]
		stands[k] = r.vars[first]
		r.join(first, k)
	}
	if len(groups) == len(r.vars) {
		return false
	}
	for in := range r.impl.Instrs() {
		if in.Kind == ir.KindDeref && in.Deref == ir.DerefVar {
			if k := slices.Index(r.vars, in.DerefInfo().Var); k >= 0 {
				in.DerefInfo().Var, in.DerefInfo().Type = stands[k], stands[k].Type
			}
		}
	}
	gone := func(v *ir.Variable) bool {
		k := slices.Index(r.vars, v)
		return k >= 0 && stands[k] != v
	}
	s.Variables, r.impl.Locals = slices.DeleteFunc(s.Variables, gone), slices.DeleteFunc(r.impl.Locals, gone)
	r.impl.Preserve(ir.MetaControlFlow)
	return true
}

// join makes whoever must not share with one query that took another's variable keep away from both.
func (r *rayQueryRanges) join(first, k int) {
	r.apart[first] |= r.apart[k]
	for o := range r.vars {
		if r.apart[o]>>k&1 != 0 {
			r.apart[o] |= 1 << first
		}
	}
}
