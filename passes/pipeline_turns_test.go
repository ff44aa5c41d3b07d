package passes

import (
	"testing"

	"nirc/ir"
)

// TestLegaliseEnds: what a vector constant is in a store, the loop that legalises neither splits nor makes again, turn after turn.
func TestLegaliseEnds(t *testing.T) {
	for _, name := range []string{"legalise", "legalise_sums"} {
		s, err := ir.Parse(`shader compute "main" {
  fn f0 "main" entry() {
    b0: // preds:
      %0:32 = load_const 0x0
      %1:32x4 = load_const (0x1, 0x2, 0x3, 0x4)
      store_ssbo %1, %0, %0 write_mask=xyzw align_mul=16
      // succs: end
  }
}`)
		if err != nil {
			t.Fatal(err)
		}
		env := condEnv{target: "agx", level: O2, stage: ir.StageCompute}
		times := new(Times)
		if err := loadDefault(t).list(name).resolve(env).Run(s, RunOptions{Times: times}); err != nil {
			t.Fatal(err)
		}
		for _, st := range times.Steps {
			if st.Runs > 2 {
				t.Errorf("%s: %s runs %d times", name, st.Name, st.Runs)
			}
		}
	}
}
