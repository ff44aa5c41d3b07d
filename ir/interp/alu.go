package interp

import (
	"math"

	"nirc/internal/lazy"
	"nirc/ir"
	"nirc/ir/optab"
)

// opcode is the operation of an inst. The ALU ones are the 32-bit (or 1-bit)
// operations that shaders are mostly made of; all others go through their
// table row's evaluation.
type opcode uint8

const (
	opEval opcode = iota // per component, by the table
	opEvalVec
	opCopy
	opIf
	opElse
	opEndIf
	opLoop
	opLoopContinue
	opLoopEnd
	opBreak
	opContinue
	opReturn
	opReturnEnd
	opHalt
	opInterlock // older fragments of the wave's pixels first
	opInterlockEnd
	opCall
	opInit
	opPointer
	opBounds
	opResource
	opLoadMem
	opStoreMem
	opCopyMem
	opAtomic
	opLoadReg
	opStoreReg
	opIntrinsic
	opTex
	opImage
	opFadd
	opFsub
	opFmul
	opFdiv
	opFfma
	opFmin
	opFmax
	opFneg
	opFabs
	opFsat
	opFlt
	opFge
	opFeq
	opFneu
	opI2f
	opU2f
	opFfloor
	opFsqrt
	opFrcp
	opFceil
	opFtrunc
	opFroundEven
	opFmod
	opFrem
	opF2i
	opF2u
	opIadd // from here integers of 32 bits
	opIsub
	opImul
	opIneg
	opShl
	opUshr
	opIshr
	opIlt
	opIge
	opImin
	opImax
	opIdiv
	opIrem
	opImod
	opUdiv
	opUmod
	opAnd // from here zero-extended values of any size
	opOr
	opXor
	opNot
	opIeq
	opIne
	opUlt
	opUge
	opUmin
	opUmax
	opSelect
	opB2f
	opB2i
)

// fastOp is the opcode of an ALU operation at a size; float ones hold only in
// the default float mode.
type fastOp struct {
	op    opcode
	bits  uint8
	float bool
}

var fastOps = lazy.Value[*[ir.NumOps]fastOp]{Make: func() *[ir.NumOps]fastOp {
	t := new([ir.NumOps]fastOp)
	for op, code := range map[ir.Op]opcode{ir.OpFadd: opFadd, ir.OpFsub: opFsub, ir.OpFmul: opFmul, ir.OpFdiv: opFdiv, ir.OpFfma: opFfma,
		ir.OpFmin: opFmin, ir.OpFmax: opFmax, ir.OpFneg: opFneg, ir.OpFabs: opFabs, ir.OpFsat: opFsat, ir.OpFlt: opFlt, ir.OpFge: opFge,
		ir.OpFeq: opFeq, ir.OpFneu: opFneu, ir.OpFfloor: opFfloor, ir.OpFsqrt: opFsqrt,
		ir.OpFrcp: opFrcp, ir.OpFceil: opFceil, ir.OpFtrunc: opFtrunc, ir.OpFroundEven: opFroundEven, ir.OpFmod: opFmod, ir.OpFrem: opFrem,
		ir.OpF2i32: opF2i, ir.OpF2u32: opF2u} {
		t[op] = fastOp{code, 32, true}
	}
	for op, code := range map[ir.Op]opcode{ir.OpIadd: opIadd, ir.OpIsub: opIsub, ir.OpImul: opImul, ir.OpIneg: opIneg, ir.OpIshl: opShl,
		ir.OpUshr: opUshr, ir.OpIshr: opIshr, ir.OpIlt: opIlt, ir.OpIge: opIge, ir.OpImin: opImin, ir.OpImax: opImax, ir.OpI2f32: opI2f,
		ir.OpIdiv: opIdiv, ir.OpIrem: opIrem, ir.OpImod: opImod, ir.OpUdiv: opUdiv, ir.OpUmod: opUmod} {
		t[op] = fastOp{code, 32, false}
	}
	// Sizes do not matter where the operands are zero-extended.
	for op, code := range map[ir.Op]opcode{ir.OpIand: opAnd, ir.OpIor: opOr, ir.OpIxor: opXor, ir.OpInot: opNot, ir.OpIeq: opIeq, ir.OpIne: opIne,
		ir.OpUlt: opUlt, ir.OpUge: opUge, ir.OpUmin: opUmin, ir.OpUmax: opUmax, ir.OpBcsel: opSelect, ir.OpB2f32: opB2f, ir.OpB2i32: opB2i, ir.OpU2f32: opU2f} {
		t[op] = fastOp{code, 0, false}
	}
	return t
}}

