package spirv

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/ir"
)

// kernelHeader begins a kernel: DECORATE, DECLARE, PARAMS (types) and BODY are filled in. The first parameter is a pointer to words.
const kernelHeader = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Float64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
OpExecutionMode %main LocalSize 4 1 1
DECORATE%void = OpTypeVoid
%uint = OpTypeInt 32 0
%byte = OpTypeInt 8 0
%short = OpTypeInt 16 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%global = OpTypePointer CrossWorkgroup %uint
DECLARE%fn = OpTypeFunction %void %global PARAMS
%main = OpFunction %void None %fn
%buf = OpFunctionParameter %global
BODYOpReturn
OpFunctionEnd
`

// kernelModule translates a kernel of kernelHeader.
func kernelModule(t *testing.T, decorate, declare, params, body string) (*ir.Shader, error) {
	t.Helper()
	text := strings.NewReplacer("DECORATE", decorate, "DECLARE", declare, "PARAMS", params, "BODY", body).Replace(kernelHeader)
	s, err := Translate(assemble(t, text), Options{})
	if err == nil {
		err = ir.Validate(s)
	}
	return s, err
}

// TestKernelArguments: arguments stand one after the other, each aligned to its size, vectors of three as of four, structs as their
// largest member says; pointers are addresses, those to workgroup memory offsets, and a struct by value is its bytes.
func TestKernelArguments(t *testing.T) {
	s, err := kernelModule(t, "OpName %buf \"buf\"\nOpName %b \"b\"\nOpName %v \"v\"\nOpName %c \"c\"\nOpName %l \"l\"\nOpName %k \"k\"\nOpName %h \"h\"\nOpName %s \"s\"\nOpName %p \"p\"\nOpName %z \"z\"\nOpDecorate %s FuncParamAttr ByVal\n"+
		"OpDecorate %p FuncParamAttr ByVal\nOpDecorate %packed CPacked\n",
		`%v3 = OpTypeVector %float 3
%local = OpTypePointer Workgroup %uint
%const = OpTypePointer UniformConstant %float
%pair = OpTypeStruct %byte %double %short
%packed = OpTypeStruct %byte %double %short
%ppair = OpTypePointer Function %pair
%ppacked = OpTypePointer Function %packed
%pd = OpTypePointer Function %double
`, "%byte %v3 %byte %local %const %short %ppair %ppacked %byte", `%b = OpFunctionParameter %byte
%v = OpFunctionParameter %v3
%c = OpFunctionParameter %byte
%l = OpFunctionParameter %local
%k = OpFunctionParameter %const
%h = OpFunctionParameter %short
%s = OpFunctionParameter %ppair
%p = OpFunctionParameter %ppacked
%z = OpFunctionParameter %byte
%e = OpLabel
%d1 = OpInBoundsAccessChain %pd %s %n1
%x1 = OpLoad %double %d1 Aligned 8
%d2 = OpInBoundsAccessChain %pd %p %n1
%x2 = OpLoad %double %d2 Aligned 1
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range s.Arguments {
		got = append(got, fmt.Sprintf("%s %s %d+%d", a.Name, a.Kind, a.Offset, a.Size))
	}
	want := "buf global 0+8, b value 8+1, v value 16+16, c value 32+1, l local 40+8, k constant 48+8, h value 56+2, s value 64+24, p value 88+11, z value 99+1"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestArgumentLimits: the most bytes that arguments may take are taken, and no more; what no argument can be is said.
