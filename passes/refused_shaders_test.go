package passes

import (
	"strings"
	"testing"

	"nirc/ir"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestRefusedShaders: the files of testdata/refused_shaders.txtar are called by a pass list; each begins with the line that has the reason for which
// the list refuses the shader that follows, or nothing where it takes it.
func TestRefusedShaders(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/refused_shaders.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		want, text, _ := strings.Cut(string(f.Data), "\n")
		in, err := ir.Parse(text)
		if err == nil {
			err = ir.Validate(in)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", f.Name, err, text)
			continue
		}
		p, err := ParsePassList(f.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		err = p.Run(in, RunOptions{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s of\n%s\n%v, want %q", f.Name, text, err, want)
		}
	}
}
