package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestMergeAndPack(t *testing.T) {
	a, b := newDir(t), newDir(t)
	want := fill(t, a, 40)
	fill(t, b, 10)
	list, _ := a.List()
	bad := list[3].Key
	damage(t, a, bad)
	b.Remove(bad)
	delete(want, bad)
	added := 29
	if keyIsOld(bad) {
		added = 30
	}
	c, err := b.Merge(context.Background(), a)
	if err != nil || c.Added != added || len(c.Broken) != 1 || c.Broken[0].Key != bad {
		t.Errorf("merge: %+v, %v", c, err)
	}
	same(t, b, want)

	var pack, again bytes.Buffer
	if n, broken, err := b.Export(context.Background(), &pack); n != len(want) || len(broken) != 0 || err != nil {
		t.Fatalf("export: %d, %v, %v", n, broken, err)
	}
	in := newDir(t)
	if c, err := in.Import(context.Background(), bytes.NewReader(pack.Bytes())); err != nil || c.Added != len(want) {
		t.Fatalf("import: %+v, %v", c, err)
	}
	same(t, in, want)
	in.Export(context.Background(), &again)
	if !bytes.Equal(pack.Bytes(), again.Bytes()) {
		t.Error("the same entries give another file")
	}
	if c, err := in.Import(context.Background(), bytes.NewReader(pack.Bytes())); err != nil || c.There != len(want) || c.Added != 0 {
		t.Errorf("a second import: %+v, %v", c, err)
	}
	// A file that is cut gives what came before, and is told.
	for n := 0; n < pack.Len(); n += 997 {
		part := newDir(t)
		c, err := part.Import(context.Background(), bytes.NewReader(pack.Bytes()[:n]))
		if !errors.Is(err, ErrPack) || c.Added > len(want) || len(c.Broken) > 0 {
			t.Fatalf("cut to %d: %+v, %v", n, c, err)
		}
	}
	// What follows the end is told, a reader that fails is no early end.
	c, err = newDir(t).Import(context.Background(), io.MultiReader(bytes.NewReader(pack.Bytes()), strings.NewReader("x")))
	if !errors.Is(err, ErrPack) || c.Added != len(want) {
		t.Errorf("a byte after the end: %+v, %v", c, err)
	}
	for _, n := range []int{0, 5, len(packMagic) + 40, pack.Len() - 5, pack.Len()} {
		failed := errors.New("the disk is away")
		if _, err := newDir(t).Import(context.Background(), io.MultiReader(bytes.NewReader(pack.Bytes()[:n]), iotest.ErrReader(failed))); err != failed {
			t.Errorf("a reader that fails at %d: %v", n, err)
		}
	}
	// A flipped bit loses at most its own entry, and never goes unnoticed.
	for n := 0; n < pack.Len(); n += 397 {
		data := bytes.Clone(pack.Bytes())
		data[n] ^= 4
		c, err := newDir(t).Import(context.Background(), bytes.NewReader(data))
		if err == nil && len(c.Broken) == 0 {
			t.Fatalf("flip at %d: %+v", n, c)
		}
	}
}

func FuzzImport(f *testing.F) {
	d, err := Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	d.Put(Digest{1}, []byte("one"))
	var b bytes.Buffer
	d.Export(context.Background(), &b)
	f.Add(b.Bytes())
	f.Add([]byte(packMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		c, err := in.Import(context.Background(), bytes.NewReader(data))
		if list, _ := in.List(); len(list) != c.Added {
			t.Errorf("%d entries of %d added, %v", len(list), c.Added, err)
		}
	})
}
