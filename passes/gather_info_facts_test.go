package passes

import (
	"testing"

	"nirc/ir"
)

// TestScratchSizeKept: private memory stays as large as it is while something may access it: an access, a deref that becomes
// one, a pointer to its base. It is given up with the last.
func TestScratchSizeKept(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       uint32
	}{
		{"nothing", "", 0},
		{"a load", "%1:32 = load_scratch %0 align_mul=4", 64},
		{"a store", "store_scratch %0, %0 align_mul=4 write_mask=x", 64},
		{"a variable", "%1:32 = deref_var @1", 64},
		{"another variable", "%1:32 = deref_var @2", 0},
		{"workgroup memory", "%1:32 = load_shared %0 align_mul=4", 0},
	} {
		s := runList(t, "shader compute \"main\" {\n  scratch_size = 64\n  var @1 shader_temp f32 \"a\"\n  var @2 mem_shared f32 \"b\"\n"+
			"  fn f0 \"main\" entry() {\n    b0:\n      %0:32 = load_const 0\n      "+c.body+"\n  }\n}\n", "gather_info")
		if s.ScratchSize != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, s.ScratchSize, c.want)
		}
	}
}

// TestSampleInputs: the interface alone has a fragment shader run by sample; a pipeline of one sample forgets it.
func TestSampleInputs(t *testing.T) {
	s, err := ir.Parse("shader fragment \"main\" {\n  info { sample_inputs }\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		list string
		want bool
	}{{"gather_info", true}, {"lower_single_sampled,gather_info", false}} {
		p, err := ParsePassList(c.list)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
			t.Fatal(err)
		}
		if s.Info.UsesSampleShading != c.want {
			t.Errorf("%s: sample shading %v", c.list, s.Info.UsesSampleShading)
		}
	}
}
