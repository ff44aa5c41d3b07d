package spirv

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// lanesOf are the components of a texture's or an image's result that a value is made of, through moves, vectors and conversions of integers.
func lanesOf(d *ir.Def) (lanes []int) {
	in := d.Instr
	switch {
	case in.Kind != ir.KindALU:
		for c := range int(d.NumComponents) {
			lanes = append(lanes, c)
		}
	case in.IsVec():
		for i := range in.Srcs {
			lanes = append(lanes, lanesOf(in.Srcs[i].Def)[in.Srcs[i].Swizzle.Lane(0)])
		}
	default:
		of := lanesOf(in.Srcs[0].Def)
		for c := range int(d.NumComponents) {
			lanes = append(lanes, of[in.Srcs[0].Swizzle.Lane(c)])
		}
	}
	return lanes
}

// TestTexels: a texel's components are the first of what a lookup gives, and the residency code of a sparse one, a word whatever the
// texel's components are, is the component after the last that there is.
func TestTexels(t *testing.T) {
	const text = `OpCapability Shader
OpCapability SparseResidency
OpCapability Int64
OpCapability Int64ImageEXT
OpCapability StorageImageReadWithoutFormat
OpExtension "SPV_EXT_shader_image_int64"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %outcode %outtexel
OpExecutionMode %main OriginUpperLeft
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 0
OpDecorate %img DescriptorSet 0
OpDecorate %img Binding 1
OpDecorate %long DescriptorSet 0
OpDecorate %long Binding 2
OpDecorate %outcode Location 0
OpDecorate %outtexel Location 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpTypeFloat 32
%i = OpTypeInt 32 1
%u = OpTypeInt 32 0
%l = OpTypeInt 64 1
%v2 = OpTypeVector %f 2
%u2 = OpTypeVector %u 2
%v4 = OpTypeVector %f 4
%l4 = OpTypeVector %l 4
%sf = OpTypeStruct %i %f
%sv4 = OpTypeStruct %i %v4
%sl4 = OpTypeStruct %i %l4
%c0 = OpConstant %u 0
%z = OpConstant %f 0
%at = OpConstantComposite %v2 %z %z
%iat = OpConstantComposite %u2 %c0 %c0
%timg = OpTypeImage %f 2D 0 0 0 1 Unknown
%tboth = OpTypeSampledImage %timg
%tstore = OpTypeImage %f 2D 0 0 0 2 Rgba32f
%tlong = OpTypeImage %l 2D 0 0 0 2 R64i
%pboth = OpTypePointer UniformConstant %tboth
%pstore = OpTypePointer UniformConstant %tstore
%plong = OpTypePointer UniformConstant %tlong
%pi = OpTypePointer Output %i
%pt = OpTypePointer Output %TEXEL
%tex = OpVariable %pboth UniformConstant
%img = OpVariable %pstore UniformConstant
%long = OpVariable %plong UniformConstant
%outcode = OpVariable %pi Output
%outtexel = OpVariable %pt Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %tboth %tex
%raw = OpImage %timg %x
%y = OpLoad %tstore %img
%w = OpLoad %tlong %long
%r = BODY
SPLIT
OpStore %outtexel %texel
OpReturn
OpFunctionEnd
`
	const split = "%code = OpCompositeExtract %i %r 0\n%texel = OpCompositeExtract %TEXEL %r 1\nOpStore %outcode %code"
	for _, c := range []struct{ texel, body, want string }{
		{"v4", "OpImageSampleImplicitLod %v4 %x %at", "[0 1 2 3]"},
		{"v4", "OpImageFetch %v4 %raw %iat Lod %c0", "[0 1 2 3]"},
		{"f", "OpImageSampleDrefImplicitLod %f %x %at %z", "[0]"},
		{"v4", "OpImageDrefGather %v4 %x %at %z", "[0 1 2 3]"},
		{"v4", "OpImageSparseSampleImplicitLod %sv4 %x %at", "[4] [0 1 2 3]"},
		{"v4", "OpImageSparseFetch %sv4 %raw %iat Lod %c0", "[4] [0 1 2 3]"},
		{"f", "OpImageSparseSampleDrefExplicitLod %sf %x %at %z Lod %z", "[1] [0]"},
		{"v4", "OpImageSparseGather %sv4 %x %at %c0", "[4] [0 1 2 3]"},
		{"v4", "OpImageRead %v4 %y %iat", "[0 1 2 3]"},
		{"v2", "OpImageRead %v2 %y %iat", "[0 1]"},
		{"f", "OpImageRead %f %y %iat", "[0]"},
		{"v4", "OpImageSparseRead %sv4 %y %iat", "[4] [0 1 2 3]"},
		{"l4", "OpImageSparseRead %sl4 %w %iat", "[4] [0 1 2 3]"},
		{"v4", "OpImageSampleDrefImplicitLod %v4 %x %at %z", "the result has 4 components, the texel has 1"},
		{"v4", "OpImageSparseSampleDrefImplicitLod %sv4 %x %at %z", "the result has 4 components, the texel has 1"},
	} {
		parts := "%texel = OpCopyObject %TEXEL %r"
		if strings.Contains(c.body, "Sparse") {
			parts = split
		}
		module := assemble(t, strings.NewReplacer("TEXEL", c.texel).Replace(strings.NewReplacer("BODY", c.body, "SPLIT", parts).Replace(text)))
		s, err := Translate(module, Options{})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.body, err)
			}
			continue
		}
		var got []string
		for in := range s.Entry().Impl.Instrs() {
			if in.IsIntrinsic(ir.IntrStoreDeref) && in.Srcs[0].Def.Instr.DerefInfo().Modes&ir.ModeShaderOut != 0 {
				got = append(got, fmt.Sprint(lanesOf(in.Srcs[1].Def)))
				if d := in.Srcs[1].Def; len(got) == 1 && parts == split && d.BitSize != 32 {
					t.Errorf("%s: the residency code has %d bits", c.body, d.BitSize)
				}
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s gives components %s, want %s", c.body, s, c.want)
		}
	}
}

