package core

import (
	"math"
	"math/bits"

	"nirc/backend/ir3/isa"
)

func trailing(x uint64) int { return bits.TrailingZeros64(x) }

// execALU runs categories 2 to 4.
func execALU(w *wave, x *inst) error {
	lo, hi := 0, w.n
	if x.dst.kind == dstShared {
		if lo = first(&w.exec); lo < 0 {
			return nil
		}
		hi = lo + 1
	}
	var s [3][]uint32
	for k := 0; k <= int(x.Repeat); k++ {
		for i := 0; i < x.nsrc; i++ {
			var err error
			if s[i], err = w.fetch(&x.src[i], k, lo, hi, w.buf[i][:]); err != nil {
				return err
			}
			s[i] = s[i][lo:hi]
		}
		if x.approx != nil && w.l.Approx != 0 {
			x.approx.run(w.l.Approx, w.res[lo:hi], s[0], x)
		} else {
			x.alu(w.res[lo:hi], s[0], s[1], s[2], x)
		}
		if x.post != 0 {
			x.convert(w.res[lo:hi])
		}
		if err := w.store(&x.dst, k, lo, hi, w.res[:]); err != nil {
			return err
		}
	}
	return nil
}

// Steps after an ALU operation.
const (
	postSat uint8 = 1 << iota
	postSatHalf
	postF16to32
	postF32to16
	postMask // half result: keep 16 bits
	postSext // half result of a signed operation into a full register
)

func (x *inst) convert(d []uint32) {
	p := x.post
	if p&postSat != 0 {
		for i, v := range d {
			d[i] = floatBits(sat(toF(v)))
		}
	}
	if p&postSatHalf != 0 {
		for i, v := range d {
			d[i] = toH(float64(sat(h2f(v))))
		}
	}
	switch {
	case p&postF16to32 != 0:
		for i, v := range d {
			d[i] = floatBits(h2f(v))
		}
	case p&postF32to16 != 0:
		for i, v := range d {
			d[i] = toH(float64(toF(v)))
		}
	case p&postSext != 0:
		for i, v := range d {
			d[i] = uint32(int32(int16(v)))
		}
	case p&postMask != 0:
		for i := range d {
			d[i] &= 0xffff
		}
	}
}

func sat(f float32) float32 {
	switch {
	case f > 0 && f < 1:
		return f
	case f >= 1:
		return 1
	}
	return 0
}

// postSteps works out what follows an ALU operation.
func (x *inst) postSteps(cls class) uint8 {
	p := uint8(0)
	srcHalf, dstHalf := x.ext != 0, x.dst.half
	if x.dst.kind == dstPred || x.dst.kind == dstA0 || x.dst.kind == dstA1 {
		dstHalf = srcHalf
	}
	if x.Flags&isa.Sat != 0 && cls == clsFloat && x.Category() != 4 {
		p = postSat
		if srcHalf {
			p = postSatHalf
		}
	}
	switch {
	case cls == clsFloat && srcHalf && !dstHalf:
		return p | postF16to32
	case cls == clsFloat && !srcHalf && dstHalf:
		return p | postF32to16
	case cls == clsSint && srcHalf && !dstHalf:
		return p | postSext
	case srcHalf:
		return p | postMask
	}
	return p
}

// execMov runs mov, cov, mova and mova1.
func execMov(w *wave, x *inst) error {
	lo, hi := 0, w.n
	if x.dst.kind == dstShared {
		if lo = first(&w.exec); lo < 0 {
			return nil
		}
		hi = lo + 1
	}
	for k := 0; k <= int(x.Repeat); k++ {
		s, err := w.fetch(&x.src[0], k, lo, hi, w.buf[0][:])
		if err != nil {
			return err
		}
		if x.cov != nil {
			f, round := x.cov, x.Round
			for i := lo; i < hi; i++ {
				w.res[i] = f(s[i], round)
			}
			s = w.res[:]
		}
		if err := w.store(&x.dst, k, lo, hi, s); err != nil {
			return err
		}
	}
	return nil
}

