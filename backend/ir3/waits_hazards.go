package ir3

import (
	"math/bits"

	"nirc/backend/ir3/isa"
)

// Units of the hazard analysis: halves of general registers, of shared ones,
// then the special registers.
const (
	unitShared = gprUnits
	unitA0     = unitShared + 64
	unitA1     = unitA0 + 1
	unitPred   = unitA1 + 1
	numUnits   = unitPred + 4
	unitWords  = (numUnits + 63) / 64
)

// unitSet is a set of units.
type unitSet [unitWords]uint64

func (s *unitSet) add(r span) {
	for u := r.unit; u < r.unit+r.n; u++ {
		s[u>>6] |= 1 << (u & 63)
	}
}

func (s *unitSet) remove(r span) {
	for u := r.unit; u < r.unit+r.n; u++ {
		s[u>>6] &^= 1 << (u & 63)
	}
}

func (s *unitSet) meets(r span) bool {
	if at := uint(r.unit) & 63; at+uint(r.n) < 64 { // nearly all lie in one word
		return s[r.unit>>6]>>at&(1<<(uint(r.n)&63)-1) != 0
	}
	return s.meetsAny(r)
}

func (s *unitSet) meetsAny(r span) bool {
	for u := r.unit; u < r.unit+r.n; u++ {
		if s[u>>6]>>(u&63)&1 != 0 {
			return true
		}
	}
	return false
}

// union adds t to s and reports whether s grew.
func (s *unitSet) union(t *unitSet) bool {
	grew := false
	for i, w := range t {
		grew = grew || w&^s[i] != 0
		s[i] |= w
	}
	return grew
}

// span is a run of units that an instruction reads or writes.
type span struct {
	unit, n int
	half    bool
	late    bool // src3 of category 3
	// step is, of a register that advances under (rptN), the units of one
	// repetition; the next ones follow a slot later each. 0 of the others.
	step int
}

// touch is what an instruction reads and writes.
type touch struct {
	reads, writes []span
}

// operandSpan is the units of n consecutive registers from o on.
func operandSpan(o isa.Operand, n int) (span, bool) {
	if o.Kind != isa.Reg || n <= 0 {
		return span{}, false
	}
	v, w := int(o.Val), 2
	if o.IsHalf() {
		w = 1
	}
	switch {
	case v < isa.SharedFirst: // most
		return span{unit: v * w, n: n * w, half: w == 1}, true
	case o.IsPred():
		return span{unit: unitPred + v - isa.P0, n: 1}, true
	case v == isa.A0:
		return span{unit: unitA0, n: 1}, true
	case v == isa.A1:
		return span{unit: unitA1, n: 1}, true
	case v == isa.NoReg:
		return span{}, false
	case o.IsShared():
		return span{unit: unitShared + (v-isa.SharedFirst)*w, n: n * w, half: w == 1}, true
	}
	return span{unit: v * w, n: n * w, half: w == 1}, true
}

func (t *touch) read(o isa.Operand, n int) {
	if s, ok := operandSpan(o, n); ok {
		t.reads = append(t.reads, s)
	}
}

func (t *touch) write(o isa.Operand, n int) {
	if s, ok := operandSpan(o, n); ok {
		t.writes = append(t.writes, s)
	}
}

// writeMasked notes the components that a texture instruction writes: it leaves those between as they are.
func (t *touch) writeMasked(in *isa.Instr) {
	for at := 0; in.WrMask>>at != 0; {
		n := bits.TrailingZeros8(^(in.WrMask >> at))
		if n == 0 {
			at++
			continue
		}
		o := in.Dst
		if o.Val != isa.NoReg {
			o.Val += int32(at)
		}
		t.write(o, n)
		at += n
	}
}

