package main

import (
	"testing"

	"nirc/passes"
)

// TestPassDoc: each pass has a sentence, with options or without; what is none has no sentence.
func TestPassDoc(t *testing.T) {
	for _, p := range passes.Registry() {
		if doc := passDoc(p.Name); doc == "" || doc != summary(p.Doc) || passDoc(p.Name+"(x=1)") != doc {
			t.Errorf("%s: %q", p.Name, doc)
		}
	}
	if doc := passDoc("opt_nothing"); doc != "" {
		t.Errorf("opt_nothing: %q", doc)
	}
}
