package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"nirc/internal/figures"
)

const figuresHead = `# Figures

What ` + "`nirc stats`" + ` and ` + "`nirc compile --stats`" + ` count, by target. ` + "`nirc stats --explain FIGURE`" + ` says the same. Modelled cycles are those of [cost.md](cost.md); in JSON and CSV they are hundredths.
This page is made of the tables in ` + "`stats_figures.go`" + ` of each backend and ` + "`internal/figures/words.go`" + `: ` + "`go test ./cmd/nirc -run TestFiguresPage -update`" + ` writes it again.

`

// TestFiguresPage: docs/figures.md is the table of figures, and that has each figure that a target gives, and no other.
func TestFiguresPage(t *testing.T) {
	path, want := repository+"/docs/figures.md", figuresHead+strings.TrimRight(figures.Markdown(), "\n")+"\n"
	if have, _ := os.ReadFile(path); string(have) != want {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		} else {
			t.Error("docs/figures.md is not current: go test ./cmd/nirc -run TestFiguresPage -update")
		}
	}
	for _, target := range []string{"ir3", "agx", "midgard", "ir"} {
		var out bytes.Buffer
		if code := run(t.Context(), []string{"stats", "--format", "json", "-t", target, "../../testdata/blur.comp.spv"}, streams{in: strings.NewReader(""), out: &out, err: &out}); code != 0 {
			t.Fatal(out.String())
		}
		var set figures.Set
		if err := json.Unmarshal(out.Bytes(), &set); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range set.Shaders[0].Stats {
			names = append(names, s.Name)
			if !slices.ContainsFunc(figures.Figures(), func(f figures.Figure) bool { return f.Name == s.Name && f.Of(target) }) {
				t.Errorf("%s: %q has no words", target, s.Name)
			}
		}
		for i := range figures.Figures() {
			if f := &figures.Figures()[i]; f.Of(target) && !slices.Contains(names, f.Name) {
				t.Errorf("%s has no %q, of which there are words", target, f.Name)
			}
		}
	}
}
