package ir3

import (
	"slices"

	"nirc/backend/mach"
	"nirc/ir"
)

// fetched is a load of varying components from loc on that has been selected.
type fetched struct {
	in  *ir.Instr
	loc int
	ij  mach.Value
}

// covers reports whether the load e delivers all that the load f does, in the same way.
func (e *fetched) covers(f *fetched) bool {
	a, b := e.in, f.in
	return e.loc <= f.loc && f.loc+int(b.Def.NumComponents) <= e.loc+int(a.Def.NumComponents) && e.ij == f.ij && a.Intr == b.Intr &&
		a.Def.BitSize == b.Def.BitSize && (a.Intr != ir.IntrLoadInput || a.Get(ir.IdxDestType) == b.Get(ir.IdxDestType))
}

// fetchedBefore finds a load that covers f. Branches that load the same input are not one instruction before: no load
// of theirs dominates the others; here all come to the first block.
func (s *isel) fetchedBefore(f *fetched) *fetched {
	for i := range s.in.fetched {
		if e := &s.in.fetched[i]; e.covers(f) {
			return e
		}
	}
	return nil
}

// shareFetch gives in the components of e from one on. What takes all of them as a vector, as texture coordinates,
// finds it made in the first block: a vector made again in each branch would be a copy while the components live.
func (s *isel) shareFetch(in *ir.Instr, e *fetched, from int) {
	ops := make([]opnd, in.Def.NumComponents)
	for c := range ops {
		ops[c] = s.comp(&e.in.Def, from+c)
	}
	s.setComps(&in.Def, ops...)
	if len(ops) == 1 || s.sharedVector(ops) != 0 {
		return
	}
	s.in.shared = append(s.in.shared, sharedVector{ops, s.collect(ops...)})
}

// sharedVector is a vector of the first block and what it is made of.
type sharedVector struct {
	ops []opnd
	val mach.Value
}

// sharedVector finds the vector of operands that the first block has, 0 if there is none.
func (s *isel) sharedVector(ops []opnd) mach.Value {
	for i := range s.in.shared {
		if v := &s.in.shared[i]; slices.Equal(v.ops, ops) {
			return v.val
		}
	}
	return 0
}