// TestQueriedLevels: a query of the level of detail takes as many coordinates as the image has without its layer, though more be given, and of
// no image that has no levels of detail.
func TestQueriedLevels(t *testing.T) {
	for _, c := range []struct {
		image string
		n     int // coordinates; 0: refused
		dim   ir.Dim
		array bool
	}{
		{"1D 0 0 0", 1, ir.Dim1D, false}, {"1D 0 1 0", 1, ir.Dim1D, true}, {"2D 0 0 0", 2, ir.Dim2D, false}, {"2D 0 1 0", 2, ir.Dim2D, true}, {"3D 0 0 0", 3, ir.Dim3D, false},
		{"Cube 0 0 0", 3, ir.DimCube, false}, {"Cube 0 1 0", 3, ir.DimCube, true}, {"2D 0 0 1", 0, 0, false}, {"Buffer 0 0 0", 0, 0, false},
	} {
		for given := max(c.n, 1); given <= 4; given++ {
			at := "%x"
			if given > 1 {
				at = fmt.Sprintf("%%x%d", given)
			}
			s, err := Translate(assemble(t, `OpCapability Shader
OpCapability Sampled1D
OpCapability SampledBuffer
OpCapability SampledCubeArray
OpCapability ImageQuery
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 0
OpDecorate %in Location 0
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpTypeFloat 32
%v2 = OpTypeVector %f 2
%v3 = OpTypeVector %f 3
%v4 = OpTypeVector %f 4
%img = OpTypeImage %f `+c.image+` 1 Unknown
%both = OpTypeSampledImage %img
%pb = OpTypePointer UniformConstant %both
%pi = OpTypePointer Input %v4
%po = OpTypePointer Output %v2
%tex = OpVariable %pb UniformConstant
%in = OpVariable %pi Input
%out = OpVariable %po Output
%main = OpFunction %void None %fn
%e = OpLabel
%x4 = OpLoad %v4 %in
%x3 = OpVectorShuffle %v3 %x4 %x4 0 1 2
%x2 = OpVectorShuffle %v2 %x4 %x4 0 1
%x = OpCompositeExtract %f %x4 0
%t = OpLoad %both %tex
%r = OpImageQueryLod %v2 %t `+at+`
OpStore %out %r
OpReturn
OpFunctionEnd
`), Options{panics: true})
			if err == nil {
				err = ir.Validate(s)
			}
			if (err != nil) != (c.n == 0) {
				t.Errorf("%s, %d coordinates: %v", c.image, given, err)
			}
			if err != nil {
				continue
			}
			found := 0
			for b := range s.Entry().Impl.Blocks() {
				for in := range b.Instrs() {
					if in.Kind != ir.KindTex {
						continue
					}
					found++
					info := in.TexInfo()
					if in.TexOp != ir.TexOpLod || info.Dim != c.dim || info.IsArray != c.array || int(info.CoordComponents) != c.n || in.Def.NumComponents != 2 || in.Def.BitSize != 32 ||
						info.DestType != (ir.ALUType{Class: ir.ClassFloat, Bits: 32}) || in.TexSrc(ir.TexSrcTextureDeref) == nil || in.TexSrc(ir.TexSrcSamplerDeref) == nil {
						t.Errorf("%s, %d coordinates: %s", c.image, given, ir.PrintInstr(in))
					}
					if d := in.TexSrc(ir.TexSrcCoord).Def; int(d.NumComponents) != c.n || fmt.Sprint(lanesOf(d)) != fmt.Sprint([]int{0, 1, 2, 3}[:c.n]) {
						t.Errorf("%s, %d coordinates: the coordinates are components %v", c.image, given, lanesOf(d))
					}
				}
			}
			if found != 1 {
				t.Errorf("%s: %d lookups", c.image, found)
			}
		}
	}
}
