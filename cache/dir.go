package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Dir is a store in a directory: DIR/ab/cd… holds the entry of digest abcd…,
// DIR/tmp what is being written.
type Dir struct {
	root string
	now  func() time.Time
}

// touchAfter is how old an entry's time may grow before a use renews it: gc
// removes what has not been used for longest.
const touchAfter = time.Hour

// staleAfter is the age at which a file in DIR/tmp is what a killed process left behind.
const staleAfter = time.Hour

// tmpPrefix begins the names of what is being written: in a directory that is
// given by mistake nothing else is taken for a leftover.
const tmpPrefix = "nirc-"

// Open opens a store, and makes the directory if there is none.
func Open(root string) (*Dir, error) {
	if err := os.MkdirAll(filepath.Join(root, "tmp"), 0o777); err != nil {
		return nil, err
	}
	return &Dir{root: root, now: time.Now}, nil
}

// ErrNoCache is what OpenOld returns for a directory that is something else.
var ErrNoCache = errors.New("no cache of nirc")

// OpenOld opens a store that must be there, to read it; nothing is made.
func OpenOld(root string) (*Dir, error) {
	list, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	if !isStore(root, list) {
		return nil, fmt.Errorf("%w: the directory holds other things, and no entry", ErrNoCache)
	}
	return &Dir{root: root, now: time.Now}, nil
}

// isStore reports whether a directory that holds list may be a store: it has an entry or the
// place for what is being written, or it is empty.
func isStore(root string, list []fs.DirEntry) bool {
	for _, e := range list {
		if !e.IsDir() || e.Name() != "tmp" && len(e.Name()) != 2 {
			continue
		}
		files, err := os.ReadDir(filepath.Join(root, e.Name()))
		if err != nil {
			continue // whoever lists the entries is told
		}
		if e.Name() == "tmp" && !slices.ContainsFunc(files, func(f fs.DirEntry) bool { return !strings.HasPrefix(f.Name(), tmpPrefix) }) {
			return true
		}
		if slices.ContainsFunc(files, func(f fs.DirEntry) bool { _, err := ParseDigest(e.Name() + f.Name()); return err == nil }) {
			return true
		}
	}
	return len(list) == 0
}

// Path is where an entry lies.
func (d *Dir) Path(key Digest) string {
	s := key.String()
	return filepath.Join(d.root, s[:2], s[2:])
}

// Get returns an entry whose checksum is right.
func (d *Dir) Get(key Digest) ([]byte, error) {
	frame, err := d.frame(key)
	if err != nil {
		return nil, err
	}
	data, why := open(frame)
	if why != "" {
		return nil, &BrokenError{key, d.Path(key), why}
	}
	return data, nil
}

// frame reads an entry as it is stored and checks its sum.
func (d *Dir) frame(key Digest) ([]byte, error) {
	path := d.Path(key)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrAbsent
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &BrokenError{key, path, "it is no file"}
	}
	if st.Size() > maxEntry {
		return nil, &BrokenError{key, path, "its size is out of proportion"}
	}
	frame := make([]byte, st.Size())
	if _, err := f.ReadAt(frame, 0); err != nil && len(frame) > 0 {
		return nil, err
	}
	if why := check(key, frame); why != "" {
		return nil, &BrokenError{key, path, why}
	}
	if now := d.now(); now.Sub(st.ModTime()) > touchAfter {
		os.Chtimes(path, now, now) // a store that may only be read is one all the same
	}
	return frame, nil
}

// Has reports whether there is a file for the entry.
func (d *Dir) Has(key Digest) (bool, error) {
	_, err := os.Stat(d.Path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Put stores an entry: it is written under another name and renamed into place.
func (d *Dir) Put(key Digest, data []byte) error {
	return d.putFrame(key, seal(key, data))
}

func (d *Dir) putFrame(key Digest, frame []byte) error {
	path := d.Path(key)
	tmp := filepath.Join(d.root, "tmp", tmpPrefix+strconv.FormatUint(rand.Uint64(), 36))
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(frame)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp, path)
		if errors.Is(err, fs.ErrNotExist) {
			if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
				err = os.Rename(tmp, path)
			}
		}
	}
	if err != nil {
		os.Remove(tmp)
	}
	return err
}

