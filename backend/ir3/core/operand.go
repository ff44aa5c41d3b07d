package core

import (
	"fmt"
	"math"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
)

// srcKind is where a decoded source comes from.
type srcKind uint8

const (
	srcNone srcKind = iota
	srcReg
	srcHalf
	srcShared
	srcConst
	srcImm
	srcRelReg
	srcRelConst
	srcPred
	srcA0
	srcA1
)

// modKind is what the modifiers of a source do to its bits.
type modKind uint8

const (
	modNone modKind = iota
	modFloat
	modNot
	modInt
)

type src struct {
	kind     srcKind
	half     bool
	demote   bool // half const of a float instruction: f32 to f16
	rpt      bool // (r)
	mod      modKind
	neg, abs bool
	num      int
	imm      uint32
}

type dstKind uint8

const (
	dstNone dstKind = iota
	dstReg
	dstHalf
	dstShared
	dstPred
	dstA0
	dstA1
	dstRel
)

type dst struct {
	kind dstKind
	half bool
	num  int
}

func decodeSrc(o isa.Operand, cls class, demote bool) src {
	s := src{half: o.IsHalf(), rpt: o.Flags&isa.Rpt != 0, neg: o.Flags&isa.Neg != 0, abs: o.Flags&isa.Abs != 0, num: int(o.Val)}
	if s.neg || s.abs {
		switch cls {
		case clsFloat, clsCmpF:
			s.mod = modFloat
		case clsBits:
			s.mod = modNot
		default:
			s.mod = modInt
		}
	}
	switch o.Kind {
	case isa.Reg:
		s.kind, s.num = decodeRegSrc(o)
	case isa.Const:
		s.kind, s.demote = srcConst, demote && s.half
	case isa.RelReg:
		s.kind = srcRelReg
	case isa.RelConst:
		s.kind, s.demote = srcRelConst, demote && s.half
	case isa.Imm:
		s.kind, s.imm = srcImm, uint32(o.Val)
	case isa.FLUT:
		f32, f16 := isa.FLUTValue(int(o.Val))
		s.kind, s.imm = srcImm, f32
		if s.half {
			s.imm = uint32(f16)
		}
	}
	if s.kind == srcImm && s.half {
		s.imm &= 0xffff
	}
	return s
}

func decodeRegSrc(o isa.Operand) (srcKind, int) {
	n := int(o.Val)
	switch {
	case o.IsShared():
		return srcShared, n - isa.SharedFirst
	case o.IsPred():
		return srcPred, n - isa.P0
	case n == isa.A0:
		return srcA0, 0
	case n == isa.A1:
		return srcA1, 0
	case n >= isa.SharedEnd:
		return srcNone, n
	case o.IsHalf():
		return srcHalf, n
	}
	return srcReg, n
}

func decodeDst(o isa.Operand) dst {
	d := dst{half: o.IsHalf(), num: int(o.Val)}
	switch {
	case o.Kind == isa.RelReg:
		d.kind = dstRel
	case o.Kind != isa.Reg || d.num >= isa.NoReg:
		d.kind = dstNone
	case o.IsShared():
		d.kind, d.num = dstShared, d.num-isa.SharedFirst
	case o.IsPred():
		d.kind, d.num = dstPred, d.num-isa.P0
	case d.num == isa.A0:
		d.kind = dstA0
	case d.num == isa.A1:
		d.kind = dstA1
	case d.num >= isa.SharedEnd:
		d.kind = dstNone
	case d.half:
		d.kind = dstHalf
	default:
		d.kind = dstReg
	}
	return d
}

// reg returns the lanes of full register n.
func (w *wave) reg(n int) []uint32 { return w.regs[n*w.size : n*w.size+w.size] }

// sharedGet reads shared register n (a half number if half).
func (w *wave) sharedGet(n int, half bool) uint32 {
	if half {
		return w.shared[n>>1&31] >> (n & 1 * 16) & 0xffff
	}
	return w.shared[n&31]
}

func (w *wave) sharedSet(n int, half bool, v uint32) {
	if half {
		sh := n & 1 * 16
		w.shared[n>>1&31] = w.shared[n>>1&31]&^(0xffff<<sh) | v&0xffff<<sh
		return
	}
	w.shared[n&31] = v
}

