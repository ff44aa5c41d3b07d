package core

import (
	"math"

	"nirc/backend/midgard/isa"
)

// quick is how an instruction of whole 32-bit lanes computes, which nearly all
// are: its operands are components, not bits of any width at any place.
type quick uint8

const (
	quickNone quick = iota // by the general way
	quickFn                // lane by lane by the operation's function
	quickMove
	quickFadd
	quickFmul
	quickIadd
	quickIsub
	quickIand
	quickIor
	quickIxor
	quickImul
	quickIshl
	quickFlt
	quickFle
	quickFeq
	quickIlt
	quickIle
	quickIeq
	quickIne
	quickSelect
	quickSelectW
	quickDot
)

// quickOps are the operations that have a loop of their own.
var quickOps = [256]quick{
	isa.OpImov: quickMove, isa.OpFmov: quickMove, isa.OpFadd: quickFadd, isa.OpFmul: quickFmul, isa.OpIadd: quickIadd, isa.OpIsub: quickIsub,
	isa.OpIand: quickIand, isa.OpIor: quickIor, isa.OpIxor: quickIxor, isa.OpImul: quickImul, isa.OpIshl: quickIshl,
	isa.OpFlt: quickFlt, isa.OpFle: quickFle, isa.OpFeq: quickFeq, isa.OpIlt: quickIlt, isa.OpIle: quickIle, isa.OpIeq: quickIeq, isa.OpIne: quickIne,
}

// findQuick finds how the instruction may run quickly and readies its operands.
func (x *inst) findQuick() quick {
	if x.bits != 32 || x.shrink || x.bad != nil || x.n > 4 || x.approx != nil || x.op == isa.OpIpopcnt {
		return quickNone
	}
	for i := range x.src {
		if !x.src[i].ready(x.n) {
			return quickNone
		}
	}
	switch x.shape {
	case shapeLanes:
		if q := quickOps[x.op]; q != quickNone {
			return q
		}
		return quickFn
	case shapeSelect:
		return quickSelect
	case shapeSelectW:
		return quickSelectW
	case shapeDot:
		return quickDot
	}
	return quickNone
}

// ready fills what words reads; false if the operand is no components of 32 bits.
func (s *source) ready(n int) bool {
	if s.fixed {
		for k := range n {
			s.con[k] = uint32(s.vals[k])
		}
		return true
	}
	if s.bits != 32 || s.to != 32 || s.pair || s.widen != widenNone {
		return false
	}
	for k := range n {
		s.comp[k] = s.off[k] / 4
	}
	s.mods = uint32(s.and) != math.MaxUint32 || s.xor != 0
	return true
}

// words reads an operand that is ready.
func (s *source) words(file *[fileSize][2]uint64) (v [4]uint32) {
	if s.fixed {
		return s.con
	}
	r := &file[s.reg]
	w := [4]uint32{uint32(r[0]), uint32(r[0] >> 32), uint32(r[1]), uint32(r[1] >> 32)}
	v = [4]uint32{w[s.comp[0]&3], w[s.comp[1]&3], w[s.comp[2]&3], w[s.comp[3]&3]}
	if s.mods {
		and, xor := uint32(s.and), uint32(s.xor)
		for k := range v {
			v[k] = v[k]&and ^ xor
		}
	}
	return v
}

func truth32(c bool) uint32 {
	if c {
		return math.MaxUint32
	}
	return 0
}

// evalQuick computes the result of an instruction that has a quick way.
func (x *inst) evalQuick(t *thread) (res [2]uint64) {
	if x.nout == 1 && x.quick != quickDot {
		v := x.one(t)
		if x.float && x.out != isa.OutNone {
			v = uint32(x.clamp(uint64(v)))
		}
		res[x.off[0]>>3&1] = uint64(v) << (x.off[0] & 4 * 8)
		return res
	}
	a, b := x.src[0].words(&t.file), x.src[1].words(&t.file)
	n := x.nout & 7
	var v [4]uint32
	switch x.quick {
	case quickSelect:
		c := &t.file[fileCond]
		for k := range n {
			m := uint32(c[x.lane[k]>>1&1] >> (x.lane[k] & 1 * 32))
			v[k] = m&a[k] | ^m&b[k]
		}
	case quickSelectW:
		m := uint32(t.file[fileCond][1] >> 32)
		for k := range n {
			v[k] = m&a[k] | ^m&b[k]
		}
	case quickMove:
		v = b
	case quickDot:
		sum := f32(a[0]) * f32(b[0])
		for k := 1; k < x.n; k++ {
			p := f32(a[k]) * f32(b[k])
			sum += p
		}
		for k := range n {
			v[k] = fbits(sum)
		}
	default:
		for k := range n {
			v[k] = x.lane1(a[k], b[k])
		}
	}
	if x.float && x.out != isa.OutNone {
		for k := range n {
			v[k] = uint32(x.clamp(uint64(v[k])))
		}
	}
	for k := range n {
		res[x.off[k]>>3&1] |= uint64(v[k]) << (x.off[k] & 4 * 8)
	}
	return res
}

