package spirv

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// wideHead begins a compute shader with a buffer of bytes, words, a vector, matrices of both orders and an array of arrays, and an index of 64 bits.
const wideHead = `OpCapability Shader
OpCapability Int64
OpCapability Int8
OpCapability Float16
OpCapability StorageBuffer8BitAccess
OpCapability StorageBuffer16BitAccess
OpCapability VariablePointers
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buf
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %blk Block
OpMemberDecorate %blk 0 Offset 0
OpMemberDecorate %blk 1 Offset 16
OpMemberDecorate %blk 2 Offset 48
OpMemberDecorate %blk 3 Offset 64
OpMemberDecorate %blk 3 ColMajor
OpMemberDecorate %blk 3 MatrixStride 16
OpMemberDecorate %blk 4 Offset 128
OpMemberDecorate %blk 4 RowMajor
OpMemberDecorate %blk 4 MatrixStride 16
OpMemberDecorate %blk 5 Offset 192
OpMemberDecorate %blk 6 Offset 200
OpMemberDecorate %blk 7 Offset 256
OpDecorate %bytes ArrayStride 1
OpDecorate %words ArrayStride 4
OpDecorate %pairs ArrayStride 8
OpDecorate %pbyte ArrayStride 1
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%byte = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%long = OpTypeInt 64 1
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%h4 = OpTypeVector %half 4
%b4 = OpTypeVector %byte 4
%mat = OpTypeMatrix %v3 4
%k0 = OpConstant %uint 0
%k1 = OpConstant %uint 1
%k2 = OpConstant %uint 2
%k3 = OpConstant %uint 3
%k4 = OpConstant %uint 4
%k5 = OpConstant %uint 5
%k6 = OpConstant %uint 6
%k7 = OpConstant %uint 7
%k8 = OpConstant %uint 8
%bytes = OpTypeArray %byte %k8
%words = OpTypeArray %float %k2
%pairs = OpTypeArray %words %k4
%blk = OpTypeStruct %bytes %pairs %v3 %mat %mat %h4 %b4 %ulong
%pbuf = OpTypePointer StorageBuffer %blk
%pbyte = OpTypePointer StorageBuffer %byte
%phalf = OpTypePointer StorageBuffer %half
%pfloat = OpTypePointer StorageBuffer %float
%pv3 = OpTypePointer StorageBuffer %v3
%pulong = OpTypePointer StorageBuffer %ulong
%buf = OpVariable %pbuf StorageBuffer
`

// TestWideIndices: indices of 64 bits into what a robust buffer holds, known and not, by the type that is indexed. What becomes of them stands in a text file.
func TestWideIndices(t *testing.T) {
	var f textFile
	for _, access := range []string{
		"OpAccessChain %pbyte %buf %k0 %i", "OpAccessChain %pfloat %buf %k1 %i %k1", "OpAccessChain %pfloat %buf %k1 %k1 %i", "OpAccessChain %pfloat %buf %k2 %i",
		"OpAccessChain %pv3 %buf %k3 %i", "OpAccessChain %pfloat %buf %k3 %k1 %i", "OpAccessChain %pv3 %buf %k4 %i", "OpAccessChain %pfloat %buf %k4 %i %k1", "OpAccessChain %pfloat %buf %k4 %k1 %i",
		"OpAccessChain %phalf %buf %k5 %i", "OpAccessChain %pbyte %buf %k6 %i", "OpPtrAccessChain %pbyte %first %i",
	} {
		for _, index := range []string{"known", "OpConstant %long 2", "OpConstant %long -1", "OpConstant %long 0x7fffffff", "OpConstant %long 0x80000000", "OpConstant %ulong 0x100000000", "OpConstant %long -0x80000001", "OpConstant %ulong 0xffffffffffffffff"} {
			decl, body := "%i = "+index+"\n", ""
			if index == "known" {
				decl, body = "", "%pi = OpAccessChain %pulong %buf %k7\n%i = OpLoad %ulong %pi\n"
			}
			pointee := map[byte]string{'b': "%byte", 'h': "%half", 'f': "%float", 'v': "%v3"}[access[strings.Index(access, "%p")+2]]
			text := wideHead + decl + "%main = OpFunction %void None %fn\n%e = OpLabel\n" + body + "%first = OpAccessChain %pbyte %buf %k0 %k1\n%p = " + access + "\n%x = OpLoad " + pointee + " %p\nOpStore %p %x\nOpReturn\nOpFunctionEnd\n"
			fmt.Fprintf(&f, "# %s, %s\n", access, index)
			s, err := Translate(assemble(t, text), Options{Robust: ir.Robust{Storage: ir.Robust1}, panics: true})
			if err == nil {
				err = ir.Validate(s)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, out, _ := strings.Cut(ir.Print(s), "b0:")
			_, out, _ = strings.Cut(out, "align=16+0\n")
			out, _, _ = strings.Cut(out, "  }\n")
			f.WriteString(out)
		}
	}
	f.compare(t, "wide_index")
}
