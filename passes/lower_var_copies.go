package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerVarCopiesPass = &Pass{
	Name: "lower_var_copies", For: ir.HasCopy, Class: "A", Run: lowerVarCopies, Idempotent: true,
	Doc: "Turns copy_deref into loads and stores of each vector or scalar, wildcards written out.",
}

// lowerVarCopies turns copies into loads and stores of each vector leaf,
// wildcards written out.
func lowerVarCopies(_ *Context, s *ir.Shader) (bool, error) {
	total := 0
	var err error
	progress := eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		eachCopy(impl, func(in *ir.Instr) {
			if err != nil {
				return
			}
			if total += copiedVectors(in); total > maxCopied {
				err = refusal(s, in, fmt.Sprintf("copies of more than %d vectors are not supported", maxCopied))
				return
			}
			expandCopy(in)
			progress = true
		})
		return progress
	})
	return progress, err
}
