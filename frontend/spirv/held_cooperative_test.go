package spirv_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/frontend/spirv"
	"nirc/ir"
)

// cooperativeShapes are rows, columns and what is between them in a product: of no, few and many components a lane, in powers of two and not.
var cooperativeShapes = [][3]int{{1, 1, 1}, {4, 4, 4}, {3, 5, 2}, {8, 16, 4}, {16, 8, 16}, {2, 40, 3}, {20, 4, 5}}

// longerThan is what sums of products of narrow components may be of.
var longerThan = map[string]string{"ubyte": "int", "half": "float"}

// cooperativeModule begins a module with matrices of a shape and of a component's type in all uses, each in a variable of its name, and USE
// where its instructions stand. Functions of components are defined after it.
func cooperativeModule(shape [3]int, of string) string {
	var b, loads strings.Builder
	text := operationModule(false)
	text = strings.Replace(text, "OpMemoryModel", "OpCapability CooperativeMatrixKHR\nOpCapability CooperativeMatrixLayoutsARM\nOpMemoryModel", 1)
	text = strings.Replace(text, "LocalSize 1 1 1", "LocalSize 64 1 1", 1)
	text = strings.Replace(text, "%void =", "OpDecorate %list ArrayStride 16\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %buf DescriptorSet 0\nOpDecorate %buf Binding 0\n%void =", 1)
	begin, end, _ := strings.Cut(text, "%main = OpFunction")
	for n := range 17 {
		fmt.Fprintf(&b, "%%c%d = OpConstant %%uint %d\n", n, n)
	}
	for k, n := range []int{shape[0], shape[1], shape[2], shape[0] / 2, shape[1] / 2} {
		fmt.Fprintf(&b, "%%%s = OpConstant %%uint %d\n", []string{"rows", "cols", "deep", "hrows", "hcols"}[k], max(n, 1))
	}
	b.WriteString("%blocks = OpConstant %uint 4202\n%columns = OpConstant %uint 4203\n")
	for _, m := range [][5]string{
		{"acc", of, "rows", "cols", "c2"}, {"as", of, "rows", "cols", "c0"}, {"bs", of, "rows", "cols", "c1"}, {"turned", of, "cols", "rows", "c1"},
		{"wide", of, "rows", "c5", "c2"}, {"high", of, "c5", "cols", "c2"}, {"small", of, "c2", "c3", "c2"}, {"quarter", of, "hrows", "hcols", "c2"},
		{"left", of, "rows", "deep", "c0"}, {"right", of, "deep", "cols", "c1"}, {"words", "uint", "rows", "cols", "c2"}, {"signed", "int", "rows", "cols", "c2"},
		{"numbers", "float", "rows", "cols", "c2"}, {"asnumbers", "float", "rows", "cols", "c0"}, {"longer", longerThan[of], "rows", "cols", "c2"},
	} {
		if m[1] == "" {
			continue
		}
		fmt.Fprintf(&b, "%%%s = OpTypeCooperativeMatrixKHR %%%s %%c3 %%%s %%%s %%%s\n%%p%s = OpTypePointer Private %%%s\n%%v%s = OpVariable %%p%s Private\n", m[0], m[1], m[2], m[3], m[4], m[0], m[0], m[0], m[0])
		fmt.Fprintf(&loads, "%%x%s = OpLoad %%%s %%v%s\n", m[0], m[0], m[0])
	}
	fmt.Fprintf(&b, "%%pone = OpTypePointer Private %%%s\n%%one = OpVariable %%pone Private\n%%pnumber = OpTypePointer Private %%uint\n%%number = OpVariable %%pnumber Private\n", of)
	b.WriteString("%row = OpTypeArray %" + of + " %cols\n%column = OpTypeArray %" + of + " %rows\n%part = OpTypeArray %" + of + " %c1\n")
	for _, name := range []string{"row", "column"} {
		fmt.Fprintf(&b, "%%p%s = OpTypePointer Private %%%s\n%%v%s = OpVariable %%p%s Private\n", name, name, name, name)
		fmt.Fprintf(&loads, "%%x%s = OpLoad %%%s %%v%s\n", name, name, name)
	}
	fmt.Fprintf(&loads, "%%x = OpLoad %%%s %%one\n%%n = OpLoad %%uint %%number\n", of)
	b.WriteString("%four = OpTypeVector %uint 4\n%list = OpTypeRuntimeArray %four\n%block = OpTypeStruct %list\n%pblock = OpTypePointer StorageBuffer %block\n" +
		"%pfour = OpTypePointer StorageBuffer %four\n%buf = OpVariable %pblock StorageBuffer\n" +
		"%group = OpTypeArray %" + of + " %c16\n%pgroup = OpTypePointer Workgroup %group\n%pinside = OpTypePointer Workgroup %" + of + "\n%shared = OpVariable %pgroup Workgroup\n")
	fmt.Fprintf(&b, "%%fboth = OpTypeFunction %%%[1]s %%%[1]s %%%[1]s\n%%feach = OpTypeFunction %%%[1]s %%uint %%uint %%%[1]s %%%[1]s %%%[1]s\n", of)
	var params strings.Builder
	for k, of := range []string{"uint", "uint", of, of, of} {
		fmt.Fprintf(&params, "%%e%d = OpFunctionParameter %%%s\n", k, of)
	}
	functions := fmt.Sprintf("%%both = OpFunction %%%[1]s None %%fboth\n%%b0 = OpFunctionParameter %%%[1]s\n%%b1 = OpFunctionParameter %%%[1]s\n%%lb = OpLabel\nOpReturnValue %%b1\nOpFunctionEnd\n"+
		"%%each = OpFunction %%%[1]s None %%feach\n%[2]s%%le = OpLabel\nOpReturnValue %%e3\nOpFunctionEnd\n", of, params.String())
	return begin + b.String() + "%main = OpFunction" + end + loads.String() + "%p = OpAccessChain %pfour %buf %c0 %n\n%q = OpAccessChain %pinside %shared %n\nUSE\nOpReturn\nOpFunctionEnd\n" + functions
}

