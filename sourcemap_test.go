package nirc

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"testing"

	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// mapped stores the sum of a buffer's first words, up to the first that is 7:
// line 2 tests the loop's counter, 3 loads, 4 adds, 5 asks for 7, 6 counts on, 8 stores.
//
//go:embed testdata/asm/mapped.spvasm
var mapped string

// twoOutputs stores outputs at lines 3 and 4.
//
//go:embed testdata/asm/two_outputs.spvasm
var twoOutputs string

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
			// A bundle of Midgard's is from the line of its first instruction: the sum of line 4 stands before the comparison.
			if lines[line] == 0 && !(target.Name == "midgard" && line == 5) {
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
//
//go:embed testdata/asm/squared.spvasm
var squared string

// TestLinkedLines: the epilog that the linker puts after the main part is of no line.
func TestLinkedLines(t *testing.T) {
	ctx := context.Background()
	main, err := Compile(ctx, []byte(squared), Options{Target: "agx", Level: passes.O2, ABI: SeparateABI, Debug: true})
	if err != nil {
		t.Fatal(err)
	}
	state, err := ReadState("", []byte(`{"fragment": {"targets": [{"format": "R8G8B8A8_UNORM"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
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
