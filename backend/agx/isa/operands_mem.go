package isa

// The operands of memory, texture, fragment and vertex instructions
// (agx.md §2.6 to 2.8).

// codeVec is a run of as many registers as the mask has components. Without
// components there is none, whatever the register fields say.
func codeVec(x *xfer, it *item) {
	n := components(x.in.Mask)
	if n == 0 && (x.dec && x.get(it, 0)|x.get(it, 1) == 0 || !x.dec && *x.opnd(it) == (Operand{})) {
		return
	}
	x.sizedRun(it, n)
}

// codeVec4 is a run of four registers.
func codeVec4(x *xfer, it *item) { x.sizedRun(it, 4) }

// optional transfers a register that is only there if field 1 says so.
func (x *xfer) optional(it *item, present int, code func()) {
	o := x.opnd(it)
	if x.dec && x.get(it, present) == 0 || !x.dec && *o == (Operand{}) {
		return
	}
	code()
	if !x.dec {
		x.set(it, present, 1)
	}
}

// codeAtomicDst is the 32-bit old value, if wanted (Rt).
func codeAtomicDst(x *xfer, it *item) { x.optional(it, 1, func() { x.register(it, 32, 1) }) }

// codeGroupDst is the old value of a threadgroup atomic, if wanted (Ra).
func codeGroupDst(x *xfer, it *item) { x.optional(it, 2, func() { x.sizedRun(it, 1) }) }

// codeAtomicData is the operand of an atomic: new value and comparand for
// cmpxchg.
func codeAtomicData(x *xfer, it *item) {
	n := 1
	if AtomicOp(x.in.Mode) == AtomicCmpXchg {
		n = 2
	}
	x.register(it, 32, n)
}

// choice transfers an operand that is a uniform (field 1 set) or a register.
func (x *xfer) choice(it *item, size, count, scale int) {
	o := x.opnd(it)
	if x.dec {
		*o = regRun(x.get(it, 0)*uint64(scale), size, count)
		if x.get(it, 1) != 0 {
			o.Kind = Uniform
		}
		x.checkRun(o)
		return
	}
	if o.Kind != Reg && o.Kind != Uniform || int(o.Size) != size || int(o.Count) != count || o.Flags != 0 ||
		int(o.Val)%scale != 0 {
		x.fail("%s cannot be encoded here", *o)
		return
	}
	x.checkRun(o)
	if x.err != nil {
		return
	}
	x.set(it, 0, uint64(int(o.Val)/scale))
	if o.Kind == Uniform {
		x.set(it, 1, 1)
	}
}

func codeBase64(x *xfer, it *item)   { x.choice(it, 64, 1, 1) }
func codeAsyncPtr(x *xfer, it *item) { x.choice(it, 64, 1, 1) }

// codeAsyncDesc is an async copy's descriptor: 3 or, for 2D, 5 registers.
func codeAsyncDesc(x *xfer, it *item) { x.choice(it, 32, 3+2*int(x.in.Mode), 2) }

// codeIndex32 is a memory index: 32-bit register or signed immediate.
func codeIndex32(x *xfer, it *item) { codeIndex(x, it, 32) }

// codeGroupIndex is a threadgroup memory index: 16-bit register or immediate.
func codeGroupIndex(x *xfer, it *item) { codeIndex(x, it, 16) }

func codeIndex(x *xfer, it *item, bits int) {
	o := x.opnd(it)
	if x.dec {
		if v := x.get(it, 0); x.get(it, 1) != 0 {
			*o = I(int(int16(v)))
		} else {
			*o = regRun(v, bits, 1)
			x.checkRun(o)
		}
		return
	}
	switch {
	case *o == I(int(int16(o.Val))):
		x.set(it, 0, uint64(uint16(o.Val)))
		x.set(it, 1, 1)
	case o.isReg(bits, 1):
		x.register(it, bits, 1)
	default:
		x.fail("%s is neither a %d-bit register nor a signed 16-bit immediate", *o, bits)
	}
}

// codeGroupBase is a threadgroup memory base: register, uniform or zero.
func codeGroupBase(x *xfer, it *item) {
	o := x.opnd(it)
	if x.dec {
		switch v, t := x.get(it, 0), x.get(it, 1); t {
		case 0:
			*o = regRun(v, 16, 1)
		case 2:
			*o = I(0)
		default:
			*o = uniRun(v|t>>1<<8, 16, 1)
		}
		return
	}
	x.checkRun(o)
	switch {
	case x.err != nil:
	case *o == I(0):
		x.set(it, 1, 2)
	case o.isReg(16, 1) && o.Flags == 0:
		x.set(it, 0, uint64(o.Val))
	case *o == UH(int(o.Val)):
		x.set(it, 0, uint64(o.Val&255))
		x.set(it, 1, 1|uint64(o.Val>>8)<<1)
	default:
		x.fail("%s is no threadgroup base", *o)
	}
}

