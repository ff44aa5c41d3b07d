package hostile

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/passes"
)

// refusedFragment is a fragment shader with DECL among its declarations, ENTRY
// among its interface and BODY as its body.
//
//go:embed testdata/asm/refused_fragment.spvasm
var refusedFragment string

func refusedModule(caps, entry, notes, decl, body string) string {
	return strings.NewReplacer("CAPS", caps, "ENTRY", entry, "NOTES", notes, "DECL", decl, "BODY", body).Replace(refusedFragment)
}

var (
	refusedRate = refusedModule("OpCapability FragmentShadingRateKHR\nOpExtension \"SPV_KHR_fragment_shading_rate\"", "%rate",
		"OpDecorate %rate BuiltIn ShadingRateKHR\nOpDecorate %rate Flat",
		"%pi = OpTypePointer Input %i\n%rate = OpVariable %pi Input",
		"%x = OpLoad %i %rate\n%y = OpConvertSToF %f %x\n%z = OpCompositeConstruct %v4 %y %y %y %y\nOpStore %o %z")
	refusedSparse = refusedModule("OpCapability SparseResidency", "",
		"OpDecorate %tex DescriptorSet 0\nOpDecorate %tex Binding 0",
		"%img = OpTypeImage %f 2D 0 0 0 1 Unknown\n%comb = OpTypeSampledImage %img\n%pu = OpTypePointer UniformConstant %comb\n%tex = OpVariable %pu UniformConstant\n"+
			"%half = OpConstant %f 0.5\n%at = OpConstantComposite %v2 %half %half\n%st = OpTypeStruct %i %v4",
		"%s = OpLoad %comb %tex\n%r = OpImageSparseSampleImplicitLod %st %s %at\n%code = OpCompositeExtract %i %r 0\n%n = OpConvertSToF %f %code\n"+
			"%texel = OpCompositeExtract %v4 %r 1\n%t = OpVectorTimesScalar %v4 %texel %n\nOpStore %o %t")
	refusedVertex = refusedModule("OpCapability FragmentBarycentricKHR\nOpExtension \"SPV_KHR_fragment_shader_barycentric\"", "%pv",
		"OpDecorate %pv Location 0\nOpDecorate %pv PerVertexKHR",
		"%u = OpTypeInt 32 0\n%n3 = OpConstant %u 3\n%arr = OpTypeArray %v4 %n3\n%pa = OpTypePointer Input %arr\n%pe = OpTypePointer Input %v4\n%pv = OpVariable %pa Input",
		"%p = OpAccessChain %pe %pv %i0\n%x = OpLoad %v4 %p\nOpStore %o %x")
	refusedChoice = refusedModule("", "%in",
		"OpDecorate %in Location 0\nOpDecorate %t0 DescriptorSet 0\nOpDecorate %t0 Binding 0\nOpDecorate %t1 DescriptorSet 0\nOpDecorate %t1 Binding 1",
		"%img = OpTypeImage %f 2D 0 0 0 1 Unknown\n%pu = OpTypePointer UniformConstant %img\n%pt = OpTypePointer Function %img\n%t0 = OpVariable %pu UniformConstant\n%t1 = OpVariable %pu UniformConstant\n"+
			"%v2i = OpTypeVector %i 2\n%at = OpConstantComposite %v2i %i0 %i0\n%b = OpTypeBool\n%pf = OpTypePointer Input %f\n%in = OpVariable %pf Input\n%f0 = OpConstant %f 0",
		"%v = OpVariable %pt Function\n%d = OpLoad %f %in\n%c = OpFOrdLessThan %b %d %f0\nOpSelectionMerge %m None\nOpBranchConditional %c %yes %no\n"+
			"%yes = OpLabel\n%l0 = OpLoad %img %t0\nOpStore %v %l0\nOpBranch %m\n%no = OpLabel\n%l1 = OpLoad %img %t1\nOpStore %v %l1\nOpBranch %m\n"+
			"%m = OpLabel\nOpLine %file 7 3\n%which = OpLoad %img %v\n%r = OpImageFetch %v4 %which %at Lod %i0\nOpStore %o %r")
	refusedGeometry = `OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main "main"
OpExecutionMode %main InputPoints
OpExecutionMode %main Invocations 1
OpExecutionMode %main OutputPoints
OpExecutionMode %main OutputVertices 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
`
)

// Barycentrics that feed something else than the interpolation of an input, and
// an interpolation by something else than barycentrics.
const (
	refusedBary = `shader fragment "main" {
  info { outputs_written=0x10 io_lowered }
  file 1 = "bary.frag"
  loc 1 = 1 4 9 0 0
  fn f0 "main" entry() {
    b0: // preds:
      %0:32 = load_const 0x0
      %1:32x2 = load_barycentric_pixel interp_mode=smooth #1
      USE
      store_output %2, %0 base=4 range=1 write_mask=xy src_type=f32 io_semantics={DATA0 1}
  }
}
`
	baryStored       = "%2:32x2 = fneg %1"
	baryInterpolated = "%3:32x2 = fneg %1\n      %2:32x2 = load_interpolated_input %3, %0 base=32 dest_type=f32 io_semantics={VAR0 1} #1"
)

