package backend_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStages holds the tables of stages in docs/architecture.md to the tree: each file of a
// backend belongs to one stage, or to one idea of its own, and what they list is there.
func TestStages(t *testing.T) {
	text, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Three backends, one plan\n")
	section, _, _ = strings.Cut(section, "\n## ")
	listed := stageFiles(t, section)
	for target, patterns := range listed {
		for _, wrong := range misplaced(target, patterns) {
			t.Errorf("docs/architecture.md: %s: %s", target, wrong)
		}
	}
	if len(listed) != 3 {
		t.Errorf("%d backends are listed", len(listed))
	}
}

// stageFiles reads the tables: patterns of file names by backend.
func stageFiles(t *testing.T, section string) map[string][]string {
	files := map[string][]string{}
	var columns []string
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = nil
		case columns == nil:
			columns = cells
		case strings.HasPrefix(line, "| ---"):
		case len(cells) != len(columns):
			t.Errorf("%q has %d cells, not %d", line, len(cells), len(columns))
		case columns[len(columns)-1] == "files":
			files[cells[1]] = append(files[cells[1]], names(cells[2])...)
		default:
			for i := 2; i < len(cells); i++ {
				files[columns[i]] = append(files[columns[i]], names(cells[i])...)
			}
		}
	}
	return files
}

// names are the names in backquotes of a cell.
func names(cell string) (list []string) {
	for i, s := range strings.Split(cell, "`") {
		if i&1 == 1 {
			list = append(list, s)
		}
	}
	return list
}

// misplaced says which files of a backend are in no pattern or in two, and which patterns no file has.
func misplaced(target string, patterns []string) (wrong []string) {
	files, _ := filepath.Glob(target + "/*.go")
	used := map[string]bool{}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".go")
		if strings.HasSuffix(name, "_test") {
			continue
		}
		n := 0
		for _, p := range patterns {
			if ok, _ := filepath.Match(p, name); ok {
				used[p] = true
				n++
			}
		}
		if n != 1 {
			wrong = append(wrong, f+" is in "+[...]string{"no row", "", "several rows"}[min(n, 2)])
		}
	}
	for _, p := range patterns {
		if !used[p] {
			wrong = append(wrong, "no file is called "+p)
		}
	}
	return wrong
}
