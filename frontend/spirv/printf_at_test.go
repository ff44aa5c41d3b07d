package spirv

import (
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// printfText prints a number of each type, nothing, and what is none.
const printfText = `OpCapability Shader
OpCapability Float16
OpCapability Float64
OpCapability Int64
OpCapability Int16
OpExtension "SPV_KHR_non_semantic_info"
%dp = OpExtInstImport "NonSemantic.DebugPrintf"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%fmt = OpString "first"
%none = OpString "second"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%short = OpTypeInt 16 1
%ulong = OpTypeInt 64 0
%long = OpTypeInt 64 1
%float = OpTypeFloat 32
%half = OpTypeFloat 16
%double = OpTypeFloat 64
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %long 4
%b3 = OpTypeVector %bool 3
%fn = OpTypeFunction %void
%t = OpConstantTrue %bool
%u = OpConstant %uint 1
%i = OpConstant %int 1
%s = OpConstant %short 1
%ul = OpConstant %ulong 1
%l = OpConstant %long 1
%f = OpConstant %float 1
%h = OpConstant %half 1
%d = OpConstant %double 1
%f2 = OpConstantComposite %v2 %f %f
%l4 = OpConstantComposite %v4 %l %l %l %l
%t3 = OpConstantComposite %b3 %t %t %t
%arr = OpTypeArray %float %u
%a1 = OpConstantComposite %arr %f
%main = OpFunction %void None %fn
%begin = OpLabel
%c0 = OpExtInst %void %dp 1 %fmt %t %u %i %s %ul %l %f %h %d %f2 %l4 %t3
%c1 = OpExtInst %void %dp 1 %none
%c2 = OpExtInst %float %glsl FAbs %f
%c3 = OpExtInst %void %dp 1 %fmt %a1
OpReturn
OpFunctionEnd
`

// TestPrintfAt: the call that stands at a word of a module: its text, and of each argument the number and type of the words that
// are printed, wherever something else stands no call.
func TestPrintfAt(t *testing.T) {
	m := assemble(t, printfText)
	type arg = PrintfArg
	first := []arg{
		{Components: 1, Bits: 32}, {Components: 1, Bits: 32}, {Components: 1, Bits: 32, Signed: true}, {Components: 1, Bits: 32, Signed: true},
		{Components: 1, Bits: 64}, {Components: 1, Bits: 64, Signed: true}, {Components: 1, Bits: 32, Float: true}, {Components: 1, Bits: 32, Float: true},
		{Components: 1, Bits: 64, Float: true}, {Components: 2, Bits: 32, Float: true}, {Components: 4, Bits: 64, Signed: true}, {Components: 3, Bits: 32},
	}
	var formats []string
	for i := range m.Insts {
		call, ok := PrintfAt(m, uint32(m.Insts[i].Offset))
		if !ok {
			continue
		}
		formats = append(formats, call.Format)
		want := first
		if call.Format == "second" {
			want = nil
		}
		if !slices.Equal(call.Args, want) || call.Kernel {
			t.Errorf("%s: %+v", call.Format, call)
		}
	}
	if !slices.Equal(formats, []string{"first", "second"}) {
		t.Errorf("the calls are %q", formats)
	}
	if _, ok := PrintfAt(m, 1<<20); ok {
		t.Error("a call beyond the module")
	}
	if !Prints(m) {
		t.Error("the module prints nothing")
	}
}

// TestPrintfWords: what is printed is words: what has other sizes becomes such, by its type, and what is one stays.
func TestPrintfWords(t *testing.T) {
	text := strings.NewReplacer("%c3 = OpExtInst %void %dp 1 %fmt %a1\n", "", " %f2 %l4 %t3", " %f2").Replace(printfText) // 16 words at most
	s, err := Translate(assemble(t, text), Options{Printf: true, panics: true})
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	ops := map[ir.Op]int{}
	for in := range s.Entry().Impl.Instrs() {
		if in.Kind == ir.KindALU {
			ops[in.Op]++
		}
	}
	for op, want := range map[ir.Op]int{ir.OpB2i32: 1, ir.OpI2i32: 1, ir.OpU2u32: 0, ir.OpF2f32: 1, ir.OpUnpack64_2x32SplitX: 3, ir.OpUnpack64_2x32SplitY: 3} {
		if ops[op] != want {
			t.Errorf("%d of %s, want %d:\n%s", ops[op], op, want, ir.Print(s))
		}
	}
}

// TestPrintfSizes: the words of a call are one vector, of the least size that has room for them.
func TestPrintfSizes(t *testing.T) {
	head, _, _ := strings.Cut(printfText, "%c0 = ")
	for n := range 17 {
		text := head + "%c0 = OpExtInst %void %dp 1 %fmt" + strings.Repeat(" %u", n) + "\nOpReturn\nOpFunctionEnd\n"
		s, err := Translate(assemble(t, text), Options{Printf: true, panics: true})
		if err != nil {
			t.Fatal(err)
		}
		want := uint8(1)
		for _, size := range []uint8{1, 2, 3, 4, 5, 8, 16} {
			if want = size; int(size) >= n {
				break
			}
		}
		calls := 0
		for in := range s.Entry().Impl.Instrs() {
			if in.IsIntrinsic(ir.IntrPrintf) {
				calls++
				if got := in.Srcs[0].Def.NumComponents; got != want {
					t.Errorf("%d words are a vector of %d, want %d", n, got, want)
				}
			}
		}
		if calls != 1 {
			t.Errorf("%d words: %d calls", n, calls)
		}
	}
}