// either transfers a number of kind k (field 1 is immCode) or a 16-bit
// register (field 1 is the other of 0 and 1).
func (x *xfer) either(it *item, k Kind, immCode uint64) {
	o := x.opnd(it)
	if x.dec {
		switch x.get(it, 1) {
		case immCode:
			*o = Operand{Kind: k, Val: int32(x.get(it, 0))}
		case 1 - immCode:
			*o = regRun(x.get(it, 0), 16, 1)
		default:
			x.fail("operand type %d does not exist here", x.get(it, 1))
		}
		return
	}
	x.checkRun(o)
	switch {
	case x.err != nil:
	case *o == Operand{Kind: k, Val: o.Val} && o.Val >= 0:
		x.set(it, 0, uint64(o.Val))
		x.set(it, 1, immCode)
	case *o == H(int(o.Val)):
		x.set(it, 0, uint64(o.Val))
		x.set(it, 1, 1-immCode)
	default:
		x.fail("%s cannot be encoded here", *o)
	}
}

func codeSampler(x *xfer, it *item)  { x.either(it, SS, 0) }
func codeCF(x *xfer, it *item)       { x.either(it, CF, 0) }
func codeUVS(x *xfer, it *item)      { x.either(it, Imm, 1) }
func codeImageLod(x *xfer, it *item) { x.either(it, Imm, 1) }

// codeTileSamples is the sample mask of tile instructions, codeSamples that of
// sample_mask and zs_emit.
func codeTileSamples(x *xfer, it *item) { x.either(it, Imm, 0) }
func codeSamples(x *xfer, it *item)     { x.either(it, Imm, 1) }

// codeSampleNumber exists with the two sample interpolations only.
func codeSampleNumber(x *xfer, it *item) {
	switch x.in.Interp {
	case InterpSample:
		x.plain(it, Imm, 1)
	case InterpSampleRegister:
		x.register(it, 16, 1)
	default:
		x.absent(it)
	}
}

func (x *xfer) absent(it *item) {
	if !x.dec && *x.opnd(it) != (Operand{}) {
		x.fail("there can be none in this form")
	}
}

// codeTexture: Tt 0 state register, 1 state number in a half register, 3
// bindless offset in a 32-bit register (then there is a heap).
func codeTexture(x *xfer, it *item) {
	o := x.opnd(it)
	if x.dec {
		switch v := x.get(it, 0); x.get(it, 1) {
		case 0:
			*o = Operand{Kind: TS, Val: int32(v)}
		case 1:
			*o = regRun(v, 16, 1)
		case 3:
			*o = regRun(v, 32, 1)
			x.checkRun(o)
		default:
			x.fail("texture operand type 2 is unknown")
		}
		return
	}
	switch {
	case *o == Operand{Kind: TS, Val: o.Val} && o.Val >= 0:
		x.set(it, 0, uint64(o.Val))
	case o.isReg(16, 1):
		x.register(it, 16, 1)
		x.set(it, 1, 1)
	case o.isReg(32, 1):
		x.register(it, 32, 1)
		x.set(it, 1, 3)
	default:
		x.fail("%s is no texture operand", *o)
	}
}

// codeHeap is the bindless heap's address; field 1 is the texture's type.
func codeHeap(x *xfer, it *item) {
	o := x.opnd(it)
	if x.dec {
		if x.get(it, 1) == 3 {
			codeHeapUniform(x, it)
		}
		return
	}
	if *o == (Operand{}) {
		return
	}
	codeHeapUniform(x, it)
}

// coordShape is the register run of coordinates of a dimension: 32-bit
// coordinates, or 16-bit ones. A layer or sample index takes one half more, so
// runs that have one are counted in halves. (The run of 32-bit 2d_ms_array
// coordinates is one half short in the reference's text; its layer is the high
// half of the last register.)
func coordShape(d Dim, short bool) (size, count int) {
	n, extra := d.Coords()
	switch {
	case !extra && short:
		return 16, n
	case !extra:
		return 32, n
	case !short:
		return 16, 2*n + 1
	case d == Dim2DMSArray:
		return 16, n + 2
	}
	return 16, n + 1
}

