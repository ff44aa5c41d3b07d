package backend_test

import (
	"testing"

	"nirc/backend"
	"nirc/backend/agx"
	"nirc/backend/ir3"
	"nirc/backend/midgard"
	"nirc/passes"
)

// TestSteps: the machine steps of a target have names of their own, which no
// pass has, say what they do, and stand after what they need.
func TestSteps(t *testing.T) {
	for _, b := range []backend.Backend{ir3.Target{}, agx.Target{}, midgard.Target{}} {
		for _, g := range b.GPUs() {
			seen := map[string]bool{}
			steps := b.Steps(g.Name)
			for _, st := range steps {
				if seen[st.Name] {
					t.Errorf("%s %s: two steps have the name %s", b.Name(), g.Name, st.Name)
				}
				if passes.Find(st.Name) != nil {
					t.Errorf("%s: the step %s has the name of a pass", b.Name(), st.Name)
				}
				if st.Doc == "" {
					t.Errorf("%s: the step %s says nothing about itself", b.Name(), st.Name)
				}
				for _, before := range st.After {
					if !seen[before] {
						t.Errorf("%s: %s must come after %s, which is no step before it", b.Name(), st.Name, before)
					}
				}
				seen[st.Name] = true
			}
		}
	}
}
