package isa

import "math/bits"

// The ALU operands (agx.md §2.2 to 2.4).

func regRun(half uint64, size, count int) Operand {
	return Operand{Kind: Reg, Size: uint8(size), Count: uint8(count), Val: int32(half)}
}

func uniRun(half uint64, size, count int) Operand {
	return Operand{Kind: Uniform, Size: uint8(size), Count: uint8(count), Val: int32(half)}
}

// checkRun refuses runs that start at an odd half or leave the register file.
func (x *xfer) checkRun(o *Operand) {
	limit := 256
	if o.Kind == Uniform {
		limit = 512
	}
	if o.Kind != Reg && o.Kind != Uniform {
		return
	}
	switch {
	case o.Size > 16 && o.Val&1 != 0:
		x.fail("a %d-bit register cannot start at half %d", o.Size, o.Val)
	case o.Val < 0 || int(o.Val)+o.Halves() > limit:
		x.fail("%s leaves the register file", *o)
	}
}

// isReg reports whether o is a run of registers of that size and length.
func (o *Operand) isReg(size, count int) bool {
	return o.Kind == Reg && int(o.Size) == size && int(o.Count) == count
}

// register transfers a run whose shape is known: half index in field 0.
func (x *xfer) register(it *item, size, count int) {
	o := x.opnd(it)
	if x.dec {
		*o = regRun(x.get(it, 0), size, count)
	} else if !o.isReg(size, count) || o.Flags != 0 {
		x.fail("%s is no run of %d %d-bit registers", *o, count, size)
		return
	}
	x.checkRun(o)
	if !x.dec && x.err == nil {
		x.set(it, 0, uint64(o.Val))
	}
}

// sizedRun is register with the element size in field 1 (0: 16 bits).
func (x *xfer) sizedRun(it *item, count int) {
	size := 16
	if x.dec && x.get(it, 1) != 0 || !x.dec && x.opnd(it).Size == 32 {
		size = 32
	}
	x.register(it, size, count)
	if !x.dec {
		x.set(it, 1, uint64(size>>5))
	}
}

func codeDst(x *xfer, it *item)   { x.dst(it, false, 1) }
func codeDst64(x *xfer, it *item) { x.dst(it, true, 1) }
func codeDst2(x *xfer, it *item)  { x.dst(it, false, 2) }
func codeDst16(x *xfer, it *item) {
	x.dst(it, false, 1)
	if x.in.Dst.Size != 16 {
		x.fail("the destination must be a 16-bit register")
	}
}

func (x *xfer) dst(it *item, wide bool, count int) {
	o := x.opnd(it)
	if x.dec {
		d, t := x.get(it, 0), x.get(it, 1)
		switch {
		case t&2 == 0:
			*o = regRun(d, 16, count)
		case wide && d&1 != 0:
			*o = regRun(d&^1, 64, count)
		default:
			*o = regRun(d, 32, count)
		}
		if t&1 != 0 {
			o.Flags = Cache
		}
		x.checkRun(o)
		return
	}
	if o.Kind != Reg || int(o.Count) != count || o.Flags&^Cache != 0 || o.Size == 64 && !wide ||
		o.Size != 16 && o.Size != 32 && o.Size != 64 {
		x.fail("%s cannot be the destination", *o)
		return
	}
	x.checkRun(o)
	t := uint64(o.Flags & Cache)
	if o.Size > 16 {
		t |= 2
	}
	x.set(it, 0, uint64(o.Val)|uint64(o.Size>>6))
	x.set(it, 1, t)
}

// codeR0L is the nesting counter: a fixed register with a cache hint.
func codeR0L(x *xfer, it *item) {
	o := x.opnd(it)
	if x.dec {
		*o = H(R0L)
		if x.get(it, 1) != 0 {
			o.Flags = Cache
		}
	} else if *o != H(R0L) && *o != H(R0L).With(Cache) {
		x.fail("the destination must be r0l")
	} else {
		x.set(it, 1, uint64(o.Flags&Cache))
	}
}

