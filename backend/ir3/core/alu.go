package core

import (
	"math"
	"math/bits"

	"nirc/backend/ir3/isa"
	"nirc/internal/lazy"
)

// aluFn computes d, a lane each; the sources have as many. Half sources and results stand in the
// low 16 bits; results need not be masked.
type aluFn func(d, a, b, c []uint32, x *inst)

// class says what (neg) and (abs) do and how a folded conversion works.
type class uint8

const (
	clsUint  class = iota // conversions zero-extend
	clsSint               // conversions sign-extend
	clsFloat              // conversions f32<->f16
	clsBits               // as clsUint, (neg) is NOT
	clsCmpF               // float modifiers, integer result
)

type aluInfo struct {
	full, half aluFn // by source size
	class      class
	nsrc       int
	approx     *sfu // of operations whose results are not rounded
}

func map1(d, a []uint32, f func(p uint32) uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = f(a[i])
	}
}

func map2(d, a, b []uint32, f func(p, q uint32) uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = f(a[i], b[i])
	}
}

func map3(d, a, b, c []uint32, f func(p, q, r uint32) uint32) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = f(a[i], b[i], c[i])
	}
}

func float1(f func(a float64) float64) aluInfo {
	return aluInfo{class: clsFloat, nsrc: 1,
		full: func(d, a, _, _ []uint32, _ *inst) {
			for i := range d {
				d[i] = fromF(float32(f(float64(toF(a[i])))))
			}
		},
		half: func(d, a, _, _ []uint32, _ *inst) {
			for i := range d {
				d[i] = toH(f(float64(h2f(a[i]))))
			}
		}}
}

func float2(full aluFn, f func(a, b float64) float64) aluInfo {
	if full == nil {
		full = func(d, a, b, _ []uint32, _ *inst) {
			for i := range d {
				d[i] = fromF(float32(f(float64(toF(a[i])), float64(toF(b[i])))))
			}
		}
	}
	return aluInfo{class: clsFloat, nsrc: 2, full: full,
		half: func(d, a, b, _ []uint32, _ *inst) {
			for i := range d {
				d[i] = toH(f(float64(h2f(a[i])), float64(h2f(b[i]))))
			}
		}}
}

func both(n int, c class, f aluFn) aluInfo { return aluInfo{full: f, half: f, class: c, nsrc: n} }

// sext sign-extends a source by the instruction's source size.
func (x *inst) sext(v uint32) int32 { return int32(v<<x.ext) >> x.ext }

