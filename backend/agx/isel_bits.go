package agx

import (
	"math/bits"

	"nirc/backend"
	"nirc/backend/agx/isa"
	"nirc/ir"
	"nirc/passes/analysis"
)

// width bounds how many bits from the lowest on may be set in the register of a component. Of 8 bits
// the upper half of the register is undefined, unless a load has filled it with zeros
// (agx.md §2.9) or the value was cut from one that is known.
func width(d *ir.Def, lane int) int {
	if d.BitSize >= 16 {
		return bits.Len64(analysis.UintMax(d, lane))
	}
	d, lane = component(&ir.Src{Def: d, Swizzle: ir.Broadcast(lane)})
	switch in := d.Instr; {
	case d.BitSize == 1:
		return 1
	case in.Kind == ir.KindIntrinsic && loadsBytes(in.Intr):
		return 8
	case in.Kind == ir.KindALU && (in.Op == ir.OpU2u8 || in.Op == ir.OpI2i8) && in.Srcs[0].Def.BitSize >= 16:
		return min(16, width(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(lane)))
	}
	return 16
}

// loadsBytes are the loads of 8 bits by the memory instructions, which extend them.
func loadsBytes(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrLoadSsbo, ir.IntrLoadUbo, ir.IntrLoadGlobal, ir.IntrLoadShared, ir.IntrLoadConstant:
		return true
	}
	return false
}

// widened brings source k of 8 bits to 16; those that are there already cost nothing.
func (s *isel) widened(in *ir.Instr, k int, signed bool) opnd {
	src := &in.Srcs[k]
	if o := s.src(in, k); signed || o.kind == opImm || width(src.Def, src.Swizzle.Lane(0)) > 8 {
		return s.widen8(o, signed)
	} else {
		return o
	}
}

// shiftedBy returns what an instruction shifts to the left or to the right by a constant, and how far.
func shiftedBy(d *ir.Def, op ir.Op) (in *ir.Instr, n uint32, ok bool) {
	if in = d.Instr; !in.IsALU(op) || d.NumComponents != 1 || d.BitSize < 16 || d.BitSize > 32 {
		return nil, 0, false
	}
	c, ok := in.Srcs[1].Const(0)
	return in, uint32(c) & uint32(d.BitSize-1), ok
}

// lowMask returns how many bits from the lowest on a constant source keeps, if it is such a mask, and which source it is.
func lowMask(in *ir.Instr) (n uint32, k int, ok bool) {
	for k := range 2 {
		if c, isConst := in.Srcs[k].Const(0); isConst && c != 0 && c&(c+1) == 0 {
			return uint32(bits.Len64(c)), k, true
		}
	}
	return 0, 0, false
}

// masked selects a conjunction with a mask of low bits: of a value that was shifted to the right it takes a
// field, of one that was widened what it was before; where the bits above are zeros anyway there is nothing to do.
func (s *isel) masked(in *ir.Instr, half bool) (o opnd, ok bool) {
	n, k, ok := lowMask(in)
	if !ok || in.Def.NumComponents != 1 || in.Def.BitSize < 16 {
		return o, false
	}
	x := &in.Srcs[1-k]
	if width(x.Def, x.Swizzle.Lane(0)) <= int(n) {
		return s.src(in, 1-k), true
	}
	if up, c, ok := shiftedBy(x.Def, ir.OpUshr); ok && c > 0 && n < 32 && fewUses(x.Def) {
		return s.takeField(up, half, c, n), true
	}
	if o, from, ok := s.unwidened(x); ok && n <= uint32(from) {
		return s.intOp(bitop(tableAnd), half, o, immediate(1<<n-1, half)), true
	}
	return o, false
}

// takeField emits the n bits from bit c on of what up shifts.
func (s *isel) takeField(up *ir.Instr, half bool, c, n uint32) opnd {
	o := s.src(up, 0)
	if raw, from, ok := s.unwidened(&up.Srcs[0]); ok && c+n <= uint32(from) {
		o = raw
	}
	return s.intOp(isa.Instr{Op: isa.OpBfeil, Bits: uint8(n & 31)}, half, imm32(0), o, imm32(c))
}

