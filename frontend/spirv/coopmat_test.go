package spirv_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// coopModule has matrices %a, %b and %c of 4 x 4 components, a scalar %x, and a pointer %p to floats.
const coopModule = `OpCapability Shader
OpCapability CooperativeMatrixKHR
OpCapability Int8
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buf
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %arr ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u8 = OpTypeInt 8 0
%f32 = OpTypeFloat 32
%fadd = OpTypeFunction %f32 %f32 %f32
%feach = OpTypeFunction %f32 %u32 %u32 %f32 %u32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c9 = OpConstant %u32 999
%x = OpConstant %f32 2
%ta = OpTypeCooperativeMatrixKHR %f32 %c3 %c4 %c4 %c0
%tb = OpTypeCooperativeMatrixKHR %f32 %c3 %c4 %c4 %c1
%tc = OpTypeCooperativeMatrixKHR %f32 %c3 %c4 %c4 %c2
%ti = OpTypeCooperativeMatrixKHR %u32 %c3 %c4 %c4 %c2
DECL
%arr = OpTypeRuntimeArray %f32
%block = OpTypeStruct %arr
%pb = OpTypePointer StorageBuffer %block
%pf = OpTypePointer StorageBuffer %f32
%buf = OpVariable %pb StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %pf %buf %c0 %c0
%a = OpCompositeConstruct %ta %x
%b = OpCompositeConstruct %tb %x
%c = OpCompositeConstruct %tc %x
USE
OpReturn
OpFunctionEnd
%add = OpFunction %f32 None %fadd
%add1 = OpFunctionParameter %f32
%add2 = OpFunctionParameter %f32
%ladd = OpLabel
OpReturnValue %add1
OpFunctionEnd
%each = OpFunction %f32 None %feach
%each1 = OpFunctionParameter %u32
%each2 = OpFunctionParameter %u32
%each3 = OpFunctionParameter %f32
%each4 = OpFunctionParameter %u32
%leach = OpLabel
OpReturnValue %each3
OpFunctionEnd
`

