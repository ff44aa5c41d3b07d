package spirv

import (
	"os"
	"strings"
	"testing"

	"nirc/ir"
)

// TestImageProcessingErrors: images and results that the operations do not take.
func TestImageProcessingErrors(t *testing.T) {
	data, err := os.ReadFile("../../internal/prove/grids/testdata/asm/image_processing.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("WSET", "0", "WBINDING", "3", "RSET", "0", "RBINDING", "5", "INDEX", "%c1").Replace(string(data))
	whole, err := Translate(assemble(t, text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Validate(whole); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"%v4 %ls %uv %lk", "%v4 %lk %uv %lk", "is of sampled planes of floats only"},
		{"%v4 %ls %uv %lk", "%v4 %ls %uv %lt", "the second image is a"},
		{"%v4 %lt %t %lr %r %size\n%rs", "%v4 %lt %t %lk %r %size\n%rs", "the second image is a"},
		{"%v4 %ls %uv %box", "%v2 %ls %uv %box", "not a vector of four floats"},
		{"%v4 %ls %uv %box", "%v4 %ls %uv %size", "not a float of the wanted shape"},
		{"OpImageBlockMatchSSDQCOM %v4 %lt %t", "OpImageBlockMatchSSDQCOM %v4 %lt %uv", "not an integer of the wanted shape"},
	} {
		if !strings.Contains(text, c.old) {
			t.Fatalf("the module has no %q", c.old)
		}
		_, err := Translate(assemble(t, strings.Replace(text, c.old, c.new, 1)), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, it should speak of %q", c.new, err, c.want)
		}
	}
}