func TestArgumentLimits(t *testing.T) {
	for _, c := range []struct{ declare, params, body, want string }{
		{"%n = OpConstant %uint 254\n%arr = OpTypeArray %uint %n\n%par = OpTypePointer Function %arr\n", "%par", "%a = OpFunctionParameter %par\n%e = OpLabel\n", ""},
		{"%n = OpConstant %uint 255\n%arr = OpTypeArray %uint %n\n%par = OpTypePointer Function %arr\n", "%par", "%a = OpFunctionParameter %par\n%e = OpLabel\n", "take 1028 bytes, the most is 1024"},
		{"%par = OpTypePointer Generic %uint\n", "%par", "%a = OpFunctionParameter %par\n%e = OpLabel\n", "argument 1 is a generic pointer"},
	} {
		decorate := "OpDecorate %a FuncParamAttr ByVal\n"
		_, err := kernelModule(t, decorate, c.declare, c.params, c.body)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	_, err := kernelModule(t, "", "%par = OpTypePointer Function %uint\n", "%par", "%a = OpFunctionParameter %par\n%e = OpLabel\n")
	if err == nil || !strings.Contains(err.Error(), "argument 1 is a pointer to private memory") {
		t.Errorf("a pointer to private memory: %v", err)
	}
}

// TestProgramMemory: the variables of a program in global memory have their places one after the other, aligned as their types and
// decorations say; the memory begins with their constants, and with addresses where those are pointers.
func TestProgramMemory(t *testing.T) {
	s, err := kernelModule(t, "OpDecorate %d Alignment 32\n", `%b5 = OpConstant %byte 5
%s7 = OpConstant %short 0x1234
%l9 = OpConstant %ulong 0x1122334455667788
%f = OpConstant %float 1.5
%vec = OpTypeVector %short 3
%v = OpConstantComposite %vec %s7 %s7 %s7
%arr = OpTypeArray %uint %n3
%a = OpConstantComposite %arr %n1 %n2 %n3
%str = OpTypeStruct %byte %ulong %float
%st = OpConstantComposite %str %b5 %l9 %f
%zero = OpConstantNull %arr
%far = OpConstant %ulong 0x123456789a
%neg = OpConstant %uint 0xfffffff0
%pb = OpTypePointer CrossWorkgroup %byte
%ps = OpTypePointer CrossWorkgroup %short
%pv = OpTypePointer CrossWorkgroup %vec
%par = OpTypePointer CrossWorkgroup %arr
%pst = OpTypePointer CrossWorkgroup %str
%pf = OpTypePointer CrossWorkgroup %float
%pp = OpTypePointer CrossWorkgroup %global
%ppf = OpTypePointer CrossWorkgroup %pf
%byteVar = OpVariable %pb CrossWorkgroup %b5
%shortVar = OpVariable %ps CrossWorkgroup %s7
%vecVar = OpVariable %pv CrossWorkgroup %v
%arrVar = OpVariable %par CrossWorkgroup %a
%stVar = OpVariable %pst CrossWorkgroup %st
%d = OpVariable %global CrossWorkgroup %n3
%at = OpSpecConstantOp %global InBoundsPtrAccessChain %arrVar %n0 %n2
%atf = OpSpecConstantOp %pf InBoundsAccessChain %stVar %n2
%next = OpSpecConstantOp %global PtrAccessChain %d %n1
%number = OpSpecConstantOp %global ConvertUToPtr %far
%number32 = OpSpecConstantOp %global ConvertUToPtr %neg
%none = OpConstantNull %global
%toArr = OpVariable %pp CrossWorkgroup %at
%toF = OpVariable %ppf CrossWorkgroup %atf
%toD = OpVariable %pp CrossWorkgroup %next
%toNumber = OpVariable %pp CrossWorkgroup %number
%toNumber32 = OpVariable %pp CrossWorkgroup %number32
%toNone = OpVariable %pp CrossWorkgroup %none
%zeroVar = OpVariable %par CrossWorkgroup %zero
`, "", "%e = OpLabel\n%x = OpLoad %uint %d Aligned 4\nOpStore %buf %x Aligned 4\n")
	if err != nil {
		t.Fatal(err)
	}
	var a *ir.Argument
	for i := range s.Arguments {
		if s.Arguments[i].Kind == ir.ArgProgram {
			a = &s.Arguments[i]
		}
	}
	if a == nil {
		t.Fatalf("no argument leads to the program's memory: %+v", s.Arguments)
	}
	want := make([]byte, 164)
	le := binary.LittleEndian
	want[0] = 5
	le.PutUint16(want[2:], 0x1234)
	for i := range 3 {
		le.PutUint16(want[8+2*i:], 0x1234) // as large as four
		le.PutUint32(want[16+4*i:], uint32(1+i))
	}
	want[32] = 5
	le.PutUint64(want[40:], 0x1122334455667788)
	le.PutUint32(want[48:], math.Float32bits(1.5))
	le.PutUint32(want[64:], 3)
	le.PutUint64(want[96:], 0x123456789a)
	le.PutUint64(want[104:], 0xfffffff0)
	end := len(want)
	for end > 0 && want[end-1] == 0 {
		end--
	}
	if a.Memory != 132 || string(a.Init) != string(want[:end]) {
		t.Errorf("%d bytes, % x\nwant % x", a.Memory, a.Init, want[:end])
	}
	if got, want := fmt.Sprint(a.Links), "[{72 24} {80 48} {88 68}]"; got != want {
		t.Errorf("addresses %s, want %s", got, want)
	}
}

// TestProgramRefused: what is no constant address, or no variable of the program.
func TestProgramRefused(t *testing.T) {
	const types = "%arr = OpTypeArray %uint %n3\n%zero = OpConstantNull %arr\n%par = OpTypePointer CrossWorkgroup %arr\n%pp = OpTypePointer CrossWorkgroup %global\n%v = OpVariable %par CrossWorkgroup %zero\n"
	for _, c := range []struct{ decl, want string }{
		{"%at = OpSpecConstantOp %global InBoundsPtrAccessChain %v %n0 %n3\n%w = OpVariable %pp CrossWorkgroup %at\n", ""}, // the place after the last element
		{"%m = OpConstant %uint 4\n%at = OpSpecConstantOp %global InBoundsPtrAccessChain %v %n0 %m\n%w = OpVariable %pp CrossWorkgroup %at\n", ""},
		{"%m = OpConstant %uint 99\n%at = OpSpecConstantOp %global InBoundsPtrAccessChain %v %n0 %m\n%w = OpVariable %pp CrossWorkgroup %at\n", "what is no variable of the program"},
		{"%m = OpConstant %uint 16777217\n%at = OpSpecConstantOp %global InBoundsPtrAccessChain %v %n0 %m\n%w = OpVariable %pp CrossWorkgroup %at\n", "or too large"},
		{"%w = OpVariable %pp CrossWorkgroup\n", "has no value to begin with"},
		{"%w = OpVariable %pp CrossWorkgroup %n1\n", "the initialiser's type is not the variable's type"},
		{"%w = OpVariable %pp CrossWorkgroup %zero\n", "the initialiser's type is not the variable's type"},
		{"%other = OpConstantNull %uint\n%st = OpTypeStruct %arr %uint\n%pst = OpTypePointer CrossWorkgroup %st\n%both = OpConstantComposite %st %zero %other\n%w = OpVariable %pst CrossWorkgroup %both\n", ""},
		{"%st = OpTypeStruct %uint %uint\n%pst = OpTypePointer CrossWorkgroup %st\n%both = OpConstantComposite %st %zero %n1\n%w = OpVariable %pst CrossWorkgroup %both\n", "the initialiser's type is not the variable's type"},
		{"%at = OpSpecConstantOp %global AccessChain %v %n0 %n0\n%w = OpVariable %pp CrossWorkgroup %at\n", "has no part 0"},
		{"%at = OpSpecConstantOp %global IAdd %v %n0\n%w = OpVariable %pp CrossWorkgroup %at\n", "IAdd"},
		{"%big = OpConstant %uint 4194305\n%barr = OpTypeArray %uint %big\n%bz = OpConstantNull %barr\n%pbar = OpTypePointer CrossWorkgroup %barr\n%w = OpVariable %pbar CrossWorkgroup %bz\n", "take more than 16777216 bytes"},
	} {
		_, err := kernelModule(t, "", types+c.decl, "", "%e = OpLabel\n%q = OpInBoundsAccessChain %global %v %n0\n%x = OpLoad %uint %q Aligned 4\nOpStore %buf %x Aligned 4\n")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.decl, err, c.want)
		}
	}
}

