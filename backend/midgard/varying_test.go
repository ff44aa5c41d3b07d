package midgard

import (
	_ "embed"
	"strings"
	"testing"

	"nirc/ir"
)

// halfVaryings reads 16-bit floats that are interpolated, from even and odd
// components on, and one that is not.
//
//go:embed testdata/ir/half_varyings.nir
var halfVaryings string

// Varyings of 16-bit floats come as such, two a word, where the hardware
// interpolates; the others are converted.
func TestHalfVaryings(t *testing.T) {
	programs.Hold(t)
	s, err := ir.Parse(halfVaryings)
	if err != nil {
		t.Fatal(err)
	}
	_, text := listing(t, s, CompileOptions{})
	if n := strings.Count(text, "LD_VARY.f16"); n != 3 {
		t.Errorf("%d varyings are loaded as halves:\n%s", n, text)
	}
	if n := strings.Count(text, "LD_VARY.u32"); n != 1 {
		t.Errorf("%d flat varyings:\n%s", n, text)
	}
	expect(t, text, "LD_VARY.u32", "FMOV.f32", ".shrink")
}
