package spirv

import (
	"fmt"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// bodyText is a module of one fragment shader that stores BODY's %r, a float of its input %x.
const bodyText = `OpCapability Shader
CAPABILITY
%file = OpString "a.frag"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpTypeFloat 32
%u = OpTypeInt 32 0
%subgroup = OpConstant %u 3
%pin = OpTypePointer Input %f
%pout = OpTypePointer Output %f
%in = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %f %in
BODY
OpStore %out %r
OpReturn
OpFunctionEnd
`

func bodyModule(capability, body string) string {
	return strings.NewReplacer("CAPABILITY", capability, "BODY", body).Replace(bodyText)
}

// TestPlacesOfInstructions: after OpLine instructions have its place and no id, and none after OpNoLine; with Debug each has the id
// of what it was made for as well.
func TestPlacesOfInstructions(t *testing.T) {
	text := bodyModule("", "OpLine %file 7 3\n%r = OpFMul %f %x %x\nOpNoLine\n")
	for debug, want := range map[bool]string{false: "fmul a.frag:7:3 id 0; store_deref  id 0", true: "fmul a.frag:7:3 id %r; store_deref :0:0 id 0"} {
		m := assemble(t, text)
		s, err := Translate(m, Options{Debug: debug, panics: true})
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Insts {
			if m.Insts[i].Op == spv.OpFMul {
				want = strings.ReplaceAll(want, "%r", fmt.Sprint(m.Insts[i].Result()))
			}
		}
		var got []string
		for in := range s.Entry().Impl.Instrs() {
			name := ""
			switch {
			case in.Kind == ir.KindALU:
				name = in.Op.String()
			case in.IsIntrinsic(ir.IntrStoreDeref):
				name = in.Intr.String()
			default:
				continue
			}
			l, at := s.Locs[in.Loc], ""
			if in.Loc != 0 {
				at = fmt.Sprintf("%s:%d:%d", s.Files[l.File], l.Line, l.Col)
			}
			got = append(got, fmt.Sprintf("%s %s id %d", name, at, l.ID))
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("with debug %t: %s, want %s", debug, text, want)
		}
	}
}

// lackingOne lacks one capability.
type lackingOne struct {
	lackingGPU
	c spv.Capability
}

func (l lackingOne) Lacks(c spv.Capability) string {
	if c == l.c {
		return "for a test"
	}
	return ""
}

// TestOneCapabilityLacking: an instruction that a capability enables is refused where the module declares no other that the
// target lacks, and the same module without it is not.
func TestOneCapabilityLacking(t *testing.T) {
	for body, refused := range map[string]bool{"%r = OpDPdxFine %f %x": true, "%r = OpFAdd %f %x %x": false} {
		_, err := Translate(assemble(t, bodyModule("OpCapability DerivativeControl", body)),
			Options{GPUName: "t860", TargetName: "midgard", Machine: lackingOne{lackingGPU{"midgard", "t860"}, spv.CapabilityDerivativeControl}})
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "DerivativeControl is not supported on t860: for a test") {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestOneOfTwoCapabilities: an instruction that either of two capabilities enables is translated where the module declares both and the
// target lacks one, and is refused where it declares only that.
func TestOneOfTwoCapabilities(t *testing.T) {
	const clustered = "OpCapability GroupNonUniformClustered"
	for capabilities, refused := range map[string]bool{clustered + "\nOpCapability GroupNonUniformArithmetic": false, clustered: true} {
		m := assemble(t, bodyModule(capabilities, "%r = OpGroupNonUniformFAdd %f %subgroup Reduce %x"))
		_, err := Translate(m, Options{GPUName: "t860", TargetName: "midgard", Machine: lackingOne{lackingGPU{"midgard", "t860"}, spv.CapabilityGroupNonUniformClustered}})
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "GroupNonUniformClustered is not supported on t860: for a test") {
			t.Errorf("%s: %v", capabilities, err)
		}
	}
}

// TestArithmeticFence: what a fence takes is exact, and what it does not take is not.
func TestArithmeticFence(t *testing.T) {
	s, err := Translate(assemble(t, bodyModule("OpCapability ArithmeticFenceEXT\nOpExtension \"SPV_EXT_arithmetic_fence\"",
		"%p = OpFMul %f %x %x\n%q = OpArithmeticFenceEXT %f %p\n%r = OpFAdd %f %q %x")), Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for in := range s.Entry().Impl.Instrs() {
		if in.Kind == ir.KindALU {
			got = append(got, fmt.Sprintf("%s %t", in.Op, in.Exact))
		}
	}
	if text := strings.Join(got, "; "); text != "fmul true; fadd false" {
		t.Error(text)
	}
}
