package passes

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nirc/ir"

	"github.com/rogpeppe/go-internal/txtar"
)

var functionNumber = regexp.MustCompile(`\bf\d+\b`)

// TestBodiless: each pass makes of the shaders of its tests the same if a function without a body stands beside theirs, except for passes that
// remove such a function.
func TestBodiless(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list := filepath.Base(filepath.Dir(file))
		for line := range strings.Lines(string(ar.Comment)) {
			if l, ok := strings.CutPrefix(line, "passes:"); ok {
				list = strings.TrimSpace(l)
			}
		}
		for _, f := range ar.Files {
			if f.Name != "in" {
				continue
			}
			text := string(f.Data)
			n := 0
			for strings.Contains(text, fmt.Sprintf("fn f%d ", n)) {
				n++
			}
			decl := fmt.Sprintf("  fn f%d \"declared\"(32)\n", n)
			end := strings.LastIndex(text, "}")
			plain, plainErr := passText(t, list, text)
			got, err := passText(t, list, text[:end]+decl+"}\n")
			if fmt.Sprint(err) != fmt.Sprint(plainErr) {
				t.Errorf("%s: %v beside a function without a body, %v without it", file, err, plainErr)
			}
			got = functionNumber.ReplaceAllString(strings.Replace(got, decl, "", 1), "f")
			if plain = functionNumber.ReplaceAllString(plain, "f"); got != plain { // functions that are made come after it
				t.Errorf("%s: beside a function without a body it becomes\n%s\nwithout it\n%s", file, got, plain)
			}
		}
	}
}

// passText is what passes make of a text.
func passText(t *testing.T, list, text string) (string, error) {
	t.Helper()
	s := parseShader(t, text)
	s.Options = &ir.Options{}
	p, err := ParsePassList(list)
	if err != nil {
		t.Fatal(err)
	}
	err = p.Run(s, RunOptions{VerifyEach: true})
	return ir.Print(s), err
}
