package passes

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestOddQuads: workgroups that do not fall into squares of 2x2 are refused.
func TestOddQuads(t *testing.T) {
	for _, c := range []struct {
		size [3]uint32
		odd  bool
	}{{[3]uint32{2, 2, 1}, false}, {[3]uint32{6, 4, 3}, false}, {[3]uint32{3, 2, 1}, true}, {[3]uint32{4, 1, 1}, true}} {
		s := ir.NewShader(ir.StageCompute, nil)
		s.Info.WorkgroupSize, s.Info.DerivativeGroup = c.size, ir.DerivativeQuads
		s.NewFunction("main").IsEntry = true
		_, err := RunPass(s, "lower_compute_system_values")
		if odd := err != nil && strings.Contains(err.Error(), "derivative_group_quads needs a workgroup of even width and height"); odd != c.odd {
			t.Errorf("%v: %v", c.size, err)
		}
	}
}
