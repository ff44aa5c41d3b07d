package passes

import (
	"nirc/internal/lazy"
	"nirc/ir"
	"nirc/ir/optab"
)

var lowerDoublesPass = &Pass{
	Name: "lower_doubles", For: ir.Has64, Class: "B", Run: lowerDoubles, Idempotent: true, Rewrites: true,
	Doc: "Writes operations on 64-bit floats by 32-bit integer operations on their halves, without branches and bit for bit as IEEE 754 has them: rounding, denormals and " +
		"flushing by the shader's float controls. Digits of quotients and roots are estimated by single precision floats and corrected. All operations for targets whose options say " +
		"that they have no 64-bit floats, else the chosen ones. Input: after lower_frexp and lower_flrp, vectors allowed. Output: values stay 64 bits wide between pack_64_2x32_split and " +
		"unpack_64_2x32_split, for lower_int64; what moves bits only (mov, bcsel, phis, memory) is left to it. vote_feq of doubles becomes votes on bits. fexp2, flog2, fpow, fsin, fcos are left.",
	Options: []Option{
		{"software", "all operations, whatever the target says", false},
		{"rcp", "frcp", false}, {"rsq", "frsq", false}, {"sqrt", "fsqrt", false}, {"div", "fdiv", false}, {"mod", "fmod and frem", false},
		{"sub", "fsub", false}, {"fma", "ffma", false}, {"round", "ffloor, fceil, ftrunc, fround_even, ffract", false}, {"sign", "fsign", false},
		{"sat", "fsat, fsat_signed, fclamp_pos", false}, {"minmax", "fmin and fmax", false}, {"ldexp", "ldexp, frexp_sig, frexp_exp", false},
	},
}

// doubleGroup is what an option of lower_doubles chooses, as a set.
type doubleGroup uint16

const (
	doubleRcp doubleGroup = 1 << iota
	doubleRsq
	doubleSqrt
	doubleDiv
	doubleMod
	doubleSub
	doubleFma
	doubleRound
	doubleSign
	doubleSat
	doubleMinMax
	doubleLdexp
	doubleOther // only all together
	doubleAll   = 2*doubleOther - 1
)

// doubleOptions are the options' names by group.
var doubleOptions = [...]string{"rcp", "rsq", "sqrt", "div", "mod", "sub", "fma", "round", "sign", "sat", "minmax", "ldexp"}

// doubleGroups tells for each operation that the pass writes its group, for
// the others 0.
var doubleGroups = lazy.Value[*[ir.NumOps]doubleGroup]{Make: func() *[ir.NumOps]doubleGroup {
	t := new([ir.NumOps]doubleGroup)
	set := func(g doubleGroup, ops ...ir.Op) {
		for _, op := range ops {
			t[op] = g
		}
	}
	set(doubleRcp, ir.OpFrcp)
	set(doubleRsq, ir.OpFrsq)
	set(doubleSqrt, ir.OpFsqrt)
	set(doubleDiv, ir.OpFdiv)
	set(doubleMod, ir.OpFmod, ir.OpFrem)
	set(doubleSub, ir.OpFsub)
	set(doubleFma, ir.OpFfma)
	set(doubleRound, ir.OpFfloor, ir.OpFceil, ir.OpFtrunc, ir.OpFroundEven, ir.OpFfract)
	set(doubleSign, ir.OpFsign)
	set(doubleSat, ir.OpFsat, ir.OpFsatSigned, ir.OpFclampPos)
	set(doubleMinMax, ir.OpFmin, ir.OpFmax)
	set(doubleLdexp, ir.OpLdexp, ir.OpFrexpSig, ir.OpFrexpExp)
	set(doubleOther, ir.OpFadd, ir.OpFmul, ir.OpFneg, ir.OpFabs, ir.OpFlrp, ir.OpFisnormal, ir.OpFisfinite, ir.OpFquantize2f16,
		ir.OpFlt, ir.OpFge, ir.OpFeq, ir.OpFneu, ir.OpFltu, ir.OpFgeu, ir.OpFequ, ir.OpFneo, ir.OpFunord, ir.OpFord,
		ir.OpSlt, ir.OpSge, ir.OpSeq, ir.OpSne, ir.OpFdph,
		ir.OpF2f16, ir.OpF2f16Rtne, ir.OpF2f16Rtz, ir.OpF2f32, ir.OpF2f64, ir.OpI2f64, ir.OpU2f64, ir.OpB2f64,
		ir.OpF2i1, ir.OpF2i8, ir.OpF2i16, ir.OpF2i32, ir.OpF2i64, ir.OpF2u1, ir.OpF2u8, ir.OpF2u16, ir.OpF2u32, ir.OpF2u64)
	for op := range t {
		if r, ok := reductionOf(ir.Op(op)); ok && (r.lane == ir.OpFmul || r.lane == ir.OpMov || r.lane == ir.OpFeq || r.lane == ir.OpFneu) {
			t[op] = doubleOther
		}
	}
	return t
}}

