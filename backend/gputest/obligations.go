package gputest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the repository, seen from the folder of a backend, where its tests run.
const root = "../.."

// Obligations are the rows of a target's table in docs/isa, "obligation · who meets it · what the core does if not · fault or test",
// and the switches of its fault.go that leave obligations unmet.
//
// The last cell of a row lists switches (`faultWaits`), tests (TestWaits, or with the folder if that is another than the backend's:
// internal/emu TestRaces) and files, with commas between them. A row without a switch says after "; no switch: " why there can be none.
type Obligations struct {
	rows     []obligation
	switches []string // the number of switches[i] is i + 1
	tried    map[int]bool
	noticed  map[int]bool
}

type obligation struct {
	what     string
	switches []string
	tests    []string
	reason   string // why there is no switch
}

// ReadObligations reads both for a backend, in whose folder the test runs, and demands that they fit: each switch is named by a
// row, and each row names switches and tests that there are.
func ReadObligations(t *testing.T, isa string) *Obligations {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "isa", isa+".md"))
	if err != nil {
		t.Fatal(err)
	}
	o := &Obligations{tried: map[int]bool{}, noticed: map[int]bool{}}
	if o.switches, err = readSwitches("fault.go"); err != nil {
		t.Fatal(err)
	}
	if o.rows, err = parseObligations(string(page)); err != nil {
		t.Fatalf("docs/isa/%s.md: %v", isa, err)
	}
	for _, problem := range o.problems(isTest) {
		t.Errorf("docs/isa/%s.md: %s", isa, problem)
	}
	return o
}

// Number is the number of a switch by its name in fault.go; 0 is none.
func (o *Obligations) Number(t *testing.T, name string) int {
	t.Helper()
	i := slices.Index(o.switches, name)
	if i < 0 {
		t.Fatalf("there is no switch %q", name)
	}
	return i + 1
}

// Try runs a case twice in a subtest: as it is, when it must return no error, and with a switch set, when it must.
func (o *Obligations) Try(t *testing.T, name string, number int, set func(number int), run func(t *testing.T) error) {
	t.Helper()
	o.tried[number] = true
	t.Run(name, func(t *testing.T) {
		if err := run(t); err != nil {
			t.Fatalf("with all obligations met: %v", err)
		}
		defer set(0)
		set(number)
		if err := run(t); err != nil {
			o.noticed[number] = true
			t.Log(err)
			return
		}
		t.Error("nothing notices that the obligation is not met")
	})
}

// Report demands that each switch was tried, and logs how many rows of the table a switch shows, and by which test the others are held.
func (o *Obligations) Report(t *testing.T, isa string) {
	t.Helper()
	var switched, noticed int
	var others []string
	for _, r := range o.rows {
		if len(r.switches) == 0 {
			others = append(others, fmt.Sprintf("obligations of %s: by %s: %s (%s)", isa, strings.Join(r.tests, ", "), r.what, r.reason))
			continue
		}
		switched++
		if !slices.ContainsFunc(r.switches, func(s string) bool { return !o.noticed[o.Number(t, s)] }) {
			noticed++
		}
	}
	t.Logf("obligations of %s: %d rows, %d with a fault switch, %d of these noticed; %d by tests alone", isa, len(o.rows), switched, noticed, len(others))
	for _, line := range others {
		t.Log(line)
	}
	for i, s := range o.switches {
		if !o.tried[i+1] {
			t.Errorf("no case sets %s", s)
		}
	}
}

// problems says what in the table does not fit the switches and the tests that there are.
func (o *Obligations) problems(isTest func(string) bool) []string {
	var found []string
	named := map[string]bool{}
	for _, r := range o.rows {
		for _, s := range r.switches {
			named[s] = true
			if !slices.Contains(o.switches, s) {
				found = append(found, fmt.Sprintf("%q names %s, which fault.go has not", r.what, s))
			}
		}
		for _, name := range r.tests {
			if !isTest(name) {
				found = append(found, fmt.Sprintf("%q names %s, which is neither a test nor a file", r.what, name))
			}
		}
		switch {
		case len(r.switches) == 0 && (len(r.tests) == 0 || r.reason == ""):
			found = append(found, fmt.Sprintf("%q has no switch, and not both a test and the reason", r.what))
		case len(r.switches) > 0 && r.reason != "":
			found = append(found, fmt.Sprintf("%q has a switch and a reason to have none", r.what))
		}
	}
	for _, s := range o.switches {
		if !named[s] {
			found = append(found, "no row names "+s)
		}
	}
	return found
}

// parseObligations reads the table whose first column is called "obligation".
func parseObligations(page string) ([]obligation, error) {
	_, table, ok := strings.Cut(page, "\n| obligation |")
	if !ok {
		return nil, errors.New("no table of obligations")
	}
	lines := strings.Split(table, "\n")[2:] // after the heading and the rule
	var rows []obligation
	for _, line := range lines {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 {
			return nil, fmt.Errorf("%d cells instead of 4: %s", len(cells), line)
		}
		row := obligation{what: cells[0]}
		names, reason, _ := strings.Cut(cells[3], "; no switch: ")
		row.reason = reason
		for name := range strings.SplitSeq(names, ", ") {
			if s := strings.Trim(name, "`"); strings.HasPrefix(s, "fault") {
				row.switches = append(row.switches, s)
			} else {
				row.tests = append(row.tests, s)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// readSwitches are the constants of a file's first group, without the last, which is their number.
func readSwitches(file string) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		var names []string
		for _, s := range group.Specs {
			names = append(names, s.(*ast.ValueSpec).Names[0].Name)
		}
		return names[:len(names)-1], nil
	}
	return nil, fmt.Errorf("%s has no constants", file)
}

// isTest reports whether there is a test "TestName" of the backend, "folder TestName" of the repository, or such a file.
func isTest(name string) bool {
	folder, test := ".", name
	if at := strings.LastIndex(name, " "); at >= 0 {
		folder, test = filepath.Join(root, name[:at]), name[at+1:]
	}
	if !strings.HasPrefix(test, "Test") {
		_, err := os.Stat(filepath.Join(root, name))
		return err == nil
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(test) + `\(`)
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && declared.Match(text)
	})
}
