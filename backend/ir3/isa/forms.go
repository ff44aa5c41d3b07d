package isa

// form applies the rules that tie several fields together, in both
// directions. Decoding runs it after the simple fields, encoding before them.
func (x *xfer) form(info *opInfo) {
	switch info.form {
	case formMov:
		x.mov()
	case formSwz:
		x.swz()
	case formALU, formBary:
		x.alu(info)
	case formMad:
		x.mad(info.half)
	case formAlt:
		x.alt()
	case formDot:
		x.dot()
	case formWmm:
		x.wmm()
	case formSFU:
		x.sfu()
	case formTex:
		x.tex(info)
	case formMem:
		if x.in.Op == OpStsc {
			x.imm(fSrc1, &x.in.Srcs[0])
		}
	case formIbo:
		x.ibo()
		x.desc()
	case formDesc:
		x.desc()
	case formAlias:
		x.alias()
	}
	if info.data != 0 {
		x.data(info.data, x.in.Type.Half() && !(x.in.Op.IsAtomic() && x.in.Type == U64))
	}
}

// setHalf gives an operand its size when decoding.
func (x *xfer) setHalf(o *Operand, half bool) {
	if !x.dec {
		return
	}
	o.Flags &^= Half
	if half && o.Kind != None {
		o.Flags |= Half
	}
}

func (x *xfer) data(which dataOperand, half bool) {
	if which&dataDst != 0 {
		x.setHalf(&x.in.Dst, half)
	}
	if which&dataSrc1 != 0 {
		x.setHalf(&x.in.Srcs[0], half)
	}
	if which&dataSrc2 != 0 {
		x.setHalf(&x.in.Srcs[1], half && x.in.Srcs[1].Kind == Reg)
	}
}

func (x *xfer) imm(id fieldID, o *Operand) {
	if x.dec {
		*o = I(int32(x.r[id]))
	} else {
		x.r[id] = uint64(uint32(o.Val))
	}
}

func (x *xfer) bit(id fieldID, p *bool) {
	switch {
	case x.dec:
		*p = x.r[id] != 0
	case *p:
		x.r[id] = 1
	default:
		x.r[id] = 0
	}
}

func halfCat1(t Type) bool { return t.Half() || t == U8x32 }

// mov is the operand part of mov, cov, mova and mova1.
func (x *xfer) mov() {
	in := x.in
	switch {
	case !x.dec:
	case in.Op == OpMova:
		in.Dst, in.Type, in.SrcType = R(A0), S16, S16
	case in.Op == OpMova1:
		in.Dst, in.Type, in.SrcType = R(A1), U16, U16
	case (in.Op == OpMov) != (in.Type == in.SrcType):
		x.bad = true
	}
	x.movSrc()
	if in.Op == OpMov || in.Op == OpCov {
		if x.dec && x.r[fDstRel] != 0 {
			in.Dst.Kind = RelReg
		} else if !x.dec {
			x.r[fDstRel] = 0
			if in.Dst.Kind == RelReg {
				x.r[fDstRel] = 1
			}
		}
		x.setHalf(&in.Dst, halfCat1(in.Type))
	}
	if in.Srcs[0].Kind != Imm {
		x.setHalf(&in.Srcs[0], halfCat1(in.SrcType))
	}
}

const lastBit = 1 << 10

func (x *xfer) movSrc() {
	o := &x.in.Srcs[0]
	if x.dec {
		v := x.r[fSrc1]
		switch {
		case x.r[fSrcKind] == 2:
			*o = I(int32(uint32(v)))
		case x.r[fSrcKind] == 1 && v>>11 == 0:
			*o = C(int(v))
		case x.r[fSrcKind] == 0:
			x.regOrRel(o, v, 11)
			x.bad = x.bad || v>>12 != 0
		default:
			x.bad = true
		}
	} else {
		x.r[fSrcKind] = 0
		switch o.Kind {
		case Imm:
			x.r[fSrcKind], x.r[fSrc1] = 2, uint64(uint32(o.Val))
		case Const:
			x.r[fSrcKind], x.r[fSrc1] = 1, uint64(o.Val)&0x7ff
		default:
			x.r[fSrc1] = encRegOrRel(o, 11)
		}
	}
	x.opFlag(fR1, o, Rpt)
}

