package passes

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestExplicitIOWithoutLayout: temporaries and shared variables have no address
// before they have a layout.
func TestExplicitIOWithoutLayout(t *testing.T) {
	for _, c := range []struct{ mode, deref string }{{"mem_shared", "@1"}, {"shader_temp", "@1"}, {"function_temp", "@2"}} {
		decl, local := "  var @1 "+c.mode+" u32[4] \"a\"\n", ""
		if c.mode == "function_temp" {
			decl, local = "", "    local @2 function_temp u32[4] \"a\"\n"
		}
		text := "shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n" + decl + "  fn f0 \"main\" entry() {\n" + local +
			"    b0:\n      %0:32 = load_const 1\n      %1:32 = deref_var " + c.deref + "\n      %2:32 = deref_array %1[%0]\n      store_deref %2, %0 write_mask=x\n  }\n}\n"
		run := func(list string) error {
			s, err := ir.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			p, err := ParsePassList(list)
			if err != nil {
				t.Fatal(err)
			}
			return p.Run(s, RunOptions{VerifyEach: true})
		}
		lower := "lower_explicit_io(modes=" + c.mode + ")"
		if err := run(lower); err == nil || !strings.Contains(err.Error(), `variable "a" of `+c.mode+" has no place in memory: lower_vars_to_explicit_types must run before") {
			t.Errorf("%s: %v", c.mode, err)
		}
		if err := run("lower_vars_to_explicit_types(modes=" + c.mode + ")," + lower); err != nil {
			t.Errorf("%s after lower_vars_to_explicit_types: %v", c.mode, err)
		}
	}
}

// TestExplicitIOCast: a pointer to a buffer is a pair, one to other memory is
// not; a cast that says otherwise is refused where it stands.
func TestExplicitIOCast(t *testing.T) {
	for _, c := range []struct{ mode, size, msg string }{
		{"mem_shared", "64", "a pointer of 64 bits to mem_shared is not supported"},
		{"mem_ssbo", "32", "a pointer of 1 components is cast to mem_ssbo"},
		{"mem_ubo", "32", "a pointer of 1 components is cast to mem_ubo"},
		{"mem_shared", "32x2", "a pointer of 2 components is cast to mem_shared"},
		{"mem_ssbo", "32x2", ""},
		{"mem_shared", "32", ""},
	} {
		text := "shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  fn f0 \"main\" entry() {\n    b0:\n      %0:" + c.size + " = undef\n      %1:" + c.size +
			" = deref_cast %0 (" + c.mode + " u32)\n      %2:32 = load_deref %1\n  }\n}\n"
		s, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParsePassList("lower_explicit_io(modes=" + c.mode + ")")
		if err != nil {
			t.Fatal(err)
		}
		err = p.Run(s, RunOptions{VerifyEach: true})
		if c.msg == "" && err != nil || c.msg != "" && (err == nil || !strings.Contains(err.Error(), c.msg)) {
			t.Errorf("%s, %s: %v, want %q", c.mode, c.size, err, c.msg)
		}
	}
}

// TestExplicitIOTexture: a texture in memory has no descriptor.
func TestExplicitIOTexture(t *testing.T) {
	s, err := ir.Parse("shader fragment \"main\" {\n  var @1 shader_temp sampled2D<f32> \"t\"\n  fn f0 \"main\" entry() {\n    b0:\n      %0:32x2 = undef\n" +
		"      %1:32 = deref_var @1\n      %2:32x4 = tex texture_deref=%1 sampler_deref=%1 coord=%0 dim=2D dest=f32 coord_components=2\n  }\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParsePassList("lower_vars_to_explicit_types(modes=shader_temp),lower_explicit_io(modes=shader_temp)")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(s, RunOptions{VerifyEach: true}); err == nil || !strings.Contains(err.Error(), "tex of a texture in shader_temp is not supported") {
		t.Error(err)
	}
}

// TestExplicitIOOtherMemory: a pointer made from one to memory that is not
// lowered has no address.
func TestExplicitIOOtherMemory(t *testing.T) {
	s, err := ir.Parse("shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  fn f0 \"main\" entry() {\n    b0:\n      %0:32 = load_const 1\n      %1:32 = deref_cast %0 (mem_shared u32[4:4])\n" +
		"      %2:32 = deref_array %1[%0]\n      %3:32 = load_deref %2\n  }\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	for b := range s.Functions[0].Impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindDeref && in.Deref == ir.DerefCast {
				in.DerefInfo().Modes = ir.ModeGlobal
			}
		}
	}
	p, err := ParsePassList("lower_explicit_io(modes=mem_shared)")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(s, RunOptions{}); err == nil || !strings.Contains(err.Error(), "is made from is in other memory") {
		t.Error(err)
	}
}

// TestExplicitIOAddresses says what storage buffers by addresses of 64 bits cannot do.
func TestExplicitIOAddresses(t *testing.T) {
	for _, c := range []struct {
		pass, pointer string
		robust        ir.Robustness
		msg           string
	}{
		{"lower_explicit_io(ssbo=1x64)", "%2", 0, ""},
		{"lower_explicit_io(ssbo=64)", "%2", 0, "ssbo=64: the address formats of storage buffers are 2x32 and 1x64"},
		{"lower_explicit_io(ssbo=1x64)", "%2", ir.Robust1, "nothing tests their bounds"},
		{"lower_explicit_io(ssbo=1x64)", "%3", 0, "the length of an array in a buffer that control flow or values choose is not supported"},
	} {
		s := parseShader(t, "shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  fn f0 \"main\" entry() {\n    b0:\n      %0:32 = load_const 0\n"+
			"      %1:32x2 = vulkan_resource_index %0 desc_type=2\n      %2:32x2 = load_vulkan_descriptor %1 desc_type=2\n      %3:32x2 = undef\n"+
			"      %4:32x2 = deref_cast "+c.pointer+" (mem_ssbo u32[:4])\n      %5:32 = deref_buffer_array_length %4\n  }\n}\n")
		s.Options = &ir.Options{Robust: ir.Robust{Storage: c.robust}}
		p, err := ParsePassList(c.pass)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{VerifyEach: true}); c.msg == "" && err != nil || c.msg != "" && (err == nil || !strings.Contains(err.Error(), c.msg)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
