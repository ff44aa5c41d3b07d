package passes

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// atomicShader runs workgroups of 10 lanes, of which the odd ones do an
// atomic on one word and keep what it gave.
const atomicShader = `shader compute "main" {
  info { workgroup_size=10,1,1 }
  fn f0 "main" entry() {
    b0:
      %%900:32 = load_const 0x0
      %%901:32 = load_const 0x1
      %%902:32 = load_const 0x2
      %%903:32x3 = load_workgroup_id
      %%904:32 = mov %%903.x
      %%909:32 = load_const 0x8
      %%910:32 = ishl %%904, %%909
      %%1:32 = load_local_invocation_index
      %%2:32 = load_const 0x25
      %%3:32 = imul %%1, %%2
      %%4:32 = ixor %%3, %%902
      %%5:32 = iand %%1, %%901
      %%6:1 = ieq %%5, %%901
      %%7:32 = ishl %%1, %%902
      %%8:32 = load_const 0x10
      %%9:32 = iadd %%7, %%8
      %%10:32 = iadd %%9, %%910
    if %%6 {
      b1:
      %%11:32 = ssbo_atomic %%900, %%910, %%4 atomic_op=%s
      store_ssbo %%11, %%900, %%10 write_mask=x align_mul=4
    } else {
      b2:
    }
    b3:
  }
}
`

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