// srcRules says what a source operand can be.
type srcRules struct {
	short  bool // type field of 3 bits: 16-bit registers, any uniform
	half   bool // 16-bit registers only
	wide   bool // 64-bit register pairs too
	float  bool // float immediates, abs and neg
	signed bool // sign extension
	count  int
}

func codeSrc(x *xfer, it *item)    { x.src(it, srcRules{count: 1}) }
func codeSrc16(x *xfer, it *item)  { x.src(it, srcRules{count: 1, half: true}) }
func codeSrc64(x *xfer, it *item)  { x.src(it, srcRules{count: 1, wide: true}) }
func codeISrc(x *xfer, it *item)   { x.src(it, srcRules{count: 1, signed: true}) }
func codeISrc64(x *xfer, it *item) { x.src(it, srcRules{count: 1, signed: true, wide: true}) }
func codeFSrc(x *xfer, it *item)   { x.src(it, srcRules{count: 1, float: true}) }
func codeFSrc16(x *xfer, it *item) {
	x.src(it, srcRules{count: 1, float: true, half: true, short: true})
}
func codeFSrc2(x *xfer, it *item) { x.src(it, srcRules{count: 2, float: true}) }

func (x *xfer) src(it *item, rules srcRules) {
	if x.dec {
		x.unpackSrc(it, rules)
	} else {
		x.packSrc(it, rules)
	}
}

var hintFlags = [4]OpFlags{1: 0, 2: Cache, 3: Discard}

func hintCode(f OpFlags) (uint64, bool) {
	switch f & (Cache | Discard) {
	case 0:
		return 1, true
	case Cache:
		return 2, true
	case Discard:
		return 3, true
	}
	return 0, false
}

func (x *xfer) unpackSrc(it *item, rules srcRules) {
	o, v, t := x.opnd(it), x.get(it, 0), x.get(it, 1)
	switch {
	case t == 0 && rules.float:
		*o = Operand{Kind: FImm, Val: int32(v)}
	case t == 0:
		*o = I(int(v))
	case t < 4:
		*o = regRun(v, 16, rules.count).With(hintFlags[t])
	case t < 6:
		*o = uniRun(v|t&1<<8, 16, rules.count)
	case t < 8 && (!rules.half || rules.short):
		*o = uniRun(v|t&1<<8, 32, rules.count)
	case t > 8 && t < 12 && !rules.half:
		*o = regRun(v, 32, rules.count).With(hintFlags[t&3])
	case t > 12 && rules.wide:
		*o = regRun(v, 64, rules.count).With(hintFlags[t&3])
	default:
		x.fail("operand type %d does not exist here", x.get(it, 1))
		return
	}
	x.checkRun(o)
	if rules.signed && x.get(it, 2) != 0 {
		o.Flags |= SignExt
	}
	if rules.float {
		o.Flags |= OpFlags(x.get(it, 3)) * Abs
	}
}

func (x *xfer) packSrc(it *item, rules srcRules) {
	o := x.opnd(it)
	var t uint64
	hint, ok := hintCode(o.Flags)
	allowed := OpFlags(0)
	if rules.float {
		allowed |= Abs | Neg
	}
	if rules.signed {
		allowed |= SignExt
	}
	count := int(o.Count) == rules.count
	switch {
	case o.Kind == Imm && !rules.float || o.Kind == FImm && rules.float:
		if o.Val < 0 || o.Val > 255 {
			x.fail("immediate %d needs more than 8 unsigned bits", o.Val)
			return
		}
		count = o.Count == 0 && o.Size == 0
	case o.Kind == Uniform && (o.Size == 16 || o.Size == 32 && (!rules.half || rules.short)):
		t = 4 + uint64(o.Size>>5)*2 + uint64(o.Val>>8)&1
	case o.Kind == Reg && (o.Size == 16 || o.Size == 32 && !rules.half || o.Size == 64 && rules.wide):
		allowed |= Cache | Discard
		t = hint + uint64(o.Size>>5)*8 - uint64(o.Size>>6)*4
	default:
		ok = false
	}
	x.checkRun(o)
	if !ok || !count || o.Flags&^allowed != 0 {
		x.fail("%s cannot be encoded here", *o)
		return
	}
	x.set(it, 0, uint64(o.Val)&255)
	x.set(it, 1, t)
	if rules.signed {
		x.set(it, 2, uint64(o.Flags&SignExt)/uint64(SignExt))
	}
	if rules.float {
		x.set(it, 3, uint64(o.Flags&(Abs|Neg))/uint64(Abs))
	}
}