// refusedTexels stores to an image of 64 bits.
const refusedTexels = `shader compute "main" {
  info { workgroup_size=1,1,1 images_used=0x1 num_images=1 writes_memory }
  var @1 image image2D<u64> "m" { set=0 binding=0 access=non_readable format=r64ui }
  file 1 = "texels.comp"
  loc 1 = 1 5 3 0 0
  fn f0 "main" entry() {
    b0: // preds:
      %0:32 = deref_var @1
      %1:32 = load_const 0x0
      %2:32x4 = vec4 %1, %1, %1, %1
      %3:64x4 = load_const (0x1, 0x1, 0x1, 0x1)
      image_deref_store %0, %2, %1, %3, %1 image_dim=2D format=40 access=non_readable src_type=u64 #1
  }
}
`

func refusedIR(use string) string {
	return strings.NewReplacer("USE", use).Replace(refusedBary)
}

// TestRefusals: what a code generator refuses is said with what it is, where it
// stands and which target says so.
func TestRefusals(t *testing.T) {
	const place = "refused.frag:7:3: error: word "
	for _, c := range []struct{ name, text, target, place, what string }{
		{"rate.spvasm", refusedRate, "agx", place, "FragmentShadingRateKHR is not supported on g13g: the hardware"},
		{"rate.spvasm", refusedRate, "midgard", place, "FragmentShadingRateKHR is not supported on t860: the hardware"},
		{"sparse.spvasm", refusedSparse, "midgard", place, "SparseResidency is not supported on t860: the hardware"},
		{"vertex.spvasm", refusedVertex, "ir3", place, "load_input_vertex"},
		{"vertex.spvasm", refusedVertex, "midgard", place, "FragmentBarycentricKHR is not supported on t860: interpolation keeps"},
		{"choice.spvasm", refusedChoice, "ir3", place, "an image or sampler that control flow"},
		{"choice.spvasm", refusedChoice, "agx", place, "an image or sampler that control flow"},
		{"choice.spvasm", refusedChoice, "midgard", place, "an image or sampler that control flow"},
		{"rate.spvasm", strings.Replace(refusedRate, "OpLine %file 7 3\n", "", 1), "agx", "rate.spvasm: error: word 84: %3: ", "FragmentShadingRateKHR"},
		{"geometry.spvasm", strings.Replace(refusedGeometry, "OutputVertices 1", "OutputVertices 2000", 1), "midgard", "geometry.spvasm: error: ", "a geometry shader that takes primitives of 1 vertices, of 2000"},
		{"stored.nir", refusedIR(baryStored), "midgard", "bary.frag:4:9: error: ", "load_barycentric_pixel that does anything but"},
		{"texels.nir", refusedTexels, "ir3", "texels.comp:5:3: error: ", "images of 64-bit components are not supported on a630: the hardware has no 64-bit atomics, needs a740"},
		{"computed.nir", refusedIR(baryInterpolated), "agx", "bary.frag:4:9: error: ", "interpolation by computed barycentrics"},
		{"computed.nir", refusedIR(baryInterpolated), "midgard", "bary.frag:4:9: error: ", "load_barycentric_pixel that does anything but"},
	} {
		t.Run(c.target+" "+c.name, func(t *testing.T) {
			m, err := nirc.Load([]byte(c.text), c.name)
			if err != nil {
				t.Fatal(err)
			}
			o := nirc.Options{Target: c.target}
			_, err = m.Compile(context.Background(), o)
			var list nirc.Diagnostics
			if !errors.As(err, &list) {
				t.Fatalf("compiles with %v", err)
			}
			err = m.Locate(context.Background(), o, err)
			text := err.Error()
			if !strings.HasPrefix(text, c.place) || !strings.Contains(text, c.what) || !strings.Contains(text, "not supported") || !strings.HasSuffix(text, " ["+c.target+"]") {
				t.Errorf("%s\nwant %s… %s … [%s]", text, c.place, c.what, c.target)
			}
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s is of no refusal's type", text)
			}
			if strings.Contains(text, c.target+": ") {
				t.Errorf("%s names the target twice", text)
			}
		})
	}
}