// Remove takes an entry away; it is no error if there is none.
func (d *Dir) Remove(key Digest) error {
	err := os.Remove(d.Path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Info is what the file system knows about an entry.
type Info struct {
	Key  Digest
	Size int64 // as stored
	Used time.Time
}

// List lists the entries by digest.
func (d *Dir) List() ([]Info, error) {
	var list []Info
	shards, err := os.ReadDir(d.root)
	if err != nil {
		return nil, err
	}
	for _, s := range shards {
		if !s.IsDir() || len(s.Name()) != 2 {
			continue
		}
		files, err := os.ReadDir(filepath.Join(d.root, s.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			key, err := ParseDigest(s.Name() + f.Name())
			if err != nil {
				continue // not ours
			}
			st, err := f.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // another process removed it
			}
			if err != nil {
				return nil, err
			}
			list = append(list, Info{key, st.Size(), st.ModTime()})
		}
	}
	slices.SortFunc(list, func(a, b Info) int { return strings.Compare(string(a.Key[:]), string(b.Key[:])) })
	return list, nil
}

// Collected is what GC did.
type Collected struct {
	Entries int   `json:"entries"` // before
	Removed int   `json:"removed"`
	Bytes   int64 `json:"bytes"` // as stored, before
	Freed   int64 `json:"bytes_freed"`
	Stale   int   `json:"stale"` // files that killed processes left
}

// GC removes the entries that have not been used for longest until those that
// stay have no more than maxSize bytes, and what killed processes left behind.
func (d *Dir) GC(ctx context.Context, maxSize int64) (Collected, error) {
	var c Collected
	left, err := os.ReadDir(filepath.Join(d.root, "tmp"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	for _, f := range left {
		if st, err := f.Info(); err == nil && strings.HasPrefix(f.Name(), tmpPrefix) && d.now().Sub(st.ModTime()) > staleAfter {
			if os.Remove(filepath.Join(d.root, "tmp", f.Name())) == nil {
				c.Stale++
			}
		}
	}
	list, err := d.List()
	if err != nil {
		return c, err
	}
	for _, e := range list {
		c.Bytes += e.Size
	}
	c.Entries = len(list)
	slices.SortStableFunc(list, func(a, b Info) int { return a.Used.Compare(b.Used) })
	for _, e := range list {
		if c.Bytes-c.Freed <= maxSize {
			break
		}
		if err := ctx.Err(); err != nil {
			return c, err
		}
		if err := d.Remove(e.Key); err != nil {
			return c, err
		}
		c.Removed++
		c.Freed += e.Size
	}
	return c, nil
}

// Copied is what Merge or Import did.
type Copied struct {
	Added  int            `json:"added"`
	There  int            `json:"there"`
	Broken []*BrokenError `json:"broken"` // not copied
}

// take stores a frame that comes from elsewhere, unless it is broken or there.
func (d *Dir) take(c *Copied, key Digest, frame []byte, from string) error {
	if why := check(key, frame); why != "" {
		c.Broken = append(c.Broken, &BrokenError{key, from, why})
		return nil
	}
	if _, err := d.frame(key); err == nil {
		c.There++
		return nil
	}
	if err := d.putFrame(key, frame); err != nil {
		return err
	}
	c.Added++
	return nil
}

// Merge copies the entries of another store.
func (d *Dir) Merge(ctx context.Context, from *Dir) (Copied, error) {
	var c Copied
	list, err := from.List()
	if err != nil {
		return c, err
	}
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		frame, err := from.frame(e.Key)
		var broken *BrokenError
		switch {
		case errors.As(err, &broken):
			c.Broken = append(c.Broken, broken)
			continue
		case errors.Is(err, ErrAbsent):
			continue // removed in between
		case err != nil:
			return c, err
		}
		if err := d.take(&c, e.Key, frame, from.Path(e.Key)); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Shard is one of n parts of all keys, for jobs that share the work.
type Shard struct{ I, N int } // I from 1 to N; the zero value is all

// ParseShard reads i/n.
func ParseShard(s string) (Shard, error) {
	i, n, ok := strings.Cut(s, "/")
	a, err1 := strconv.Atoi(i)
	b, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || a < 1 || a > b {
		return Shard{}, fmt.Errorf("%q: want I/N, I from 1 to N", s)
	}
	return Shard{a, b}, nil
}

// Has reports whether a key belongs to the shard.
func (s Shard) Has(key Digest) bool {
	if s.N < 2 {
		return true
	}
	v := uint64(0)
	for _, b := range key[:8] {
		v = v<<8 | uint64(b)
	}
	return int(v%uint64(s.N)) == s.I-1
}
