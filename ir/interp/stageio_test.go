package interp

import (
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// halfResult is a fragment shader whose result variable has 32 bits and whose
// stores have been narrowed.
const halfResult = `shader fragment "main" {
  var @1 shader_out vec2f32 "c" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:16x2 = load_const (0x3c00, 0x3800)
      store_output %1, %0 write_mask=xy src_type=f16 io_semantics={DATA0 1 mediump}
      STORE
  }
}`

// TestNarrowedResult: the accesses say how large a result is, not the variable
// that passes leave as it is.
func TestNarrowedResult(t *testing.T) {
	p, err := newFromText(halfResult, "")
	if err != nil {
		t.Fatal(err)
	}
	if o := p.IO().Outputs; len(o) != 1 || o[0].Slot != ir.SlotData0 || o[0].Bits != 16 || o[0].Mask != 3 {
		t.Errorf("outputs %+v, want one of 16 bits in slot %d", o, ir.SlotData0)
	}
	_, err = newFromText(halfResult, "store_output %0, %0 component=2 write_mask=x src_type=f32 io_semantics={DATA0 1}")
	if err == nil || !strings.Contains(err.Error(), "16 and 32 bits in one fragment result") {
		t.Errorf("mixed sizes: %v", err)
	}
}

// TestWideOutputs: a store of 64-bit components writes a slot's words, and one of 32 bits those that its mask and first component name.
func TestWideOutputs(t *testing.T) {
	const text = `shader vertex "main" {
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:64x2 = load_const (0x0, 0x1)
      %2:32x2 = load_const (0x0, 0x1)
      STORE
  }
}`
	for store, want := range map[string]uint8{
		"store_output %1, %0 write_mask=xy src_type=u64 io_semantics={VAR0 1}":             15,
		"store_output %2, %0 write_mask=xy src_type=u32 io_semantics={VAR0 1}":             3,
		"store_output %2, %0 write_mask=y component=2 src_type=u32 io_semantics={VAR0 1}":  8,
		"store_output %2, %0 write_mask=xy component=1 src_type=u32 io_semantics={VAR0 1}": 6,
	} {
		p, err := newFromText(text, store)
		if err != nil {
			t.Fatal(err)
		}
		if o := p.IO().Outputs; len(o) != 1 || o[0].Slot != ir.SlotVar0 || o[0].Mask != want {
			t.Errorf("%s: outputs %+v, want the mask %d", store, o, want)
		}
	}
}

func newFromText(text, store string) (emu.Program, error) {
	s, err := ir.Parse(strings.Replace(text, "STORE", store, 1))
	if err != nil {
		return nil, err
	}
	return New(s, Options{WaveSize: 4})
}

// TestPerSample: a fragment shader runs once a sample where its interface has what only samples differ in, whether or not it is still read, and where it reads
// such a thing, whether or not the interface says so; nothing else makes it so.
func TestPerSample(t *testing.T) {
	const text = `shader fragment "main" {
  info { INFO }
  var @1 shader_in vec2f32 "v" { location=VAR0 }
  var @2 system_value u32 "id" { builtin=18 }
  var @3 system_value vec2f32 "pos" { builtin=19 }
  var @4 system_value u32[1] "mask" { builtin=20 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      STORE
  }
}`
	const read = "\n      %9:32x2 = load_interpolated_input %1, %0 dest_type=f32 io_semantics={VAR0 1}"
	for _, c := range []struct {
		info, body string
		want       bool
	}{
		{"", "", false},
		{"sample_inputs", "", true},
		{"", "%1:32 = load_sample_id", true},
		{"", "%1:32x2 = load_sample_pos", true},
		{"", "%1:32 = deref_var @2\n      %2:32 = load_deref %1", true},
		{"", "%1:32 = deref_var @3\n      %2:32x2 = load_deref %1", true},
		{"", "%1:32 = deref_var @4\n      %2:32 = deref_array %1[%0]\n      %3:32 = load_deref %2", false},
		{"", "%1:32 = load_sample_mask_in", false},
		{"", "%1:32x4 = load_frag_coord", false},
		{"", "%1:32x2 = load_barycentric_pixel interp_mode=smooth" + read, false},
		{"", "%1:32x2 = load_barycentric_centroid interp_mode=smooth" + read, false},
		{"", "%1:32x2 = load_barycentric_sample interp_mode=smooth" + read, true},
		{"", "%1:32x2 = load_barycentric_at_sample %0 interp_mode=smooth" + read, false},
		{"sample_inputs", "%1:32x2 = load_barycentric_pixel interp_mode=smooth" + read, true},
	} {
		p, err := newFromText(strings.Replace(text, "INFO", c.info, 1), c.body)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
		} else if got := p.IO().PerSample; got != c.want {
			t.Errorf("%q, %q: once a sample: %v, want %v", c.info, c.body, got, c.want)
		}
	}
}

// TestFragmentTests: whether tests come before the shader, and whether its mask is what they left, are the shader's own.
func TestFragmentTests(t *testing.T) {
	const text = `shader fragment "main" {
  info { INFO }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
  }
}`
	for info, want := range map[string][2]bool{"": {}, "early_fragment_tests": {true}, "post_depth_coverage": {false, true}, "early_fragment_tests post_depth_coverage": {true, true}} {
		p, err := newFromText(strings.Replace(text, "INFO", info, 1), "")
		if err != nil {
			t.Fatal(err)
		}
		if io := p.IO(); [2]bool{io.EarlyFragmentTests, io.PostDepthCoverage} != want {
			t.Errorf("%q: tests first %v, their mask %v", info, io.EarlyFragmentTests, io.PostDepthCoverage)
		}
	}
}