// TestMistakes: what is wrong with a module is no refusal, nor is a list that has it beside one.
func TestMistakes(t *testing.T) {
	for name, text := range map[string]string{"text.spvasm": "OpNothing", "module.spv": "\x03\x02\x23\x07\x00\x00\x01\x00", "text.nir": "shader"} {
		m, err := nirc.Load([]byte(text), name)
		if err == nil {
			_, err = m.Compile(context.Background(), nirc.Options{Target: "ir3"})
		}
		if err == nil || errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused := nirc.Diagnostic{Unsupported: true}
	for want, list := range map[bool]nirc.Diagnostics{true: {refused, refused}, false: {refused, {}}} {
		if got := errors.Is(list, errors.ErrUnsupported); got != want {
			t.Errorf("%v: unsupported is %t", list, got)
		}
	}
	if errors.Is(nirc.Diagnostics{}, errors.ErrUnsupported) {
		t.Error("nothing is a refusal")
	}
}

// TestComputeInput: compute shaders have no inputs by location. The frontend refuses them,
// and what IR text asks for the code generators do.
func TestComputeInput(t *testing.T) {
	const text = `shader compute "main" {
  info { workgroup_size=1,1,1 num_ssbos=1 writes_memory io_lowered }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0
      %1:32 = load_input %0 range=1 dest_type=u32 io_semantics={VAR3 1}
      store_shared %1, %0 write_mask=x align_mul=4
  }
}
`
	for _, target := range []string{"ir3", "midgard"} {
		m, err := nirc.Load([]byte(text), "in.ir")
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Compile(context.Background(), nirc.Options{Target: target})
		var list nirc.Diagnostics
		if !errors.As(err, &list) || !strings.Contains(err.Error(), "an input of a compute shader by location is not supported") {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// TestCastOfOtherMemory: a pointer that went through a variable, a choice or a cast and then
// points to other memory is refused where it is lowered; no pass fails by itself.
func TestCastOfOtherMemory(t *testing.T) {
	const text = `shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @1 shader_temp f32 "a"
  var @2 mem_shared f32 "b"
  fn f0 "main" entry() {
    local @3 function_temp u32 "pointer"
    b0:
      %0:32 = deref_var @1
      %1:32 = deref_var @2
      %2:32 = deref_var @3
      store_deref %2, %0 write_mask=x
      %3:32 = load_deref %2
      %4:32 = deref_cast %3 (MODE f32)
      %5:32 = load_deref %4
      store_deref %1, %5 write_mask=x
      %6:32 = deref_cast %1 (MODE f32)
      %7:32 = deref_cast %6 (mem_shared f32)
      store_deref %7, %5 write_mask=x
      %8:1 = ult %5, %3
      %9:32 = bcsel %8, %0, %1
      %10:32 = deref_cast %9 (MODE f32)
      %11:32 = load_deref %10
      if %3 {
      b1:
        store_deref %1, %5 write_mask=x
      } else {
      b2:
      }
      b3:
      store_deref %1, %11 write_mask=x
  }
}
`
	for _, mode := range []string{"mem_shared", "mem_ssbo", "mem_ubo", "mem_global", "mem_push_const"} {
		refusedEverywhere(t, mode, strings.ReplaceAll(text, "MODE", mode), "is cast to "+mode+": that is other memory")
	}
}

// refusedEverywhere: no target compiles the text at any level, a diagnostic has one of the messages, and no pass fails.
func refusedEverywhere(t *testing.T, name, text string, messages ...string) {
	t.Helper()
	for _, target := range []string{"ir3", "agx", "midgard"} {
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			_, err := nirc.Compile(context.Background(), []byte(text), nirc.Options{File: "refused.nir", Target: target, Level: level, Run: passes.RunOptions{VerifyEach: true}})
			var list nirc.Diagnostics
			if !errors.As(err, &list) || !slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(err.Error(), m) }) {
				t.Errorf("%s, %s, -O%d: %v", name, target, level, err)
			}
		}
	}
}

// TestChosenTexture: which texture a variable points to is not known where branches say it.
func TestChosenTexture(t *testing.T) {
	const text = `shader fragment "main" {
  info { num_textures=2 }
  var @1 uniform tex2D<f32> "a" { binding=1 }
  var @2 uniform tex2D<f32> "b" { binding=2 }
  var @3 uniform sampler "s" { binding=3 }
  var @4 shader_out vec4f32 "color" { location=DATA0 }
  fn f0 "main" entry() {
    local @5 function_temp TYPE "chosen"
    b0:
      %0:32 = deref_var @1
      %1:32 = deref_var @2
      %2:32 = deref_var @5
      %30:32x4 = load_frag_coord
      %3:32x2 = vec2 %30.x, %30.y
      %4:1 = flt %3.x, %3.y
      if %4 {
      b1:
        store_deref %2, %0 write_mask=x
      } else {
      b2:
        store_deref %2, %1 write_mask=x
      }
      b3:
      %5:32 = load_deref %2
      %6:32 = deref_cast %5 (uniform tex2D<f32>)
      %7:32 = deref_var @3
      %8:32x4 = tex coord=%3 texture_deref=%6 sampler_deref=%7 dim=2D dest=f32 coord_components=2
      %9:32 = deref_var @4
      store_deref %9, %8 write_mask=xyzw
  }
}
`
	for _, typ := range []string{"u32", "tex2D<f32>"} {
		refusedEverywhere(t, typ, strings.ReplaceAll(text, "TYPE", typ), passes.ChosenOpaque, "a texture that is no variable is not supported")
	}
}
