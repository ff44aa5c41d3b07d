package spirv

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestRelaxedPrecision: RelaxedPrecision marks all operations of an instruction and none of its neighbours', of an instruction of
// GLSL.std.450 the last alone, and lookups of textures.
func TestRelaxedPrecision(t *testing.T) {
	const text = `OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %out Location 0
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 0
DECORATION
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpTypeFloat 32
%v2 = OpTypeVector %f 2
%v4 = OpTypeVector %f 4
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%timg = OpTypeImage %f 2D 0 0 0 1 Unknown
%tboth = OpTypeSampledImage %timg
%pboth = OpTypePointer UniformConstant %tboth
%tex = OpVariable %pboth UniformConstant
%in = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %in
%s = OpLoad %tboth %tex
%at = OpVectorShuffle %v2 %x %x 0 1
%before = OpFMul %v4 %x %x
%r = BODY
%after = OpFSub %v4 %r %before
OpStore %out %after
OpReturn
OpFunctionEnd
`
	for _, c := range []struct {
		body string
		want string // operations, those that are relaxed with a star
	}{
		{"OpFAdd %v4 %x %before", "fmul fadd* fsub"},
		{"OpFNegate %v4 %before", "fmul fneg* fsub"},
		{"OpFwidth %v4 %before", "fmul fabs* fabs* fadd* fsub"},
		{"OpExtInst %v4 %glsl Fma %x %x %before", "fmul ffma* fsub"},
		{"OpExtInst %v4 %glsl Normalize %before", "fmul … fmul* fsub"},
		{"OpImageSampleImplicitLod %v4 %s %at", "fmul tex* fsub"},
	} {
		for _, relaxed := range []bool{false, true} {
			decoration := ""
			if relaxed {
				decoration = "OpDecorate %r RelaxedPrecision"
			}
			s, err := Translate(assemble(t, strings.NewReplacer("DECORATION", decoration, "BODY", c.body).Replace(text)), Options{panics: true})
			if err != nil {
				t.Fatalf("%s: %v", c.body, err)
			}
			var got []string
			for in := range s.Entry().Impl.Instrs() {
				name := in.Op.String()
				switch {
				case in.Kind == ir.KindTex:
					name = "tex"
					if in.TexInfo().Precise16 {
						name += "*"
					}
				case in.Kind != ir.KindALU || in.IsVec() || in.Op == ir.OpMov:
					continue
				case in.Relaxed:
					name += "*"
				}
				got = append(got, name)
			}
			if strings.Contains(c.want, "…") && len(got) > 4 { // what is between is not relaxed
				if s := strings.Join(got[1:len(got)-2], " "); strings.Contains(s, "*") {
					t.Errorf("%s: before its last operation stand %s", c.body, s)
				}
				got = append(append(got[:1:1], "…"), got[len(got)-2:]...)
			}
			want := c.want
			if !relaxed {
				want = strings.ReplaceAll(want, "*", "")
			}
			if s := strings.Join(got, " "); s != want {
				t.Errorf("%s, relaxed %t: %s, want %s", c.body, relaxed, s, want)
			}
		}
	}
}