// What cannot be done with cooperative matrices is said.
func TestCooperativeMatrixRefused(t *testing.T) {
	for _, c := range []struct{ decl, use, want string }{
		{"", "%d = OpCooperativeMatrixMulAddKHR %tc %a %b %c", ""},
		{"", "%d = OpCompositeExtract %f32 %c 77", ""}, // undefined, and only when it runs
		{"", "%d = OpCooperativeMatrixMulAddKHR %tc %b %a %c", "the matrices do not fit"},
		{"", "%d = OpCooperativeMatrixMulAddKHR %tc %a %b %c SaturatingAccumulationKHR", "SaturatingAccumulationKHR is not supported"},
		{"", "%d = OpFAdd %tc %a %c", "operand 0 is of type cooperative matrix of 4 x 4"},
		{"", "%d = OpIAdd %tc %c %c", "operand 0 is of type"},
		{"", "%d = OpFOrdLessThan %tc %c %c", "is not allowed"},
		{"", "%d = OpMatrixTimesScalar %tc %c %c2", "the scalar is of type"},
		{"", "%d = OpConvertFToU %ti %a", "operand 0"},
		{"", "%d = OpCooperativeMatrixLoadKHR %tc %p %c4 %c4", "the layout"},
		{"%blocked = OpConstant %u32 4202", "%d = OpCooperativeMatrixLoadKHR %tc %p %blocked %c1", ""},
		{"%blocked = OpConstant %u32 4203\n%tw = OpTypeCooperativeMatrixKHR %f32 %c3 %c4 %c2 %c2", "%d = OpCooperativeMatrixLoadKHR %tw %p %blocked %c1", "rows are a multiple of 4"},
		{"", "%d = OpCooperativeMatrixConvertUseEXT %tb %c", ""},
		{"", "%d = OpCooperativeMatrixConvertUseEXT %tb %a", "operand 0 is of type"},
		{"", "%d = OpCooperativeMatrixConvertUseEXT %ti %c", "operand 0 is of type"},
		{"", "%d = OpCooperativeMatrixConvertUseEXT %tc %c", ""},
		{"", "%d = OpCooperativeMatrixConvertUseEXT %ta %c", ""},
		{"", "%d = OpCooperativeMatrixConvertUseEXT %ta %b", "operand 0 is of type"},
		{"", "%d = OpCooperativeMatrixConvertUseEXT %tc %a", "operand 0 is of type"},
		{"%c8 = OpConstant %u32 8\n%tw = OpTypeCooperativeMatrixKHR %f32 %c3 %c8 %c4 %c0", "%d = OpCooperativeMatrixConvertUseEXT %tw %c", "operand 0 is of type"},
		{"%c8 = OpConstant %u32 8\n%tw = OpTypeCooperativeMatrixKHR %f32 %c3 %c4 %c8 %c1", "%d = OpCooperativeMatrixConvertUseEXT %tw %c", "operand 0 is of type"},
		{"", "%d = OpCooperativeMatrixConvertUseEXT %f32 %c", "gives no cooperative matrix"},
		{"", "%d = OpCooperativeMatrixTransposeNV %tb %c", ""},
		{"", "%d = OpCooperativeMatrixTransposeNV %ta %c", "operand 0 is of type"},
		{"", "%d = OpCooperativeMatrixReduceEXT %tc %c Row %add", ""},
		{"", "%d = OpCooperativeMatrixReduceEXT %tc %a Row %add", "the matrices do not fit"},
		{"", "%d = OpCooperativeMatrixReduceEXT %tc %c Row|2x2 %add", "the matrices do not fit"},
		{"", "%d = OpCooperativeMatrixReduceEXT %tc %c 2x2 %add", "the matrices do not fit"},
		{"", "%d = OpCooperativeMatrixReduceEXT %tc %c Row %each", "the function's parameters"},
		{"", "%d = OpCooperativeMatrixReduceEXT %tc %c Row %x", "the callee is not a function"},
		{"", "%d = OpCooperativeMatrixPerElementOpEXT %tc %c %each %c9", ""},
		{"", "%d = OpCooperativeMatrixPerElementOpEXT %tc %c %each", "0 operands for the function's 1"},
		{"", "%d = OpCooperativeMatrixPerElementOpEXT %tc %c %each %x", "operand 2 is of type"},
		{"", "%d = OpCooperativeMatrixPerElementOpEXT %tc %c %add", "the function's parameters"},
		{"", "OpCooperativeMatrixStoreKHR %p %x %c0 %c4", "operand 1"},
		{"%tw = OpTypeCooperativeMatrixKHR %f32 %c2 %c4 %c4 %c2", "%d = OpUndef %tw", "scope Workgroup"},
		{"%tw = OpTypeCooperativeMatrixKHR %f32 %c3 %c4 %c9 %c2", "%d = OpUndef %tw", "4 x 999 components"},
		{"%tw = OpTypeCooperativeMatrixKHR %u8 %c3 %c4 %c4 %c2", "%d = OpCooperativeMatrixLoadKHR %tw %p %c0 %c4", ""},
		{"%four = OpTypeArray %f32 %c4\n%two = OpTypeArray %f32 %c2", "%al = OpCompositeConstruct %four %x %x %x %x\n%d = OpCompositeConstructCoopMatQCOM %tc %al", "each of 4 arrays is a lane's, and 1 lanes share a matrix"},
		{"%four = OpTypeArray %f32 %c4\n%two = OpTypeArray %f32 %c2", "%al = OpCompositeConstruct %two %x %x\n%d = OpCompositeConstructCoopMatQCOM %tc %al", "for a matrix of 4 x 4"},
		{"%four = OpTypeArray %f32 %c4\n%two = OpTypeArray %f32 %c2", "%al = OpCompositeConstruct %four %x %x %x %x\n%d = OpCompositeConstructCoopMatQCOM %f32 %al", "gives no cooperative matrix"},
		{"%four = OpTypeArray %f32 %c4\n%two = OpTypeArray %f32 %c2", "%d = OpCompositeConstructCoopMatQCOM %tc %x", "operand 0 is of type"},
		{"%four = OpTypeArray %f32 %c4\n%two = OpTypeArray %f32 %c2", "%d = OpCompositeExtractCoopMatQCOM %four %c", "each of 4 arrays is a lane's, and 1 lanes share a matrix"},
		{"%four = OpTypeArray %f32 %c4\n%two = OpTypeArray %f32 %c2", "%d = OpCompositeExtractCoopMatQCOM %two %c", "for a matrix of 4 x 4"},
		{"%four = OpTypeArray %f32 %c4\n%two = OpTypeArray %f32 %c2", "%d = OpCompositeExtractCoopMatQCOM %f32 %c", "is no array of numbers"},
		{"%four = OpTypeArray %f32 %c4\n%two = OpTypeArray %f32 %c2", "%al = OpCompositeConstruct %two %x %x\n%d = OpExtractSubArrayQCOM %four %al %c0", "operand 0 is of type"},
		{"%four = OpTypeArray %f32 %c4\n%two = OpTypeArray %f32 %c2", "%al = OpCompositeConstruct %four %x %x %x %x\n%d = OpExtractSubArrayQCOM %two %al %c2", ""},
		{"%four = OpTypeArray %f32 %c4\n%two = OpTypeArray %f32 %c2", "%al = OpCompositeConstruct %four %x %x %x %x\n%d = OpBitCastArrayQCOM %two %al", "operand 0 is of type"},
		{"%v3 = OpTypeVector %u8 3\n%pv = OpTypePointer StorageBuffer %v3", "%q = OpRawAccessChainNV %pv %buf %c4 %c0 %c0\n%d = OpCooperativeMatrixLoadKHR %tc %q %c0 %c4", ""},
	} {
		_, err := translate(t, strings.NewReplacer("DECL", c.decl, "USE", c.use).Replace(coopModule))
		if err == nil != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.decl, c.use, err, c.want)
		}
	}
}

