package analysis

import (
	"slices"

	"nirc/ir"
)

// Ranges holds for each value of a function what all its components may be:
// as unsigned integers and as floats. It sees through phis and knows the
// counters of loops whose trips are bounded, which FloatRange and UintMax do not.
type Ranges struct {
	uints  []Interval // by Def.Index
	floats []FloatSet
}

// Uint returns the range of d's components as unsigned integers.
func (r *Ranges) Uint(d *ir.Def) Interval {
	if int(d.Index) >= len(r.uints) {
		return fullRange(d) // made since
	}
	return r.uints[d.Index]
}

// Float returns what d's components may be as floats.
func (r *Ranges) Float(d *ir.Def) FloatSet {
	if int(d.Index) >= len(r.floats) {
		return floatAny
	}
	return r.floats[d.Index]
}

// RequireRanges returns the ranges of a function, computing them if needed:
// one walk over the instructions.
func RequireRanges(impl *ir.Impl) *Ranges {
	if r, ok := impl.Analysis(ir.MetaRange).(*Ranges); ok {
		return r
	}
	r, _ := impl.StaleAnalysis(ir.MetaRange).(*Ranges)
	if r == nil {
		r = &Ranges{}
	}
	r.compute(impl)
	impl.SetAnalysis(ir.MetaRange, r)
	return r
}

// CheckRanges reports whether the stored ranges of a function are what a new
// computation gives; true if none are stored.
func CheckRanges(impl *ir.Impl) bool {
	old, ok := impl.Analysis(ir.MetaRange).(*Ranges)
	if !ok {
		return true
	}
	var r Ranges
	r.compute(impl)
	return slices.Equal(r.uints, old.uints) && slices.Equal(r.floats, old.floats)
}

// unseen marks values that the walk has not come by: sources of the phis of
// loop heads from the way back.
var unseen = Interval{1, 0}

func (r *Ranges) compute(impl *ir.Impl) {
	n := int(impl.NumDefs)
	r.uints, r.floats = slices.Grow(r.uints[:0], n)[:n], slices.Grow(r.floats[:0], n)[:n]
	for i := range r.uints {
		r.uints[i], r.floats[i] = unseen, floatAny
	}
	counters := RequireLoops(impl)
	next := 0
	for b := range impl.Blocks() {
		for ; next < len(counters.All) && counters.All[next].Loop.Body.FirstBlock() == b; next++ {
			r.counters(counters.All[next])
		}
		for in := b.First(); in != nil; in = in.Next() {
			if in.HasDef() {
				r.instr(in)
			}
		}
	}
	for i := range r.uints {
		if r.uints[i] == unseen {
			r.uints[i] = Interval{} // no value of this number any more
		}
	}
}

// counters sets the ranges of what counts upwards in a loop of bounded trips.
func (r *Ranges) counters(l *LoopInfo) {
	if l.Limiting < 0 {
		return
	}
	for _, x := range l.Inductions {
		full := fullRange(&x.Phi.Def)
		if x.Op != ir.OpIadd || x.Step > full.Max>>1 || x.Step != 0 && (full.Max-x.Init)/x.Step < uint64(l.MaxTrips) {
			continue
		}
		r.uints[x.Phi.Def.Index] = Interval{x.Init, x.Init + x.Step*uint64(l.MaxTrips)}
	}
}

func (r *Ranges) instr(in *ir.Instr) {
	d := &in.Def
	u := &r.uints[d.Index]
	switch in.Kind {
	case ir.KindPhi:
		r.phi(in)
	case ir.KindLoadConst:
		*u = Interval{in.Imm[0], in.Imm[0]}
		f := FloatSet(0)
		for _, v := range in.Imm[:d.NumComponents] {
			*u = u.join(Interval{v, v})
			if d.BitSize >= 16 {
				f |= classify(v, d.BitSize)
			}
		}
		if d.BitSize >= 16 {
			r.floats[d.Index] = f
		}
	case ir.KindALU:
		r.alu(in)
	case ir.KindIntrinsic:
		*u = sysvalRange(in, 0)
		for c := 1; c < int(d.NumComponents); c++ {
			*u = u.join(sysvalRange(in, c))
		}
	default:
		*u = fullRange(d)
	}
}

func (r *Ranges) alu(in *ir.Instr) {
	u, f := &r.uints[in.Def.Index], &r.floats[in.Def.Index]
	*u = fullRange(&in.Def)
	switch {
	case in.IsVec():
		for i := range in.Srcs {
			s := r.uints[in.Srcs[i].Def.Index]
			if i == 0 {
				*u, *f = s, 0
			}
			*u = u.join(s)
			*f |= r.floats[in.Srcs[i].Def.Index]
		}
	case in.Op.Info().Horizontal():
	default:
		*u = uintOp(in, func(k int) Interval { return r.uints[in.Srcs[k].Def.Index] })
		*f = floatOp(in, func(k int) FloatSet { return r.floats[in.Srcs[k].Def.Index] })
	}
}

// phi joins what comes; what the walk has not come by may be anything, unless
// it is a counter that is known already.
func (r *Ranges) phi(in *ir.Instr) {
	u, f := &r.uints[in.Def.Index], &r.floats[in.Def.Index]
	known := *u != unseen
	var sum Interval
	var set FloatSet
	for i := range in.Srcs {
		s := in.Srcs[i].Def
		v := r.uints[s.Index]
		if v == unseen {
			v = fullRange(&in.Def)
			set = floatAny
		}
		if i == 0 {
			sum = v
		}
		sum = sum.join(v)
		set |= r.floats[s.Index]
	}
	if !known {
		*u = fullRange(&in.Def)
		if len(in.Srcs) > 0 {
			*u = sum
		}
		if c, ok := counterRange(in, rangeDepth); ok {
			*u = c
		}
	}
	if *f = set; len(in.Srcs) == 0 {
		*f = floatAny
	}
}
