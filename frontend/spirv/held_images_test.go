package spirv_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc/backend/gputest"
)

// imageOperations are the operations on images and their operands after the result's type: IMAGE is an image, SAMPLED one with a sampler, COORD the
// place, DREF a reference, COMP a component, DATA a texel, LOD a level; OPERANDS stands where image operands may.
var imageOperations = map[string]string{
	"OpImageSampleImplicitLod": "SAMPLED COORD OPERANDS", "OpImageSampleExplicitLod": "SAMPLED COORD OPERANDS",
	"OpImageSampleDrefImplicitLod": "SAMPLED COORD DREF OPERANDS", "OpImageSampleDrefExplicitLod": "SAMPLED COORD DREF OPERANDS",
	"OpImageSampleProjImplicitLod": "SAMPLED PROJ OPERANDS", "OpImageSampleProjExplicitLod": "SAMPLED PROJ OPERANDS",
	"OpImageSampleProjDrefImplicitLod": "SAMPLED PROJ DREF OPERANDS", "OpImageSampleProjDrefExplicitLod": "SAMPLED PROJ DREF OPERANDS",
	"OpImageGather": "SAMPLED COORD COMP OPERANDS", "OpImageDrefGather": "SAMPLED COORD DREF OPERANDS",
	"OpImageFetch": "IMAGE TEXEL OPERANDS", "OpImageRead": "IMAGE TEXEL OPERANDS", "OpImageWrite": "IMAGE TEXEL DATA OPERANDS",
	"OpImageQueryFormat": "IMAGE", "OpImageQueryOrder": "IMAGE", "OpImageQuerySizeLod": "IMAGE LOD", "OpImageQuerySize": "IMAGE", "OpImageQueryLod": "SAMPLED COORD",
	"OpImageQueryLevels": "IMAGE", "OpImageQuerySamples": "IMAGE",
	"OpImageSparseSampleImplicitLod": "SAMPLED COORD OPERANDS", "OpImageSparseSampleExplicitLod": "SAMPLED COORD OPERANDS", "OpImageSparseFetch": "IMAGE TEXEL OPERANDS",
	"OpImageSparseGather": "SAMPLED COORD COMP OPERANDS", "OpImageSparseRead": "IMAGE TEXEL OPERANDS", "OpImageSparseSampleDrefExplicitLod": "SAMPLED COORD DREF OPERANDS",
}

// imageOperands are image operands; vectors are as long as the image has dimensions.
var imageOperands = []string{"", "", "Bias %f1", "Lod %f2", "Lod %i1", "Grad %grad %grad", "ConstOffset %offset", "Offset %offset", "ConstOffsets %four", "Sample %i1", "MinLod %f1", "Bias|MinLod %f1 %f2",
	"Grad|MinLod %grad %grad %f1", "Lod|ConstOffset %f2 %offset", "Bias|Offset %f1 %offset", "Grad|Offset %grad %grad %offset", "Lod|SignExtend %i1", "ZeroExtend", "SignExtend", "Sample|ZeroExtend %i2",
	"NonPrivateTexel", "VolatileTexel", "MakeTexelVisible|NonPrivateTexel %i2", "MakeTexelAvailable|NonPrivateTexel %i2", "Nontemporal", "Offsets %four"}

// imageShape is a type of images.
type imageShape struct {
	dim                       string
	depth, arrayed, ms, store int // of OpTypeImage; store: 2 for storage
	component                 string
	format                    string
}

// dims is how many coordinates the dimension has.
func (s *imageShape) dims() int {
	return map[string]int{"1D": 1, "2D": 2, "3D": 3, "Cube": 3, "Rect": 2, "Buffer": 1, "SubpassData": 2}[s.dim]
}

