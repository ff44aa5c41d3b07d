package passes

import (
	"strconv"

	"nirc/ir"
)

var splitArrayVarsPass = &Pass{
	Name: "split_array_vars", Class: "B", Run: splitArrayVars, Idempotent: true, For: ir.HasTemp,
	Options: []Option{{"modes", "modes whose variables are split", ir.ModeFunctionTemp}},
	Doc:     "Replaces temporary arrays whose outer index is always constant by one variable an element. Needs lower_var_copies.",
}

// splitArrayVars replaces temporaries that are arrays and whose outermost
// index is always constant by one variable an element.
func splitArrayVars(c *Context, s *ir.Shader) (bool, error) {
	if s.Contents()&ir.HasTemp == 0 {
		return false, nil // variables that nobody names stay for remove_dead_variables
	}
	return splitVars(s, c.Modes("modes"), &splitter{
		wants: func(t *ir.Type) int {
			if t.IsArray() && t.Len <= maxSplitArray {
				return int(t.Len)
			}
			return 0
		},
		part: func(t *ir.Type, i int) *ir.Type { return t.Elem },
		name: func(t *ir.Type, i int) string { return "[" + strconv.Itoa(i) + "]" },
		cut: func(in *ir.Instr) int {
			if in.Deref != ir.DerefArray {
				return -1
			}
			i, ok := firstConst(in.Srcs[1].Def)
			if n := derefParent(in).DerefInfo().Type.ChildCount(); !ok || i >= uint64(n) {
				return -1
			}
			return int(i)
		},
		passes: func(*ir.Instr) bool { return false },
	}), nil
}

// maxSplitArray bounds the arrays that are split into variables.
const maxSplitArray = 256
