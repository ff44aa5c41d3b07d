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
	"loop": `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %v
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %list ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%k0 = OpConstant %uint 0
%k1 = OpConstant %uint 1
%k2 = OpConstant %uint 2
%k4 = OpConstant %uint 4
%rows = OpTypeArray %uint %k4
%list = OpTypeArray %uint %k4
%block = OpTypeStruct %list
%pb = OpTypePointer StorageBuffer %block
%pl = OpTypePointer StorageBuffer %list
%pu = OpTypePointer StorageBuffer %uint
%pr = OpTypePointer Function %rows
%pf = OpTypePointer Function %uint
%v = OpVariable %pb StorageBuffer
%main = OpFunction %void None %fn
%e = OpLabel
%mine = OpVariable %pr Function
%first = OpAccessChain %pu %v %k0 %k0
%x = OpLoad %uint %first
OpBranch %head
%head = OpLabel
%n = OpPhi %uint %x %e %next %cont
OpLoopMerge %after %cont None
OpBranch %body
%body = OpLabel
OpSelectionMerge %done None
OpSwitch %n %other 3 %leave 5 %done
%leave = OpLabel
DECL
OpBranch %after
%other = OpLabel
OpBranch %done
%done = OpLabel
OpBranch %cont
%cont = OpLabel
%next = OpIAdd %uint %n %k1
OpBranch %head
%after = OpLabel
PIECE
OpReturn
OpFunctionEnd
`,
	"goto": `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
OpExecutionMode %main LocalSize 4 1 1
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%k0 = OpConstant %uint 0
%k1 = OpConstant %uint 1
%k2 = OpConstant %uint 2
%k4 = OpConstant %uint 4
%rows = OpTypeArray %uint %k4
%table = OpTypeArray %rows %k4
%pg = OpTypePointer CrossWorkgroup %uint
%pr = OpTypePointer Function %table
%pa = OpTypePointer Function %rows
%pf = OpTypePointer Function %uint
%fn = OpTypeFunction %void %pg
%main = OpFunction %void None %fn
%first = OpFunctionParameter %pg
%e = OpLabel
%mine = OpVariable %pr Function
%x = OpLoad %uint %first Aligned 4
OpBranch %head
%head = OpLabel
%n = OpPhi %uint %x %e %next %last
OpBranch %inner
%inner = OpLabel
%m = OpPhi %uint %n %head %less %again
%is = OpUGreaterThan %bool %m %k4
OpBranchConditional %is %leave %again
%leave = OpLabel
DECL
OpBranchConditional %is %after %last
%again = OpLabel
%less = OpIAdd %uint %m %k2
%on = OpULessThan %bool %less %n
OpBranchConditional %on %inner %last
%last = OpLabel
%next = OpIAdd %uint %n %k1
%out = OpUGreaterThan %bool %next %k4
OpBranchConditional %out %end %head
%after = OpLabel
PIECE
OpBranch %end
%end = OpLabel
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

// TestPieces: what pieces of modules become that few modules have: numbers of vertices that NV packs, untyped pointers to each storage, what is made in a loop on the way out of it and used after it, constants
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
		{"loop", "", "%at = OpAccessChain %pu %v %k0 %k2", "%y = OpLoad %uint %at\nOpStore %first %y", ""},
		{"loop", "", "%part = OpAccessChain %pl %v %k0\n%at = OpAccessChain %pu %part %n", "%y = OpLoad %uint %at\nOpStore %first %y", ""},
		{"loop", "", "%at = OpAccessChain %pf %mine %n\nOpStore %at %n", "%y = OpLoad %uint %at\nOpStore %first %y", ""},
		{"loop", "", "%w = OpIMul %uint %n %k2\n%b = OpULessThan %bool %w %k4", "%y = OpSelect %uint %b %w %k1\nOpStore %first %y", ""},
		{"goto", "", "%at = OpAccessChain %pf %mine %k1 %m\nOpStore %at %n Aligned 4", "%y = OpLoad %uint %at Aligned 4\nOpStore %first %y Aligned 4", ""},
		{"goto", "", "%row = OpAccessChain %pa %mine %m\n%at = OpAccessChain %pf %row %k2", "OpStore %at %k1 Aligned 4\n%y = OpLoad %uint %at Aligned 4\nOpStore %first %y Aligned 4", ""},
		{"goto", "", "%w = OpIMul %uint %n %k2\n%b = OpULessThan %bool %w %k4", "%y = OpSelect %uint %b %w %k1\nOpStore %first %y Aligned 4", ""},
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
