package agx

import (
	"cmp"
	"slices"

	"nirc/backend/mach"
)

// collect makes a vector of operands of one size.
func (s *isel) collect(ops ...opnd) mach.Value {
	if len(ops) == 1 {
		return s.reg(ops[0])
	}
	return s.collectAs(0xff, ops...)
}

func (s *isel) collectAs(class uint8, ops ...opnd) mach.Value {
	if w := s.wholePair(class, ops); w != 0 {
		return w
	}
	known := s.knownVector(class, ops)
	if known != nil && known.v != 0 {
		return known.v
	}
	vals := s.f.ValueList(len(ops))
	for i, o := range ops {
		// An immediate goes right to its place: sharing it would cost a move.
		if o = o.fold(); o.kind == opImm {
			vals[i] = s.newImm(o)
			continue
		}
		vals[i] = s.reg(o)
	}
	if class == 0xff {
		class = s.f.Class(vals[0])
	}
	d := s.f.NewValue(class, len(ops))
	s.generic(mach.OpCollect, []mach.Value{d}, vals)
	if known != nil {
		known.v = d
	}
	return d
}

// sameVector is a vector with immediates or uniforms, made in a block.
type sameVector struct {
	v     mach.Value
	epoch uint32
	class uint8
	n     int
	ops   [4]opnd
}

// knownVector is the place of a vector with immediates or uniforms among the last ones, nil if it has none: stores
// of tables, and of one value to many places, have the same again and again. Older ones are forgotten, or they would live for long.
// Vectors of registers alone are found again by what finds equal results.
func (s *isel) knownVector(class uint8, ops []opnd) *sameVector {
	w := sameVector{epoch: s.epoch, class: class, n: len(ops)}
	if len(ops) > len(w.ops) {
		return nil
	}
	values := 0
	for i, o := range ops {
		if o = o.fold(); o.kind == opNone || o.mods != 0 || o.conv {
			return nil
		}
		if o.kind == opVal {
			values++
		}
		w.ops[i] = o
	}
	if values == len(ops) {
		return nil
	}
	for i := range s.vectors {
		x := &s.vectors[i]
		if w.v = x.v; *x == w {
			return x
		}
	}
	w.v = 0
	k := s.nextVector
	s.vectors[k], s.nextVector = w, (k+1)%len(s.vectors)
	return &s.vectors[k]
}

// split takes n elements of a vector apart.
func (s *isel) split(v mach.Value, n int) []opnd {
	ops := s.code.opnds.Slice(n)
	if n == 1 {
		ops[0] = s.value(v)
		return ops
	}
	class := s.f.Class(v)
	if class == classWide {
		class = classFull
	}
	vals := s.f.ValueList(n)
	for i := range vals {
		vals[i] = s.f.NewValue(class, 1)
		ops[i] = s.value(vals[i])
	}
	s.generic(mach.OpSplit, vals, []mach.Value{v})
	s.splits = append(s.splits, splitVector{v, vals[0], n})
	return ops
}

// splitVector is a vector that was split into n elements, whose values follow the first one's.
type splitVector struct {
	whole, first mach.Value
	n            int
}

// wholePair is the pair that two words were split from, if they are to be one again: sums of 64 bits are
// words of the IR between one instruction and the next.
func (s *isel) wholePair(class uint8, ops []opnd) mach.Value {
	if class != classWide {
		return 0
	}
	return s.wholeVector(class, ops)
}

// wholeVector is the vector of a class that all of ops were split from, in their order; 0 if there is none. Vectors stand in the
// order of their elements.
func (s *isel) wholeVector(class uint8, ops []opnd) mach.Value {
	var first mach.Value
	for i, o := range ops {
		if o = o.fold(); o.kind != opVal || o.mods != 0 || o.conv {
			return 0
		}
		if i == 0 {
			first = o.val
		}
		if o.val != first+mach.Value(i) {
			return 0
		}
	}
	k, ok := slices.BinarySearchFunc(s.splits, first, func(x splitVector, v mach.Value) int { return cmp.Compare(x.first, v) })
	if !ok || s.splits[k].n != len(ops) || s.f.Class(s.splits[k].whole) != class {
		return 0
	}
	return s.splits[k].whole
}

// halves takes a 32-bit register apart.
func (s *isel) halves(o opnd) (lo, hi opnd) {
	o = o.fold()
	if o.kind == opImm {
		return imm16(o.bits), imm16(o.bits >> 16)
	}
	if o.kind == opUniform && o.mods == 0 && !o.conv {
		return opnd{kind: opUniform, bits: o.bits, half: true}, opnd{kind: opUniform, bits: o.bits + 1, half: true}
	}
	v := s.reg(o)
	l, h := s.newReg(true), s.newReg(true)
	s.generic(mach.OpSplit, []mach.Value{l, h}, []mach.Value{v})
	return s.value(l), s.value(h)
}

// join makes a 32-bit register of two halves.
func (s *isel) join(lo, hi opnd) opnd {
	lo, hi = lo.fold(), hi.fold()
	if lo.kind == opImm && hi.kind == opImm {
		return imm32(lo.bits | hi.bits<<16)
	}
	if lo.kind == opUniform && hi.kind == opUniform && lo.mods|hi.mods == 0 && lo.bits&1 == 0 && hi.bits == lo.bits+1 {
		return opnd{kind: opUniform, bits: lo.bits}
	}
	d := s.newReg(false)
	s.generic(mach.OpCollect, []mach.Value{d}, []mach.Value{s.reg(lo), s.reg(hi)})
	return s.value(d)
}
