package passes

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestUnusualShaders runs passes on valid IR that their place in the pipelines
// never hands them: it is lowered, left alone or refused, and stays valid.
func TestUnusualShaders(t *testing.T) {
	const image = `var @1 image image2D<f32> "i" { set=0 binding=0 }`
	for _, c := range []struct{ passes, decl, body, want string }{
		// Copies must be split before.
		{"lower_explicit_io(modes=mem_shared)", "var @1 mem_shared u32 \"a\" { explicit }\nvar @2 shader_temp u32 \"b\"", "b0: %0:32 = deref_var @1 %1:32 = deref_var @2 copy_deref %1, %0",
			"a copy of mem_shared is not supported here"},
		// What texture instructions demand more than images do.
		{"lower_readonly_images_to_tex", image, "b0: %0:32 = deref_var @1 %1:32 = load_const 0 %2:32x3 = image_deref_size %0, %1 image_dim=2D access=non_writeable", ""},
		{"lower_readonly_images_to_tex", image, "b0: %0:32 = deref_var @1 %1:32 = load_const 0 %3:32x4 = vec4 %1, %1, %1, %1 %2:32x4 = image_deref_load %0, %3, %1, %1 image_dim=2D access=non_writeable dest_type=u32", ""},
		// Booleans that are accessed in both sizes.
		{"lower_vars_to_ssa", "", "local @1 function_temp b1 \"a\" b0: %0:32 = deref_var @1 %1:1 = undef %2:32 = load_const 1 store_deref %0, %1 write_mask=x %3:32 = load_deref %0 store_deref %0, %2 write_mask=x", ""},
		{"opt_copy_prop_vars,opt_dead_write_vars", "", "local @1 function_temp b1 \"a\" b0: %0:32 = deref_var @1 %1:1 = undef store_deref %0, %1 write_mask=x %3:32 = load_deref %0 %4:1 = load_deref %0 store_deref %0, %3 write_mask=x", ""},
		{"lower_locals_to_regs", "", "local @1 function_temp b1 \"a\" b0: %0:32 = deref_var @1 %1:1 = undef store_deref %0, %1 write_mask=x %3:32 = load_deref %0 %4:1 = load_deref %0 store_deref %0, %3 write_mask=x", ""},
		// An array of structs, whole elements of which are accessed.
		{"split_array_vars", "type $0 = struct \"S\" { \"x\": u32 }", "local @1 function_temp $0[3] \"a\" b0: %0:32 = deref_var @1 %1:32 = load_const 2 %2:32 = deref_array %0[%1] %3:32 = deref_struct %2.0 store_deref %3, %1 write_mask=x", ""},
		// What would be written out without end.
		{"lower_vars_to_ssa,lower_var_copies", "", "local @1 function_temp u32[100000000] \"a\" local @2 function_temp u32[100000000] \"b\" b0: %0:32 = deref_var @1 %1:32 = deref_var @2 copy_deref %1, %0",
			"copies of more than 65536 vectors are not supported"},
		{"split_var_copies,lower_vars_to_ssa,lower_var_copies", "", "local @1 function_temp u32[10000][10000] \"a\" local @2 function_temp u32[10000][10000] \"b\" b0: %0:32 = deref_var @1 %1:32 = deref_var @2 copy_deref %1, %0",
			"copies of more than 65536 vectors are not supported"},
		{"lower_variable_initializers", "", "local @1 function_temp u32[100000000] \"a\" { init=zero } b0:", "variable a: initialisers of more than 65536 vectors are not supported"},
	} {
		text := "shader compute \"main\" {\ninfo { workgroup_size=1,1,1 }\n" + c.decl + "\nfn f0 \"main\" entry() {\n" + c.body + "\n}\n}\n"
		s, err := ir.Parse(text)
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", c.passes, err, text)
			continue
		}
		p, err := ParsePassList(c.passes)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Run(s, RunOptions{VerifyEach: true})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.passes, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %q", c.passes, err, c.want)
		}
	}
}
