package nirc

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"

	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// TestTextAfterEveryPass: the text of the IR is the IR. After each pass of
// each target, what is printed parses, and prints the same again.
func TestTextAfterEveryPass(t *testing.T) {
	files, err := filepath.Glob("testdata/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	want := 30
	if judgeFull() {
		want = 100
	}
	corpus := corpusFiles(t, "*.spv", "*.spvasm")
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
	m, err := loadFile(name)
	if err != nil {
		return 0, false
	}
	for _, target := range Targets() {
		last := ""
		o := Options{Target: target.Name, Level: passes.O2, Run: passes.RunOptions{DumpAfter: []string{"all"}, Dump: func(title, text string) {
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
		u, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if entries := m.EntryPoints(); len(entries) > 0 {
			u.opts.Entry, u.opts.Stage = entries[0].Name, entries[0].Stage
		}
		if u.Translate(context.Background(), m) == nil && u.Optimize(context.Background()) == nil {
			ok = true
		}
	}
	return texts, ok
}

// corpusFiles lists the corpus's files of some names, in order; none where
// the corpus is not laid out beside the repository.
func corpusFiles(t *testing.T, patterns ...string) []string {
	root, err := refs.Find("corpus")
	if err != nil {
		return nil
	}
	var list []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is not there
		}
		for _, p := range patterns {
			if ok, _ := filepath.Match(p, d.Name()); ok && d.Type().IsRegular() {
				list = append(list, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
