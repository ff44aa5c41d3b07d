package grids

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/passes"
)

// matrixArrays makes a matrix of the lanes' arrays, which are of words, stores it, and stores what arrays of it are.
const matrixArrays = `OpCapability Shader
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixConversionQCOM
OpCapability VulkanMemoryModel
OpCapability Int8
OpCapability StorageBuffer8BitAccess
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_QCOM_cooperative_matrix_conversion"
OpExtension "SPV_KHR_vulkan_memory_model"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %id %matrix %arrays %cut
OpExecutionMode %main LocalSize LANES 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %arr ArrayStride BYTES
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %wblock Block
OpMemberDecorate %wblock 0 Offset 0
OpDecorate %matrix DescriptorSet 0
OpDecorate %matrix Binding 0
OpDecorate %arrays DescriptorSet 0
OpDecorate %arrays Binding 1
OpDecorate %cut DescriptorSet 0
OpDecorate %cut Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u8 = OpTypeInt 8 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c5 = OpConstant %u32 5
%c6 = OpConstant %u32 6
%c7 = OpConstant %u32 7
%c8 = OpConstant %u32 8
%mark = OpConstant %u32 0x01010101
%rows = OpConstant %u32 ROWS
%cols = OpConstant %u32 COLS
%order = OpConstant %u32 ORDER
%use = OpConstant %u32 USE
%along = OpConstant %u32 ALONG
%mat = OpTypeCooperativeMatrixKHR ELEM %c3 %rows %cols %use
%eight = OpTypeArray %u32 %c8
%three = OpTypeArray %u32 %c3
%arr = OpTypeRuntimeArray ELEM
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %arr
%wblock = OpTypeStruct %words
%pb = OpTypePointer StorageBuffer %block
%pw = OpTypePointer StorageBuffer %wblock
%pe = OpTypePointer StorageBuffer ELEM
%pu = OpTypePointer StorageBuffer %u32
%pid = OpTypePointer Input %u32
%id = OpVariable %pid Input
%matrix = OpVariable %pb StorageBuffer
%arrays = OpVariable %pw StorageBuffer
%cut = OpVariable %pw StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %u32 %id
%i8 = OpIMul %u32 %i %c8
MAKE
%a = OpCompositeConstruct %eight %x0 %x1 %x2 %x3 %x4 %x5 %x6 %x7
%m = OpCompositeConstructCoopMatQCOM %mat %a
%p = OpAccessChain %pe %matrix %c0 %c0
OpCooperativeMatrixStoreKHR %p %m %order %along
%b = OpCompositeExtractCoopMatQCOM %eight %m
TAKE
%at = OpUMod %u32 %i %c6
%s = OpExtractSubArrayQCOM %three %a %at
%s0 = OpCompositeExtract %u32 %s 0
%s2 = OpCompositeExtract %u32 %s 2
%sum = OpIAdd %u32 %s0 %s2
%pc = OpAccessChain %pu %cut %c0 %i
OpStore %pc %sum
OpReturn
OpFunctionEnd
`

// arrayWord is word k of a lane's array: its bytes all differ.
func arrayWord(lane, k int) uint32 { return uint32(lane*8+k)*0x01010101 ^ 0x03020100 }

// TestMatrixArrays: lane i's array is row i of A and of an accumulator, and column i of B; words hold one component or four.
func TestMatrixArrays(t *testing.T) {
	var make, take strings.Builder
	for k := range 8 {
		fmt.Fprintf(&make, "%%n%d = OpIAdd %%u32 %%i8 %%c%d\n%%y%d = OpIMul %%u32 %%n%d %%mark\n%%x%d = OpBitwiseXor %%u32 %%y%d %%flip\n", k, k, k, k, k, k)
		fmt.Fprintf(&take, "%%z%d = OpCompositeExtract %%u32 %%b %d\n%%o%d = OpIAdd %%u32 %%i8 %%c%d\n%%q%d = OpAccessChain %%pu %%arrays %%c0 %%o%d\nOpStore %%q%d %%z%d\n", k, k, k, k, k, k, k, k)
	}
	for n, c := range []struct {
		elem             string
		size, use, count int
	}{{"%u32", 4, 2, 16}, {"%f32", 4, 0, 8}, {"%u8", 1, 0, 32}, {"%f32", 4, 1, 5}, {"%u8", 1, 1, 16}} {
		length, rows, cols, order := 32/c.size, c.count, 32/c.size, 0
		if c.use == 1 {
			rows, cols, order = cols, rows, 1
		}
		text := strings.Replace(matrixArrays, "%rows =", "%flip = OpConstant %u32 0x03020100\n%rows =", 1)
		replace := strings.NewReplacer("BYTES", fmt.Sprint(c.size), "ELEM", c.elem, "ROWS", fmt.Sprint(rows), "COLS", fmt.Sprint(cols), "ORDER", fmt.Sprint(order), "USE", fmt.Sprint(c.use),
			"ALONG", fmt.Sprint(length), "MAKE", make.String(), "TAKE", take.String())
		for _, o := range []nirc.Options{{Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a750"}, {Target: "agx"}} {
			lanes := map[string]int{"ir3": 64, "agx": 32}[o.Target] // a subgroup
			o.Level = passes.Level(n % 3)
			out := arraysRun(t, strings.ReplaceAll(replace.Replace(text), "LANES", fmt.Sprint(lanes)), o)
			word := func(b, at int) uint32 { return binary.LittleEndian.Uint32(out[b].Data[4*at:]) }
			for lane := range lanes {
				for k := range 8 {
					if want := arrayWord(lane, k); lane < c.count && (word(0, lane*8+k) != want || word(1, lane*8+k) != want) {
						t.Fatalf("%s: %+v: word %d of array %d is %#x in the matrix and %#x taken from it, want %#x", o.Target, c, k, lane, word(0, lane*8+k), word(1, lane*8+k), want)
					}
				}
				if want := arrayWord(lane, lane%6) + arrayWord(lane, lane%6+2); word(2, lane) != want {
					t.Fatalf("%s: the part of array %d gives %#x, want %#x", o.Target, lane, word(2, lane), want)
				}
			}
		}
	}
}

// arraysRun runs the module for a target, and gives its three buffers.
func arraysRun(t *testing.T, text string, o nirc.Options) (out [3]*emu.Buffer) {
	t.Helper()
	m, err := nirc.Load([]byte(text), "arrays.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := exec.Executable(t.Context(), m, o)
	if err != nil {
		t.Fatalf("%s: %v", o.Target, err)
	}
	mem, table := emu.NewMemory(), &emu.Bindings{}
	for k := range out {
		out[k] = mem.Alloc(64 * 32)
		table.Set(0, uint32(k), []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out[k].Addr, Size: 64 * 32}})
	}
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: table}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
		t.Fatalf("%s: %v", o.Target, err)
	}
	return out
}