// word reads the one lane of an operand that is ready.
func (s *source) word(file *[fileSize][2]uint64) uint32 {
	if s.fixed {
		return s.con[0]
	}
	v := uint32(file[s.reg][s.comp[0]>>1&1] >> (s.comp[0] & 1 * 32))
	if s.mods {
		v = v&uint32(s.and) ^ uint32(s.xor)
	}
	return v
}

// one computes an instruction of one lane.
func (x *inst) one(t *thread) uint32 {
	a, b := x.src[0].word(&t.file), x.src[1].word(&t.file)
	m := uint32(0)
	switch x.quick {
	case quickSelect:
		m = uint32(t.file[fileCond][x.lane[0]>>1&1] >> (x.lane[0] & 1 * 32))
	case quickSelectW:
		m = uint32(t.file[fileCond][1] >> 32)
	default:
		return x.lane1(a, b)
	}
	return m&a | ^m&b
}

// lane1 computes one lane.
func (x *inst) lane1(p, q uint32) uint32 {
	switch x.quick {
	case quickMove:
		return q
	case quickFadd:
		return fbits(f32(p) + f32(q))
	case quickFmul:
		return fbits(f32(p) * f32(q))
	case quickIadd:
		return p + q
	case quickIsub:
		return p - q
	case quickIand:
		return p & q
	case quickIor:
		return p | q
	case quickIxor:
		return p ^ q
	case quickImul:
		return p * q
	case quickIshl:
		return p << (q & 31)
	case quickFlt:
		return truth32(f32(p) < f32(q))
	case quickFle:
		return truth32(f32(p) <= f32(q))
	case quickFeq:
		return truth32(f32(p) == f32(q))
	case quickIlt:
		return truth32(int32(p) < int32(q))
	case quickIle:
		return truth32(int32(p) <= int32(q))
	case quickIeq:
		return truth32(p == q)
	case quickIne:
		return truth32(p != q)
	}
	return uint32(x.fn(32, x.round, uint64(p), uint64(q)))
}

// jump is how a plain bundle goes on.
type jump uint8

const (
	jumpNext jump = iota
	jumpAlways
	jumpTrue
	jumpFalse
)

// findPlain reports whether a bundle is arithmetic alone and may go on only where
// other bundles are.
func (b *bundle) findPlain() {
	if !b.Tag.ALU() || b.decode != nil || b.bad != nil || b.rules != nil || b.next < 0 {
		return
	}
	if b.hasBranch {
		br := &b.branch
		switch {
		case br.Call > 1 || b.taken < 0 || br.Op != isa.BranchUncond && br.Op != isa.BranchCond:
			return
		case br.Op == isa.BranchUncond && !b.Has(isa.UnitBranchX) || br.Cond == isa.CondAlways:
			b.jump = jumpAlways
		case br.Cond == isa.CondTrue:
			b.jump = jumpTrue
		case br.Cond == isa.CondFalse:
			b.jump = jumpFalse
		default:
			return
		}
	}
	b.plain = true
	b.direct = [2]bool{direct(b.alu[:b.stage2]), direct(b.alu[b.stage2:])}
}

// direct reports whether no instruction of a stage reads a register that an earlier
// one writes.
func direct(list []inst) bool {
	for i := range list {
		for k := range list[:i] {
			r := list[k].reg
			for j := range list[i].src {
				if s := &list[i].src[j]; !s.fixed && s.reg == r {
					return false
				}
			}
			if r == fileCond && (list[i].shape == shapeSelect || list[i].shape == shapeSelectW) {
				return false
			}
		}
	}
	return true
}

// runStage runs a stage of a plain bundle.
func (w *wave) runStage(t *thread, list []inst, direct bool) {
	if !direct {
		w.stage(t, list)
		return
	}
	for i := range list {
		x := &list[i]
		if x.quick == quickNone || x.quick == quickDot || x.nout != 1 {
			w.write(t, x, x.eval(t))
			continue
		}
		v := x.one(t)
		if x.float && x.out != isa.OutNone {
			v = uint32(x.clamp(uint64(v)))
		}
		half, sh := x.off[0]>>3&1, x.off[0]&4*8
		m := uint64(math.MaxUint32) << sh
		r := &t.file[x.reg][half]
		*r = *r&^m | uint64(v)<<sh
		if w.check {
			t.def[x.reg][half] |= m
		}
	}
}

// runPlain executes a plain bundle; false, with nothing done, if something
// about the thread wants the long way.
func (w *wave) runPlain(t *thread, b *bundle) bool {
	if w.check {
		for i := range b.needs {
			n := &b.needs[i]
			d := &t.def[n.reg]
			if n.bits[0]&^d[0]|n.bits[1]&^d[1] != 0 {
				return false
			}
		}
	}
	t.file[filePCSP][0] = uint64(b.addr)
	w.runStage(t, b.alu[:b.stage2], b.direct[0])
	w.runStage(t, b.alu[b.stage2:], b.direct[1])
	to := b.next
	switch b.jump {
	case jumpAlways:
		to = b.taken
	case jumpTrue:
		if t.file[fileCond][1]>>32 != 0 {
			to = b.taken
		}
	case jumpFalse:
		if t.file[fileCond][1]>>32 == 0 {
			to = b.taken
		}
	}
	t.pc = to
	return true
}
