package figures

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"nirc/backend/object"
)

func shader(file string, inst, waves int64) Shader {
	return Shader{File: file, Entry: "main", Stage: "compute", Target: "ir3", GPU: "a630",
		Stats: Stats{{Name: "inst", Value: inst}, {Name: "waves", Value: waves}, {Name: "(ss)", Value: inst / 2}, {Name: "dwords", Value: 32}}}
}

func set(list ...Shader) *Set {
	s := New("O2")
	for _, sh := range list {
		s.Add(sh)
	}
	return s
}

func TestSet(t *testing.T) {
	s := set(shader("a", 10, 16), shader("b", 20, 8), Shader{File: "c", Target: "ir3", Error: "no"})
	if s.Failed != 1 || s.Total[0] != (object.Stat{Name: "inst", Value: 30}) {
		t.Fatalf("%+v", s)
	}
	var b bytes.Buffer
	if err := s.WriteStream(&b, &Layout{Form: "json"}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	again, err := Read(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	again.WriteStream(&b, &Layout{Form: "json"})
	if b.String() != text {
		t.Errorf("read back:\n%s\nwant\n%s", b.String(), text)
	}
	for _, bad := range []string{"", "{}", `{"schema":2}`, "[]", `{"schema":1,"shaders":[{"stats":[1]}]}`} {
		if _, err := Read([]byte(bad)); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
	b.Reset()
	l := NewLayout("csv", []string{"inst", "waves", "(ss)", "dwords"}, []string{"ir3"}, false)
	if err := s.WriteStream(&b, l); err != nil || b.String() != "file,entry,stage,target,gpu,error,compile_us,inst,waves,(ss),dwords\n"+
		"a,main,compute,ir3,a630,,,10,16,5,32\nb,main,compute,ir3,a630,,,20,8,10,32\nc,,,ir3,,no,,,,,\n" {
		t.Errorf("CSV %v:\n%s", err, b.String())
	}
	b.Reset()
	l.Form, l.Columns = "markdown", []string{"inst", "waves"}
	if err := s.WriteStream(&b, l); err != nil || b.String() != "| inst | waves | shader |\n| ---: | ---: | --- |\n| 10 | 16 | a  compute ir3 a630 |\n"+
		"| 20 | 8 | b  compute ir3 a630 |\n| 30 | - | total of 2 shaders, 1 failed |\n" {
		t.Errorf("Markdown %v:\n%s", err, b.String())
	}
	b.Reset()
	if err := set().WriteStream(&b, &Layout{Form: "json"}); err != nil {
		t.Error(err)
	}
	if none, err := Read(b.Bytes()); err != nil || none.Kind != Kind {
		t.Errorf("an empty set: %v\n%s", err, b.String())
	}
}

// The columns of a table are those that the targets have, and of a timed run no modelled ones.
func TestLayout(t *testing.T) {
	has := func(l *Layout, name string) bool { return slices.Contains(l.Columns, name) }
	if l := NewLayout("table", nil, []string{"agx"}, false); !has(l, "total cycles") || has(l, "sstall") || has(l, "fscib") || !has(l, "threads") {
		t.Errorf("agx: %v", l.Columns)
	}
	if l := NewLayout("table", []string{"all"}, []string{"agx", "ir3"}, true); has(l, "total cycles") || !has(l, "sstall") || !has(l, "fscib") {
		t.Errorf("all: %v", l.Columns)
	}
}

const baseline = "file\tstage\tstatus\tcompile_us\tstats\n" +
	"a\tcomp\tok\t2.5\tcode_bytes=64;inst=5;max_waves=16;ss=0\n" +
	"b\tcomp\tok\t10\tcode_bytes=256;inst=40;max_waves=16;ss=10\n" +
	"c\tcomp\tok\t1\tinst=1\n" +
	"d\tcomp\tno way\t\t\n" +
	"e\tcomp\tno way\t\t\n" +
	"f\tcomp\tok\t1\tinst=1\n"

func TestCompare(t *testing.T) {
	b, err := ReadBaseline(strings.NewReader(baseline))
	if err != nil {
		t.Fatal(err)
	}
	x, y, z := shader("a", 10, 8), shader("b", 20, 16), shader("d", 1, 1)
	x.Micros = 5
	ours := []*Shader{&x, &y, {File: "c", Error: "bad"}, &z, {File: "e", Error: "bad"}, nil}
	a := Compare(b, ours, 10)
	if a.Compared != 2 || len(a.Refused) != 1 || a.OnlyOurs != 1 || a.BothRefused != 1 || len(a.Absent) != 1 {
		t.Errorf("%+v", a)
	}
	col := func(name string) Column {
		for _, c := range a.Columns {
			if c.Name == name {
				return c
			}
		}
		t.Fatalf("no column %s", name)
		return Column{}
	}
	near := func(what string, got Ratio, want float64) {
		if !(math.Abs(float64(got)-want) <= 1e-9) { // NaN is not near
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	inst := col("inst") // ratios 2 and 1/2
	near("inst geomean", inst.GeoMean, 1)
	near("inst total", inst.Total, 30.0/45)
	if inst.Lower != 1 || inst.Higher != 1 || len(inst.Worst) != 1 || inst.Worst[0].File != "a" {
		t.Errorf("inst %+v", inst)
	}
	near("code_bytes geomean", col("code_bytes").GeoMean, 1) // 128/64 and 128/256: our dwords
	near("waves geomean", col("max_waves").GeoMean, math.Sqrt(0.5))
	ss := col("ss") // 5/0 counts in the total only
	near("ss geomean", ss.GeoMean, 1)
	near("ss total", ss.Total, 1.5)
	if ss.Ratios != 1 || ss.Worst[0].File != "a" {
		t.Errorf("ss %+v", ss)
	}
	if c := col("compile_us"); len(c.all) != 1 || c.Ours != 5 || c.Theirs != 3 {
		t.Errorf("compile_us %+v", c)
	}
	var out bytes.Buffer
	if err := a.Write(&out, []string{"inst"}); err != nil || !strings.Contains(out.String(), "bad (c)") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if _, err := json.Marshal(a); err != nil {
		t.Error(err)
	}
}

func TestReadBaseline(t *testing.T) {
	head := baselineHead + "\n"
	for text, want := range map[string]string{"": "empty", "x\n": "line 1", head: "empty", head + "a\n": "line 2", head + "a\tcomp\tok\tx\t\n": "compile_us",
		head + "a\tcomp\tok\t1\tinst\n": "key=number", head + "a\tcomp\tok\t1\tinst=x\n": "key=number"} {
		if _, err := ReadBaseline(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for path, want := range map[string][2]string{"x/ir3-a630.tsv": {"ir3", "a630"}, "midgard-t760.tsv": {"midgard", "t760"}, "other-x.tsv": {}, "ir3.tsv": {}} {
		if target, gpu := BaselineTarget(path); target != want[0] || gpu != want[1] {
			t.Errorf("%s: %s %s", path, target, gpu)
		}
	}
}

func TestDiff(t *testing.T) {
	gone, failed := shader("gone", 1, 1), Shader{File: "c", Target: "ir3", Error: "no"}
	before := set(shader("a", 10, 16), shader("b", 100, 8), shader("same", 7, 7), gone, failed)
	after := set(shader("a", 20, 8), shader("b", 50, 8), shader("same", 7, 7), shader("new", 1, 1), failed)
	d := NewDiff(before, after)
	if d.Shaders != 3 || len(d.Lost) != 1 || d.Lost[0] != "gone" || len(d.Gained) != 1 || d.Gained[0] != "new" || len(d.Columns) != 3 {
		t.Fatalf("%+v", d)
	}
	inst := d.Columns[0]
	if inst.Name != "inst" || inst.Before != 117 || inst.After != 77 || inst.AffectedBefore != 110 || inst.AffectedAfter != 70 ||
		len(inst.Helped) != 1 || inst.Helped[0].Shader != "b" || len(inst.Hurt) != 1 || inst.Hurt[0].Shader != "a" {
		t.Errorf("inst %+v", inst)
	}
	if w := d.Columns[2]; w.Name != "waves" || len(w.Hurt) != 1 || len(w.Helped) != 0 {
		t.Errorf("fewer waves are worse: %+v", w)
	}
	var out bytes.Buffer
	if err := d.Write(&out, 10); err != nil || !strings.Contains(out.String(), "total inst in shared programs: 117 -> 77 (-34.19%)") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestDiffNames: shaders of one name say of which stage, target and GPU they are, wherever they stand.
func TestDiffNames(t *testing.T) {
	of := func(stage, gpu string, inst int64) Shader {
		s := shader("m", inst, 8)
		s.Stage, s.GPU = stage, gpu
		return s
	}
	failed := Shader{File: "alone", Target: "ir3", Error: "no"}
	d := NewDiff(set(of("vertex", "a630", 1), of("fragment", "a630", 2), failed), set(of("vertex", "a630", 3), of("vertex", "a740", 1), of("fragment", "a740", 2), shader("alone", 1, 1)))
	want := &Diff{Lost: []string{"m (fragment ir3 a630)"}, Gained: []string{"m (vertex ir3 a740)", "m (fragment ir3 a740)", "alone"}}
	if !slices.Equal(d.Lost, want.Lost) || !slices.Equal(d.Gained, want.Gained) {
		t.Errorf("lost %q, gained %q", d.Lost, d.Gained)
	}
	if len(d.Columns) == 0 || len(d.Columns[0].Hurt) != 1 || d.Columns[0].Hurt[0].Shader != "m (vertex ir3 a630)" {
		t.Errorf("%+v", d.Columns)
	}
	if d = NewDiff(set(of("", "", 1)), set(shader("m", 1, 8))); len(d.Lost) != 1 || d.Lost[0] != "m (ir3)" {
		t.Errorf("lost %q", d.Lost)
	}
}

// TestFiguresOfOneName: what Find's callers ask is the same on all targets.
func TestFiguresOfOneName(t *testing.T) {
	for i := range Figures() {
		f, first := &Figures()[i], Find(Figures()[i].Name)
		if f.More != first.More || f.NoSum != first.NoSum || f.Scale != first.Scale {
			t.Errorf("%s: %v and %v differ in direction, total or scale", f.Name, first.Targets, f.Targets)
		}
	}
}
