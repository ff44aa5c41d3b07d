// Package apicheck holds the exported names of a package to the list that its testdata/api.txt keeps, so that nobody breaks
// a program that imports it without noticing. Only tests import it; it reads sources and builds nothing.
package apicheck

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update-api", false, "write testdata/api.txt again: look at what goes")

// file has the list of a package.
const file = "testdata/api.txt"

// Check compares the package in the working directory with its list. What has gone, or is another, is a break: the test
// fails until the list is written again (-update-api) and CHANGELOG.md says so. What is new joins the list with the next break, or before a release.
func Check(t *testing.T) {
	t.Helper()
	have, err := List(".")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(have, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range Breaks(strings.Split(strings.TrimSpace(string(text)), "\n"), have) {
		t.Errorf("gone from the API, or changed: %s\nIf that must be, say so in CHANGELOG.md and run go test -run TestAPI -update-api here", gone)
	}
}

// Breaks lists what an older list has and a newer one has not.
func Breaks(old, now []string) (gone []string) {
	is := map[string]bool{}
	for _, line := range now {
		is[line] = true
	}
	for _, line := range old {
		if !is[line] {
			gone = append(gone, line)
		}
	}
	return gone
}

// List returns what a package in a directory exports, a line each: functions, methods, constants, variables, types, the fields of
// structures, the methods of interfaces.
func List(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	lines := map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			for _, line := range declared(d) {
				lines[line] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(lines)), nil
}

// declared are the lines of a declaration.
func declared(d ast.Decl) (list []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return nil
		}
		signature := strings.TrimPrefix(text(d.Type), "func")
		if d.Recv == nil {
			return []string{"func " + d.Name.Name + signature}
		}
		receiver := text(d.Recv.List[0].Type)
		if !ast.IsExported(strings.TrimPrefix(receiver, "*")) {
			return nil
		}
		return []string{fmt.Sprintf("method (%s) %s%s", receiver, d.Name.Name, signature)}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				list = append(list, typeLines(s)...)
			case *ast.ValueSpec:
				list = append(list, valueLines(d.Tok, s)...)
			}
		}
	}
	return list
}

// valueLines are the lines of constants or variables, as tok says.
func valueLines(tok token.Token, s *ast.ValueSpec) (list []string) {
	for _, n := range s.Names {
		if n.IsExported() {
			list = append(list, strings.TrimSpace(tok.String()+" "+n.Name+" "+text(s.Type)))
		}
	}
	return list
}

// typeLines are the lines of a type: itself, and what it holds that others see.
func typeLines(s *ast.TypeSpec) []string {
	if !s.Name.IsExported() {
		return nil
	}
	name := "type " + s.Name.Name
	if s.Assign.IsValid() {
		name += " ="
	}
	members := func(kind string, l *ast.FieldList) []string {
		list := []string{name + " " + kind}
		for _, f := range l.List {
			names := []string{strings.TrimPrefix(text(f.Type), "*")} // embedded
			if i := strings.LastIndexByte(names[0], '.'); i >= 0 {
				names[0] = names[0][i+1:]
			}
			if f.Names != nil {
				names = nil
				for _, n := range f.Names {
					names = append(names, n.Name)
				}
			}
			for _, n := range names {
				if ast.IsExported(n) {
					list = append(list, fmt.Sprintf("%s, %s %s", name, n, text(f.Type)))
				}
			}
		}
		return list
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		return members("struct", t.Fields)
	case *ast.InterfaceType:
		return members("interface", t.Methods)
	}
	return []string{name + " " + text(s.Type)}
}

// text is an expression in one line.
func text(e ast.Expr) string {
	if e == nil {
		return ""
	}
	var b bytes.Buffer
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
