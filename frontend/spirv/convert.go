package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Conversions by the result's size: 1, 8, 16, 32, 64.
var (
	i2iOps = [5]ir.Op{ir.OpI2i1, ir.OpI2i8, ir.OpI2i16, ir.OpI2i32, ir.OpI2i64}
	u2uOps = [5]ir.Op{ir.OpU2u1, ir.OpU2u8, ir.OpU2u16, ir.OpU2u32, ir.OpU2u64}
	f2iOps = [5]ir.Op{ir.OpF2i1, ir.OpF2i8, ir.OpF2i16, ir.OpF2i32, ir.OpF2i64}
	f2uOps = [5]ir.Op{ir.OpF2u1, ir.OpF2u8, ir.OpF2u16, ir.OpF2u32, ir.OpF2u64}
	i2fOps = [5]ir.Op{2: ir.OpI2f16, 3: ir.OpI2f32, 4: ir.OpI2f64}
	u2fOps = [5]ir.Op{2: ir.OpU2f16, 3: ir.OpU2f32, 4: ir.OpU2f64}
	f2fOps = [5]ir.Op{2: ir.OpF2f16, 3: ir.OpF2f32, 4: ir.OpF2f64}
)

func intResize(bits uint8, signed bool) ir.Op {
	if signed {
		return i2iOps[ir.SizeIndex(bits)]
	}
	return u2uOps[ir.SizeIndex(bits)]
}

// conversion says what a conversion becomes, by the result's size, and whether operand and result are floats.
type conversion struct {
	ops      *[5]ir.Op
	from, to bool
}

func conversionOf(op spv.Op) (c conversion, ok bool) {
	switch op {
	case spv.OpConvertFToU:
		return conversion{&f2uOps, true, false}, true
	case spv.OpConvertFToS:
		return conversion{&f2iOps, true, false}, true
	case spv.OpConvertSToF:
		return conversion{&i2fOps, false, true}, true
	case spv.OpConvertUToF:
		return conversion{&u2fOps, false, true}, true
	case spv.OpUConvert:
		return conversion{&u2uOps, false, false}, true
	case spv.OpSConvert:
		return conversion{&i2iOps, false, false}, true
	case spv.OpFConvert:
		return conversion{&f2fOps, true, true}, true
	}
	return c, false
}

// convert translates the conversions and reports whether the instruction was one.
func (t *translator) convert(in *inst) bool {
	if t.roundedConversion(in) {
		return true
	}
	if c, ok := conversionOf(in.op); ok {
		x := t.vector(t.arg(in, 0))
		t.set(in, t.converted(in, c, x, t.valType(in.args[0]), t.typeOf(in.typ)))
		return true
	}
	switch in.op {
	case spv.OpBitcast:
		t.bitcast(in)
		return true
	case spv.OpConvertPtrToU, spv.OpConvertUToPtr:
		t.pointerConvert(in)
		return true
	}
	return false
}

// converted is x, of type from, as one of type to.
func (t *translator) converted(in *inst, c conversion, x *ir.Def, from, to *typ) *ir.Def {
	if !to.numeric() || to.isFloat() != c.to || from.isFloat() != c.from || to.isBool() || x.BitSize == 1 {
		t.fail(in.id, "%s: the types do not fit the conversion", in.op)
	}
	bits := to.scalarType().bits
	switch {
	case from.scalarType().encoding != 0 || to.scalarType().encoding != 0:
		return t.narrowConvert(in, c, x, from.scalarType(), to.scalarType())
	case in.op == spv.OpFConvert && bits == 16:
		return t.toHalf(in, x)
	case x.BitSize == bits && c.from == c.to:
		return t.f.b.Mov(x)
	}
	return t.f.b.ALU(c.ops[ir.SizeIndex(bits)], x)
}

// fromBrain is the float of 32 bits that bfloat16 is the upper half of, toBrain rounds one to nearest even.
func (t *translator) fromBrain(x *ir.Def) *ir.Def {
	return t.f.b.Ishl(t.f.b.U2u32(x), t.f.b.Imm32(16))
}

func (t *translator) toBrain(x *ir.Def) *ir.Def {
	b := t.f.b
	even := b.Iand(b.Ushr(x, b.Imm32(16)), b.Imm32(1))
	round := b.Iadd(x, b.Iadd(even, b.Imm32(0x7fff)))
	quiet := b.Ior(x, b.Imm32(1<<22))
	return b.ALU(ir.OpU2u16, b.Ushr(b.Bcsel(b.Fneu(x, x), quiet, round), b.Imm32(16)))
}

// toHalf converts to 16-bit float by the rounding decoration of the result.
func (t *translator) toHalf(in *inst, x *ir.Def) *ir.Def {
	b := t.f.b
	if x.BitSize == 16 {
		return b.Mov(x)
	}
	op := ir.OpF2f16
	if i := t.m.DefIndex(spv.ID(in.id)); i >= 0 {
		if m, ok := t.decOf(i, spv.DecorationFPRoundingMode); ok {
			switch spv.FPRoundingMode(m) {
			case spv.FPRoundingModeRTE:
				op = ir.OpF2f16Rtne
			case spv.FPRoundingModeRTZ:
				op = ir.OpF2f16Rtz
			default:
				t.broken(ruleRounding, in.id, "the rounding mode %s", spv.FPRoundingMode(m))
			}
		}
	}
	return b.ALU(op, x)
}