// TestCooperativeMatrixLayouts: NV's instructions name the order by a boolean after the stride, and KHR's by a number before it; both
// mean the same memory, rows and columns are no same layout, nor are blocks of them, and each holds for loads and for stores.
func TestCooperativeMatrixLayouts(t *testing.T) {
	const decl = "%bool = OpTypeBool\n%yes = OpConstantTrue %bool\n%no = OpConstantFalse %bool\n%rows = OpConstant %u32 4202\n%columns = OpConstant %u32 4203\n" +
		"%tn = OpTypeCooperativeMatrixNV %f32 %c3 %c4 %c4\n%c64 = OpConstant %u32 64"
	module := strings.Replace(coopModule, "OpMemoryModel", "OpCapability CooperativeMatrixNV\nOpCapability CooperativeMatrixLayoutsARM\nOpMemoryModel", 1)
	text := func(use string) string {
		t.Helper()
		s, err := translate(t, strings.NewReplacer("DECL", decl, "USE", use).Replace(module))
		if err != nil {
			t.Fatalf("%s: %v", use, err)
		}
		return ir.Print(s)
	}
	const q = "%q = OpAccessChain %pf %buf %c0 %c64\n"
	var forms [2][]string // rows and columns, then blocks of both, of loads and stores
	for k, use := range []string{
		"%d = OpCooperativeMatrixLoadKHR %tc %p LAYOUT\nOpCooperativeMatrixStoreKHR %q %d %c1 %c9",
		"%d = OpCooperativeMatrixLoadKHR %tc %q %c1 %c9\nOpCooperativeMatrixStoreKHR %p %d LAYOUT",
	} {
		for _, layout := range []string{"%c0 %c4", "%c1 %c4", "%rows %c1", "%columns %c1"} {
			forms[k] = append(forms[k], text(q+strings.Replace(use, "LAYOUT", layout, 1)))
		}
		for i := range forms[k] {
			for _, other := range forms[k][:i] {
				if other == forms[k][i] {
					t.Errorf("two layouts are the same:\n%s", other)
				}
			}
		}
	}
	for i, order := range []string{"%no", "%yes"} {
		if text(q+"%d = OpCooperativeMatrixLoadNV %tn %p %c4 "+order+"\nOpCooperativeMatrixStoreKHR %q %d %c1 %c9") != forms[0][i] {
			t.Errorf("a load by NV's order %s is another", order)
		}
		if text(q+"%d = OpCooperativeMatrixLoadKHR %tn %q %c1 %c9\nOpCooperativeMatrixStoreNV %p %d %c4 "+order) != forms[1][i] {
			t.Errorf("a store by NV's order %s is another", order)
		}
	}
	_, err := translate(t, strings.NewReplacer("DECL", decl, "USE", "%d = OpCooperativeMatrixLoadNV %tn %p %c4 %c1").Replace(module))
	if err == nil || !strings.Contains(err.Error(), "the order is not a boolean") {
		t.Errorf("an order that is a number: %v", err)
	}
}

