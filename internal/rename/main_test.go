package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"testing"
)

// TestRename renames the whole module and back, in memory: no import has the old path, and what comes back are the
// same bytes.
func TestRename(t *testing.T) {
	t.Chdir("../..")
	out, err := exec.Command("git", "ls-files", "*.go", "*.md").Output()
	if err != nil {
		t.Skipf("the files of the module are those that git lists, and this is no clone, or has no git: %v", err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	from, files := string(moduleLine.FindSubmatch(mod)[1]), strings.Fields(string(out))
	const to = "example.org/x/renamed"
	there, back := newRenamer(from, to, files), newRenamer(to, from, files)
	ours := func(list string) bool { return list == from || strings.HasPrefix(list, from+"/") }
	changed := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		now := there.file(name, text)
		if !bytes.Equal(now, text) {
			changed++
		}
		if again := back.file(name, now); !bytes.Equal(again, text) {
			t.Errorf("%s: there and back is another text", name)
		}
		if path.Ext(name) != ".go" || strings.Contains(name, "testdata/") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, now, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, s := range f.Imports {
			if p, _ := strconv.Unquote(s.Path.Value); ours(p) {
				t.Errorf("%s still imports %s", name, p)
			}
		}
	}
	if changed < 300 {
		t.Errorf("%d of %d files changed", changed, len(files))
	}
}

// TestTexts: what names a package changes, what only looks like it does not.
func TestTexts(t *testing.T) {
	r := newRenamer("nirc", "example.org/nirc", []string{"ir/op.go", "internal/emu/core.go", "docs/index.md", "main.go"})
	for _, c := range []struct{ name, text, want string }{
		{"a.go", "import (\n\t\"nirc\"\n\tx \"nirc/ir\"\n)\n", "import (\n\t\"example.org/nirc\"\n\tx \"example.org/nirc/ir\"\n)\n"},
		{"a.go", "import \"nirc\"\n", "import \"example.org/nirc\"\n"},
		{"a.go", "//go:generate go run nirc/internal/gen\n", "//go:generate go run example.org/nirc/internal/gen\n"},
		{"a.go", "var a = strings.TrimPrefix(p, \"nirc/\")\n", "var a = strings.TrimPrefix(p, \"example.org/nirc/\")\n"},
		{"a.go", "exec.Command(\"nirc\", \"nirc/docs\", \"nirc/irtest2\")\n", "exec.Command(\"nirc\", \"nirc/docs\", \"nirc/irtest2\")\n"},
		{"internal/importcheck/a.go", "const module = \"nirc\"\n", "const module = \"example.org/nirc\"\n"},
		{"a.md", "package `nirc/ir`\n    require nirc v0.2.0\n    replace nirc => ../nirc\n", "package `example.org/nirc/ir`\n    require example.org/nirc v0.2.0\n    replace example.org/nirc => ../nirc\n"},
		{"a.md", "    nirc init\n    cd nirc\n", "    nirc init\n    cd nirc\n"},
		{"a.sh", "\"nirc/ir\"\n", "\"nirc/ir\"\n"},
	} {
		if got := string(r.file(c.name, []byte(c.text))); got != c.want {
			t.Errorf("%s: %q became %q, want %q", c.name, c.text, got, c.want)
		}
	}
}
