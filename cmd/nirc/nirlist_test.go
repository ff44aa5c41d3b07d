package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nirc/passes"
)

// The listing of docs/nir.md says of each file of NIR what `nirc passes --nir` says, with folders in place of files; the
// passes that its other tables name exist.
func TestPagesNIR(t *testing.T) {
	have := map[string]bool{}
	for _, p := range passes.Registry() {
		have[p.Name] = true
	}
	want := map[string]string{}
	for row := range strings.Lines(nirRows) {
		cols := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		want[cols[0]] = "—"
		if len(cols) > 2 {
			want[cols[0]] = nirCell(standsFor(cols[2], have))
		}
	}
	listed := 0
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\|")
	for _, m := range row.FindAllStringSubmatch(pages(t)["docs/nir.md"], -1) {
		if w, ok := want[m[1]]; ok {
			listed++
			if m[2] != w {
				t.Errorf("docs/nir.md says of %s %s, and it is %s", m[1], m[2], w)
			}
			continue
		}
		for _, c := range codeSpan.FindAllStringSubmatch(m[2], -1) {
			if !have[c[1]] {
				t.Errorf("docs/nir.md: there is no pass %s", c[1])
			}
		}
	}
	if listed != len(want) {
		t.Errorf("docs/nir.md has %d of %d rows", listed, len(want))
	}
}

// nirCell is what the page writes for what stands for a file: names of passes, and folders.
func nirCell(ours string) string {
	var cells []string
	if ours == "-" || strings.HasPrefix(ours, "(") {
		return "—"
	}
	for name := range strings.FieldsSeq(ours) {
		if dir := path.Dir(name); isPath(name) && dir != "." {
			name = dir
		}
		if cell := "`" + name + "`"; !slices.Contains(cells, cell) {
			cells = append(cells, cell)
		}
	}
	return strings.Join(cells, ", ")
}
