package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"nirc"
	"nirc/ir"
	"nirc/passes"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"nirc": main, "broken": broken, "wrong": wrong})
}

// broken is nirc whose compiler has a mistake.
func broken() {
	beforeCompile = func(*nirc.Unit) error {
		return &nirc.InternalError{Pass: "translate", Value: "broken for a test", Stack: []byte("stack\n")}
	}
	main()
}

// wrong is nirc whose opt_constant_folding also turns its third subtraction,
// and those after it, around.
func wrong() {
	breakFolding()
	main()
}

// breakFolding makes the pass wrong until the function that it returns is called.
func breakFolding() (mend func()) {
	p := passes.Find("opt_constant_folding")
	fold := p.Run
	p.Run = func(c *passes.Context, s *ir.Shader) (bool, error) {
		progress, err := fold(c, s)
		n := 0
		for _, f := range s.Functions {
			if f.Impl == nil {
				continue
			}
			for b := range f.Impl.Blocks() {
				for in := range b.Instrs() {
					if in.Kind != ir.KindALU || in.Op != ir.OpIsub || !c.Step() {
						continue
					}
					if n++; n > 2 {
						in.Op, progress = ir.OpIadd, true
						f.Impl.Preserve(ir.MetaControlFlow)
					}
				}
			}
		}
		return progress, err
	}
	return func() { p.Run = fold }
}

// TestScript runs the scripts of testdata/script: each is a session with the
// command line, files, streams and exit codes.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Condition: func(cond string) (bool, error) {
			_, err := exec.LookPath(cond)
			return err == nil, nil
		},
		Setup: func(e *testscript.Env) error {
			// Settings of the machine must not reach the scripts.
			for _, v := range os.Environ() {
				if strings.HasPrefix(v, "NIRC_") {
					name, _, _ := strings.Cut(v, "=")
					e.Setenv(name, "")
				}
			}
			for _, name := range []string{"MUTANT", "MUTANT_SEEN"} { // by which internal/mutants chooses a change of the program
				e.Setenv(name, os.Getenv(name))
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"code": code, "flip": flip, "age": age},
	})
}

// code N CMD… runs a command and checks its exit code.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if exit, ok := err.(*exec.ExitError); ok {
		got = strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// age makes all files of the script some seconds old: a cache keeps nothing of what was written during a compile.
func age(ts *testscript.TestScript, neg bool, args []string) {
	old := time.Now().Add(-5 * time.Second)
	ts.Check(filepath.WalkDir(ts.MkAbs("."), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = os.Chtimes(path, old, old)
		}
		return err
	}))
}
