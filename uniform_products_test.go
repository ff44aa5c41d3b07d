package nirc_test

import (
	"strings"
	"testing"

	"nirc"
	"nirc/passes"
)

// fog is out = exp(-d * d * x * x), d a push constant and x an input.
const fog = `OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %x %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %x Location 0
OpDecorate %o Location 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%zero = OpConstant %int 0
%block = OpTypeStruct %float
%pblock = OpTypePointer PushConstant %block
%pfloat = OpTypePointer PushConstant %float
%in = OpTypePointer Input %float
%out = OpTypePointer Output %float
%push = OpVariable %pblock PushConstant
%x = OpVariable %in Input
%o = OpVariable %out Output
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpAccessChain %pfloat %push %zero
%d = OpLoad %float %at
%v = OpLoad %float %x
%n = OpFNegate %float %d
%a = OpFMul %float %n %d
%b = OpFMul %float %a %v
%c = OpFMul %float %b %v
%e = OpExtInst %float %glsl Exp %c
OpStore %o %e
OpReturn
OpFunctionEnd
`

// TestConstantsOfUniformProducts: a constant factor goes with the uniform ones, though rules take it out of products where it may meet
// others: a program multiplies twice by what differs, and the preamble does the rest.
func TestConstantsOfUniformProducts(t *testing.T) {
	m, err := nirc.Load([]byte(fog), "fog.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"ir3", "agx"} {
		o, err := m.Compile(t.Context(), nirc.Options{Target: target, Level: passes.O2})
		if err != nil {
			t.Fatal(err)
		}
		b, err := nirc.Backend(target)
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.Cost(o)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := b.Disassemble(o.GPU, o.Code)
		if err != nil {
			t.Fatal(err)
		}
		products := 0
		for i := range p.Instrs {
			if !p.Instrs[i].Once && strings.Contains(lines[i].Text, "mul") {
				products += p.Instrs[i].Count
			}
		}
		if products != 2 {
			t.Errorf("%s: the program has %d products", target, products)
		}
	}
}
