package orders

import (
	"path/filepath"
	"testing"
)

// foundOrders are what random orders have found, as few passes as show it.
var foundOrders = []struct{ script, passes string }{
	{"geometry_types.amber", "lower_gs_intrinsics,lower_io_to_temporaries"},
	{"narrow_uniforms.amber", "lower_explicit_io,lower_mem_access_bit_sizes(const_bits=32),lower_ubo_vec4"},
}

// TestFoundOrders: lists of passes that once were wrong leave the results of their script as they are.
func TestFoundOrders(t *testing.T) {
	j, list := prepare(t)
	j.name = "inlined"
	for _, c := range foundOrders {
		found := false
		for _, s := range list {
			if filepath.Base(s.path) != c.script {
				continue
			}
			found = true
			j.open(s)
			if what := j.judge(c.passes); what != "" {
				t.Errorf("%s: %s: %s", c.script, c.passes, what)
			}
		}
		if !found {
			t.Errorf("%s is no script here", c.script)
		}
	}
}
