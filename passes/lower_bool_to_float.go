package passes

import (
	"slices"

	"nirc/internal/lazy"
	"nirc/ir"
)

var lowerBoolToFloatPass = &Pass{
	Name: "lower_bool_to_float", Class: "C", Run: lowerBoolToFloat,
	Instead: "hardware: all targets have integers and masks or predicates for booleans; it stays for those that compute with floats alone",
	Doc: "Makes 1-bit booleans floats of 32 bits, 0.0 or 1.0: comparisons of floats become set-on operations, logic products and maxima, bcsel fcsel. Conditions of ifs and of intrinsics are floats then. " +
		"Comparisons of integers stay and are converted, or are set-on operations too where integers are floats by then. Selections of other sizes than 32 bits keep a 1-bit condition. Input: one function in SSA. Runs once, after the rules for 1-bit booleans.",
	Options: []Option{{"ints", "integers are floats by now: compare them as such", false}},
}

// setOn are comparisons as operations that give 1.0 or 0.0; those after the first four are of integers.
var setOn = []struct{ compare, set ir.Op }{
	{ir.OpFlt, ir.OpSlt}, {ir.OpFge, ir.OpSge}, {ir.OpFeq, ir.OpSeq}, {ir.OpFneu, ir.OpSne},
	{ir.OpIlt, ir.OpSlt}, {ir.OpIge, ir.OpSge}, {ir.OpUlt, ir.OpSlt}, {ir.OpUge, ir.OpSge}, {ir.OpIeq, ir.OpSeq}, {ir.OpIne, ir.OpSne},
}

// boolFloat makes the booleans of a shader floats.
type boolFloat struct {
	s       *ir.Shader
	ints    bool
	refused error
}

func lowerBoolToFloat(c *Context, s *ir.Shader) (bool, error) {
	l := boolFloat{s: s, ints: c.Bool("ints")}
	for _, f := range s.Functions {
		for i := range f.Params {
			if f.Params[i].BitSize == 1 {
				return false, optionError("booleans among the parameters of functions: inline_functions comes before it")
			}
		}
	}
	progress := eachImpl(s, ir.MetaControlFlow, l.impl)
	return progress, l.refused
}

func (l *boolFloat) impl(impl *ir.Impl) bool {
	var list []*ir.Instr
	changed := false
	for in := range impl.Instrs() {
		if in.Kind == ir.KindIntrinsic && in.HasDef() && slices.ContainsFunc(in.Srcs, func(x ir.Src) bool { return x.Def.BitSize == 1 }) {
			l.refused = refusal(l.s, in, in.Intr.String()+" of a boolean that is a float")
			return false
		}
		if in.Flags = 0; readsBool(in) {
			in.Flags = 1 // its sources get wider before it is looked at
		}
		if in.Flags != 0 || in.HasDef() && in.Def.BitSize == 1 {
			list = append(list, in)
		}
	}
	// What makes booleans comes before what reads them; phis are widened alike.
	for _, in := range list {
		if l.refused == nil && l.instr(in) {
			changed = true
		}
	}
	return changed
}

// readsBool reports whether an ALU operation has a source that is a boolean.
func readsBool(in *ir.Instr) bool {
	if in.Kind != ir.KindALU {
		return false
	}
	for i := range in.Srcs {
		if in.Srcs[i].Def.BitSize == 1 {
			return true
		}
	}
	return false
}

func (l *boolFloat) instr(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindALU:
		return l.alu(in)
	case ir.KindLoadConst:
		for i, v := range in.Imm {
			in.Imm[i] = ir.FloatBits(float64(v&1), 32)
		}
	case ir.KindUndef, ir.KindPhi:
	default: // an intrinsic gives a boolean: it is converted
		if in.Kind != ir.KindIntrinsic || in.Intr == ir.IntrDeclReg || in.Intr == ir.IntrLoadReg || in.Intr == ir.IntrLoadDeref {
			l.refused = refusal(l.s, in, "a boolean in a variable or a register")
			return false
		}
		return l.convert(in)
	}
	in.Def.BitSize = 32
	return true
}

// convert puts a float after an instruction that gives a boolean.
func (l *boolFloat) convert(in *ir.Instr) bool {
	if in.Def.Unused() {
		return false
	}
	b := ir.NewBuilder(ir.After(in))
	b.Shader.SetLoc(in.Loc)
	v := b.B2f32(&in.Def)
	in.Def.RewriteUsesAfter(v, v.Instr)
	return true
}

// converted are the operations that take floats where others take booleans.
var converted = lazy.Value[map[ir.Op]ir.Op]{Make: func() map[ir.Op]ir.Op {
	return map[ir.Op]ir.Op{ir.OpB2f32: ir.OpMov, ir.OpB2f16: ir.OpF2f16, ir.OpB2f64: ir.OpF2f64, ir.OpB2i8: ir.OpF2i8, ir.OpB2i16: ir.OpF2i16, ir.OpB2i32: ir.OpF2i32, ir.OpB2i64: ir.OpF2i64,
		ir.OpIand: ir.OpFmul, ir.OpIor: ir.OpFmax, ir.OpIxor: ir.OpSne, ir.OpIeq: ir.OpSeq, ir.OpIne: ir.OpSne, ir.OpB2b1: ir.OpMov, ir.OpMov: ir.OpMov}
}}

func (l *boolFloat) alu(in *ir.Instr) bool {
	is1 := in.Def.BitSize == 1
	if in.Flags == 0 {
		return l.comparison(in)
	}
	switch op, ok := converted.Get()[in.Op]; {
	case ok:
		in.Op = op
	case in.IsVec():
	case in.Op == ir.OpInot:
		b, x := builderBefore(in), in.Srcs[0]
		ones := make([]uint64, in.Def.NumComponents)
		for i := range ones {
			ones[i] = ir.FloatBits(1, 32)
		}
		not := b.ALUInstr(ir.OpSne, b.Const(32, ones...), b.Const(32, ones...)) // not x is x other than 1
		not.Srcs[0].Set(x.Def)
		not.Srcs[0].Swizzle = x.Swizzle
		in.Def.RewriteUses(&not.Def)
		in.Remove()
		return true
	case in.Op == ir.OpBcsel && (is1 || in.Def.BitSize == 32):
		in.Op = ir.OpFcsel
	case in.Op == ir.OpBcsel:
		b := builderBefore(in)
		in.Srcs[0].Set(b.Fneu(in.Srcs[0].Def, b.Const(32, make([]uint64, in.Srcs[0].Def.NumComponents)...)))
		return true
	default:
		l.refused = refusal(l.s, in, in.Op.String()+" of booleans as floats")
		return false
	}
	if is1 {
		in.Def.BitSize = 32
	}
	return true
}

// comparison makes an operation on numbers that gives a boolean give a float.
func (l *boolFloat) comparison(in *ir.Instr) bool {
	for i, c := range setOn {
		if in.Op == c.compare && (i < 4 || l.ints) && in.Srcs[0].Def.BitSize == 32 {
			in.Op, in.Def.BitSize = c.set, 32
			return true
		}
	}
	return l.convert(in)
}