// of fills t with what in touches.
func (t *touch) of(in *isa.Instr) {
	t.reads, t.writes = t.reads[:0], t.writes[:0]
	switch in.Op.Category() {
	case 0:
		if in.Op == isa.OpPredt || in.Op == isa.OpPredf {
			t.read(isa.P(0), 1)
		}
		t.read(in.Srcs[0], 1)
		t.read(in.Srcs[1], 1)
	case 1:
		t.cat1(in)
	case 2, 3, 4:
		for i := range in.Srcs {
			o := in.Srcs[i]
			if o.Kind != isa.Reg {
				continue
			}
			k := len(t.reads)
			if in.Op == isa.OpBaryF && i == 1 {
				t.read(o, 2)
			} else {
				t.repeatedRead(in, o)
			}
			if i == 2 && len(t.reads) > k {
				t.reads[k].late = true
			}
		}
		t.repeatedWrite(in)
	case 5:
		n1, n2, n3 := in.TexSources()
		t.read(in.Srcs[0], n1)
		t.read(in.Srcs[1], n2)
		t.read(in.Srcs[2], n3)
		switch in.Mode {
		case isa.TexBindlessA1, isa.TexBindlessA1Nonu, isa.TexBindlessA1Imm:
			t.reads = append(t.reads, span{unit: unitA1, n: 1})
		}
		t.writeMasked(in)
	case 6:
		t.mem(in)
	}
	if relative(in) {
		t.reads = append(t.reads, span{unit: unitA0, n: 1})
	}
}

// relative reports whether a0.x says which register or const the instruction means. The kinds are collected in a set: to
// compare each was a sixth of what of costs.
func relative(in *isa.Instr) bool {
	kinds := uint32(0)
	for i := range in.Srcs {
		kinds |= 1 << (in.Srcs[i].Kind & 31)
	}
	return in.Dst.Kind == isa.RelReg || kinds&(1<<isa.RelReg|1<<isa.RelConst) != 0
}

func (t *touch) cat1(in *isa.Instr) {
	switch in.Op {
	case isa.OpSwz:
		t.read(in.Srcs[0], 1)
		t.read(in.Srcs[1], 1)
		t.write(in.Dst, 1)
		t.write(in.Srcs[2], 1)
	case isa.OpMovmsk:
		t.write(in.Dst, int(in.Size))
	default:
		t.repeatedRead(in, in.Srcs[0])
		t.repeatedWrite(in)
	}
}

// repeatedRead adds a source that advances if it has (r).
func (t *touch) repeatedRead(in *isa.Instr, o isa.Operand) {
	if in.Repeat == 0 || o.Flags&isa.Rpt == 0 {
		t.read(o, 1)
		return
	}
	if s, ok := operandSpan(o, 1+int(in.Repeat)); ok {
		s.step = s.n / (1 + int(in.Repeat))
		t.reads = append(t.reads, s)
	}
}

func (t *touch) repeatedWrite(in *isa.Instr) {
	if s, ok := operandSpan(in.Dst, 1+int(in.Repeat)); ok {
		if in.Repeat > 0 {
			s.step = s.n / (1 + int(in.Repeat))
		}
		t.writes = append(t.writes, s)
	}
}

// mem: vectors in memory instructions have Size registers, addresses their own width.
func (t *touch) atomic(in *isa.Instr) {
	op, s, wide := in.Op, &in.Srcs, wideType(in)
	if op >= isa.OpAtomicBAdd && op <= isa.OpAtomicBXor {
		k := 2
		if op == isa.OpAtomicBCmpxchg {
			k = 3
		}
		t.read(s[0], k*wide)
		t.read(s[1], int(in.Dims))
		t.read(s[2], 1)
		t.write(s[0], wide)
		return
	}
	a, k := 1, 1
	if op >= isa.OpAtomicGAdd {
		a = 2
	}
	if op == isa.OpAtomicLCmpxchg || op == isa.OpAtomicGCmpxchg {
		k = 2
	}
	t.read(s[0], a)
	t.read(s[1], k*wide)
	t.write(in.Dst, wide)
}

