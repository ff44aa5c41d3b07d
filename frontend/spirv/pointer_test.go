package spirv

import (
	_ "embed"
	"encoding/binary"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// sharedText has a variable of workgroup memory and a null pointer to a storage
// buffer; DECORATE is where the type may become a Block.
//
//go:embed testdata/asm/shared_text.spvasm
var sharedText string

// TestSharedBlocks: workgroup variables alias when they are Blocks, not already
// when the module declares the capability.
func TestSharedBlocks(t *testing.T) {
	for decoration, want := range map[string]bool{"": false, "OpDecorate %s Block": true} {
		s, err := Translate(assemble(t, strings.Replace(sharedText, "DECORATE", decoration, 1)), Options{panics: true})
		if err != nil {
			t.Fatal(err)
		}
		if s.Info.SharedExplicitLayout != want {
			t.Errorf("with %q the layout of shared memory is explicit: %v", decoration, s.Info.SharedExplicitLayout)
		}
	}
}

// TestNullPointer: a null pointer is no place in any buffer: all its bits are set.
func TestNullPointer(t *testing.T) {
	s, err := Translate(assemble(t, strings.Replace(sharedText, "DECORATE", "", 1)), Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsALU(ir.OpIeq) {
				continue
			}
			for c := range 2 {
				if v, ok := in.Srcs[1].Def.Const(c); in.Srcs[1].Def.NumComponents != 2 || !ok || v != 0xffffffff {
					t.Errorf("component %d of the null pointer is %#x", c, v)
				}
			}
			return
		}
	}
	t.Error("the pointers are not compared")
}

// TestPointersCompared: pointers to elements of 12 bytes are as many elements apart as their indices are, with a sign, and equal where they lead to one
// element of one buffer.
func TestPointersCompared(t *testing.T) {
	const text = `OpCapability Shader
OpCapability VariablePointers
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index %a %b %out
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 2
OpMemberDecorate %three 0 Offset 0
OpMemberDecorate %three 1 Offset 4
OpMemberDecorate %three 2 Offset 8
OpDecorate %threes ArrayStride 12
OpDecorate %pthree ArrayStride 12
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %words ArrayStride 4
OpDecorate %results Block
OpMemberDecorate %results 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u = OpTypeInt 32 0
%i = OpTypeInt 32 1
%three = OpTypeStruct %u %u %u
%threes = OpTypeRuntimeArray %three
%block = OpTypeStruct %threes
%words = OpTypeRuntimeArray %i
%results = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%presults = OpTypePointer StorageBuffer %results
%pthree = OpTypePointer StorageBuffer %three
%pword = OpTypePointer StorageBuffer %i
%pin = OpTypePointer Input %u
%index = OpVariable %pin Input
%a = OpVariable %pblock StorageBuffer
%b = OpVariable %pblock StorageBuffer
%out = OpVariable %presults StorageBuffer
%c0 = OpConstant %u 0
%c1 = OpConstant %u 1
%c2 = OpConstant %u 2
%c3 = OpConstant %u 3
%c7 = OpConstant %u 7
%c8 = OpConstant %u 8
%i0 = OpConstant %i 0
%i1 = OpConstant %i 1
%i2 = OpConstant %i 2
%main = OpFunction %void None %fn
%e = OpLabel
%l = OpLoad %u %index
%m = OpUDiv %u %l %c8
%n = OpBitwiseAnd %u %l %c7
%p = OpAccessChain %pthree %a %c0 %m
%q = OpAccessChain %pthree %a %c0 %n
%other = OpAccessChain %pthree %b %c0 %m
%diff = OpPtrDiff %i %p %q
%is = OpPtrEqual %bool %p %q
%not = OpPtrNotEqual %bool %p %q
%is2 = OpPtrEqual %bool %p %other
%eq = OpSelect %i %is %i1 %i0
%ne = OpSelect %i %not %i2 %i0
%across = OpSelect %i %is2 %i1 %i0
%k = OpIMul %u %l %c3
%k1 = OpIAdd %u %k %c1
%k2 = OpIAdd %u %k %c2
%both = OpIAdd %i %eq %ne
%p0 = OpAccessChain %pword %out %c0 %k
%p1 = OpAccessChain %pword %out %c0 %k1
%p2 = OpAccessChain %pword %out %c0 %k2
OpStore %p0 %diff
OpStore %p1 %both
OpStore %p2 %across
OpReturn
OpFunctionEnd
`
	words, err := spv.Assemble(text, spv.AssembleOptions{Version: 0x0104})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spv.ParseWords(words)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Translate(m, Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := interp.New(s, interp.Options{WaveSize: 64})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	out := mem.Alloc(64 * 12)
	var b emu.Bindings
	for binding, buf := range []*emu.Buffer{mem.Alloc(8 * 12), mem.Alloc(8 * 12), out} {
		b.Set(0, uint32(binding), []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: uint64(len(buf.Data))}})
	}
	if err := emu.Dispatch(t.Context(), p, &emu.Env{Mem: mem, Bindings: &b}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	for l := range 64 {
		p, q := l/8, l%8
		want := [3]int32{int32(p - q), 2, 0}
		if p == q {
			want[1] = 1
		}
		for k := range want {
			if got := int32(binary.LittleEndian.Uint32(out.Data[12*l+4*k:])); got != want[k] {
				t.Errorf("pointers to %d and %d: difference, equality, equality to another buffer's: number %d is %d, want %d", p, q, k, got, want[k])
			}
		}
	}
}
