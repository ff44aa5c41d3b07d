package main

import (
	_ "embed"
	"fmt"
	"strings"

	"nirc/passes"
)

// nirRows lists the files of NIR as of July 2023, in alphabetical order: name,
// class, and what may stand for it here: names of passes, of which only
// those that the registry knows are shown, and files, which exist (a test sees to
// that). The facts are those of nir.md §1.
//
//go:embed nir.tsv
var nirRows string

// listNIR writes a line for each file of NIR: its name, its class, and what
// stands for it, or -.
func (a *app) listNIR() error {
	have := map[string]bool{}
	for _, p := range passes.Registry() {
		have[p.Name] = true
	}
	var b strings.Builder
	for row := range strings.Lines(nirRows) {
		cols := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		ours := "-"
		if len(cols) > 2 {
			ours = standsFor(cols[2], have)
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", cols[0], cols[1], ours)
	}
	return a.writeFile("-", []byte(b.String()))
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
