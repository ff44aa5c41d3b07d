package spirv

import (
	"regexp"
	"strings"
	"testing"

	"nirc/ir"
)

var defNumber = regexp.MustCompile(`%\d+(:\d+(x\d+)?)?`)

// operationsOf is what a shader does in order, without its numbers and without what moves values in and out.
func operationsOf(s *ir.Shader) string {
	var list []string
	for in := range s.Entry().Impl.Instrs() {
		if in.Kind != ir.KindIntrinsic && in.Kind != ir.KindALU || in.IsIntrinsic(ir.IntrStoreDeref) || in.IsIntrinsic(ir.IntrLoadDeref) {
			continue
		}
		list = append(list, strings.Join(strings.Fields(strings.NewReplacer(" = ", " ", ",", "").Replace(defNumber.ReplaceAllString(ir.PrintInstr(in), ""))), " "))
	}
	return strings.Join(list, "; ")
}

// TestFragmentOperations: what instructions that have to do with quads, helpers, clocks and the order of fragments become, in order.
func TestFragmentOperations(t *testing.T) {
	const text = `OpCapability Shader
OpCapability DerivativeControl
OpCapability DemoteToHelperInvocation
OpCapability ShaderClockKHR
OpCapability Int64
OpCapability FragmentShaderPixelInterlockEXT
OpExtension "SPV_EXT_fragment_shader_interlock"
OpExtension "SPV_KHR_shader_clock"
OpMemoryModel Logical GLSL450
OpEntryPoint MODEL %main "main" %in %out %o1 %olong
MODES
OpDecorate %in Location 0
OpDecorate %out Location 0
OpDecorate %o1 Location 1
OpDecorate %olong Location 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%f = OpTypeFloat 32
%v3 = OpTypeVector %f 3
%u = OpTypeInt 32 0
%u2 = OpTypeVector %u 2
%long = OpTypeInt 64 0
%subgroup = OpConstant %u 3
%device = OpConstant %u 1
%c1 = OpConstant %u 1
%c2 = OpConstant %u 2
%c4 = OpConstant %u 4
%pin = OpTypePointer Input %v3
%pout = OpTypePointer Output %v3
%p1 = OpTypePointer Output %u
%plong = OpTypePointer Output %u2
%in = OpVariable %pin Input
%out = OpVariable %pout Output
%o1 = OpVariable %p1 Output
%olong = OpVariable %plong Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v3 %in
BODY
OpReturn
OpFunctionEnd
`
	fragment := "OpExecutionMode %main OriginUpperLeft\nOpExecutionMode %main PixelInterlockOrderedEXT"
	store := "\nOpStore %out %r"
	for _, c := range []struct{ model, body, want string }{
		{"Fragment", "%r = OpDPdx %v3 %x" + store, "ddx"},
		{"Fragment", "%r = OpDPdy %v3 %x" + store, "ddy"},
		{"Fragment", "%r = OpDPdxFine %v3 %x" + store, "ddx_fine"},
		{"Fragment", "%r = OpDPdyFine %v3 %x" + store, "ddy_fine"},
		{"Fragment", "%r = OpDPdxCoarse %v3 %x" + store, "ddx_coarse"},
		{"Fragment", "%r = OpDPdyCoarse %v3 %x" + store, "ddy_coarse"},
		{"Fragment", "%r = OpFwidth %v3 %x" + store, "ddx; fabs; ddy; fabs; fadd"},
		{"Fragment", "%r = OpFwidthFine %v3 %x" + store, "ddx_fine; fabs; ddy_fine; fabs; fadd"},
		{"Fragment", "%r = OpFwidthCoarse %v3 %x" + store, "ddx_coarse; fabs; ddy_coarse; fabs; fadd"},
		{"Vertex", "%r = OpFwidth %v3 %x" + store, ""},
		{"Fragment", "OpDemoteToHelperInvocation", "demote"},
		{"Fragment", "%h = OpIsHelperInvocationEXT %bool\n%r = OpSelect %u %h %c1 %c2\nOpStore %o1 %r", "is_helper_invocation; bcsel"},
		{"Fragment", "%r = OpReadClockKHR %u2 %subgroup\nOpStore %olong %r", "shader_clock memory_scope=subgroup"},
		{"Fragment", "%k = OpReadClockKHR %long %device\n%r = OpUConvert %u %k\nOpStore %o1 %r", "shader_clock memory_scope=device; pack_64_2x32; u2u32"},
		{"Fragment", "OpBeginInvocationInterlockEXT\nOpEndInvocationInterlockEXT",
			"begin_invocation_interlock; barrier memory_scope=device memory_semantics=1 memory_modes=image|mem_ssbo|mem_global; " +
				"barrier memory_scope=device memory_semantics=2 memory_modes=image|mem_ssbo|mem_global; end_invocation_interlock"},
		{"Geometry", "OpEmitVertex\nOpEndPrimitive", "emit_vertex; end_primitive"},
		{"Geometry", "OpEmitStreamVertex %c2\nOpEndStreamPrimitive %c1", "emit_vertex stream_id=2; end_primitive stream_id=1"},
		{"Geometry", "OpEmitStreamVertex %c1\nOpEndStreamPrimitive %subgroup", "emit_vertex stream_id=1; end_primitive stream_id=3"},
		{"Geometry", "OpEmitStreamVertex %c4", "the vertex stream 4 is not supported: there are 4"},
	} {
		modes := fragment
		module := text
		switch c.model {
		case "Vertex":
			modes = ""
		case "Geometry":
			modes = "OpExecutionMode %main InputPoints\nOpExecutionMode %main Invocations 1\nOpExecutionMode %main OutputPoints\nOpExecutionMode %main OutputVertices 1"
			module = strings.NewReplacer("OpCapability DerivativeControl", "OpCapability Geometry\nOpCapability GeometryStreams", " %in %out", " %out",
				"OpDecorate %in Location 0\n", "", "%in = OpVariable %pin Input\n", "", "%x = OpLoad %v3 %in\n", "").Replace(text)
		}
		module = strings.NewReplacer("MODEL", c.model, "MODES", modes, "BODY", c.body).Replace(module)
		s, err := Translate(assemble(t, module), Options{})
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			if c.want == "" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.body, err)
			}
			continue
		}
		if got := operationsOf(s); got != c.want {
			t.Errorf("%s in a %s shader: %q, want %q", c.body, c.model, got, c.want)
		}
	}
}
