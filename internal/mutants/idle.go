package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// errIdle says of a test that it waited, and would have for ever.
var errIdle = errors.New("it waits and does nothing")

// tick is what /proc counts the processor's time in: Linux tells all programs hundredths of a second, whatever its own clock is.
const tick = time.Second / 100

// share is the part of a processor that even a busy machine gives a process that wants it: one that takes less waits.
const share = 1. / 500

// idle watches a process until the context ends, and reports whether before that it and all that it started took next to nothing of a
// processor for as long as is said. Where there is no /proc it does not know, and waits.
func idle(ctx context.Context, pid int, quiet time.Duration) bool {
	for before, _ := spent(pid); ; {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(quiet):
		}
		now, ok := spent(pid)
		// It is less than before where something has lost its parent.
		if ok && now >= before && (now-before).Seconds() < share*quiet.Seconds() {
			return ctx.Err() == nil
		}
		before = now
	}
}

// spent is the processor's time that a process and all that it started have taken, and whether that is known.
func spent(pid int) (sum time.Duration, ok bool) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	parent, took := make(map[int]int), make(map[int]time.Duration)
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended by now
		}
		// After the name, which may hold anything, come the state, the parent, nine others, and four times: by itself as a user and in
		// the kernel, and so by those of its children that it has waited for (proc(5)).
		f := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		if len(f) < 15 {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent[id], _ = strconv.Atoi(f[1])
		for _, n := range f[11:15] {
			v, _ := strconv.Atoi(n)
			took[id] += time.Duration(v) * tick
		}
	}
	for id := range parent {
		for at := id; at > 0; at = parent[at] {
			if at == pid {
				sum += took[id]
				break
			}
		}
	}
	_, ok = parent[pid]
	return sum, ok
}
