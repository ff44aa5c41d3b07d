package exec

import (
	"context"
	"testing"

	"nirc"
	"nirc/internal/emu"
)

// numberPointers is a kernel that stores pointers which are made of numbers, in constants and in what a variable begins with.
const numberPointers = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "k" %w
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 0
%pu = OpTypePointer CrossWorkgroup %uint
%ppu = OpTypePointer CrossWorkgroup %pu
%fn = OpTypeFunction %void %ppu
%low = OpConstant %uint 0xfffff000
%l = OpConstant %long 0x1234500001000
%one = OpConstant %long 1
%three = OpConstant %long 3
%null = OpConstantNull %pu
%q = OpSpecConstantOp %pu ConvertUToPtr %l
%narrow = OpSpecConstantOp %pu ConvertUToPtr %low
%cast = OpSpecConstantOp %pu Bitcast %l
%next = OpSpecConstantOp %pu InBoundsPtrAccessChain %q %three
%second = OpSpecConstantOp %pu PtrAccessChain %null %one
%i = OpSpecConstantOp %long ConvertPtrToU %next
%w = OpVariable %ppu CrossWorkgroup %next
%main = OpFunction %void None %fn
%o = OpFunctionParameter %ppu
%e = OpLabel
%v = OpLoad %pu %w Aligned 8
OpStore %o %v Aligned 8
%o1 = OpInBoundsPtrAccessChain %ppu %o %one
OpStore %o1 %narrow Aligned 8
%o2 = OpInBoundsPtrAccessChain %ppu %o1 %one
OpStore %o2 %cast Aligned 8
%o3 = OpInBoundsPtrAccessChain %ppu %o2 %one
OpStore %o3 %second Aligned 8
%o4 = OpInBoundsPtrAccessChain %ppu %o3 %one
%p = OpConvertUToPtr %pu %i
OpStore %o4 %p Aligned 8
OpReturn
OpFunctionEnd
`

// TestNumbersAsPointers: constants that make pointers of numbers hold the numbers.
func TestNumbersAsPointers(t *testing.T) {
	m, err := nirc.Load([]byte(numberPointers), "k.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	const base = 0x1234500001000
	want := put[uint64](base+12, 0xfffff000, base, 4, base+12)
	for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
		x := &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target}, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
			Args: []Arg{data(make([]uint64, 5)...)}}
		if err := Execute(context.Background(), x); err != nil {
			t.Errorf("%s: %v", target, err)
		} else if got := x.Args[0].Data; string(got) != string(want) {
			t.Errorf("%s: %#x, want %#x", target, get[uint64](got), get[uint64](want))
		}
	}
}