func lowerDoubles(c *Context, s *ir.Shader) (bool, error) {
	var want doubleGroup
	if c.Bool("software") || s.Options.LowerDouble {
		want = doubleAll
	}
	for i, name := range doubleOptions {
		if c.Bool(name) {
			want |= 1 << i
		}
	}
	if want == 0 {
		return false, nil
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		var d *doubleLowering
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if !concernsDoubles(in, want) || !c.Step() {
					continue
				}
				if d == nil {
					d = newDoubleLowering(impl)
				}
				in.Def.RewriteUses(d.write(in))
				in.Remove()
			}
		}
		return d != nil
	}), nil
}

// concernsDoubles reports whether an instruction is to be written.
func concernsDoubles(in *ir.Instr, want doubleGroup) bool {
	if in.Kind == ir.KindALU {
		if (in.Op == ir.OpF2i64 || in.Op == ir.OpF2u64) && in.Srcs[0].Def.BitSize != 64 {
			return false // of 64 bits is the integer alone (lower_int64)
		}
		return doubleGroups.Get()[in.Op]&want != 0 && is64(in)
	}
	return in.IsIntrinsic(ir.IntrVoteFeq) && want&doubleOther != 0 && in.Srcs[0].Def.BitSize == 64
}

// doubleLowering writes operations on 64-bit floats of one function, one
// after the other, in 32-bit words.
type doubleLowering struct {
	int64Lowering
	mode  optab.Mode
	rtz   bool // rounding of the operation at hand
	flush bool // 64-bit denormals are zeros
	// Constants stand at the function's start, each once.
	pool   []pooled
	poolAt ir.Cursor
}

type pooled struct {
	v   uint32
	def *ir.Def
}

func newDoubleLowering(impl *ir.Impl) *doubleLowering {
	d := &doubleLowering{mode: ir.ModeOf(impl.Shader.Info.FloatControls), poolAt: ir.AtStart(impl.Start())}
	d.Builder = ir.NewBuilder(d.poolAt)
	d.flush = d.mode.FlushDenorm&4 != 0
	return d
}

// Imm32 returns a constant of the pool.
func (d *doubleLowering) Imm32(v uint32) *ir.Def {
	for i := range d.pool {
		if d.pool[i].v == v {
			return d.pool[i].def
		}
	}
	in := d.Shader.NewConst(32, uint64(v))
	d.poolAt.Insert(in)
	d.pool = append(d.pool, pooled{v, &in.Def})
	return &in.Def
}

// write returns the value of an instruction that concernsDoubles.
func (d *doubleLowering) write(in *ir.Instr) *ir.Def {
	d.AtInstr(in)
	d.Exact, d.FastMath = false, 0
	d.in, d.rtz = in, d.mode.RTZ&4 != 0
	var r pair
	switch {
	case in.Kind == ir.KindIntrinsic:
		return d.voteEqual(d.split(in.Srcs[0].Def))
	case in.Op.Info().Horizontal():
		r = d.horizontal()
	case in.Srcs[0].Def.BitSize != 64 || in.Op == ir.OpI2f64 || in.Op == ir.OpU2f64:
		r = d.asDouble()
	case in.Def.BitSize != 64 || in.Op == ir.OpF2i64 || in.Op == ir.OpF2u64:
		r = d.fromDouble()
	case len(in.Srcs) == 1:
		r = d.unary()
	default:
		r = d.binary()
	}
	if r.hi == nil {
		return r.lo
	}
	return d.Pack64_2x32Split(r.lo, r.hi)
}

