package spirv

import (
	"strings"
	"testing"

	"nirc/ir"
)

// fragmentHead declares what the rows of TestFragmentOperands use; DEC is more of decorations, DECL of declarations.
const fragmentHead = `OpCapability Shader
OpCapability Float16
OpCapability InterpolationFunction
OpCapability FragmentBarycentricKHR
OpCapability TileImageColorReadAccessEXT
OpCapability TileImageDepthReadAccessEXT
OpCapability TileImageStencilReadAccessEXT
OpCapability TransformFeedback
OpExtension "SPV_KHR_fragment_shader_barycentric"
OpExtension "SPV_AMD_shader_explicit_vertex_parameter"
%glsl = OpExtInstImport "GLSL.std.450"
%amd = OpExtInstImport "SPV_AMD_shader_explicit_vertex_parameter"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %ex %bary %baryn %count %blocks %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %ex Location 1
OpDecorate %ex ExplicitInterpAMD
OpDecorate %count Location 2
OpDecorate %count Flat
OpDecorate %blocks Location 3
OpDecorate %block Block
OpMemberDecorate %block 0 Flat
OpDecorate %bary BuiltIn BaryCoordKHR
OpDecorate %baryn BuiltIn BaryCoordNoPerspKHR
OpDecorate %out Location 0
DEC
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%half = OpTypeFloat 16
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%i4 = OpTypeVector %int 4
%u4 = OpTypeVector %uint 4
%h2 = OpTypeVector %half 2
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%f0 = OpConstant %float 0.25
%fv2 = OpConstantComposite %v2 %f0 %f0
%h0 = OpConstant %half 0.25
%hv2 = OpConstantComposite %h2 %h0 %h0
%block = OpTypeStruct %v4 %v4
%two = OpTypeArray %block %c2
%piv4 = OpTypePointer Input %v4
%piv3 = OpTypePointer Input %v3
%pif = OpTypePointer Input %float
%piu = OpTypePointer Input %uint
%pi2 = OpTypePointer Input %two
%pov4 = OpTypePointer Output %v4
%in = OpVariable %piv4 Input
%ex = OpVariable %piv4 Input
%count = OpVariable %piu Input
%blocks = OpVariable %pi2 Input
%bary = OpVariable %piv3 Input
%baryn = OpVariable %piv3 Input
%out = OpVariable %pov4 Output
DECL
%main = OpFunction %void None %fn
%e = OpLabel
%n = OpLoad %uint %count
`

// fragmentRow is a body, and what is wrong with it: nothing if testdata/text/fragment.txt has its IR.
type fragmentRow struct {
	body, dec, decl, err string
}

const tileDecl = `%tile = OpTypeImage TEXEL TileImageDataEXT 0 0 0 2 Unknown
%tiles = OpTypeArray %tile %c3
%ptile = OpTypePointer TileImageEXT %tile
%ptiles = OpTypePointer TileImageEXT %tiles
%ti = OpVariable %ptile TileImageEXT
%ts = OpVariable %ptiles TileImageEXT
`