// fewUses: taking a field of a value costs no more than its shift once and a mask each.
func fewUses(d *ir.Def) bool {
	n := 0
	for range d.Uses() {
		n++
	}
	return n <= 2
}

// unwidened returns what a source was extended from by zeros, and its bits.
func (s *isel) unwidened(src *ir.Src) (o opnd, from uint8, ok bool) {
	up := src.Def.Instr
	if up.Kind != ir.KindALU || up.Op != ir.OpU2u16 && up.Op != ir.OpU2u32 || up.Def.NumComponents != 1 {
		return o, 0, false
	}
	d := up.Srcs[0].Def
	if d.BitSize != 8 && d.BitSize != 16 {
		return o, 0, false
	}
	if in := d.Instr; d.BitSize == 16 && in.IsALU(ir.OpU2u16) && d.NumComponents == 1 && in.Srcs[0].Def.BitSize == 8 {
		up, d = in, in.Srcs[0].Def
	}
	return s.comp(d, up.Srcs[0].Swizzle.Lane(0)*backend.Parts(d)), d.BitSize, true
}

// shiftedRight selects an unsigned shift by a constant: the upper bits of a value that was widened are cut off on
// the way, and those of a word are a register of their own.
func (s *isel) shiftedRight(in *ir.Instr, half bool, c uint32) opnd {
	size := uint32(in.Def.BitSize)
	o, from := s.src(in, 0), size
	if raw, n, ok := s.unwidened(&in.Srcs[0]); ok && c < uint32(n) {
		o, from = raw, uint32(n)
	}
	if from == 8 && o.kind != opImm && c > 0 {
		return s.intOp(isa.Instr{Op: isa.OpBfeil, Bits: uint8(8 - c)}, half, imm32(0), o, imm32(c))
	}
	if from == 8 {
		o = s.widened(in, 0, false)
	}
	return s.shiftRight(half, o, c)
}

// joined selects a disjunction of bits that do not meet: the halves of a rotation, or a value and another one shifted
// beyond it. A sum of such is no different.
func (s *isel) joined(in *ir.Instr, half bool) (o opnd, ok bool) {
	if in.Def.BitSize != 16 && in.Def.BitSize != 32 {
		return o, false
	}
	for k := range 2 {
		up, n, ok := shiftedBy(in.Srcs[k].Def, ir.OpIshl)
		if !ok || n == 0 || !up.Def.UsedOnce() {
			continue
		}
		low := &in.Srcs[1-k]
		if down, c, ok := shiftedBy(low.Def, ir.OpUshr); ok && c+n == 32 && down.Def.BitSize == 32 && down.Def.UsedOnce() {
			return s.intOp(isa.Instr{Op: isa.OpExtr}, false, s.src(down, 0), s.src(up, 0), imm32(c)), true
		}
		if x := low.Def.Instr; x.IsALU(ir.OpIand) && low.Def.NumComponents == 1 && low.Def.UsedOnce() {
			if m, j, ok := lowMask(x); ok && m == n {
				return s.insert(half, s.src(x, 1-j), up, n), true
			}
		}
		if width(low.Def, low.Swizzle.Lane(0)) <= int(n) {
			if n <= maxAddShift {
				return s.intOp(isa.Instr{Op: isa.OpIadd, Shift: uint8(n)}, half, s.src(in, 1-k), s.src(up, 0)), true
			}
			return s.insert(half, s.src(in, 1-k), up, n), true
		}
	}
	return o, false
}

// insert puts what up shifts by n above the lowest n bits of a value, and clears what was there.
func (s *isel) insert(half bool, low opnd, up *ir.Instr, n uint32) opnd {
	return s.intOp(isa.Instr{Op: isa.OpBfi}, half, low, s.src(up, 0), imm32(n))
}

// maxAddShift is the most that iadd and imadd shift a source.
const maxAddShift = 4

