package passes

import "nirc/ir"

var lowerALUToScalarPass = &Pass{
	Name: "lower_alu_to_scalar", Withstands: ChangeFacts | ChangeRemoval, For: ir.HasWide, Class: "A", Run: lowerALUToScalar, Idempotent: true,
	Doc: "Splits vector ALU operations into scalar ones joined by a vecN, and horizontal operations (dot products, all/any, packs of vectors) into chains. " +
		"Output: every ALU operation but mov of vectors' making (vecN) has one component.",
}

func lowerALUToScalar(_ *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		b := impl.Builder(ir.AtStart(impl.Start()))
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if !splits(in) {
					continue // most: the pass runs often
				}
				if v := scalarALU(b.AtInstr(in), in); v != nil {
					in.Def.RewriteUses(v)
					in.Remove()
					changed = true
				}
			}
		}
		return changed
	}), nil
}

// splits reports whether an instruction is an operation of vectors, other than what makes them.
func splits(in *ir.Instr) bool {
	return in.Kind == ir.KindALU && !in.IsVec() && (in.Def.NumComponents > 1 || in.Op.Info().Horizontal())
}

func scalarALU(b *ir.Builder, in *ir.Instr) *ir.Def {
	if in.Op.Info().Horizontal() {
		return horizontalALU(b, in)
	}
	n := int(in.Def.NumComponents)
	if n == 1 {
		return nil
	}
	parts := make([]*ir.Def, n)
	for i := range parts {
		s := b.Shader.NewALU(in.Op, 1, in.Def.BitSize)
		srcs := make([]*ir.Def, len(in.Srcs))
		for k := range in.Srcs {
			srcs[k] = in.Srcs[k].Def
		}
		b.Shader.SetSrcs(s, srcs...)
		for k := range in.Srcs {
			s.Srcs[k].Swizzle = ir.Broadcast(in.Srcs[k].Swizzle.Lane(i))
		}
		s.Exact, s.FastMath, s.NoSignedWrap, s.NoUnsignedWrap = in.Exact, in.FastMath, in.NoSignedWrap, in.NoUnsignedWrap
		s.Relaxed = in.Relaxed
		b.Insert(s)
		parts[i] = &s.Def
	}
	return b.Vec(parts...)
}

// horizontalOps give for each reduction the operation per lane (OpMov: none)
// and the one that joins.
type reduction struct{ lane, join ir.Op }

func reductionOf(op ir.Op) (reduction, bool) {
	switch op {
	case ir.OpFdot2, ir.OpFdot3, ir.OpFdot4, ir.OpFdot5, ir.OpFdot8, ir.OpFdot16,
		ir.OpFdot2Replicated, ir.OpFdot3Replicated, ir.OpFdot4Replicated, ir.OpFdot5Replicated, ir.OpFdot8Replicated, ir.OpFdot16Replicated:
		return reduction{ir.OpFmul, ir.OpFadd}, true
	case ir.OpFsum3, ir.OpFsum4:
		return reduction{ir.OpMov, ir.OpFadd}, true
	case ir.OpBallFequal2, ir.OpBallFequal3, ir.OpBallFequal4, ir.OpBallFequal5, ir.OpBallFequal8, ir.OpBallFequal16:
		return reduction{ir.OpFeq, ir.OpIand}, true
	case ir.OpBanyFnequal2, ir.OpBanyFnequal3, ir.OpBanyFnequal4, ir.OpBanyFnequal5, ir.OpBanyFnequal8, ir.OpBanyFnequal16:
		return reduction{ir.OpFneu, ir.OpIor}, true
	case ir.OpBallIequal2, ir.OpBallIequal3, ir.OpBallIequal4, ir.OpBallIequal5, ir.OpBallIequal8, ir.OpBallIequal16:
		return reduction{ir.OpIeq, ir.OpIand}, true
	case ir.OpBanyInequal2, ir.OpBanyInequal3, ir.OpBanyInequal4, ir.OpBanyInequal5, ir.OpBanyInequal8, ir.OpBanyInequal16:
		return reduction{ir.OpIne, ir.OpIor}, true
	}
	return reduction{}, false
}

// lastIsOne reports whether the last component that source k reads is the float 1.
func lastIsOne(in *ir.Instr, k int) bool {
	src := &in.Srcs[k]
	d, c := src.Def, src.Swizzle.Lane(in.SrcComps(k)-1)
	if v := d.Instr; v.IsVec() {
		d, c = v.Srcs[c].Def, v.Srcs[c].Swizzle.Lane(0)
	}
	x, ok := d.Const(c)
	return ok && x == ir.FloatBits(1, d.BitSize)
}

