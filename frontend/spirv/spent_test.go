package spirv

import (
	"fmt"
	"strings"
	"testing"
)

// spentModule is a compute shader with types of N parts, and variables of them.
const spentModule = `OpCapability Shader
OpCapability LongVectorEXT
OpCapability ReplicatedCompositesEXT
OpCapability ConstantDataKHR
OpExtension "SPV_EXT_long_vector"
OpExtension "SPV_EXT_replicated_composites"
OpExtension "SPV_KHR_constant_data"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%n = OpConstant %uint N
%yes = OpConstantTrue %bool
%c1 = OpConstant %uint 1
%f1 = OpConstant %float 1
%array = OpTypeArray %uint %n
%struct = OpTypeStruct MEMBERS
%vector = OpTypeVectorIdEXT %float %n
%bools = OpTypeVectorIdEXT %bool %n
%parray = OpTypePointer Private %array
%pstruct = OpTypePointer Private %struct
%pvector = OpTypePointer Private %vector
%puint = OpTypePointer Private %uint
%plocal = OpTypePointer Function %array
%a = OpVariable %parray Private
%a2 = OpVariable %parray Private
%s = OpVariable %pstruct Private
%s2 = OpVariable %pstruct Private
%v = OpVariable %pvector Private
%i = OpVariable %puint Private
DECL
%main = OpFunction %void None %fn
%begin = OpLabel
LOCAL
%x = OpLoad %uint %i
BODY
OpReturn
OpFunctionEnd
`

// TestSpent: what is made of each part of a value is taken from the module's budget, so that a short module of large values does not become an endless
// shader: so many times for each part.
func TestSpent(t *testing.T) {
	const vectors = "%y = OpLoad %vector %v\n" // once
	for _, c := range []struct {
		name, decl, local, body string
		each                    int
	}{
		{"nothing", "", "", "", 0},
		{"load", "", "", "%y = OpLoad %array %a", 1},
		{"load and store", "", "", "%y = OpLoad %array %a\nOpStore %a2 %y", 2},
		{"copy", "", "", "OpCopyMemory %s %s2", 1},
		{"select", "", "", "%y = OpLoad %array %a\n%z = OpSelect %array %yes %y %y", 2},
		{"replicated", "", "", "%y = OpCompositeConstructReplicateEXT %array %x", 2},
		{"constants", "%data = OpConstantDataKHR %array WORDS", "", "", 1},
		{"initialised", "%first = OpConstantCompositeReplicateEXT %array %c1", "%local = OpVariable %plocal Function %first", "", 9},
		{"long vector", "", "", vectors, 1},
		{"chosen component", "", "", vectors + "%z = OpVectorExtractDynamic %float %y %x", 2},
		{"replaced component", "", "", vectors + "%z = OpVectorInsertDynamic %vector %y %f1 %x", 2},
		{"product", "", "", vectors + "%z = OpDot %float %y %y", 2},
		{"sum", "", "", vectors + "%z = OpFAdd %vector %y %y", 2},
		{"length", "", "", vectors + "%z = OpExtInst %float %glsl Length %y", 2},
		{"comparison", "", "", vectors + "%z = OpFOrdLessThan %bools %y %y\n%w = OpAny %bool %z", 3},
	} {
		spent := func(n int) (taken int) {
			t.Helper()
			text := strings.NewReplacer("DECL", c.decl, "LOCAL", c.local, "BODY", c.body).Replace(spentModule)
			text = strings.NewReplacer("%n = OpConstant %uint N", fmt.Sprint("%n = OpConstant %uint ", n), "MEMBERS", strings.Repeat(" %uint", n), "WORDS", strings.Repeat(" 7", n)).Replace(text)
			if _, err := Translate(assemble(t, text), Options{panics: true, spent: &taken}); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			return taken
		}
		if few, many := spent(8), spent(40); many-few != 32*c.each {
			t.Errorf("%s: 32 parts more take %d, want %d times as many", c.name, many-few, c.each)
		}
	}
	for member, each := range map[string]int{"%c0": 1, "%c1 %c1": 2} { // of blocks that are split
		spent := func(element string) (taken int) {
			t.Helper()
			if _, err := Translate(assemble(t, fmt.Sprintf(splitModule, "pv4", element, member, "v4", "%x")), Options{panics: true, spent: &taken}); err != nil {
				t.Fatal(err)
			}
			return taken
		}
		if known, all := spent("c1"), spent("n"); all-known != 3*each {
			t.Errorf("member %s of an unknown one of three blocks takes %d, want %d", member, all-known, 3*each)
		}
	}
}
