package isa

// num transfers a plain number.
func num[T ~uint8 | ~uint32](x *xfer, it *item, p *T) {
	if x.dec {
		*p = T(x.get(it, 0))
	} else {
		x.set(it, 0, uint64(*p))
	}
}

// named transfers an enum; a value without a name does not exist.
func named[T ~uint8](x *xfer, it *item, p *T, names []string) {
	num(x, it, p)
	if enumName(names, *p) == "" {
		x.fail("value %d is unknown", *p)
	}
}

func (x *xfer) flag(it *item, f Flags) {
	if x.dec {
		if x.get(it, 0) != 0 {
			x.in.Flags |= f
		}
	} else if x.in.Flags&f != 0 {
		x.set(it, 0, 1)
	}
}

func codeSat(x *xfer, it *item)     { x.flag(it, Sat) }
func codeSub(x *xfer, it *item)     { x.flag(it, Sub) }
func codeKill(x *xfer, it *item)    { x.flag(it, Kill) }
func codeSign(x *xfer, it *item)    { x.flag(it, Unsigned) }
func codeCompare(x *xfer, it *item) { x.flag(it, Compare) }
func codeForward(x *xfer, it *item) { x.flag(it, Forward) }
func codeElide(x *xfer, it *item)   { x.flag(it, Elide) }
func codeSimd(x *xfer, it *item)    { x.flag(it, Simd) }
func codePrefix(x *xfer, it *item)  { x.flag(it, Prefix) }

func codeShift(x *xfer, it *item)  { num(x, it, &x.in.Shift) }
func codeBits(x *xfer, it *item)   { num(x, it, &x.in.Bits) }
func codeTable(x *xfer, it *item)  { num(x, it, &x.in.Table) }
func codeMask(x *xfer, it *item)   { num(x, it, &x.in.Mask) }
func codeSlot(x *xfer, it *item)   { num(x, it, &x.in.Slot) }
func codeNest(x *xfer, it *item)   { num(x, it, &x.in.Nest) }
func codeTMode(x *xfer, it *item)  { num(x, it, &x.in.Mode) }
func codeImm(x *xfer, it *item)    { num(x, it, &x.in.Imm) }
func codeFormat(x *xfer, it *item) { named(x, it, &x.in.Format, formatNames) }
func codeDim(x *xfer, it *item)    { named(x, it, &x.in.Dim, dimNames) }
func codeLod(x *xfer, it *item)    { named(x, it, &x.in.Lod, lodNames) }
func codeGather(x *xfer, it *item) { named(x, it, &x.in.Gather, gatherNames) }
func codeInterp(x *xfer, it *item) { named(x, it, &x.in.Interp, interpNames) }
func codeRound(x *xfer, it *item)  { named(x, it, &x.in.Round, roundNames) }
func codeConvert(x *xfer, it *item) {
	named(x, it, &x.in.Mode, convertNames)
}
func codeAtomic(x *xfer, it *item) { named(x, it, &x.in.Mode, atomicNames) }
func codeReduce(x *xfer, it *item) { named(x, it, &x.in.Mode, reduceNames) }
func codeTarget(x *xfer, it *item) { named(x, it, &x.in.Mode, targetNames) }
func codeAsync(x *xfer, it *item)  { named(x, it, &x.in.Mode, asyncNames) }

// codeRoundInverse is convert's rounding, where 0 is toward zero.
func codeRoundInverse(x *xfer, it *item) {
	if x.dec {
		x.in.Round = Round(x.get(it, 0)) ^ 1
	}
	if x.in.Round > RoundZero {
		x.fail("value %d is unknown", x.in.Round^1)
	}
	if !x.dec {
		x.set(it, 0, uint64(x.in.Round^1))
	}
}

// codeICond and codeFCond transfer cc and, where there is one, ccn.
func codeICond(x *xfer, it *item) { x.cond(it, 0) }
func codeFCond(x *xfer, it *item) { x.cond(it, condFloat) }

func (x *xfer) cond(it *item, class Cond) {
	c := &x.in.Cond
	if x.dec {
		*c = Cond(x.get(it, 0)) | Cond(x.get(it, 1))<<3 | class
	}
	if *c&^15 != class || c.String() == "" {
		x.fail("comparison %d does not exist here", *c)
		return
	}
	if !x.dec {
		x.set(it, 0, uint64(*c&7))
		x.set(it, 1, uint64(*c>>3&1))
	}
}

// codeExtra transfers a field of unknown meaning.
func codeExtra(x *xfer, it *item) {
	keep := uint32(1)<<it.width - 1 // of 32 bits all
	if x.dec {
		x.in.Extra |= (uint32(x.get(it, 0)) ^ it.def) << it.shift
	} else {
		x.set(it, 0, uint64((x.in.Extra>>it.shift&keep)^it.def))
	}
}

// codeSImm is an immediate that is negative if its top bit is set.
func codeSImm(x *xfer, it *item) {
	if x.dec {
		x.in.Imm = uint32(signExtend(x.get(it, 0), it.width))
		return
	}
	v := int32(x.in.Imm)
	if v != signExtend(uint64(x.in.Imm), it.width) {
		x.fail("%d does not fit %d signed bits", v, it.width)
		return
	}
	x.set(it, 0, uint64(x.in.Imm)&(1<<it.width-1))
}

func codeTargetOffset(x *xfer, it *item) {
	if x.dec {
		x.in.Target = signExtend(x.get(it, 0), it.width)
		return
	}
	t := x.in.Target
	if t != signExtend(uint64(uint32(t)), it.width) {
		x.fail("branch offset %d does not fit %d signed bits", t, it.width)
		return
	}
	x.set(it, 0, uint64(uint32(t))&(1<<it.width-1))
}

func signExtend(v uint64, n uint8) int32 { return int32(uint32(v)<<(32-n)) >> (32 - n) }
