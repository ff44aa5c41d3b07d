package grids

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/passes"
)

// matrixLayout copies a matrix of integers from one layout to another.
const matrixLayout = `OpCapability Shader
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixLayoutsARM
OpCapability VulkanMemoryModel
OpCapability Int8
OpCapability Int16
OpCapability StorageBuffer8BitAccess
OpCapability StorageBuffer16BitAccess
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_ARM_cooperative_matrix_layouts"
OpExtension "SPV_KHR_vulkan_memory_model"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %from %to
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %arr ArrayStride BYTES
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%c0 = OpConstant %u32 0
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%rows = OpConstant %u32 ROWS
%cols = OpConstant %u32 COLS
%fromlayout = OpConstant %u32 FROMLAYOUT
%fromstride = OpConstant %u32 FROMSTRIDE
%tolayout = OpConstant %u32 TOLAYOUT
%tostride = OpConstant %u32 TOSTRIDE
%mat = OpTypeCooperativeMatrixKHR %uBITS %c3 %rows %cols %c2
%arr = OpTypeRuntimeArray %uBITS
%block = OpTypeStruct %arr
%pb = OpTypePointer StorageBuffer %block
%pe = OpTypePointer StorageBuffer %uBITS
%from = OpVariable %pb StorageBuffer
%to = OpVariable %pb StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %pe %from %c0 %c0
%q = OpAccessChain %pe %to %c0 %c0
%m = OpCooperativeMatrixLoadKHR %mat %p %fromlayout %fromstride
OpCooperativeMatrixStoreKHR %q %m %tolayout %tostride
OpReturn
OpFunctionEnd
`

// blockedPlace is the byte where a component stands in a layout of blocks: in the row of bytes that blocks one after the other
// would make, words of as many blocks as take turns are dealt out one by one.
func blockedPlace(row, col, rows, cols, size, turns int, columns bool) int {
	wide := 16 / size
	block := row/4*(cols/wide) + col/wide
	if columns {
		block = col/wide*(rows/4) + row/4
	}
	at := row%4*16 + col%wide*size // in the block
	group := block / turns
	return group*turns*64 + at/4*4*turns + block%turns*4 + at%4
}

// TestMatrixLayouts: matrices in blocks of 64 bytes, which are interleaved or not, go to rows and come from them.
func TestMatrixLayouts(t *testing.T) {
	const rowMajor, rowBlocks, columnBlocks = 0, 4202, 4203
	for n, c := range []struct {
		size, rows, cols, turns int
		columns                 bool
	}{{4, 4, 4, 1, false}, {4, 8, 8, 2, false}, {4, 8, 4, 2, true}, {2, 8, 16, 2, false}, {2, 16, 16, 4, true}, {1, 8, 32, 2, false}, {1, 8, 32, 1, true}} {
		layout := rowBlocks
		if c.columns {
			layout = columnBlocks
		}
		place := func(i int) int { return blockedPlace(i/c.cols, i%c.cols, c.rows, c.cols, c.size, c.turns, c.columns) }
		plain := func(i int) int { return i * c.size }
		for _, back := range []bool{false, true} {
			from, to, fromPlace, toPlace := []int{layout, c.turns}, []int{rowMajor, c.cols}, place, plain
			if back {
				from, to, fromPlace, toPlace = to, from, plain, place
			}
			m, err := nirc.Load([]byte(strings.NewReplacer("BYTES", fmt.Sprint(c.size), "BITS", fmt.Sprint(8*c.size), "ROWS", fmt.Sprint(c.rows), "COLS", fmt.Sprint(c.cols), "FROMLAYOUT", fmt.Sprint(from[0]),
				"FROMSTRIDE", fmt.Sprint(from[1]), "TOLAYOUT", fmt.Sprint(to[0]), "TOSTRIDE", fmt.Sprint(to[1])).Replace(matrixLayout)), "layout.spvasm")
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a750"}, {Target: "agx"}, {Target: "midgard"}} {
				o.Level = passes.Level(n % 3)
				got := layoutRun(t, m, o, c.rows*c.cols, c.size, fromPlace)
				for i := range c.rows * c.cols {
					for k := range c.size {
						if g, want := got[toPlace(i)+k], byte(3*i+101*k+1); g != want {
							t.Fatalf("%s: %+v, back %v: byte %d of component %d is %d, want %d", o.Target, c, back, k, i, g, want)
						}
					}
				}
			}
		}
	}
}

// layoutRun runs the copy of components that stand at places of a buffer, and gives the other buffer.
func layoutRun(t *testing.T, m *nirc.Module, o nirc.Options, count, size int, place func(i int) int) []byte {
	t.Helper()
	p, _, err := exec.Executable(t.Context(), m, o)
	if err != nil {
		t.Fatalf("%s: %v", o.Target, err)
	}
	mem, table := emu.NewMemory(), &emu.Bindings{}
	in, out := mem.Alloc(count*size), mem.Alloc(count*size)
	for i := range count {
		for k := range size {
			in.Data[place(i)+k] = byte(3*i + 101*k + 1)
		}
	}
	table.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: in.Addr, Size: uint64(len(in.Data))}})
	table.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: uint64(len(out.Data))}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: table}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
		t.Fatalf("%s: %v", o.Target, err)
	}
	return out.Data
}