// regOrRel decodes a register, or a relative operand if the bit relBit is
// set. The bits above it are the caller's.
func (x *xfer) regOrRel(o *Operand, v uint64, relBit uint) {
	switch {
	case v>>relBit&1 != 0 && v&lastBit != 0:
		*o = RelC(int(signExtend(v&0x3ff, 10)))
	case v>>relBit&1 != 0:
		*o = Rel(int(signExtend(v&0x3ff, 10)))
	default:
		*o = R(int(v & 0xff))
		if v&lastBit != 0 {
			o.Flags = Last
		}
		x.bad = x.bad || v&0x300 != 0
	}
}

func encRegOrRel(o *Operand, relBit uint) uint64 {
	switch {
	case o.Kind == RelReg:
		return 1<<relBit | uint64(o.Val)&0x3ff
	case o.Kind == RelConst:
		return 1<<relBit | lastBit | uint64(o.Val)&0x3ff
	case o.Flags&Last != 0:
		return lastBit | uint64(o.Val)&0xff
	}
	return uint64(o.Val) & 0xff
}

func (x *xfer) swz() {
	in := x.in
	d, s := halfCat1(in.Type), halfCat1(in.SrcType)
	x.setHalf(&in.Dst, d)
	dsts := [4]bool{2: in.Op == OpSwz}
	if in.Op == OpSct {
		dsts = [4]bool{1: true, 2: true, 3: true}
	}
	for i := range in.Srcs {
		h := s
		if dsts[i] {
			h = d
		}
		x.setHalf(&in.Srcs[i], h)
	}
}

// multi is the 16-bit source of categories 2 and 4.
func (x *xfer) multi(id fieldID, o *Operand, half bool) {
	if !x.dec {
		x.r[id] = encMulti(o)
		return
	}
	v := x.r[id]
	switch kind := v >> 11 & 7; {
	case kind == 0 || kind == 1:
		x.regOrRel(o, v, 11)
	case kind&3 == 2:
		*o = C(int(v & 0x7ff))
	case kind == 4:
		*o = I(signExtend(v&0x7ff, 11))
	case kind == 5:
		*o = F(int(v & 0x3ff))
		x.bad = x.bad || v>>10&1 != 0 != half || o.Val >= int32(len(flutNames))
	default:
		x.bad = true
	}
	if v&(1<<14) != 0 {
		o.Flags |= Neg
	}
	if v&(1<<15) != 0 {
		o.Flags |= Abs
	}
	x.setHalf(o, half)
}

func encMulti(o *Operand) uint64 {
	v := uint64(0)
	switch o.Kind {
	case Const:
		v = 2<<11 | uint64(o.Val)&0x7ff
	case Imm:
		v = 4<<11 | uint64(o.Val)&0x7ff
	case FLUT:
		v = 5<<11 | uint64(o.Val)&0x3ff
		if o.IsHalf() {
			v |= lastBit
		}
	default:
		v = encRegOrRel(o, 11)
	}
	if o.Flags&Neg != 0 {
		v |= 1 << 14
	}
	if o.Flags&Abs != 0 {
		v |= 1 << 15
	}
	return v
}

// sizes transfers FULL and the conversion bit: the destination is half iff
// FULL equals the bit, and never above r60.
func (x *xfer) sizes(srcHalf *bool) {
	full := !*srcHalf
	x.bit(fFull, &full)
	*srcHalf = !full
	x.conv(full)
}

