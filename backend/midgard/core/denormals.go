package core

import (
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
)

// flush is a set of widths of which float arithmetic flushes denormals to zeros, of operands and of results.
type flush uint8

const (
	flushHalf flush = 1 << iota
	flushSingle
)

// The doubts of a wave (emu.Launch.Doubt).
const (
	doubtHalves uint64 = iota + 1
	doubtSingles
	doubtCounts
)

// flushOf is what the hardware of a wave flushes: midgard.md §4.2 does not know, so that each seed has its own answer.
func flushOf(l *emu.Launch) (f flush) {
	if l.Doubt(doubtHalves) {
		f |= flushHalf
	}
	if l.Doubt(doubtSingles) {
		f |= flushSingle
	}
	return f
}

// isArith reports whether the instruction computes with floats: not if it only moves or selects bits.
func (x *inst) isArith(a *isa.ALU) bool {
	if x.bad != nil || !a.Op.Is(isa.FloatSrc) && !a.Op.Is(isa.FloatDst) || x.shape == shapeSelect || x.shape == shapeSelectW {
		return false
	}
	// The source of a move is its second.
	return !a.Op.Is(isa.Move) || x.shrink || x.out != isa.OutNone || x.src[1].changes()
}

// changes reports whether reading the operand makes another number of it.
func (s *source) changes() bool {
	return s.widen != widenNone || !s.fixed && (s.and&mask(s.to) != mask(s.to) || s.xor != 0)
}

// zero is a raw float, flushed.
func (f flush) zero(bits uint, v uint64) uint64 {
	switch {
	case bits == 16 && f&flushHalf != 0 && v&0x7c00 == 0:
		return v & 0x8000
	case bits == 32 && f&flushSingle != 0 && v&0x7f800000 == 0:
		return v & 0x80000000
	}
	return v
}

// read is lane k of an operand as the thread's arithmetic takes it.
func (x *inst) read(t *thread, i, k int) uint64 {
	s := &x.src[i]
	v := s.get(&t.file, k)
	if t.flush == 0 || !x.arith || x.integer {
		return v
	}
	if s.widen == widenFloat && s.bits == 16 && t.flush&flushHalf != 0 {
		if f := toF(x.bits, v); f > -0x1p-14 && f < 0x1p-14 {
			return v & (1 << (x.bits - 1))
		}
	}
	return t.flush.zero(x.bits, v)
}

// result is an output as the thread's arithmetic gives it.
func (x *inst) result(t *thread, v uint64) uint64 {
	if t.flush == 0 || !x.arith || !x.float {
		return x.output(v)
	}
	return t.flush.zero(x.dstBits, x.output(t.flush.zero(x.bits, v)))
}

// readsDenormals reports whether an operand of an instruction that runs quickly may hold one.
func (x *inst) readsDenormals(t *thread) bool {
	for i := range x.src {
		v := x.src[i].words(&t.file)
		for k := range x.n {
			if v[k]&0x7f800000 == 0 && v[k]&^0x80000000 != 0 {
				return true
			}
		}
	}
	return false
}

// zeros flushes the words of a result.
func (x *inst) zeros(res [2]uint64) [2]uint64 {
	if x.float {
		for i, v := range res {
			lo, hi := flushSingle.zero(32, v&mask(32)), flushSingle.zero(32, v>>32)
			res[i] = lo | hi<<32
		}
	}
	return res
}
