package doccheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Comments and pages keep to the words of CONTRIBUTING.md.
func TestWords(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	avoided := Avoided(string(text))
	if len(avoided) < 5 || avoided["tells whether"] == "" {
		t.Fatalf("the avoided words are %q", avoided)
	}
	for _, w := range CheckWords(avoided, tree(t)) {
		t.Error(w)
	}
}

// What CheckWords must find, and what it must not.
func TestCheckWordsFinds(t *testing.T) {
	avoided := Avoided("x\n\n| avoid | say |\n| --- | --- |\n| In front of | before |\n\nafter\n| a | b |\n")
	for text, want := range map[string]string{
		"it stands in front of it":  `"in front of": say "before"`,
		"In front of it":            `"in front of": say "before"`,
		"set as `in front of` code": "",
		"within front offices":      "",
	} {
		got := strings.Join(CheckWords(avoided, []Passage{{File: "x.go", Line: 1, Text: text}}), "\n")
		if (want == "") != (got == "") || !strings.HasSuffix(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