func fragmentRows() []fragmentRow {
	store := func(v string) string { return "\n%w = OpCompositeConstruct %v4 " + v + " %f0 %f0 %f0\nOpStore %out %w" }
	tile := func(body, texel, location, err string) fragmentRow {
		return fragmentRow{body: body, decl: strings.Replace(tileDecl, "TEXEL", texel, 1), dec: "OpDecorate %ti Location " + location + "\nOpDecorate %ts Location 2", err: err}
	}
	read := func(ty, of string) string {
		return "%i = OpLoad %tile " + of + "\n%c = OpColorAttachmentReadEXT " + ty + " %i"
	}
	return []fragmentRow{
		// interpolation at another place than the pixel's
		{body: "%c = OpExtInst %v4 %glsl InterpolateAtCentroid %in\nOpStore %out %c"},
		{body: "%c = OpExtInst %v4 %glsl InterpolateAtSample %in %n\nOpStore %out %c"},
		{body: "%c = OpExtInst %v4 %glsl InterpolateAtOffset %in %fv2\nOpStore %out %c"},
		{body: "%c = OpExtInst %v4 %glsl InterpolateAtOffset %in %hv2\nOpStore %out %c"},
		{body: "%p = OpAccessChain %pif %in %c2\n%c = OpExtInst %float %glsl InterpolateAtCentroid %p" + store("%c")},
		{body: "%c = OpExtInst %v4 %glsl InterpolateAtCentroid %out", err: "is not of a float input"},
		{body: "%c = OpExtInst %uint %glsl InterpolateAtCentroid %count", err: "is not of a float input"},
		// the weights themselves: 1 - i - j, i, j
		{body: "%c = OpExtInst %v3 %glsl InterpolateAtCentroid %bary\n%f = OpCompositeExtract %float %c 0" + store("%f")},
		{body: "%c = OpExtInst %v3 %glsl InterpolateAtCentroid %baryn\n%f = OpCompositeExtract %float %c 1" + store("%f")},
		{body: "%c = OpExtInst %v3 %glsl InterpolateAtSample %bary %n\n%f = OpCompositeExtract %float %c 2" + store("%f")},
		{body: "%c = OpExtInst %v3 %glsl InterpolateAtOffset %baryn %hv2\n%f = OpCompositeExtract %float %c 2" + store("%f")},
		{body: "%p = OpAccessChain %pif %bary %c2\n%c = OpExtInst %float %glsl InterpolateAtCentroid %p" + store("%c")},
		{body: "%p = OpAccessChain %pif %bary %n\n%c = OpExtInst %float %glsl InterpolateAtCentroid %p" + store("%c")},
		// a vertex's value
		{body: "%c = OpExtInst %v4 %amd InterpolateAtVertexAMD %ex %c1\nOpStore %out %c"},
		{body: "%p = OpAccessChain %pif %ex %c3\n%c = OpExtInst %float %amd InterpolateAtVertexAMD %p %n" + store("%c")},
		{body: "%c = OpExtInst %v4 %amd InterpolateAtVertexAMD %out %c1", err: "InterpolateAtVertexAMD is not of an input"},
		{body: "%c = OpExtInst %v4 %amd InterpolateAtVertexAMD %blocks %c1", err: "cannot be used here"},
		{body: "%p = OpAccessChain %piv4 %blocks %n %c1\n%c = OpExtInst %v4 %glsl InterpolateAtCentroid %p", err: "is not of a float input"},
		// arrays of blocks whose members interpolate differently have a variable for each member of each element
		{body: "%p = OpAccessChain %piv4 %blocks %c1 %c1\n%c = OpLoad %v4 %p\nOpStore %out %c"},
		// tile images
		tile(read("%v4", "%ti")+"\nOpStore %out %c", "%float", "1", ""),
		tile(read("%i4", "%ti")+"\n%x = OpConvertSToF %v4 %c\nOpStore %out %x", "%int", "7", ""),
		tile(read("%u4", "%ti")+"\n%x = OpConvertUToF %v4 %c\nOpStore %out %x", "%uint", "0", ""),
		tile("%p = OpAccessChain %ptile %ts %c2\n"+read("%v4", "%p")+"\nOpStore %out %c", "%float", "0", ""),
		tile("%p = OpAccessChain %ptile %ts %n\n"+read("%v4", "%p")+"\nOpStore %out %c", "%float", "0", ""),
		{body: read("%v4", "%ti"), decl: strings.Replace(tileDecl, "TEXEL TileImageDataEXT 0 0 0", "%float TileImageDataEXT 0 0 1", 1), dec: "OpDecorate %ti Location 0\nOpDecorate %ts Location 2"},
		{body: read("%v4", "%ti"), decl: strings.Replace(tileDecl, "TEXEL", "%float", 1), dec: "OpDecorate %ts Location 2", err: "a tile image without a Location"},
		{body: "%p = OpAccessChain %ptile %tt %n %c1\n" + read("%v4", "%p") + "\nOpStore %out %c", decl: strings.Replace(tileDecl, "TEXEL", "%float", 1) + "%tiless = OpTypeArray %tiles %c2\n%ptiless = OpTypePointer TileImageEXT %tiless\n%tt = OpVariable %ptiless TileImageEXT\n", dec: "OpDecorate %ti Location 0\nOpDecorate %ts Location 2\nOpDecorate %tt Location 1"},
		{body: "%c = OpColorAttachmentReadEXT %v4 %f0", decl: strings.Replace(tileDecl, "TEXEL", "%float", 1), dec: "OpDecorate %ti Location 0\nOpDecorate %ts Location 2", err: "the attachment is no tile image"},
		{body: "%c = OpDepthAttachmentReadEXT %float" + store("%c")},
		{body: "%c = OpDepthAttachmentReadEXT %float %n" + store("%c")},
		{body: "%c = OpStencilAttachmentReadEXT %uint\n%x = OpConvertUToF %float %c" + store("%x")},
		{body: "%c = OpStencilAttachmentReadEXT %int %c1\n%x = OpConvertSToF %float %c" + store("%x")},
		{body: "%c = OpDepthAttachmentReadEXT %half", err: "OpDepthAttachmentReadEXT: the result is float16, not a 32-bit float"},
		{body: "%c = OpDepthAttachmentReadEXT %uint", err: "the result is uint32, not a 32-bit float"},
		{body: "%c = OpStencilAttachmentReadEXT %float", err: "OpStencilAttachmentReadEXT: the result is float32, not a 32-bit integer"},
		{body: "%c = OpStencilAttachmentReadEXT %u4", err: "not a 32-bit integer"},
		tile(read("%v4", "%ti"), "%half", "0", "tile images of float16 are not supported"),
		tile(read("%u4", "%ti"), "%float", "0", "the result is no scalar or vector of float32"),
		tile(read("%v2", "%ti")+"\n%x = OpVectorShuffle %v4 %c %c 0 1 0 1\nOpStore %out %x", "%float", "0", ""),
		tile("%i = OpLoad %tile %ti\n%c = OpColorAttachmentReadEXT %v4 %i %n\nOpStore %out %c", "%float", "0", ""),
		tile(read("%v4", "%ti"), "%float", "8", "tile images at locations 8 to 8 are not supported, there are 8 colour attachments"),
		tile(read("%v4", "%ti"), "%float", "4294967295", "tile images at locations 4294967295 to 4294967295 are not supported"),
	}
}

// TestFragmentOperands: what only fragments have becomes what it should, or is refused.
func TestFragmentOperands(t *testing.T) {
	var texts textFile
	for _, c := range fragmentRows() {
		text := strings.NewReplacer("DECL\n", c.decl, "DEC\n", c.dec+"\n").Replace(fragmentHead)
		s, err := Translate(assemble(t, text+c.body+"\nOpReturn\nOpFunctionEnd\n"), Options{panics: true})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s\n%v, want %q", c.body, err, c.err)
			}
			continue
		}
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Errorf("%s\n%v", c.body, err)
			continue
		}
		texts.add(c.decl+c.body, s)
	}
	texts.compare(t, "fragment")
}
