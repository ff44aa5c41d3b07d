package opencl

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"nirc/internal/refs"
)

// TestCompile compiles a kernel with a flag, and tells what clang says of a wrong one.
func TestCompile(t *testing.T) {
	refs.Tool(t, "llvm-spirv-15")
	const text = "kernel void k(global int* out) { *out = N; }\n"
	module, err := Compile(t.Context(), text, []string{"-DN=3"})
	if err != nil || len(module) < 20 || binary.LittleEndian.Uint32(module) != 0x07230203 {
		t.Fatalf("%d bytes, %v", len(module), err)
	}
	if _, err := Compile(t.Context(), text, nil); err == nil || !strings.Contains(err.Error(), "kernel.cl:1:41: error: use of undeclared identifier 'N'") {
		t.Errorf("%v", err)
	}
}

// TestNoTools: without the two tools the error says so.
func TestNoTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Compile(t.Context(), "", nil); !errors.Is(err, ErrNoTools) {
		t.Errorf("%v", err)
	}
}
