package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// verdict is what became of a change.
type verdict string

const (
	noticedByOwn   verdict = "noticed"
	noticedByWhole verdict = "noticed/"
	survived       verdict = "SURVIVED"
	equivalent     verdict = "equivalent"
	noProgram      verdict = "no program"
)

// try runs the tests with the change: the package's own first.
func (s *site) try(ctx context.Context, c *config) (verdict, error) {
	overlay, remove, err := s.overlay()
	if err != nil {
		return "", err
	}
	defer remove()
	ok, built := goTest(ctx, c, overlay, s.pkg.ImportPath)
	switch {
	case !built:
		return noProgram, nil
	case !ok:
		return noticedByOwn, nil
	}
	for _, p := range c.then {
		if ok, _ := goTest(ctx, c, overlay, p); !ok {
			return noticedByWhole, ctx.Err()
		}
	}
	return survived, ctx.Err()
}

// overlay writes the changed file and the go command's list of it to a folder
// that remove takes away.
func (s *site) overlay() (list string, remove func(), err error) {
	text, err := s.text()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	changed := filepath.Join(dir, filepath.Base(s.file))
	list = filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(map[string]map[string]string{"Replace": {s.file: changed}})
	if err == nil {
		err = os.WriteFile(changed, text, 0o666)
	}
	if err == nil {
		err = os.WriteFile(list, data, 0o666)
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return list, remove, nil
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