// TestKernelSteps: elements and members that lie further from each other than strides and offsets say are refused, not taken for nearer ones.
func TestKernelSteps(t *testing.T) {
	const half = "%n = OpConstant %uint 0x20000000\n%half = OpTypeArray %uint %n\n" // 2 GiB
	for _, c := range []struct{ decl, body, want string }{
		{"%n = OpConstant %uint 0x1fffffff\n%near = OpTypeArray %uint %n\n%p = OpTypePointer CrossWorkgroup %near\n", "%q = OpBitcast %p %buf\n%r = OpInBoundsPtrAccessChain %global %q %n1 %n0\n", ""},
		{half + "%p = OpTypePointer CrossWorkgroup %half\n", "%q = OpBitcast %p %buf\n%r = OpInBoundsPtrAccessChain %global %q %n1 %n0\n", "elements of 2147483648 bytes are not supported"},
		{half + "%two = OpTypeArray %half %n2\n%p = OpTypePointer CrossWorkgroup %two\n", "%q = OpBitcast %p %buf\n%r = OpInBoundsAccessChain %global %q %n1 %n0\n", "elements of 2147483648 bytes are not supported"},
		{half + "%st = OpTypeStruct %half %uint\n%p = OpTypePointer CrossWorkgroup %st\n", "%q = OpBitcast %p %buf\n%r = OpInBoundsAccessChain %global %q %n1\n", "member 1 at byte 2147483648 of a struct is not supported"},
	} {
		_, err := kernelModule(t, "", c.decl, "", "%e = OpLabel\n"+c.body+"%x = OpLoad %uint %r Aligned 4\nOpStore %buf %x Aligned 4\n")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.decl, err, c.want)
		}
	}
}
