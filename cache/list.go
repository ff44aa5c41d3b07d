package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Kind is what an entry holds.
type Kind string

// Kinds.
const (
	KindShader  Kind = "shader"  // an object
	KindRefusal Kind = "refusal" // why there is none
	KindModule  Kind = "module"
	KindFront   Kind = "front_end" // what a module was made of
	KindBroken  Kind = "broken"    // not what was stored
)

// Item is an entry, with what it is.
type Item struct {
	Digest  Digest    `json:"digest"`
	Kind    Kind      `json:"kind"`
	Stored  int64     `json:"bytes_stored"`
	Used    time.Time `json:"used"`              // to within an hour
	Request *Request  `json:"request,omitempty"` // of a shader or a refusal
	Object  int       `json:"object_bytes,omitempty"`
	Why     string    `json:"why,omitempty"` // broken, or the first of what it was refused for
}

// Items reads the entries, by digest, and hands each to f until that returns false.
func (d *Dir) Items(ctx context.Context, f func(i, n int, item *Item) bool) error {
	list, err := d.List()
	if err != nil {
		return err
	}
	for i, e := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := d.Get(e.Key)
		if errors.Is(err, ErrAbsent) {
			continue // removed in between
		}
		item := Item{Digest: e.Key, Stored: e.Size, Used: e.Used.UTC().Truncate(time.Second)}
		item.fill(data, err)
		if !f(i, len(list), &item) {
			return nil
		}
	}
	return nil
}

// fill says what the bytes of an entry are, or the error.
func (it *Item) fill(data []byte, err error) {
	var e *Entry
	if err == nil {
		e, err = ParseEntry(data)
	}
	var broken *BrokenError
	switch {
	case errors.As(err, &broken):
		it.Kind, it.Why = KindBroken, broken.Why
	case err != nil:
		it.Kind, it.Why = KindBroken, err.Error()
	case e == nil && data[0] == kindFront:
		it.Kind = KindFront
	case e == nil:
		it.Kind = KindModule
	default:
		it.Kind, it.Request, it.Object = KindShader, &e.Request, len(e.Object)
		if len(e.Refused) > 0 {
			it.Kind, it.Why = KindRefusal, e.Refused[0].Msg
		}
	}
}

// minPrefix is the number of digits that Find wants at least.
const minPrefix = 6

// IsPrefix reports whether a word may be the beginning of a digest, as Find takes it.
func IsPrefix(s string) bool {
	return len(s) >= minPrefix && len(s) <= 2*len(Digest{}) && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// Find returns the digest of the one entry that begins with these digits, six at least.
func (d *Dir) Find(prefix string) (key Digest, err error) {
	prefix = strings.ToLower(prefix)
	if !IsPrefix(prefix) {
		return key, fmt.Errorf("%q is no digest, and no beginning of one (%d digits at least)", prefix, minPrefix)
	}
	files, err := os.ReadDir(filepath.Join(d.root, prefix[:2]))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return key, err
	}
	n := 0
	for _, f := range files {
		if k, err := ParseDigest(prefix[:2] + f.Name()); err == nil && strings.HasPrefix(f.Name(), prefix[2:]) {
			key = k
			n++
		}
	}
	switch n {
	case 0:
		return key, fmt.Errorf("%s: %w", prefix, ErrAbsent)
	case 1:
		return key, nil
	}
	return key, fmt.Errorf("%s: %d entries begin so", prefix, n)
}
