package passes

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// atomicShader runs workgroups of 10 lanes, of which the odd ones do an
// atomic on one word and keep what it gave.
//
//go:embed testdata/ir/atomic_shader.nir
var atomicShader string

// TestUniformAtomics: the memory and each lane's result are those of one
// atomic a lane, with fewer done.
func TestUniformAtomics(t *testing.T) {
	for _, op := range []string{"iadd", "imin", "umin", "imax", "umax", "iand", "ior", "ixor", "fmin", "fmax"} {
		s, err := ir.Parse(fmt.Sprintf(atomicShader, op))
		if err != nil {
			t.Fatal(err)
		}
		want, err := execute(s)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParsePassList("opt_uniform_atomics,opt_cse,opt_dce")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		text := ir.Print(s)
		if !strings.Contains(text, "elect") || strings.Count(text, "ssbo_atomic") != 1 {
			t.Errorf("%s: not reduced:\n%s", op, text)
		}
		got, err := execute(s)
		if err != nil {
			t.Fatalf("%s: %v\n%s", op, err, text)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: results differ\n%x\n%x\n%s", op, want, got, text)
		}
	}
}
