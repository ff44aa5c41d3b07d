package importcheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayChange are the package variables that functions change, and why that is no state of the library: callers see nothing of it.
var mayChange = map[string]string{
	"internal/glsl.identities": "what front ends say of themselves, asked once; under its lock",
}

// TestNoGlobalState: functions of the library assign to no variable of a package, nor to what one holds, so that compiles know
// nothing of each other. What such a variable points to is not followed.
func TestNoGlobalState(t *testing.T) {
	found := map[string]bool{}
	for dir, files := range sources(t) {
		vars := map[string]bool{}
		for _, f := range files {
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
					for _, s := range g.Specs {
						for _, n := range s.(*ast.ValueSpec).Names {
							vars[n.Name] = true
						}
					}
				}
			}
		}
		for _, f := range files {
			for _, a := range assigned(f, vars) {
				name, function := a[0], a[1]
				found[dir+"."+name] = true
				if at := dir + "." + function; mayChange[dir+"."+name] == "" {
					t.Errorf("%s changes the package variable %s: pass it along, or say in this test why callers see nothing of it", at, name)
				}
			}
		}
	}
	for name := range mayChange {
		if !found[name] {
			t.Errorf("%s does not change any more: take it off the list", name)
		}
	}
}

// sources are the parsed files of the library by directory: no commands, no tests, nothing for tests only.
func sources(t *testing.T) map[string][]*ast.File {
	t.Helper()
	list := map[string][]*ast.File{}
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		at := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(path, "../.."), "/"))
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || e.Name() == "cmd" || e.Name() == "docs" || strings.HasPrefix(e.Name(), ".") && path != "../.."):
			return fs.SkipDir
		case e.IsDir() && (at == "internal/gen" || at == "internal/bench" || at == "internal/mutants" || at == "internal/mangle" || at == "internal/prove" || at == "internal/refs"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err == nil {
			list[filepath.ToSlash(filepath.Dir(at))] = append(list[filepath.ToSlash(filepath.Dir(at))], f)
		}
		return err
	})
	if err != nil || len(list) < 20 {
		t.Fatalf("%d directories, %v", len(list), err)
	}
	return list
}

// assigned are the package variables that functions of a file assign to, each with the function; init may.
func assigned(f *ast.File, vars map[string]bool) (list [][2]string) {
	free := map[*ast.Ident]bool{} // names that no scope of the file declares: those of other files
	for _, n := range f.Unresolved {
		free[n] = true
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Recv == nil && fn.Name.Name == "init" {
			continue
		}
		note := func(e ast.Expr) {
			n := root(e)
			if n == nil || !vars[n.Name] {
				return
			}
			if own := f.Scope.Lookup(n.Name); free[n] || own != nil && n.Obj == own {
				list = append(list, [2]string{n.Name, fn.Name.Name})
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch s := n.(type) {
			case *ast.AssignStmt:
				if s.Tok != token.DEFINE {
					for _, e := range s.Lhs {
						note(e)
					}
				}
			case *ast.IncDecStmt:
				note(s.X)
			case *ast.CallExpr:
				if name, ok := s.Fun.(*ast.Ident); ok && (name.Name == "delete" || name.Name == "clear") && len(s.Args) > 0 {
					note(s.Args[0])
				}
			}
			return true
		})
	}
	return list
}

// root is the name that an expression begins with, nil if it begins with none.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// TestAssigned: what changes a package variable is found, what does not is not.
func TestAssigned(t *testing.T) {
	const text = `package p
var table [4]int
var count, other int
var m = map[string]int{}
func init() { count = 1 }
func changes() { table[2]++ }
func deletes() { delete(m, "x") }
func far() { elsewhere.field = 1 }
func shadows() { count := 1; count = 2; _ = count }
func parameter(other int) { other = 3 }
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := assigned(f, map[string]bool{"table": true, "count": true, "other": true, "m": true, "elsewhere": true})
	if want := [][2]string{{"table", "changes"}, {"m", "deletes"}, {"elsewhere", "far"}}; !slices.Equal(got, want) {
		t.Errorf("found %v", got)
	}
}
