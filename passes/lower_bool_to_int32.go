package passes

import (
	"sync"

	"nirc/ir"
)

var lowerBoolToInt32Pass = &Pass{
	Name: "lower_bool_to_int32", For: ir.HasBool, Class: "A", Run: lowerBoolToInt32, Idempotent: true,
	Doc: "Makes 1-bit booleans 32-bit masks, 0 or ~0: comparisons take their 32-bit forms, bcsel becomes b32csel, constants, undefs, phis, registers and the results " +
		"of other instructions get wider. Conditions of ifs and sources of intrinsics are masks then. Runs after the rules for 1-bit booleans.",
}

// wide32 maps an operation on 1-bit booleans to that on 32-bit ones, by name:
// flt to flt32, ball_fequal2 to b32all_fequal2, bcsel to b32csel.
var wide32 = sync.OnceValue(func() map[ir.Op]ir.Op {
	m := map[ir.Op]ir.Op{}
	for _, stem := range []string{"flt", "fge", "feq", "fneu", "ilt", "ige", "ieq", "ine", "ult", "uge"} {
		narrow, ok1 := ir.ParseOp(stem)
		wide, ok2 := ir.ParseOp(stem + "32")
		if ok1 && ok2 {
			m[narrow] = wide
		}
	}
	for _, how := range []string{"all_fequal", "any_fnequal", "all_iequal", "any_inequal"} {
		for _, n := range []string{"2", "3", "4", "5", "8", "16"} {
			narrow, ok1 := ir.ParseOp("b" + how + n)
			wide, ok2 := ir.ParseOp("b32" + how + n)
			if ok1 && ok2 {
				m[narrow] = wide
			}
		}
	}
	return m
})

func lowerBoolToInt32(c *Context, s *ir.Shader) (bool, error) {
	var refused error
	progress := unorderedALU(s)
	progress = eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		did := false
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				changed, ok := widenBool(in)
				did = did || changed
				if !ok && refused == nil {
					refused = diag(s, in, in.Op.String()+" of booleans has no 32-bit form")
				}
			}
		}
		return did
	}) || progress
	return widenBoolParams(s) || progress, refused
}

// widenBoolParams makes the booleans among the parameters of functions 32-bit
// masks.
func widenBoolParams(s *ir.Shader) (progress bool) {
	for _, f := range s.Functions {
		for i := range f.Params {
			if f.Params[i].BitSize == 1 {
				f.Params[i].BitSize, progress = 32, true
			}
		}
	}
	return progress
}

// widenBool makes what in reads or makes of booleans 32 bits wide. ok is false
// if it has no such form.
func widenBool(in *ir.Instr) (changed, ok bool) {
	is1 := in.HasDef() && in.Def.BitSize == 1
	switch in.Kind {
	case ir.KindALU:
		return widenBoolALU(in, is1)
	case ir.KindLoadConst:
		if is1 {
			for i, v := range in.Imm {
				in.Imm[i] = -v & 0xffffffff
			}
		}
	case ir.KindIntrinsic:
		if in.Intr == ir.IntrDeclReg && in.Get(ir.IdxBitSize) == 1 {
			in.Set(ir.IdxBitSize, 32)
			return true, true
		}
	case ir.KindParallelCopy:
		for i := range in.CopyInfo().Entries {
			if d := &in.CopyInfo().Entries[i].Dst; d.NumComponents != 0 && d.BitSize == 1 {
				d.BitSize = 32
				changed = true
			}
		}
		return changed, true
	}
	if is1 {
		in.Def.BitSize = 32
	}
	return is1, true
}

func widenBoolALU(in *ir.Instr, is1 bool) (changed, ok bool) {
	switch in.Op {
	case ir.OpBcsel:
		in.Op = ir.OpB32csel
		if is1 {
			in.Def.BitSize = 32
		}
		return true, true
	case ir.OpMov, ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpInot:
	case ir.OpB2b1:
		in.Op = ir.OpB2b32
	case ir.OpIeq, ir.OpIne:
		// Of booleans too: masks are equal where the booleans are.
		in.Op = wide32()[in.Op]
	default:
		if !is1 || in.IsVec() {
			break
		}
		wide, has := wide32()[in.Op]
		if !has {
			return false, false
		}
		in.Op = wide
	}
	if is1 {
		in.Def.BitSize = 32
	}
	return is1, true
}
