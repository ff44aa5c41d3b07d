package gputest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"nirc/internal/refs"
)

// TestHeldPrograms: what is held is the programs of a test, in whatever order, their metadata and their figures; a test that compiles and
// holds nothing is told to.
func TestHeldPrograms(t *testing.T) {
	if refs.WholeGrids() {
		t.Skip("whole grids are held by their names alone")
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("testdata", 0o777); err != nil {
		t.Fatal(err)
	}
	var h HeldPrograms
	was := *Update
	defer func() { *Update = was }()
	row := func(add ...string) string {
		*Update = true
		name := ""
		t.Run("holder", func(t *testing.T) {
			name = t.Name()
			h.Hold(t)
			for _, a := range add {
				h.Add([]byte(a[:1]), a[1:2], a[2:3], a[3:])
			}
		})
		return readTable(t, "held_programs.tsv")[name]
	}
	want := row("abcd", "efgh")
	if !strings.HasPrefix(want, "2\t") || row("efgh", "abcd") != want {
		t.Errorf("two programs are %q, and %q in the other order", want, row("efgh", "abcd"))
	}
	for _, other := range []string{"xfgh", "exgh", "efxh", "efgx"} {
		if row("abcd", other) == want {
			t.Errorf("%s is taken for efgh", other)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a test that holds nothing compiles")
		}
	}()
	h.Add(nil, nil, nil, nil)
}

// TestPartly: subtests are chosen by a slash.
func TestPartly(t *testing.T) {
	f := flag.Lookup("test.run")
	was := f.Value.String()
	defer f.Value.Set(was)
	for run, want := range map[string]bool{"": false, "TestOps": false, "TestOps|TestRandom": false, "TestOps/fadd": true} {
		if err := f.Value.Set(run); err != nil {
			t.Fatal(err)
		}
		if partly() != want {
			t.Errorf("-run %q: partly is %t", run, !want)
		}
	}
}
