package backend

import (
	"reflect"
	"testing"

	"nirc/backend/object"
	"nirc/ir"
)

// TestLineTable: an entry where the place in the source changes, with the calls that lead there, each of them once.
func TestLineTable(t *testing.T) {
	s := &ir.Shader{Files: []string{"a", "b"}, Funcs: []string{"main", "f"}, Locs: []ir.Loc{
		{}, {File: 1, Line: 3, Col: 4, ID: 9, Word: 20}, {File: 1, Line: 5, Word: 22}, {File: 2, Line: 7, Func: 1, Call: 2}, {File: 2, Line: 8, Func: 1, Call: 2}, {File: 2, Line: 9, Func: 1, Call: 3}}}
	o := &object.Object{}
	lineTable(o, s, []CodeLine{{0, 1}, {8, 1}, {16, 3}, {24, 6}, {32, 4}, {40, 5}, {48, 1}, {56, 0}})
	want := []object.LineEntry{
		{Offset: 0, File: 1, Line: 3, Col: 4, ID: 9, Word: 20}, {Offset: 16, File: 2, Line: 7, Func: 1, Call: 1}, {Offset: 32, File: 2, Line: 8, Func: 1, Call: 1},
		{Offset: 40, File: 2, Line: 9, Func: 1, Call: 2}, {Offset: 48, File: 1, Line: 3, Col: 4, ID: 9, Word: 20}, {Offset: 56}}
	if !reflect.DeepEqual(o.Lines, want) {
		t.Errorf("%+v, want %+v", o.Lines, want)
	}
	if calls := []object.Call{{File: 1, Line: 5, Word: 22}, {File: 2, Line: 7, Func: 1, Call: 1}}; !reflect.DeepEqual(o.Calls, calls) {
		t.Errorf("calls %+v, want %+v", o.Calls, calls)
	}
	if !reflect.DeepEqual(o.Files, s.Files) || !reflect.DeepEqual(o.Funcs, s.Funcs) {
		t.Errorf("files %v, functions %v", o.Files, o.Funcs)
	}
	s.Funcs = s.Funcs[:1]
	o = &object.Object{}
	if lineTable(o, s, nil); o.Funcs != nil || o.Lines != nil {
		t.Errorf("of one function: %+v", o)
	}
}

// TestOptionalSteps: the steps that may be left out, in their order.
func TestOptionalSteps(t *testing.T) {
	got := OptionalSteps([]StepInfo{{Name: "a"}, {Name: "b", Optional: true}, {Name: "c"}, {Name: "d", Optional: true}})
	if !reflect.DeepEqual(got, []string{"b", "d"}) {
		t.Errorf("%v", got)
	}
}

// TestMeta: an object's metadata are read for its own target, and as they are.
func TestMeta(t *testing.T) {
	var m struct{ Registers int }
	o := &object.Object{Target: "agx", GPU: "g13g", ABI: []byte(`{"Registers":5}`)}
	find := func(name string) (*string, error) { return &name, nil }
	if g, err := Open("agx", o, &m, find); err != nil || *g != "g13g" || m.Registers != 5 {
		t.Errorf("%v, %+v", err, m)
	}
	if _, err := Open("ir3", o, &m, find); err == nil || err.Error() != "ir3: the object is for agx" {
		t.Errorf("of another target: %v", err)
	}
	o.ABI = []byte("{")
	if _, err := Open("agx", o, &m, find); err == nil {
		t.Error("metadata that do not end are read")
	}
}

// TestNewObject: an object has what its code generator made, and lines if they are asked for.
func TestNewObject(t *testing.T) {
	s := &ir.Shader{Name: "main", Stage: ir.StageCompute, Files: []string{"a"}, Locs: []ir.Loc{{}, {Line: 3}}}
	g := &Generated{GPU: "g", Code: []byte{1, 2}, Meta: struct{ A int }{5}, Stats: []object.Stat{{Name: "n", Value: 1}}, SharedSize: 16, ScratchSize: 32, Lines: []CodeLine{{0, 1}}}
	for _, debug := range []bool{false, true} {
		o, err := (&Job{Debug: debug}).NewObject("ir3", s, g)
		want := &object.Object{Target: "ir3", GPU: "g", Stage: ir.StageCompute, Entry: "main", Code: g.Code, ABI: []byte("{\n  \"A\": 5\n}"), Stats: g.Stats}
		if o != nil {
			var m, n struct{ A int }
			if Meta("ir3", o, &m) != nil || Meta("ir3", want, &n) != nil || m != n {
				t.Errorf("metadata %s", o.ABI)
			}
			want.ABI = o.ABI
		}
		want.Reflect.SharedSize, want.Reflect.ScratchSize = 16, 32
		if debug {
			want.Lines, want.Files = []object.LineEntry{{Line: 3}}, []string{"a"}
		}
		if err != nil || !reflect.DeepEqual(o, want) {
			t.Errorf("%+v, %v, want %+v", o, err, want)
		}
	}
	g.Meta = make(chan int)
	if _, err := (&Job{}).NewObject("ir3", s, g); err == nil {
		t.Error("metadata that are no JSON are taken")
	}
}
