package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"nirc"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"nirc": main, "broken": broken})
}

// broken is nirc whose compiler has a mistake.
func broken() {
	beforeCompile = func(*nirc.Unit) error {
		return &nirc.InternalError{Pass: "translate", Value: "broken for a test", Stack: []byte("stack\n")}
	}
	main()
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
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"code": code, "flip": flip},
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
