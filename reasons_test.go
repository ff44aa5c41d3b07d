package nirc

import (
	"os"
	"regexp"
	"testing"

	"nirc/ir"
	"nirc/passes"
)

// reasonName is what a pass's reason names beside words: a pass, a step, an operation, a folder.
var reasonName = regexp.MustCompile(`[a-z0-9]+(?:_[a-z0-9]+)+|[a-z]+/[a-z]+`)

// TestReasonNames: what is done in place of a pass that nothing runs is done by something that exists: passes, machine steps and
// operations that a reason names are there, and so are folders.
func TestReasonNames(t *testing.T) {
	known := map[string]bool{}
	for _, target := range Targets() {
		for _, s := range target.Steps {
			known[s.Name] = true
		}
	}
	for _, p := range passes.Registry() {
		known[p.Name] = true
	}
	for i := range ir.NumIntrinsics {
		known[ir.Intrinsic(i).Info().Name] = true
	}
	named := 0
	for _, p := range passes.Registry() {
		for _, name := range reasonName.FindAllString(p.Instead, -1) {
			named++
			if _, err := os.Stat(name); err != nil && !known[name] {
				t.Errorf("%s: the reason names %s, which is no pass, step, intrinsic or folder", p.Name, name)
			}
		}
	}
	if named == 0 {
		t.Error("no reason names anything")
	}
}
