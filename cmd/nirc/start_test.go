package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// What packages of ours may allocate before main, by what Go's runtime counts: each mostOfOurs times if startAllocations does not say more, and all
// together mostAtStart times, mostAtStartBytes bytes. A sync.OnceValue is two or three; a lazy.Value is none.
const (
	mostOfOurs       = 20
	mostAtStart      = 720
	mostAtStartBytes = 30 << 10
)

// startAllocations are the packages of ours that make more than that: closures that stand in tables which shaders of all kinds look into.
var startAllocations = map[string]int{"nirc/ir/optab": 319, "nirc/backend/midgard/isa": 66, "nirc/backend/agx": 65, "nirc/passes": 60, "nirc/backend/ir3/isa": 46}

// TestStart: no table is made at start that one shader does not need. One process compiles one shader where a
// build system calls nirc, and there the start is half of the time.
func TestStart(t *testing.T) {
	program := filepath.Join(t.TempDir(), "nirc")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	cmd := exec.Command(program, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	all, bytes, seen := 0, 0, map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, (\d+) allocs$`).FindAllStringSubmatch(string(text), -1) {
		name := m[1]
		size, _ := strconv.Atoi(m[2])
		n, _ := strconv.Atoi(m[3])
		ours := name == "main" || strings.HasPrefix(name, "nirc/")
		if !ours {
			continue
		}
		all, bytes = all+n, bytes+size
		most, listed := startAllocations[name]
		if !listed {
			most = mostOfOurs
		}
		if n > most {
			t.Errorf("%s allocates %d times at start, at most %d: make its tables when they are first asked for (package internal/lazy), or as literals that the linker lays out", name, n, most)
		}
		if seen[name] = true; listed && n <= mostOfOurs {
			t.Errorf("%s allocates %d times at start: take it off the list", name, n)
		}
	}
	for name := range startAllocations {
		if !seen[name] {
			t.Errorf("%s does nothing at start: take it off the list", name)
		}
	}
	t.Logf("%s: %d allocations, %d bytes", runtime.Version(), all, bytes)
	if all > mostAtStart || bytes > mostAtStartBytes {
		t.Errorf("packages of ours allocate %d times and %d bytes at start, at most %d and %d", all, bytes, mostAtStart, mostAtStartBytes)
	}
}