// constGet reads const n; beyond the file reads 0.
func (w *wave) constGet(n int, s *src) uint32 {
	if uint(n) >= uint(len(w.consts)) { // others' consts
		if !w.garbage.On() {
			return 0
		}
		w.garbage.Mark("const component beyond the shader's", n, 2)
		return s.narrow(w.garbage.Word())
	}
	return s.narrow(w.consts[n])
}

func (s *src) narrow(v uint32) uint32 {
	switch {
	case s.demote:
		return toH(float64(toF(v)))
	case s.half:
		return v & 0xffff
	}
	return v
}

// fetch returns the lanes [lo, hi) of a source in iteration k of a repeat; the
// slice is indexed by lane and may be a register itself.
func (w *wave) fetch(s *src, k, lo, hi int, buf []uint32) ([]uint32, error) {
	n := s.num
	if s.rpt {
		n += k
	}
	if s.kind == srcReg {
		if n*w.size+w.size > len(w.regs) {
			return nil, fmt.Errorf("register r%d.%c is outside the register file", n>>2, "xyzw"[n&3])
		}
		if s.mod == modNone {
			return w.reg(n), nil
		}
		copy(buf[lo:hi], w.reg(n)[lo:hi])
	} else if err := w.fetchOther(s, n, k, lo, hi, buf); err != nil {
		return nil, err
	}
	if s.mod != modNone {
		s.modify(buf[lo:hi])
	}
	return buf, nil
}

func (w *wave) fetchOther(s *src, n, k, lo, hi int, buf []uint32) error {
	v := uint32(0)
	switch s.kind {
	case srcHalf:
		if n>>1*w.size+w.size > len(w.regs) {
			return fmt.Errorf("half register hr%d.%c is outside the register file", n>>2, "xyzw"[n&3])
		}
		r, sh := w.reg(n>>1), n&1*16
		for i := lo; i < hi; i++ {
			buf[i] = r[i] >> sh & 0xffff
		}
		return nil
	case srcRelReg, srcRelConst:
		return w.fetchRel(s, n, lo, hi, buf)
	case srcPred:
		for i := lo; i < hi; i++ {
			buf[i] = b2u(w.preds[n&3].Get(i))
		}
		return nil
	case srcA0:
		for i := lo; i < hi; i++ {
			buf[i] = uint32(w.a0[i])
		}
		return nil
	case srcShared:
		v = w.sharedGet(n, s.half)
	case srcConst:
		v = w.constGet(n, s)
	case srcImm:
		v = s.imm
		if s.rpt {
			v += uint32(k)
		}
	case srcA1:
		v = w.a1
	}
	for i := lo; i < hi; i++ {
		buf[i] = v
	}
	return nil
}

func (w *wave) fetchRel(s *src, n, lo, hi int, buf []uint32) error {
	for i := lo; i < hi; i++ {
		at := n + int(w.a0[i])
		if s.kind == srcRelConst {
			buf[i] = w.constGet(at, s)
			continue
		}
		r := at
		if s.half {
			r >>= 1
		}
		if r < 0 || r*w.size >= len(w.regs) {
			if w.exec.Get(i) {
				return fmt.Errorf("r<a0.x> reaches register number %d, outside the register file", at)
			}
			buf[i] = 0
			continue
		}
		buf[i] = w.regs[r*w.size+i]
		if s.half {
			buf[i] = buf[i] >> (at & 1 * 16) & 0xffff
		}
	}
	return nil
}

// modify applies (neg) and (abs), abs first.
func (s *src) modify(v []uint32) {
	sign, mask := uint32(1)<<31, ^uint32(0)
	if s.half {
		sign, mask = 1<<15, 0xffff
	}
	for i, x := range v {
		switch s.mod {
		case modFloat:
			if s.abs {
				x &^= sign
			}
			if s.neg {
				x ^= sign
			}
		case modNot:
			if s.neg {
				x = ^x & mask
			}
		case modInt:
			if s.abs && x&sign != 0 {
				x = -x & mask
			}
			if s.neg {
				x = -x & mask
			}
		}
		v[i] = x
	}
}

