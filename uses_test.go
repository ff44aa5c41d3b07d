package nirc

import (
	"slices"
	"strings"
	"testing"

	"nirc/passes"
)

// TestPassUses: each pass runs in a pipeline, between the steps of a code generator or for a state, or says what does its work and why it
// stays; none says so that runs.
func TestPassUses(t *testing.T) {
	all, err := DefaultPipelines()
	if err != nil {
		t.Fatal(err)
	}
	uses := all.Uses()
	kinds := map[string]int{}
	for _, p := range passes.Registry() {
		kind, reason, _ := strings.Cut(p.Instead, ": ")
		switch {
		case len(uses[p.Name]) == 0 && p.Instead == "":
			t.Errorf("%s: nothing runs it, and it does not say what is done instead", p.Name)
		case len(uses[p.Name]) > 0 && p.Instead != "":
			t.Errorf("%s: %s run it, and it says what is done instead: %s", p.Name, uses[p.Name], p.Instead)
		case p.Instead != "" && (!slices.Contains(passes.InsteadKinds, kind) || !strings.Contains(reason, "; it stays for ") && kind != "linking" && kind != "kernels"):
			t.Errorf("%s: want one of %s, and for what it stays: %s", p.Name, passes.InsteadKinds, p.Instead)
		}
		if p.Instead != "" {
			kinds[kind]++
		}
	}
	t.Logf("%d passes run; not: %v", len(uses), kinds)
}
