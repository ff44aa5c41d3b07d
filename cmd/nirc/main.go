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
	"time"
)

// patience is how long a run that was interrupted may take to end.
const patience = 5 * time.Second

func main() {
	// Ctrl-C, and what a CI job that is cancelled gets.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second one ends the program at once
		time.Sleep(patience)
		// Nobody looks: the system keeps what it was asked for, as the opening of a pipe that has no writer.
		os.Stderr.WriteString("nirc: error: interrupted\n")
		os.Exit(exitStopped)
	})
	if os.Getenv("GOGC") == "" {
		// A compile makes little that lives long: collect less often.
		debug.SetGCPercent(800)
	}
	limitMemory()
	code := run(ctx, os.Args[1:], streams{&stoppable{ctx: ctx, r: os.Stdin}, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// limitMemory keeps what large shaders leave from being given back and asked for again: one of 50,000
// instructions has some 50 MB that live. The limit is soft, and of as many shaders as there are processors.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(1+runtime.GOMAXPROCS(0)) * 108 << 20)
	}
}

// useProcessors keeps the program, its garbage collector too, to as many processors as
// -j says, and to the memory that they need. The function that it returns takes that back.
func useProcessors(jobs int) (restore func()) {
	all := runtime.GOMAXPROCS(0)
	if jobs >= all {
		return func() {}
	}
	limit := debug.SetMemoryLimit(-1)
	runtime.GOMAXPROCS(jobs)
	limitMemory()
	return func() {
		runtime.GOMAXPROCS(all)
		debug.SetMemoryLimit(limit)
	}
}