// store writes lanes [lo, hi) of v to iteration k of a destination, active
// lanes only. A shared register takes the first active lane.
func (w *wave) store(d *dst, k, lo, hi int, v []uint32) error {
	n := d.num + k
	switch d.kind {
	case dstReg:
		if n*w.size+w.size > len(w.regs) {
			return fmt.Errorf("register r%d.%c is outside the register file", n>>2, "xyzw"[n&3])
		}
		r := w.reg(n)
		if w.full {
			copy(r[lo:hi], v[lo:hi])
			return nil
		}
		for i := lo; i < hi; i++ {
			if w.exec.Get(i) {
				r[i] = v[i]
			}
		}
	case dstHalf:
		if n>>1*w.size+w.size > len(w.regs) {
			return fmt.Errorf("half register hr%d.%c is outside the register file", n>>2, "xyzw"[n&3])
		}
		r, sh := w.reg(n>>1), n&1*16
		for i := lo; i < hi; i++ {
			if w.full || w.exec.Get(i) {
				r[i] = r[i]&^(0xffff<<sh) | v[i]&0xffff<<sh
			}
		}
	case dstShared:
		if f := first(&w.exec); f >= 0 {
			w.sharedSet(n, d.half, v[f])
		}
	default:
		return w.storeSpecial(d, n, lo, hi, v)
	}
	return nil
}

// storePred sets a predicate to v != 0 in the active lanes.
func (w *wave) storePred(p *emu.Mask, lo, hi int, v []uint32) {
	var set emu.Mask
	for i := lo; i < hi; i++ {
		set[i>>6] |= uint64(b2u(v[i] != 0)) << (i & 63)
	}
	*p = or(andNot(*p, w.exec), and(set, w.exec))
}

func (w *wave) storeSpecial(d *dst, n, lo, hi int, v []uint32) error {
	if d.kind == dstPred {
		w.storePred(&w.preds[n&3], lo, hi, v)
		return nil
	}
	for i := lo; i < hi; i++ {
		if !w.exec.Get(i) {
			continue
		}
		switch d.kind {
		case dstA0:
			w.a0[i] = int32(int16(v[i]))
		case dstA1:
			w.a1 = v[i] & 0xffff
		case dstRel:
			if err := w.storeRel(d, n+int(w.a0[i]), i, v[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *wave) storeRel(d *dst, at, lane int, v uint32) error {
	r, sh, mask := at, 0, ^uint32(0)
	if d.half {
		r, sh, mask = at>>1, at&1*16, 0xffff
	}
	if r < 0 || r*w.size >= len(w.regs) {
		return fmt.Errorf("a write to r<a0.x> reaches register number %d, outside the register file", at)
	}
	p := &w.regs[r*w.size+lane]
	*p = *p&^(mask<<sh) | v&mask<<sh
	return nil
}

// first returns the lowest lane of a set, or -1.
func first(m *emu.Mask) int {
	for i, word := range m {
		if word != 0 {
			return i*64 + trailing(word)
		}
	}
	return -1
}

// laneGet reads one lane of register n of the given size, 0 outside the file.
func (w *wave) laneGet(n, lane int, half bool) uint32 {
	if n >= isa.SharedFirst && n < isa.SharedEnd {
		return w.sharedGet(n-isa.SharedFirst, half)
	}
	r := n
	if half {
		r >>= 1
	}
	if uint(r*w.size) >= uint(len(w.regs)) {
		return 0
	}
	v := w.regs[r*w.size+lane]
	if half {
		v = v >> (n & 1 * 16) & 0xffff
	}
	return v
}

// laneSet writes one lane of register n; a shared register takes the value
// whoever writes it.
func (w *wave) laneSet(n, lane int, half bool, v uint32) {
	if n >= isa.SharedFirst && n < isa.SharedEnd {
		w.sharedSet(n-isa.SharedFirst, half, v)
		return
	}
	r, sh, mask := n, 0, ^uint32(0)
	if half {
		r, sh, mask = n>>1, n&1*16, 0xffff
	}
	if uint(r*w.size) < uint(len(w.regs)) {
		p := &w.regs[r*w.size+lane]
		*p = *p&^(mask<<sh) | v&mask<<sh
	}
}

func floatBits(f float32) uint32 { return math.Float32bits(f) }
