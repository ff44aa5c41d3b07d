package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// longIndices reads by one index of 64 bits: words, bytes, vectors, a column of a row-major matrix, a uniform buffer, and
// words after a pointer that was moved. GLSL has no such indices.
const longIndices = `
OpCapability Shader
OpCapability Int64
OpCapability Int8
OpCapability StorageBuffer8BitAccess
OpCapability VariablePointersStorageBuffer
OpExtension "SPV_KHR_8bit_storage"
OpExtension "SPV_KHR_variable_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %words ArrayStride 4
OpDecorate %bytes ArrayStride 1
OpDecorate %vectors ArrayStride 16
OpDecorate %mats ArrayStride 16
OpDecorate %uvectors ArrayStride 16
OpDecorate %pword ArrayStride 4
OpMemberDecorate %A 0 Offset 0
OpMemberDecorate %E 0 Offset 4
OpMemberDecorate %V 0 Offset 0
OpMemberDecorate %M 0 Offset 0
OpMemberDecorate %M 0 RowMajor
OpMemberDecorate %M 0 MatrixStride 8
OpMemberDecorate %U 0 Offset 0
OpMemberDecorate %P 0 Offset 0
OpDecorate %A Block
OpDecorate %E Block
OpDecorate %V Block
OpDecorate %M Block
OpDecorate %U Block
OpDecorate %P Block
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %w DescriptorSet 0
OpDecorate %w Binding 1
OpDecorate %u DescriptorSet 0
OpDecorate %u Binding 2
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 3
OpDecorate %e DescriptorSet 0
OpDecorate %e Binding 4
OpDecorate %m DescriptorSet 0
OpDecorate %m Binding 5
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%byte = OpTypeInt 8 0
%long = OpTypeInt 64 1
%float = OpTypeFloat 32
%uvec4 = OpTypeVector %uint 4
%vec2 = OpTypeVector %float 2
%mat2 = OpTypeMatrix %vec2 2
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c5 = OpConstant %uint 5
%c6 = OpConstant %uint 6
%c16 = OpConstant %uint 16
%known = OpConstant %long INDEX
%words = OpTypeRuntimeArray %uint
%bytes = OpTypeRuntimeArray %byte
%vectors = OpTypeRuntimeArray %uvec4
%mats = OpTypeRuntimeArray %mat2
%uvectors = OpTypeArray %uvec4 %c16
%A = OpTypeStruct %words
%E = OpTypeStruct %bytes
%V = OpTypeStruct %vectors
%M = OpTypeStruct %mats
%U = OpTypeStruct %uvectors
%P = OpTypeStruct %long
%pA = OpTypePointer StorageBuffer %A
%pE = OpTypePointer StorageBuffer %E
%pV = OpTypePointer StorageBuffer %V
%pM = OpTypePointer StorageBuffer %M
%pU = OpTypePointer Uniform %U
%pP = OpTypePointer PushConstant %P
%pword = OpTypePointer StorageBuffer %uint
%pbyte = OpTypePointer StorageBuffer %byte
%pfloat = OpTypePointer StorageBuffer %float
%puword = OpTypePointer Uniform %uint
%plong = OpTypePointer PushConstant %long
%a = OpVariable %pA StorageBuffer
%w = OpVariable %pA StorageBuffer
%e = OpVariable %pE StorageBuffer
%v = OpVariable %pV StorageBuffer
%m = OpVariable %pM StorageBuffer
%u = OpVariable %pU Uniform
%p = OpVariable %pP PushConstant
%main = OpFunction %void None %fn
%l = OpLabel
%pi = OpAccessChain %plong %p %c0
%pushed = OpLoad %long %pi
%aw = OpAccessChain %pword %a %c0 %WHICH
%aww = OpLoad %uint %aw
%p0 = OpAccessChain %pword %w %c0 %c0
OpStore %p0 %aww
%ew = OpAccessChain %pbyte %e %c0 %WHICH
%ewb = OpLoad %byte %ew
%eww = OpUConvert %uint %ewb
%p1 = OpAccessChain %pword %w %c0 %c1
OpStore %p1 %eww
%vw = OpAccessChain %pword %v %c0 %WHICH %c1
%vww = OpLoad %uint %vw
%p2 = OpAccessChain %pword %w %c0 %c2
OpStore %p2 %vww
%mw = OpAccessChain %pfloat %m %c0 %WHICH %c1 %c0
%mwf = OpLoad %float %mw
%mww = OpBitcast %uint %mwf
%p3 = OpAccessChain %pword %w %c0 %c3
OpStore %p3 %mww
%uw = OpAccessChain %puword %u %c0 %WHICH %c2
%uww = OpLoad %uint %uw
%p4 = OpAccessChain %pword %w %c0 %c4
OpStore %p4 %uww
%from = OpAccessChain %pword %a %c0 %c1
%sw = OpPtrAccessChain %pword %from %WHICH
%sww = OpLoad %uint %sw
%p5 = OpAccessChain %pword %w %c0 %c5
OpStore %p5 %sww
%st = OpAccessChain %pword %v %c0 %WHICH %c3
OpStore %st %c16
%svp = OpAccessChain %pword %v %c0 %c0 %c3
%svv = OpLoad %uint %svp
%p6 = OpAccessChain %pword %w %c0 %c6
OpStore %p6 %svv
OpReturn
OpFunctionEnd
`