// addedShift returns a source of a sum that is another value shifted to the left by a constant, if the shift
// is then needed by nobody else, or by sums alone that can do the same.
func addedShift(d *ir.Def) (up *ir.Instr, n uint32, ok bool) {
	up, n, ok = shiftedBy(d, ir.OpIshl)
	if !ok || n == 0 {
		return nil, 0, false
	}
	if d.UsedOnce() {
		return up, n, true
	}
	if n > maxAddShift {
		return nil, 0, false
	}
	for u := range d.Uses() {
		if x := u.Instr; x == nil || !x.IsALU(ir.OpIadd) && !x.IsALU(ir.OpIsub) || x.Srcs[0].Def == x.Srcs[1].Def || x.IsALU(ir.OpIsub) && x.Srcs[1].Def != d {
			return nil, 0, false
		}
	}
	return up, n, true
}

// fusedSum selects a sum of which a source is a product, or shifted to the left.
func (s *isel) fusedSum(in *ir.Instr, half bool) (opnd, bool) {
	for k := range 2 {
		mul, other := in.Srcs[k].Def.Instr, &in.Srcs[1-k]
		if !isProduct(mul, in.Def.BitSize) || !mul.Def.UsedOnce() {
			continue
		}
		t := isa.Instr{Op: isa.OpImadd}
		o := s.src(in, 1-k)
		if up, n, ok := shiftedBy(other.Def, ir.OpIshl); ok && n > 0 && n <= maxAddShift && up.Def.UsedOnce() {
			t.Shift, o = uint8(n), s.src(up, 0)
		}
		return s.intOp(t, half, s.src(mul, 0), s.src(mul, 1), o), true
	}
	for k := range 2 {
		up, n, ok := addedShift(in.Srcs[k].Def)
		if !ok || up.Def.BitSize != in.Def.BitSize {
			continue
		}
		other := s.src(in, 1-k)
		if n <= maxAddShift {
			return s.intOp(isa.Instr{Op: isa.OpIadd, Shift: uint8(n)}, half, other, s.src(up, 0)), true
		}
		if m := imm32(1 << n); s.cheap(m) {
			return s.intOp(isa.Instr{Op: isa.OpImadd}, half, s.src(up, 0), m, other), true
		}
	}
	return opnd{}, false
}

// fusedDifference selects a difference of which the second source is shifted to the left, or the first a product.
func (s *isel) fusedDifference(in *ir.Instr, half bool) (opnd, bool) {
	if up, n, ok := addedShift(in.Srcs[1].Def); ok && n <= maxAddShift && up.Def.BitSize == in.Def.BitSize {
		return s.intOp(isa.Instr{Op: isa.OpIadd, Flags: isa.Sub, Shift: uint8(n)}, half, s.src(in, 0), s.src(up, 0)), true
	}
	if mul := in.Srcs[0].Def.Instr; isProduct(mul, in.Def.BitSize) && mul.Def.UsedOnce() {
		return s.intOp(isa.Instr{Op: isa.OpImadd, Flags: isa.Sub}, half, s.src(mul, 0), s.src(mul, 1), s.src(in, 1)), true
	}
	if mul := in.Srcs[1].Def.Instr; isProduct(mul, in.Def.BitSize) && mul.Def.UsedOnce() && in.Def.BitSize == 32 {
		if c, ok := mul.Srcs[1].Const(0); ok && s.cheap(imm32(-uint32(c))) {
			return s.intOp(isa.Instr{Op: isa.OpImadd}, half, s.src(mul, 0), imm32(-uint32(c)), s.src(in, 0)), true
		}
	}
	return opnd{}, false
}

// isProduct reports whether an instruction is a multiplication of numbers of that size.
func isProduct(in *ir.Instr, size uint8) bool {
	return in.Kind == ir.KindALU && (in.Op == ir.OpImul || in.Op == ir.OpAmul) && in.Def.NumComponents == 1 && in.Def.BitSize == size && size >= 16
}

// cheap reports whether an integer costs no instruction: it has an encoding, or a uniform register.
func (s *isel) cheap(o opnd) bool {
	if o.bits <= maxImmediate {
		return true
	}
	_, ok := s.uni.constant(o.bits)
	return ok
}
