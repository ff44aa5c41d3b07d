package main

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// Changed programs are built once: each change stands in the text beside what it
// changes, and a number in the environment says which of the two runs.

// switchPath is the package that reads the number; it exists in overlays alone.
const switchPath = "nirc/internal/mutants/on"

// switchText is its file: On reports whether change n is the one that is made, and notes
// that the program came there.
const switchText = `// Package on says which change of the program is made.
package on

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

var (
	active = number(os.Getenv("MUTANT"))
	seen   [1 << 16]atomic.Bool
	notes  = open(os.Getenv("MUTANT_SEEN"))
)

func number(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return -1
}

func open(name string) *os.File {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	return f
}

// On reports whether change n is made.
func On(n int) bool {
	if notes != nil && !seen[n].Load() && !seen[n].Swap(true) {
		fmt.Fprintln(notes, n)
	}
	return n == active
}
`

// patch is a site as text: what stands from byte from to byte to of its file.
type patch struct {
	*site
	from, to int
	n        int
	text     string
	// The changed file, and its lines where text stands.
	written     string
	first, last int
}

// patch makes the text of a site, with its number; nil if the change cannot stand beside
// what it changes.
func (s *site) patch(n int, types *typesOf) *patch {
	on := "mutant__.On(" + strconv.Itoa(n) + ")"
	from, to := s.at(s.node.Pos()), s.at(s.node.End())
	if s.with == "" {
		return &patch{site: s, from: from, to: to, n: n, text: "if !" + on + " {\n" + s.of(s.node) + "\n}"}
	}
	child := s.node
	for i := len(s.around) - 1; i >= 0; i-- {
		parent := s.around[i]
		if isCondition(parent, child) {
			a, b := s.both(child)
			return &patch{site: s, from: s.at(child.Pos()), to: s.at(child.End()), n: n, text: "(" + on + " && (" + b + ") || !" + on + " && (" + a + "))"}
		}
		if inList(parent) { // and not one of its clauses, or a block in a list
			if st, ok := child.(ast.Stmt); ok && !inList(st) {
				return s.statement(st, n, on, types)
			}
		}
		child = parent
	}
	return nil
}

// both is the text of a node without the change and with it.
func (s *site) both(n ast.Node) (before, after string) {
	before = s.of(n)
	from, to := s.at(s.node.Pos())-s.at(n.Pos()), s.at(s.node.End())-s.at(n.Pos())
	return before, before[:from] + s.with + before[to:]
}

func isCondition(parent, child ast.Node) bool {
	switch p := parent.(type) {
	case *ast.IfStmt:
		return p.Cond == child
	case *ast.ForStmt:
		return p.Cond == child
	}
	return false
}

// inList reports whether a node's statements are a list in which one may be two.
func inList(n ast.Node) bool {
	switch n.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// statement is a statement twice.
func (s *site) statement(st ast.Stmt, n int, on string, types *typesOf) *patch {
	before, after := s.both(st)
	p := &patch{site: s, from: s.at(st.Pos()), to: s.at(st.End()), n: n}
	switch x := st.(type) {
	case *ast.LabeledStmt, *ast.DeclStmt:
		return nil
	case *ast.ReturnStmt:
		p.text = "if " + on + " {\n" + after + "\n}\n" + before
		return p
	case *ast.AssignStmt:
		if x.Tok == token.DEFINE {
			vars, ok := types.declare(s.source, x)
			if !ok {
				return nil
			}
			eq := s.at(x.TokPos) - p.from
			before, after = before[:eq]+"="+before[eq+2:], after[:eq]+"="+after[eq+2:]
			p.text = vars + "if " + on + " {\n" + after + "\n} else {\n" + before + "\n}"
			return p
		}
	}
	p.text = "if " + on + " {\n" + after + "\n} else {\n" + before + "\n}"
	return p
}

// rewrite is a file with its patches, which do not overlap and stand in order.
func rewrite(f *source, list []*patch) string {
	var w strings.Builder
	lines := 1
	put := func(s string) {
		w.WriteString(s)
		lines += strings.Count(s, "\n")
	}
	at := f.at(f.ast.Name.End())
	put(string(f.text[:at]) + `; import mutant__ "` + switchPath + `"`)
	for _, p := range list {
		put(string(f.text[at:p.from]))
		p.first = lines
		put(p.text)
		p.last, at = lines, p.to
	}
	put(string(f.text[at:]))
	return w.String() + "\nvar _ = mutant__.On\n"
}