// operand returns the halves of source k as arithmetic reads it.
func (d *doubleLowering) operand(k int) pair { return d.flushed(d.src(k)) }

// lane returns component i of source k as arithmetic reads it.
func (d *doubleLowering) lane(k, i int) pair {
	return d.flushed(d.split(lane(d.Builder, d.in, k, i)))
}

// flushed makes denormals zeros if the mode says so.
func (d *doubleLowering) flushed(x pair) pair {
	if !d.flush {
		return x
	}
	zero := d.Ult(d.Iand(x.hi, d.Imm32(signMask-1)), d.Imm32(minNormal))
	return d.sel(zero, pair{d.Imm32(0), d.Iand(x.hi, d.Imm32(signMask))}, x)
}

// horizontal writes operations across components.
func (d *doubleLowering) horizontal() pair {
	in := d.in
	r, ok := reductionOf(in.Op)
	n := in.SrcComps(0)
	if !ok { // fdph
		return d.fadd(d.dot(3), d.lane(1, 3))
	}
	switch r.lane {
	case ir.OpFmul:
		p := d.dot(n)
		if in.Def.NumComponents > 1 {
			wide := make([]int, in.Def.NumComponents)
			return pair{d.Swizzle(p.lo, wide...), d.Swizzle(p.hi, wide...)}
		}
		return p
	case ir.OpMov:
		sum := d.lane(0, 0)
		for i := 1; i < n; i++ {
			sum = d.fadd(sum, d.lane(0, i))
		}
		return sum
	}
	return one(chain(d.Builder, n, r.join, func(i int) *ir.Def { return d.compare(r.lane, d.lane(0, i), d.lane(1, i)) }))
}

// voteEqual is a vote on equality: zeros have the same bits then, and NaN
// equals nothing.
func (d *doubleLowering) voteEqual(x pair) *ir.Def {
	x.hi = d.Bcsel(d.bothZero(x, x), d.Imm32(0), x.hi)
	vote := func(v ir.Intrinsic, x *ir.Def) *ir.Def { return &d.Intrinsic(v, 1, 1, x).Def }
	nan := d.isNaN(x)
	number := chain(d.Builder, int(nan.NumComponents), ir.OpIand, func(i int) *ir.Def { return d.Inot(d.Channel(nan, i)) })
	same := d.Iand(vote(ir.IntrVoteIeq, x.lo), vote(ir.IntrVoteIeq, x.hi))
	return d.Iand(same, vote(ir.IntrVoteAll, number))
}

// dot sums the first n products in order.
func (d *doubleLowering) dot(n int) pair {
	sum := d.fmul(d.lane(0, 0), d.lane(1, 0))
	for i := 1; i < n; i++ {
		sum = d.fadd(sum, d.fmul(d.lane(0, i), d.lane(1, i)))
	}
	return sum
}

// unary writes operations from a double to a double.
func (d *doubleLowering) unary() pair {
	switch d.in.Op {
	case ir.OpFneg:
		return d.negate(d.src(0))
	case ir.OpFabs:
		x := d.src(0)
		return pair{x.lo, d.Iand(x.hi, d.Imm32(signMask-1))}
	case ir.OpFsqrt:
		return d.fsqrt(d.operand(0))
	case ir.OpFrcp:
		return d.fdiv(d.one(), d.operand(0))
	case ir.OpFrsq:
		d.rtz = false // both steps round to nearest in every mode
		return d.fdiv(d.one(), d.fsqrt(d.operand(0)))
	case ir.OpFfloor, ir.OpFceil, ir.OpFtrunc, ir.OpFroundEven:
		return d.integral(d.in.Op, d.operand(0))
	case ir.OpFfract:
		return d.fract(d.operand(0))
	case ir.OpFsign:
		return d.signOf(d.operand(0))
	case ir.OpFsat, ir.OpFsatSigned, ir.OpFclampPos:
		return d.clamp(d.operand(0))
	case ir.OpFrexpSig:
		return d.frexpSig(d.operand(0))
	case ir.OpFquantize2f16:
		return d.quantize(d.operand(0))
	}
	return d.flushed(d.src(0)) // f2f64 of a double
}