// cooperativeForms are operations on the matrices of cooperativeModule.
var cooperativeForms = map[string][]string{
	"use": {"%r = OpCooperativeMatrixConvertUseEXT %as %xacc", "%r = OpCooperativeMatrixConvertUseEXT %bs %xacc", "%r = OpCooperativeMatrixConvertUseEXT %turned %xacc",
		"%r = OpConvertUToF %asnumbers %xwords"},
	"transpose": {"%r = OpCooperativeMatrixTransposeNV %turned %xacc", "%r = OpCooperativeMatrixTransposeNV %bs %xacc"},
	"each": {"%r = OpCooperativeMatrixPerElementOpEXT %acc %xacc %each %x %xacc", "%r = OpCooperativeMatrixPerElementOpEXT %as %xas %each %xas %x",
		"%r = OpCooperativeMatrixPerElementOpEXT %acc %xacc %each %x %xas", "%r = OpCooperativeMatrixPerElementOpEXT %acc %xacc %both"},
	"rows":     {"%r = OpCooperativeMatrixReduceEXT %wide %xacc Row %both", "%r = OpCooperativeMatrixReduceEXT %acc %xacc Row %both", "%r = OpCooperativeMatrixReduceEXT %small %xacc Row %both"},
	"columns":  {"%r = OpCooperativeMatrixReduceEXT %high %xacc Column %both", "%r = OpCooperativeMatrixReduceEXT %acc %xacc Column %both", "%r = OpCooperativeMatrixReduceEXT %small %xacc Column %both"},
	"all":      {"%r = OpCooperativeMatrixReduceEXT %small %xacc Row|Column %both", "%r = OpCooperativeMatrixReduceEXT %as %xacc Row|Column %both"},
	"squares":  {"%r = OpCooperativeMatrixReduceEXT %quarter %xacc 2x2 %both", "%r = OpCooperativeMatrixReduceEXT %acc %xacc 2x2 %both"},
	"products": products("acc"),
	"longer":   products("longer"),
	"load": {"%r = OpCooperativeMatrixLoadKHR %acc %p %c0 %n", "%r = OpCooperativeMatrixLoadKHR %as %p %c1 %c9", "%r = OpCooperativeMatrixLoadKHR %bs %q %c0 %c4",
		"%r = OpCooperativeMatrixLoadKHR %acc %p %blocks %c1", "%r = OpCooperativeMatrixLoadKHR %as %p %columns %c2", "%r = OpCooperativeMatrixLoadKHR %acc %q %columns %c4"},
	"store": {"OpCooperativeMatrixStoreKHR %p %xacc %c0 %n", "OpCooperativeMatrixStoreKHR %p %xas %c1 %c9", "OpCooperativeMatrixStoreKHR %q %xbs %c0 %c4",
		"OpCooperativeMatrixStoreKHR %p %xacc %blocks %c1", "OpCooperativeMatrixStoreKHR %p %xas %columns %c2", "OpCooperativeMatrixStoreKHR %q %xacc %columns %c4"},
	"shape": {"%r = OpCooperativeMatrixLengthKHR %uint %acc", "%r = OpCooperativeMatrixLengthKHR %uint %as", "%r = OpCooperativeMatrixGetCoordinateEXT %uint2 %xacc %n",
		"%r = OpCooperativeMatrixGetCoordinateEXT %uint2 %xas %c2"},
	"numbers": {"%r = OpMatrixTimesScalar %acc %xacc %x", "%r = OpFAdd %acc %xacc %xacc", "%r = OpIAdd %as %xas %xas", "%r = OpFNegate %bs %xbs", "%r = OpSNegate %acc %xacc",
		"%r = OpFDiv %acc %xacc %xacc", "%r = OpUDiv %acc %xacc %xacc", "%r = OpBitcast %words %xnumbers", "%r = OpBitcast %acc %xwords", "%r = OpConvertFToU %words %xnumbers",
		"%r = OpConvertSToF %numbers %xsigned", "%r = OpFConvert %numbers %xacc", "%r = OpUConvert %words %xacc", "%r = OpSConvert %signed %xacc", "%r = OpShiftLeftLogical %acc %xacc %xacc"},
	"arrays": {"%r = OpCompositeConstructCoopMatQCOM %acc %xrow", "%r = OpCompositeConstructCoopMatQCOM %as %xrow", "%r = OpCompositeConstructCoopMatQCOM %bs %xcolumn",
		"%r = OpCompositeExtractCoopMatQCOM %row %xacc", "%r = OpCompositeExtractCoopMatQCOM %row %xas", "%r = OpCompositeExtractCoopMatQCOM %column %xbs",
		"%r = OpExtractSubArrayQCOM %part %xrow %n", "%r = OpBitCastArrayQCOM %part %xcolumn"},
	"whole": {"%r = OpCompositeConstruct %acc %x", "%r = OpCompositeExtract %TYPE %xacc 0", "%r = OpCompositeInsert %acc %x %xacc 0", "%r = OpCopyObject %as %xas", "%r = OpUndef %bs",
		"OpStore %vacc %xacc"},
}