// wantLong is what the shader leaves, of buffers whose bytes count from 10 times their binding on.
func wantLong(index int64) (w [8]uint32) {
	for i, r := range []struct{ base, add, stride, bytes int64 }{{0, 0, 4, 4}, {40, 4, 1, 1}, {30, 4, 16, 4}, {50, 4, 16, 4}, {20, 8, 16, 4}, {0, 4, 4, 4}} {
		const buffer = 32
		// No index overflows this within 32 bits of itself.
		if index < -1<<40 || index > 1<<40 || index*r.stride+r.add < 0 || index*r.stride+r.add+r.bytes > buffer {
			continue
		}
		for k := range r.bytes {
			w[i] |= uint32(r.base+index*r.stride+r.add+k) << (8 * k)
		}
	}
	w[6] = 0x2d2c2b2a
	if index == 0 {
		w[6] = 16
	}
	return w
}

// TestLongIndices: with robust buffers an index of 64 bits reads and writes what all of it names, or nothing; one beyond
// 32 bits is not the one that its lower word is.
func TestLongIndices(t *testing.T) {
	robust, err := ir.ParseRobust("buffer2")
	if err != nil {
		t.Fatal(err)
	}
	load := func(which string, index int64) *nirc.Module {
		text := strings.NewReplacer("WHICH", which, "INDEX", fmt.Sprint(index)).Replace(longIndices)
		m, err := nirc.LoadFile(context.Background(), "-", nirc.FileOptions{Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	pushed := load("pushed", 0)
	for _, index := range []int64{0, 1, 2, 1 << 30, 1<<31 + 1, 1<<32 - 4, 1 << 32, 1<<32 + 1, 1<<33 + 2, 1<<62 + 1, -1, -1 << 31, -1<<32 + 1, -1 << 63} {
		for _, m := range []*nirc.Module{pushed, load("known", index)} {
			for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
				for _, level := range []passes.Level{passes.O0, passes.O2} {
					got, err := runLong(m, nirc.Options{Target: target, Level: level, Robust: robust}, index)
					want := wantLong(index)
					if index < 0 { // one before an array may count as out of bounds
						want[1] = got[1] & want[1]
					}
					if err != nil || got != want {
						t.Errorf("%s, -%s, index %#x, known: %v: %#x, want %#x; %v", target, level, index, m != pushed, got, want, err)
					}
				}
			}
		}
	}
}

// runLong runs the shader and returns w.
func runLong(m *nirc.Module, o nirc.Options, index int64) (got [8]uint32, err error) {
	bytes := func(from int) (b []byte) {
		for k := range 32 {
			b = append(b, byte(from+k))
		}
		return b
	}
	w := make([]byte, 32)
	x := &Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
		Push: binary.LittleEndian.AppendUint64(nil, uint64(index)),
		Bindings: []Binding{{Binding: 0, Data: bytes(0)}, {Binding: 1, Data: w}, {Binding: 2, Data: bytes(20)}, {Binding: 3, Data: bytes(30)},
			{Binding: 4, Data: bytes(40)}, {Binding: 5, Data: bytes(50)}}}
	err = Execute(context.Background(), x)
	for k := range got {
		got[k] = binary.LittleEndian.Uint32(w[4*k:])
	}
	return got, err
}