func b2u(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// aluOps has the operations of categories 2 to 4; a nil function is not
// supported.
var aluOps = lazy.Value[*[isa.NumOps]aluInfo]{Make: func() *[isa.NumOps]aluInfo {
	return &[isa.NumOps]aluInfo{
		isa.OpAddF: float2(func(d, a, b, _ []uint32, _ *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return fromF(toF(p) + toF(q)) })
		}, func(a, b float64) float64 { return a + b }),
		isa.OpMulF: float2(func(d, a, b, _ []uint32, _ *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return fromF(toF(p) * toF(q)) })
		}, func(a, b float64) float64 { return a * b }),
		isa.OpMinF:    float2(nil, minF),
		isa.OpMaxF:    float2(nil, maxF),
		isa.OpSignF:   float1(signF),
		isa.OpAbsnegF: float1(func(a float64) float64 { return a }),
		isa.OpFloorF:  float1(math.Floor),
		isa.OpCeilF:   float1(math.Ceil),
		isa.OpRndneF:  float1(math.RoundToEven),
		isa.OpRndazF:  float1(rndaz),
		isa.OpTruncF:  float1(math.Trunc),
		isa.OpCmpsF: {class: clsCmpF, nsrc: 2,
			full: func(d, a, b, _ []uint32, x *inst) {
				c := x.Cond
				map2(d, a, b, func(p, q uint32) uint32 { return b2u(compareF(c, float64(toF(p)), float64(toF(q)))) })
			},
			half: func(d, a, b, _ []uint32, x *inst) {
				c := x.Cond
				map2(d, a, b, func(p, q uint32) uint32 { return b2u(compareF(c, float64(h2f(p)), float64(h2f(q)))) })
			}},
		isa.OpAddU: both(2, clsUint, addU),
		isa.OpAddS: both(2, clsSint, addS),
		isa.OpSubU: both(2, clsUint, func(d, a, b, _ []uint32, x *inst) {
			sat := x.Flags&isa.Sat != 0
			map2(d, a, b, func(p, q uint32) uint32 {
				if sat && p < q {
					return 0
				}
				return p - q
			})
		}),
		isa.OpSubS: both(2, clsSint, func(d, a, b, _ []uint32, x *inst) {
			sat := x.Flags&isa.Sat != 0
			map2(d, a, b, func(p, q uint32) uint32 {
				r := int64(x.sext(p)) - int64(x.sext(q))
				if sat {
					r = x.satS(r)
				}
				return uint32(r)
			})
		}),
		isa.OpCmpsU: both(2, clsUint, func(d, a, b, _ []uint32, x *inst) {
			c := x.Cond
			map2(d, a, b, func(p, q uint32) uint32 { return b2u(compare(c, p < q, p == q)) })
		}),
		isa.OpCmpsS: both(2, clsUint, func(d, a, b, _ []uint32, x *inst) {
			c := x.Cond
			map2(d, a, b, func(p, q uint32) uint32 { return b2u(compare(c, x.sext(p) < x.sext(q), p == q)) })
		}),
		isa.OpMinU: both(2, clsUint, func(d, a, b, _ []uint32, _ *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return min(p, q) })
		}),
		isa.OpMaxU: both(2, clsUint, func(d, a, b, _ []uint32, _ *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return max(p, q) })
		}),
		isa.OpMinS: both(2, clsSint, func(d, a, b, _ []uint32, x *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return uint32(min(x.sext(p), x.sext(q))) })
		}),
		isa.OpMaxS: both(2, clsSint, func(d, a, b, _ []uint32, x *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return uint32(max(x.sext(p), x.sext(q))) })
		}),
		isa.OpAbsnegS: both(1, clsSint, func(d, a, _, _ []uint32, x *inst) { copy(d, a) }),
		isa.OpAndB: both(2, clsBits, func(d, a, b, _ []uint32, _ *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return p & q })
		}),
		isa.OpOrB: both(2, clsBits, func(d, a, b, _ []uint32, _ *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return p | q })
		}),
		isa.OpXorB: both(2, clsBits, func(d, a, b, _ []uint32, _ *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return p ^ q })
		}),
		isa.OpNotB: both(1, clsBits, func(d, a, _, _ []uint32, x *inst) {
			map1(d, a, func(p uint32) uint32 { return ^p })
		}),
		isa.OpMulU24: both(2, clsUint, func(d, a, b, _ []uint32, _ *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return (p & 0xffffff) * (q & 0xffffff) })
		}),
		isa.OpMulS24: both(2, clsSint, func(d, a, b, _ []uint32, x *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return uint32(s24(x.sext(p)) * s24(x.sext(q))) })
		}),
		isa.OpMullU: both(2, clsUint, func(d, a, b, _ []uint32, _ *inst) {
			map2(d, a, b, func(p, q uint32) uint32 { return (p & 0xffff) * (q & 0xffff) })
		}),
		isa.OpBfrevB: both(1, clsBits, func(d, a, _, _ []uint32, x *inst) {
			map1(d, a, func(p uint32) uint32 { return bits.Reverse32(p) >> x.ext })
		}),
		isa.OpClzB: both(1, clsBits, func(d, a, _, _ []uint32, x *inst) {
			map1(d, a, func(p uint32) uint32 { return clz(p, x.ext) })
		}),
		isa.OpClzS: both(1, clsSint, func(d, a, _, _ []uint32, x *inst) {
			map1(d, a, func(p uint32) uint32 {
				v := x.sext(p)
				return clz(uint32(v^v>>31), x.ext)
			})
		}),
		isa.OpShlB: both(2, clsBits, func(d, a, b, _ []uint32, x *inst) {
			m := 31 >> (x.ext >> 4)
			map2(d, a, b, func(p, q uint32) uint32 { return p << (q & uint32(m)) })
		}),
		isa.OpShrB: both(2, clsBits, func(d, a, b, _ []uint32, x *inst) {
			m := 31 >> (x.ext >> 4)
			map2(d, a, b, func(p, q uint32) uint32 { return p >> (q & uint32(m)) })
		}),
		isa.OpAshrB: both(2, clsBits, func(d, a, b, _ []uint32, x *inst) {
			m := 31 >> (x.ext >> 4)
			map2(d, a, b, func(p, q uint32) uint32 { return uint32(x.sext(p) >> (q & uint32(m))) })
		}),
		isa.OpGetbitB: both(2, clsBits, func(d, a, b, _ []uint32, x *inst) {
			m := 31 >> (x.ext >> 4)
			map2(d, a, b, func(p, q uint32) uint32 { return p >> (q & uint32(m)) & 1 })
		}),
		isa.OpCbitsB: both(1, clsBits, func(d, a, _, _ []uint32, _ *inst) {
			map1(d, a, func(p uint32) uint32 { return uint32(bits.OnesCount32(p)) })
		}),

		isa.OpMadU16:   both(3, clsUint, func(d, a, b, c []uint32, _ *inst) { map3(d, a, b, c, mulAdd) }),
		isa.OpMadS16:   both(3, clsSint, func(d, a, b, c []uint32, _ *inst) { map3(d, a, b, c, mulAdd) }),
		isa.OpMadU24:   both(3, clsUint, madU24),
		isa.OpMadS24:   both(3, clsSint, madS24),
		isa.OpMadshM16: both(3, clsUint, madshM16),
		isa.OpMadF32: {class: clsFloat, nsrc: 3, full: func(d, a, b, c []uint32, _ *inst) {
			a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
			for i := range d {
				d[i] = fromF(fma32(toF(a[i]), toF(b[i]), toF(c[i])))
			}
		}},
		isa.OpMadF16: {class: clsFloat, nsrc: 3, half: func(d, a, b, c []uint32, _ *inst) {
			for i := range d {
				d[i] = toH(float64(h2f(a[i]))*float64(h2f(b[i])) + float64(h2f(c[i])))
			}
		}},
		isa.OpSelB16: both(3, clsUint, sel),
		isa.OpSelB32: both(3, clsUint, sel),
		isa.OpSadS16: both(3, clsSint, add3),
		isa.OpSadS32: both(3, clsSint, add3),
		isa.OpShrm:   both(3, clsUint, shiftOp(func(p, q, r uint32) uint32 { return q >> p & r })),
		isa.OpShlm:   both(3, clsUint, shiftOp(func(p, q, r uint32) uint32 { return q << p & r })),
		isa.OpShrg:   both(3, clsUint, shiftOp(func(p, q, r uint32) uint32 { return q>>p | r })),
		isa.OpShlg:   both(3, clsUint, shiftOp(func(p, q, r uint32) uint32 { return q<<p | r })),
		isa.OpAndg: both(3, clsUint, func(d, a, b, c []uint32, _ *inst) {
			map3(d, a, b, c, func(p, q, r uint32) uint32 { return p&q | r })
		}),
		isa.OpDp2acc: both(3, clsUint, dot),
		isa.OpDp4acc: both(3, clsUint, dot),

		isa.OpRcp: sfuRcp.alu(), isa.OpRsq: sfuRsq.alu(), isa.OpHrsq: sfuRsq.alu(), isa.OpLog2: sfuLog2.alu(), isa.OpHlog2: sfuLog2.alu(),
		isa.OpExp2: sfuExp2.alu(), isa.OpHexp2: sfuExp2.alu(), isa.OpSin: sfuSin.alu(), isa.OpCos: sfuCos.alu(), isa.OpSqrt: sfuSqrt.alu(),
	}
}}