// products multiplies and adds to matrices of a name, with each kind of signs.
func products(of string) (texts []string) {
	for _, signs := range []string{"", "MatrixASignedComponentsKHR", "MatrixBSignedComponentsKHR", "MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR",
		"SaturatingAccumulationKHR", "SaturatingAccumulationKHR|MatrixResultSignedComponentsKHR|MatrixASignedComponentsKHR"} {
		texts = append(texts, fmt.Sprintf("%%r = OpCooperativeMatrixMulAddKHR %%%s %%xleft %%xright %%x%s %s", of, of, signs))
	}
	return append(texts, fmt.Sprintf("%%r = OpCooperativeMatrixMulAddKHR %%%s %%xas %%xright %%x%s", of, of))
}

// TestHeldCooperative translates the operations on cooperative matrices of several shapes, spread over one lane and over many, of bytes, words,
// halves and floats: the IR, the share of the budget that they take, or the refusal, is that of the table (testdata/held_cooperative.tsv), or a
// change means to change it (go test -update).
func TestHeldCooperative(t *testing.T) {
	rows := map[string]string{}
	for _, of := range []string{"ubyte", "uint", "half", "float"} {
		for name, texts := range cooperativeForms {
			if name == "longer" && longerThan[of] == "" {
				continue
			}
			var sum gputest.Digest
			tried, compiled := 0, 0
			for _, shape := range cooperativeShapes {
				module := cooperativeModule(shape, of)
				for _, text := range texts {
					text = strings.NewReplacer("USE", text, "TYPE", of).Replace(module)
					for _, lanes := range []uint8{1, 8, 32} {
						tried++
						if translatedOver(text, lanes, &sum) {
							compiled++
						}
					}
				}
			}
			rows[name+" "+of] = fmt.Sprintf("%d\t%d\t%016x", tried, compiled, uint64(sum))
		}
	}
	gputest.HoldTable(t, "held_cooperative.tsv", rows)
}

// translatedOver is translated for a target that spreads matrices over so many lanes; of a subgroup of 32 where they are as many.
func translatedOver(text string, lanes uint8, sum *gputest.Digest) bool {
	m := assembled(text, sum)
	if m == nil {
		return false
	}
	o := ir.Options{MatrixLanes: lanes}
	if lanes == 32 {
		o.SubgroupSize = 32
	}
	spent := 0
	s, err := spirv.Translate(m, spirv.CountSpent(spirv.Options{Entry: "main", Stage: ir.StageCompute, Target: &o}, &spent))
	if err != nil {
		sum.Text(err.Error())
		return false
	}
	sum.Text(fmt.Sprint(spent))
	sum.Bytes(ir.Serialize(s, ir.SerializeOptions{}))
	return true
}
