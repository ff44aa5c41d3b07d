package midgard

import (
	"math"

	"nirc/backend/midgard/isa"
	"nirc/internal/lazy"
	"nirc/ir"
)

const (
	shapeNone    aluShape = iota
	shapeLanes            // lane by lane, as a vector
	shapeSwapped          // the same with its operands exchanged
	shapeOneLane          // one instruction a lane: the LUT unit
	shapeReduce           // all lanes of the sources make one
)

// aluInstr selects an ALU instruction.
func (s *isel) aluInstr(in *ir.Instr) {
	if in.IsVec() {
		s.vec(in)
		return
	}
	if int(in.Def.NumComponents)*width(&in.Def) > 4 {
		s.fail(in, "%s of %d x %d bits is not supported", in.Op, in.Def.NumComponents, in.Def.BitSize)
		return
	}
	if s.view(in) || s.folded(in) || s.byteInstr(in) || s.positive(in) || s.saturated(in) || s.negatedBits(in) {
		return
	}
	wide := in.Def.BitSize == 64
	for i := range in.Srcs {
		wide = wide || in.Srcs[i].Def.BitSize == 64
	}
	if wide {
		s.wide(in)
		return
	}
	r := aluTable[in.Op]
	switch {
	case r.shape == shapeNone:
		s.special(in)
	case in.Def.BitSize == 16 && r.op.Is(isa.Saturates):
		s.fail(in, "%s of 16 bits is not supported: it must be lowered", in.Op) // a scalar unit would saturate at 32 bits
	default:
		s.row(in, r)
	}
}

// row selects what the table says.
func (s *isel) row(in *ir.Instr, r aluRow) {
	n := int(in.Def.NumComponents)
	a := s.floatSource(in, 0, r.op)
	b := constant(0)
	if len(in.Srcs) > 1 {
		b = s.floatSource(in, 1, r.op)
	}
	if r.shape == shapeSwapped {
		a, b = b, a
	}
	if r.shape == shapeOneLane && n > 1 && in.Def.BitSize == 32 && a.splat(n) {
		t := s.temp(r.op, 1, a.lane(0), constant(0))
		s.viewOf(in, t.lane(0))
		return
	}
	d := s.dest(&in.Def)
	var last *inst
	switch r.shape {
	case shapeOneLane:
		mod := a.mod // also on a constant, where nothing has folded it
		a.mod = 0
		a = s.inRegister(a, fullMask(n))
		a.mod = mod
		for i := range n {
			last = s.aluTo(d.lane(i), r.op, a.lane(i), constant(0))
		}
		if n > 1 {
			last = nil
		}
	case shapeReduce:
		// Lanes beyond the last repeat it, where all four are read.
		for i := in.SrcComps(0); i < 4; i++ {
			var from = identity
			from[i] = uint8(i - 1)
			a, b = a.place(from), b.place(from)
		}
		last = s.reduce(d, r.op, a, b)
	default:
		last = s.aluTo(d, r.op, a, b)
	}
	if last != nil {
		s.vals[in.Def.Index].by = last
	}
}

// reduce adds a reduction. It does not both widen its operands and narrow its result (midgard.md §4.6): a move does that.
func (s *isel) reduce(d dest, op isa.Op, a, b source) *inst {
	if !d.half || a.half == partFull && b.half == partFull || faults.has(faultWidenedSum) {
		return s.aluTo(d, op, a, b)
	}
	move := isa.OpImov
	if op.Is(isa.FloatDst) {
		move = isa.OpFmov
	}
	return s.unaryTo(d, move, s.temp(op, 1, a, b))
}

// splat reports whether the first n lanes of an operand of 32 bits read one component.
func (o source) splat(n int) bool {
	for _, c := range o.swz[1:n] {
		if c != o.swz[0] {
			return false
		}
	}
	return o.reg != regConst && o.half == 0
}

// floatSource is source i with abs and neg of the instruction that makes it, if
// op takes floats.
func (s *isel) floatSource(in *ir.Instr, i int, op isa.Op) source {
	if !op.Is(isa.FloatSrc) {
		return s.intSource(in, i)
	}
	q := &in.Srcs[i]
	n := min(in.SrcComps(i), 4)
	d, swz, mod := q.Def, q.Swizzle, isa.Mod(0)
	for d.Instr.Kind == ir.KindALU {
		op := d.Instr.Op
		if op != ir.OpFneg && op != ir.OpFabs && op != ir.OpF2f32 || d.Instr.Srcs[0].Def.BitSize > 32 {
			break
		}
		if mod&isa.ModAbs == 0 {
			switch op {
			case ir.OpFabs:
				mod |= isa.ModAbs
			case ir.OpFneg:
				mod ^= isa.ModNeg
			}
		}
		swz = swz.Compose(d.Instr.Srcs[0].Swizzle)
		d = d.Instr.Srcs[0].Def
	}
	o := s.operand(d, n, func(k int) int { return swz.Lane(k) }).number(d, true)
	o.mod = mod
	return o
}

