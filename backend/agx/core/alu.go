package core

import (
	"math"
	"math/bits"

	"nirc/backend/agx/isa"
	"nirc/internal/lazy"
)

// fn is an ALU operation on one lane.
type fn func(a, b, c uint32) uint32

// floatOp is an operation that takes f32 bits; one marked half gives f16 bits.
type floatOp struct {
	f    fn
	half bool
}

var floatOps = lazy.Value[map[isa.Op]floatOp]{Make: func() map[isa.Op]floatOp {
	return map[isa.Op]floatOp{
		isa.OpFmadd16: {fma16, true}, isa.OpFadd16: {add16, true}, isa.OpFmul16: {mul16, true},
		isa.OpFloor: {unary(floor32), false}, isa.OpCeil: {unary(ceil32), false}, isa.OpTrunc: {unary(trunc32), false},
		isa.OpRint: {unary(rint32), false}, isa.OpSinPt1: {unary(sinPt1), false},
	}
}}

// floatVec are float operations that come so often that they have a loop of
// their own. Inactive lanes are computed too, and not stored.
var floatVec = lazy.Value[map[isa.Op]func(res, a, b, c *vec)]{Make: func() map[isa.Op]func(res, a, b, c *vec) {
	return map[isa.Op]func(res, a, b, c *vec){
		isa.OpFmadd32: fmaLanes, isa.OpFadd32: addLanes, isa.OpFmul32: mulLanes,
	}
}}

func execFloatVec(w *wave, x *inst) error {
	v := [3]*vec{&w.buf[0], &w.buf[1], &w.buf[2]}
	for i := 0; i < x.nsrc; i++ {
		v[i] = w.floats(&x.s[i], v[i])
	}
	x.fv(&w.res, v[0], v[1], v[2])
	w.finishFloat(x, false)
	return nil
}

func unary(f func(uint32) uint32) fn { return func(a, _, _ uint32) uint32 { return f(a) } }

// execApprox runs approxOps.
func execApprox(w *wave, x *inst) error {
	a := w.floats(&x.s[0], &w.buf[0])
	seed := w.l.Approx
	bits := uint(32)
	if x.d.bits == 16 && seed != 0 {
		bits = 16
	}
	for i := range w.res {
		if w.exec>>i&1 != 0 {
			w.res[i] = round32(x.approx.At(seed, bits, wideF(a[i])))
		}
	}
	w.finishFloat(x, false)
	return nil
}

// execFloat runs floatOps.
func execFloat(w *wave, x *inst) error {
	v := [3]*vec{&w.buf[0], &w.buf[1], &w.buf[2]}
	for i := 0; i < x.nsrc; i++ {
		v[i] = w.floats(&x.s[i], v[i])
	}
	a, b, c, f := v[0], v[1], v[2], x.fn
	for i := range w.res {
		if w.exec>>i&1 != 0 {
			w.res[i] = f(a[i], b[i], c[i])
		}
	}
	w.finishFloat(x, x.half)
	return nil
}

// finishFloat saturates, converts and stores float results; half says that
// they are f16 already.
func (w *wave) finishFloat(x *inst, half bool) {
	if x.Flags&isa.Sat != 0 {
		sat := saturate32
		if half {
			sat = saturate16
		}
		for i, v := range w.res {
			w.res[i] = sat(v)
		}
	}
	if x.d.bits == 16 && !half {
		for i, v := range w.res {
			w.res[i] = round16(wideF(v))
		}
	}
	w.put(x.d, &w.res)
}

// intOps take zero-extended words; bfi and its kin get the mask from the
// instruction.
func execShift(w *wave, x *inst) error {
	a, b := w.ints(&x.s[0], &w.buf[0]), w.ints(&x.s[1], &w.buf[1])
	c := &w.buf[2]
	if x.nsrc > 2 {
		c = w.ints(&x.s[2], c)
	}
	mask := uint64(math.MaxUint32)
	if x.Bits != 0 {
		mask = 1<<x.Bits - 1
	}
	for i := range w.res {
		w.res[i] = uint32(shift(x.Op, uint64(a[i]), uint64(b[i]), uint(c[i]&0x7f), mask))
	}
	w.put(x.d, &w.res)
	return nil
}

