package interp

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// TestCasts: a cast gives an input that is known another type, a value may be the address of an array in memory, and none that of
// an array of inputs, whose slots only a variable has.
func TestCasts(t *testing.T) {
	const input = "%8:32 = load_const 0x0\n%9:32 = deref_var @1\n%0:32 = deref_array %9[%8]\n"
	const zero = "%0:32 = load_const 0x0\n"
	for body, want := range map[string]string{
		input + "%1:32 = deref_cast %0 (shader_in u32)\n%2:32 = load_deref %1":                                                        "",
		input + "%1:32 = deref_cast %0 (shader_in u32[1])\n%3:32 = load_const 0x0\n%4:32 = deref_array %1[%3]\n%2:32 = load_deref %4": "",
		zero + "%1:32 = deref_cast %0 (mem_shared u32[4])\n%3:32 = deref_array %1[%0]\n%2:32 = load_deref %3":                         "",
		zero + "%1:32 = deref_cast %0 (shader_in u32[4])\n%3:32 = deref_array %1[%0]\n%2:32 = load_deref %3":                          "a pointer to an array in mode shader_in as a value is not supported in stage geometry",
	} {
		text := fmt.Sprintf("shader geometry \"main\" {\nvar @1 shader_in f32[3] \"i\" { location=VAR0 }\nfn f0 \"main\" entry() {\nb0:\n%s\n}\n}\n", body)
		s, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		if _, err := New(s, Options{WaveSize: 4}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %q", text, err, want)
		}
	}
}
