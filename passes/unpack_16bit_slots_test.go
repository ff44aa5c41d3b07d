package passes

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestUnpackNoSlot: slots that are in use or not there are errors.
func TestUnpackNoSlot(t *testing.T) {
	const text = `shader fragment "m" { fn f0 "main" entry() { b0:
      %0:32 = load_const 0x0
      %1:16 = load_input %0 dest_type=f16 io_semantics={VAR1 1 high16}
      %2:16 = load_input %0 dest_type=f16 io_semantics={VAR3 1}
  } }`
	for list, want := range map[string]string{
		"unpack_16bit_slots(distance=2)":                   "in use",
		"unpack_16bit_slots(distance=31)":                  "no slot 31",
		"unpack_16bit_slots(distance=0)":                   "no slot 0",
		"unpack_16bit_slots(distance=3)":                   "",
		"unpack_16bit_slots(modes=shader_out,distance=31)": "",
	} {
		s, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParsePassList(list)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Run(s, RunOptions{VerifyEach: true})
		if got := err != nil; got != (want != "") || got && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", list, err, want)
		}
	}
}