func (t *touch) mem(in *isa.Instr) {
	n, s := int(in.Size), &in.Srcs
	if in.Dst.Kind == isa.ConstA1 || in.Op == isa.OpLdcK {
		t.reads = append(t.reads, span{unit: unitA1, n: 1})
	}
	switch op := in.Op; {
	case op == isa.OpLdg:
		t.read(s[0], 2)
		t.write(in.Dst, n)
	case op == isa.OpLdgA6, op == isa.OpLdgA7:
		t.read(s[0], 2)
		t.read(s[1], 1)
		t.write(in.Dst, n)
	case op == isa.OpStg:
		t.read(s[0], 2)
		t.read(s[1], n)
	case op == isa.OpStgA6, op == isa.OpStgA7:
		t.read(s[0], 2)
		t.read(s[1], n)
		t.read(s[2], 1)
	case op == isa.OpStl, op == isa.OpStlw, op == isa.OpStp:
		t.read(s[0], 1)
		t.read(s[1], n)
	case op == isa.OpStc:
		t.read(s[0], n)
	case op == isa.OpStib:
		t.read(s[0], n)
		t.read(s[1], int(in.Dims))
		t.read(s[2], 1)
	case op == isa.OpLdib:
		t.read(s[0], int(in.Dims))
		t.read(s[1], 1)
		t.write(in.Dst, n)
	case op == isa.OpRayIntersection:
		for i, n := range [...]int{2, 1, 8, 1} {
			t.read(s[i], n)
		}
		t.read(in.Dst, rayResults)
		t.write(in.Dst, rayResults)
	case op == isa.OpResinfo:
		t.read(s[0], 1)
		t.write(in.Dst, 3)
	case op >= isa.OpAtomicBAdd && op <= isa.OpAtomicBXor, op >= isa.OpAtomicLAdd && op <= isa.OpAtomicGXor:
		t.atomic(in)
	case op == isa.OpLdl, op == isa.OpLdlw, op == isa.OpLdp, op == isa.OpLdc:
		t.read(s[0], 1)
		t.read(s[1], 1)
		t.write(in.Dst, n)
	default:
		t.read(s[0], 1)
		t.read(s[1], 1)
		t.write(in.Dst, 1)
	}
}

// wideType is the number of registers of an atomic's operand.
func wideType(in *isa.Instr) int {
	if in.Type == isa.U64 {
		return 2
	}
	return 1
}

// syncKind is how results and late reads of an instruction are waited for
// (ir3.md §4.3 and 4.4).
type syncKind struct {
	ss, sy bool // results need (ss), (sy)
	late   bool // sources are read after the issue
	warSS  bool // ... and only (ss) makes sure that they were
}

func syncOf(in *isa.Instr) syncKind {
	op := in.Op
	switch op.Category() {
	case 1, 2, 3:
		if in.Dst.IsShared() {
			return syncKind{ss: true, late: true, warSS: true}
		}
	case 4:
		return syncKind{ss: true, late: true, warSS: true}
	case 5:
		return syncKind{sy: op != isa.OpTcinv, late: true}
	case 6:
		switch {
		case op == isa.OpGetfiberid || op == isa.OpGetwid || op == isa.OpGetspid:
			return syncKind{ss: true}
		case op == isa.OpLdl, op == isa.OpLdlw, op == isa.OpResinfo, op >= isa.OpAtomicLAdd && op <= isa.OpAtomicLXor, op >= isa.OpShflXor && op <= isa.OpShflRdown:
			return syncKind{ss: true, late: true, warSS: true}
		case op == isa.OpStg, op == isa.OpStgA6, op == isa.OpStgA7, op == isa.OpStl, op == isa.OpStlw, op == isa.OpStp, op == isa.OpStib, op == isa.OpStc:
			return syncKind{late: true, warSS: true}
		}
		// A vector load into shared registers counts in both classes.
		return syncKind{ss: op == isa.OpLdc && in.Dst.IsShared(), sy: true, late: true}
	}
	return syncKind{}
}

// takesSS reports whether an instruction has a bit for (ss).
func takesSS(in *isa.Instr) bool {
	c := in.Op.Category()
	return c <= 4 || c == 7
}
