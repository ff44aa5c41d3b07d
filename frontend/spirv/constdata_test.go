package spirv_test

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

// constDataModule stores an element of an array of constants, of a type and words to be filled in.
const constDataModule = `OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability ConstantDataKHR
OpExtension "SPV_KHR_constant_data"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buf
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%u8 = OpTypeInt 8 0
%i16 = OpTypeInt 16 1
%u64 = OpTypeInt 64 0
%n = OpConstant %u32 COUNT
%c0 = OpConstant %u32 0
%arr = OpTypeArray ELEM %n
%data = OP %arr WORDS
%block = OpTypeStruct %u32
%pb = OpTypePointer StorageBuffer %block
%pu = OpTypePointer StorageBuffer %u32
%buf = OpVariable %pb StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %pu %buf %c0
%x = OpCompositeExtract ELEM %data LAST
%y = CONVERT
OpStore %p %y
OpReturn
OpFunctionEnd
`

// TestConstantData: elements of 8 to 64 bits stand in the words without gaps, the lowest bits first.
func TestConstantData(t *testing.T) {
	unsigned, signed := "OpUConvert %u32 %x", "OpSConvert %u32 %x"
	for _, c := range []struct{ op, elem, count, words, last, convert, want string }{
		{"OpConstantDataKHR", "%u8", "5", "0x44332211 0xffffff77", "4", unsigned, "0x77"},
		{"OpConstantDataKHR", "%u8", "5", "0x44332211 0xffffff77", "2", unsigned, "0x33"},
		{"OpConstantDataKHR", "%i16", "3", "0x80017fff 0x0000fffe", "2", signed, "0xfffffffe"},
		{"OpSpecConstantDataKHR", "%u32", "2", "7 0xdeadbeef", "1", "OpCopyObject %u32 %x", "0xdeadbeef"},
		{"OpConstantDataKHR", "%u64", "2", "1 2 0x9abcdef0 4", "1", unsigned, "0x9abcdef0"},
		{"OpConstantDataKHR", "%u8", "5", "1", "0", unsigned, "error: 1 words are given"},
		{"OpConstantDataKHR", "%u8", "4", "1 2", "0", unsigned, "error: 2 words are given"},
		{"OpConstantDataKHR", "%f32", "1", "1", "0", "OpBitcast %u32 %x", "error: is no array of integers"},
	} {
		text := strings.NewReplacer("COUNT", c.count, "ELEM", c.elem, "OP %arr", c.op+" %arr", "WORDS", c.words, "LAST", c.last, "CONVERT", c.convert).Replace(constDataModule)
		s, err := translate(t, text)
		if want, fails := strings.CutPrefix(c.want, "error: "); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: the error is %v, want %q", c.elem, c.words, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", c.elem, c.words, err)
			continue
		}
		if got := storedWord(t, s); got != c.want {
			t.Errorf("%s %s, element %s: %s is stored, want %s", c.elem, c.words, c.last, got, c.want)
		}
	}
}

// storedWord runs a shader and returns the first word of its buffer.
func storedWord(t *testing.T, s *ir.Shader) string {
	t.Helper()
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	p, err := interp.New(s, interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	out := mem.Alloc(4)
	var b emu.Bindings
	b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 4}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &b}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%#x", binary.LittleEndian.Uint32(out.Data))
}