func (x *xfer) conv(full bool) {
	dst := &x.in.Dst
	if x.dec {
		x.setHalf(dst, full == (x.r[fConv] != 0) && dst.Val <= 0xf7)
		return
	}
	c := dst.IsHalf() == full && dst.Val <= 0xf7
	x.bit(fConv, &c)
}

// nops transfers the (r) bits of src1 and src2, which count the nops after
// an instruction that is not repeated.
func (x *xfer) nops(a, b *Operand, never bool) {
	in := x.in
	if !x.dec {
		x.opFlag(fR1, a, Rpt)
		x.opFlag(fR2, b, Rpt)
		if in.Repeat == 0 && !never {
			x.r[fR1], x.r[fR2] = uint64(in.Nop)&1, uint64(in.Nop)>>1
		}
		return
	}
	if in.Repeat == 0 && !never {
		in.Nop = uint8(x.r[fR1] | x.r[fR2]<<1)
		return
	}
	x.opFlag(fR1, a, Rpt)
	if b.Kind != None {
		x.opFlag(fR2, b, Rpt)
	}
}

func (x *xfer) alu(info *opInfo) {
	in := x.in
	half := in.Srcs[0].IsHalf()
	x.sizes(&half)
	x.multi(fSrc1, &in.Srcs[0], half)
	for _, f := range info.layout {
		if f.id == fSrc2 {
			x.multi(fSrc2, &in.Srcs[1], half)
		}
	}
	x.nops(&in.Srcs[0], &in.Srcs[1], info.form == formBary)
}

// src13 is a 13-bit category 3 source; imm says that bit 12 marks an
// immediate and not a const.
func (x *xfer) src13(id fieldID, o *Operand, half, imm bool) {
	if x.dec {
		v := x.r[id]
		switch {
		case v>>12 != 0 && imm:
			*o = I(int32(v & 0xfff))
			half = false
		case v>>12 != 0:
			*o = C(int(v & 0x7ff))
			x.bad = x.bad || v>>11&1 != 0
		default:
			x.regOrRel(o, v, 11)
		}
		x.setHalf(o, half)
		return
	}
	switch o.Kind {
	case Imm:
		x.r[id] = 1<<12 | uint64(o.Val)&0xfff
	case Const:
		x.r[id] = 1<<12 | uint64(o.Val)&0x7ff
	default:
		x.r[id] = encRegOrRel(o, 11)
	}
}

// cat3 transfers what all category 3 forms share.
func (x *xfer) cat3(half, imm bool) {
	s := &x.in.Srcs
	x.src13(fSrc1, &s[0], half, imm)
	x.setHalf(&s[1], half)
	x.src13(fSrc3, &s[2], half, imm)
	x.nops(&s[0], &s[1], false)
	x.opFlag(fR3, &s[2], Rpt)
}

func (x *xfer) negs() {
	s := &x.in.Srcs
	x.opFlag(fNeg1, &s[0], Neg)
	x.opFlag(fNeg2, &s[1], Neg)
	x.opFlag(fNeg3, &s[2], Neg)
}

func (x *xfer) mad(half bool) {
	x.cat3(half, false)
	x.negs()
	x.conv(!half)
}

func (x *xfer) alt() {
	half := x.in.Srcs[1].IsHalf()
	x.sizes(&half)
	x.cat3(half, true)
	x.negs()
}

func (x *xfer) dot() {
	x.cat3(false, false)
	x.opFlag(fNeg3, &x.in.Srcs[2], Neg)
}

func (x *xfer) wmm() {
	in := x.in
	full, dstFull := !in.Srcs[1].IsHalf(), !in.Dst.IsHalf()
	x.bit(fFull, &full)
	x.bit(fDstFull, &dstFull)
	x.cat3(!full, true)
	x.setHalf(&in.Dst, !dstFull)
	x.opFlag(fNeg1, &in.Srcs[0], Neg)
	x.opFlag(fNeg2, &in.Srcs[1], Neg)
}

