package doccheck

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Passage is a piece of prose: a group of comment lines, or a paragraph, list item or table row of a page. Lines are
// joined, so that a phrase that a line's end divides is found.
type Passage struct {
	File string // with slashes, from the root
	Line int    // of its first line, from 1
	Text string
}

// Passages returns the prose of every Go file and page below root, in the order of the paths. Folders that begin with a dot,
// or are called testdata, are left out; generated Go files count, as their generators write their comments.
func Passages(root string) ([]Passage, error) {
	var all []Passage
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		}
		read := map[string]func(string) ([]Passage, error){".go": comments, ".md": paragraphs}[filepath.Ext(path)]
		if d.IsDir() || read == nil {
			return nil
		}
		list, err := read(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, p := range list {
			p.File = filepath.ToSlash(name)
			all = append(all, p)
		}
		return nil
	})
	return all, err
}

// comments returns the comment groups of a Go file.
func comments(path string) ([]Passage, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var list []Passage
	for _, g := range f.Comments {
		var b strings.Builder
		for _, c := range g.List {
			text := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*"), "*/")
			b.WriteString(text + "\n")
		}
		list = append(list, Passage{Line: set.Position(g.Pos()).Line, Text: joined(b.String())})
	}
	return list, nil
}

// paragraphs returns the prose of a page: what stands between empty lines, with each list item, heading and row of a table by
// itself. Indented and fenced code is left out.
func paragraphs(path string) ([]Passage, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []Passage
	var b strings.Builder
	first, fenced, blank := 0, false, true
	flush := func() {
		if b.Len() > 0 {
			list = append(list, Passage{Line: first, Text: joined(b.String())})
		}
		b.Reset()
	}
	for i, line := range strings.Split(string(data), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			flush()
			fenced = !fenced
			continue
		case fenced, blank && b.Len() == 0 && strings.HasPrefix(line, "    "):
			continue
		case trimmed == "":
			flush()
			blank = true
			continue
		case startsItem(trimmed):
			flush()
		}
		if b.Len() == 0 {
			first = i + 1
		}
		b.WriteString(line + "\n")
		blank = false
	}
	flush()
	return list, nil
}

// startsItem reports whether a line of a page begins a passage of its own.
func startsItem(line string) bool {
	for _, mark := range []string{"#", "|", "- ", "* "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	digits := strings.TrimLeft(line, "0123456789")
	return digits != line && strings.HasPrefix(digits, ". ")
}

// joined makes one line of several.
func joined(text string) string { return strings.Join(strings.Fields(text), " ") }
