package passes

import (
	"fmt"
	"slices"
	"strings"

	"nirc/ir"
)

// CompareOps are the names of Vulkan's VkCompareOp, in its order.
var CompareOps = []string{"never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"}

// parseCompare returns a comparison's number.
func parseCompare(name string) (int, error) {
	if i := slices.Index(CompareOps, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("func=%s: want one of %s", name, strings.Join(CompareOps, ", "))
}

// compare builds whether x stands to y as the comparison says; NaN stands to nothing but by not_equal and always.
func compare(b *ir.Builder, op int, x, y *ir.Def) *ir.Def {
	switch CompareOps[op] {
	case "never":
		return b.ImmBool(false)
	case "less":
		return b.Flt(x, y)
	case "equal":
		return b.Feq(x, y)
	case "less_or_equal":
		return b.Fge(y, x)
	case "greater":
		return b.Flt(y, x)
	case "not_equal":
		return b.Fneu(x, y)
	case "greater_or_equal":
		return b.Fge(x, y)
	}
	return b.ImmBool(true)
}
