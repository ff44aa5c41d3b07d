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

// TestSectionsAlone: the small sections of rules find the operations that they are about where a function has no others.
func TestSectionsAlone(t *testing.T) {
	for _, c := range []struct{ pass, op, body string }{
		{"lower_flrp", "flrp", "%4:32 = flrp %2, %3, %2\n"},
		{"lower_frexp", "frexp_sig", "%4:32 = frexp_sig %2\n"},
		{"lower_frexp", "frexp_exp", "%4:32 = frexp_exp %2\n"},
	} {
		s := parseShader(t, `shader compute "main" {
  info { workgroup_size=1,1,1 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = load_const 0x8
      %2:32 = load_ssbo %0, %0 align_mul=4
      %3:32 = load_ssbo %0, %1 align_mul=4
      `+c.body+`      store_ssbo %4, %0, %0 write_mask=x align_mul=4
  }
}
`)
		s.Options = &ir.Options{LowerFlrp: true}
		p, err := ParsePassList(c.pass)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
			t.Fatal(err)
		}
		if text := ir.Print(s); strings.Contains(text, c.op) {
			t.Errorf("%s leaves\n%s", c.pass, text)
		}
	}
}
