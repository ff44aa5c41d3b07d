// Command rulegen compiles the algebraic rules in rules/*.rules, in the folder
// of package algebraic, to the tables in rules_gen.go. It finds what is wrong
// with a rule before it can run: contradicting bit sizes, unknown operations
// and wrong arity, literals of the wrong class, rules that an earlier one
// hides, replacements that cost more than what goes away. docs/writing-rules.md
// describes the language.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"sort"

	"nirc/ir"
)

func main() {
	log.SetFlags(0)
	out, err := compileDir(".")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("rules_gen.go", out, 0o644); err != nil {
		log.Fatal(err)
	}
}

// compileDir compiles the rules of the package in dir.
func compileDir(dir string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(dir, "rules", "*.rules"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var src []source
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		src = append(src, source{filepath.Base(f), string(text)})
	}
	funcs, err := functions(dir)
	if err != nil {
		return nil, err
	}
	return compile(src, funcs)
}

type source struct{ name, text string }

// compile returns the tables of the rules, or all errors.
func compile(src []source, funcs map[string]bool) ([]byte, error) {
	var all []*checked
	var errs []error
	for _, s := range src {
		rules, bad := parseFile(s.name, s.text)
		errs = append(errs, bad...)
		for _, r := range rules {
			c, err := check(r)
			if err == nil {
				err = names(c, funcs)
			}
			if err != nil {
				errs = append(errs, err)
				continue
			}
			for _, a := range all {
				if shadows(a, c) {
					errs = append(errs, r.errorf("never fires: %s:%d stands before and fires wherever this does", a.file, a.line))
				}
			}
			all = append(all, c)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return emit(all)
}

// functions returns the names of the functions in the package's Go files:
// predicates and helpers.
func functions(dir string) (map[string]bool, error) {
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				names[fn.Name.Name] = true
			}
		}
	}
	return names, nil
}

// names tests that the options, predicates and helpers of a rule exist.
func names(c *checked, funcs map[string]bool) error {
	options := reflect.TypeOf(ir.Options{})
	for _, q := range c.conds {
		if q.arg == "" {
			if f, ok := options.FieldByName(q.pred); !ok || f.Type.Kind() != reflect.Bool {
				return c.errorf("ir.Options has no boolean %s", q.pred)
			}
			continue
		}
		if !funcs[goName(q.pred, false)] {
			return c.errorf("no predicate %s (function %s)", q.pred, goName(q.pred, false))
		}
	}
	return c.helperNames(c.repl, funcs)
}

func (c *checked) helperNames(t *term, funcs map[string]bool) error {
	if t.kind == kHelper && !funcs["help"+goName(t.name, true)] {
		return c.errorf("no helper %s (function help%s)", t.name, goName(t.name, true))
	}
	for _, a := range t.args {
		if err := c.helperNames(a, funcs); err != nil {
			return err
		}
	}
	return nil
}
