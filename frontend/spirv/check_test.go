package spirv

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
)

// invalid is a module that breaks a rule: decorations, declarations and the body of its function.
type invalid struct {
	name, want      string
	dec, decl, body string
	caps, entry     string
	more            string // functions after
	noReturn        bool
	missed          bool // spirv-val does not see it
}

const checkTypes = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c4 = OpConstant %uint 4
%f0 = OpConstant %float 0
%fu = OpTypeFunction %uint
%pu = OpTypePointer Private %uint
%x = OpVariable %pu Private
`

// Entry points, by stage; %o and %i are their variables.
const (
	computeEntry  = "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 4 2 1\n"
	vertexEntry   = "OpEntryPoint Vertex %main \"main\" %o %i\n"
	fragmentEntry = "OpEntryPoint Fragment %main \"main\" %o %i\nOpExecutionMode %main OriginUpperLeft\n"
)

// sampledBuffer declares a buffer with a sampler.
var sampledBuffer = invalid{caps: "OpCapability SampledBuffer\nOpCapability ImageQuery\n", dec: "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 0\n",
	decl: "%img = OpTypeImage %float Buffer 0 0 0 1 Unknown\n%si = OpTypeSampledImage %img\n%pt = OpTypePointer UniformConstant %si\n%t = OpVariable %pt UniformConstant\n"}

func (c *invalid) text() string {
	entry := c.entry
	if entry == "" {
		entry = computeEntry
	}
	end := "\nOpReturn\nOpFunctionEnd\n"
	if c.noReturn {
		end = "\nOpFunctionEnd\n"
	}
	return "OpCapability Shader\n" + c.caps + "OpMemoryModel Logical GLSL450\n" + entry + c.dec + checkTypes + c.decl +
		"%main = OpFunction %void None %fn\n%e = OpLabel\n" + c.body + end + c.more
}

// selection is an if with two sides that meet at %m.
func selection(a, b, m string) string {
	return "%v = OpLoad %uint %x\n%lt = OpULessThan %bool %v %c1\nOpSelectionMerge %m None\nOpBranchConditional %lt %a %b\n%a = OpLabel\n" + a +
		"OpBranch %m\n%b = OpLabel\n" + b + "OpBranch %m\n%m = OpLabel\n" + m
}

const addW = "%w = OpIAdd %uint %v %c1\n"

func invalidFlow() []invalid {
	return []invalid{
		{name: "a value of the other side", want: ruleDominance, body: selection(addW, "OpStore %x %w\n", "")},
		{name: "a value of one side after both", want: ruleDominance, body: selection(addW, "", "OpStore %x %w\n")},
		{name: "a pointer of the other side", want: ruleDominance, decl: "%pv = OpTypePointer Private %v4\n%pf = OpTypePointer Private %float\n%y = OpVariable %pv Private\n",
			body: selection("%w = OpAccessChain %pf %y %v\n", "", "OpStore %w %f0\n")},
		{name: "a case uses another's value", want: ruleDominance,
			body: "%v = OpLoad %uint %x\nOpSelectionMerge %m None\nOpSwitch %v %m 1 %a 2 %b\n%a = OpLabel\n" + addW + "OpBranch %m\n%b = OpLabel\nOpStore %x %w\nOpBranch %m\n%m = OpLabel\n"},
		{name: "a loop's value after it", want: ruleDominance, body: `OpBranch %h