func s24(v int32) int32 { return v << 8 >> 8 }

func clz(p uint32, ext uint) uint32 {
	if p == 0 {
		return ^uint32(0)
	}
	return uint32(bits.LeadingZeros32(p)) - uint32(ext)
}

// satS clamps to the signed range of the source size.
func (x *inst) satS(r int64) int64 {
	lim := int64(1) << (31 - x.ext)
	return max(-lim, min(lim-1, r))
}

func addU(d, a, b, _ []uint32, x *inst) {
	lim := uint64(1)<<(32-x.ext) - 1
	switch {
	case x.Flags&isa.EI != 0:
		map2(d, a, b, func(p, q uint32) uint32 { return uint32((uint64(p) + uint64(q)) >> 1) })
	case x.Flags&isa.Sat != 0:
		map2(d, a, b, func(p, q uint32) uint32 { return uint32(min(lim, uint64(p)+uint64(q))) })
	default:
		map2(d, a, b, func(p, q uint32) uint32 { return p + q })
	}
}

func addS(d, a, b, _ []uint32, x *inst) {
	half, sat := x.Flags&isa.EI != 0, x.Flags&isa.Sat != 0
	map2(d, a, b, func(p, q uint32) uint32 {
		r := int64(x.sext(p)) + int64(x.sext(q))
		if half {
			return uint32(r >> 1)
		}
		if sat {
			r = x.satS(r)
		}
		return uint32(r)
	})
}