// aluInstr translates an ALU instruction, one step a component unless it is horizontal.
func (c *compiler) aluInstr(in *ir.Instr) {
	if in.Op == ir.OpMov || in.IsVec() {
		return
	}
	info := in.Op.Info()
	bits := in.OpBits()
	dst := c.dst(in)
	if info.EvalVec != nil {
		x := &extra{in: in, vec: c.alteredVec(in, info.EvalVec)}
		for i := range in.Srcs {
			s := c.src(in, i)
			var comps []int32
			for k := range in.SrcComps(i) {
				comps = append(comps, s[in.Srcs[i].Swizzle.Lane(k)])
			}
			x.src = append(x.src, comps)
		}
		c.emit(inst{op: opEvalVec, n: in.Def.NumComponents, bits: bits, dst: dst, x: x})
		return
	}
	if info.Eval == nil {
		c.failf(in, "the operation has no evaluation")
		return
	}
	code := opEval
	f := fastOps.Get()[in.Op]
	m := c.p.mode
	if c.opts.Alter == nil && f.op != 0 && (f.bits == 0 || f.bits == bits) && (!f.float || (m.FlushDenorm|m.RTZ)&2 == 0) {
		code = f.op
	}
	x := &extra{in: in, eval: c.altered(in, info.Eval)}
	for k := range int(in.Def.NumComponents) {
		i := inst{op: code, n: uint8(len(in.Srcs)), bits: bits, dst: dst + int32(k*c.p.lanes), x: x}
		for n, p := range []*int32{&i.a, &i.b, &i.c} {
			if n < len(in.Srcs) {
				*p = c.src(in, n)[in.Srcs[n].Swizzle.Lane(k)]
			}
		}
		if len(in.Srcs) == 4 {
			i.imm = uint64(c.src(in, 3)[in.Srcs[3].Swizzle.Lane(k)])
		}
		if code == opNot {
			i.imm = lowBits(bits)
		}
		if c.opts.Strict && divides(in.Op) { // a divisor of 0, less 1, is beyond all bounds
			c.emit(inst{op: opBounds, n: bits, a: i.b, b: -1, imm: math.MaxUint64, x: x})
		}
		c.emit(i)
	}
}

// altered is an evaluation with what Options.Alter makes of it.
func (c *compiler) altered(in *ir.Instr, eval func(optab.Mode, uint8, *[4]uint64) uint64) func(optab.Mode, uint8, *[4]uint64) uint64 {
	alter := c.opts.Alter
	if alter == nil {
		return eval
	}
	return func(m optab.Mode, bits uint8, s *[4]uint64) uint64 { return alter(in, s, nil, eval(m, bits, s)) }
}

// alteredVec is altered of a horizontal operation.
func (c *compiler) alteredVec(in *ir.Instr, eval func(optab.Mode, uint8, [][]uint64, []uint64)) func(optab.Mode, uint8, [][]uint64, []uint64) {
	alter := c.opts.Alter
	if alter == nil {
		return eval
	}
	return func(m optab.Mode, bits uint8, src [][]uint64, dst []uint64) {
		eval(m, bits, src, dst)
		for k, r := range dst {
			dst[k] = alter(in, nil, src, r)
		}
	}
}

// divides reports whether an operation is undefined for a second operand of 0.
func divides(op ir.Op) bool {
	switch op {
	case ir.OpIdiv, ir.OpUdiv, ir.OpUmod, ir.OpImod, ir.OpIrem:
		return true
	}
	return false
}

func f32(v uint64) float32 { return math.Float32frombits(uint32(v)) }