%h = OpLabel
OpLoopMerge %m %k None
OpBranch %t
%t = OpLabel
%v = OpLoad %uint %x
%lt = OpULessThan %bool %v %c1
OpBranchConditional %lt %body %m
%body = OpLabel
%w = OpIAdd %uint %v %c1
OpBranch %k
%k = OpLabel
OpBranch %h
%m = OpLabel
OpStore %x %w`},
		{name: "a phi takes the other side's value", want: ruleDominance, body: selection(addW, "", "%p = OpPhi %uint %v %a %w %b\nOpStore %x %p\n")},
		{name: "a phi misses a parent", want: rulePhi, body: selection("", "", "%p = OpPhi %uint %v %a\nOpStore %x %p\n")},
		{name: "a phi names a stranger", want: rulePhi, body: selection("", "", "%p = OpPhi %uint %v %a %c1 %e\nOpStore %x %p\n")},
		{name: "a phi names a parent twice", want: rulePhi, body: selection("", "", "%p = OpPhi %uint %v %a %c1 %a\nOpStore %x %p\n")},
		{name: "a phi of two types", want: rulePhi, body: selection("", "", "%p = OpPhi %uint %v %a %f0 %b\nOpStore %x %p\n")},
		{name: "a phi in the first block", want: rulePhi, body: "%p = OpPhi %uint\nOpStore %x %p"},
		{name: "a merge not before the branch", want: ruleMerge,
			body: "%v = OpLoad %uint %x\n%lt = OpULessThan %bool %v %c1\nOpSelectionMerge %m None\n" + addW + "OpBranchConditional %lt %a %m\n%a = OpLabel\nOpBranch %m\n%m = OpLabel\nOpStore %x %w"},
		{name: "a loop merge before a switch", want: ruleMerge, body: "OpBranch %h\n%h = OpLabel\n%v = OpLoad %uint %x\nOpLoopMerge %m %k None\nOpSwitch %v %m 1 %k\n%k = OpLabel\nOpBranch %h\n%m = OpLabel"},
		{name: "two headers of one merge", want: ruleMergeOnce,
			body: "%v = OpLoad %uint %x\n%lt = OpULessThan %bool %v %c1\nOpSelectionMerge %m None\nOpBranchConditional %lt %a %m\n%a = OpLabel\nOpSelectionMerge %m None\nOpBranchConditional %lt %b %m\n%b = OpLabel\nOpStore %x %c1\nOpBranch %m\n%m = OpLabel"},
		{name: "a header merges at itself", want: ruleMergeOnce, noReturn: true,
			body: "%v = OpLoad %uint %x\n%lt = OpULessThan %bool %v %c1\nOpBranch %s\n%s = OpLabel\nOpSelectionMerge %s None\nOpBranchConditional %lt %a %b\n%a = OpLabel\nOpReturn\n%b = OpLabel\nOpReturn"},
		{name: "a loop that does not come back", want: ruleBackEdge,
			body: "OpBranch %h\n%h = OpLabel\nOpLoopMerge %m %k None\nOpBranch %t\n%t = OpLabel\n%v = OpLoad %uint %x\n%lt = OpULessThan %bool %v %c1\nOpBranchConditional %lt %k %m\n%k = OpLabel\nOpBranch %m\n%m = OpLabel"},
		{name: "no value returned", want: ruleReturn, body: "%r = OpFunctionCall %uint %g", more: "%g = OpFunction %uint None %fu\n%ge = OpLabel\nOpReturn\nOpFunctionEnd\n"},
		{name: "a variable in a later block", want: ruleVariables, decl: "%pfu = OpTypePointer Function %uint\n", body: "OpBranch %n\n%n = OpLabel\n%lv = OpVariable %pfu Function\nOpStore %lv %c1"},
	}
}

// Blocks of different members, and what reads and writes member 1, element 1 or column 1.
const (
	bufferVar   = "%ps = OpTypePointer Uniform %s\n%b = OpVariable %ps Uniform\n"
	twoMembers  = "%s = OpTypeStruct %uint %uint\n" + bufferVar + "%pm = OpTypePointer Uniform %uint\n"
	arrayMember = "%a = OpTypeArray %uint %c4\n%s = OpTypeStruct %a\n" + bufferVar + "%pm = OpTypePointer Uniform %uint\n"
	matMember   = "%m4 = OpTypeMatrix %v4 4\n%s = OpTypeStruct %m4\n" + bufferVar + "%pm = OpTypePointer Uniform %v4\n"
	bound       = "OpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0\n"
	offsets     = "OpMemberDecorate %s 0 Offset 0\nOpMemberDecorate %s 1 Offset 4\n"
	bufferBlock = "OpDecorate %s BufferBlock\n"
	oneOffset   = bufferBlock + bound + "OpMemberDecorate %s 0 Offset 0\n"
	readSecond  = "%p0 = OpAccessChain %pm %b %c1\n%l = OpLoad %uint %p0\nOpStore %x %l"
	readElement = "%p0 = OpAccessChain %pm %b %c0 %c1\n%l = OpLoad %uint %p0\nOpStore %x %l"
	readColumn  = "%p0 = OpAccessChain %pm %b %c0 %c1\n%l = OpLoad %v4 %p0\nOpStore %p0 %l"
	pushBlock   = "%s = OpTypeStruct %uint %uint\n%ps = OpTypePointer PushConstant %s\n%b = OpVariable %ps PushConstant\n%pm = OpTypePointer PushConstant %uint\n"
)

func invalidLayout() []invalid {
	return []invalid{
		{name: "no Offset", want: ruleLayout, dec: oneOffset, decl: twoMembers, body: readSecond},
		{name: "no Offset of push constants", want: ruleLayout, dec: "OpDecorate %s Block\n", decl: pushBlock, body: readSecond},
		{name: "no ArrayStride", want: ruleLayout, dec: oneOffset, decl: arrayMember, body: readElement},
		{name: "no MatrixStride", want: ruleLayout, dec: oneOffset + "OpMemberDecorate %s 0 ColMajor\n", decl: matMember, body: readColumn},
		{name: "a row-major matrix without stride", want: ruleLayout, dec: oneOffset + "OpMemberDecorate %s 0 RowMajor\n", decl: matMember, body: readColumn},
		{name: "an Offset between words", want: ruleAligned, dec: oneOffset + "OpMemberDecorate %s 1 Offset 6\n", decl: twoMembers, body: readSecond},
		{name: "an ArrayStride between words", want: ruleAligned, dec: oneOffset + "OpDecorate %a ArrayStride 6\n", decl: arrayMember, body: readElement},
		{name: "elements that overlap", want: ruleStride, dec: oneOffset + "OpDecorate %a ArrayStride 8\n",
			decl: "%a = OpTypeArray %v4 %c4\n%s = OpTypeStruct %a\n" + bufferVar + "%pm = OpTypePointer Uniform %v4\n", body: readColumn},
		{name: "columns that overlap", want: ruleStride, dec: oneOffset + "OpMemberDecorate %s 0 ColMajor\nOpMemberDecorate %s 0 MatrixStride 4\n", decl: matMember, body: readColumn},
		{name: "a boolean in memory", want: ruleBool, dec: oneOffset, decl: "%s = OpTypeStruct %bool\n" + bufferVar + "%pm = OpTypePointer Uniform %bool\n",
			body: "%p0 = OpAccessChain %pm %b %c0\n%l = OpLoad %bool %p0\nOpStore %p0 %l"},
		{name: "a run-time array before the end", want: ruleRuntime, dec: oneOffset + "OpMemberDecorate %s 1 Offset 4\nOpDecorate %a ArrayStride 4\n",
			decl: "%a = OpTypeRuntimeArray %uint\n%s = OpTypeStruct %a %uint\n" + bufferVar + "%pm = OpTypePointer Uniform %uint\n", body: readSecond},
		{name: "no Block", want: ruleBlock, dec: offsets + bound, decl: twoMembers, body: readSecond},
		{name: "push constants that are no Block", want: rulePush, dec: offsets, decl: pushBlock, body: readSecond},
		{name: "no Binding", want: ruleBinding, dec: bufferBlock + offsets + "OpDecorate %b DescriptorSet 0\n", decl: twoMembers, body: readSecond},
		{name: "no DescriptorSet", want: ruleBinding, dec: bufferBlock + offsets + "OpDecorate %b Binding 0\n", decl: twoMembers, body: readSecond},
	}
}

// io are an output and an input of one type.
func io(ty string) string {
	return "%po = OpTypePointer Output " + ty + "\n%o = OpVariable %po Output\n%pi = OpTypePointer Input " + ty + "\n%i = OpVariable %pi Input\n"
}

func invalidInterface() []invalid {
	pass := func(ty string) string { return "%l = OpLoad " + ty + " %i\nOpStore %o %l" }
	return []invalid{
		{name: "no Location", want: "has no location", entry: vertexEntry, dec: "OpDecorate %o BuiltIn Position\n", decl: io("%v4"), body: pass("%v4")},
		{name: "a location taken twice", want: ruleLocation, entry: strings.Replace(vertexEntry, "%i", "%i %o2", 1), dec: "OpDecorate %o Location 1\nOpDecorate %o2 Location 1\nOpDecorate %i Location 0\n",
			decl: io("%v4") + "%o2 = OpVariable %po Output\n", body: pass("%v4") + "\nOpStore %o2 %l"},
		{name: "a location of a compute shader", want: ruleCompute, missed: true, entry: strings.Replace(computeEntry, `"main"`, `"main" %i`, 1), dec: "OpDecorate %i Location 3\n", decl: io("%v4"), body: "%l = OpLoad %v4 %i"},
		{name: "arrays of arrays of blocks that interpolate differently", want: "the array of arrays of blocks", missed: true, entry: fragmentEntry,
			dec:  "OpDecorate %o Location 0\nOpDecorate %i Location 0\nOpDecorate %s Block\nOpMemberDecorate %s 0 Flat\n",
			decl: "%s = OpTypeStruct %v4 %v4\n%a = OpTypeArray %s %c4\n%b = OpTypeArray %a %c4\n%po = OpTypePointer Output %v4\n%o = OpVariable %po Output\n%pi = OpTypePointer Input %b\n%i = OpVariable %pi Input\n%pe = OpTypePointer Input %v4\n",
			body: "%p = OpAccessChain %pe %i %c1 %c1 %c1\n%l = OpLoad %v4 %p\nOpStore %o %l"},
		{name: "components beyond the location", want: ruleComponent, entry: vertexEntry, dec: "OpDecorate %o BuiltIn Position\nOpDecorate %i Location 0\nOpDecorate %i Component 2\n", decl: io("%v4"), body: pass("%v4")},
		{name: "a Position of two components", want: ruleBuiltIn, entry: vertexEntry, dec: "OpDecorate %o BuiltIn Position\nOpDecorate %i Location 0\n", decl: io("%v2"), body: pass("%v2")},
		{name: "a VertexIndex of float", want: ruleBuiltIn, entry: vertexEntry, dec: "OpDecorate %o Location 0\nOpDecorate %i BuiltIn VertexIndex\n", decl: io("%float"), body: pass("%float")},
		{name: "FragCoord in a vertex shader", want: ruleBuiltInStage, entry: vertexEntry, dec: "OpDecorate %o BuiltIn Position\nOpDecorate %i BuiltIn FragCoord\n", decl: io("%v4"), body: pass("%v4")},
		{name: "FragDepth without DepthReplacing", want: ruleDepth, entry: fragmentEntry, dec: "OpDecorate %o BuiltIn FragDepth\nOpDecorate %i Location 0\n", decl: io("%float"), body: pass("%float")},
		{name: "a store to an input", want: "cannot be written", entry: vertexEntry, dec: "OpDecorate %o BuiltIn Position\nOpDecorate %i Location 0\n", decl: io("%v4"), body: pass("%v4") + "\nOpStore %i %l"},
	}
}

func invalidTypes() []invalid {
	inWorkgroup := "%pwf = OpTypePointer Workgroup %float\n%y = OpVariable %pwf Workgroup\n"
	return []invalid{
		{name: "integers added to a float", want: ruleTypes, body: "%r = OpIAdd %float %c1 %c1"},
		{name: "an integer atomic on a float", want: ruleTypes, decl: inWorkgroup, body: "%r = OpAtomicIAdd %float %y %c1 %c0 %f0"},
		{name: "a store of another sign", want: "the object's type is int32", decl: "%i1 = OpConstant %int 1\n", body: "OpStore %x %i1"},
		{name: "a load of another sign", want: "the result type is int32", body: "%l = OpLoad %int %x\n%k = OpIAdd %int %l %l"},
		{name: "a chain to another storage class", want: ruleStorage, dec: bufferBlock + offsets + bound, decl: twoMembers, body: "%p0 = OpAccessChain %pu %b %c1\n%l = OpLoad %uint %p0"},
		{name: "a condition that is no boolean", want: "not a boolean", body: "%v = OpLoad %uint %x\nOpSelectionMerge %m None\nOpBranchConditional %v %a %m\n%a = OpLabel\nOpBranch %m\n%m = OpLabel"},
		{name: "a pointer made of an integer that is none", want: "OpConvertUToPtr between", body: "%r = OpConvertUToPtr %int %c1"},
		{name: "a step through an input", want: "points to no memory", caps: "OpCapability VariablePointers\n", entry: fragmentEntry, dec: "OpDecorate %o Location 0\nOpDecorate %i Location 0\n", decl: io("%v4"),
			body: "%p = OpPtrAccessChain %pi %i %c1\n%l = OpLoad %v4 %p\nOpStore %o %l"},
		{name: "an input with an initialiser", want: "a variable of storage class Input has an initialiser", entry: vertexEntry, dec: "OpDecorate %o Location 0\nOpDecorate %i Location 0\n",
			decl: strings.Replace(io("%uint"), "%pi Input\n", "%pi Input %c1\n", 1), body: "%l = OpLoad %uint %i\nOpStore %o %l"},
		{name: "a buffer that is sampled", want: "OpImageSampleExplicitLod is not allowed on a buffer", caps: sampledBuffer.caps, dec: sampledBuffer.dec, decl: sampledBuffer.decl,
			body: "%l = OpLoad %si %t\n%r = OpImageSampleExplicitLod %v4 %l %f0 Lod %f0"},
		{name: "the level of a buffer", want: "OpImageQueryLod is not allowed on a buffer", caps: sampledBuffer.caps, dec: sampledBuffer.dec, entry: fragmentEntry, decl: sampledBuffer.decl + io("%v4"),
			body: "%l = OpLoad %si %t\n%r = OpImageQueryLod %v2 %l %f0"},
		{name: "an input chosen by a select", missed: true, want: "OpSelect of pointers to inputs or outputs is not supported: variable pointers lead to storage buffers and workgroup memory alone", caps: "OpCapability VariablePointers\n", entry: fragmentEntry, dec: "OpDecorate %o Location 0\nOpDecorate %i Location 0\n",
			decl: io("%v4") + "%true2 = OpConstantTrue %bool\n", body: "%p = OpSelect %pi %true2 %i %i\n%l = OpLoad %v4 %p\nOpStore %o %l"},
		{name: "an output chosen by a phi", missed: true, want: "OpPhi of pointers to inputs or outputs is not supported", caps: "OpCapability VariablePointers\n", entry: fragmentEntry, dec: "OpDecorate %o Location 0\nOpDecorate %i Location 0\n",
			decl: io("%v4"), body: "OpBranch %m\n%m = OpLabel\n%p = OpPhi %po %o %h\n%l = OpLoad %v4 %i\nOpStore %p %l"},
		{name: "a branch to a constant in code that nothing reaches", want: "not of a block", noReturn: true, decl: "%true2 = OpConstantTrue %bool\n",
			body: "OpBranch %h\n%h = OpLabel\nOpLoopMerge %m %c None\nOpBranchConditional %true2 %c %m\n%c = OpLabel\nOpBranchConditional %true2 %h %c1\n%m = OpLabel\nOpReturn"},
		{name: "an extract without an index", want: "has no index", body: "%v = OpLoad %uint %x\n%r = OpCompositeExtract %uint %v"},
		{name: "an image as an input", missed: true, want: "has images or samplers", entry: fragmentEntry, dec: "OpDecorate %o Location 0\nOpDecorate %i Location 0\n", decl: "%im = OpTypeImage %float 2D 0 0 0 1 Unknown\n" + io("%im"),
			body: "%l = OpLoad %im %i"},
		{name: "PerVertexKHR of a vertex shader", missed: true, want: "PerVertexKHR is for inputs", entry: vertexEntry, caps: "OpCapability FragmentBarycentricKHR\nOpExtension \"SPV_KHR_fragment_shader_barycentric\"\n",
			dec: "OpDecorate %o BuiltIn Position\nOpDecorate %i Location 0\nOpDecorate %i PerVertexKHR\n", decl: io("%v4"), body: "%l = OpLoad %v4 %i\nOpStore %o %l"},
		{name: "an origin at the bottom", want: ruleOrigin, entry: strings.Replace(fragmentEntry, "Upper", "Lower", 1), dec: "OpDecorate %o Location 0\nOpDecorate %i Location 0\n", decl: io("%v4")},
		{name: "a plain uniform", want: ruleOpaque, decl: "%pv4 = OpTypePointer UniformConstant %v4\n%plain = OpVariable %pv4 UniformConstant\n", body: "%l = OpLoad %v4 %plain"},
		{name: "pixel centres at integers", want: rulePixelCenter, entry: fragmentEntry + "OpExecutionMode %main PixelCenterInteger\n", dec: "OpDecorate %o Location 0\nOpDecorate %i Location 0\n", decl: io("%v4")},
		{name: "a vertex id", want: ruleVertexID, entry: vertexEntry, dec: "OpDecorate %o Location 0\nOpDecorate %i BuiltIn VertexId\n", decl: io("%int"), body: "%l = OpLoad %int %i"},
		{name: "a boolean as an input", want: ruleBoolIO, entry: vertexEntry, dec: "OpDecorate %o Location 0\nOpDecorate %i Location 0\n", decl: io("%bool"), body: "%l = OpLoad %bool %i"},
		{name: "an array of volumes", want: "arrays of images of dimension 3D", missed: true, dec: "OpDecorate %tv DescriptorSet 0\nOpDecorate %tv Binding 0\n",
			decl: "%vol = OpTypeImage %float 3D 0 1 0 1 Unknown\n%pvol = OpTypePointer UniformConstant %vol\n%tv = OpVariable %pvol UniformConstant\n", body: "%l = OpLoad %vol %tv"},
		{name: "a call with too many arguments", want: "has 0 parameters", body: "%r = OpFunctionCall %void %g %c1", more: "%g = OpFunction %void None %fn\n%ge = OpLabel\nOpReturn\nOpFunctionEnd\n"},
	}
}

// invalidImages are image instructions with operands that they do not take.
func invalidImages() []invalid {
	const decl = `%im = OpTypeImage %float 2D 0 0 0 1 Unknown