// covFn converts one value; half values stand in the low 16 bits.
type covFn func(v uint32, r isa.Round) uint32

// conversion returns the function of cov.fromto, nil if no bit changes.
func conversion(from, to isa.Type) covFn {
	if from == to {
		return nil
	}
	switch {
	case from.Float() && to.Float():
		if from == isa.F16 {
			return func(v uint32, _ isa.Round) uint32 { return floatBits(h2f(v)) }
		}
		return func(v uint32, r isa.Round) uint32 { return f2h(float64(toF(v)), r) }
	case from.Float():
		lo, hi := intRange(to)
		if from == isa.F16 {
			return func(v uint32, _ isa.Round) uint32 { return clampInt(float64(h2f(v)), lo, hi) }
		}
		return func(v uint32, _ isa.Round) uint32 { return clampInt(float64(toF(v)), lo, hi) }
	case to == isa.F16:
		return func(v uint32, r isa.Round) uint32 { return f2h(intValue(v, from), r) }
	case to == isa.F32:
		return func(v uint32, r isa.Round) uint32 { return toSingle(intValue(v, from), r) }
	}
	switch from {
	case isa.S16:
		return func(v uint32, _ isa.Round) uint32 { return uint32(int32(int16(v))) }
	case isa.U16:
		return func(v uint32, _ isa.Round) uint32 { return v & 0xffff }
	case isa.U8, isa.U8x32: // the u8 types sign-extend
		return func(v uint32, _ isa.Round) uint32 { return uint32(int32(int8(v))) }
	}
	return func(v uint32, _ isa.Round) uint32 { return v }
}

func intRange(t isa.Type) (lo, hi float64) {
	switch t {
	case isa.U16:
		return 0, math.MaxUint16
	case isa.S16:
		return math.MinInt16, math.MaxInt16
	case isa.U32:
		return 0, math.MaxUint32
	case isa.S32:
		return math.MinInt32, math.MaxInt32
	}
	return 0, math.MaxUint8
}

func intValue(v uint32, t isa.Type) float64 {
	switch t {
	case isa.U16:
		return float64(uint16(v))
	case isa.S16:
		return float64(int16(v))
	case isa.U32:
		return float64(v)
	case isa.S32:
		return float64(int32(v))
	}
	return float64(int8(v))
}

// execSwz runs swz, gat and sct: all sources are read before any write.
func execSwz(w *wave, x *inst) error {
	var in, out [4]isa.Operand
	n := 4
	switch x.Op {
	case isa.OpSwz:
		n = 2
		in, out = x.Srcs, [4]isa.Operand{x.Dst, x.Srcs[2]}
	case isa.OpGat:
		in = x.Srcs
		for i := range out {
			out[i] = x.Dst
			out[i].Val += int32(i)
		}
	case isa.OpSct:
		out = [4]isa.Operand{x.Dst, x.Srcs[1], x.Srcs[2], x.Srcs[3]}
		for i := range in {
			in[i] = x.Srcs[0]
			in[i].Val += int32(i)
		}
	}
	f := conversion(x.SrcType, x.Type)
	for lane := range w.exec.Lanes() {
		var v [4]uint32
		for i := 0; i < n; i++ {
			v[i] = w.laneGet(int(in[i].Val), lane, in[i].IsHalf())
			if f != nil {
				v[i] = f(v[i], x.Round)
			}
		}
		for i := 0; i < n; i++ {
			w.laneSet(int(out[i].Val), lane, out[i].IsHalf(), v[i])
		}
	}
	return nil
}

// execMovmsk writes the mask of active fibers to shared registers.
func execMovmsk(w *wave, x *inst) error {
	if !w.exec.Any() {
		return nil
	}
	for i := 0; i < int(x.Size); i++ {
		v := uint32(w.exec[i/2] >> (i % 2 * 32))
		if x.dst.kind == dstShared {
			w.sharedSet(x.dst.num+i, false, v)
			continue
		}
		for lane := range w.exec.Lanes() {
			w.laneSet(int(x.Dst.Val)+i, lane, false, v)
		}
	}
	return nil
}
