package main

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"strings"
)

// verdict is what became of a change.
type verdict string

const (
	noticedByOwn   verdict = "noticed"
	noticedByWhole verdict = "noticed/"
	survived       verdict = "SURVIVED"
	equivalent     verdict = "equivalent"
)

// try runs the tests that reach a change until one fails, and returns it.
func (p *program) try(ctx context.Context, x *patch, all []*test) (verdict, string) {
	list := covering(all, x, p.c.budget)
	for _, t := range list {
		if _, err := p.run(ctx, t.binary, t.name, x.n, ""); err != nil {
			if t.pkg.ImportPath == x.pkg.ImportPath {
				return noticedByOwn, t.String()
			}
			return noticedByWhole, t.String()
		}
	}
	if len(list) == 0 {
		return survived, "no test comes there"
	}
	return survived, fmt.Sprintf("%d tests come there", len(list))
}

//go:embed equivalent.txt
var equivalentList string

// readEquivalent reads the changes that make an equal program, a line each: the
// key as survivors are listed without the line number, " | ", why.
func readEquivalent() (map[string]bool, error) {
	known := make(map[string]bool)
	n := 0
	for s := bufio.NewScanner(strings.NewReader(equivalentList)); s.Scan(); {
		n++
		line := s.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, why, ok := strings.Cut(line, " | ")
		if !ok || strings.TrimSpace(why) == "" {
			return nil, fmt.Errorf("equivalent.txt:%d: no reason", n)
		}
		known[key] = true
	}
	return known, nil
}
