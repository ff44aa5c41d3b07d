package spirv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// textFile is what pieces of assembly become, one after the other.
type textFile struct{ strings.Builder }

// add adds a piece and the shader that it became.
func (f *textFile) add(piece string, s *ir.Shader) {
	for line := range strings.SplitSeq(strings.TrimSpace(piece), "\n") {
		f.WriteString("# " + line + "\n")
	}
	f.WriteString(ir.Print(s) + "\n")
}

// compare compares a file of testdata/text with the pieces, or with -update writes it.
func (f *textFile) compare(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join("testdata", "text", name+".txt")
	if *gputest.Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.String(); got != string(data) {
		at := 0
		for at < min(len(got), len(data)) && got[at] == data[at] {
			at++
		}
		piece := got[strings.LastIndex("\n\n"+got[:at], "\n\n"):]
		if end := strings.Index(piece, "\n\n"); end >= 0 {
			piece = piece[:end]
		}
		t.Errorf("%s differs from here on (go test -update writes it again):\n%s", path, piece)
	}
}
