package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// pkg is a package whose files are changed.
type pkg struct {
	ImportPath, Dir, Export   string
	GoFiles                   []string
	TestGoFiles, XTestGoFiles []string
}

// tested reports whether the package has tests.
func (p *pkg) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// listPackages asks the go command what the patterns stand for.
func listPackages(args ...string) ([]pkg, error) {
	args = append([]string{"list", "-trimpath", "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles"}, args...)
	out, err := exec.Command("go", args...).Output()
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

// source is a file that changes are made to.
type source struct {
	pkg  *pkg
	path string // absolute
	fset *token.FileSet
	ast  *ast.File
	text []byte
}

// at is the place of a position in the text.
func (f *source) at(p token.Pos) int { return f.fset.Position(p).Offset }

// of is the text of a node.
func (f *source) of(n ast.Node) string { return string(f.text[f.at(n.Pos()):f.at(n.End())]) }

// site is one change of one place.
type site struct {
	*source
	pos  token.Pos
	in   string // the function it stands in
	what string // "< becomes <="
	node ast.Node
	with string // what stands there instead, empty: the statement is dropped
	// The nodes around node, the outermost first.
	around []ast.Node
}

// String names the place and the change.
func (s *site) String() string {
	p := s.fset.Position(s.pos)
	return fmt.Sprintf("%s/%s:%d %s: %s", s.pkg.ImportPath, filepath.Base(s.path), p.Line, s.in, s.what)
}

// key is the site in equivalent.txt: it holds while the function's text before
// the place keeps its number of equal changes, whatever the line.
func (s *site) key() string {
	return s.pkg.ImportPath + "/" + filepath.Base(s.path) + " " + s.in + ": " + s.what
}

// sites finds the places of a package in the order of its files. Generated
// files are tables that have tests of their own.
func (p *pkg) sites() ([]site, error) {
	var list []site
	for _, name := range p.GoFiles {
		if strings.HasSuffix(name, "_gen.go") {
			continue
		}
		path := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := parseSource(p, path, text)
		if err != nil {
			return nil, err
		}
		list = append(list, f.sites()...)
	}
	return list, nil
}

func parseSource(p *pkg, path string, text []byte) (*source, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{pkg: p, path: path, fset: fset, ast: f, text: text}, nil
}

// sites finds the places of a file.
func (f *source) sites() []site {
	var list []site
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || isWording(fn) {
			continue
		}
		v := finder{source: f, in: fn.Name.Name, seen: make(map[string]int)}
		ast.Inspect(fn.Body, v.visit)
		list = append(list, v.list...)
	}
	return list
}

// finder finds the places of a function.
type finder struct {
	*source
	in     string
	seen   map[string]int
	around []ast.Node
	list   []site
}

// add notes that with may stand where node stands.
func (f *finder) add(pos token.Pos, node ast.Node, what, with string) {
	f.seen[what]++
	if n := f.seen[what]; n > 1 {
		what += " #" + strconv.Itoa(n)
	}
	f.list = append(f.list, site{source: f.source, pos: pos, in: f.in, what: what, node: node, with: with, around: append([]ast.Node(nil), f.around...)})
}

// visit adds the changes of a node and reports whether to look below it.
func (f *finder) visit(n ast.Node) bool {
	if n == nil {
		f.around = f.around[:len(f.around)-1]
		return true
	}
	if f.isBlind(n, f.around) {
		return false
	}
	f.change(n)
	f.around = append(f.around, n)
	return true
}

// swaps are what binary operators become.
var swaps = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD, token.QUO: token.MUL,
	token.SHL: token.SHR, token.SHR: token.SHL, token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.AND_NOT: token.AND,
}

// change adds the changes of a node.
func (f *finder) change(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if to, ok := swaps[n.Op]; ok && !isText(n.X) && !isText(n.Y) {
			f.add(n.OpPos, n, n.Op.String()+" becomes "+to.String(), "(("+f.of(n.X)+") "+to.String()+" ("+f.of(n.Y)+"))")
		}
	case *ast.UnaryExpr:
		switch n.Op {
		case token.SUB:
			f.add(n.OpPos, n, "- becomes +", "(+"+f.of(n.X)+")")
		case token.NOT:
			f.add(n.OpPos, n, "! dropped", "("+f.of(n.X)+")")
		}
	case *ast.BasicLit:
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil && n.Kind == token.INT {
			f.add(n.ValuePos, n, n.Value+" becomes "+strconv.FormatInt(v+1, 10), strconv.FormatInt(v+1, 10))
		}
	case *ast.IfStmt:
		if f.isAssertion(n) {
			return
		}
		f.around = append(f.around, n)
		f.add(n.If, n.Cond, "if never", "(("+f.of(n.Cond)+") && false)")
		f.around = f.around[:len(f.around)-1]
	case *ast.BlockStmt:
		f.around = append(f.around, n)
		f.dropStatements(n.List)
		f.around = f.around[:len(f.around)-1]
	case *ast.CaseClause:
		f.around = append(f.around, n)
		f.dropStatements(n.Body)
		f.around = f.around[:len(f.around)-1]
	}
}

// dropStatements leaves out calls and assignments to what is there already, one at a time.
func (f *finder) dropStatements(list []ast.Stmt) {
	for i, st := range list {
		if f.isLetGo(st, list[i+1:]) {
			continue
		}
		switch s := st.(type) {
		case *ast.ExprStmt:
			if f.isBlind(s.X, nil) {
				continue
			}
		case *ast.AssignStmt:
			if c, ok := s.Rhs[0].(*ast.CallExpr); s.Tok == token.DEFINE || ok && isGrow(c) || isHint(s) {
				continue
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		f.add(st.Pos(), st, "statement dropped", "")
	}
}
