package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// typesOf knows the types of the variables that files declare, a package at a time.
type typesOf struct {
	exports map[string]string // export data by import path
	pkgs    map[string]*checked
}

// checked is a package with its types, by file and place of a name in it.
type checked struct {
	pkg  *types.Package
	vars map[string]types.Type
}

// newTypes reads where the export data of all that the packages import is.
func newTypes(patterns []string) (*typesOf, error) {
	list, err := listPackages(append([]string{"-export", "-deps"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	t := &typesOf{exports: make(map[string]string), pkgs: make(map[string]*checked)}
	for i := range list {
		t.exports[list[i].ImportPath] = list[i].Export
	}
	return t, nil
}

func place(file string, offset int) string { return fmt.Sprintf("%s:%d", file, offset) }

// check finds the types of a package.
func (t *typesOf) check(p *pkg) *checked {
	if c := t.pkgs[p.ImportPath]; c != nil {
		return c
	}
	c := &checked{vars: make(map[string]types.Type)}
	t.pkgs[p.ImportPath] = c
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return c
		}
		files = append(files, f)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(t.exports[path]) }
	info := types.Info{Defs: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", open), Error: func(error) {}}
	c.pkg, _ = conf.Check(p.ImportPath, fset, files, &info)
	for id, o := range info.Defs {
		if v, ok := o.(*types.Var); ok {
			at := fset.Position(id.Pos())
			c.vars[place(at.Filename, at.Offset)] = v.Type()
		}
	}
	return c
}

// declare is the text that declares the variables of a short declaration.
func (t *typesOf) declare(f *source, a *ast.AssignStmt) (text string, ok bool) {
	c := t.check(f.pkg)
	names := importNames(f.ast)
	for _, e := range a.Lhs {
		id, isName := e.(*ast.Ident)
		if !isName {
			return "", false
		}
		typ := c.vars[place(f.path, f.at(id.Pos()))]
		if typ == nil { // _, or declared before
			continue
		}
		known := true
		s := types.TypeString(typ, func(p *types.Package) string {
			if p == c.pkg {
				return ""
			}
			name, ok := names[p.Path()]
			known = known && ok
			return name
		})
		if !known || strings.Contains(s, "invalid type") {
			return "", false
		}
		text += "var " + id.Name + " " + s + "\n"
	}
	return text, true
}

// importNames are the names by which a file knows packages.
func importNames(f *ast.File) map[string]string {
	names := make(map[string]string)
	for _, s := range f.Imports {
		path := strings.Trim(s.Path.Value, `"`)
		names[path] = path[strings.LastIndexByte(path, '/')+1:]
		if s.Name != nil {
			names[path] = s.Name.Name
		}
	}
	return names
}
