package passes

import "nirc/ir"

// lane reads component i of source k through its swizzle.
func lane(b *ir.Builder, in *ir.Instr, k, i int) *ir.Def {
	return b.Channel(in.Srcs[k].Def, in.Srcs[k].Swizzle.Lane(i))
}

// chain joins per-lane values by a binary operation, first lane first.
func chain(b *ir.Builder, n int, join ir.Op, f func(i int) *ir.Def) *ir.Def {
	r := f(0)
	for i := 1; i < n; i++ {
		r = b.ALU(join, r, f(i))
	}
	return r
}

// scalarPack writes packs of a vector and unpacks to a vector as operations on
// scalars.
func scalarPack(b *ir.Builder, in *ir.Instr) *ir.Def {
	l := func(i int) *ir.Def { return lane(b, in, 0, i) }
	switch in.Op {
	case ir.OpPack64_2x32:
		return b.Pack64_2x32Split(l(0), l(1))
	case ir.OpUnpack64_2x32:
		return b.Vec(b.Unpack64_2x32SplitX(l(0)), b.Unpack64_2x32SplitY(l(0)))
	case ir.OpPack32_2x16:
		return b.Pack32_2x16Split(l(0), l(1))
	case ir.OpUnpack32_2x16:
		return b.Vec(b.Unpack32_2x16SplitX(l(0)), b.Unpack32_2x16SplitY(l(0)))
	case ir.OpPack64_4x16:
		return b.Pack64_2x32Split(b.Pack32_2x16Split(l(0), l(1)), b.Pack32_2x16Split(l(2), l(3)))
	case ir.OpUnpack64_4x16:
		x, y := b.Unpack64_2x32SplitX(l(0)), b.Unpack64_2x32SplitY(l(0))
		return b.Vec(b.Unpack32_2x16SplitX(x), b.Unpack32_2x16SplitY(x), b.Unpack32_2x16SplitX(y), b.Unpack32_2x16SplitY(y))
	case ir.OpPackHalf2x16:
		return b.PackHalf2x16Split(l(0), l(1))
	case ir.OpUnpackHalf2x16:
		return b.Vec(b.UnpackHalf2x16SplitX(l(0)), b.UnpackHalf2x16SplitY(l(0)))
	case ir.OpPackUvec2ToUint:
		return b.Ior(b.Iand(l(0), b.Imm32(0xffff)), b.Ishl(l(1), b.Imm32(16)))
	case ir.OpPackUvec4ToUint:
		r := l(0)
		for i := 1; i < 4; i++ {
			r = b.Ior(r, b.Ishl(l(i), b.Imm32(uint32(8*i))))
		}
		return r
	case ir.OpPack32_4x8:
		r := b.U2u32(l(0))
		for i := 1; i < 4; i++ {
			r = b.Ior(r, b.Ishl(b.U2u32(l(i)), b.Imm32(uint32(8*i))))
		}
		return r
	case ir.OpUnpack32_4x8:
		parts := make([]*ir.Def, 4)
		for i := range parts {
			parts[i] = b.U2u8(b.Ushr(l(0), b.Imm32(uint32(8*i))))
		}
		return b.Vec(parts...)
	}
	return scalarNorm(b, in)
}

// widen does an operation on integers in more bits.
func widen(b *ir.Builder, in *ir.Instr, to uint8) *ir.Def {
	info := in.Op.Info()
	srcs := make([]*ir.Def, len(in.Srcs))
	bits := in.OpBits()
	for k, t := range info.In {
		v := srcValue(b, in, k)
		switch {
		case t.Bits == 32 && (in.Op == ir.OpIshl || in.Op == ir.OpIshr || in.Op == ir.OpUshr):
			v = b.Iand(v, b.Imm32(uint32(bits-1)))
		case t.Bits != 0:
		case t.Class == ir.ClassInt:
			v = resizeInt(b, v, to)
		default:
			v = resizeUint(b, v, to)
		}
		srcs[k] = v
	}
	r := b.ALUInstr(in.Op, srcs...)
	if info.Out.Bits != 0 {
		return &r.Def
	}
	return resizeUint(b, &r.Def, bits)
}

// resizeInt sign-extends or truncates.
func resizeInt(b *ir.Builder, v *ir.Def, bits uint8) *ir.Def {
	switch {
	case v.BitSize == bits:
		return v
	case bits == 8:
		return b.I2i8(v)
	case bits == 16:
		return b.I2i16(v)
	case bits == 32:
		return b.I2i32(v)
	}
	return b.I2i64(v)
}

