// Package opencl compiles OpenCL C to SPIR-V with clang and llvm-spirv, the two tools that distributions have for it. Of the text
// nothing is read here.
package opencl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNoTools says that clang and llvm-spirv of one version are not installed.
var ErrNoTools = errors.New("no clang and llvm-spirv of one version")

// Versions of LLVM whose two tools are looked for, beside those without a version in their names.
const newest, oldest = 22, 14

// tools returns the paths of clang and llvm-spirv: the second reads what the first writes only if both are of one LLVM.
func tools() (clang, translator string, err error) {
	for v := newest + 1; v >= oldest; v-- {
		suffix := ""
		if v <= newest {
			suffix = fmt.Sprintf("-%d", v)
		}
		c, err := exec.LookPath("clang" + suffix)
		t, err2 := exec.LookPath("llvm-spirv" + suffix)
		if err == nil && err2 == nil {
			return c, t, nil
		}
	}
	return "", "", ErrNoTools
}

// Compile returns the SPIR-V of kernels for 64-bit addresses; flags are clang's. The error is ErrNoTools, that of ctx, or what the tools say first.
func Compile(ctx context.Context, text string, flags []string) ([]byte, error) {
	clang, translator, err := tools()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "nirc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "kernel.cl"), []byte(text), 0o600); err != nil {
		return nil, err
	}
	// Names of parameters are how hosts find arguments, and releases of clang drop them otherwise.
	args := append([]string{"-x", "cl", "-cl-std=CL2.0", "-target", "spir64", "-O1", "-fno-discard-value-names", "-Xclang", "-finclude-default-header",
		"-emit-llvm", "-c", "-o", "kernel.bc"}, flags...)
	if err := run(ctx, dir, clang, append(args, "kernel.cl")...); err != nil {
		return nil, err
	}
	if err := run(ctx, dir, translator, "kernel.bc", "-o", "kernel.spv"); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "kernel.spv"))
}

// run runs a tool in dir; the error is the first line that says one.
func run(ctx context.Context, dir, tool string, args ...string) error {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte("error:")) || bytes.Contains(line, []byte("Error")) {
			return fmt.Errorf("%s: %s", filepath.Base(tool), bytes.TrimSpace(line))
		}
	}
	return fmt.Errorf("%s: %w", filepath.Base(tool), err)
}
