package amber

import (
	"context"
	"strings"
	"testing"

	"nirc/internal/refs"
	"nirc/ir"
)

// kernelTarget gives every kernel the same arguments.
type kernelTarget struct {
	*fakeTarget
	args []Argument
	size [3]uint32
}

func (t *kernelTarget) CompileKernel(_ context.Context, _ Shader, size [3]uint32) (*Kernel, error) {
	t.size = size
	return &Kernel{Program: increment(), Args: t.args, Hidden: func(string, [3]uint32) []byte { return nil }}, nil
}

// TestKernelArguments: what a script gives a kernel is what it takes, or the script fails where it says so.
func TestKernelArguments(t *testing.T) {
	refs.Tool(t, "llvm-spirv-15")
	const head = "#!amber\nSHADER compute k OPENCL-C\nkernel void k(global int* a, int n) { *a = n; }\nEND\nBUFFER b DATA_TYPE int32 DATA 1 END\nSAMPLER s\nPIPELINE compute p\n"
	target := &kernelTarget{fakeTarget: graphicsTarget(), args: []Argument{
		{Argument: ir.Argument{Name: "a", Kind: ir.ArgGlobal, Size: 8}}, {Argument: ir.Argument{Name: "n", Kind: ir.ArgValue, Offset: 8, Size: 4}}}}
	for _, c := range []struct{ body, want string }{
		{"ATTACH k ENTRY_POINT k\nSET KERNEL ARG_NAME n AS int32 4", `argument 0 "a" of the kernel is not given`},
		{"ATTACH k ENTRY_POINT k\nBIND BUFFER b KERNEL ARG_NAME a\nSET KERNEL ARG_NUMBER 1 AS int32 4\nSET KERNEL ARG_NAME m AS int32 4", "the kernel has no argument m"},
		{"ATTACH k ENTRY_POINT k\nBIND BUFFER b KERNEL ARG_NAME a\nSET KERNEL ARG_NUMBER 1 AS int16 4", "argument 1 has 4 bytes, the value has 2"},
		{"ATTACH k ENTRY_POINT k\nBIND BUFFER b KERNEL ARG_NAME a\nBIND SAMPLER s KERNEL ARG_NUMBER 1", "argument 1 is of kind value"},
		{"ATTACH k ENTRY_POINT k SPECIALIZE 3 AS uint32 1\nBIND BUFFER b KERNEL ARG_NAME a", "specialization constant 3"},
		{"ATTACH k ENTRY_POINT k\nCOMPILE_OPTIONS k\n-Dkernel=1\nEND", "clang"},
	} {
		if r := runText(t, target, head+c.body+"\nEND\nRUN p 1 1 1\n"); r.Verdict == Pass || !strings.Contains(r.Reason, c.want) {
			t.Errorf("%s: %+v", c.body, r)
		}
	}
	r := runText(t, target, head+"ATTACH k ENTRY_POINT k SPECIALIZE 1 AS uint32 5\nBIND BUFFER b KERNEL ARG_NAME a\nSET KERNEL ARG_NAME n AS int32 4\nEND\nRUN p 1 1 1\nEXPECT b IDX 0 EQ 1\n")
	if r.Verdict != Pass || target.size != [3]uint32{1, 5, 1} {
		t.Errorf("%+v, workgroups of %v", r, target.size)
	}
}
