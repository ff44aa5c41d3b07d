package main

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// verdict is what became of a change.
type verdict string

const (
	noticedByOwn   verdict = "noticed"
	noticedByWhole verdict = "noticed/"
	survived       verdict = "SURVIVED"
	equivalent     verdict = "equivalent"
)

// together is how long tests may take that one process runs: starting it costs more than a quick test.
const together = 2 * time.Second

// groups are tests of one binary each, to be run by one process, in the order of the first of each.
func groups(list []*test) (all [][]*test) {
	list = slices.Clone(list)
	for len(list) > 0 {
		var group, rest []*test
		took := time.Duration(0)
		for _, t := range list {
			if len(group) > 0 && (t.binary != group[0].binary || took+t.took > together) {
				rest = append(rest, t)
				continue
			}
			group = append(group, t)
			took += t.took
		}
		all, list = append(all, group), rest
	}
	return all
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: ([^\s/]+)`)

// try runs the tests that reach a change until one fails, and returns it.
func (p *program) try(ctx context.Context, x *patch, all []*test) (verdict, string) {
	list := covering(all, x, p.c.budget)
	for _, group := range groups(list) {
		names := make([]string, len(group))
		for i, t := range group {
			names[i] = t.name
		}
		out, _, err := p.run(ctx, group[0].binary, strings.Join(names, "|"), x.n, "", p.c.timeout)
		if err == nil {
			continue
		}
		t := *group[0]
		if m := failed.FindSubmatch(out); m != nil {
			t.name = string(m[1])
		} else {
			t.name += ", stopped" // by the limits of time or memory
		}
		if t.pkg.ImportPath == x.pkg.ImportPath {
			return noticedByOwn, t.String()
		}
		return noticedByWhole, t.String()
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
		at := strings.LastIndex(line, " | ") // a key may have bars of its own
		if at < 0 || strings.TrimSpace(line[at+3:]) == "" {
			return nil, fmt.Errorf("equivalent.txt:%d: no reason", n)
		}
		known[line[:at]] = true
	}
	return known, nil
}
