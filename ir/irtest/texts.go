package irtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc/ir"
)

// Text is a shader that a file of the text form describes.
type Text struct {
	Name   string // of the file, without its folder
	Source string
}

// Texts reads the texts of dir, which are files that end in .nir, in the order of their names. A folder without any fails the test.
func Texts(t testing.TB, dir string) []Text {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var texts []Text
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".nir") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, Text{f.Name(), string(data)})
	}
	if len(texts) == 0 {
		t.Fatalf("no texts in %s", dir)
	}
	return texts
}

// Shader is what the text describes, a new one at each call. A text that is refused fails the test.
func (x Text) Shader(t testing.TB) *ir.Shader {
	t.Helper()
	s, err := ir.Parse(x.Source)
	if err != nil {
		t.Fatalf("%s: %v", x.Name, err)
	}
	return s
}
