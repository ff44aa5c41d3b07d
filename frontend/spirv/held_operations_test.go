package spirv_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// operandTypes are the types of what operations take and give, by name, with what declares them.
var operandTypes = []struct{ name, decl string }{
	{"bool", "OpTypeBool"}, {"uint", "OpTypeInt 32 0"}, {"int", "OpTypeInt 32 1"}, {"ubyte", "OpTypeInt 8 0"}, {"ushort", "OpTypeInt 16 0"}, {"ulong", "OpTypeInt 64 0"},
	{"float", "OpTypeFloat 32"}, {"half", "OpTypeFloat 16"}, {"double", "OpTypeFloat 64"},
	{"uint2", "OpTypeVector %uint 2"}, {"float3", "OpTypeVector %float 3"}, {"half4", "OpTypeVector %half 4"}, {"bool3", "OpTypeVector %bool 3"},
}

// operationModule begins a module, of a kernel or a compute shader.
func operationModule(kernel bool) string {
	var b strings.Builder
	set, model := "GLSL.std.450", "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
	capabilities := "Shader Int8 Int16 Int64 Float16 Float64"
	if kernel {
		set, model = "OpenCL.std", "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %main \"main\"\n"
		capabilities = "Kernel Addresses Int8 Int16 Int64 Float16 Float64"
	}
	for c := range strings.FieldsSeq(capabilities) {
		fmt.Fprintf(&b, "OpCapability %s\n", c)
	}
	fmt.Fprintf(&b, "%%set = OpExtInstImport \"%s\"\n%sOpExecutionMode %%main LocalSize 1 1 1\n%%void = OpTypeVoid\n%%fn = OpTypeFunction %%void\n", set, model)
	for _, t := range operandTypes {
		if kernel && strings.HasSuffix(t.decl, " 1") {
			continue // integers of kernels have no sign
		}
		fmt.Fprintf(&b, "%%%s = %s\n%%p%s = OpTypePointer Function %%%s\n", t.name, t.decl, t.name, t.name)
	}
	b.WriteString("%main = OpFunction %void None %fn\n%l = OpLabel\n")
	return b.String()
}

// operation is the rest of a module that has one operation, on n values of a type.
func operation(what, result, of string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%%v%d = OpVariable %%p%s Function\n", i, of)
	}
	for i := range n {
		fmt.Fprintf(&b, "%%x%d = OpLoad %%%s %%v%d\n", i, of, i)
	}
	fmt.Fprintf(&b, "%%r = %s", strings.Replace(what, "RESULT", "%"+result, 1))
	for i := range n {
		fmt.Fprintf(&b, " %%x%d", i)
	}
	b.WriteString("\nOpReturn\nOpFunctionEnd\n")
	return b.String()
}

// The plain operations are those whose operands are values alone, from conversions to bits, in the order of their numbers.
const firstPlain, lastPlain = spv.OpConvertFToU, spv.OpBitCount

// TestHeldOperations translates each plain operation and each extended instruction on values of each type, to the same type and to others: the
// IR, or the refusal, is that of the table (testdata/held_operations.tsv), or a change means to change it (go test -update).
func TestHeldOperations(t *testing.T) {
	rows := map[string]string{}
	hold := func(name, begin, what string, numbers int, results func(of string) []string) {
		var sum gputest.Digest
		texts, compiled := 0, 0
		for _, of := range operandTypes {
			for _, result := range results(of.name) {
				for n := 1; n <= numbers; n++ {
					texts++
					if translated(begin+operation(what, result, of.name, n), &sum) {
						compiled++
					}
				}
			}
		}
		rows[name] = fmt.Sprintf("%d\t%d\t%016x", texts, compiled, uint64(sum))
	}
	same := func(of string) []string { return []string{of} }
	others := func(of string) []string {
		return []string{of, "bool", "uint", "ushort", "ulong", "float", "half", "float3", "bool3"}
	}
	shader, kernel := operationModule(false), operationModule(true)
	for op := firstPlain; op <= lastPlain; op++ {
		numbers := 2
		if op >= spv.OpBitFieldInsert {
			numbers = 4
		}
		if name := op.String(); name != fmt.Sprintf("Op(%d)", op) {
			hold(name, shader, name+" RESULT", numbers, others)
		}
	}
	for k := range uint32(210) {
		if name := spv.GLSLstd450(k).String(); k < 90 && name != "" {
			hold("glsl "+name, shader, "OpExtInst RESULT %set "+name, 3, same)
		}
		if name := spv.OpenCLstd(k).String(); name != "" {
			hold("opencl "+name, kernel, "OpExtInst RESULT %set "+name, 3, func(of string) []string { return []string{of, "uint"} })
		}
	}
	gputest.HoldTable(t, "held_operations.tsv", rows)
}

// translated adds what becomes of a module with one entry point, and reports whether it is translated.
func translated(text string, sum *gputest.Digest) bool {
	m := assembled(text, sum)
	if m == nil {
		return false
	}
	e := spirv.EntryPoints(m)[0]
	s, err := spirv.Translate(m, spirv.Options{Entry: e.Name, Stage: e.Stage, Debug: true})
	if err != nil {
		sum.Text(err.Error())
		return false
	}
	sum.Bytes(ir.Serialize(s, ir.SerializeOptions{}))
	return true
}

// assembled is the module of a text, nil if it is none; the reason is added then.
func assembled(text string, sum *gputest.Digest) *spv.Module {
	words, err := spv.Assemble(text, spv.AssembleOptions{Version: 0x0105, PreserveNumericIDs: true})
	if err != nil {
		sum.Text(err.Error())
		return nil
	}
	m, err := spv.ParseWords(words)
	if err != nil {
		sum.Text(err.Error())
		return nil
	}
	return m
}