// shift is the operations of agx.md §5.4. Asr and asrh shift by b, and their a is sign-extended from its width already.
func shift(op isa.Op, a, b uint64, n uint, mask uint64) uint64 {
	switch op {
	case isa.OpBfi:
		return a&^(mask<<n) | b&mask<<n
	case isa.OpBfeil:
		return a&^mask | b>>n&mask
	case isa.OpExtr:
		return (b<<32 | a) >> n & mask
	case isa.OpShlhi:
		k, v := mask, b>>(32-min(n, 32))
		if n > 32 {
			k, v = mask<<(n-32), b<<(n-32)
		}
		return v&k | a&^k
	case isa.OpShrhi:
		k := mask << 32 >> min(n, 32)
		return b<<32>>n&k | a&^k
	case isa.OpAsr:
		return uint64(int64(int32(a)) >> (b & 0x7f))
	}
	return uint64(int64(a<<32) >> (b & 0x7f)) // asrh
}

func execBitop(w *wave, x *inst) error {
	a, b := w.ints(&x.s[0], &w.buf[0]), w.ints(&x.s[1], &w.buf[1])
	switch x.Table {
	case isa.TableMov, 3, 12: // the hardware gets the functions of b wrong
		w.put(x.d, a)
		return nil
	case isa.TableAnd:
		for i := range w.res {
			w.res[i] = a[i] & b[i]
		}
	default:
		var t [4]uint32
		for k := range t {
			t[k] = -uint32(x.Table >> k & 1)
		}
		for i := range w.res {
			w.res[i] = t[0]&^a[i]&^b[i] | t[1]&a[i]&^b[i] | t[2]&b[i]&^a[i] | t[3]&a[i]&b[i]
		}
	}
	w.put(x.d, &w.res)
	return nil
}

// bitFns are the integer functions of one or two sources.
var bitFns = lazy.Value[map[isa.Op]fn]{Make: func() map[isa.Op]fn {
	return map[isa.Op]fn{
		isa.OpBitrev:   func(a, _, _ uint32) uint32 { return bits.Reverse32(a) },
		isa.OpPopcount: func(a, _, _ uint32) uint32 { return uint32(bits.OnesCount32(a)) },
		isa.OpFfs:      func(a, _, _ uint32) uint32 { return uint32(bits.Len32(a) - 1) },
		isa.OpIntl:     func(a, b, _ uint32) uint32 { return spread(a) | spread(b)<<1 },
	}
}}

// spread moves bit i of the low half to bit 2i.
func spread(v uint32) uint32 {
	v &= 0xffff
	v = (v | v<<8) & 0x00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f
	v = (v | v<<2) & 0x33333333
	return (v | v<<1) & 0x55555555
}

func execBits(w *wave, x *inst) error {
	a, b := w.ints(&x.s[0], &w.buf[0]), &w.buf[1]
	if x.nsrc > 1 {
		b = w.ints(&x.s[1], b)
	}
	for i := range w.res {
		w.res[i] = x.fn(a[i], b[i], 0)
	}
	w.put(x.d, &w.res)
	return nil
}

func execMovImm(w *wave, x *inst) error {
	if x.Flags&isa.Kill != 0 {
		return errKill
	}
	for i := range w.res {
		w.res[i] = x.Imm
	}
	w.put(x.d, &w.res)
	return nil
}

// execCmpsel runs icmpsel and fcmpsel.
func execCmpsel(w *wave, x *inst) error {
	m := w.compare(x)
	s, t := w.ints(&x.s[2], &w.buf[0]), w.ints(&x.s[3], &w.buf[1])
	for i := range w.res {
		if m>>i&1 != 0 {
			w.res[i] = s[i]
		} else {
			w.res[i] = t[i]
		}
	}
	w.put(x.d, &w.res)
	return nil
}

