package spirv_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/frontend/spirv/spv"
)

// kernelForms are the operands of instructions of OpenCL.std that go to memory: VALUE and its like are values of a type, SCALAR one of its components' type,
// PTR a pointer to the type, SPTR one to its components, IPTR to 32-bit integers.
var kernelForms = map[string]string{
	"fract": "%TYPE %set fract %value %ptr", "modf": "%TYPE %set modf %value %ptr", "sincos": "%TYPE %set sincos %value %ptr", "frexp": "%TYPE %set frexp %value %iptr", "lgamma_r": "%TYPE %set lgamma_r %value %iptr",
	"remquo": "%TYPE %set remquo %value %value %iptr", "vloadn": "%TYPE %set vloadn %off %sptr COUNT", "vstoren": "%void %set vstoren %value %off %sptr", "vload_half": "%float %set vload_half %off %sptr",
	"vload_halfn": "%FLOATS %set vload_halfn %off %sptr COUNT", "vloada_halfn": "%FLOATS %set vloada_halfn %off %sptr COUNT", "vstore_half": "%void %set vstore_half %value %off %hptr",
	"vstore_half_r": "%void %set vstore_half_r %value %off %hptr MODE", "vstore_halfn": "%void %set vstore_halfn %value %off %hptr", "vstore_halfn_r": "%void %set vstore_halfn_r %value %off %hptr MODE",
	"vstorea_halfn": "%void %set vstorea_halfn %value %off %hptr", "vstorea_halfn_r": "%void %set vstorea_halfn_r %value %off %hptr MODE", "prefetch": "%void %set prefetch %ptr %off",
}

// kernelTypes are the types of values, with their components and how many there are.
var kernelTypes = []struct {
	name, scalar string
	count        int
}{{"float", "float", 1}, {"float2", "float", 2}, {"float3", "float", 3}, {"float4", "float", 4}, {"float16", "float", 16}, {"half", "half", 1}, {"half2", "half", 2}, {"half3", "half", 3}, {"half8", "half", 8}, {"double", "double", 1}, {"double2", "double", 2},
	{"uint", "uint", 1}, {"uint3", "uint", 3}, {"uint8", "uint", 8}, {"byte2", "byte", 2}, {"byte16", "byte", 16}, {"short4", "short", 4}, {"ulong3", "ulong", 3}}

// kernelModule is a kernel with one instruction on memory of a storage class.
func kernelModule(form, class, ty, scalar string, count int, mode string) string {
	var b strings.Builder
	b.WriteString("OpCapability Addresses\nOpCapability Kernel\nOpCapability Vector16\nOpCapability Int64\nOpCapability Int16\nOpCapability Int8\nOpCapability Float16\nOpCapability Float64\nOpCapability GenericPointer\n%set = OpExtInstImport \"OpenCL.std\"\n")
	b.WriteString("OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %main \"main\"\nOpExecutionMode %main LocalSize 4 1 1\n%void = OpTypeVoid\n%float = OpTypeFloat 32\n%half = OpTypeFloat 16\n%double = OpTypeFloat 64\n")
	b.WriteString("%uint = OpTypeInt 32 0\n%byte = OpTypeInt 8 0\n%short = OpTypeInt 16 0\n%ulong = OpTypeInt 64 0\n%off = OpConstant %ulong 3\n")
	for _, t := range []string{"float", "half", "double", "uint", "byte", "short", "ulong"} {
		for _, n := range []int{2, 3, 4, 8, 16} {
			fmt.Fprintf(&b, "%%%s%d = OpTypeVector %%%s %d\n", t, n, t, n)
		}
		fmt.Fprintf(&b, "%%p%s = OpTypePointer %s %%%s\n", t, class, t)
	}
	ints, floats := "uint", "float"
	if count > 1 {
		ints, floats = fmt.Sprintf("uint%d", count), fmt.Sprintf("float%d", count)
	}
	fmt.Fprintf(&b, "%%own = OpTypePointer %s %%%s\n%%ownint = OpTypePointer %s %%%s\n%%fn = OpTypeFunction %%void %%own %%ownint %%p%s %%phalf %%%s\n", class, ty, class, ints, scalar, ty)
	entry := "%fn2 = OpTypeFunction %void\n%main = OpFunction %void None %fn2\n%e = OpLabel\n%pu = OpUndef %own\n%pi = OpUndef %ownint\n%ps = OpUndef %p" + scalar + "\n%ph = OpUndef %phalf\n%v = OpUndef %" + ty + "\n%r = OpFunctionCall %void %f %pu %pi %ps %ph %v\nOpReturn\nOpFunctionEnd\n"
	if class == "CrossWorkgroup" || class == "Workgroup" { // a kernel may be given these
		entry = ""
	}
	f := "%f"
	if entry == "" {
		f = "%main"
	}
	b.WriteString(entry + f + " = OpFunction %void None %fn\n%ptr = OpFunctionParameter %own\n%iptr = OpFunctionParameter %ownint\n%sptr = OpFunctionParameter %p" + scalar + "\n%hptr = OpFunctionParameter %phalf\n%value = OpFunctionParameter %" + ty + "\n%l = OpLabel\n")
	b.WriteString("%x = OpExtInst " + strings.NewReplacer("%TYPE", "%"+ty, "%FLOATS", "%"+floats, "COUNT", fmt.Sprint(count), "MODE", mode).Replace(form) + "\nOpReturn\nOpFunctionEnd\n")
	return b.String()
}

// TestHeldKernels translates each instruction of OpenCL.std that goes to memory on each type and storage: the IR, or the refusal, is that of the table
// (testdata/held_kernels.tsv), or a change means to change it (go test -update).
func TestHeldKernels(t *testing.T) {
	rows := map[string]string{}
	for name, form := range kernelForms {
		if _, ok := spv.ExtSetOpenCLstd.Lookup(name); !ok {
			t.Errorf("%s is no instruction", name)
		}
		var sum gputest.Digest
		texts, compiled := 0, 0
		for _, ty := range kernelTypes {
			for i, class := range []string{"CrossWorkgroup", "Workgroup", "Function", "Generic"} {
				texts++
				if translated(kernelModule(form, class, ty.name, ty.scalar, ty.count, []string{"RTE", "RTZ", "RTP", "RTN"}[i]), &sum) {
					compiled++
				}
			}
		}
		rows[name] = fmt.Sprintf("%d\t%d\t%016x", texts, compiled, uint64(sum))
	}
	gputest.HoldTable(t, "held_kernels.tsv", rows)
}