// bitcast translates OpBitcast: between numbers of the same total size, and
// between physical pointers and integers.
func (t *translator) bitcast(in *inst) {
	ty := t.typeOf(in.typ)
	id := t.arg(in, 0)
	from := t.valType(id)
	if ty.kind == tPointer || from.kind == tPointer {
		t.pointerConvert(in)
		return
	}
	if !ty.numeric() || ty.isBool() || !from.numeric() || from.isBool() {
		t.fail(in.id, "%s between %s and %s is not allowed", in.op, from, ty)
	}
	n, bits := ty.shape()
	x := t.one(id)
	if int(n)*int(bits) != int(x.NumComponents)*int(x.BitSize) {
		t.fail(in.id, "%s between %s and %s, which differ in size", in.op, from, ty)
	}
	if bits == x.BitSize {
		t.set(in, t.f.b.Mov(x))
		return
	}
	t.set(in, t.repack(x, bits))
}

// repack reads the bits of a vector as components of another size, the lowest
// component in the lowest bits.
func (t *translator) repack(x *ir.Def, bits uint8) *ir.Def {
	b := t.f.b
	var out []*ir.Def
	if bits < x.BitSize {
		for k := range int(x.NumComponents) {
			out = t.split(out, b.Channel(x, k), bits)
		}
		return b.Vec(out...)
	}
	per := int(bits / x.BitSize)
	for k := 0; k < int(x.NumComponents); k += per {
		out = append(out, t.join(b.Channels(x, k, per), bits))
	}
	return b.Vec(out...)
}

// split appends the parts of a scalar.
func (t *translator) split(out []*ir.Def, x *ir.Def, bits uint8) []*ir.Def {
	b := t.f.b
	var v *ir.Def
	switch {
	case x.BitSize == 64 && bits == 32:
		v = b.Unpack64_2x32(x)
	case x.BitSize == 64 && bits == 16:
		v = b.Unpack64_4x16(x)
	case x.BitSize == 64:
		w := b.Unpack64_2x32(x)
		return t.split(t.split(out, b.Channel(w, 0), bits), b.Channel(w, 1), bits)
	case x.BitSize == 32 && bits == 16:
		v = b.Unpack32_2x16(x)
	case x.BitSize == 32:
		v = b.Unpack32_4x8(x)
	default: // 16 to 8
		return append(out, b.U2u8(x), b.U2u8(b.Ushr(x, t.f.u32(8))))
	}
	for k := range int(v.NumComponents) {
		out = append(out, b.Channel(v, k))
	}
	return out
}

// join makes one scalar of a vector's bits.
func (t *translator) join(v *ir.Def, bits uint8) *ir.Def {
	b := t.f.b
	switch {
	case bits == 64 && v.BitSize == 32:
		return b.Pack64_2x32(v)
	case bits == 64 && v.BitSize == 16:
		return b.Pack64_4x16(v)
	case bits == 64:
		t.fail(0, "a vector of 8-bit components cannot become a 64-bit number")
	case bits == 32 && v.BitSize == 16:
		return b.Pack32_2x16(v)
	case bits == 32:
		return b.Pack32_4x8(v)
	}
	hi := b.Ishl(b.U2u16(b.Channel(v, 1)), t.f.u32(8))
	return b.Ior(b.U2u16(b.Channel(v, 0)), hi)
}

// pointerConvert translates conversions between physical pointers and integers.
func (t *translator) pointerConvert(in *inst) {
	ty := t.typeOf(in.typ)
	id := t.arg(in, 0)
	from := t.valType(id)
	if t.kernel {
		t.kernelConvert(in, from, ty)
		return
	}
	for _, p := range []*typ{ty, from} {
		if p.kind == tPointer && p.sc != spv.StorageClassPhysicalStorageBuffer {
			t.fail(in.id, "%s of a pointer that is not physical is not allowed", in.op)
		}
	}
	ok := from.isLeaf() && !from.opaque() && (from.kind == tPointer || ty.kind == tPointer) &&
		(from.kind == tPointer || from.isInt()) && (ty.kind == tPointer || ty.numeric() && ty.isInt())
	switch in.op {
	case spv.OpConvertPtrToU:
		ok = ok && from.kind == tPointer && ty.isScalar()
	case spv.OpConvertUToPtr:
		ok = ok && ty.kind == tPointer && from.isScalar()
	}
	if !ok {
		t.fail(in.id, "%s between %s and %s is not allowed", in.op, from, ty)
	}
	x := t.one(id)
	_, bits := ty.shape()
	switch {
	case x.NumComponents > 1 || ty.kind == tVector:
		if n, _ := ty.shape(); int(n)*int(bits) != int(x.NumComponents)*int(x.BitSize) {
			t.fail(in.id, "%s between %s and %s, which differ in size", in.op, from, ty)
		}
		x = t.repack(x, bits)
	default:
		x = t.resize(x, bits, false)
	}
	if ty.untyped {
		t.setPointer(in, t.newPointer(pointer{mode: ir.ModeGlobal, addr: x}))
		return
	}
	if ty.kind == tPointer {
		p := t.pointee(ty)
		t.checkLayout(p)
		t.setPointer(in, t.newPointer(pointer{typ: p, mode: ir.ModeGlobal, addr: x, stride: ty.stride}))
		return
	}
	t.set(in, t.f.b.Mov(x))
}
