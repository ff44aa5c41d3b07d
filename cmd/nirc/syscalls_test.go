package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mostFileCalls is how many system calls about files a module takes in a batch: to open, measure, read and close it, and
// to create, write, close and rename its object. On a disk of a virtual machine each costs as much as a small pass.
const mostFileCalls = 8

// fileCalls are those that a batch may make, and those that it made once.
const fileCalls = "open,openat,close,read,pread64,write,pwrite64,stat,lstat,fstat,newfstatat,statx,access,faccessat,faccessat2,lseek,rename,renameat,renameat2,fcntl,ftruncate,fsync,unlinkat,mkdirat,getdents64,readlinkat"

// TestFileCalls counts the system calls of two batches by strace; their difference is that of the modules.
func TestFileCalls(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	const few, many = 20, 120
	calls := func(n int) int {
		out := filepath.Join(t.TempDir(), "out")
		text, err := exec.Command(strace, "-f", "-c", "-e", "trace="+fileCalls, "nirc", "compile", "-j", "1", "-o", out+"/", writeTree(t, n)).CombinedOutput()
		total := regexp.MustCompile(`(?m)^100\.00 +\S+ +(?:\d+ +)?(\d+) .*total$`).FindSubmatch(text)
		if err != nil || total == nil {
			if strings.Contains(string(text), "ptrace") {
				t.Skipf("strace may not follow: %s", text)
			}
			t.Fatalf("%v: %s", err, text)
		}
		count, _ := strconv.Atoi(string(total[1]))
		return count
	}
	each := float64(calls(many)-calls(few)) / (many - few)
	t.Logf("%.2f calls a module", each)
	if each > mostFileCalls+0.5 {
		t.Errorf("%.2f system calls about files for a module, not %d", each, mostFileCalls)
	}
}
