package main

import (
	"bytes"
	"os"
	"testing"
)

// TestPageIsCurrent: docs/ops.md is what the tables say.
func TestPageIsCurrent(t *testing.T) {
	have, err := os.ReadFile("../../../docs/ops.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, Page()) {
		t.Error("docs/ops.md is not what the tables say: run go generate ./ir")
	}
}
