package spirv

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// TestSizesOfTextures: the size of a texture has a component for each dimension of it, and one for layers.
func TestSizesOfTextures(t *testing.T) {
	const caps = "OpCapability ImageQuery\nOpCapability Sampled1D\nOpCapability SampledBuffer\nOpCapability SampledRect\nOpCapability SampledCubeArray\n"
	for _, c := range []struct {
		shape string
		size  int
		lod   bool
	}{{"1D 0 0 0", 1, true}, {"1D 0 1 0", 2, true}, {"2D 0 0 0", 2, true}, {"2D 0 1 0", 3, true}, {"2D 0 0 1", 2, false}, {"2D 0 1 1", 3, false},
		{"3D 0 0 0", 3, true}, {"Cube 0 0 0", 2, true}, {"Cube 0 1 0", 3, true}, {"Buffer 0 0 0", 1, false}, {"Rect 0 0 0", 2, false}} {
		for n := 1; n <= 4; n++ {
			typ, query := "%uint", "OpImageQuerySize"
			decl := fmt.Sprintf("%%img = OpTypeImage %%float %s 1 Unknown\n%%pt = OpTypePointer UniformConstant %%img\n%%t = OpVariable %%pt UniformConstant\n", c.shape)
			if n > 1 {
				typ = "%un"
				decl += fmt.Sprintf("%%un = OpTypeVector %%uint %d\n", n)
			}
			lod := ""
			if c.lod {
				query, lod = "OpImageQuerySizeLod", " %c0"
			}
			m := invalid{caps: caps, dec: sampledBuffer.dec, decl: decl, body: fmt.Sprintf("%%l = OpLoad %%img %%t\n%%q = %s %s %%l%s", query, typ, lod)}
			_, err := Translate(assemble(t, m.text()), Options{})
			if want := fmt.Sprintf("%s: the result has %d components, the size has %d", query, n, c.size); (err == nil) != (n == c.size) || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", c.shape, err, want)
			}
		}
	}
}

//go:embed testdata/stages/nested.rgen.spvasm
var nestedRaygenText string

// TestDataByLocation: SPV_NV_ray_tracing names what a call hands on by the constant location of a variable of the right
// class; that is the same program as one that names the variable.
func TestDataByLocation(t *testing.T) {
	text := strings.Replace(nestedRaygenText, "OpDecorate %gl_LaunchIDEXT", "OpDecorate %weight Location 0\nOpDecorate %radiance Location 0\nOpDecorate %gl_LaunchIDEXT", 1)
	khr, err := Translate(assemble(t, text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []struct{ old, new, class string }{
		{"OpExecuteCallableKHR %66 %weight", "OpExecuteCallableNV %66 ", "CallableData"},
		{"%float_9 %radiance", "%float_9 ", "RayPayload"},
	} {
		for id, want := range map[string]string{"%uint_0": "", "%int_0": "", "%uint_2": "no variable of storage class " + op.class, "%30": "the location is not a constant", "%float_0": "the location is not a constant"} {
			at := strings.Index(text, op.old)
			if at < 0 {
				t.Fatalf("the module has no %q", op.old)
			}
			changed := text[:at] + op.new + id + text[at+len(op.old):]
			if op.class == "RayPayload" {
				line := strings.LastIndex(changed[:at], "OpTraceRayKHR")
				changed = changed[:line] + "OpTraceNV" + changed[line+len("OpTraceRayKHR"):]
			}
			s, err := Translate(assemble(t, changed), Options{})
			switch {
			case want != "":
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s at %s: %v, want %q", op.class, id, err, want)
				}
			case err != nil:
				t.Errorf("%s at %s: %v", op.class, id, err)
			case ir.Print(s) != ir.Print(khr):
				t.Errorf("%s at %s is another program:\n%s\nnot\n%s", op.class, id, ir.Print(s), ir.Print(khr))
			}
		}
	}
}

// TestDataByLocationAlone: what a trace hands on may be a variable that nothing else names, or what the shader itself was called with.
func TestDataByLocationAlone(t *testing.T) {
	const text = `OpCapability RayTracingNV
OpExtension "SPV_NV_ray_tracing"
OpMemoryModel Logical GLSL450
OpEntryPoint MODEL %main "main"
OpDecorate %scene DescriptorSet 0
OpDecorate %scene Binding 0
OpDecorate %payload Location 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%accel = OpTypeAccelerationStructureNV
%paccel = OpTypePointer UniformConstant %accel
%scene = OpVariable %paccel UniformConstant
%pp = OpTypePointer CLASS %float
%payload = OpVariable %pp CLASS
%zero = OpConstant %uint 0
%one = OpConstant %int 1
%f = OpConstant %float 1
%v = OpConstantComposite %v3 %f %f %f
%main = OpFunction %void None %fn
%entry = OpLabel
%as = OpLoad %accel %scene
OpTraceNV %as %zero %zero %zero %zero %zero %v %f %v %f %one
OpReturn
OpFunctionEnd
`
	for _, c := range [][2]string{{"RayGenerationNV", "RayPayloadNV"}, {"MissNV", "IncomingRayPayloadNV"}, {"RayGenerationNV", "CallableDataNV"}} {
		s, err := Translate(assemble(t, strings.NewReplacer("MODEL", c[0], "CLASS", c[1]).Replace(text)), Options{})
		if strings.HasPrefix(c[1], "Callable") {
			if err == nil || !strings.Contains(err.Error(), "no variable of storage class RayPayload") {
				t.Errorf("%s: %v", c[1], err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c[1], err)
		} else if !strings.Contains(ir.Print(s), "trace_ray") || !strings.Contains(ir.Print(s), "shader_call_data f32") {
			t.Errorf("%s:\n%s", c[1], ir.Print(s))
		}
	}
}