// intSource is source i, extended by the source itself if it is a conversion of
// 16-bit integers.
func (s *isel) intSource(in *ir.Instr, i int) source {
	q := &in.Srcs[i]
	d, swz, mod := q.Def, q.Swizzle, isa.ModSext
	if in.Op == ir.OpU2f32 { // of the others, of 16 bits, what stands above them does not reach the result
		mod = isa.ModZext
	}
	if c := d.Instr; c.Kind == ir.KindALU && (c.Op == ir.OpI2i32 || c.Op == ir.OpU2u32) && c.Srcs[0].Def.BitSize == 16 && !c.Srcs[0].Def.IsConst() {
		mod = isa.ModSext
		if c.Op == ir.OpU2u32 {
			mod = isa.ModZext
		}
		swz = swz.Compose(c.Srcs[0].Swizzle)
		d = c.Srcs[0].Def
	} else if d.BitSize == 8 {
		return s.intBytes(in, i)
	} else if d.BitSize != 16 {
		return s.src(in, i)
	}
	o := s.operand(d, min(in.SrcComps(i), 4), func(k int) int { return swz.Lane(k) }).number(d, false)
	if o.reg != regConst {
		o.mod = mod
	}
	return o
}

// wide selects operations with 64-bit operands or results that are left.
func (s *isel) wide(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	switch {
	case in.Op == ir.OpPack64_2x32Split:
		lo, hi := s.src(in, 0), s.src(in, 1)
		var parts [4]source
		for i := range n {
			parts[2*i], parts[2*i+1] = lo.lane(i), hi.lane(i)
		}
		d := s.result(&in.Def)
		s.gather(d, parts[:2*n])
	case s.wideInstr(in):
	case in.Op == ir.OpUnpack64_4x16 || in.Op == ir.OpPack64_4x16:
		s.fail(in, "%s of %d components is not supported", in.Op, n)
	case isSelect(in.Op):
		var c source
		q := s.src(in, 0)
		c = q.place([4]uint8{0, 0, 1, 1})
		a, b := s.src(in, 1), s.src(in, 2)
		s.selectTo(s.dest(&in.Def), c, a, b)
	default:
		s.fail(in, "64-bit %s is not supported: it must be lowered", in.Op)
	}
}

func isSelect(op ir.Op) bool { return op == ir.OpBcsel || op == ir.OpB32csel || op == ir.OpB32fcselMdg }

// selectTo adds a select: a where c holds, else b.
func (s *isel) selectTo(d dest, c, a, b source) {
	uniform := true
	first := -1
	for i := range 4 {
		if d.lanes>>i&1 == 0 {
			continue
		}
		if first < 0 {
			first = i
		}
		uniform = uniform && c.swz[i] == c.swz[first] && c.con[i] == c.con[first]
	}
	c = s.inRegister(c, d.lanes)
	op := isa.OpIcselV
	if uniform {
		op, c = isa.OpIcsel, c.lane(first)
	}
	t := s.aluTo(d, op, a, b)
	t.hasCond, t.cond = true, c
}

// selectZero selects a select of 0: booleans are 0 or all ones, so that the other value's bits under them are the result, on any unit
// and without the condition register.
func (s *isel) selectZero(in *ir.Instr) bool {
	if in.Def.BitSize != 32 {
		return false
	}
	lanes := fullMask(int(in.Def.NumComponents))
	a, b := s.rawSource(in, 1), s.rawSource(in, 2)
	op, v := isa.OpIand, a
	switch {
	case b.zero(lanes):
	case a.zero(lanes):
		op, v = isa.OpIandnot, b
	default:
		return false
	}
	c := s.src(in, 0)
	if v.half != partFull || c.half != partFull || c.reg == regConst {
		return false
	}
	s.aluTo(s.dest(&in.Def), op, v, c)
	return true
}

// condition makes a boolean fit for component w of the condition register.
func (s *isel) condition(c source) source { return s.inRegister(c, 1).lane(0) }

