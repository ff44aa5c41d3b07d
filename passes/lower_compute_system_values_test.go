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

// TestQuadsOfComponents: ids that were read by components, of which lower_system_values leaves paths that nobody follows, are those of squares too.
func TestQuadsOfComponents(t *testing.T) {
	s := parseShader(t, "shader compute \"main\" {\n  info { workgroup_size=2,2,1 derivative_group=1 }\n  var @1 system_value vec3u32 \"id\" { builtin=27 }\n  fn f0 \"main\" entry() {\n    b0:\n"+
		"      %0:32 = load_const 0x1\n      %1:32 = deref_var @1\n      %2:32 = deref_array %1[%0]\n      %3:32 = load_deref %2\n      store_shared %3, %0 write_mask=x align_mul=4\n  }\n}\n")
	for _, c := range []struct {
		pass string
		want uint8
	}{{"lower_compute_system_values", ir.DerivativeQuads}, {"lower_system_values", ir.DerivativeQuads}, {"lower_compute_system_values", ir.DerivativeLinear}} {
		if _, err := RunPass(s, c.pass); err != nil || s.Info.DerivativeGroup != c.want {
			t.Fatalf("after %s the group is %v, want %v (%v)", c.pass, s.Info.DerivativeGroup, c.want, err)
		}
	}
}
