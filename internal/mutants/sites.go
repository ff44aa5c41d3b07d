package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// pkg is a package whose files are changed.
type pkg struct {
	ImportPath, Dir string
	GoFiles         []string
}

// listPackages asks the go command what the patterns stand for.
func listPackages(patterns []string) ([]pkg, error) {
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var list []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p pkg
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// site is one change of one place.
type site struct {
	pkg  *pkg
	file string // absolute
	fset *token.FileSet
	ast  *ast.File
	pos  token.Pos
	in   string // the function it stands in
	what string // "< becomes <="
	// edit makes the change, undo takes it back.
	edit, undo func()
}

// String names the place and the change.
func (s *site) String() string {
	p := s.fset.Position(s.pos)
	return fmt.Sprintf("%s/%s:%d %s: %s", s.pkg.ImportPath, filepath.Base(s.file), p.Line, s.in, s.what)
}

// key is the site in equivalent.txt: it holds while the function's text before
// the place keeps its number of equal changes, whatever the line.
func (s *site) key() string {
	return s.pkg.ImportPath + "/" + filepath.Base(s.file) + " " + s.in + ": " + s.what
}

// text is the changed file.
func (s *site) text() ([]byte, error) {
	s.edit()
	defer s.undo()
	var w bytes.Buffer
	err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).Fprint(&w, s.fset, s.ast)
	return w.Bytes(), err
}

// sites finds the places of a package in the order of its files. Generated
// files are tables that have tests of their own.
func (p *pkg) sites() ([]site, error) {
	var list []site
	for _, name := range p.GoFiles {
		if strings.HasSuffix(name, "_gen.go") {
			continue
		}
		fset := token.NewFileSet()
		path := filepath.Join(p.Dir, name)
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		list = append(list, fileSites(p, path, fset, f)...)
	}
	return list, nil
}

// fileSites finds the places of a file.
func fileSites(p *pkg, path string, fset *token.FileSet, f *ast.File) []site {
	var list []site
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Name.Name == "String" {
			continue
		}
		seen := make(map[string]int)
		add := func(pos token.Pos, what string, edit, undo func()) {
			seen[what]++
			if n := seen[what]; n > 1 {
				what += " #" + strconv.Itoa(n)
			}
			list = append(list, site{pkg: p, file: path, fset: fset, ast: f, pos: pos, in: fn.Name.Name, what: what, edit: edit, undo: undo})
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool { return visit(n, add) })
	}
	return list
}

// adder notes a change.
type adder func(pos token.Pos, what string, edit, undo func())

// swaps are what binary operators become.
var swaps = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD, token.QUO: token.MUL,
	token.SHL: token.SHR, token.SHR: token.SHL, token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.AND_NOT: token.AND,
}

// visit adds the changes of a node and reports whether to look below it.
func visit(n ast.Node, add adder) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		return !isMessage(n)
	case *ast.BinaryExpr:
		if to, ok := swaps[n.Op]; ok && !isText(n.X) && !isText(n.Y) {
			from := n.Op
			add(n.OpPos, from.String()+" becomes "+to.String(), func() { n.Op = to }, func() { n.Op = from })
		}
	case *ast.UnaryExpr:
		from := n.X
		switch n.Op {
		case token.SUB:
			add(n.OpPos, "- becomes +", func() { n.Op = token.ADD }, func() { n.Op = token.SUB })
		case token.NOT:
			add(n.OpPos, "! dropped", func() { n.X = &ast.UnaryExpr{Op: token.NOT, X: from} }, func() { n.X = from })
		}
	case *ast.BasicLit:
		if n.Kind == token.INT {
			from := n.Value
			if v, err := strconv.ParseInt(from, 0, 64); err == nil {
				to := strconv.FormatInt(v+1, 10)
				add(n.ValuePos, from+" becomes "+to, func() { n.Value = to }, func() { n.Value = from })
			}
		}
	case *ast.IfStmt:
		from := n.Cond
		add(n.If, "if never", func() { n.Cond = and(from, "false") }, func() { n.Cond = from })
	case *ast.BlockStmt:
		dropStatements(n, add)
	}
	return true
}

// and is a condition with a constant: what it reads stays in use.
func and(cond ast.Expr, with string) ast.Expr {
	return &ast.BinaryExpr{X: &ast.ParenExpr{X: cond}, Op: token.LAND, Y: ast.NewIdent(with)}
}

// dropStatements leaves out calls and assignments to what is there already, one at a time.
func dropStatements(b *ast.BlockStmt, add adder) {
	for i, st := range b.List {
		switch s := st.(type) {
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); ok && isMessage(c) {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		add(st.Pos(), "statement dropped", func() { b.List[i] = &ast.EmptyStmt{} }, func() { b.List[i] = st })
	}
}

// isMessage reports whether a call makes or reports the text of an error or panics:
// wording is not what tests are asked about here.
func isMessage(c *ast.CallExpr) bool {
	name := ""
	switch f := c.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	switch name {
	case "panic", "Errorf", "Sprintf", "Fprintf", "Refuse", "DiagnosticAt", "Usagef", "fail", "failf", "refuse", "Release", "release":
		return true
	}
	return false
}

// isText reports whether an operand is a string literal.
func isText(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}
