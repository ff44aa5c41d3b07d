package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerPatchVerticesPass = &Pass{
	Name: "lower_patch_vertices", Class: "C", Run: lowerPatchVertices, Idempotent: true,
	Doc: "Makes PatchVertices a constant: the size of the pipeline's patches in a control shader, the vertices that the control shader puts out in an evaluation shader. " +
		"Input: after lower_system_values.",
	Options: []Option{{"count", "vertices a patch has for this stage, 0: not known", 0}},
}

func lowerPatchVertices(c *Context, s *ir.Shader) (bool, error) {
	n := c.Int("count")
	if n == 0 {
		return false, nil
	}
	if n < 0 || n > 32 {
		return false, fmt.Errorf("count=%d: patches have 1 to 32 vertices", n)
	}
	return eachIntrinsic(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if in.Intr != ir.IntrLoadPatchVerticesIn {
			return nil
		}
		return b.Imm32(uint32(n))
	}), nil
}
