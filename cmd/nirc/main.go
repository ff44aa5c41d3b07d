// Command nirc compiles SPIR-V shaders for Adreno, AGX and Midgard, and looks
// into what it did: it dumps, disassembles, and runs Amber scripts on software
// cores. Each command is a file of this package: it reads flags, makes one call
// of package nirc (or amber, for scripts) and writes what comes back. No shader
// is looked at here.
//
// Exit codes: 0 done; 1 the input or the target says no; 2 usage; 3 input or
// output failed; 5 an error of nirc itself; 130 stopped by Ctrl-C or SIGTERM.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

func main() {
	// Ctrl-C, and what a CI job that is cancelled gets.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second interrupt ends the program even if the first finds no end.
	context.AfterFunc(ctx, stop)
	if os.Getenv("GOGC") == "" {
		// A compile makes little that lives long: collect less often.
		debug.SetGCPercent(800)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		// ... but keep what large shaders leave from being given back and asked for again: one of 50,000
		// instructions has some 50 MB that live. The limit is soft.
		debug.SetMemoryLimit(int64(1+runtime.GOMAXPROCS(0)) * 108 << 20)
	}
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
