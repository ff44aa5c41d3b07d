package gputest

import (
	"encoding/json"
	"fmt"
	"testing"

	"nirc/internal/refs"
)

// HeldPrograms collects, while a test holds it, the programs that the tests of a package compile.
type HeldPrograms struct {
	held bool
	n    int
	sum  Digest // the same in whatever order they are compiled
}

// Hold holds all that t adds to its row of testdata/held_programs.tsv: how many programs they are, and a digest of them. Running them
// shows what is wrong; this, what becomes longer, waits without need, or tells a driver something else. Whole grids have other
// programs, and of a test of those only that it has a row is held.
func (h *HeldPrograms) Hold(t *testing.T) {
	if refs.WholeGrids() {
		if readTable(t, "held_programs.tsv")[t.Name()] == "" {
			t.Error("has no row in testdata/held_programs.tsv, go test -update writes it")
		}
		return
	}
	*h = HeldPrograms{held: true}
	t.Cleanup(func() {
		if h.held = false; t.Failed() {
			return
		}
		holdRow(t, "held_programs.tsv", t.Name(), fmt.Sprintf("%d\t%016x", h.n, uint64(h.sum)))
	})
}

// Add adds a program: its code, what a driver is told of it, and its figures.
func (h *HeldPrograms) Add(code []byte, meta, stats any) {
	if !h.held {
		return
	}
	text, err := json.Marshal([]any{meta, stats})
	if err != nil {
		panic(err) // an object could not have them either
	}
	var d Digest
	d.Bytes(code)
	d.Bytes(text)
	h.n++
	h.sum += d
}