func (x *xfer) sfu() {
	in := x.in
	half := in.Srcs[0].IsHalf()
	x.sizes(&half)
	x.multi(fSrc1, &in.Srcs[0], half)
	x.opFlag(fR1, &in.Srcs[0], Rpt)
}

// tex is category 5: source vectors, and where the descriptors come from.
func (x *xfer) tex(info *opInfo) {
	in := x.in
	half := in.Srcs[0].IsHalf()
	full := !half && in.Srcs[0].Kind != None
	x.bit(fFull, &full)
	if x.dec && info.typed || info.nsrc > 0 {
		x.setHalf(&in.Dst, in.Type.Half())
	}
	if in.Op == OpIsam {
		no := in.Flags&Tex1D == 0
		x.bit(fInv1D, &no)
		if x.dec && !no {
			in.Flags |= Tex1D
		}
	}
	src2 := info.nsrc > 1 || in.Flags&(TexO|TexClp) != 0
	x.bad = x.bad || in.Flags&TexO != 0 && (info.nsrc == 0 || in.Op == OpIsam && in.Flags&TexP != 0)
	switch {
	case in.Op == OpIsam && in.Flags&TexP != 0:
		if x.dec {
			in.Off = in.Srcs[1].Val
			in.Srcs[1] = Operand{}
		} else {
			in.Srcs[1].Val = in.Off
		}
	case x.dec && !src2:
		in.Srcs[1] = Operand{}
	}
	if x.dec && info.nsrc == 0 {
		in.Srcs[0] = Operand{}
	}
	x.setHalf(&in.Srcs[0], !full)
	x.setHalf(&in.Srcs[1], !full)
	if info.tex {
		x.texIndex(info)
	}
}

// Category 5 descriptor modes by their code.
var texModes = [8]Mode{TexUniform, TexBindlessA1, TexBindlessNonu, TexBindlessA1Nonu, TexNonuniform, TexBindlessUniform,
	TexBindlessImm, TexBindlessA1Imm}

// bindless reports whether a category 5 mode names a descriptor set.
func (m Mode) bindless() bool { return m > TexUniform && m != TexNonuniform }

// OneDescriptor reports whether all fibers of a texture instruction find the same numbers in its registers: the hardware looks at
// those of one.
func (m Mode) OneDescriptor() bool {
	return m == TexUniform || m == TexBindlessA1 || m == TexBindlessUniform
}

func (x *xfer) texIndex(info *opInfo) {
	if x.dec {
		x.decTexIndex(info)
		return
	}
	in := x.in
	if in.Mode == TexDirect {
		x.r[fTexHi] = uint64(in.Samp)&15 | uint64(in.Tex)&127<<4
		return
	}
	x.r[fS2EN] = 1
	code := uint64(0)
	for i, m := range texModes {
		if m == in.Mode {
			code = uint64(i)
		}
	}
	v := uint64(in.Srcs[2].Val) & 0xff
	switch {
	case in.Mode == TexBindlessImm:
		v = uint64(in.Samp)&15 | uint64(in.Tex)&15<<4
	case in.Mode == TexBindlessA1Imm:
		v = uint64(in.Samp | in.Tex)
	}
	x.r[fTexHi] = v | code<<8
	if in.Mode.bindless() {
		x.r[fBaseLo], x.r[fBaseHi] = uint64(in.Set-1)&1, uint64(in.Set-1)>>1
	}
}

