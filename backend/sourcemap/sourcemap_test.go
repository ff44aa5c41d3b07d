package sourcemap

import (
	"reflect"
	"testing"

	"nirc/backend"
	"nirc/backend/object"
	"nirc/ir"
)

// TestNew: instructions of one place share it, those before the first place and of no place have none.
func TestNew(t *testing.T) {
	o := &object.Object{Target: "ir3", GPU: "a740", Entry: "main", Stage: ir.StageVertex, Files: []string{"", "a.vert"}, Lines: []object.LineEntry{
		{Offset: 8, File: 1, Line: 3, Col: 5, ID: 9, Word: 40}, {Offset: 24, Line: 7}, {Offset: 32, File: 1, Line: 3, Col: 5, ID: 9, Word: 40}, {Offset: 40}, {Offset: 48, File: 2, Line: 1}}}
	var code []backend.Line
	for at := 0; at < 56; at += 8 {
		code = append(code, backend.Line{Offset: at, Text: "\tnop "})
	}
	at := ir.Loc{File: 1, Line: 3, Col: 5, ID: 9, Word: 40}
	m := New("a.spv", o, code, map[ir.Loc][]string{at: {"one", "two"}})
	if m.Schema != Schema || m.File != "a.spv" || m.Target != "ir3" || m.GPU != "a740" || m.Entry != "main" || m.Stage != "vertex" {
		t.Errorf("%+v", m)
	}
	var places []int
	for i, x := range m.Instrs {
		places = append(places, x.Place)
		if x.Offset != 8*i || x.Text != "nop" {
			t.Errorf("instruction %d is %+v", i, x)
		}
	}
	if want := []int{-1, 0, 0, 1, 0, -1, 2}; !reflect.DeepEqual(places, want) {
		t.Errorf("places %v, want %v", places, want)
	}
	want := []Source{{ID: 9, Word: 40, File: "a.vert", Line: 3, Col: 5, IR: []string{"one", "two"}}, {Line: 7}, {Line: 1}}
	if !reflect.DeepEqual(m.Places, want) {
		t.Errorf("%+v, want %+v", m.Places, want)
	}
}

// TestByPlace: the text of instructions, by their place in the source whatever the call that led there.
func TestByPlace(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	s.Locs = []ir.Loc{{}, {Line: 3}, {Line: 4, Func: 1, Call: 1}, {Line: 4}}
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	id := b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32)
	for k, loc := range []uint32{1, 2, 3, 0, 9} {
		d := b.Iadd(b.Channel(&id.Def, 0), b.Channel(&id.Def, k%3))
		d.Instr.Loc = loc
	}
	got := ByPlace(s)
	if len(got) != 2 || len(got[ir.Loc{Line: 3}]) != 1 || len(got[ir.Loc{Line: 4}]) != 2 {
		t.Errorf("%v", got)
	}
	for at, list := range got {
		for _, text := range list {
			if len(text) == 0 {
				t.Errorf("an instruction at %v has no text", at)
			}
		}
	}
}
