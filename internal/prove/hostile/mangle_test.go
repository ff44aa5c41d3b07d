// Package hostile proves that wrong input is refused: modules, IR text, scripts and pipelines that are
// changed at random, too deep, too large, cyclic, or that ask for what is not supported. There is a
// diagnostic, never a panic, and time and memory are bounded.
package hostile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nirc"
	"nirc/internal/mangle"
	"nirc/internal/prove"
	"nirc/passes"
)

// compileMangled compiles a text, which may be refused but neither break the
// compiler nor take long. It reports whether it compiled.
func compileMangled(t *testing.T, text, from string, seed uint64, target string) bool {
	start := time.Now()
	_, err := nirc.Compile(context.Background(), []byte(text), nirc.Options{File: "mangled", Target: target, Level: passes.O2, Run: passes.RunOptions{VerifyEach: true}})
	internal := (*nirc.InternalError)(nil)
	d := time.Since(start)
	if !errors.As(err, &internal) && d < fuzzLimit {
		return err == nil
	}
	name := ""
	if os.Getenv(mangle.Env) != "" {
		name = filepath.Join(os.TempDir(), fmt.Sprintf("mangled-%s-%s-%d.txt", strings.ReplaceAll(filepath.Base(from), "/", "_"), target, seed))
		_ = os.WriteFile(name, []byte(text), 0o666)
	}
	if internal == nil {
		t.Errorf("%s, seed %d, %s: the compile took %v %s", from, seed, target, d, name)
		return false
	}
	t.Errorf("%s, seed %d, %s: %v %s\n%s", from, seed, target, err, name, internal.Stack)
	return false
}

// TestMangledModules compiles modules whose assembly is changed here and there.
func TestMangledModules(t *testing.T) {
	run, files, words := mangle.NewRun(t, 30, 0), prove.MangleFiles(t), mangle.NewWords(moduleWords()...)
	compiled, n := 0, 0
	targets := []string{"ir3", "agx", "midgard"}
	for seed, r := range run.Inputs() {
		n++
		name := files[r.IntN(len(files))]
		m, err := prove.Read(name)
		if err != nil {
			continue // a list may name others
		}
		text, err := m.Disassemble()
		if err != nil || len(text) > 64<<10 {
			continue
		}
		x := mangle.New(text, words)
		for range 8 {
			if compileMangled(t, x.Mangled(r), name, seed, targets[r.IntN(3)]) {
				compiled++
			}
		}
	}
	t.Logf("%d of %d texts compiled", compiled, 8*n)
	if compiled == 0 || compiled == 8*n {
		t.Errorf("%d of %d texts compiled", compiled, 8*n)
	}
}

// TestMangledIR compiles IR texts, from every stage of lowering, that are
// changed here and there.
func TestMangledIR(t *testing.T) {
	run, files, words := mangle.NewRun(t, 11, 1), prove.MangleFiles(t), mangle.NewWords(irWords()...)
	compiled, n := 0, 0
	targets := []string{"ir3", "agx", "midgard"}
	if only := os.Getenv("NIRC_MANGLE_TARGET"); only != "" {
		targets = []string{only}
	}
	for seed, r := range run.Inputs() {
		n++
		name := files[r.IntN(len(files))]
		target := targets[r.IntN(len(targets))]
		var dumps []string
		m, err := prove.Read(name)
		if err != nil {
			continue
		}
		_, err = m.Compile(context.Background(), nirc.Options{File: name, Target: target, Level: passes.O2, Run: passes.RunOptions{DumpAfter: []string{"all"}, Dump: func(_, text string) {
			if len(text) < 64<<10 && strings.HasPrefix(text, "shader") { // not a backend's own code
				dumps = append(dumps, text)
			}
		}}})
		if err != nil || len(dumps) == 0 {
			continue
		}
		for range 4 {
			x := mangle.New(dumps[r.IntN(len(dumps))], words)
			for range 8 {
				if compileMangled(t, x.Mangled(r), name, seed, target) {
					compiled++
				}
			}
		}
	}
	t.Logf("%d of %d texts compiled", compiled, 32*n)
	if compiled == 0 || compiled == 32*n {
		t.Errorf("%d of %d texts compiled", compiled, 32*n)
	}
}