func horizontalALU(b *ir.Builder, in *ir.Instr) *ir.Def {
	if r, ok := reductionOf(in.Op); ok {
		n := in.SrcComps(0)
		// Where rounding is free, a last component of 1 starts the sum of a dot
		// product: the rest is a chain of multiply-adds then.
		backward := r.lane == ir.OpFmul && !in.Exact && (lastIsOne(in, 0) || lastIsOne(in, 1))
		v := chain(b, n, r.join, func(i int) *ir.Def {
			if backward {
				i = n - 1 - i
			}
			if r.lane == ir.OpMov {
				return lane(b, in, 0, i)
			}
			return b.ALU(r.lane, lane(b, in, 0, i), lane(b, in, 1, i))
		})
		if in.Def.NumComponents > 1 {
			return b.Swizzle(v, make([]int, in.Def.NumComponents)...)
		}
		return v
	}
	if in.Op == ir.OpFdph {
		dot := chain(b, 3, ir.OpFadd, func(i int) *ir.Def { return b.Fmul(lane(b, in, 0, i), lane(b, in, 1, i)) })
		return b.Fadd(dot, lane(b, in, 1, 3))
	}
	return scalarPack(b, in)
}

// normFormats are the packs with scaling: lanes, bits a lane, signed.
func normFormat(op ir.Op) (lanes, bits int, signed, pack, ok bool) {
	switch op {
	case ir.OpPackSnorm2x16:
		return 2, 16, true, true, true
	case ir.OpPackUnorm2x16:
		return 2, 16, false, true, true
	case ir.OpPackSnorm4x8:
		return 4, 8, true, true, true
	case ir.OpPackUnorm4x8:
		return 4, 8, false, true, true
	case ir.OpUnpackSnorm2x16:
		return 2, 16, true, false, true
	case ir.OpUnpackUnorm2x16:
		return 2, 16, false, false, true
	case ir.OpUnpackSnorm4x8:
		return 4, 8, true, false, true
	case ir.OpUnpackUnorm4x8:
		return 4, 8, false, false, true
	}
	return 0, 0, false, false, false
}

func scalarNorm(b *ir.Builder, in *ir.Instr) *ir.Def {
	lanes, bits, signed, pack, ok := normFormat(in.Op)
	if !ok {
		return scalarIntPack(b, in)
	}
	scale := float64(uint(1)<<bits - 1)
	if signed {
		scale = float64(uint(1)<<(bits-1) - 1)
	}
	if pack {
		mask := b.Imm32(uint32(1)<<bits - 1)
		var r *ir.Def
		for i := 0; i < lanes; i++ {
			x := lane(b, in, 0, i)
			var q *ir.Def
			if signed {
				x = b.Fmin(b.Fmax(x, b.ImmFloat(-1, x.BitSize)), b.ImmFloat(1, x.BitSize))
				q = b.Iand(b.F2i32(b.FroundEven(b.Fmul(x, b.ImmFloat(scale, x.BitSize)))), mask)
			} else {
				q = b.F2u32(b.FroundEven(b.Fmul(b.Fsat(x), b.ImmFloat(scale, x.BitSize))))
			}
			if i > 0 {
				q = b.Ior(r, b.Ishl(q, b.Imm32(uint32(i*bits))))
			}
			r = q
		}
		return r
	}
	x := lane(b, in, 0, 0)
	parts := make([]*ir.Def, lanes)
	for i := range parts {
		if signed {
			v := b.Ishr(b.Ishl(x, b.Imm32(uint32(32-bits*(i+1)))), b.Imm32(uint32(32-bits)))
			parts[i] = b.Fmax(b.Fdiv(b.I2f32(v), b.ImmFloat(scale, 32)), b.ImmFloat(-1, 32))
		} else {
			v := b.Iand(b.Ushr(x, b.Imm32(uint32(bits*i))), b.Imm32(uint32(1)<<bits-1))
			parts[i] = b.Fdiv(b.U2f32(v), b.ImmFloat(scale, 32))
		}
	}
	return b.Vec(parts...)
}

func scalarIntPack(b *ir.Builder, in *ir.Instr) *ir.Def {
	switch in.Op {
	case ir.OpPackUint2x16:
		m := b.Imm32(0xffff)
		return b.Ior(b.Umin(lane(b, in, 0, 0), m), b.Ishl(b.Umin(lane(b, in, 0, 1), m), b.Imm32(16)))
	case ir.OpPackSint2x16:
		clamp := func(i int) *ir.Def {
			return b.Imin(b.Imax(lane(b, in, 0, i), b.ImmInt(-32768, 32)), b.ImmInt(32767, 32))
		}
		return b.Ior(b.Iand(clamp(0), b.Imm32(0xffff)), b.Ishl(clamp(1), b.Imm32(16)))
	}
	return nil
}
