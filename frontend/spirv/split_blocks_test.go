package spirv

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// splitModule reads member MEMBER of element ELEMENT of an array of three blocks, whose members interpolate differently: a vector, an array of two and a float.
const splitModule = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %%main "main" %%blocks %%count %%out
OpExecutionMode %%main OriginUpperLeft
OpDecorate %%blocks Location 3
OpDecorate %%block Block
OpMemberDecorate %%block 0 Flat
OpDecorate %%count Location 1
OpDecorate %%count Flat
OpDecorate %%out Location 0
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%f = OpTypeFloat 32
%%v4 = OpTypeVector %%f 4
%%u = OpTypeInt 32 0
%%c0 = OpConstant %%u 0
%%c1 = OpConstant %%u 1
%%c2 = OpConstant %%u 2
%%c3 = OpConstant %%u 3
%%two = OpTypeArray %%v4 %%c2
%%block = OpTypeStruct %%v4 %%two %%f
%%three = OpTypeArray %%block %%c3
%%pblocks = OpTypePointer Input %%three
%%pu = OpTypePointer Input %%u
%%pv4 = OpTypePointer Input %%v4
%%pf = OpTypePointer Input %%f
%%po = OpTypePointer Output %%v4
%%blocks = OpVariable %%pblocks Input
%%count = OpVariable %%pu Input
%%out = OpVariable %%po Output
%%main = OpFunction %%void None %%fn
%%e = OpLabel
%%n = OpLoad %%u %%count
%%p = OpAccessChain %%%s %%blocks %%%s %s
%%x = OpLoad %%%s %%p
%%w = OpCompositeConstruct %%v4 %s
OpStore %%out %%w
OpReturn
OpFunctionEnd
`

// TestSplitBlocks: blocks whose members interpolate differently have a variable for each member of each element, one slot after the other.
// A known element's member is that variable; of one that is not known, the members of all elements are there, in their order, to choose from.
func TestSplitBlocks(t *testing.T) {
	const base, slots = 3, 4 // of the blocks, and of each: 1, 2 and 1
	for _, member := range []struct {
		index, pointer, typ, parts string
		first, k                   int
	}{
		{"%c0", "pv4", "v4", "%x", 0, 0}, {"%c1 %c1", "pv4", "v4", "%x", 1, 1}, {"%c2", "pf", "f", "%x %x %x %x", 3, 2},
	} {
		for _, element := range []string{"c0", "c1", "c2", "n"} {
			s, err := Translate(assemble(t, fmt.Sprintf(splitModule, member.pointer, element, member.index, member.typ, member.parts)), Options{panics: true})
			if err == nil {
				err = ir.Validate(s)
			}
			if err != nil {
				t.Fatalf("member %s of %s: %v", member.index, element, err)
			}
			var want []int
			for i := range 3 {
				if element == "n" || element == fmt.Sprint("c", i) {
					want = append(want, int(ir.SlotVar0)+base+slots*i+member.first)
				}
			}
			places, from := readSlots(t, s)
			if !slices.Equal(from, want) || element == "n" && !slices.Equal(places, []int{0, 1, 2}) {
				t.Errorf("member %s of %s is read from slots %v into the elements %v, want slots %v\n%s", member.index, element, from, places, want, ir.Print(s))
			}
		}
	}
}

// readSlots are the slots of the inputs that a shader reads except for the first one, and the elements of a local array that it puts each into.
func readSlots(t *testing.T, s *ir.Shader) (places, slots []int) {
	t.Helper()
	slotOf := func(d *ir.Def) int {
		v := d.Instr
		for v.Deref != ir.DerefVar {
			v = v.Srcs[0].Def.Instr
		}
		return int(v.DerefInfo().Var.Location)
	}
	element := func(d *ir.Def) {
		if d.Instr.Deref == ir.DerefArray {
			c, ok := d.Instr.Srcs[1].Def.Const(0)
			if !ok {
				t.Error("an element is not known")
			}
			places = append(places, int(c))
		}
	}
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic && in.Has(ir.IdxAccess) && in.Get(ir.IdxAccess) != 0 {
				t.Errorf("an access of its own kind: %s", ir.PrintInstr(in))
			}
			switch {
			case in.IsIntrinsic(ir.IntrLoadDeref) && in.Srcs[0].Def.Instr.DerefInfo().Modes == ir.ModeShaderIn:
				if slot := slotOf(in.Srcs[0].Def); slot != int(ir.SlotVar0)+1 {
					slots = append(slots, slot)
				}
			case in.IsIntrinsic(ir.IntrCopyDeref) && in.Srcs[1].Def.Instr.DerefInfo().Modes == ir.ModeShaderIn:
				slots = append(slots, slotOf(in.Srcs[1].Def))
				element(in.Srcs[0].Def)
			case in.IsIntrinsic(ir.IntrStoreDeref) && in.Srcs[0].Def.Instr.DerefInfo().Modes == ir.ModeFunctionTemp:
				if n := in.Srcs[1].Def.NumComponents; in.Get(ir.IdxWriteMask) != 1<<n-1 {
					t.Errorf("of %d components not all are written: %s", n, ir.PrintInstr(in))
				}
				element(in.Srcs[0].Def)
			}
		}
	}
	return places, slots
}

// TestSplitInterpolated: a member of a known element can be interpolated elsewhere, as it is an input of its own; one of an element that is not
// known is a copy, which cannot.
func TestSplitInterpolated(t *testing.T) {
	for _, element := range []string{"c0", "c2", "n"} {
		text := fmt.Sprintf(splitModule, "pv4", element, "%c1 %c1", "v4", "%x")
		text = strings.NewReplacer("OpMemoryModel", "OpCapability InterpolationFunction\n%set = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel",
			"OpLoad %v4 %p", "OpExtInst %v4 %set InterpolateAtCentroid %p").Replace(text)
		s, err := Translate(assemble(t, text), Options{panics: true})
		switch {
		case element == "n":
			if err == nil || !strings.Contains(err.Error(), "not of a float input") {
				t.Errorf("of an unknown element: %v", err)
			}
		case err != nil:
			t.Errorf("of element %s: %v", element, err)
		case !strings.Contains(ir.Print(s), "interp_deref_at_centroid"):
			t.Errorf("of element %s:\n%s", element, ir.Print(s))
		}
	}
}

// TestWholeBlocks: what fragment shaders interpolate alone has blocks split; for the stages before, an array of the same blocks is one variable.
func TestWholeBlocks(t *testing.T) {
	text := fmt.Sprintf(splitModule, "pv4", "c1", "%c0", "v4", "%x")
	text = strings.NewReplacer("OpCapability Shader", "OpCapability Shader\nOpCapability Tessellation", "Fragment", "TessellationEvaluation", "OriginUpperLeft", "Triangles",
		"OpDecorate %count Flat", "OpDecorate %count Patch\nOpDecorate %blocks Patch", "OpDecorate %out Location 0", "OpDecorate %out BuiltIn Position").Replace(text)
	s, err := Translate(assemble(t, text), Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	inputs := 0
	for _, v := range s.Variables {
		if v.Mode == ir.ModeShaderIn {
			inputs++
		}
	}
	if inputs != 2 {
		t.Errorf("%d inputs, want the array of blocks and a number\n%s", inputs, ir.Print(s))
	}
}