// TestMatrixLanes: a matrix is spread over as many lanes as the target says, or over the half, a quarter and so on where workgroups have
// no multiple of that, however the module tells their size.
func TestMatrixLanes(t *testing.T) {
	const size, most = 16, 32
	decl := "%c16 = OpConstant %u32 16\n%tl = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2\n"
	use := "%len = OpCooperativeMatrixLengthKHR %u32 %tl\n%flen = OpConvertUToF %f32 %len\nOpStore %p %flen"
	module := strings.NewReplacer("DECL", decl+"SIZES", "USE", use).Replace(coopModule)
	const mode = "OpExecutionMode %main LocalSize 32 1 1\n"
	for _, threads := range [][3]int{{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {2, 3, 2}, {16, 1, 1}, {1, 4, 4}, {24, 1, 1}, {32, 1, 1}, {2, 3, 8}, {8, 1, 8}, {1, 1, 128}, {7, 5, 3}} {
		lanes := most
		for (threads[0]*threads[1]*threads[2])%lanes != 0 {
			lanes /= 2
		}
		numbers := fmt.Sprintf("%%n0 = OpConstant %%u32 %d\n%%n1 = OpConstant %%u32 %d\n%%n2 = OpConstant %%u32 %d\n", threads[0], threads[1], threads[2])
		for name, text := range map[string]string{
			"LocalSize":   strings.NewReplacer(mode, fmt.Sprintf("OpExecutionMode %%main LocalSize %d %d %d\n", threads[0], threads[1], threads[2]), "SIZES", "").Replace(module),
			"LocalSizeId": strings.NewReplacer(mode, "OpExecutionModeId %main LocalSizeId %n0 %n1 %n2\n", "%tl =", numbers+"%tl =", "SIZES", "").Replace(module),
			"WorkgroupSize": strings.NewReplacer(mode, mode+"OpDecorate %size BuiltIn WorkgroupSize\n", "%tl =", numbers+"%u3 = OpTypeVector %u32 3\n%size = OpConstantComposite %u3 %n0 %n1 %n2\n%tl =",
				"SIZES", "").Replace(module),
		} {
			s, err := translateFor(t, text, &ir.Options{MatrixLanes: most, SubgroupSize: most})
			if err != nil {
				t.Fatalf("%v by %s: %v", threads, name, err)
			}
			found := false
			for b := range s.Entry().Impl.Blocks() {
				for in := range b.Instrs() {
					if !in.IsALU(ir.OpU2f32) {
						continue
					}
					found = true
					if n, ok := in.Srcs[0].Const(0); !ok || int(n) != size*size/lanes {
						t.Errorf("%v by %s: a lane has %d components, want %d", threads, name, n, size*size/lanes)
					}
				}
			}
			if !found {
				t.Errorf("%v by %s: no length in\n%s", threads, name, ir.Print(s))
			}
		}
	}
}

// TestProductOfNarrowFloats: products of floats that the IR has not are summed as floats of 32 bits, and the results are cut; the type is
// what it was to all that follows.
func TestProductOfNarrowFloats(t *testing.T) {
	const head = "OpCapability BFloat16TypeKHR\nOpCapability BFloat16CooperativeMatrixKHR\nOpCapability Int16\nOpExtension \"SPV_KHR_bfloat16\"\nOpMemoryModel"
	decl := "%bf = OpTypeFloat 16 BFloat16KHR\n%u16 = OpTypeInt 16 0\n%one = OpConstant %bf 0x1p0\n"
	for k, name := range []string{"ba", "bb", "bc"} {
		decl += fmt.Sprintf("%%t%s = OpTypeCooperativeMatrixKHR %%bf %%c3 %%c4 %%c4 %%c%d\n", name, k)
	}
	use := `%xa = OpCompositeConstruct %tba %one
%xb = OpCompositeConstruct %tbb %one
%xc = OpCompositeConstruct %tbc %one
%y = OpCooperativeMatrixMulAddKHR %tbc %xa %xb %xc
%z = OpCooperativeMatrixMulAddKHR %tbc %xa %xb %y
%e = OpCompositeExtract %bf %z 0
%bits = OpBitcast %u16 %e
%word = OpUConvert %u32 %bits
%cut = OpFConvert %bf %x
%cutbits = OpBitcast %u16 %cut
%cutword = OpUConvert %u32 %cutbits
%sum = OpIAdd %u32 %word %cutword
%fsum = OpConvertUToF %f32 %sum
OpStore %p %fsum`
	for _, lanes := range []uint8{1, 32} {
		s, err := translateFor(t, strings.NewReplacer("OpMemoryModel", head, "DECL", decl, "USE", use).Replace(coopModule), &ir.Options{MatrixLanes: lanes, SubgroupSize: lanes})
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(s); err != nil {
			t.Error(err)
		}
		for b := range s.Entry().Impl.Blocks() {
			for in := range b.Instrs() {
				if (in.IsALU(ir.OpFfma) || in.IsALU(ir.OpFadd) || in.IsALU(ir.OpFmul)) && in.Def.BitSize != 32 {
					t.Errorf("%d lanes: %s of %d bits", lanes, in.Op, in.Def.BitSize)
				}
			}
		}
	}
}
