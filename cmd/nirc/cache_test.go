package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// flip DIR flips a bit of one entry of a cache.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: flip DIR")
	}
	names := entries(ts.MkAbs(args[0]))
	if len(names) == 0 {
		ts.Fatalf("no entry in %s", args[0])
	}
	data, err := os.ReadFile(names[0])
	if err == nil {
		data[len(data)/2] ^= 0x10
		err = os.WriteFile(names[0], data, 0o666)
	}
	if err != nil {
		ts.Fatalf("%v", err)
	}
}

// entries lists the files of a cache's entries.
func entries(dir string) []string {
	var list []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Dir(path) != filepath.Join(dir, "tmp") {
			list = append(list, path)
		}
		return nil
	})
	return list
}

// A build that is killed at random instants loses nothing that it stored, and
// breaks nothing. NIRC_KILLS=N[,SEED] says how often and at which instants; the default is quick.
func TestCacheKill(t *testing.T) {
	kills, seed := 10, uint64(1)
	if s := os.Getenv("NIRC_KILLS"); s != "" {
		number, from, _ := strings.Cut(s, ",")
		var err error
		if kills, err = strconv.Atoi(number); err != nil {
			t.Fatal(err)
		}
		if from != "" {
			if seed, err = strconv.ParseUint(from, 0, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	program, err := exec.LookPath("nirc")
	if err != nil {
		t.Fatal(err)
	}
	tree := writeTree(t, 100)
	nirc := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(program, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	full, want := time.Duration(0), 0
	for range 2 { // the second is warm, as those to be killed are
		start, whole := time.Now(), filepath.Join(t.TempDir(), "whole")
		nirc("cache", "build", "--dir", whole, "-j", "2", tree)
		full, want = time.Since(start), len(entries(whole))
	}
	dir, rnd, midway := "", rand.New(rand.NewPCG(seed, 1)), 0
	for i := range kills {
		if i%5 == 0 {
			dir = filepath.Join(t.TempDir(), "cache")
		}
		before := len(entries(dir))
		cmd := exec.Command(program, "cache", "build", "--dir", dir, "-j", "2", tree)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rnd.Int64N(int64(full))))
		cmd.Process.Kill()
		cmd.Wait()
		after := len(entries(dir))
		if after < before {
			t.Fatalf("%d entries before the kill, %d after it", before, after)
		}
		if after > 0 && after < want {
			midway++
		}
		if _, err := os.Stat(dir); err != nil {
			continue // killed before it began
		}
		if out := nirc("cache", "verify", "--dir", dir); !strings.Contains(out, " 0 broken") {
			t.Fatal(out)
		}
		if i%5 == 4 {
			nirc("cache", "build", "--dir", dir, "-j", "2", tree)
			if got := len(entries(dir)); got != want {
				t.Fatalf("%d entries after a whole build, want %d", got, want)
			}
		}
	}
	t.Logf("%d kills within %v, %d of them midway; nothing broken", kills, full, midway)
	if kills >= 50 && midway < kills/20 {
		t.Errorf("only %d of %d kills came midway", midway, kills)
	}
}

// Two processes that build one directory agree.
func TestCacheTwoProcesses(t *testing.T) {
	tree, dir := writeTree(t, 100), filepath.Join(t.TempDir(), "cache")
	var cmds [2]*exec.Cmd
	for i := range cmds {
		cmds[i] = exec.Command("nirc", "cache", "build", "--dir", dir, "-j", "2", tree)
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range cmds {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	if n := len(entries(dir)); n != 100 {
		t.Errorf("%d entries, want 100", n)
	}
	if out, err := exec.Command("nirc", "cache", "verify", "--dir", dir).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// writeTree writes n different shaders.
func writeTree(t *testing.T, n int) string {
	tree := t.TempDir()
	for i := range n {
		text := fmt.Sprintf("shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  fn f0 \"main\" entry() {\n    b0:\n      %%0:32 = load_const 0x%x\n"+
			"      %%1:32x3 = load_local_invocation_id\n      %%2:32 = imul %%1.x, %%0\n      store_shared %%2, %%0 write_mask=x align_mul=4\n  }\n}\n", 4*i)
		if err := os.WriteFile(filepath.Join(tree, fmt.Sprintf("s%d.nir", i)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}
