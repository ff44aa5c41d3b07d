package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// kernelCopy copies NUM elements of words, STEP apart, from the second half of a buffer of 256 words to workgroup memory, and those
// from there, BACK apart, to the first half.
const kernelCopy = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main" %index
OpExecutionMode %main LocalSize SIZE
OpDecorate %index BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%event = OpTypeEvent
%c2 = OpConstant %uint 2
%l0 = OpConstant %ulong 0
%half = OpConstant %ulong 128
%n64 = OpConstant %ulong 64
%num = OpConstant %ulong NUM
%step = OpConstant %ulong STEP
%back = OpConstant %ulong BACK
%array = OpTypeArray %uint %n64
%shared = OpTypePointer Workgroup %array
%sword = OpTypePointer Workgroup %uint
%word = OpTypePointer CrossWorkgroup %uint
%pin = OpTypePointer Input %ulong
%index = OpVariable %pin Input
%ws = OpVariable %shared Workgroup
%fn = OpTypeFunction %void %word
%none = OpConstantNull %event
%pe = OpTypePointer Function %event
%main = OpFunction %void None %fn
%buf = OpFunctionParameter %word
%e = OpLabel
%ev = OpVariable %pe Function
%from = OpInBoundsPtrAccessChain %word %buf %half
%mine = OpInBoundsPtrAccessChain %sword %ws %l0 %l0
%in = OpGroupAsyncCopy %event %c2 %mine %from %num %step %none
OpStore %ev %in
OpGroupWaitEvents %c2 %c2 %ev
%out = OpGroupAsyncCopy %event %c2 %buf %mine %num %back %none
OpStore %ev %out
OpGroupWaitEvents %c2 %c2 %ev
OpReturn
OpFunctionEnd
`

// TestAsyncCopies: a workgroup copies each element once, whatever their number is to that of its items; steps are those of the side in
// global memory, and what lies between and after stays.
func TestAsyncCopies(t *testing.T) {
	sizes := []string{"4 2 1", "2 1 3", "1 3 2", "1 1 1", "5 1 1"}
	for i, c := range []struct{ num, step, back int }{{0, 1, 1}, {1, 1, 1}, {7, 3, 1}, {8, 1, 5}, {9, 2, 4}, {33, 3, 2}, {20, 2, 3}, {31, 1, 1}} {
		text := strings.NewReplacer("SIZE", sizes[i%len(sizes)], "NUM", fmt.Sprint(c.num), "STEP", fmt.Sprint(c.step), "BACK", fmt.Sprint(c.back)).Replace(kernelCopy)
		s, err := Translate(assemble(t, text), Options{panics: true})
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := interp.New(s, interp.Options{WaveSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		mem := emu.NewMemory()
		out := mem.Alloc(4 * 256)
		want := make([]uint32, 256)
		for i := range want {
			want[i] = uint32(1000 + i)
			binary.LittleEndian.PutUint32(out.Data[4*i:], want[i])
		}
		for i := range c.num {
			want[i*c.back] = uint32(1000 + 128 + i*c.step)
		}
		env := &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: append(binary.LittleEndian.AppendUint64(nil, out.Addr), make([]byte, 16)...)}
		if err := emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
			t.Fatal(err)
		}
		for i, want := range want {
			if got := binary.LittleEndian.Uint32(out.Data[4*i:]); got != want {
				t.Errorf("%d elements, steps %d and %d: word %d is %d, want %d", c.num, c.step, c.back, i, got, want)
			}
		}
	}
	text := strings.NewReplacer("SIZE", "1 1 1", "NUM", "1", "STEP", "1", "BACK", "1").Replace(kernelCopy)
	wrong := strings.Replace(text, "%event %c2 %mine %from", "%event %c2 %ws %from", 1)
	if _, err := Translate(assemble(t, wrong), Options{panics: true}); err == nil || !strings.Contains(err.Error(), "OpGroupAsyncCopy between") {
		t.Errorf("an array for a word: %v", err)
	}
}