// binary writes operations from two or three doubles to a double, and ldexp.
func (d *doubleLowering) binary() pair {
	op, x := d.in.Op, d.operand(0)
	if op == ir.OpLdexp {
		return d.ldexp(x, srcValue(d.Builder, d.in, 1))
	}
	y := d.operand(1)
	switch op {
	case ir.OpFadd:
		return d.fadd(x, y)
	case ir.OpFsub:
		return d.fadd(x, d.negate(y))
	case ir.OpFmul:
		return d.fmul(x, y)
	case ir.OpFdiv:
		return d.fdiv(x, y)
	case ir.OpFmod, ir.OpFrem:
		round := ir.OpFfloor
		if op == ir.OpFrem {
			round = ir.OpFtrunc
		}
		return d.fadd(x, d.negate(d.fmul(y, d.integral(round, d.fdiv(x, y)))))
	case ir.OpFmin, ir.OpFmax:
		return d.minMax(op, x, y)
	case ir.OpFfma:
		return d.ffma(x, y, d.operand(2))
	case ir.OpFlrp:
		t := d.operand(2)
		return d.fadd(d.fmul(x, d.fadd(d.one(), d.negate(t))), d.fmul(y, t))
	case ir.OpSlt:
		return d.oneIf(d.compare(ir.OpFlt, x, y))
	case ir.OpSge:
		return d.oneIf(d.compare(ir.OpFge, x, y))
	case ir.OpSeq:
		return d.oneIf(d.compare(ir.OpFeq, x, y))
	}
	return d.oneIf(d.compare(ir.OpFneu, x, y)) // sne
}

// fromDouble writes operations from doubles to other types.
func (d *doubleLowering) fromDouble() pair {
	x := d.operand(0)
	switch op := d.in.Op; op {
	case ir.OpF2f16, ir.OpF2f16Rtne, ir.OpF2f16Rtz, ir.OpF2f32:
		return one(d.narrow(op, x))
	case ir.OpF2i64, ir.OpF2u64:
		return d.toInt64(op == ir.OpF2i64, x)
	case ir.OpF2i1, ir.OpF2i8, ir.OpF2i16, ir.OpF2i32, ir.OpF2u1, ir.OpF2u8, ir.OpF2u16, ir.OpF2u32:
		return one(d.toInt(x))
	case ir.OpFrexpExp:
		return one(d.frexpExp(x))
	case ir.OpFisfinite:
		return one(d.Ult(d.Iand(x.hi, d.Imm32(signMask-1)), d.Imm32(infinity)))
	case ir.OpFisnormal:
		abs := d.Iand(d.src(0).hi, d.Imm32(signMask-1))
		return one(d.Ult(d.Isub(abs, d.Imm32(minNormal)), d.Imm32(infinity-minNormal)))
	default:
		return one(d.compare(op, x, d.operand(1)))
	}
}

// asDouble writes conversions to doubles.
func (d *doubleLowering) asDouble() pair {
	x := d.in.Srcs[0].Def
	switch {
	case d.in.Op == ir.OpB2f64:
		return d.oneIf(d.truth(srcValue(d.Builder, d.in, 0)))
	case d.in.Op == ir.OpF2f64:
		return d.widen(srcValue(d.Builder, d.in, 0))
	case x.BitSize == 64:
		return d.fromInt64(d.in.Op == ir.OpI2f64, d.src(0))
	}
	return d.fromInt(d.in.Op == ir.OpI2f64, srcValue(d.Builder, d.in, 0))
}

// truth is a boolean of any size as one of 1 bit.
func (d *doubleLowering) truth(x *ir.Def) *ir.Def {
	if x.BitSize == 1 {
		return x
	}
	return d.Ine(x, d.ImmInt(0, x.BitSize))
}

func (d *doubleLowering) one() pair { return pair{d.Imm32(0), d.Imm32(oneHigh)} }

func (d *doubleLowering) negate(x pair) pair {
	return pair{x.lo, d.Ixor(x.hi, d.Imm32(signMask))}
}

// oneIf is 1.0 or 0.0.
func (d *doubleLowering) oneIf(c *ir.Def) pair {
	return pair{d.Imm32(0), d.Bcsel(c, d.Imm32(oneHigh), d.Imm32(0))}
}
