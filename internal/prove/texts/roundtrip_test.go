// Package texts proves that what is printed reads back: the IR after every pass, and the listing of
// every object.
package texts

import (
	"context"
	"path/filepath"
	"testing"

	"nirc"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestTextAfterEveryPass: the text of the IR is the IR. After each pass of
// each target, what is printed parses, and prints the same again.
func TestTextAfterEveryPass(t *testing.T) {
	files, err := filepath.Glob(prove.Data("*.spv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	want := 30
	if prove.Full() {
		want = 100
	}
	corpus := prove.Corpus(t, "*.spv", "*.spvasm")
	if len(corpus) == 0 {
		t.Log("no corpus beside the repository: testdata only")
	}
	shaders, dumps := 0, 0
	roundTrip := func(name string) {
		n, ok := textRoundTrip(t, name)
		dumps += n
		if ok {
			shaders++
		}
	}
	for _, name := range files {
		roundTrip(name)
	}
	for i := 0; i < len(corpus) && shaders < len(files)+want; i += max(1, len(corpus)/(3*want)) {
		roundTrip(corpus[i])
	}
	t.Logf("%d shaders, %d texts", shaders, dumps)
	if len(corpus) > 0 && shaders < want {
		t.Errorf("only %d shaders compile", shaders)
	}
}

// textRoundTrip compiles a file; ok tells that it went through all passes of
// a target.
func textRoundTrip(t *testing.T, name string) (texts int, ok bool) {
	m, err := prove.Read(name)
	if err != nil {
		return 0, false
	}
	for _, target := range nirc.Targets() {
		last := ""
		o := nirc.Options{Target: target.Name, Level: passes.O2, Run: passes.RunOptions{DumpAfter: []string{"all"}, Dump: func(title, text string) {
			if text == last {
				return
			}
			last = text
			texts++
			s, err := ir.Parse(text)
			if err != nil {
				t.Errorf("%s, %s, %s: %v", name, target.Name, title, err)
				return
			}
			if again := ir.Print(s); again != text {
				t.Errorf("%s, %s, %s: another text:\n%s\nthan\n%s", name, target.Name, title, again, text)
			}
			s.Release()
		}}}
		if entries := m.EntryPoints(); len(entries) > 0 {
			o.Entry, o.Stage = entries[0].Name, entries[0].Stage
		}
		u, err := nirc.New(o)
		if err != nil {
			t.Fatal(err)
		}
		if u.Translate(context.Background(), m) == nil && u.Optimize(context.Background()) == nil {
			ok = true
		}
	}
	return texts, ok
}