// codeCoords is the coordinate run: field 1 is the discard hint, field 2 tells
// 16-bit coordinates.
func codeCoords(x *xfer, it *item) {
	o := x.opnd(it)
	if x.dec {
		short := x.get(it, 2) != 0
		size, n := coordShape(x.in.Dim, short)
		*o = regRun(x.get(it, 0), size, n)
		x.checkCoords(o, short)
		if x.get(it, 1) != 0 {
			o.Flags = Discard
		}
		return
	}
	for short := uint64(0); short < 2; short++ {
		size, n := coordShape(x.in.Dim, short != 0)
		if !o.isReg(size, n) || o.Flags&^Discard != 0 {
			continue
		}
		x.checkCoords(o, short != 0)
		if x.err == nil {
			x.set(it, 0, uint64(o.Val))
			x.set(it, 1, uint64(o.Flags/Discard))
			x.set(it, 2, short)
		}
		return
	}
	x.fail("%s are no coordinates of %s", *o, x.in.Dim)
}

func (x *xfer) checkCoords(o *Operand, short bool) {
	x.checkRun(o)
	if !short && o.Val&1 != 0 {
		x.fail("32-bit coordinates cannot start at half %d", o.Val)
	}
}

// codeLodOperand is the level of detail operand.
func codeLodOperand(x *xfer, it *item) {
	switch x.in.Lod {
	case LodAuto:
		x.plain(it, Imm, 1)
		if x.opnd(it).Val != 0 {
			x.fail("auto_lod takes no operand")
		}
	case LodBiasUniform, LodMinUniform:
		x.lowUniforms(it, 1)
	case LodBiasMinUniform:
		x.lowUniforms(it, 2)
	case LodBiasMin:
		x.register(it, 16, 2)
	case LodGrad, LodGradMin:
		n, _ := x.in.Dim.Coords()
		x.register(it, 32, 2*n+int(x.in.Lod>>3))
	default:
		x.register(it, 16, 1)
	}
}

// lowUniforms transfers n uniform halves below 256.
func (x *xfer) lowUniforms(it *item, n int) {
	o := x.opnd(it)
	if x.dec {
		*o = uniRun(x.get(it, 0), 16, n)
	} else if o.Kind != Uniform || o.Size != 16 || int(o.Count) != n || o.Flags != 0 || o.Val < 0 || int(o.Val)+n > 256 {
		x.fail("%s is no uniform half below 256", *o)
		return
	}
	if x.dec && int(o.Val)+n > 256 {
		x.fail("%s leaves the lower uniforms", *o)
	}
	if !x.dec {
		x.set(it, 0, uint64(o.Val))
	}
}

// codeCompareOffset holds a 32-bit depth reference, a half with texel offsets,
// or both (three halves then). Field 1 says that there are offsets.
func codeCompareOffset(x *xfer, it *item) {
	o := x.opnd(it)
	compare := x.in.Flags&Compare != 0
	offset := x.dec && x.get(it, 1) != 0 || !x.dec && o.Size == 16
	if !x.dec && offset {
		x.set(it, 1, 1)
	}
	switch {
	case !compare && !offset:
		x.absent(it)
	case !offset:
		x.register(it, 32, 1)
	case !compare:
		x.register(it, 16, 1)
	default:
		x.register(it, 16, 3)
		if o.Val&1 != 0 {
			x.fail("a depth reference cannot start at half %d", o.Val)
		}
	}
}

// codeBlockOffset is the 32-bit register of which image_write_block reads the
// low half; the text names that half.
func codeBlockOffset(x *xfer, it *item) { x.register(it, 16, 1) }

// codeVarying is the destination of iter: field 1 is 32-bit, field 2 the count
// (0 means 4).
func codeVarying(x *xfer, it *item) { x.varyings(it, 1) }

// codeCoefficients is the destination of ldcf: three registers each.
func codeCoefficients(x *xfer, it *item) { x.varyings(it, 3) }

func (x *xfer) varyings(it *item, each int) {
	o := x.opnd(it)
	if x.dec {
		n := int(x.get(it, 2))
		if n == 0 {
			n = 4
		}
		x.sizedRun(it, n*each)
		return
	}
	n := int(o.Count) / each
	if n < 1 || n > 4 || n*each != int(o.Count) {
		x.fail("%s: it takes 1 to 4 values of %d registers", *o, each)
		return
	}
	x.sizedRun(it, n*each)
	x.set(it, 2, uint64(n&3))
}

// codeDepthStencil: field 1 tells a depth (32 bits), field 2 a stencil (16
// bits after it); the run is counted in halves.
func codeDepthStencil(x *xfer, it *item) {
	o := x.opnd(it)
	n := 0
	if x.dec {
		n = int(x.get(it, 1)*2 + x.get(it, 2))
	} else if n = int(o.Count); n >= 1 && n <= 3 {
		x.set(it, 1, uint64(n>>1))
		x.set(it, 2, uint64(n&1))
	}
	if n == 0 || n > 3 {
		x.fail("it takes a depth, a stencil or both")
		return
	}
	x.register(it, 16, n)
	if n > 1 && o.Val&1 != 0 {
		x.fail("a depth cannot start at half %d", o.Val)
	}
}
