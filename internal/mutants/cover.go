package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// test is a test of a package.
type test struct {
	*binary
	name    string
	took    time.Duration
	reaches map[int]bool // the changes at whose places it comes by
}

func (t *test) String() string { return strings.TrimPrefix(t.pkg.ImportPath, "nirc/") + " " + t.name }

// tests runs each test of a binary once, with no change, and finds what it reaches. Tests
// that fail by themselves are left out, and named.
func (p *program) tests(ctx context.Context, b *binary) ([]*test, error) {
	out, err := p.command(ctx, b.path, "-test.list", "^(Test|Fuzz|Example)")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.pkg.ImportPath, err)
	}
	var list []*test
	for name := range strings.FieldsSeq(string(out)) {
		if p.c.skip[name] {
			continue
		}
		t := &test{binary: b, name: name, reaches: make(map[int]bool)}
		seen := filepath.Join(p.dir, "seen")
		os.Remove(seen)
		out, took, err := p.run(ctx, b, name, -1, seen, p.c.slow)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			fmt.Printf("without a change %s fails and is left out: %v\n%s", t, err, tail(out))
			continue
		}
		t.took = took
		data, _ := os.ReadFile(seen) // there is none if nothing was reached
		for f := range strings.FieldsSeq(string(data)) {
			n, _ := strconv.Atoi(f)
			t.reaches[n] = true
		}
		list = append(list, t)
	}
	return list, nil
}

func tail(out []byte) []byte { return out[max(0, len(out)-600):] }

// covering are the tests that reach a change, those of its own package first, and the
// quick ones of each first. It cuts off what takes longer than the budget all in all.
func covering(all []*test, x *patch, budget time.Duration) []*test {
	var list []*test
	for _, t := range all {
		if t.reaches[x.n] {
			list = append(list, t)
		}
	}
	own := func(t *test) int {
		if t.pkg.ImportPath == x.pkg.ImportPath {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b *test) int {
		return cmp.Or(own(a)-own(b), cmp.Compare(a.took, b.took))
	})
	total := time.Duration(0)
	for i, t := range list {
		if total += t.took; budget > 0 && total > budget && own(t) != 0 {
			return list[:i]
		}
	}
	return list
}