// bits32 returns a result's bits; every NaN is the canonical one.
func bits32(f float32) uint64 {
	if f != f {
		return 0x7fc00000
	}
	return uint64(math.Float32bits(f))
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// execDense runs the hottest operations where the active lanes are the first
// n, so that the loops need no lane numbers and no bound checks; false: it did
// not.
func (w *Wave) execDense(i *inst, n int) bool {
	d := w.regs[i.dst:][:n]
	a, b := w.regs[i.a:][:n], w.regs[i.b:][:n]
	switch i.op {
	case opFadd:
		for l := range d {
			d[l] = bits32(f32(a[l]) + f32(b[l]))
		}
	case opFsub:
		for l := range d {
			d[l] = bits32(f32(a[l]) - f32(b[l]))
		}
	case opFmul:
		for l := range d {
			d[l] = bits32(f32(a[l]) * f32(b[l]))
		}
	case opFlt:
		for l := range d {
			d[l] = truth(f32(a[l]) < f32(b[l]))
		}
	case opFge:
		for l := range d {
			d[l] = truth(f32(a[l]) >= f32(b[l]))
		}
	case opIadd:
		for l := range d {
			d[l] = uint64(uint32(a[l]) + uint32(b[l]))
		}
	case opImul:
		for l := range d {
			d[l] = uint64(uint32(a[l]) * uint32(b[l]))
		}
	case opIlt:
		for l := range d {
			d[l] = truth(int32(a[l]) < int32(b[l]))
		}
	case opUge:
		for l := range d {
			d[l] = truth(a[l] >= b[l])
		}
	case opUlt:
		for l := range d {
			d[l] = truth(a[l] < b[l])
		}
	case opAnd:
		for l := range d {
			d[l] = a[l] & b[l]
		}
	case opFfma:
		c := w.regs[i.c:][:n]
		for l := range d {
			d[l] = fma32(f32(a[l]), f32(b[l]), f32(c[l]))
		}
	default:
		return false
	}
	return true
}

// execFloat runs the float operations that have an opcode.
func (w *Wave) execFloat(i *inst) {
	d, a, b, c := w.regs[i.dst:], w.regs[i.a:], w.regs[i.b:], w.regs[i.c:]
	switch i.op {
	case opFadd:
		for _, l := range w.on {
			d[l] = bits32(f32(a[l]) + f32(b[l]))
		}
	case opFsub:
		for _, l := range w.on {
			d[l] = bits32(f32(a[l]) - f32(b[l]))
		}
	case opFmul:
		for _, l := range w.on {
			d[l] = bits32(f32(a[l]) * f32(b[l]))
		}
	case opFdiv:
		for _, l := range w.on {
			d[l] = bits32(f32(a[l]) / f32(b[l]))
		}
	case opFfma:
		for _, l := range w.on {
			d[l] = fma32(f32(a[l]), f32(b[l]), f32(c[l]))
		}
	case opFmin, opFmax:
		w.execMinMax(i)
	case opFneg:
		for _, l := range w.on {
			d[l] = a[l] ^ 1<<31
		}
	case opFabs:
		for _, l := range w.on {
			d[l] = a[l] &^ (1 << 31)
		}
	case opFsat:
		for _, l := range w.on {
			v := f32(a[l])
			if !(v > 0) {
				v = 0
			}
			d[l] = uint64(math.Float32bits(min(v, 1)))
		}
	case opFlt:
		for _, l := range w.on {
			d[l] = truth(f32(a[l]) < f32(b[l]))
		}
	case opFge:
		for _, l := range w.on {
			d[l] = truth(f32(a[l]) >= f32(b[l]))
		}
	case opFeq:
		for _, l := range w.on {
			d[l] = truth(f32(a[l]) == f32(b[l]))
		}
	case opFneu:
		for _, l := range w.on {
			d[l] = truth(f32(a[l]) != f32(b[l]))
		}
	case opI2f:
		for _, l := range w.on {
			d[l] = uint64(math.Float32bits(float32(int32(a[l]))))
		}
	case opU2f:
		for _, l := range w.on {
			d[l] = uint64(math.Float32bits(float32(a[l])))
		}
	case opFfloor:
		for _, l := range w.on {
			d[l] = bits32(float32(math.Floor(float64(f32(a[l])))))
		}
	case opFsqrt:
		for _, l := range w.on {
			d[l] = bits32(float32(math.Sqrt(float64(f32(a[l])))))
		}
	default:
		w.execRound(i)
	}
}

// execRound runs the float operations around rounding to integers.
func (w *Wave) execRound(i *inst) {
	d, a, b := w.regs[i.dst:], w.regs[i.a:], w.regs[i.b:]
	switch i.op {
	case opFrcp:
		for _, l := range w.on {
			d[l] = bits32(1 / f32(a[l]))
		}
	case opFceil:
		for _, l := range w.on {
			d[l] = bits32(float32(math.Ceil(float64(f32(a[l])))))
		}
	case opFtrunc:
		for _, l := range w.on {
			d[l] = bits32(float32(math.Trunc(float64(f32(a[l])))))
		}
	case opFroundEven:
		for _, l := range w.on {
			d[l] = bits32(float32(math.RoundToEven(float64(f32(a[l])))))
		}
	case opFmod: // every step rounds
		for _, l := range w.on {
			q := float32(math.Floor(float64(f32(a[l]) / f32(b[l]))))
			d[l] = bits32(f32(a[l]) - float32(f32(b[l])*q))
		}
	case opFrem:
		for _, l := range w.on {
			q := float32(math.Trunc(float64(f32(a[l]) / f32(b[l]))))
			d[l] = bits32(f32(a[l]) - float32(f32(b[l])*q))
		}
	case opF2i:
		for _, l := range w.on {
			v := float64(f32(a[l]))
			if v != v {
				v = 0
			}
			d[l] = uint64(uint32(int32(max(math.MinInt32, min(math.MaxInt32, v)))))
		}
	case opF2u:
		for _, l := range w.on {
			v := float64(f32(a[l]))
			if v != v {
				v = 0
			}
			d[l] = uint64(uint32(int64(max(0, min(math.MaxUint32, v)))))
		}
	}
}

// fma32 rounds a*b + c once: the product is exact in 64 bits, and the sum is
// rounded to odd before it is rounded to 32 bits.
func fma32(a, b, c float32) uint64 {
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	t := s - p
	err := float64(p-float64(s-t)) + float64(q-t)
	if err != 0 && !math.IsInf(s, 0) && s == s && err == err {
		v := math.Float64bits(s)
		if (err < 0) != (s < 0) {
			v--
		}
		s = math.Float64frombits(v | 1)
	}
	return bits32(float32(s))
}

func (w *Wave) execMinMax(i *inst) {
	d, a, b := w.regs[i.dst:], w.regs[i.a:], w.regs[i.b:]
	for _, l := range w.on {
		x, y := f32(a[l]), f32(b[l])
		switch {
		case x != x:
			d[l] = bits32(y)
		case y != y:
			d[l] = bits32(x)
		case i.op == opFmin:
			d[l] = bits32(min(x, y))
		default:
			d[l] = bits32(max(x, y))
		}
	}
}

// execInt runs the integer operations that have an opcode.
func (w *Wave) execInt(i *inst) {
	d, a, b := w.regs[i.dst:], w.regs[i.a:], w.regs[i.b:]
	switch i.op {
	case opIadd:
		for _, l := range w.on {
			d[l] = uint64(uint32(a[l]) + uint32(b[l]))
		}
	case opIsub:
		for _, l := range w.on {
			d[l] = uint64(uint32(a[l]) - uint32(b[l]))
		}
	case opImul:
		for _, l := range w.on {
			d[l] = uint64(uint32(a[l]) * uint32(b[l]))
		}
	case opIneg:
		for _, l := range w.on {
			d[l] = uint64(-uint32(a[l]))
		}
	case opShl:
		for _, l := range w.on {
			d[l] = uint64(uint32(a[l]) << (b[l] & 31))
		}
	case opUshr:
		for _, l := range w.on {
			d[l] = uint64(uint32(a[l]) >> (b[l] & 31))
		}
	case opIshr:
		for _, l := range w.on {
			d[l] = uint64(uint32(int32(a[l]) >> (b[l] & 31)))
		}
	case opIlt:
		for _, l := range w.on {
			d[l] = truth(int32(a[l]) < int32(b[l]))
		}
	case opIge:
		for _, l := range w.on {
			d[l] = truth(int32(a[l]) >= int32(b[l]))
		}
	case opImin:
		for _, l := range w.on {
			d[l] = uint64(uint32(min(int32(a[l]), int32(b[l]))))
		}
	case opImax:
		for _, l := range w.on {
			d[l] = uint64(uint32(max(int32(a[l]), int32(b[l]))))
		}
	default:
		w.execDivision(i)
	}
}

// execDivision runs the integer divisions; division by 0 gives 0.
func (w *Wave) execDivision(i *inst) {
	d, a, b := w.regs[i.dst:], w.regs[i.a:], w.regs[i.b:]
	for _, l := range w.on {
		x, y := int64(int32(a[l])), int64(int32(b[l]))
		if i.op >= opUdiv {
			x, y = int64(a[l]), int64(b[l])
		}
		if y == 0 {
			d[l] = 0
			continue
		}
		r := x % y
		switch {
		case i.op == opIdiv || i.op == opUdiv:
			r = x / y
		case i.op == opImod && r != 0 && (r < 0) != (y < 0):
			r += y
		}
		d[l] = uint64(uint32(r))
	}
}

// execBits runs the operations on zero-extended values of any size.
func (w *Wave) execBits(i *inst) {
	d, a, b, c := w.regs[i.dst:], w.regs[i.a:], w.regs[i.b:], w.regs[i.c:]
	switch i.op {
	case opAnd:
		for _, l := range w.on {
			d[l] = a[l] & b[l]
		}
	case opOr:
		for _, l := range w.on {
			d[l] = a[l] | b[l]
		}
	case opXor:
		for _, l := range w.on {
			d[l] = a[l] ^ b[l]
		}
	case opNot:
		for _, l := range w.on {
			d[l] = a[l] ^ i.imm
		}
	case opIeq:
		for _, l := range w.on {
			d[l] = truth(a[l] == b[l])
		}
	case opIne:
		for _, l := range w.on {
			d[l] = truth(a[l] != b[l])
		}
	case opUlt:
		for _, l := range w.on {
			d[l] = truth(a[l] < b[l])
		}
	case opUge:
		for _, l := range w.on {
			d[l] = truth(a[l] >= b[l])
		}
	case opUmin:
		for _, l := range w.on {
			d[l] = min(a[l], b[l])
		}
	case opUmax:
		for _, l := range w.on {
			d[l] = max(a[l], b[l])
		}
	case opSelect:
		for _, l := range w.on {
			if a[l] != 0 {
				d[l] = b[l]
			} else {
				d[l] = c[l]
			}
		}
	case opB2f:
		for _, l := range w.on {
			d[l] = truth(a[l] != 0) * 0x3f800000
		}
	case opB2i:
		for _, l := range w.on {
			d[l] = truth(a[l] != 0)
		}
	}
}

// execEval runs an operation by its table row.
func (w *Wave) execEval(i *inst) {
	s := &w.args
	eval, m := i.x.eval, w.p.mode
	d, a, b, c, e := w.regs[i.dst:], w.regs[i.a:], w.regs[i.b:], w.regs[i.c:], w.regs[i.imm:]
	for _, l := range w.on {
		s[0], s[1], s[2], s[3] = a[l], b[l], c[l], e[l]
		d[l] = eval(m, i.bits, s)
	}
}

func (w *Wave) execEvalVec(i *inst) {
	x := i.x
	for _, l := range w.on {
		words := w.vecWords[:0]
		for k, s := range x.src {
			first := len(words)
			for _, slot := range s {
				words = append(words, w.regs[slot+int32(l)])
			}
			w.vecSrcs[k] = words[first:]
		}
		w.vecWords = words
		x.vec(w.p.mode, i.bits, w.vecSrcs[:len(x.src)], w.vecDst[:i.n])
		for k := range int32(i.n) {
			w.regs[i.dst+k*w.w+int32(l)] = w.vecDst[k]
		}
	}
}
