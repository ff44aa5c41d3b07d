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
