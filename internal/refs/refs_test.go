package refs

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("NIRC_SHARED", dir)
	if _, err := Find("isa", "x.tsv"); err == nil {
		t.Error("an absent file is found")
	}
	if err := os.WriteFile(filepath.Join(dir, "x.tsv"), []byte("a\tb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := File(t, "x.tsv"); got != "a\tb\n" {
		t.Errorf("read %q", got)
	}
	// Without the variable the folder lies beside the repository.
	t.Setenv("NIRC_SHARED", "")
	if got, err := Find(); err == nil && filepath.Base(got) != "shared" {
		t.Errorf("found %s", got)
	}
}
