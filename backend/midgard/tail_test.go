package midgard

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// TestTails: of arrays of unknown size, what their elements say of themselves stands in a table with as many values for each element as
// the program asks for. Of one the index of an element is that of its value; of several it is multiplied by their number.
func TestTails(t *testing.T) {
	programs.Hold(t)
	for n := 1; n <= 3; n++ {
		var vars, body strings.Builder
		for i := range n {
			fmt.Fprintf(&vars, "var @%d uniform tex2D<f32>[0] \"t%d\" { set=%d binding=0 }\n", i+1, i, i)
			k := 10 + 10*i
			fmt.Fprintf(&body, "%%%d:32 = deref_var @%d\n%%%d:32 = deref_array %%%d[%%2]\n%%%d:32x2 = txs texture_deref=%%%d lod=%%0 dim=2D dest=i32\n", k, i+1, k+1, k, k+2, k+1)
			fmt.Fprintf(&body, "%%%d:32x4 = vec4 %%%d.x, %%%d.y, %%2, %%0\nstore_output %%%d, %%0 base=%d write_mask=xyzw src_type=i32 io_semantics={DATA%d 1}\n", k+3, k+2, k+2, k+3, i, i)
		}
		s, err := ir.Parse("shader fragment \"main\" {\n" + vars.String() + "fn f0 \"main\" entry() {\nb0:\n%0:32 = load_const 0x0\n%2:32 = load_sample_id\n" + body.String() + "}\n}\n")
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Fatal(err)
		}
		bin, text := listing(t, s, CompileOptions{GPU: "t860"})
		if len(bin.Meta.Elements) != n {
			t.Errorf("%d arrays: the table has %v of each element", n, bin.Meta.Elements)
		}
		want := fmt.Sprintf("MUL.i32 AL1.x, R0.x, #%d", n)
		if n == 1 {
			want = "MOV.i32 AL1.x, TMP0.x, R0.x"
		}
		if !strings.Contains(text, want) || strings.Count(text, "MUL.i32") != n*min(n-1, 1) {
			t.Errorf("%d arrays: not %s for each\n%s", n, want, text)
		}
		for i := 1; i < n; i++ {
			if at := fmt.Sprintf(".x << 4 + 0x%x0\n", i); strings.Count(text, at) != 1 {
				t.Errorf("%d arrays: not one load of%s%s", n, at, text)
			}
		}
	}
}
