package gputest

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"

	"nirc/internal/refs"
)

// HeldPrograms collects, while a test holds it, the programs that the tests of a package compile.
type HeldPrograms struct {
	test *testing.T // that holds them, or nil
	n    int
	sum  Digest // the same in whatever order they are compiled
}

// Hold holds all that t adds to its row of testdata/held_programs.tsv: how many programs they are, and a digest of them. Running them
// shows what is wrong; this, what becomes longer, waits without need, or tells a driver something else. Whole grids have other
// programs, and of a test of those only that it has a row is held; of a test whose subtests are chosen, nothing.
func (h *HeldPrograms) Hold(t *testing.T) {
	if h.test != nil {
		t.Fatalf("%s holds the programs already", h.test.Name())
	}
	*h = HeldPrograms{test: t}
	t.Cleanup(func() {
		h.test = nil
		switch {
		case t.Failed(), t.Skipped(), partly():
		case !refs.WholeGrids():
			holdRow(t, "held_programs.tsv", t.Name(), fmt.Sprintf("%d\t%016x", h.n, uint64(h.sum)))
		case readTable(t, "held_programs.tsv")[t.Name()] == "":
			t.Error("has no row in testdata/held_programs.tsv, go test -update writes it")
		}
	})
}

// partly reports whether the command asks for some subtests of a test.
func partly() bool {
	run := flag.Lookup("test.run")
	return run != nil && strings.Contains(run.Value.String(), "/")
}

// Add adds a program: its code, what a driver is told of it, its figures, and where its code comes from. A test that compiles holds what
// it compiles.
func (h *HeldPrograms) Add(code []byte, meta, stats, lines any) {
	if h.test == nil {
		panic("gputest: a program of a test that holds none: let it call programs.Hold(t) first")
	}
	text, err := json.Marshal([]any{meta, stats, lines})
	if err != nil {
		panic(err) // an object could not have them either
	}
	var d Digest
	d.Bytes(code)
	d.Bytes(text)
	h.n++
	h.sum += d
}
