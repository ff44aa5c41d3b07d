package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nirc/passes"
)

// repository is where the pages are.
var repository = filepath.Join("..", "..")

// pages are the texts for people, generated ones apart.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/ci/*.md", "docs/tutorials/*.md", "docs/targets/*.md", "docs/cli/formats.md"} {
		found, err := filepath.Glob(filepath.Join(repository, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(repository, name)
		texts[filepath.ToSlash(rel)] = string(text)
	}
	if len(texts) < 10 {
		t.Fatalf("only %d pages", len(texts))
	}
	return texts
}

// codeSpan is a piece of a page that is set as code: `…`, and lines that four
// blanks begin.
var codeSpan = regexp.MustCompile("(?m)`([^`\n]+)`|^ {4}(\\S.*)$")

func codeOf(page string) []string {
	var list []string
	for _, m := range codeSpan.FindAllStringSubmatch(page, -1) {
		list = append(list, m[1]+m[2])
	}
	return list
}

// Commands and flags that pages name exist.
func TestPagesCommands(t *testing.T) {
	a := &app{}
	flags := regexp.MustCompile(`(?:^|[ '"])--([A-Za-z][A-Za-z-]*)`)
	n := 0
	for page, text := range pages(t) {
		if page == "CHANGELOG.md" {
			// What an older version had it may have lost since.
			text = strings.Join(strings.SplitAfterN(text, "\n## ", 3)[:2], "")
		}
		for _, line := range codeOf(text) {
			at := regexp.MustCompile(`(?:^|[ ;/])nirc ([a-z-].*)$`).FindStringSubmatch(line)
			if at == nil || strings.HasPrefix(line, "git ") {
				continue
			}
			line, _, _ = strings.Cut(at[1], "  #")
			words := strings.Fields(line)
			root := a.root()
			root.InitDefaultHelpCmd()
			cmd, _, err := root.Find(words)
			if err != nil {
				t.Errorf("%s: `nirc %s`: %v", page, line, err)
				continue
			}
			n++
			known := func(name string) bool {
				return name == "help" || name == "version" || cmd.Flags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil
			}
			own, _, _ := strings.Cut(line, " -- ") // after it another command begins
			for _, f := range flags.FindAllStringSubmatch(own, -1) {
				if !known(f[1]) {
					t.Errorf("%s: `nirc %s`: %s has no flag --%s", page, line, cmd.CommandPath(), f[1])
				}
			}
			if cmd == root && len(words) > 0 && !strings.ContainsAny(words[0], "-./") && isLower(words[0]) {
				t.Errorf("%s: `nirc %s`: there is no command %q", page, line, words[0])
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d commands in all pages", n)
	}
}

func isLower(word string) bool { return strings.ToLower(word) == word }

// Passes and files that pages name exist.
func TestPagesNames(t *testing.T) {
	pass := regexp.MustCompile(`^(?:opt|lower|remove|split)_[a-z0-9_]+$`)
	file := regexp.MustCompile(`^[a-z][a-z_]*(?:/[A-Za-z0-9_.-]+)*\.(?:go|md|yaml|rules|yml)$|^(?:passes|ir|emu|amber|backend|frontend|object|internal|cmd|docs)(?:/[a-z0-9_]+)*$`)
	steps := stepNames(t)
	for page, text := range pages(t) {
		if page == "CHANGELOG.md" || strings.HasPrefix(page, "docs/targets/") {
			continue // of passes gone since, and of machine steps
		}
		for _, word := range codeOf(text) {
			name, _, _ := strings.Cut(word, "(")
			switch {
			case pass.MatchString(name) && passes.Find(name) == nil && !slices.Contains(steps, name):
				t.Errorf("%s: there is no pass %s", page, name)
			case file.MatchString(word) && !exists(word):
				t.Errorf("%s: there is no file %s", page, word)
			}
		}
	}
}

// stepNames are words of the code that look like passes: steps of backends.
func stepNames(t *testing.T) []string {
	t.Helper()
	var list []string
	quoted := regexp.MustCompile(`"((?:opt|lower|remove|split)_[a-z0-9_]+)"`)
	walkGo(t, func(_, text string) {
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			list = append(list, m[1])
		}
	})
	return list
}

// exists reports whether a file that a page names is there, as a path in the repository or as a name of a file in it.
func exists(name string) bool {
	for _, dir := range []string{"", "docs", "passes", "passes/algebraic/rules", "passes/algebraic", "cmd/nirc", "frontend/spirv", "ir/optab", "backend/ir3"} {
		if _, err := os.Stat(filepath.Join(repository, filepath.FromSlash(dir), filepath.FromSlash(name))); err == nil {
			return true
		}
	}
	return false
}

// walkGo calls f for each Go file of the repository.
func walkGo(t *testing.T, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			if d != nil && d.IsDir() && err == nil {
				return fs.SkipDir
			}
			return err
		}
		if !d.IsDir() && strings.HasSuffix(path, ".go") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(repository, path)
			f(filepath.ToSlash(rel), string(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// docs/testing.md names every variable of the environment that tests look at.
func TestPagesVariables(t *testing.T) {
	page := pages(t)["docs/testing.md"]
	variable := regexp.MustCompile(`(?:Getenv|LookupEnv)\("(NIRC_[A-Z0-9_]+)"\)`)
	walkGo(t, func(path, text string) {
		for _, m := range variable.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(page, "`"+m[1]) {
				t.Errorf("%s looks at %s, of which docs/testing.md says nothing", path, m[1])
			}
		}
	})
}

// Every package begins with a comment, and every exported name has one that names it.
func TestNamesAreDocumented(t *testing.T) {
	documented, packages := map[string]bool{}, map[string]bool{}
	walkGo(t, func(path, text string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		packages[dir] = true
		documented[dir] = documented[dir] || f.Doc != nil
		if f.Name.Name == "main" {
			return
		}
		check := func(name *ast.Ident, doc ...*ast.CommentGroup) {
			if name.IsExported() && !slices.ContainsFunc(doc, func(c *ast.CommentGroup) bool { return strings.Contains(c.Text(), name.Name) }) {
				t.Errorf("%s: %s has no comment that names it", set.Position(name.Pos()), name.Name)
			}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type)) {
					check(d.Name, d.Doc)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						check(s.Name, s.Doc, d.Doc)
					}
				}
			}
		}
	})
	for dir := range packages {
		if !documented[dir] {
			t.Errorf("the package %s has no comment", dir)
		}
	}
}

// The examples of docs/writing-rules.md are rules that there are, and so were tested.
func TestPagesRules(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repository, "passes", "algebraic", "rules", "*.rules"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	var rules []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, strings.Split(string(text), "\n")...)
	}
	n := 0
	for line := range strings.Lines(pages(t)["docs/writing-rules.md"]) {
		if rule, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "    "); ok {
			n++
			if !slices.Contains(rules, rule) {
				t.Errorf("there is no rule %s", rule)
			}
		}
	}
	if n == 0 {
		t.Error("no examples")
	}
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
