package ir3

import (
	"slices"

	"nirc/backend/mach"
)

// outputWord is an immediate or a const that was brought into a register for an output.
type outputWord struct {
	val  mach.Value
	word opnd
}

// outputVectors are the vectors that outputs were collected into: equal outputs
// share their registers.
type outputVectors struct {
	ops  [][4]opnd
	vals []mach.Value
}

// empty forgets all but the memory.
func (o *outputVectors) empty() { o.ops, o.vals = o.ops[:0], o.vals[:0] }

// collect makes the vector of the first n components, or finds it; a single one may be component at of another vector.
func (o *outputVectors) collect(s *isel, ops [4]opnd, n int) (v mach.Value, at int) {
	for i := range o.ops {
		if s.f.Elems(o.vals[i]) == n && s.sameOutputs(&o.ops[i], &ops, n) {
			return o.vals[i], 0
		}
	}
	for i := range o.ops {
		if at := slices.Index(o.ops[i][:s.f.Elems(o.vals[i])], ops[0]); n == 1 && at >= 0 {
			return o.vals[i], at
		}
	}
	v = s.collect(ops[:n]...)
	o.ops, o.vals = append(o.ops, ops), append(o.vals, v)
	return v, 0
}

// sameOutputs reports whether components have the same values, or the same
// immediates or consts in registers of their own.
func (s *isel) sameOutputs(a, b *[4]opnd, n int) bool {
	for k := range n {
		x, y := a[k], b[k]
		if x == y {
			continue
		}
		if x.kind != opVal || y.kind != opVal || x.half != y.half || x.mods != y.mods {
			return false
		}
		wordX, okX := s.outputWord(x.val)
		wordY, okY := s.outputWord(y.val)
		if !okX || !okY || wordX != wordY {
			return false
		}
	}
	return true
}

// outputWord is the immediate or const that v was made of for an output.
func (s *isel) outputWord(v mach.Value) (word opnd, ok bool) {
	for i := range s.out.words {
		if w := &s.out.words[i]; w.val == v {
			return w.word, true
		}
	}
	return opnd{}, false
}