// compare returns the lanes where the comparison of the first two sources
// holds, active or not.
func (w *wave) compare(x *inst) (m uint32) {
	if x.Cond >= isa.CondFEQ {
		a, b := w.floats(&x.s[0], &w.buf[0]), w.floats(&x.s[1], &w.buf[1])
		for i := range a {
			if compareFloats(x.Cond.Base(), toF(a[i]), toF(b[i])) {
				m |= 1 << i
			}
		}
	} else {
		a, b := w.ints(&x.s[0], &w.buf[0]), w.ints(&x.s[1], &w.buf[1])
		m = compareInts(x.Cond.Base(), a, b)
	}
	if x.Cond.Inverted() {
		m = ^m
	}
	return m
}

func compareFloats(c isa.Cond, a, b float32) bool {
	switch c {
	case isa.CondFEQ:
		return a == b
	case isa.CondFLT:
		return a < b
	case isa.CondFGT:
		return a > b
	case isa.CondFLTN:
		return a < b || b != b
	case isa.CondFGTN:
		return a > b || b != b
	case isa.CondFGE:
		return a >= b
	case isa.CondFLE:
		return a <= b
	}
	return false
}

func compareInts(c isa.Cond, a, b *vec) (m uint32) {
	// Signed comparisons are unsigned ones with the sign bits turned over.
	flip := uint32(0)
	if c >= isa.CondSEQ {
		flip = 1 << 31
	}
	switch c {
	case isa.CondULT, isa.CondSLT:
		a, b = b, a
		fallthrough
	case isa.CondUGT, isa.CondSGT:
		for i := range a {
			x, y := uint64(a[i]^flip), uint64(b[i]^flip)
			m |= uint32((y-x)>>63) << i
		}
	default:
		for i := range a {
			d := uint64(a[i] ^ b[i])
			m |= uint32((d-1)>>63) << i
		}
	}
	return m
}

// execBallot: lanes that hold the comparison, of the group or of the quad.
func execBallot(w *wave, x *inst) error {
	m := w.compare(x) & w.exec
	quad := x.Op == isa.OpIcmpQuadBallot || x.Op == isa.OpFcmpQuadBallot
	for i := range w.res {
		w.res[i] = m
		if quad {
			w.res[i] = m >> (i &^ 3) & 15
		}
	}
	w.put(x.d, &w.res)
	return nil
}

func execConvert(w *wave, x *inst) error {
	s := &x.s[0]
	if mode := isa.ConvertMode(x.Mode); mode == isa.FToU16 || mode == isa.FToS16 || mode == isa.FToU32 || mode == isa.FToS32 {
		v := w.floats(s, &w.buf[0])
		for i := range v {
			w.res[i] = floatToInt(mode, wideF(v[i]), x.Round)
		}
	} else {
		v := w.ints(s, &w.buf[0])
		for i := range v {
			w.res[i] = intToFloat(intValue(mode, v[i]), x.d.bits, x.Round)
		}
	}
	w.put(x.d, &w.res)
	return nil
}

func floatToInt(mode isa.ConvertMode, f float64, r isa.Round) uint32 {
	if r == isa.RoundEven {
		f = math.RoundToEven(f)
	} // else what follows cuts the fraction off
	var lo, hi float64
	switch mode {
	case isa.FToU16:
		hi = math.MaxUint16
	case isa.FToS16:
		lo, hi = math.MinInt16, math.MaxInt16
	case isa.FToU32:
		hi = math.MaxUint32
	default:
		lo, hi = math.MinInt32, math.MaxInt32
	}
	if f != f {
		return 0
	}
	return uint32(int64(min(max(f, lo), hi)))
}

func intValue(mode isa.ConvertMode, v uint32) float64 {
	switch mode {
	case isa.U8ToF:
		return float64(v & 0xff)
	case isa.S8ToF:
		return float64(int8(v))
	case isa.U16ToF:
		return float64(v & 0xffff)
	case isa.S16ToF:
		return float64(int16(v))
	case isa.S32ToF:
		return float64(int32(v))
	}
	return float64(v)
}

// intToFloat rounds an integer to a float of that many bits.
func intToFloat(f float64, size uint8, r isa.Round) uint32 {
	if size == 16 {
		h := round16(f)
		if r == isa.RoundZero && math.Abs(wideF(halfToSingle(h))) > math.Abs(f) {
			h--
		}
		return h
	}
	u := round32(f)
	if r == isa.RoundZero && math.Abs(wideF(u)) > math.Abs(f) {
		u--
	}
	return u
}
