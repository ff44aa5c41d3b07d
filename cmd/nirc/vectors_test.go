package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// Every encoding of the project's ir3 vectors goes through the command line
// to its text, and back to its bits.
func TestVectors(t *testing.T) {
	file, err := os.ReadFile("../../backend/ir3/isa/testdata/vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	data := string(file)
	for _, gen := range []string{"a6xx", "a7xx"} {
		var words, texts []string
		for line := range strings.Lines(data) {
			if cols := strings.Split(strings.TrimRight(line, "\n"), "\t"); cols[0] == gen {
				words, texts = append(words, strings.ToLower(cols[1])), append(texts, cols[2])
			}
		}
		raw := 0
		for _, s := range texts {
			if strings.HasPrefix(s, "raw ") {
				raw++
			}
		}
		want := exitDone
		if raw > 0 {
			want = exitRefused
		}
		equal(t, gen, texts, filter(t, want, words, "disasm", "--hex", "-t", "ir3", "--gpu", gen, "-"))
		same := map[string]string{} // text to the word that it assembles to
		for i, w := range filter(t, exitDone, texts, "asm", "--hex", "-t", "ir3", "--gpu", gen, "-") {
			same[texts[i]] = w
		}
		// Some words have a text in common: then one of them comes back.
		back, shared := 0, 0
		for i, w := range words {
			switch {
			case same[texts[i]] == w:
				back++
			case count(texts, texts[i]) > 1:
				shared++
			default:
				t.Errorf("%s: %q assembles to %s, want %s", gen, texts[i], same[texts[i]], w)
			}
		}
		t.Logf("%s: %d texts equal (%d raw), %d words come back, %d have another word's text", gen, len(texts), raw, back, shared)
		if back < 1000 || shared > back/50 {
			t.Errorf("%s: only %d of %d words come back", gen, back, len(words))
		}
	}
}

func count(list []string, s string) int {
	n := 0
	for _, x := range list {
		if x == s {
			n++
		}
	}
	return n
}

func equal(t *testing.T, what string, want, got []string) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s: %d lines, want %d", what, len(got), len(want))
	}
	for i := range want {
		if want[i] != got[i] {
			t.Errorf("%s line %d: %q, want %q", what, i+1, got[i], want[i])
		}
	}
}

// filter runs a command on lines and returns those it writes.
func filter(t *testing.T, want int, lines []string, args ...string) []string {
	t.Helper()
	var out, errs bytes.Buffer
	in := strings.NewReader(strings.Join(lines, "\n") + "\n")
	if code := run(context.Background(), args, streams{in, &out, &errs}); code != want {
		t.Fatalf("%v: exit code %d, want %d\n%.500s", args, code, want, errs.String())
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}
