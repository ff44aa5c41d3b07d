package midgard_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"nirc"
	"nirc/passes"
)

// largeModule writes a compute shader: body is what its main function does with
// the words of the storage buffer %v; %c0 to %cN are constants.
func largeModule(n int, body func(w *strings.Builder)) string {
	var w strings.Builder
	w.WriteString(`OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u = OpTypeInt 32 0
%words = OpTypeRuntimeArray %u
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%pu = OpTypePointer StorageBuffer %u
%v = OpVariable %pblock StorageBuffer
`)
	for i := range n + 1 {
		fmt.Fprintf(&w, "%%c%d = OpConstant %%u %d\n", i, i)
	}
	w.WriteString("%main = OpFunction %void None %fn\n%entry = OpLabel\n")
	body(&w)
	w.WriteString("OpReturn\nOpFunctionEnd\n")
	return w.String()
}

// A switch of thousands of cases and thousands of values that are live at once
// compile, in memory that grows with the program and not with its square.
func TestLargeModules(t *testing.T) {
	const cases, values = 5000, 3000
	for _, c := range []struct {
		name  string
		text  string
		bound uint64 // MiB allocated in all
	}{
		{"switch", largeModule(cases, func(w *strings.Builder) {
			w.WriteString("%p = OpAccessChain %pu %v %c0 %c0\n%x = OpLoad %u %p\nOpSelectionMerge %m None\nOpSwitch %x %d")
			for i := range cases {
				fmt.Fprintf(w, " %d %%l%d", i, i)
			}
			for i := range cases {
				fmt.Fprintf(w, "\n%%l%d = OpLabel\n%%y%d = OpIMul %%u %%x %%c%d\n%%z%d = OpIAdd %%u %%y%d %%c%d\nOpBranch %%m", i, i, i+1, i, i, i*7%cases)
			}
			w.WriteString("\n%d = OpLabel\nOpBranch %m\n%m = OpLabel\n%r = OpPhi %u %c0 %d")
			for i := range cases {
				fmt.Fprintf(w, " %%z%d %%l%d", i, i)
			}
			w.WriteString("\n%q = OpAccessChain %pu %v %c0 %c1\nOpStore %q %r\n")
		}), 450},
		{"live values", largeModule(values, func(w *strings.Builder) {
			for i := range values {
				fmt.Fprintf(w, "%%p%d = OpAccessChain %%pu %%v %%c0 %%c%d\n%%x%d = OpLoad %%u %%p%d\n", i, i, i, i)
			}
			for i := range values {
				fmt.Fprintf(w, "%%y%d = OpIMul %%u %%x%d %%x%d\nOpStore %%p%d %%y%d\n", i, (i*7+3)%values, (i*13+5)%values, i, i)
			}
		}), 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := nirc.Compile(context.Background(), []byte(c.text), nirc.Options{File: c.name + ".spvasm", Target: "midgard", Level: passes.O2})
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > c.bound {
				t.Errorf("%d MiB were allocated, the bound is %d", got, c.bound)
			} else {
				t.Logf("%d MiB allocated", got)
			}
		})
	}
}
