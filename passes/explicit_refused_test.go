package passes

import (
	"strings"
	"testing"
)

// TestRefusedAddresses: derefs that lower_explicit_io cannot make addresses of are
// errors that say what is wrong.
func TestRefusedAddresses(t *testing.T) {
	const buffer = "      %5:32x2 = vulkan_resource_index %0 binding=0 desc_type=2\n      %6:32x2 = load_vulkan_descriptor %5 desc_type=2\n"
	for _, c := range []struct{ name, modes, decl, body, want string }{
		{"a buffer without a descriptor", "mem_ssbo", "  var @1 mem_ssbo u32 \"b\" { binding=0 }\n", "      %5:32x2 = deref_var @1\n      %6:32 = load_deref %5\n", "is addressed without a descriptor"},
		{"no place", "mem_shared", "  var @1 mem_shared u32 \"b\"\n", "      %5:32 = deref_var @1\n      %6:32 = load_deref %5\n", "has no place in memory"},
		{"a copy", "mem_shared", "  var @1 mem_shared u32 \"b\" { explicit }\n", "      %5:32 = deref_var @1\n      copy_deref %5, %5\n", "a copy of mem_shared is not supported here"},
		{"a member without an offset", "mem_ssbo", "  type $0 = struct \"S\" {\n    \"a\": u32\n    \"b\": u32\n  }\n", buffer + "      %7:32x2 = deref_cast %6 (mem_ssbo $0)\n      %8:32x2 = deref_struct %7.1\n      store_deref %8, %0 write_mask=x\n", `member "b" has no offset`},
		{"other memory", "mem_ssbo|mem_shared", "  var @1 mem_shared u32 \"b\" { explicit }\n", "      %5:32 = deref_var @1\n      %6:32 = deref_cast %5 (mem_ssbo u32)\n      store_deref %6, %0 write_mask=x\n", "that is other memory"},
		{"the length of no array", "mem_ssbo", "", buffer + "      %7:32x2 = deref_cast %6 (mem_ssbo u32)\n      %8:32 = deref_buffer_array_length %7\n      store_deref %7, %8 write_mask=x\n", "length of what is no unsized array"},
		{"the length of an array of the workgroup", "mem_shared", "  var @1 mem_shared u32[4:4] \"b\" { explicit }\n", "      %5:32 = deref_var @1\n      %6:32 = deref_buffer_array_length %5\n", "length of what is no unsized array"},
		{"other modes are left alone", "mem_ubo", "  var @1 mem_shared u32 \"b\"\n", "      %5:32 = deref_var @1\n      %6:32 = load_deref %5\n      store_deref %5, %6 write_mask=x\n", ""},
	} {
		text := "shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n" + c.decl + "  fn f0 \"main\" entry() {\n    b0:\n      %0:32 = load_const 0x0\n" + c.body + "  }\n}\n"
		p, err := ParsePassList("lower_explicit_io(modes=" + c.modes + ")")
		if err != nil {
			t.Fatal(err)
		}
		err = p.Run(parseShader(t, text), RunOptions{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
