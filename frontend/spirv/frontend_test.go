package spirv

import (
	_ "embed"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// assemble makes a module of assembly text.
func assemble(t *testing.T, text string) *spv.Module {
	t.Helper()
	words, err := spv.Assemble(text, spv.AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spv.ParseWords(words)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const computeHead = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 4 2 1
`

const computeTypes = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%priv = OpTypePointer Private %uint
%x = OpVariable %priv Private
`

// sampleModules returns small modules of different kinds.
func sampleModules(t *testing.T) [][]byte {
	t.Helper()
	var list [][]byte
	for _, text := range []string{loopText, switchText, specText, bufferText} {
		m := assemble(t, text)
		b := make([]byte, 0, 4*len(m.Words))
		for _, w := range m.Words {
			b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
		}
		list = append(list, b)
	}
	return list
}

const loopText = computeHead + computeTypes + `
%main = OpFunction %void None %fn
%e = OpLabel
OpBranch %h
%h = OpLabel
%i = OpPhi %uint %c0 %e %next %cont
%j = OpPhi %uint %c1 %e %i %cont
OpLoopMerge %m %cont None
OpBranch %body
%body = OpLabel
%lt = OpULessThan %bool %i %j
OpSelectionMerge %sm None
OpBranchConditional %lt %then %sm
%then = OpLabel
OpBranchConditional %true %m %cont
%sm = OpLabel
OpStore %x %i
OpBranch %cont
%cont = OpLabel
%next = OpIAdd %uint %i %c1
%more = OpULessThan %bool %next %j
OpBranchConditional %more %h %m
%m = OpLabel
OpReturn
OpFunctionEnd
`

const switchText = computeHead + computeTypes + `
%main = OpFunction %void None %fn
%e = OpLabel
%v = OpLoad %uint %x
OpSelectionMerge %m None
OpSwitch %v %d 1 %a 2 %b 7 %b 9 %m
%a = OpLabel
OpStore %x %c1
OpBranch %b
%b = OpLabel
%lt = OpULessThan %bool %v %c1
OpSelectionMerge %bm None
OpBranchConditional %lt %bt %bf
%bt = OpLabel
OpBranch %m
%bf = OpLabel
OpBranch %bm
%bm = OpLabel
OpStore %x %c0
OpBranch %m
%d = OpLabel
OpStore %x %v
OpReturn
%m = OpLabel
OpReturn
OpFunctionEnd
`

//go:embed testdata/asm/spec_text.spvasm
var specText string

//go:embed testdata/asm/buffer_text.spvasm
var bufferText string

func TestSpecConstants(t *testing.T) {
	m := assemble(t, specText)
	list := SpecConstants(m)
	if len(list) != 2 || list[0].ID != 3 || list[0].Default != 5 || list[0].Name != "count" || list[0].Class != ir.ClassUint || list[1].Bits != 1 || list[1].Default != 1 {
		t.Errorf("SpecConstants: %+v", list)
	}
	for _, c := range []struct {
		spec []SpecValue
		want [3]uint32
	}{
		{nil, [3]uint32{5, 10, 2}},
		{[]SpecValue{{3, 7}}, [3]uint32{7, 14, 2}},
		{[]SpecValue{{3, 9}, {4, 0}}, [3]uint32{9, 2, 2}},
	} {
		s, err := Translate(m, Options{Spec: c.spec, panics: true})
		if err != nil {
			t.Fatal(err)
		}
		if s.Info.WorkgroupSize != c.want {
			t.Errorf("with %v the workgroup size is %v, not %v", c.spec, s.Info.WorkgroupSize, c.want)
		}
		if n := s.Variables[0].Type.Len; n != c.want[1] {
			t.Errorf("with %v the array has %d elements, not %d", c.spec, n, c.want[1])
		}
	}
}

// TestRowMajor: a row-major matrix is an array of its rows in memory.
func TestRowMajor(t *testing.T) {
	s, err := Translate(assemble(t, bufferText), Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	f := s.Variables[0].Type.Fields[0].Type
	if f.Base != ir.BaseArray || f.Len != 3 || f.Elem.Rows != 4 || f.Stride != 16 {
		t.Errorf("the row-major matrix of 4 columns and 3 rows is laid out as %v", f)
	}
}

// nested returns a function body with n nested selections, each of which also
// breaks out of the loop around all of them.
func nested(n int) string {
	var b strings.Builder
	b.WriteString(computeHead + computeTypes)
	b.WriteString("%main = OpFunction %void None %fn\n%e = OpLabel\nOpBranch %h\n%h = OpLabel\nOpLoopMerge %m %cont None\nOpBranch %s0\n")
	for i := range n {
		fmt.Fprintf(&b, "%%s%d = OpLabel\nOpSelectionMerge %%j%d None\nOpBranchConditional %%true %%s%d %%m\n", i, i, i+1)
	}
	fmt.Fprintf(&b, "%%s%d = OpLabel\nOpBranch %%j%d\n", n, n-1)
	for i := n - 1; i > 0; i-- {
		fmt.Fprintf(&b, "%%j%d = OpLabel\nOpBranch %%j%d\n", i, i-1)
	}
	b.WriteString("%j0 = OpLabel\nOpBranch %cont\n%cont = OpLabel\nOpBranch %h\n%m = OpLabel\nOpReturn\nOpFunctionEnd\n")
	return b.String()
}

func TestNesting(t *testing.T) {
	s, err := Translate(assemble(t, nested(2000)), Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	if _, err := Translate(assemble(t, nested(maxNesting)), Options{panics: true}); err == nil || !strings.Contains(err.Error(), "nested more than") {
		t.Errorf("%d nested selections: %v", maxNesting, err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"no entry point", "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%v = OpTypeVoid\n", "no entry point"},
		{"kernel", "OpCapability Kernel\nOpMemoryModel Logical OpenCL\nOpEntryPoint Kernel %f \"k\"\n%v = OpTypeVoid\n%t = OpTypeFunction %v\n%f = OpFunction %v None %t\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n", "Physical64"},
		{"recursion", computeHead + computeTypes + "%main = OpFunction %void None %fn\n%e = OpLabel\n%r = OpFunctionCall %void %main\nOpReturn\nOpFunctionEnd\n", "calls itself"},
		{"type error", computeHead + computeTypes + "%main = OpFunction %void None %fn\n%e = OpLabel\n%r = OpFAdd %uint %c0 %c1\nOpReturn\nOpFunctionEnd\n", "operand 0 is of type uint32"},
		{"circle", computeHead + computeTypes + "%main = OpFunction %void None %fn\n%e = OpLabel\nOpBranch %a\n%a = OpLabel\nOpBranch %a\nOpFunctionEnd\n", "not structured"},
		{"forward use", computeHead + computeTypes + "%main = OpFunction %void None %fn\n%e = OpLabel\nOpStore %x %r\n%r = OpIAdd %uint %c0 %c1\nOpReturn\nOpFunctionEnd\n", "before its definition"},
	} {
		_, err := Translate(assemble(t, c.text), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, it should speak of %q", c.what, err, c.want)
		}
	}
}

// TestErrorOnce: what several functions fail with is told once, and with it what one of them fails with.
func TestErrorOnce(t *testing.T) {
	bad := func(name string, c string) string {
		return "%" + name + " = OpFunction %void None %fn\n%" + name + "l = OpLabel\n%" + name + "v = OpVariable %narrowp Function\n" + c + "OpReturn\nOpFunctionEnd\n"
	}
	text := computeHead + computeTypes + "%narrow = OpTypeInt 24 0\n%narrowp = OpTypePointer Function %narrow\n" +
		"%main = OpFunction %void None %fn\n%e = OpLabel\n%r1 = OpFunctionCall %void %f\n%r2 = OpFunctionCall %void %g\n%r = OpFAdd %uint %c0 %c1\nOpReturn\nOpFunctionEnd\n" +
		bad("f", "") + bad("g", "")
	_, err := Translate(assemble(t, text), Options{})
	list, ok := err.(interface{ Unwrap() []error })
	if !ok || len(list.Unwrap()) != 2 || !strings.Contains(err.Error(), "operand 0 is of type uint32") || strings.Count(err.Error(), "24") != 1 {
		t.Errorf("the error is\n%v\nwant that of the addition, and that of the type once", err)
	}
}

// A shader that cannot be translated leaves its memory to the next one.
func TestFailedLeavesItsMemory(t *testing.T) {
	m := assemble(t, computeHead+computeTypes+"%main = OpFunction %void None %fn\n%e = OpLabel\n%r = OpFAdd %uint %c0 %c1\nOpReturn\nOpFunctionEnd\n")
	const runs = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		if _, err := Translate(m, Options{}); err == nil {
			t.Fatal("translated")
		}
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / runs; got > 20<<10 {
		t.Errorf("%d bytes a failure: a shader's memory is some 60,000", got)
	}
}

// TestUnusedIsIgnored: what the entry point does not reach cannot fail.
func TestUnusedIsIgnored(t *testing.T) {
	text := strings.Replace(loopText, "%main = OpFunction", "%bad = OpTypeInt 24 0\n%other = OpFunction %void None %fn\n%oe = OpLabel\n%or = OpFAdd %uint %c0 %c1\nOpReturn\nOpFunctionEnd\n%main = OpFunction", 1)
	s, err := Translate(assemble(t, text), Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Functions) != 1 {
		t.Errorf("%d functions are translated, one is reachable", len(s.Functions))
	}
}

// What a shader uses does not depend on how ids are numbered: a literal that is the number of a variable is none.
func TestLiteralsAreNoIDs(t *testing.T) {
	head := computeHead + "%file = OpString \"a.comp\"\n" + computeTypes + "%main = OpFunction %void None %fn\n%e = OpLabel\n"
	number := uint32(0)
	m := assemble(t, head+"OpReturn\nOpFunctionEnd\n")
	for i := range m.Insts {
		if m.Insts[i].Op == spv.OpVariable {
			number = uint32(m.Insts[i].Result())
		}
	}
	for line, want := range map[string]int{fmt.Sprintf("OpLine %%file %d %d", number, number): 0, "%l = OpLoad %uint %x": 1} {
		s, err := Translate(assemble(t, head+line+"\nOpReturn\nOpFunctionEnd\n"), Options{panics: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Variables) != want {
			t.Errorf("%s: %d variables, want %d", line, len(s.Variables), want)
		}
	}
}
