package scripts

import (
	"bytes"
	"os"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/passes"
)

// TestDoubles runs 64-bit floats on the interpreter, where they are native, and
// on the cores, where lower_doubles makes integers of them: the bits are the same.
func TestDoubles(t *testing.T) {
	path := prove.Data("doubles.amber")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The last bit of 0.1 + 0.2 counts.
	wrong, err := amber.Parse(path, bytes.Replace(src, []byte("0x3fd3333333333334"), []byte("0x3fd3333333333333"), 1))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{nirc.IRTarget}
	for _, b := range nirc.Targets() {
		names = append(names, b.Name)
	}
	for _, name := range names {
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			target, err := exec.AmberTarget(nirc.Options{Target: name, Level: level})
			if err != nil {
				t.Fatal(err)
			}
			r := &amber.Runner{Strict: true, Target: target}
			if got := r.Run(t.Context(), prove.Script(t, path)); got.Verdict != amber.Pass || got.Checked < 73 {
				t.Errorf("%s at O%v: %+v", name, level, got)
			}
			if got := r.Run(t.Context(), wrong); got.Verdict != amber.Fail || got.Cause != amber.CauseExpectation {
				t.Errorf("%s at O%v takes a wrong sum for right: %+v", name, level, got)
			}
		}
	}
}
