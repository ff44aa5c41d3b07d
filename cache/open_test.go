package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// To look at a directory leaves nothing in it.
func TestOpenOld(t *testing.T) {
	root := t.TempDir()
	d, err := OpenOld(root)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := d.Stats(context.Background(), nil); err != nil || f.Entries != 0 {
		t.Errorf("%+v, %v", f, err)
	}
	if c, err := d.GC(context.Background(), 0); err != nil || c != (Collected{}) {
		t.Errorf("%+v, %v", c, err)
	}
	if left, _ := os.ReadDir(root); len(left) != 0 {
		t.Errorf("%v was made", left)
	}
	if _, err := OpenOld(filepath.Join(root, "none")); err == nil {
		t.Error("there is no such directory")
	}
}

// A directory of other things is no cache, one without an entry or without tmp is.
func TestNoCache(t *testing.T) {
	key := Digest(sha256.Sum256([]byte("x"))).String()
	for _, c := range []struct {
		files []string
		cache bool
	}{
		{[]string{"a.spv"}, false}, {[]string{"tmp/x"}, false}, {[]string{"tmp/x", "tmp/nirc-reduce-1"}, false}, {[]string{"ab/cdef", "src/a"}, false}, {[]string{"ab", "tmp"}, false},
		{[]string{"tmp/"}, true}, {[]string{"tmp/", "README"}, true}, {[]string{"tmp/nirc-1"}, true}, {[]string{key[:2] + "/" + key[2:], "README"}, true},
	} {
		root := t.TempDir()
		for _, f := range c.files {
			if err := os.MkdirAll(filepath.Join(root, filepath.Dir(f)), 0o777); err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(f, "/") {
				if err := os.WriteFile(filepath.Join(root, f), nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := OpenOld(root); errors.Is(err, ErrNoCache) == c.cache || (err == nil) != c.cache {
			t.Errorf("%q: %v", c.files, err)
		}
	}
	root := t.TempDir()
	if _, err := Open(root); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenOld(root); err != nil {
		t.Errorf("a new one: %v", err)
	}
}

// A directory in place of an entry is a broken one.
func TestNoFile(t *testing.T) {
	d := newDir(t)
	key := Digest(sha256.Sum256([]byte("x")))
	if err := os.MkdirAll(d.Path(key), 0o777); err != nil {
		t.Fatal(err)
	}
	var broken *BrokenError
	if _, err := d.Get(key); !errors.As(err, &broken) || broken.Why != "it is no file" {
		t.Errorf("a directory: %v", err)
	}
	if err := d.Remove(key); err != nil {
		t.Error(err)
	}
}
