package spirv_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"nirc"
	"nirc/backend/gputest"
	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/prove"
	"nirc/ir"
)

// TestHeldModules: the IR of each entry point of our modules, with and without places, or why there is none, is what
// testdata/held_modules.tsv says, a row for each module.
func TestHeldModules(t *testing.T) {
	rows := map[string]string{}
	digests := map[string]*gputest.Digest{}
	count := map[string]int{}
	add := func(file, text string) {
		if digests[file] == nil {
			digests[file] = new(gputest.Digest)
		}
		digests[file].Bytes([]byte(text))
		count[file]++
		rows[file] = fmt.Sprintf("%d\t%016x", count[file], uint64(*digests[file]))
	}
	hold := func(file string, m *spv.Module, o spirv.Options) {
		for _, o.Debug = range []bool{false, true} {
			s, err := spirv.Translate(m, o)
			if err != nil {
				add(file, err.Error())
				return
			}
			add(file, ir.Print(s))
		}
	}
	prove.EachForm(t, "../..", func(file string, m *nirc.Module, o nirc.Options) {
		if o.Next != ir.StageNone {
			return
		}
		hold(file, m.SPIRV, spirv.Options{Entry: o.Entry, Stage: o.Stage})
	})
	kernels, err := filepath.Glob("../../internal/exec/testdata/kernels/*.spv")
	if err != nil || len(kernels) == 0 {
		t.Fatal(len(kernels), err)
	}
	for _, file := range kernels {
		m, err := nirc.LoadFile(t.Context(), file, nirc.FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range m.EntryPoints() {
			hold("kernels/"+filepath.Base(file), m.SPIRV, spirv.Options{Entry: e.Name, Stage: e.Stage})
		}
	}
	gputest.HoldTable(t, "held_modules.tsv", rows)
}