// special selects what is more than an instruction a lane.
func (s *isel) special(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	mask := fullMask(n)
	switch in.Op {
	case ir.OpFneg, ir.OpFabs:
		if in.Def.BitSize == 16 {
			// The sign is a bit like any other.
			if in.Op == ir.OpFneg {
				s.aluTo(s.dest(&in.Def), isa.OpIxor, s.intSource(in, 0), constant(0xffff8000))
			} else {
				s.aluTo(s.dest(&in.Def), isa.OpIand, s.intSource(in, 0), constant(0x7fff))
			}
			return
		}
		o := s.floatSource(in, 0, isa.OpFmov)
		if in.Op == ir.OpFabs {
			o.mod = isa.ModAbs
		} else {
			o.mod ^= isa.ModNeg
		}
		t := s.unaryTo(s.dest(&in.Def), isa.OpFmov, o)
		s.vals[in.Def.Index].by = t
	case ir.OpFsat, ir.OpFsatSigned, ir.OpFclampPos:
		s.clamp(in)
	case ir.OpFsub:
		a, b := s.floatSource(in, 0, isa.OpFadd), s.floatSource(in, 1, isa.OpFadd)
		b.mod ^= isa.ModNeg
		t := s.aluTo(s.dest(&in.Def), isa.OpFadd, a, b)
		s.vals[in.Def.Index].by = t
	case ir.OpFdot2:
		s.dot2(in)
	case ir.OpFsin, ir.OpFcos:
		s.trig(in)
	case ir.OpIneg:
		s.aluTo(s.dest(&in.Def), isa.OpIsub, constant(0), s.intSource(in, 0))
	case ir.OpUfindMsb:
		z := s.temp(isa.OpIclz, n, s.src(in, 0), constant(0))
		s.alu(isa.OpIsub, s.result(&in.Def), mask, constant(31), z)
	case ir.OpBitCount:
		s.bitCount(in)
	case ir.OpUmulHigh, ir.OpImulHigh:
		s.highProduct(in)
	case ir.OpUmulLow, ir.OpUmul24, ir.OpImul24:
		s.narrowProduct(in)
	default:
		if isSelect(in.Op) && in.Def.BitSize == 8 {
			s.selectBytes(in)
			return
		}
		if isSelect(in.Op) && s.selectZero(in) {
			return
		}
		if isSelect(in.Op) {
			s.selectTo(s.dest(&in.Def), s.src(in, 0), s.rawSource(in, 1), s.rawSource(in, 2))
			return
		}
		if !s.convert(in) && !s.pack(in) {
			s.fail(in, "%s of %d bits is not supported by the midgard backend", in.Op, in.Def.BitSize)
		}
	}
}

// rawSource is source i as bits.
func (s *isel) rawSource(in *ir.Instr, i int) source {
	return s.src(in, i).number(in.Srcs[i].Def, false)
}

func (s *isel) dot2(in *ir.Instr) {
	a, b := s.floatSource(in, 0, isa.OpFmul), s.floatSource(in, 1, isa.OpFmul)
	p := s.temp(isa.OpFmul, 2, a, b)
	t := s.aluTo(s.dest(&in.Def), isa.OpFadd, p.lane(0), p.lane(1))
	s.vals[in.Def.Index].by = t
}

// trig scales the argument to half turns (midgard.md §4.8).
func (s *isel) trig(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	op := isa.OpFsinpi
	if in.Op == ir.OpFcos {
		op = isa.OpFcospi
	}
	x, con := s.scaledAngle(in)
	one := true
	for i := range n {
		one = one && con.con[i] == math.Float32bits(1)
	}
	if !one || x.reg == regConst {
		x = s.temp(isa.OpFmul, n, x, con)
	}
	d := s.dest(&in.Def)
	for i := range n {
		s.aluTo(d.lane(i), op, x.lane(i), constant(0))
	}
}

// scaledAngle is the argument of a sine as a product of a value and constants in half turns: what multiplies it by a constant already
// is done with that.
func (s *isel) scaledAngle(in *ir.Instr) (x, con source) {
	q := &in.Srcs[0]
	if m := q.Def.Instr; m.Kind == ir.KindALU && m.Op == ir.OpFmul && !m.Exact && !in.Exact && q.Def.BitSize == 32 {
		for k := range m.Srcs {
			if !m.Srcs[k].Def.IsConst() {
				continue
			}
			var from [4]uint8
			con.reg = regConst
			for i := range from {
				lane := q.Swizzle.Lane(min(i, int(in.Def.NumComponents)-1))
				c, _ := m.Srcs[k].Const(lane)
				from[i], con.con[i] = uint8(lane), math.Float32bits(float32(float64(math.Float32frombits(uint32(c)))/math.Pi))
			}
			x = s.floatSource(m, 1-k, isa.OpFmul)
			return x.place(from), con
		}
	}
	return s.floatSource(in, 0, isa.OpFmul), constant(math.Float32bits(1 / math.Pi))
}

