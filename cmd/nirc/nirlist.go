package main

import (
	_ "embed"
	"fmt"
	"strings"

	"nirc/passes"
)

// nirRows lists the files of NIR as of July 2023, in alphabetical order: name,
// class, and what may stand for it here: names of passes, of which only
// those that the registry knows are shown, and files, which exist. After a row
// come its features, a line each that begins with a tab: what nir.md §1 asks
// of the file, and the tests that show it, or - where nothing does. Tests say that
// all of this exists. docs/adding.md has the forms.
//
//go:embed nir.tsv
var nirRows string

// nirRow is a file of NIR, and how deep what stands for it here goes.
type nirRow struct {
	file, class, candidates string
	// ours is what there is of the candidates, or -.
	ours     string
	features []nirFeature
}

// nirFeature is something that a file of NIR does. No tests: it is not done here.
type nirFeature struct {
	name  string
	tests []string
}

// readNIR reads nirRows.
func readNIR() []nirRow {
	have := map[string]bool{}
	for _, p := range passes.Registry() {
		have[p.Name] = true
	}
	var rows []nirRow
	for line := range strings.Lines(nirRows) {
		cols := append(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), "", "")
		if cols[0] != "" {
			rows = append(rows, nirRow{file: cols[0], class: cols[1], candidates: cols[2], ours: standsFor(cols[2], have)})
			continue
		}
		f := nirFeature{name: cols[1]}
		if cols[2] != "-" {
			f.tests = strings.Fields(cols[2])
		}
		last := &rows[len(rows)-1]
		last.features = append(last.features, f)
	}
	return rows
}

// byTheLanguage reports rows for which Go itself stands.
func (r *nirRow) byTheLanguage() bool { return strings.HasPrefix(r.candidates, "(") }

// lacks lists the features that no test shows.
func (r *nirRow) lacks() []string {
	var names []string
	for _, f := range r.features {
		if len(f.tests) == 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// state is stand where each feature has its tests, absent where nothing does
// what the file does, else part.
func (r *nirRow) state() string {
	switch missing := len(r.lacks()); {
	case r.byTheLanguage() || r.ours != "-" && missing == 0:
		return "stand"
	case r.ours == "-" || missing == len(r.features):
		return "absent"
	}
	return "part"
}

// tests counts those that show the row's features, each once.
func (r *nirRow) tests() int {
	seen := map[string]bool{}
	for _, f := range r.features {
		for _, t := range f.tests {
			seen[t] = true
		}
	}
	return len(seen)
}

// listNIR writes a line for each file of NIR: its name, class and state, how
// many of its features tests show, by how many tests, what stands for it, or -, and what it lacks;
// then how many of each class stand, and the tests of their rows.
func (a *app) listNIR() error {
	var b strings.Builder
	rows := readNIR()
	for _, r := range rows {
		missing := r.lacks()
		fmt.Fprintf(&b, "%s\t%s\t%s\t%d/%d\t%d tests\t%s", r.file, r.class, r.state(), len(r.features)-len(missing), len(r.features), r.tests(), r.ours)
		if len(missing) > 0 {
			fmt.Fprintf(&b, "\tlacks %s", strings.Join(missing, ", "))
		}
		b.WriteByte('\n')
	}
	for _, c := range countNIR(rows) {
		fmt.Fprintf(&b, "class %s\t%d stand\t%d part\t%d absent\t%d tests\n", c.class, c.stand, c.part, c.absent, c.tests)
	}
	return a.writeFile("-", []byte(b.String()))
}

// nirCount says how many rows of a class are in each state.
type nirCount struct {
	class                      string
	stand, part, absent, tests int
}

// countNIR counts the rows by class.
func countNIR(rows []nirRow) []nirCount {
	counts := []nirCount{{class: "A"}, {class: "B"}, {class: "C"}}
	for i := range rows {
		c := &counts[rows[i].class[0]-'A']
		c.tests += rows[i].tests()
		switch rows[i].state() {
		case "stand":
			c.stand++
		case "part":
			c.part++
		default:
			c.absent++
		}
	}
	return counts
}

// standsFor keeps what there is of a row's candidates.
func standsFor(list string, have map[string]bool) string {
	if strings.HasPrefix(list, "(") {
		return list
	}
	var found []string
	for _, name := range strings.Fields(list) {
		if have[name] || isPath(name) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return "-"
	}
	return strings.Join(found, " ")
}

// isPath tells the name of a file or folder of this repository from that of a pass.
func isPath(name string) bool { return strings.ContainsAny(name, "/.") }