func (x *xfer) decTexIndex(info *opInfo) {
	in := x.in
	v := x.r[fTexHi]
	if x.r[fS2EN] == 0 {
		in.Mode, in.Samp, in.Tex = TexDirect, uint8(v&15), uint8(v>>4&127)
	} else {
		in.Mode = texModes[v>>8]
		v &= 0xff
		switch in.Mode {
		case TexBindlessImm:
			in.Samp, in.Tex = uint8(v&15), uint8(v>>4)
		case TexBindlessA1Imm:
			x.a1Imm(uint8(v))
		default:
			in.Srcs[2] = R(int(v))
			x.bad = x.bad || v == A1 // its text would be the a1.x mode
			x.setHalf(&in.Srcs[2], !in.Mode.bindless())
		}
		if in.Mode.bindless() {
			in.Set = int8(x.r[fBaseLo]|x.r[fBaseHi]<<1) + 1
		}
	}
	if !info.samp && in.Mode != TexBindlessA1Imm {
		in.Samp = 0
	}
}

// a1Imm keeps the 8-bit index of the a1 form in Tex: its meaning, texture or
// sampler, depends on the generation, which fields do not know.
func (x *xfer) a1Imm(v uint8) { x.in.Tex = v }

func (x *xfer) ibo() {
	in := x.in
	if x.dec {
		if x.r[fHasOff] != 0 {
			in.Off = int32(x.r[fOff5] | x.r[fOff2]<<5)
		} else {
			x.bad = x.bad || x.r[fOff5]|x.r[fOff2] != 0
		}
		return
	}
	if in.Off != 0 {
		x.r[fHasOff], x.r[fOff5], x.r[fOff2] = 1, uint64(in.Off)&31, uint64(in.Off)>>5&3
	}
}

// desc is the descriptor mode and set of category 6; the index is the last
// source in use.
func (x *xfer) desc() {
	in := x.in
	last := 0
	for last < 3 && in.Srcs[last+1].Kind != None {
		last++
	}
	if !x.dec {
		x.r[fMode] = uint64(in.Mode)
		if in.Set > 0 {
			x.r[fBindless], x.r[fBase] = 1, uint64(in.Set-1)&7
		}
		return
	}
	in.Mode = Mode(x.r[fMode])
	x.bad = x.bad || in.Mode > ModeNonuniform
	if in.Mode == ModeImm {
		in.Srcs[last].Kind = Imm
	}
	if x.r[fBindless] != 0 {
		in.Set = int8(x.r[fBase]) + 1
	}
}

func (x *xfer) alias() {
	in := x.in
	if !x.dec {
		x.encAlias()
		return
	}
	in.Scope = uint8(x.r[fScopeLo] | x.r[fScopeHi]<<1)
	half := x.r[fSize32] == 0
	in.Type = [4]Type{F16, U16, F32, U32}[x.r[fBits]|x.r[fSize32]<<1]
	v := x.r[fSrc1]
	switch x.r[fSrcKind] {
	case 0:
		in.Srcs[0] = R(int(v & 0xff))
	case 1:
		in.Srcs[0] = C(int(v & 0x7ff))
	default:
		in.Srcs[0] = I(int32(uint32(v)))
	}
	x.bad = x.bad || x.r[fSrcKind] == 3 || x.r[fSrcKind] == 0 && v>>8 != 0 || x.r[fSrcKind] == 1 && v>>11 != 0
	x.setHalf(&in.Srcs[0], half && in.Srcs[0].Kind != Imm)
	x.setHalf(&in.Dst, half)
	if in.Scope == 1 {
		x.bad = x.bad || in.Dst.Val > 31
		in.Dst = Operand{Kind: RT, Val: in.Dst.Val}
	}
}

func (x *xfer) encAlias() {
	in := x.in
	x.r[fScopeLo], x.r[fScopeHi] = uint64(in.Scope)&1, uint64(in.Scope)>>1
	isBits, is32 := !in.Type.Float(), !in.Type.Half()
	x.bit(fBits, &isBits)
	x.bit(fSize32, &is32)
	x.r[fSrc1] = uint64(uint32(in.Srcs[0].Val))
	switch in.Srcs[0].Kind {
	case Const:
		x.r[fSrcKind] = 1
	case Imm:
		x.r[fSrcKind] = 2
	}
}
