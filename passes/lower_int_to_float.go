package passes

import (
	"math"
	"math/bits"

	"nirc/internal/lazy"
	"nirc/ir"
	"nirc/passes/analysis"
)

var lowerIntToFloatPass = &Pass{
	Name: "lower_int_to_float", Class: "C", Run: lowerIntToFloat,
	Instead: "hardware: all targets compute with integers; it stays for those that compute with floats alone, before lower_bool_to_float(ints=true)",
	Doc: "Computes with floats what the shader computes with integers of 32 bits: sums, products, quotients and remainders, minima, comparisons, shifts, masks of low bits, conversions; what is moved, selected or merged " +
		"on the way stays a float. Values come as integers from intrinsics and textures, and go to them as such, by conversions. Right for values below 2^24 in magnitude; shifts to the right and masks are of values that are not negative or, if signed, floor. " +
		"Other operations on integers, and integers of other sizes, are refused. Input: SSA, derefs lowered. Runs once.",
}

// floatForms are the operations that do on floats what others do on integers.
var floatForms = lazy.Value[map[ir.Op]ir.Op]{Make: func() map[ir.Op]ir.Op {
	return map[ir.Op]ir.Op{
		ir.OpIadd: ir.OpFadd, ir.OpIsub: ir.OpFsub, ir.OpImul: ir.OpFmul, ir.OpAmul: ir.OpFmul, ir.OpImul24: ir.OpFmul, ir.OpUmul24: ir.OpFmul, ir.OpImad: ir.OpFfma,
		ir.OpIneg: ir.OpFneg, ir.OpIabs: ir.OpFabs, ir.OpIsign: ir.OpFsign, ir.OpImin: ir.OpFmin, ir.OpUmin: ir.OpFmin, ir.OpImax: ir.OpFmax, ir.OpUmax: ir.OpFmax,
		ir.OpIlt: ir.OpFlt, ir.OpUlt: ir.OpFlt, ir.OpIge: ir.OpFge, ir.OpUge: ir.OpFge, ir.OpIeq: ir.OpFeq, ir.OpIne: ir.OpFneu,
		ir.OpB2i32: ir.OpB2f32, ir.OpF2i32: ir.OpFtrunc, ir.OpF2u32: ir.OpFtrunc, ir.OpI2f32: ir.OpMov, ir.OpU2f32: ir.OpMov, ir.OpI2f16: ir.OpF2f16, ir.OpU2f16: ir.OpF2f16,
		ir.OpI2i32: ir.OpMov, ir.OpU2u32: ir.OpMov,
	}
}}

// builtForms are those of which floats need several operations.
var builtForms = lazy.Value[map[ir.Op]func(b *ir.Builder, x, y *ir.Def) *ir.Def]{Make: func() map[ir.Op]func(b *ir.Builder, x, y *ir.Def) *ir.Def {
	return map[ir.Op]func(b *ir.Builder, x, y *ir.Def) *ir.Def{
		ir.OpIdiv: func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Ftrunc(b.Fdiv(x, y)) },
		ir.OpUdiv: func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Ftrunc(b.Fdiv(x, y)) },
		ir.OpIrem: func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fsub(x, b.Fmul(y, b.Ftrunc(b.Fdiv(x, y)))) },
		ir.OpUmod: func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fsub(x, b.Fmul(y, b.Ftrunc(b.Fdiv(x, y)))) },
		ir.OpImod: func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fsub(x, b.Fmul(y, b.Ffloor(b.Fdiv(x, y)))) },
		ir.OpIshl: func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fmul(x, powerOf2(b, y, 1)) },
		ir.OpIshr: func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Ffloor(b.Fmul(x, powerOf2(b, y, -1))) },
		ir.OpUshr: func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Ffloor(b.Fmul(x, powerOf2(b, y, -1))) },
	}
}}

// powerOf2 is 2 to the power of sign times y.
func powerOf2(b *ir.Builder, y *ir.Def, sign int) *ir.Def {
	if n, ok := y.Const(0); ok && y.NumComponents == 1 {
		return b.ImmFloat(math.Ldexp(1, sign*int(ir.FloatValue(n, 32))), 32)
	}
	if sign < 0 {
		y = b.Fneg(y)
	}
	return b.Fexp2(y)
}

// intFloat is the pass on one function. Flags of an instruction that gives an integer as a float are 1.
type intFloat struct {
	s       *ir.Shader
	types   []analysis.SSAType
	refused error
}

func lowerIntToFloat(_ *Context, s *ir.Shader) (bool, error) {
	l := &intFloat{s: s}
	progress := eachImpl(s, ir.MetaControlFlow, l.impl)
	return progress, l.refused
}

func (l *intFloat) impl(impl *ir.Impl) bool {
	l.types = analysis.SSATypes(impl)
	var list, phis []*ir.Instr
	for in := range impl.Instrs() {
		in.Flags = 0
		if in.Kind == ir.KindPhi {
			phis = append(phis, in)
			if l.isInt(&in.Def) {
				in.Flags = 1
			}
			continue
		}
		list = append(list, in)
	}
	changed := false
	for _, in := range list {
		changed = l.instr(in) || changed
		if l.refused != nil {
			return false
		}
	}
	for _, phi := range phis {
		for i := range phi.Srcs {
			src := &phi.Srcs[i]
			if held := src.Def.Instr.Flags; held != phi.Flags {
				b := ir.NewBuilder(ir.BeforeJump(phi.PhiInfo().Preds[i]))
				src.Set(l.form(b, src.Def, phi.Flags == 1, ir.ClassInt))
				changed = true
			}
		}
	}
	return changed
}

