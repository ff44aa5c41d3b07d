// Command nirc compiles SPIR-V shaders for Adreno, AGX and Midgard, and looks
// into what it did: it dumps, disassembles, and runs Amber scripts on software
// cores. Each command is a file of this package: it reads flags, makes one call
// of package nirc (or amber, for scripts) and writes what comes back. No shader
// is looked at here.
//
// Exit codes: 0 done; 1 the input or the target says no; 2 usage; 3 input or
// output failed; 5 an error of nirc itself.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
