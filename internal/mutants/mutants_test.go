package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

const source = `package p

func f(a, b int) int {
	c := 0
	if a < b && a != 3 {
		c = a + b
		g(c)
	}
	return -c
}

func g(int) { panic("x" + "y") }
`

// TestSites makes every change of a small file: each is a program that parses,
// differs from the file, and is gone afterwards.
func TestSites(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	list := fileSites(&pkg{ImportPath: "p"}, "p.go", fset, f)
	var whats []string
	for i := range list {
		whats = append(whats, list[i].what)
		text, err := list[i].text()
		if err != nil {
			t.Fatal(err)
		}
		if string(text) == source {
			t.Errorf("%s changes nothing", &list[i])
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0); err != nil {
			t.Errorf("%s: %v\n%s", &list[i], err, text)
		}
	}
	want := "if never;&& becomes ||;< becomes <=;!= becomes ==;3 becomes 4;statement dropped;statement dropped #2;+ becomes -;- becomes +"
	for w := range strings.SplitSeq(want, ";") {
		found := false
		for _, have := range whats {
			found = found || have == w
		}
		if !found {
			t.Errorf("no change %q among %q", w, whats)
		}
	}
	same := site{fset: fset, ast: f, edit: func() {}, undo: func() {}}
	if text, err := same.text(); err != nil || string(text) != source {
		t.Errorf("the file is changed afterwards: %v\n%s", err, text)
	}
}

// TestEquivalent reads the list: every line has its reason.
func TestEquivalent(t *testing.T) {
	if _, err := readEquivalent(); err != nil {
		t.Error(err)
	}
}
