// Package importcheck holds the import graph to the table of rooms in docs/architecture.md: which
// package may import which of ours, and which may import modules of others. Nothing imports it; its
// test reads the table and applies it to the module.
package importcheck

import (
	"fmt"
	"regexp"
	"strings"
)

// module is the path of ours.
const module = "nirc"

// rootRoom is what the table calls the package in the module's own folder.
const rootRoom = `nirc`

// A Room is a row of the table: packages with the same rights.
type Room struct {
	// Forms say which packages are in it: a path below the module, "" the root; "x/..." is x and all
	// below, "x/<isa>" stands for one element, which <isa> in may then is.
	Forms []string
	// TestsOnly: only tests import them.
	TestsOnly bool
	// may lists what may be imported, in the same form, and packages of other modules.
	may []string
	// everything may be imported.
	everything bool
}

// Rooms are the rows of the table.
type Rooms []Room

var codeSpan = regexp.MustCompile("`([^`]+)`")

// Parse reads the rooms from the text of docs/architecture.md.
func Parse(doc string) (Rooms, error) {
	_, table, ok := strings.Cut(doc, "\n| room |")
	if !ok {
		return nil, fmt.Errorf("there is no table of rooms")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var list Rooms
	for _, row := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
		if len(cells) != 3 {
			return nil, fmt.Errorf("a row has not three cells: %s", row)
		}
		r := Room{Forms: spans(cells[0]), TestsOnly: strings.HasPrefix(strings.TrimSpace(cells[1]), "for tests only"), may: spans(cells[2])}
		switch text := strings.TrimSpace(cells[2]); {
		case text == "everything":
			r.everything = true
		case text != "nothing" && len(r.may) == 0, len(r.Forms) == 0:
			return nil, fmt.Errorf("a row says neither packages, nor everything, nor nothing: %s", row)
		}
		list = append(list, r)
	}
	return list, nil
}

// spans lists the code spans of a cell, the root as "".
func spans(cell string) (list []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		if m[1] == rootRoom {
			m[1] = ""
		}
		list = append(list, m[1])
	}
	return list
}

// match reports whether a path fits a form. isa is what <isa> stands for, "" if nothing yet; what it
// then stands for is returned.
func match(form, path, isa string) (string, bool) {
	f, p := strings.Split(form, "/"), strings.Split(path, "/")
	for i, e := range f {
		switch {
		case e == "...":
			return isa, true
		case i >= len(p):
			return isa, false
		case e == "<isa>" && (isa == "" || isa == p[i]):
			isa = p[i]
		case e != p[i]:
			return isa, false
		}
		if i == len(f)-2 && f[i+1] == "..." && len(p) == i+1 {
			return isa, true
		}
	}
	return isa, len(f) == len(p)
}

// Of returns the room of a package, by its path below the module, and its instruction set: of the
// rows that fit, the one with the most elements that are names. It is nil if there is none.
func (l Rooms) Of(path string) (room *Room, isa string) {
	best := -1
	for i := range l {
		for _, f := range l[i].Forms {
			at, ok := match(f, path, "")
			if !ok {
				continue
			}
			names := 0
			for _, e := range strings.Split(f, "/") {
				switch e {
				case "...":
				case "<isa>":
					names++
				default:
					names += 2
				}
			}
			if names > best {
				room, isa, best = &l[i], at, names
			}
		}
	}
	return room, isa
}

// Check returns what is wrong with the imports of a package of ours; paths
// are import paths.
func (l Rooms) Check(pkg string, imports []string) []string {
	r, isa := l.Of(strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/"))
	if r == nil {
		return []string{fmt.Sprintf("%s is in no room: give it one in docs/architecture.md", pkg)}
	}
	var wrong []string
	for _, imp := range imports {
		if !l.allows(r, imp, isa) {
			wrong = append(wrong, fmt.Sprintf("%s may not import %s", pkg, imp))
		}
	}
	return wrong
}

func (l Rooms) allows(r *Room, imp, isa string) bool {
	rel, ours := strings.CutPrefix(imp, module+"/")
	if imp == module {
		rel, ours = "", true
	}
	first, _, _ := strings.Cut(imp, "/")
	if !ours && !strings.Contains(first, ".") {
		return true // the standard library
	}
	if ours && !r.TestsOnly {
		if to, _ := l.Of(rel); to != nil && to.TestsOnly {
			return false
		}
	}
	if r.everything {
		return true
	}
	for _, m := range r.may {
		if _, ok := match(m, rel, isa); ok && (ours || m == imp) {
			return true
		}
	}
	return false
}
