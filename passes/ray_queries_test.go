package passes

import (
	"errors"
	"strings"
	"testing"

	"nirc/ir"
)

// TestRefusedRayQueries: queries and structures that no variable can be told of are refused by what they are.
func TestRefusedRayQueries(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"member", `shader compute "main" {
  type $0 = struct "S" { "q": ray_query }
  fn f0 "main" entry() {
    local @1 function_temp $0 "s"
    b0:
      %0:32 = deref_var @1
      %1:32 = deref_struct %0.0
      rq_terminate %1
  }
}`, "a ray query that is a member of a structure is not supported"},
		{"chosen", `shader compute "main" {
  fn f0 "main" entry() {
    b0:
      %0:32 = undef
      %1:32 = deref_cast %0 (function_temp ray_query)
      rq_terminate %1
  }
}`, "a ray query or acceleration structure that control flow or values choose is not supported"},
	} {
		s, err := ir.Parse(c.text)
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if _, err := RunPass(s, "lower_ray_queries"); err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v, want a refusal: %s", c.what, err, c.want)
		}
	}
}
