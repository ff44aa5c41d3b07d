package spirv

import (
	"math/rand/v2"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// interpreted translates a kernel within some limits of nesting and makes it runnable as it is.
func interpreted(text string, l *flowLimits) (emu.Program, error) {
	words, err := spv.Assemble(text, spv.AssembleOptions{})
	if err != nil {
		return nil, err
	}
	m, err := spv.ParseWords(words)
	if err != nil {
		return nil, err
	}
	s, err := Translate(m, Options{panics: true, limits: l})
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		return nil, err
	}
	return interp.New(s, interp.Options{WaveSize: flowLanes})
}

// TestUnstructuredLimits runs random graphs that nest as deep as they like and ones that nest as deep as some
// small limits: the loops that pick among blocks are for these.
func TestUnstructuredLimits(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := NewFlowGraph(r, 4+r.IntN(20))
		limits := kernelLimits
		if seed%4 != 0 {
			limits = flowLimits{open: r.IntN(8), groups: r.IntN(4), branches: r.IntN(4)}
		}
		p, err := interpreted(g.Kernel(), &limits)
		if err == nil {
			err = g.Run(p)
		}
		if err != nil {
			t.Errorf("seed %d, %d blocks, %+v: %v", seed, len(g.blocks), limits, err)
		}
	}
}

// TestUnstructuredShapes translates graphs that are hard in one way each: what comes out grows with them and no faster.
func TestUnstructuredShapes(t *testing.T) {
	for name, g := range flowShapes(900) {
		s, err := Translate(assemble(t, graphText(g)), Options{panics: true})
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n := int(s.Functions[0].Impl.NumBlocks); n > 17*len(g) {
			t.Errorf("%s: %d blocks become %d", name, len(g), n)
		}
		deepest := 0
		for line := range strings.Lines(ir.Print(s)) {
			deepest = max(deepest, len(line)-len(strings.TrimLeft(line, " \t")))
		}
		if deepest > 2*250 { // two for each list
			t.Errorf("%s: lists are nested %d deep", name, deepest/2)
		}
	}
}

// TestUnstructuredLarge: loops in one another by the thousand, all of them irreducible.
func TestUnstructuredLarge(t *testing.T) {
	const n = 12000
	to := make([][]int, n)
	for i := range n - 1 {
		to[i] = []int{max(1, i-1), min(i+2, n-1)}
	}
	m := assemble(t, graphText(to))
	s, err := Translate(m, Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	if b := s.Functions[0].Impl.NumBlocks; b > 7*n {
		t.Errorf("%d blocks become %d", n, b)
	}
}

// unstructuredKernel is a kernel with the given function body; c is a condition, x a number.
func unstructuredKernel(body string) string {
	return flowHead + `%c1 = OpConstant %uint 1
%main = OpFunction %void None %fn
%buf = OpFunctionParameter %word
%e = OpLabel
%x = OpLoad %uint %buf Aligned 4
%c = OpULessThan %bool %x %c1
` + body + "OpFunctionEnd\n"
}

func TestUnstructuredCorners(t *testing.T) {
	for _, c := range []struct{ name, body, want, lacks string }{
		{"entry", "OpBranch %a\n%a = OpLabel\nOpBranchConditional %c %a %e\n", "a branch leads to the function's first block [SPIR-V 2.4", ""},
		{"entry from nowhere", "OpReturn\n%a = OpLabel\nOpBranch %e\n", "a branch leads to the function's first block", ""},
		{"label of another function", "OpBranch %main\n", "the label is not of a block of this function", ""},
		{"not dominated", "OpBranchConditional %c %a %b\n%a = OpLabel\n%y = OpIAdd %uint %x %c1\nOpBranch %b\n%b = OpLabel\nOpStore %buf %y Aligned 4\nOpBranch %a\n", "is used before its definition", ""},
		{"phi without a parent", "OpBranchConditional %c %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\n%p = OpPhi %uint %x %e\nOpBranch %a\n", "OpPhi has 1 values, its block", ""},
		{"no end", "OpBranch %a\n%a = OpLabel\nOpBranch %a\n", "", "break"},
		{"no end of two", "OpBranchConditional %c %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\nOpBranch %a\n", "", "break"},
		{"unreachable parent", "OpBranch %a\n%u = OpLabel\nOpBranch %a\n%a = OpLabel\n%p = OpPhi %uint %x %e %c1 %u\nOpStore %buf %p Aligned 4\nOpReturn\n", "", "loop"},
		{"diamond", "OpBranchConditional %c %a %b\n%a = OpLabel\nOpBranch %m\n%b = OpLabel\nOpBranch %m\n%m = OpLabel\nOpReturn\n", "", "loop"},
		{"same target", "OpSwitch %x %a 1 %a 2 %a\n%a = OpLabel\nOpBranchConditional %c %b %b\n%b = OpLabel\nOpReturn\n", "", "if"},
		{"hint", "OpBranch %a\n%a = OpLabel\nOpLoopMerge %m %n Unroll\nOpBranchConditional %c %a %m\n%n = OpLabel\nOpUnreachable\n%m = OpLabel\nOpReturn\n", "", "dont_unroll"},
	} {
		s, err := Translate(assemble(t, unstructuredKernel(c.body)), Options{panics: true})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
			continue
		}
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if text := ir.Print(s); strings.Contains(text, c.lacks) {
			t.Errorf("%s: there is a %q:\n%s", c.name, c.lacks, text)
		}
	}
	s, err := Translate(assemble(t, unstructuredKernel("OpBranch %a\n%a = OpLabel\nOpLoopMerge %m %n Unroll\nOpBranchConditional %c %a %m\n%n = OpLabel\nOpUnreachable\n%m = OpLabel\nOpReturn\n")), Options{panics: true})
	if err != nil || !strings.Contains(ir.Print(s), "loop unroll") {
		t.Errorf("a loop's hint is lost: %v", err)
	}
}

// TestShadersStayStructured: a shader whose loop or selection lacks its merge instruction is refused as ever.
func TestShadersStayStructured(t *testing.T) {
	head := computeHead + computeTypes + "%main = OpFunction %void None %fn\n%e = OpLabel\n"
	for _, body := range []string{
		"OpBranch %a\n%a = OpLabel\nOpBranchConditional %true %a %m\n%m = OpLabel\nOpReturn\nOpFunctionEnd\n",
		"OpBranchConditional %true %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\nOpBranch %a\nOpFunctionEnd\n",
	} {
		if _, err := Translate(assemble(t, head+body), Options{panics: true}); err == nil || !strings.Contains(err.Error(), "the control flow is not structured") {
			t.Errorf("%v\n%s", err, body)
		}
	}
}
