package cache

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nirc"
)

// noted is a store that notes what is put into it.
type noted struct {
	*Dir
	puts []Digest
}

func (n *noted) Put(key Digest, data []byte) error {
	n.puts = append(n.puts, key)
	return n.Dir.Put(key, data)
}

// TestLinkedPuts: of the stages of a pipeline those are stored that were not there, and no other.
func TestLinkedPuts(t *testing.T) {
	ctx := context.Background()
	n := &noted{Dir: newDir(t)}
	b := &Builder{Store: n, Code: "1"}
	o := nirc.Options{Target: "ir3", GPU: "a630", Level: 2}
	stages := litStages(t)
	results, _, err := b.Linked(ctx, stages, o)
	if err != nil {
		t.Fatal(err)
	}
	keys := []Digest{results[0].Key, results[1].Key}
	if !slices.Equal(n.puts, keys) {
		t.Errorf("%v are stored, want %v", n.puts, keys)
	}
	for _, gone := range [][]Digest{nil, keys[:1], keys[1:], keys} {
		for _, key := range gone {
			n.Remove(key)
		}
		n.puts = nil
		if _, _, err := b.Linked(ctx, stages, o); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(n.puts, gone) {
			t.Errorf("%v are stored, where %v were gone", n.puts, gone)
		}
	}
}

// TestModes: folders and files of entries may be used by whom the umask lets use what others make.
func TestModes(t *testing.T) {
	d, like := newDir(t), t.TempDir()
	if err := os.Mkdir(filepath.Join(like, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(like, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	key, data := entryFor("a module")
	if err := d.Put(key, data); err != nil {
		t.Fatal(err)
	}
	for path, other := range map[string]string{d.Path(key): "file", filepath.Dir(d.Path(key)): "folder"} {
		got, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.Stat(filepath.Join(like, other))
		if err != nil {
			t.Fatal(err)
		}
		if got.Mode() != want.Mode() {
			t.Errorf("the %s has mode %v, want %v", other, got.Mode(), want.Mode())
		}
	}
}

// TestUploads: what waits goes out in its order, as much at a time as one call takes and no more, except for one entry that is larger.
func TestUploads(t *testing.T) {
	server := &scripted{}
	rnd := rand.New(rand.NewPCG(3, 0))
	var all []Keyed
	for i := range 200 {
		size := []int{10, maxBatchBytes / 7, maxBatchBytes / 2, maxBatchBytes, maxBatchBytes + 1, 2 * maxBatchBytes}[rnd.IntN(6)]
		if i%40 < 20 {
			size = 1 + i
		}
		all = append(all, Keyed{Key: Digest{byte(i)}, Data: make([]byte, size)})
	}
	r, _, _ := testRemote(server, RemoteOptions{ReadOnly: true}) // nobody else uploads
	r.queue, r.closing = slices.Clone(all), true
	for len(all) > 0 {
		batch, size := r.next()
		n, sum := len(batch), 0
		if n == 0 || n > server.Batch() {
			t.Fatalf("%d entries go out together", n)
		}
		for i := range batch {
			if sum += len(batch[i].Data); batch[i].Key != all[i].Key {
				t.Fatalf("entry %v goes out before %v", batch[i].Key, all[i].Key)
			}
		}
		if all = all[n:]; size != sum || n > 1 && sum > maxBatchBytes {
			t.Errorf("%d entries of %d bytes go out together, %d are told", n, sum, size)
		}
		if n < server.Batch() && len(all) > 0 && sum+len(all[0].Data) <= maxBatchBytes {
			t.Errorf("%d entries of %d bytes go out without the next of %d", n, sum, len(all[0].Data))
		}
	}
	if batch, _ := r.next(); len(batch) > 0 {
		t.Errorf("%d entries more", len(batch))
	}
}
