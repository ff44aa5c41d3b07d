package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What waits for standard input ends with the first interrupt.
func TestInterruptedInput(t *testing.T) {
	for _, args := range [][]string{{"-"}, {"cache", "build", "--dir", t.TempDir(), "-"}, {"cache", "import", "--dir", t.TempDir(), "-"}, {"asm", "-t", "ir3", "-"}} {
		// While it starts up an interrupt ends it otherwise: a slow machine has more time.
		for wait := 100 * time.Millisecond; ; wait *= 4 {
			code, told, took := interruptedRun(t, args, wait)
			if code < 0 && wait < time.Minute {
				continue
			}
			if took >= patience {
				t.Errorf("%v: it took %v", args, took)
			}
			if code != exitStopped || told != "nirc: error: interrupted\n" {
				t.Errorf("%v: exit code %d: %s", args, code, told)
			}
			break
		}
	}
}

// interruptedRun interrupts a run that waits for standard input after a while, and returns its exit code,
// -1 if the signal ended it, what it told, and how long it took to end.
func interruptedRun(t *testing.T, args []string, wait time.Duration) (code int, told string, took time.Duration) {
	t.Helper()
	cmd := exec.Command("nirc", args...)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(wait)
	sent := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		cmd.Process.Kill()
		t.Skipf("no interrupt: %v", err)
	}
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String(), time.Since(sent)
}

// What is there is read whole, in whatever pieces.
func TestStoppable(t *testing.T) {
	want := strings.Repeat("0123456789abcdef", 10000)
	got, err := io.ReadAll(&stoppable{ctx: context.Background(), r: strings.NewReader(want)})
	if err != nil || string(got) != want {
		t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if n, err := (&stoppable{ctx: ctx, r: strings.NewReader(want)}).Read(make([]byte, 9)); n != 0 || err != context.Canceled {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A directory that cannot be listed is told and keeps nobody from the others: one whose
// name is too long, and for whom files are locked, a locked one.
func TestUnreadableDirectory(t *testing.T) {
	tree := writeTree(t, 2)
	long := filepath.Join(t.TempDir(), strings.Repeat("d", 300))
	cases := map[string][]string{long: {tree, filepath.Join(long, "*.nir")}}
	if os.Getuid() != 0 {
		locked := filepath.Join(tree, "locked")
		if err := os.Mkdir(locked, 0); err != nil {
			t.Fatal(err)
		}
		cases[locked] = []string{filepath.Join(tree, "**", "*.nir")}
	}
	for unread, args := range cases {
		dir := t.TempDir()
		var out, errs bytes.Buffer
		code := run(context.Background(), append([]string{"--keep-going", "-o", dir + "/"}, args...), streams{strings.NewReader(""), &out, &errs})
		if list, _ := os.ReadDir(dir); code != exitIO || len(list) != 2 || !strings.Contains(errs.String(), unread) {
			t.Errorf("%s: exit code %d, %d outputs\n%s", args, code, len(list), errs.String())
		}
	}
}