func mulAdd(p, q, r uint32) uint32 { return p*q + r }

func madU24(d, a, b, c []uint32, _ *inst) {
	map3(d, a, b, c, func(p, q, r uint32) uint32 { return (p&0xffffff)*(q&0xffffff) + r })
}

func madS24(d, a, b, c []uint32, _ *inst) {
	map3(d, a, b, c, func(p, q, r uint32) uint32 { return uint32(s24(int32(p))*s24(int32(q))) + r })
}

func madshM16(d, a, b, c []uint32, _ *inst) {
	map3(d, a, b, c, func(p, q, r uint32) uint32 { return (p&0xffff)*(q>>16)<<16 + r })
}

func sel(d, a, b, c []uint32, _ *inst) {
	map3(d, a, b, c, func(p, q, r uint32) uint32 {
		if q != 0 {
			return p
		}
		return r
	})
}

func add3(d, a, b, c []uint32, _ *inst) {
	map3(d, a, b, c, func(p, q, r uint32) uint32 { return p + q + r })
}

func shiftOp(f func(p, q, r uint32) uint32) aluFn {
	return func(d, a, b, c []uint32, x *inst) {
		m := uint32(31) >> (x.ext >> 4)
		for i := range d {
			d[i] = f(a[i]&m, b[i], c[i])
		}
	}
}

// dot is dp2acc and dp4acc: bytes of a (signed if .mixed) times unsigned
// bytes of b, summed onto c. On dp4acc .high makes b signed (compliant parts).
func dot(d, a, b, c []uint32, x *inst) {
	n, sh := 4, 0
	signedB := false
	if x.Op == isa.OpDp2acc {
		n = 2
		if x.Flags&isa.High != 0 {
			sh = 16
		}
	} else {
		signedB = x.Flags&isa.High != 0
	}
	signedA, sat := x.Flags&isa.Signed != 0, x.Flags&isa.Sat != 0
	for i := range d {
		p, q := a[i]>>sh, b[i]>>sh
		sum := int64(0)
		for k := 0; k < n; k++ {
			sum += dotByte(p>>(8*k), signedA) * dotByte(q>>(8*k), signedB)
		}
		switch {
		case !sat:
			sum += int64(c[i])
		case signedA || signedB:
			sum = max(math.MinInt32, min(math.MaxInt32, sum+int64(int32(c[i]))))
		default:
			sum = min(math.MaxUint32, sum+int64(c[i]))
		}
		d[i] = uint32(sum)
	}
}

func dotByte(v uint32, signed bool) int64 {
	if signed {
		return int64(int8(v))
	}
	return int64(uint8(v))
}