// narrowProduct selects products of 16 or 24 bits.
func (s *isel) narrowProduct(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	var o [2]source
	for i := range o {
		x := s.src(in, i)
		switch in.Op {
		case ir.OpUmulLow:
			o[i] = s.temp(isa.OpIand, n, x, constant(0xffff))
		case ir.OpUmul24:
			o[i] = s.temp(isa.OpIand, n, x, constant(0xffffff))
		default:
			o[i] = s.temp(isa.OpIasr, n, s.temp(isa.OpIshl, n, x, constant(8)), constant(8))
		}
	}
	s.alu(isa.OpImul, s.result(&in.Def), fullMask(n), o[0], o[1])
}

// clamps gives the output modifier of an operation.
var clamps = lazy.Value[map[ir.Op]isa.OutMod]{Make: func() map[ir.Op]isa.OutMod {
	return map[ir.Op]isa.OutMod{ir.OpFsat: isa.OutSaturate, ir.OpFsatSigned: isa.OutSigned1, ir.OpFclampPos: isa.OutPositive}
}}

// clamp folds a clamp into the instruction that makes the value if nothing
// else wants it, else it is a move.
func (s *isel) clamp(in *ir.Instr) {
	if s.clampWhereMade(in, 0, clamps.Get()[in.Op]) {
		return
	}
	t := s.unaryTo(s.dest(&in.Def), isa.OpFmov, s.floatSource(in, 0, isa.OpFmov))
	t.out = clamps.Get()[in.Op]
}

// clampWhereMade makes source k of an instruction be clamped where it is made, for the instruction to be no more
// than another name of it. It reports whether that could be: nothing else wants the source as it is.
func (s *isel) clampWhereMade(in *ir.Instr, k int, out isa.OutMod) bool {
	q := &in.Srcs[k]
	v := &s.vals[q.Def.Index]
	if q.Def.IsConst() || q.Def.IsUndef() || !q.Def.UsedOnce() || v.by == nil || !v.by.op.Is(isa.FloatDst) || v.by.out != isa.OutNone ||
		q.Def.Instr.Block != in.Block {
		return false
	}
	by := v.by
	by.out = out
	s.viewOf(in, s.src(in, k))
	s.vals[in.Def.Index].by = by
	return true
}

// positive lets the larger of a value and 0 be clamped where the value is made; both make 0 of NaN.
func (s *isel) positive(in *ir.Instr) bool {
	if in.Op != ir.OpFmax {
		return false
	}
	for k := range in.Srcs {
		zero := in.Srcs[k].Def.IsConst()
		for i := range int(in.Def.NumComponents) {
			v, _ := in.Srcs[k].Const(i)
			zero = zero && v == 0
		}
		if zero {
			return s.clampWhereMade(in, 1-k, isa.OutPositive)
		}
	}
	return false
}

// saturated lets the smaller of 1 and what is no less than a constant above 0 and up to 1 be clamped where that is made: it is no NaN, for a
// larger of two is one of both alone.
func (s *isel) saturated(in *ir.Instr) bool {
	if in.Op != ir.OpFmin || in.Def.BitSize > 32 {
		return false
	}
	for k := range in.Srcs {
		low := in.Srcs[1-k].Def.Instr
		if !low.IsALU(ir.OpFmax) || !within(in, k, 1, 1) {
			continue
		}
		if (within(low, 0, 0, 1) || within(low, 1, 0, 1)) && s.clampWhereMade(in, 1-k, isa.OutSaturate) {
			return true
		}
	}
	return false
}

// within reports whether source k of an instruction on floats is constant and from low to high, but not 0, in all components.
func within(in *ir.Instr, k int, low, high float64) bool {
	if !in.Srcs[k].Def.IsConst() {
		return false
	}
	for i := range int(in.Def.NumComponents) {
		v, _ := in.Srcs[k].Const(i)
		if f := ir.FloatValue(v, in.Srcs[k].Def.BitSize); !(f >= low && f <= high) || f == 0 {
			return false
		}
	}
	return true
}