// imageModule is a fragment shader with one operation on an image; off is by how much the place has too many coordinates.
func imageModule(op, form, operands string, s *imageShape, result string, off int) string {
	var b strings.Builder
	for c := range strings.FieldsSeq("Shader Sampled1D Image1D SampledBuffer ImageBuffer SampledRect ImageRect SampledCubeArray ImageCubeArray ImageMSArray StorageImageMultisample InputAttachment SparseResidency MinLod ImageGatherExtended StorageImageReadWithoutFormat StorageImageWriteWithoutFormat ImageQuery StorageImageExtendedFormats Float16 VulkanMemoryModel VulkanMemoryModelDeviceScope") {
		fmt.Fprintf(&b, "OpCapability %s\n", c)
	}
	b.WriteString("OpMemoryModel Logical Vulkan\nOpEntryPoint Fragment %main \"main\" %img %smp\nOpExecutionMode %main OriginUpperLeft\nOpDecorate %img DescriptorSet 0\nOpDecorate %img Binding 1\nOpDecorate %smp DescriptorSet 0\nOpDecorate %smp Binding 2\n")
	if s.dim == "SubpassData" {
		b.WriteString("OpDecorate %img InputAttachmentIndex 0\n")
	}
	b.WriteString("%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%half = OpTypeFloat 16\n%int = OpTypeInt 32 1\n%uint = OpTypeInt 32 0\n")
	for _, t := range []string{"float", "half", "int", "uint"} {
		for n := 2; n <= 4; n++ {
			fmt.Fprintf(&b, "%%%s%d = OpTypeVector %%%s %d\n", t, n, t, n)
		}
	}
	for _, t := range []string{"float4", "half4", "int4", "uint4", "float"} {
		fmt.Fprintf(&b, "%%sparse_%s = OpTypeStruct %%int %%%s\n", t, t)
	}
	vector := func(t string, n int) string {
		if n <= 1 {
			return "%" + t
		}
		return fmt.Sprintf("%%%s%d", t, min(n, 4))
	}
	d := s.dims()
	b.WriteString("%f1 = OpConstant %float 1\n%f2 = OpConstant %float 2\n%i1 = OpConstant %int 1\n%i2 = OpConstant %int 2\n%u4 = OpConstant %uint 4\n")
	fmt.Fprintf(&b, "%%grad = OpConstantNull %s\n%%offset = OpConstantNull %s\n%%pairs = OpTypeArray %s %%u4\n%%four = OpConstantNull %%pairs\n", vector("float", d), vector("int", d), vector("int", d))
	fmt.Fprintf(&b, "%%data = OpConstantNull %%%s4\n%%it = OpTypeImage %%%s %s %d %d %d %d %s\n%%st = OpTypeSampler\n%%si = OpTypeSampledImage %%it\n", s.component, s.component, s.dim, s.depth, s.arrayed, s.ms, s.store, s.format)
	b.WriteString("%pi = OpTypePointer UniformConstant %it\n%ps = OpTypePointer UniformConstant %st\n%img = OpVariable %pi UniformConstant\n%smp = OpVariable %ps UniformConstant\n")
	coords := d + s.arrayed + off
	fmt.Fprintf(&b, "%%coord = OpConstantNull %s\n%%proj = OpConstantNull %s\n%%texel = OpConstantNull %s\n", vector("float", coords), vector("float", coords+1), vector("int", coords))
	b.WriteString("%main = OpFunction %void None %fn\n%l = OpLabel\n%x = OpLoad %it %img\n%y = OpLoad %st %smp\n")
	if strings.Contains(form, "SAMPLED") {
		b.WriteString("%both = OpSampledImage %si %x %y\n")
	}
	if op != "OpImageWrite" {
		b.WriteString("%r = ")
	}
	b.WriteString(op + " ")
	if op != "OpImageWrite" {
		b.WriteString("%" + result + " ")
	}
	b.WriteString(strings.NewReplacer("SAMPLED", "%both", "IMAGE", "%x", "COORD", "%coord", "PROJ", "%proj", "TEXEL", "%texel", "DREF", "%f1", "COMP", "%i2", "DATA", "%data", "LOD", "%i1", "OPERANDS", operands).Replace(form))
	b.WriteString("\nOpReturn\nOpFunctionEnd\n")
	return b.String()
}

// TestHeldImages translates each operation on images of random shapes with random operands: the IR, or the refusal, is that of the table
// (testdata/held_images.tsv), or a change means to change it (go test -update).
func TestHeldImages(t *testing.T) {
	rows := map[string]string{}
	for op, form := range imageOperations {
		r := rand.New(rand.NewPCG(uint64(len(op)), uint64(op[len(op)-1])))
		pick := func(list ...string) string { return list[r.IntN(len(list))] }
		var sum gputest.Digest
		compiled := 0
		const texts = 320
		for range texts {
			s := imageShape{dim: pick("1D", "2D", "2D", "2D", "3D", "Cube", "Rect", "Buffer", "SubpassData"), component: pick("float", "float", "int", "uint"), format: "Unknown", store: 1}
			s.depth, s.arrayed, s.ms = r.IntN(8)/7, r.IntN(3)/2, r.IntN(5)/4
			if strings.Contains(op, "Dref") {
				s.depth, s.component = r.IntN(4)/3^1, pick("float", "float", "float", "uint")
			}
			if wide := strings.Contains(form, "IMAGE TEXEL") && op != "OpImageFetch" && op != "OpImageSparseFetch"; wide || s.dim == "SubpassData" || r.IntN(10) == 0 {
				s.store = 2
				s.format = map[string]string{"float": pick("Unknown", "Rgba8", "R32f", "Rgba16f"), "int": pick("Unknown", "R32i", "Rgba8i"), "uint": pick("Unknown", "R32ui", "Rgba16ui")}[s.component]
			}
			result := s.component + "4"
			switch {
			case strings.HasPrefix(op, "OpImageQuerySize"):
				result = pick("int", "int2", "int3", "uint2", "int4")
			case op == "OpImageQueryLod":
				result = pick("float2", "float2", "float")
			case strings.HasPrefix(op, "OpImageQuery"):
				result = pick("int", "int", "uint", "float")
			case strings.Contains(op, "Dref") && !strings.Contains(op, "Gather"):
				result = "float"
			case r.IntN(8) == 0:
				result = pick("float4", "uint4", "half4", "int4")
			}
			if strings.HasPrefix(op, "OpImageSparse") {
				result = "sparse_" + result
			}
			off := 0
			if r.IntN(10) == 0 {
				off = 1 - 2*r.IntN(2)
			}
			operands := pick(imageOperands...)
			for explicit := strings.Contains(op, "Explicit"); strings.Contains(op, "Sample") && r.IntN(8) > 0 && explicit != (strings.Contains(operands, "Lod %f") && !strings.HasPrefix(operands, "MinLod") && !strings.HasPrefix(operands, "Bias") || strings.HasPrefix(operands, "Grad")); {
				operands = pick(imageOperands...)
			}
			if translated(imageModule(op, form, operands, &s, result, off), &sum) {
				compiled++
			}
		}
		rows[op] = fmt.Sprintf("%d\t%d\t%016x", texts, compiled, uint64(sum))
	}
	gputest.HoldTable(t, "held_images.tsv", rows)
}
