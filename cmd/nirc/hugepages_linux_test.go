package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHugePages: one large module is compiled in huge pages, several small ones are not; a module counts once however often it is named.
func TestHugePages(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	dir := t.TempDir()
	module := func(name string, size int) string {
		text := "; SPIR-V\nOpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n" +
			"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"
		path := filepath.Join(dir, name+".spvasm")
		if err := os.WriteFile(path, []byte(text+strings.Repeat(";\n", (size-len(text)+1)/2)), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	half, other, large := module("half", heapRoomBytes/2), module("other", heapRoomBytes/4), module("large", heapRoomBytes)
	for _, c := range []struct {
		files []string
		asks  bool
	}{{[]string{large}, true}, {[]string{half, other}, false}, {[]string{half, half}, false}} {
		text, err := exec.Command(strace, append([]string{"-f", "-e", "trace=madvise", "nirc", "compile", "-j", "1", "-t", "ir3", "-o", filepath.Join(dir, "out") + "/"}, c.files...)...).CombinedOutput()
		if strings.Contains(string(text), "ptrace") {
			t.Skipf("strace may not follow: %s", text)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if asks := strings.Contains(string(text), "MADV_HUGEPAGE"); asks != c.asks {
			t.Errorf("%q: huge pages are asked for: %t", c.files, asks)
		}
	}
}
