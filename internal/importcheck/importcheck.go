// Package importcheck holds the rules of the import graph: which package may
// import which of ours, and which may import modules of others. The rules are
// those of the table in docs/architecture.md; the package's test applies them
// to the module. Nothing imports it.
package importcheck

import (
	"fmt"
	"strings"
)

// module is the path of ours.
const module = "nirc"

// A room is a set of packages with the same rights.
type room struct {
	// path is a package below the module, "" the root; "x/..." is x and all below,
	// "x/*" stands for one element, which * in may then is.
	path string
	// may lists what of ours may be imported, in the same form; "all" is anything.
	may []string
	// others lists prefixes of other modules' packages.
	others []string
}

// rooms are looked through in order: the first that fits a package is its room.
var rooms = []room{
	{path: "ir/optab"},
	{path: "ir", may: []string{"ir/optab", "internal/slab"}},
	{path: "ir/interp", may: []string{"ir", "ir/optab", "internal/emu"}},
	{path: "ir/irtest", may: []string{"ir", "ir/optab"}},
	{path: "frontend/spirv/...", may: []string{"ir", "ir/optab", "frontend/spirv/...", "internal/slab"}},
	{path: "passes/...", may: []string{"ir", "ir/optab", "passes/...", "internal/slab"}, others: []string{"go.yaml.in/yaml/"}},
	{path: "internal/emu", may: []string{"ir"}},
	{path: "backend/object", may: []string{"ir"}},
	{path: "backend", may: []string{"ir", "passes/...", "backend/object", "internal/emu"}},
	{path: "backend/mach", may: []string{"internal/slab"}},
	{path: "backend/resource", may: []string{"ir"}},
	{path: "backend/gputest", may: []string{"ir", "ir/interp", "passes", "internal/emu"}, others: []string{"golang.org/x/tools/txtar"}},
	{path: "backend/cost"},
	{path: "backend/*/isa"},
	{path: "backend/*/...", may: []string{"ir", "ir/optab", "passes/...", "backend", "backend/cost", "backend/mach", "backend/resource", "internal/slab", "backend/object", "internal/emu", "backend/*/..."}},
	{path: "internal/amber", may: []string{"ir", "internal/emu", "frontend/spirv/spv"}},
	{path: "internal/gen/...", may: []string{"ir/...", "passes/...", "frontend/spirv/...", "backend/..."}},
	{path: "internal/slab"},
	{path: "internal/mutants"},
	{path: "internal/jsonplace"},
	{path: "internal/importcheck"},
	{path: "internal/bench", may: []string{"", "ir", "passes", "backend/object"}},
	{path: "internal/...", may: []string{"all"}},
	{path: "cmd/...", may: []string{"all"}, others: []string{""}},
	{path: "", may: []string{"ir", "ir/optab", "ir/interp", "frontend/...", "passes/...", "backend/...", "backend/object", "internal/emu", "internal/amber", "internal/jsonplace"}},
}

// testOnly are packages that only tests import.
var testOnly = []string{"ir/irtest", "backend/gputest", "internal/refs", "internal/mangle"}

// match reports whether path fits the form. star is what * stands for, "" if
// nothing yet; the element that it then stands for is returned.
func match(form, path, star string) (string, bool) {
	if form == path || form == "all" {
		return star, true
	}
	f, p := strings.Split(form, "/"), strings.Split(path, "/")
	for i, e := range f {
		switch {
		case e == "...":
			return star, true
		case i >= len(p):
			return star, false
		case e == "*" && (star == "" || star == p[i]):
			star = p[i]
		case e != p[i]:
			return star, false
		}
		if i == len(f)-2 && f[i+1] == "..." && len(p) == i+1 {
			return star, true
		}
	}
	return star, len(f) == len(p)
}

// Check returns what is wrong with the imports of a package of ours; paths
// are import paths.
func Check(pkg string, imports []string) []string {
	path := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
	var r *room
	star := ""
	for i := range rooms {
		if s, ok := match(rooms[i].path, path, ""); ok {
			r, star = &rooms[i], s
			break
		}
	}
	if r == nil {
		return []string{fmt.Sprintf("%s is in no room: give it one in internal/importcheck and in docs/architecture.md", pkg)}
	}
	var wrong []string
	for _, imp := range imports {
		if !r.allows(imp, star) {
			wrong = append(wrong, fmt.Sprintf("%s may not import %s", pkg, imp))
		}
	}
	return wrong
}

func (r *room) allows(imp, star string) bool {
	rel, ours := strings.CutPrefix(imp, module+"/")
	if imp == module {
		rel, ours = "", true
	}
	if !ours {
		first, _, _ := strings.Cut(imp, "/")
		if !strings.Contains(first, ".") {
			return true // the standard library
		}
		for _, o := range r.others {
			if strings.HasPrefix(imp, o) {
				return true
			}
		}
		return false
	}
	for _, t := range testOnly {
		if rel == t {
			return false
		}
	}
	for _, m := range r.may {
		if _, ok := match(m, rel, star); ok {
			return true
		}
	}
	return false
}
