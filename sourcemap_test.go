package nirc

import (
	"context"
	"slices"
	"strings"
	"testing"

	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// mapped stores the sum of a buffer's first words, up to the first that is 7:
// line 2 tests the loop's counter, 3 loads, 4 adds, 5 asks for 7, 6 counts on, 8 stores.
const mapped = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%file = OpString "sum.comp"
OpName %sum "sum"
OpName %small "still #9 \"small\""
OpName %seven "seven"
OpDecorate %words ArrayStride 4
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
OpMemberDecorate %B 1 Offset 4
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u7 = OpConstant %uint 7
%words = OpTypeRuntimeArray %uint
%B = OpTypeStruct %uint %words
%ptrB = OpTypePointer StorageBuffer %B
%ptr = OpTypePointer StorageBuffer %uint
%local = OpTypePointer Function %uint
%b = OpVariable %ptrB StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpVariable %local Function
%s = OpVariable %local Function
OpLine %file 1 1
OpStore %i %u0
OpStore %s %u0
%limitp = OpAccessChain %ptr %b %u0
%limit = OpLoad %uint %limitp
OpBranch %head
%head = OpLabel
OpLine %file 2 1
OpLoopMerge %after %next None
OpBranch %test
%test = OpLabel
OpLine %file 2 5
%iv = OpLoad %uint %i
%small = OpULessThan %bool %iv %limit
OpBranchConditional %small %body %after
%body = OpLabel
OpLine %file 3 3
%p = OpAccessChain %ptr %b %u1 %iv
%word = OpLoad %uint %p
OpLine %file 4 3
%old = OpLoad %uint %s
%sum = OpIAdd %uint %old %word
OpStore %s %sum
OpLine %file 5 9
%seven = OpIEqual %bool %word %u7
OpSelectionMerge %rest None
OpBranchConditional %seven %leave %rest
%leave = OpLabel
OpLine %file 5 12
OpBranch %after
%rest = OpLabel
OpBranch %next
%next = OpLabel
OpLine %file 6 3
%more = OpIAdd %uint %iv %u1
OpStore %i %more
OpBranch %head
%after = OpLabel
OpLine %file 8 1
%all = OpLoad %uint %s
OpStore %limitp %all
OpReturn
OpFunctionEnd`

// twoOutputs stores outputs at lines 3 and 4.
const twoOutputs = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %a %b
OpExecutionMode %main OriginUpperLeft
%file = OpString "two.frag"
OpDecorate %a Location 0
OpDecorate %b Location 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec = OpTypeVector %float 4
%one = OpConstant %float 1
%two = OpConstant %float 2
%ones = OpConstantComposite %vec %one %one %one %one
%twos = OpConstantComposite %vec %two %two %two %two
%ptr = OpTypePointer Output %vec
%a = OpVariable %ptr Output
%b = OpVariable %ptr Output
%main = OpFunction %void None %fn
%entry = OpLabel
OpLine %file 3 1
OpStore %a %ones
OpLine %file 4 1
OpStore %b %twos
OpReturn
OpFunctionEnd`

// mapOf compiles a module for a target and gives its source map.
func mapOf(t *testing.T, module, target string) *SourceMap {
	t.Helper()
	ctx := context.Background()
	m, err := Load([]byte(module), "a.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	u, err := New(Options{Target: target, Level: passes.O2, Debug: true})
	if err == nil {
		err = u.Translate(ctx, m)
	}
	if err == nil {
		err = u.Optimize(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, sm, err := u.GenerateMapped(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return sm
}

// TestSourceMap: conditions of branches have their line, places their IR even
// where values have names, and what belongs to no line claims none.
func TestSourceMap(t *testing.T) {
	for _, target := range Targets() {
		m := mapOf(t, mapped, target.Name)
		lines := map[uint32]int{}
		for _, p := range m.Places {
			if p.File != "sum.comp" || p.Line == 0 || p.Col == 0 || p.Word == 0 || len(p.IR) == 0 {
				t.Errorf("%s: a place lacks something: %+v", target.Name, p)
			}
		}
		for _, in := range m.Instrs {
			if strings.HasSuffix(in.Text, "\n") {
				t.Errorf("%s: %q ends a line", target.Name, in.Text)
			}
			if in.Place >= 0 {
				lines[m.Places[in.Place].Line]++
			}
		}
		for _, line := range []uint32{2, 3, 4, 5, 6, 8} {
			if lines[line] == 0 {
				t.Errorf("%s: no instruction is from line %d: %v", target.Name, line, lines)
			}
		}
		for _, end := range map[string][]string{"ir3": {"nop"}, "agx": {"trap", "stop"}}[target.Name] {
			if i := slices.IndexFunc(m.Instrs, func(in MapInstr) bool { return in.Text == end && in.Place >= 0 }); i >= 0 {
				t.Errorf("%s: %s is from %+v", target.Name, end, m.Places[m.Instrs[i].Place])
			}
		}
	}
}

// TestSourceMapOutputs: what leaves at the end is from the line that stored it.
func TestSourceMapOutputs(t *testing.T) {
	for _, target := range Targets() {
		m := mapOf(t, twoOutputs, target.Name)
		for _, line := range []uint32{3, 4} {
			if !slices.ContainsFunc(m.Instrs, func(in MapInstr) bool { return in.Place >= 0 && m.Places[in.Place].Line == line }) {
				t.Errorf("%s: no instruction is from line %d: %+v", target.Name, line, m)
			}
		}
	}
}

// squared ends in the operation that makes the colour.
const squared = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %a %b
OpExecutionMode %main OriginUpperLeft
%file = OpString "squared.frag"
OpDecorate %a Location 0
OpDecorate %b Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%in = OpTypePointer Input %float
%out = OpTypePointer Output %float
%a = OpVariable %in Input
%b = OpVariable %out Output
%main = OpFunction %void None %fn
%entry = OpLabel
OpLine %file 3 1
%x = OpLoad %float %a
%y = OpFMul %float %x %x
OpStore %b %y
OpReturn
OpFunctionEnd`

// TestLinkedLines: the epilog that the linker puts behind the main part is of no line.
func TestLinkedLines(t *testing.T) {
	ctx := context.Background()
	main, err := Compile(ctx, []byte(squared), Options{Target: "agx", Level: passes.O2, ABI: SeparateABI, Debug: true})
	if err != nil {
		t.Fatal(err)
	}
	state := []byte(`{"fragment": {"targets": [{"format": "R8G8B8A8_UNORM"}]}}`)
	o, err := Link(ctx, []*object.Object{main}, state)
	if err != nil {
		t.Fatal(err)
	}
	back, _ := Backend("agx")
	code, err := back.Disassemble(o.GPU, o.Code)
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for i := range code {
		if at := o.LineAt(uint32(code[i].Offset)); at.Known() {
			known++
			if strings.HasPrefix(code[i].Text, "st_tile") || code[i].Text == "stop" {
				t.Errorf("%s is from line %d", code[i].Text, at.Line)
			}
		}
	}
	if known == 0 {
		t.Error("no instruction has a line")
	}
}

// TestPhisHaveNoPlace: a pass does not put what it makes where the one before it was at work.
func TestPhisHaveNoPlace(t *testing.T) {
	ctx := context.Background()
	m, err := Load([]byte(mapped), "sum.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Translate(ctx, m, Options{Target: IRTarget, Debug: true})
	if err != nil {
		t.Fatal(err)
	}
	s.SetLoc(uint32(len(s.Locs) - 1)) // as a pass may leave it
	list, err := passes.ParsePassList("lower_vars_to_ssa")
	if err == nil {
		err = Optimize(ctx, s, Options{Target: IRTarget, Debug: true, Passes: list})
	}
	if err != nil {
		t.Fatal(err)
	}
	phis := 0
	for b := range s.Entry().Impl.Blocks() {
		for phi := range b.Phis() {
			phis++
			if phi.Loc != 0 {
				t.Errorf("a phi is from %+v", s.Locs[phi.Loc])
			}
		}
	}
	if phis == 0 {
		t.Errorf("no phis\n%s", ir.Print(s))
	}
}
