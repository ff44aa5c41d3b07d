package passes

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
	"nirc/ir/irtest"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:generate go test -run TestEachPass -update .

// eachTable has what TestEachPass found when it was last told to write it.
const eachTable = "testdata/each.tsv"

// TestEachPass runs every pass, and every list of the tests by text, on the shaders of all of these, not just on its own: the table says by
// shader how many of them change it and how many refuse it, and has a digest of what they make of it. Where a change of a pass is meant to
// change that, -update (go generate) writes the table again; NIRC_VERBOSE=1 shows a digest for each list.
func TestEachPass(t *testing.T) {
	inputs, lists := eachInputs(t)
	pipelines := make([]*Pipeline, len(lists))
	for i, l := range lists {
		p, err := ParsePassList(l)
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		pipelines[i] = p
	}
	var b strings.Builder
	b.WriteString("shader\tchanged\trefused\tdigest\n")
	for _, in := range inputs {
		changed, refused := 0, 0
		sum := sha256.New()
		var s *ir.Shader
		for i, p := range pipelines {
			if s == nil {
				s = ir.Clone(in.s)
			}
			progress, err := p.runner(s, nil, false).steps(p.steps)
			if !progress && err == nil {
				continue
			}
			out := ""
			if err != nil {
				refused++
				out = err.Error()
			} else {
				changed++
				if err := ir.Validate(s); err != nil {
					t.Errorf("%s on %s: %v", lists[i], in.name, err)
				}
				out = ir.Print(s)
			}
			s = nil
			fmt.Fprintf(sum, "%s\n%s\n", lists[i], out)
			if os.Getenv("NIRC_VERBOSE") != "" {
				t.Logf("%s: %s: %x", in.name, lists[i], sha256.Sum256([]byte(out)))
			}
		}
		fmt.Fprintf(&b, "%s\t%d\t%d\t%x\n", in.name, changed, refused, sum.Sum(nil)[:8])
	}
	checkTable(t, eachTable, b.String())
}

// checkTable compares a table with the stored one, or writes it.
func checkTable(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) == got {
		return
	}
	want := map[string]bool{}
	for l := range strings.Lines(string(data)) {
		want[l] = true
	}
	for l := range strings.Lines(got) {
		if !want[l] {
			t.Errorf("%s has not the line %s", path, l)
		}
		delete(want, l)
	}
	t.Errorf("%s has %d lines that are not so any more: if the change means to, go generate ./passes writes it again", path, len(want))
}

// eachInput is a shader.
type eachInput struct {
	name string
	s    *ir.Shader
}

// eachInputs are the shaders of testdata, and random ones; and all lists of passes.
func eachInputs(t *testing.T) (inputs []eachInput, lists []string) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, p := range Registry() {
		lists = append(lists, p.Name)
		for _, o := range p.Options {
			switch v := o.Default.(type) {
			case bool:
				lists = append(lists, fmt.Sprintf("%s(%s=%v)", p.Name, o.Name, !v))
			case int:
				lists = append(lists, fmt.Sprintf("%s(%s=%d)", p.Name, o.Name, max(4, 2*v)))
			}
		}
	}
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(ar.Comment)) {
			if l, ok := strings.CutPrefix(line, "passes:"); ok {
				lists = append(lists, strings.TrimSpace(l))
			}
		}
		i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "in" })
		s, err := ir.Parse(string(ar.Files[i].Data))
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, eachInput{name: strings.TrimPrefix(filepath.ToSlash(f), "testdata/"), s: s})
	}
	for seed := int64(1); seed <= 4; seed++ {
		inputs = append(inputs, eachInput{name: fmt.Sprintf("random %d", seed), s: randomShader(seed, 120, seed%2 == 0)})
	}
	for seed := uint64(1); seed <= 8; seed++ {
		inputs = append(inputs, eachInput{name: fmt.Sprintf("runs %d", seed), s: irtest.RandomShader(seed, 300)})
		all := irtest.Config{Seed: seed, Size: 300, Everything: true}.Shader()
		copies := false // from_ssa's own, which it finds nowhere
		for b := range all.Entry().Impl.Blocks() {
			for in := range b.Instrs() {
				copies = copies || in.Kind == ir.KindParallelCopy
			}
		}
		if !copies {
			inputs = append(inputs, eachInput{name: fmt.Sprintf("everything %d", seed), s: all})
		}
	}
	slices.SortFunc(inputs, func(a, b eachInput) int { return cmp.Compare(a.name, b.name) })
	slices.Sort(lists)
	return inputs, slices.Compact(lists)
}
