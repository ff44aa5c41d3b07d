package midgard

import (
	"math"
	"math/bits"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// aluShape is how an operation is selected.
type aluShape uint8

const (
	shapeNone    aluShape = iota
	shapeLanes            // lane by lane, as a vector
	shapeSwapped          // the same with its operands exchanged
	shapeOneLane          // one instruction a lane: the LUT unit
	shapeReduce           // all lanes of the sources make one
)

// aluRow is one operation.
type aluRow struct {
	op    isa.Op
	shape aluShape
}

// aluTable gives the operations that are one instruction (a lane).
var aluTable = func() []aluRow {
	t := make([]aluRow, ir.NumOps)
	for op, r := range map[ir.Op]aluRow{
		ir.OpFadd: {isa.OpFadd, shapeLanes}, ir.OpFmul: {isa.OpFmul, shapeLanes}, ir.OpFmin: {isa.OpFmin, shapeLanes}, ir.OpFmax: {isa.OpFmax, shapeLanes},
		ir.OpFfloor: {isa.OpFfloor, shapeLanes}, ir.OpFceil: {isa.OpFceil, shapeLanes}, ir.OpFtrunc: {isa.OpFtrunc, shapeLanes},
		ir.OpFroundEven: {isa.OpFroundeven, shapeLanes},
		ir.OpFrcp:       {isa.OpFrcp, shapeOneLane}, ir.OpFrsq: {isa.OpFrsqrt, shapeOneLane}, ir.OpFsqrt: {isa.OpFsqrt, shapeOneLane},
		ir.OpFexp2: {isa.OpFexp2, shapeOneLane}, ir.OpFlog2: {isa.OpFlog2, shapeOneLane},
		ir.OpFsinMdg: {isa.OpFsinpi, shapeOneLane}, ir.OpFcosMdg: {isa.OpFcospi, shapeOneLane},
		ir.OpFdot3: {isa.OpFdot3, shapeReduce}, ir.OpFdot4: {isa.OpFdot4, shapeReduce},
		ir.OpIadd: {isa.OpIadd, shapeLanes}, ir.OpIsub: {isa.OpIsub, shapeLanes}, ir.OpImul: {isa.OpImul, shapeLanes}, ir.OpAmul: {isa.OpImul, shapeLanes},
		ir.OpImul24Relaxed: {isa.OpImul, shapeLanes}, ir.OpUmul24Relaxed: {isa.OpImul, shapeLanes},
		ir.OpImin: {isa.OpImin, shapeLanes}, ir.OpImax: {isa.OpImax, shapeLanes}, ir.OpUmin: {isa.OpUmin, shapeLanes}, ir.OpUmax: {isa.OpUmax, shapeLanes},
		ir.OpIaddSat: {isa.OpIaddsat, shapeLanes}, ir.OpUaddSat: {isa.OpUaddsat, shapeLanes},
		ir.OpIsubSat: {isa.OpIsubsat, shapeLanes}, ir.OpUsubSat: {isa.OpUsubsat, shapeLanes},
		ir.OpIhadd: {isa.OpIavg, shapeLanes}, ir.OpUhadd: {isa.OpUavg, shapeLanes}, ir.OpIrhadd: {isa.OpIravg, shapeLanes}, ir.OpUrhadd: {isa.OpUravg, shapeLanes},
		ir.OpIand: {isa.OpIand, shapeLanes}, ir.OpIor: {isa.OpIor, shapeLanes}, ir.OpIxor: {isa.OpIxor, shapeLanes},
		ir.OpIshl: {isa.OpIshl, shapeLanes}, ir.OpUshr: {isa.OpIlsr, shapeLanes}, ir.OpIshr: {isa.OpIasr, shapeLanes},
		ir.OpUclz: {isa.OpIclz, shapeLanes}, ir.OpBitCount: {isa.OpIpopcnt, shapeLanes}, ir.OpIabs: {isa.OpIabsdiff, shapeLanes},
		ir.OpInot:  {isa.OpInor, shapeLanes},
		ir.OpFlt32: {isa.OpFlt, shapeLanes}, ir.OpFge32: {isa.OpFle, shapeSwapped}, ir.OpFeq32: {isa.OpFeq, shapeLanes}, ir.OpFneu32: {isa.OpFne, shapeLanes},
		ir.OpIlt32: {isa.OpIlt, shapeLanes}, ir.OpIge32: {isa.OpIle, shapeSwapped}, ir.OpUlt32: {isa.OpUlt, shapeLanes}, ir.OpUge32: {isa.OpUle, shapeSwapped},
		ir.OpIeq32: {isa.OpIeq, shapeLanes}, ir.OpIne32: {isa.OpIne, shapeLanes},
		ir.OpFlt: {isa.OpFlt, shapeLanes}, ir.OpFge: {isa.OpFle, shapeSwapped}, ir.OpFeq: {isa.OpFeq, shapeLanes}, ir.OpFneu: {isa.OpFne, shapeLanes},
		ir.OpIlt: {isa.OpIlt, shapeLanes}, ir.OpIge: {isa.OpIle, shapeSwapped}, ir.OpUlt: {isa.OpUlt, shapeLanes}, ir.OpUge: {isa.OpUle, shapeSwapped},
		ir.OpIeq: {isa.OpIeq, shapeLanes}, ir.OpIne: {isa.OpIne, shapeLanes},
		ir.OpI2f32: {isa.OpI2f, shapeLanes}, ir.OpU2f32: {isa.OpU2f, shapeLanes}, ir.OpF2i32: {isa.OpF2iRtz, shapeLanes}, ir.OpF2u32: {isa.OpF2uRtz, shapeLanes},
	} {
		t[op] = r
	}
	all := [][]ir.Op{
		{ir.OpB32allFequal2, ir.OpB32allFequal3, ir.OpB32allFequal4, ir.OpBallFequal2, ir.OpBallFequal3, ir.OpBallFequal4},
		{ir.OpB32anyFnequal2, ir.OpB32anyFnequal3, ir.OpB32anyFnequal4, ir.OpBanyFnequal2, ir.OpBanyFnequal3, ir.OpBanyFnequal4},
		{ir.OpB32allIequal2, ir.OpB32allIequal3, ir.OpB32allIequal4, ir.OpBallIequal2, ir.OpBallIequal3, ir.OpBallIequal4},
		{ir.OpB32anyInequal2, ir.OpB32anyInequal3, ir.OpB32anyInequal4, ir.OpBanyInequal2, ir.OpBanyInequal3, ir.OpBanyInequal4},
	}
	for i, op := range []isa.Op{isa.OpFballEq, isa.OpFbanyNe, isa.OpIballIeq, isa.OpIbanyIne} {
		for _, o := range all[i] {
			t[o] = aluRow{op, shapeReduce}
		}
	}
	return t
}()

// inlineConstant reports whether lanes of a constant can be an inline constant
// of op, and which.
func inlineConstant(op isa.Op, o source, lanes uint8) (c uint16, ok bool) {
	if o.mod != 0 {
		return 0, false
	}
	v, first := uint32(0), true
	for i := range 4 {
		if lanes>>i&1 == 0 {
			continue
		}
		if !first && o.con[i] != v {
			return 0, false
		}
		v, first = o.con[i], false
	}
	if !op.Is(isa.FloatSrc) {
		return uint16(v), int32(v) == int32(int16(v))
	}
	h := emu.FloatToHalf(math.Float32frombits(v))
	return h, math.Float32bits(emu.HalfToFloat(h)) == v && h&0x7c00 != 0x7c00
}

// modified applies abs and neg of a source to its constants.
func (o source) modified() source {
	if o.reg != regConst || o.mod == 0 {
		return o
	}
	for i := range o.con {
		if o.mod&isa.ModAbs != 0 {
			o.con[i] &^= 1 << 31
		}
		if o.mod&isa.ModNeg != 0 {
			o.con[i] ^= 1 << 31
		}
	}
	o.mod = 0
	return o
}

// alu adds an ALU instruction. Constants become inline ones where they can, and
// registers where they do not fit.
func (s *isel) alu(op isa.Op, dst reg, mask uint8, a, b source) *inst {
	return s.aluTo(dest{reg: dst, lanes: mask}, op, a, b)
}

// aluTo is alu with any destination.
func (s *isel) aluTo(d dest, op isa.Op, a, b source) *inst {
	t := inst{op: op}
	d.describe(&t)
	if a.half == partByte || b.half == partByte || d.bytes {
		a, b = s.byteOperands(d, &t, a, b)
	}
	if (t.half == partLow || t.half == partHigh) && !op.Is(isa.Reduce) {
		i := bits.TrailingZeros8(d.lanes)
		a, b = a.lane(i), b.lane(i)
	}
	if !op.Is(isa.FloatDst) {
		t.out = isa.OutKeepLow
	}
	if op.Is(isa.FloatSrc) {
		a, b = a.modified(), b.modified()
	}
	if op.Is(isa.Commutes) && a.reg == regConst && b.reg != regConst {
		a, b = b, a
	}
	lanes := t.lanesRead(1)
	a, b = s.oneHalf(a, lanes), s.oneHalf(b, lanes)
	t.src = [2]source{a, b}
	if b.reg == regConst && b.half == partFull && !d.wide && !d.cut {
		t.con, t.imm = inlineConstant(op, b, lanes)
	}
	if words := constWords(&t); words > 4 {
		t.src[0] = s.inRegister(a, lanes)
	}
	return s.add(t)
}

// constWords is the number of different words among an instruction's constants.
func constWords(t *inst) int {
	var seen [8]uint32
	n := 0
	for i := range t.src {
		if t.src[i].reg != regConst || i == 1 && t.imm {
			continue
		}
		lanes := t.lanesRead(i)
		for k := range 4 {
			if lanes>>k&1 == 0 {
				continue
			}
			known := false
			for _, w := range seen[:n] {
				known = known || w == t.src[i].con[k]
			}
			if !known {
				seen[n] = t.src[i].con[k]
				n++
			}
		}
	}
	return n
}

// unary adds an instruction of one operand.
func (s *isel) unary(op isa.Op, dst reg, mask uint8, a source) *inst {
	return s.unaryTo(dest{reg: dst, lanes: mask}, op, a)
}

func (s *isel) unaryTo(d dest, op isa.Op, a source) *inst {
	if op.Is(isa.Move) {
		return s.aluTo(d, op, source{reg: regNone}, a)
	}
	return s.aluTo(d, op, a, constant(0))
}

// temp computes an operation of n lanes into a new register.
func (s *isel) temp(op isa.Op, n int, a, b source) source {
	r := s.f.newNode(n)
	s.alu(op, r, fullMask(n), a, b)
	return source{reg: r, swz: identity}
}

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
	if s.view(in) || s.folded(in) || s.byteInstr(in) {
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
	if r.shape == shapeNone {
		s.special(in)
		return
	}
	s.row(in, r)
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
		last = s.aluTo(d, r.op, a, b)
	default:
		last = s.aluTo(d, r.op, a, b)
	}
	if last != nil {
		s.vals[in.Def.Index].by = last
	}
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
	if c := d.Instr; c.Kind == ir.KindALU && (c.Op == ir.OpI2i32 || c.Op == ir.OpU2u32) && c.Srcs[0].Def.BitSize == 16 && !c.Srcs[0].Def.IsConst() {
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

// vec selects a vector of scalars: a view where all lie in one register, else
// moves, one for each register that they come from.
func (s *isel) vec(in *ir.Instr) {
	switch in.Def.BitSize {
	case 16:
		s.vecHalves(in)
		return
	case 8:
		s.vecBytes(in)
		return
	}
	w := width(&in.Def)
	n := len(in.Srcs) * w
	if n > 4 {
		s.fail(in, "%s of %d bits is not supported", in.Op, in.Def.BitSize)
		return
	}
	var parts [4]source
	same := true
	for i := range n {
		q := &in.Srcs[i/w]
		parts[i] = s.comp(q.Def, q.Swizzle.Lane(0)*w+i%w)
		same = same && parts[i].reg == parts[0].reg
	}
	if same {
		v := value{reg: parts[0].reg}
		for i := range n {
			v.at[i], v.con[i] = parts[i].swz[0], parts[i].con[0]
		}
		s.set(&in.Def, v)
		return
	}
	d := s.result(&in.Def)
	s.gather(d, parts[:n])
}

// gather moves one operand to each component of dst, but nothing where a part
// is no register.
func (s *isel) gather(dst reg, parts []source) {
	done := uint8(0)
	for i := range parts {
		if done>>i&1 != 0 || parts[i].reg == regNone {
			continue
		}
		o := source{reg: parts[i].reg, half: parts[i].half, mod: parts[i].mod}
		mask := uint8(0)
		for k := i; k < len(parts); k++ {
			if parts[k].reg == o.reg && parts[k].half == o.half && parts[k].mod == o.mod {
				mask |= 1 << k
				o.swz[k], o.con[k] = parts[k].swz[0], parts[k].con[0]
				o.high |= parts[k].high & 1 << k
				o.odd |= parts[k].odd & 1 << k
			}
		}
		done |= mask
		s.move(dst, mask, o)
	}
}

// view selects operations that only look at registers in another way; false if
// in is none. Narrow values leave the upper bits of their components open.
func (s *isel) view(in *ir.Instr) bool {
	off := uint8(0)
	switch in.Op {
	case ir.OpMov, ir.OpB2b32, ir.OpB2b1, ir.OpUnpack64_2x32, ir.OpPack64_2x32:
	case ir.OpUnpack64_2x32SplitX, ir.OpUnpack64_2x32SplitY:
		o := s.src(in, 0)
		if in.Op == ir.OpUnpack64_2x32SplitY {
			off = 1
		}
		return s.viewOf(in, o.place([4]uint8{off, 2 + off, 0, 0}))
	case ir.OpU2u32, ir.OpI2i32:
		if in.Srcs[0].Def.BitSize == 64 {
			return s.viewOf(in, s.src(in, 0).place([4]uint8{0, 2, 0, 0}))
		}
		if in.Srcs[0].Def.BitSize == 8 {
			s.fromBytes(in)
			return true
		}
		if in.Srcs[0].Def.BitSize != 32 {
			return false
		}
	case ir.OpU2u16, ir.OpI2i16, ir.OpI2imp:
		switch in.Srcs[0].Def.BitSize {
		case 64:
			s.shrunk(in, s.src(in, 0).place([4]uint8{0, 2, 0, 0}))
			return true
		case 32:
			s.shrunk(in, s.src(in, 0))
			return true
		case 8:
			s.fromBytes(in)
			return true
		}
	case ir.OpU2u8, ir.OpI2i8:
		s.toBytes(in)
		return true
	default:
		return s.unpackHalves(in) || s.packHalves(in)
	}
	return s.viewOf(in, s.src(in, 0))
}

// viewOf makes def the first components of o.
func (s *isel) viewOf(in *ir.Instr, o source) bool {
	v := value{reg: o.reg, at: o.swz, con: o.con, high: o.high, odd: o.odd}
	if in.Def.BitSize == 32 && o.half == partLow {
		v.narrow, v.mod = true, o.mod
	}
	s.set(&in.Def, v)
	return true
}

// folded computes scalars of constants, and drops what adds nothing: offsets in buffers,
// which are constants now that their handles are.
func (s *isel) folded(in *ir.Instr) bool {
	if in.Def.BitSize != 32 {
		return false
	}
	switch in.Op {
	case ir.OpIadd:
	case ir.OpIand, ir.OpIshl, ir.OpUshr:
		if !s.known(in.Srcs[1].Def) {
			return false
		}
	default:
		return false
	}
	a, b := s.src(in, 0), s.src(in, 1)
	lanes := fullMask(int(in.Def.NumComponents))
	switch {
	case a.reg == regConst && b.reg == regConst && in.Def.NumComponents == 1:
		return s.viewOf(in, constant(fold(in.Op, a.con[0], b.con[0])))
	case in.Op == ir.OpIand:
		return false
	case in.Op != ir.OpIadd:
		return b.zero(lanes) && s.viewOf(in, a)
	case a.zero(lanes):
		return s.viewOf(in, b)
	case b.zero(lanes):
		return s.viewOf(in, a)
	}
	return false
}

// known reports whether a value that has been selected is a constant.
func (s *isel) known(d *ir.Def) bool { return d.IsConst() || s.vals[d.Index].reg == regConst }

// fold computes an operation of folded.
func fold(op ir.Op, x, y uint32) uint32 {
	switch op {
	case ir.OpIadd:
		return x + y
	case ir.OpIand:
		return x & y
	case ir.OpIshl:
		return x << (y & 31)
	}
	return x >> (y & 31)
}

// zero reports whether lanes of the operand are the constant 0.
func (o source) zero(lanes uint8) bool {
	for i, v := range o.con {
		if lanes>>i&1 != 0 && v != 0 {
			return false
		}
	}
	return o.reg == regConst
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
	case ir.OpUmulHigh, ir.OpImulHigh:
		s.highProduct(in)
	case ir.OpUmulLow, ir.OpUmul24, ir.OpImul24:
		s.narrowProduct(in)
	default:
		if isSelect(in.Op) && in.Def.BitSize == 8 {
			s.selectBytes(in)
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
	x := s.temp(isa.OpFmul, n, s.floatSource(in, 0, isa.OpFmul), constant(math.Float32bits(1/math.Pi)))
	d := s.dest(&in.Def)
	for i := range n {
		s.aluTo(d.lane(i), op, x.lane(i), constant(0))
	}
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
var clamps = map[ir.Op]isa.OutMod{ir.OpFsat: isa.OutSaturate, ir.OpFsatSigned: isa.OutSigned1, ir.OpFclampPos: isa.OutPositive}

// clamp folds a clamp into the instruction that makes the value if nothing
// else wants it, else it is a move.
func (s *isel) clamp(in *ir.Instr) {
	q := &in.Srcs[0]
	v := &s.vals[q.Def.Index]
	if !q.Def.IsConst() && !q.Def.IsUndef() && q.Def.UsedOnce() && v.by != nil && v.by.op.Is(isa.FloatDst) && v.by.out == isa.OutNone &&
		q.Def.Instr.Block == in.Block {
		by := v.by
		by.out = clamps[in.Op]
		s.viewOf(in, s.src(in, 0))
		s.vals[in.Def.Index].by = by
		return
	}
	t := s.unaryTo(s.dest(&in.Def), isa.OpFmov, s.floatSource(in, 0, isa.OpFmov))
	t.out = clamps[in.Op]
}