// srcValue is ALU source k as a value of its own, swizzle applied.
func srcValue(b *ir.Builder, in *ir.Instr, k int) *ir.Def {
	n := in.SrcComps(k)
	sel := make([]int, n)
	for i := range sel {
		sel[i] = in.Srcs[k].Swizzle.Lane(i)
	}
	return b.Swizzle(in.Srcs[k].Def, sel...)
}

// vectorExtract builds val[index] by selects; an index beyond reads the last component.
func vectorExtract(b *ir.Builder, val, index *ir.Def) *ir.Def {
	n := int(val.NumComponents)
	if k, ok := index.Const(0); ok {
		return b.Channel(val, min(int(k), n-1))
	}
	r := b.Channel(val, n-1)
	for i := n - 2; i >= 0; i-- {
		r = b.Bcsel(b.Ieq(index, b.ImmInt(int64(i), index.BitSize)), b.Channel(val, i), r)
	}
	return r
}

// resizeUint converts an unsigned value or a boolean to the given size.
func resizeUint(b *ir.Builder, v *ir.Def, bits uint8) *ir.Def {
	from, to := ir.ClassUint, ir.ALUType{Class: ir.ClassUint, Bits: bits}
	if v.BitSize == 1 {
		from = ir.ClassBool
	}
	if bits == 1 {
		to.Class = ir.ClassBool
	}
	return ConvertType(b, v, from, to)
}

func boolBits(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// scalarValue follows moves from a scalar.
func scalarValue(d *ir.Def, c int) (*ir.Def, int) {
	for d.Instr.IsALU(ir.OpMov) {
		s := &d.Instr.Srcs[0]
		d, c = s.Def, s.Swizzle.Lane(c)
	}
	return d, c
}

// undefAtStart makes an undef at the start of the function, where it
// dominates everything.
func undefAtStart(impl *ir.Impl, comps, bits uint8) *ir.Def {
	u := impl.Shader.NewUndef(comps, bits)
	ir.AtStart(impl.Start()).Insert(u)
	return &u.Def
}

// vecOf builds the vector of the given scalar sources (a value and a
// component each) at b, or the value itself if they are all of one.
func vecOf(b *ir.Builder, defs []*ir.Def, comps []int) *ir.Def {
	same := true
	for i := range defs {
		same = same && defs[i] == defs[0] && comps[i] == i
	}
	if same && int(defs[0].NumComponents) == len(defs) {
		return defs[0]
	}
	if len(defs) == 1 {
		return b.Channel(defs[0], comps[0])
	}
	in := b.Shader.NewALU(ir.VecOp(len(defs)), uint8(len(defs)), defs[0].BitSize, defs...)
	for i := range in.Srcs {
		in.Srcs[i].Swizzle = ir.Broadcast(comps[i])
	}
	return &b.Insert(in).Def
}

// blend builds the vector that has the channels of mask from val and the others from old.
func blend(b *ir.Builder, old, val *ir.Def, mask uint64) *ir.Def {
	n := int(val.NumComponents)
	if mask&(1<<n-1) == 1<<n-1 {
		return val
	}
	var defs [16]*ir.Def
	var comps [16]int
	for i := 0; i < n; i++ {
		defs[i], comps[i] = old, i
		if mask>>i&1 != 0 {
			defs[i] = val
		}
	}
	return vecOf(b, defs[:n], comps[:n])
}

// builderBefore returns a builder right before in whose instructions take in's
// place in the source but not its float properties.
func builderBefore(in *ir.Instr) *ir.Builder {
	b := ir.NewBuilder(ir.Before(in))
	b.Shader.SetLoc(in.Loc)
	return b
}

// choiceLoc is the place of code that stands for a phi after an if: the phi's
// if it comes from the source, else the condition's.
func choiceLoc(phi *ir.Instr, x *ir.If) uint32 {
	if phi.Loc != 0 {
		return phi.Loc
	}
	return x.Cond.Def.Instr.Loc
}

// copyALU puts a copy of an ALU instruction at the builder's cursor, with its
// swizzles, flags and place in the source.
func copyALU(b *ir.Builder, in *ir.Instr) *ir.Instr {
	var srcs [16]*ir.Def
	for i := range in.Srcs {
		srcs[i] = in.Srcs[i].Def
	}
	c := b.Shader.NewALU(in.Op, in.Def.NumComponents, in.Def.BitSize, srcs[:len(in.Srcs)]...)
	for i := range in.Srcs {
		c.Srcs[i].Swizzle = in.Srcs[i].Swizzle
	}
	c.Exact, c.FastMath, c.NoSignedWrap, c.NoUnsignedWrap, c.Loc = in.Exact, in.FastMath, in.NoSignedWrap, in.NoUnsignedWrap, in.Loc
	return b.Insert(c)
}
