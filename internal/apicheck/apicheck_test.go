package apicheck

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const before = `package p

type T struct {
	A, B int
	c    string
	*Inner
}
type Inner struct{}
type I interface{ M(x int) error }
type Alias = T
type hidden struct{ X int }
func F(a int, b ...string) (T, error) { return T{}, nil }
func (t *T) M() {}
func (h hidden) N() {}
func g() {}
const C = 1
var V int
`

// What others see is listed; what goes or changes is a break, what comes is none.
func TestList(t *testing.T) {
	list := func(text string) []string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := List(dir)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	old := list(before)
	want := []string{"const C", "func F(a int, b ...string) (T, error)", "method (*T) M()", "type Alias = T", "type I interface", "type I, M func(x int) error",
		"type Inner struct", "type T struct", "type T, A int", "type T, B int", "type T, Inner *Inner", "var V int"}
	if !slices.Equal(old, want) {
		t.Errorf("the list is\n%s\nwant\n%s", strings.Join(old, "\n"), strings.Join(want, "\n"))
	}
	for _, c := range []struct{ from, to, gone string }{
		{"A, B int", "A, B, D int", ""},
		{"c    string", "", ""},
		{"A, B int", "B int", "type T, A int"},
		{"A, B int", "A, B uint", "type T, A int type T, B int"},
		{"func F(a int, b ...string)", "func F(a int)", "func F(a int, b ...string) (T, error)"},
		{"func (t *T) M()", "func (t *T) m()", "method (*T) M()"},
		{"const C = 1", "const c = 1", "const C"},
	} {
		gone := strings.Join(Breaks(old, list(strings.Replace(before, c.from, c.to, 1))), " ")
		if gone != c.gone {
			t.Errorf("%s to %s: gone is %q, want %q", c.from, c.to, gone, c.gone)
		}
	}
}