%si = OpTypeSampledImage %im
%psi = OpTypePointer UniformConstant %si
%t = OpVariable %psi UniformConstant
%pim = OpTypePointer UniformConstant %im
%ti = OpVariable %pim UniformConstant
%v2i = OpTypeVector %int 2
%ci = OpConstant %int 0
%z2 = OpConstantComposite %v2i %ci %ci
%f2 = OpConstantComposite %v2 %f0 %f0
%im3 = OpTypeImage %float 3D 0 0 0 1 Unknown
%si3 = OpTypeSampledImage %im3
%smt = OpTypeSampler
%psm = OpTypePointer UniformConstant %smt
%ts = OpVariable %psm UniformConstant
`
	const dec = "OpDecorate %o Location 0\nOpDecorate %i Location 0\nOpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 0\nOpDecorate %ti DescriptorSet 0\nOpDecorate %ti Binding 1\nOpDecorate %ts DescriptorSet 0\nOpDecorate %ts Binding 2\n"
	var list []invalid
	for _, c := range []struct{ name, want, inst string }{
		{"an image of another type", "is not one of type", "OpImage %im3 %sl"},
		{"a sampled image of another type", "is not one of type", "OpSampledImage %si3 %il %sm"},
		{"a read of a sampled image", "not a storage image", "OpImageRead %v4 %il %z2"},
		{"Lod of an implicit sample", ruleOperands, "OpImageSampleImplicitLod %v4 %sl %c2 Lod %f0"},
		{"Bias of an explicit sample", ruleOperands, "OpImageSampleExplicitLod %v4 %sl %c2 Bias|Lod %f0 %f0"},
		{"Lod and Grad", ruleOperands, "OpImageSampleExplicitLod %v4 %sl %c2 Lod|Grad %f0 %f2 %f2"},
		{"Lod and MinLod", ruleOperands, "OpImageSampleExplicitLod %v4 %sl %c2 Lod|MinLod %f0 %f0"},
		{"two offsets", ruleOperands, "OpImageSampleImplicitLod %v4 %sl %c2 ConstOffset|Offset %z2 %z2"},
		{"Sample of an image with one", ruleOperands, "OpImageFetch %v4 %il %z2 Sample %ci"},
		{"a Bias of int", "not a float", "OpImageSampleImplicitLod %v4 %sl %c2 Bias %ci"},
		{"a ConstOffset that is none", "constant is wanted", "OpImageSampleImplicitLod %v4 %sl %c2 ConstOffset %dyn"},
		{"float coordinates of a fetch", "not an integer", "OpImageFetch %v4 %il %c2"},
		{"a component beyond both vectors", "is out of range", "OpVectorShuffle %v4 %l %l 0 1 2 8"},
		{"too few coordinates", "coordinates are wanted", "OpImageSampleImplicitLod %v4 %sl %f0"},
	} {
		list = append(list, invalid{name: c.name, want: c.want, entry: fragmentEntry, caps: "OpCapability MinLod\nOpCapability ImageGatherExtended\n", dec: dec, decl: io("%v4") + decl,
			body: "%l = OpLoad %v4 %i\n%sl = OpLoad %si %t\n%il = OpLoad %im %ti\n%sm = OpLoad %smt %ts\n%c2 = OpVectorShuffle %v2 %l %l 0 1\n%dyn = OpConvertFToS %v2i %c2\n%r = " + c.inst + "\nOpStore %o %r"})
	}
	return list
}

// opaqueInterface has images and samplers in inputs and outputs, by themselves and inside of all that holds others.
func opaqueInterface() []invalid {
	var list []invalid
	for _, leaf := range []string{"%img", "%smp", "%si"} {
		for _, holder := range []string{
			"",
			"%a = OpTypeArray %leaf %c4\n",
			"%held = OpTypeArray %leaf %c4\n%a = OpTypeArray %held %c1\n",
			"%a = OpTypeStruct %float %leaf\n",
			"%held = OpTypeArray %leaf %c1\n%a = OpTypeStruct %held %float\n",
			"%held = OpTypeStruct %leaf\n%a = OpTypeArray %held %c4\n",
		} {
			ty, holder := "%a", strings.ReplaceAll(holder, "%leaf", leaf)
			if holder == "" {
				ty = leaf
			}
			list = append(list, invalid{name: leaf + " in " + holder, missed: true, want: "has images or samplers", entry: fragmentEntry,
				dec:  "OpDecorate %o Location 0\nOpDecorate %i Location 0\n",
				decl: "%img = OpTypeImage %float 2D 0 0 0 1 Unknown\n%smp = OpTypeSampler\n%si = OpTypeSampledImage %img\n" + holder + io(ty), body: "%l = OpLoad " + ty + " %i"})
		}
	}
	return list
}

// TestRules: a module that breaks a rule is refused with the rule, the id and the place.
// spirv-val, where it is installed, has to find each invalid as well.
func TestRules(t *testing.T) {
	val, _ := exec.LookPath("spirv-val")
	file := filepath.Join(t.TempDir(), "invalid.spv")
	for _, list := range [][]invalid{invalidFlow(), invalidLayout(), invalidInterface(), invalidTypes(), invalidImages(), opaqueInterface()} {
		for i := range list {
			c := &list[i]
			words, err := spv.Assemble(c.text(), spv.AssembleOptions{Version: 0x0103})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			m, err := spv.ParseWords(words)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			_, err = Translate(m, Options{panics: true})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "word ") {
				t.Errorf("%s: the error is %v, it should speak of %q", c.name, err, c.want)
			}
			if val == "" || c.missed {
				continue
			}
			data := make([]byte, 0, 4*len(words))
			for _, w := range words {
				data = binary.LittleEndian.AppendUint32(data, w)
			}
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if exec.Command(val, "--target-env", "vulkan1.1", file).Run() == nil {
				t.Errorf("%s: spirv-val finds the module valid", c.name)
			}
		}
	}
}
