package passes

import "nirc/ir"

var splitStructVarsPass = &Pass{
	Name: "split_struct_vars", For: ir.HasTemp, Class: "B", Run: splitStructVars, Idempotent: true,
	Options: []Option{{"modes", "modes whose variables are split", ir.ModeFunctionTemp}},
	Doc:     "Replaces temporaries of struct type by one variable a member. Needs split_var_copies.",
}

// splitStructVars replaces temporaries whose type is a struct, or an array of
// structs, by one variable a member. Copies of whole structs must be split before.
func splitStructVars(c *Context, s *ir.Shader) (bool, error) {
	if s.Contents()&ir.HasTemp == 0 {
		return false, nil // variables that nobody names stay for remove_dead_variables
	}
	return splitVars(s, c.Modes("modes"), &splitter{
		wants: func(t *ir.Type) int {
			if w := t.WithoutArray(); w.IsStruct() {
				return len(w.Fields)
			}
			return 0
		},
		part: func(t *ir.Type, i int) *ir.Type { return wrapArrays(t, t.WithoutArray().Fields[i].Type) },
		name: func(t *ir.Type, i int) string { return "." + t.WithoutArray().Fields[i].Name },
		cut: func(in *ir.Instr) int {
			if in.Deref == ir.DerefStruct {
				return in.DerefInfo().Field
			}
			return -1
		},
		passes: func(in *ir.Instr) bool { return in.Deref == ir.DerefArray || in.Deref == ir.DerefArrayWildcard },
	}), nil
}
