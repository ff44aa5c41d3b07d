package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nirc/passes"
)

// The listing of docs/nir.md says of each file of NIR what `nirc passes --nir` says, with folders in place of files, and counts
// the classes as it does (-update writes the counts); the passes that its other tables name exist.
func TestPagesNIR(t *testing.T) {
	have := map[string]bool{}
	for _, p := range passes.Registry() {
		have[p.Name] = true
	}
	rows := readNIR()
	want := map[string]string{}
	for _, r := range rows {
		want[r.file] = nirCell(r.ours)
	}
	text := pages(t)["docs/nir.md"]
	countsOfNIR(t, text, rows)
	listed := 0
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\|")
	for _, m := range row.FindAllStringSubmatch(text, -1) {
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

// countsOfNIR holds the page's counts of classes to the table.
func countsOfNIR(t *testing.T, text string, rows []nirRow) {
	for _, c := range countNIR(rows) {
		want := fmt.Sprintf("| class %s | %d | %d | %d |", c.class, c.stand, c.part, c.absent)
		line := regexp.MustCompile(`(?m)^\| class ` + c.class + ` \|.*$`)
		if got := line.FindString(text); got == want {
			continue
		}
		if !*update || !line.MatchString(text) {
			t.Errorf("docs/nir.md: want %q: go test ./cmd/nirc -run TestPagesNIR -update", want)
			continue
		}
		text = line.ReplaceAllString(text, want)
		if err := os.WriteFile("../../docs/nir.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
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

// The list of NIR's files is whole, and the files it names exist.
func TestNIRRows(t *testing.T) {
	classes := map[string]int{}
	last := ""
	for _, r := range readNIR() {
		classes[r.class]++
		if strings.HasPrefix(r.file, "nir") && r.file < last {
			t.Errorf("%s stands after %s", r.file, last)
		}
		last = r.file
		if r.byTheLanguage() {
			continue
		}
		for _, name := range strings.Fields(r.candidates) {
			if !isPath(name) {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", "..", name)); err != nil {
				t.Errorf("%s: %v", r.file, err)
			}
		}
	}
	if classes["A"] != 113 || classes["B"] != 66 || classes["C"] != 42 {
		t.Errorf("classes %v, want 113 A, 66 B, 42 C", classes)
	}
}

// Each name of the list leads somewhere: what stands for a file is a pass, something that the compiler says the place of here, or a file,
// and so is each pass that a file is named after.
func TestNIRNames(t *testing.T) {
	named := regexp.MustCompile(`^nir_((?:lower|opt|split|remove|from|to|inline|propagate|normalize|move|scale|shrink)_.*)\.c$`)
	for _, r := range readNIR() {
		if r.byTheLanguage() {
			continue
		}
		names := strings.Fields(r.candidates)
		if m := named.FindStringSubmatch(r.file); m != nil {
			names = append(names, m[1])
		}
		for _, name := range names {
			if !isPath(name) && passes.ForNIR(name) == "" {
				t.Errorf("%s: %s is no pass, and nobody is told what does its work here", r.file, name)
			}
		}
	}
	// What the compiler says of such a name are passes that exist, with options that they have.
	for _, name := range []string{"zero_initialize_shared_memory", "nir_lower_discard_or_demote", "build_addr", "lower_int64_float_conversions", "clear_shared_memory"} {
		_, err := passes.ParsePassList(name)
		if err == nil {
			t.Errorf("%s is a pass", name)
			continue
		}
		_, here, _ := strings.Cut(err.Error(), "here: ")
		here, _, _ = strings.Cut(strings.TrimSuffix(here, ")"), ",")
		if _, err := passes.ParsePassList(here); here == "" || err != nil {
			t.Errorf("%s: %q: %v", name, here, err)
		}
	}
}

// Each feature of a file of NIR is named once, and the tests that show it exist and are about what stands for the file.
func TestNIRFeatures(t *testing.T) {
	sources := map[string]string{}
	for _, r := range readNIR() {
		if len(r.features) == 0 && !r.byTheLanguage() {
			t.Errorf("%s has no features", r.file)
		}
		seen := map[string]bool{}
		for _, f := range r.features {
			if f.name == "" || seen[f.name] {
				t.Errorf("%s: feature %q is there twice", r.file, f.name)
			}
			seen[f.name] = true
			for _, test := range f.tests {
				if err := r.findTest(test, sources); err != nil {
					t.Errorf("%s, %s: %v", r.file, f.name, err)
				}
			}
		}
	}
}

var goTest = regexp.MustCompile(`^(.+)\.(Test\w+)(?:/(\S+))?$`)

// findTest looks for a test of the row: FOLDER/NAME is a text of passes/testdata that runs one of the row's passes,
// FOLDER.TestName a Go test, whose file names one of the row's passes if it is in passes; with /CASE it names that.
func (r *nirRow) findTest(test string, sources map[string]string) error {
	about := ""
	m := goTest.FindStringSubmatch(test)
	if m == nil {
		data, err := os.ReadFile("../../passes/testdata/" + test + ".txtar")
		if err != nil {
			return err
		}
		about = path.Dir(test) + " " + strings.SplitN(string(data), "-- in --", 2)[0]
	} else if about = declaring(m[1], m[2], sources); about == "" {
		return fmt.Errorf("%s has no test %s", m[1], m[2])
	} else if m[3] != "" && !strings.Contains(about, m[3]) {
		return fmt.Errorf("the file of %s.%s does not name %s", m[1], m[2], m[3])
	}
	own := strings.FieldsFunc(r.ours, func(c rune) bool { return c == ' ' })
	own = slices.DeleteFunc(own, isPath)
	if len(own) == 0 || m != nil && m[1] != "passes" || test == "passes.TestRandomPrograms" {
		return nil
	}
	if !slices.ContainsFunc(own, func(pass string) bool { return strings.Contains(about, pass) }) && !isPath(r.ours) {
		return fmt.Errorf("%s does not run any of %s", test, r.ours)
	}
	return nil
}

// declaring returns the source of the test file in a folder that declares a test, or "".
func declaring(folder, name string, sources map[string]string) string {
	key := folder + "." + name
	if s, ok := sources[key]; ok {
		return s
	}
	files, _ := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(data), "\nfunc "+name+"(") {
			sources[key] = string(data)
			break
		}
	}
	return sources[key]
}
