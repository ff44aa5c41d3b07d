package rawfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestRead: files come as package os reads them, cut one byte after the limit, and errors are its errors.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 100, 4096, 1 << 16} {
		path := filepath.Join(dir, "f")
		want := bytes.Repeat([]byte("nirc"), size)[:size]
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{0, 50, size, size + 1, 1 << 20} {
			got, err := Read(path, int64(limit))
			if err != nil || !bytes.Equal(got, want[:min(size, limit+1)]) {
				t.Errorf("%d bytes, limit %d: %d bytes, %v", size, limit, len(got), err)
			}
			if slow, err := read(path, int64(limit)); err != nil || !bytes.Equal(slow, got) {
				t.Errorf("%d bytes, limit %d: package os gives %d bytes, %v", size, limit, len(slow), err)
			}
		}
	}
	for path, want := range map[string]error{filepath.Join(dir, "none"): fs.ErrNotExist, filepath.Join(dir, "f", "x"): nil, dir: nil} {
		_, err := Read(path, 10)
		_, slow := read(path, 10)
		if err == nil || slow == nil || err.Error() != slow.Error() || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, of package os %v", path, err, slow)
		}
	}
}

// TestWrite: a file is made of the bytes, and one that is there is left alone.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	want := bytes.Repeat([]byte("nirc"), 1<<16)
	if err := Write(path, want); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the file is there: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if err := Rename(path, path+"2"); err != nil {
		t.Error(err)
	}
	if err := Rename(path, path+"2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is gone: %v", err)
	}
	if err := Write(filepath.Join(path+"2", "x"), want); err == nil {
		t.Error("a file is no directory")
	}
}