// isInt reports whether a value of 32 bits is read and made as an integer alone.
func (l *intFloat) isInt(d *ir.Def) bool {
	return d.BitSize == 32 && int(d.Index) < len(l.types) && l.types[d.Index] == analysis.TypeInt
}

// form gives a value as a float or as an integer, of what class that is.
func (l *intFloat) form(b *ir.Builder, d *ir.Def, asFloat bool, class ir.TypeClass) *ir.Def {
	switch {
	case asFloat == (d.Instr.Flags == 1):
		return d
	case !asFloat:
		return b.F2i32(d)
	case d.IsConst():
		values := make([]uint64, d.NumComponents)
		for i := range values {
			v, _ := d.Const(i)
			values[i] = ir.FloatBits(float64(int32(uint32(v))), 32)
			if class == ir.ClassUint {
				values[i] = ir.FloatBits(float64(uint32(v)), 32)
			}
		}
		c := b.Const(32, values...)
		c.Instr.Flags = 1
		return c
	case class == ir.ClassUint:
		d = b.U2f32(d)
	default:
		d = b.I2f32(d)
	}
	d.Instr.Flags = 1
	return d
}

// instr brings an instruction's sources into the form that it takes, and makes it one on floats.
func (l *intFloat) instr(in *ir.Instr) bool {
	b := builderBefore(in)
	moves := in.Kind == ir.KindALU && (in.Op == ir.OpMov || in.IsVec() || in.Op == ir.OpBcsel)
	if in.Kind != ir.KindALU || moves && !l.isInt(&in.Def) || !moves && !onIntegers(in) {
		return l.sources(b, in, func(int) bool { return false })
	}
	if moves {
		first := 0
		if in.Op == ir.OpBcsel {
			first = 1
		}
		l.sources(b, in, func(i int) bool { return i >= first })
		in.Flags = 1
		return true
	}
	return l.operation(b, in)
}

// onIntegers reports whether an ALU operation reads or makes an integer.
func onIntegers(in *ir.Instr) bool {
	info := in.Op.Info()
	isInt := func(c ir.TypeClass, bits uint8) bool { return (c == ir.ClassInt || c == ir.ClassUint) && bits != 1 }
	for i := range in.Srcs {
		if isInt(info.In[i].Class, in.Srcs[i].Def.BitSize) {
			return true
		}
	}
	return isInt(info.Out.Class, in.Def.BitSize)
}

// sources brings the sources into form: as floats where asked, else as what they were.
func (l *intFloat) sources(b *ir.Builder, in *ir.Instr, asFloat func(i int) bool) (changed bool) {
	for i := range in.Srcs {
		class := ir.ClassInt
		if in.Kind == ir.KindALU {
			class = in.Op.Info().In[i].Class
		}
		if d := l.form(b, in.Srcs[i].Def, asFloat(i), class); d != in.Srcs[i].Def {
			in.Srcs[i].Set(d)
			changed = true
		}
	}
	return changed
}

// operation makes an operation on integers one on floats.
func (l *intFloat) operation(b *ir.Builder, in *ir.Instr) bool {
	info, is1 := in.Op.Info(), in.Def.BitSize == 1
	op, simple := floatForms.Get()[in.Op]
	build := builtForms.Get()[in.Op]
	mask := maskWidth(in)
	for i := range in.Srcs {
		if c := info.In[i].Class; (c == ir.ClassInt || c == ir.ClassUint) && in.Srcs[i].Def.BitSize != 32 || c == ir.ClassFloat && in.Srcs[i].Def.BitSize != 32 {
			simple, build, mask = false, nil, 0
		}
	}
	if !simple && build == nil && mask == 0 || info.Out.Class != ir.ClassFloat && !is1 && in.Def.BitSize != 32 {
		l.refused = refusal(l.s, in, in.Op.String()+" of integers that are floats")
		return false
	}
	l.sources(b, in, func(i int) bool { return info.In[i].Class == ir.ClassInt || info.In[i].Class == ir.ClassUint })
	if simple {
		in.Op = op
		if info.Out.Class == ir.ClassInt || info.Out.Class == ir.ClassUint {
			in.Flags = 1
		}
		return true
	}
	b.Exact = true // a reciprocal's rounding would change quotients
	x, y := srcValue(b, in, 0), srcValue(b, in, 1)
	var v *ir.Def
	if build != nil {
		v = build(b, x, y)
	} else {
		wide := b.ImmFloat(math.Ldexp(1, mask), 32)
		v = b.Fsub(x, b.Fmul(wide, b.Ffloor(b.Fmul(x, b.ImmFloat(math.Ldexp(1, -mask), 32)))))
	}
	v.Instr.Flags = 1
	in.Def.RewriteUses(v)
	in.Remove()
	return true
}

// maskWidth is n of an iand with 2^n - 1 in all components as its second source, else 0.
func maskWidth(in *ir.Instr) int {
	if in.Op != ir.OpIand || !in.Srcs[1].Def.IsConst() {
		return 0
	}
	first, _ := in.Srcs[1].Const(0)
	for i := range in.SrcComps(1) {
		if v, _ := in.Srcs[1].Const(i); v != first {
			return 0
		}
	}
	if n := bits.Len64(first); first == 1<<n-1 && n < 24 {
		return n
	}
	return 0
}
