package spirv

import (
	"strings"
	"testing"

	"nirc/ir"
)

// pieceHeads begin the modules of TestPieces; PIECE, DECL and DECOR stand for the instructions, the declarations and the decorations of a piece.
var pieceHeads = map[string]string{
	"mesh": `OpCapability MeshShadingNV
OpExtension "SPV_NV_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint MeshNV %main "main" %indices %count
OpExecutionMode %main LocalSize 4 1 1
OpExecutionMode %main OutputVertices 8
OpExecutionMode %main OutputPrimitivesNV 6
OpExecutionMode %main DECOR
OpDecorate %indices BuiltIn PrimitiveIndicesNV
OpDecorate %count BuiltIn PrimitiveCountNV
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%k1 = OpConstant %uint 1
%k2 = OpConstant %uint 2
%k18 = OpConstant %uint 18
%kp = OpConstant %uint 0x04030201
DECL
%po = OpTypePointer Output %list
%pu = OpTypePointer Output %uint
%indices = OpVariable %po Output
%count = OpVariable %pu Output
%main = OpFunction %void None %fn
%e = OpLabel
%c = OpLoad %uint %count
PIECE
OpReturn
OpFunctionEnd
`,
	"untyped": `OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability VariablePointers
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %v
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %list ArrayStride 8
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
DECOR
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%k1 = OpConstant %uint 1
%k2 = OpConstant %uint 2
%k3 = OpConstant %uint 3
%list = OpTypeArray %uint %k3
%block = OpTypeStruct %uint %list
DECL
%main = OpFunction %void None %fn
%e = OpLabel
PIECE
OpReturn
OpFunctionEnd
`,
	"spec": `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %v
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %t SpecId 1
OpDecorate %f SpecId 2
OpDecorate %s SpecId 3
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uint4 = OpTypeVector %uint 4
%k0 = OpConstant %uint 0
%k1 = OpConstant %uint 1
%k2 = OpConstant %uint 2
%k7 = OpConstant %uint 7
%k4 = OpConstant %uint 4
%t = OpSpecConstantTrue %bool
%f = OpSpecConstantFalse %bool
%s = OpSpecConstant %uint 5
%array = OpTypeArray %uint %k4
%pair = OpTypeStruct %uint %uint4
%block = OpTypeStruct %uint
%pb = OpTypePointer StorageBuffer %block
%pu = OpTypePointer StorageBuffer %uint
%v = OpVariable %pb StorageBuffer
DECL
%main = OpFunction %void None %fn
%e = OpLabel
%p = OpAccessChain %pu %v %k0
OpStore %p %r
OpReturn
OpFunctionEnd
`,
}

// TestPieces: what pieces of modules become that few modules have: numbers of vertices that NV packs, untyped pointers to each storage, constants
// that are computed of specialization constants. The texts stand in testdata/text/pieces.txt.
func TestPieces(t *testing.T) {
	var texts textFile
	for _, c := range []struct{ head, decor, decl, piece, err string }{
		{"mesh", "OutputPoints", "%list = OpTypeArray %uint %k18", "OpWritePackedPrimitiveIndices4x8NV %c %kp", ""},
		{"mesh", "OutputLinesNV", "%list = OpTypeArray %uint %k18", "OpWritePackedPrimitiveIndices4x8NV %c %kp", ""},
		{"mesh", "OutputTrianglesNV", "%list = OpTypeArray %uint %k18", "OpWritePackedPrimitiveIndices4x8NV %k2 %c", ""},
		{"untyped", "", "%up = OpTypeUntypedPointerKHR Workgroup\n%v = OpUntypedVariableKHR %up Workgroup %block", "%p = OpUntypedAccessChainKHR %up %block %v %k1 %k2\n%x = OpLoad %uint %p\nOpStore %p %x", ""},
		{"untyped", "OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0", "%up = OpTypeUntypedPointerKHR StorageBuffer\n%v = OpUntypedVariableKHR %up StorageBuffer %block",
			"%p = OpUntypedInBoundsPtrAccessChainKHR %up %list %v %k1 %k2\n%x = OpLoad %uint %p\nOpStore %p %x", ""},
		{"untyped", "OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0", "%up = OpTypeUntypedPointerKHR Uniform\n%v = OpUntypedVariableKHR %up Uniform %block",
			"%p = OpUntypedInBoundsAccessChainKHR %up %block %v %k1 %k2\n%x = OpLoad %uint %p", ""},
		{"untyped", "", "%up = OpTypeUntypedPointerKHR PushConstant\n%v = OpUntypedVariableKHR %up PushConstant %block", "%p = OpUntypedAccessChainKHR %up %block %v %k1 %k2\n%x = OpLoad %uint %p", ""},
		{"spec", "", "%r = OpSpecConstantOp %uint Select %t %s %k7", "", ""},
		{"spec", "", "%r = OpSpecConstantOp %uint Select %f %s %k7", "", ""},
		{"spec", "", "%w = OpSpecConstantComposite %uint4 %s %k1 %k2 %k7\n%r = OpSpecConstantOp %uint CompositeExtract %w 0", "", ""},
		{"spec", "", "%w = OpSpecConstantComposite %uint4 %s %k1 %k2 %k7\n%x = OpSpecConstantOp %uint4 VectorShuffle %w %w 3 2 1 0\n%r = OpSpecConstantOp %uint CompositeExtract %x 3", "", ""},
		{"spec", "", "%w = OpSpecConstantComposite %array %s %k1 %k2 %k7\n%x = OpSpecConstantOp %array CompositeInsert %s %w 2\n%r = OpSpecConstantOp %uint CompositeExtract %x 2", "", ""},
		{"spec", "", "%w = OpSpecConstantComposite %uint4 %s %k1 %k2 %k7\n%y = OpSpecConstantComposite %pair %k1 %w\n%x = OpSpecConstantOp %pair CompositeInsert %s %y 1 3\n%r = OpSpecConstantOp %uint CompositeExtract %x 1 3", "", ""},
		{"spec", "", "%u = OpUndef %uint\n%r = OpSpecConstantOp %uint IAdd %u %s", "", ""},
		{"spec", "", "%n = OpConstantNull %pair\n%r = OpSpecConstantOp %uint CompositeExtract %n 1 3", "", ""},
	} {
		text := strings.NewReplacer("DECOR", c.decor, "DECL", c.decl, "PIECE", c.piece).Replace(pieceHeads[c.head])
		s, err := Translate(assemble(t, text), Options{panics: true})
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Errorf("%s\n%s: %v", c.decl, c.piece, err)
			continue
		}
		texts.add(c.decor+"\n"+c.decl+"\n"+c.piece, s)
	}
	texts.compare(t, "pieces")
}