// codeSel is X or Y of a compare and select; its size is the destination's.
func codeSel(x *xfer, it *item) {
	o, size := x.opnd(it), int(x.in.Dst.Size)
	if x.dec {
		v, t := x.get(it, 0), x.get(it, 1)
		switch {
		case t == 4:
			*o = I(int(v))
		case t >= 1 && t <= 3:
			*o = regRun(v, size, 1).With(hintFlags[t])
		case t >= 6:
			*o = uniRun(v|t&1<<8, size, 1)
		default:
			x.fail("operand type %d does not exist here", t)
		}
		x.checkRun(o)
		return
	}
	hint, ok := hintCode(o.Flags)
	t := uint64(4)
	switch {
	case o.Kind == Imm && o.Val >= 0 && o.Val <= 255 && *o == I(int(o.Val)):
	case o.Kind == Reg && int(o.Size) == size && o.Flags&^(Cache|Discard) == 0:
		t = hint
	case o.Kind == Uniform && int(o.Size) == size && o.Flags == 0:
		t = 6 | uint64(o.Val>>8)&1
	default:
		ok = false
	}
	x.checkRun(o)
	if !ok || o.Kind != Imm && o.Count != 1 {
		x.fail("%s cannot be selected into a %d-bit register", *o, size)
		return
	}
	x.set(it, 0, uint64(o.Val)&255)
	x.set(it, 1, t)
}

// plain transfers an operand that is a number of one kind.
func (x *xfer) plain(it *item, kind Kind, scale int) {
	o := x.opnd(it)
	if x.dec {
		*o = Operand{Kind: kind, Val: int32(x.get(it, 0)) * int32(scale)}
		return
	}
	if *o != (Operand{Kind: kind, Val: o.Val}) || o.Val < 0 || int(o.Val)%scale != 0 {
		x.fail("%s cannot be encoded here", *o)
		return
	}
	x.set(it, 0, uint64(int(o.Val)/scale))
}

func codeSR(x *xfer, it *item)  { x.plain(it, SR, 1) }
func codeTS(x *xfer, it *item)  { x.plain(it, TS, 1) }
func codeSS(x *xfer, it *item)  { x.plain(it, SS, 1) }
func codeCFW(x *xfer, it *item) { x.plain(it, CF, 1) }

// codeRegNumber is a 32-bit register by its number.
func codeRegNumber(x *xfer, it *item) {
	o := x.opnd(it)
	if x.dec {
		*o = R(int(x.get(it, 0)))
		x.checkRun(o)
	} else if !o.isReg(32, 1) || o.Flags != 0 || o.Val < 0 || o.Val&1 != 0 {
		x.fail("%s is no 32-bit register", *o)
	} else {
		x.set(it, 0, uint64(o.Val/2))
	}
}

func codeRegHalf(x *xfer, it *item) { x.register(it, 32, 1) }

// codeUniform64 is a 64-bit uniform by the number of its first word,
// codeHeapUniform one at an even number by half of that.
func codeUniform64(x *xfer, it *item)   { x.uniform64(it, 1) }
func codeHeapUniform(x *xfer, it *item) { x.uniform64(it, 2) }

func (x *xfer) uniform64(it *item, unit int) {
	o := x.opnd(it)
	if x.dec {
		*o = U64(int(x.get(it, 0)) * unit)
	} else if *o != U64(int(o.Val/2)) || o.Val < 0 || int(o.Val)%(2*unit) != 0 {
		x.fail("%s is no 64-bit uniform at a multiple of %d", *o, unit)
	} else {
		x.set(it, 0, uint64(int(o.Val)/(2*unit)))
	}
}

func components(mask uint8) int { return bits.OnesCount8(mask) }
