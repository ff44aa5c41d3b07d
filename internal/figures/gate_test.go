package figures

import (
	"slices"
	"strings"
	"testing"

	"nirc/backend/object"
)

func TestParseGate(t *testing.T) {
	for _, text := range []string{"inst", "inst>", "inst>x", ">1", "inst>-1", "nope>1", "inst>1%%", "inst>inf", "inst>nan", ""} {
		if _, err := ParseGate(text); err == nil {
			t.Errorf("%q is a gate", text)
		}
	}
	g, err := ParseGate("total:total cycles>+2.5%")
	if err != nil || g.Name != "total cycles" || g.By != 2.5 || !g.Percent || g.Shaders || !g.Total {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestGates(t *testing.T) {
	before := set(shader("a", 100, 16), shader("b", 100, 8))
	for _, c := range []struct {
		name, gate string
		after      *Set
		closed     int
	}{
		{"nothing differs", "inst>0", before, 0},
		{"less is better", "inst>0", set(shader("a", 50, 16), shader("b", 100, 8)), 0},
		{"a little worse", "inst>5%", set(shader("a", 104, 16), shader("b", 100, 8)), 0},
		{"one shader is worse, not the total", "inst>5%", set(shader("a", 110, 16), shader("b", 90, 8)), 1},
		{"total alone", "total:inst>5%", set(shader("a", 110, 16), shader("b", 90, 8)), 0},
		{"both", "inst>5%", set(shader("a", 120, 16), shader("b", 100, 8)), 2},
		{"by number", "shader:inst>19", set(shader("a", 120, 16), shader("b", 100, 8)), 1},
		{"by as much as allowed", "shader:inst>20", set(shader("a", 120, 16), shader("b", 100, 8)), 0},
		{"fewer waves are worse, and have no total", "waves>0", set(shader("a", 100, 8), shader("b", 100, 8)), 1},
		{"more waves are better", "waves>0", set(shader("a", 100, 16), shader("b", 100, 16)), 0},
		{"lost", "inst>0", set(shader("a", 100, 16), Shader{File: "b", Error: "no"}), 1},
	} {
		g, err := ParseGate(c.gate)
		if err != nil {
			t.Fatal(err)
		}
		d := NewDiff(before, c.after)
		if got := d.Closed([]Gate{g}); len(got) != c.closed {
			t.Errorf("%s: %q", c.name, got)
		}
		if d.Closed(nil) != nil {
			t.Errorf("%s: closed without a gate", c.name)
		}
	}
	from0 := NewDiff(set(Shader{File: "a", Stats: Stats{{Name: "spills", Value: 0}}}), set(Shader{File: "a", Stats: Stats{{Name: "spills", Value: 1}}}))
	g, _ := ParseGate("spills>10%")
	if len(from0.Closed([]Gate{g})) == 0 {
		t.Error("from nothing to something is no percentage, and passes")
	}
}

func TestMarkdownDiff(t *testing.T) {
	d := NewDiff(set(shader("a`|", 10, 16), shader("b", 100, 8)), set(shader("a`|", 20, 8), shader("b", 50, 8)))
	var b strings.Builder
	if err := d.WriteMarkdown(&b, 10, []string{"why"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"**The gate is closed:**\n\n- `why`\n", "| inst | 110 -> 70 (-36.36%) | 1 | 1 |\n", "| waves | – | 0 | 1 |\n", "| `a'\\|` | 10 | 20 | +100.00% |\n", "2 shaders in both, 0 lost, 0 gained.\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	d.Keep([]string{"waves"})
	if len(d.Columns) != 1 || d.Columns[0].Name != "waves" {
		t.Errorf("%+v", d.Columns)
	}
}

func TestTotals(t *testing.T) {
	s := set(shader("a", 10, 16))
	if slices.ContainsFunc(s.Total, func(x object.Stat) bool { return x.Name == "waves" }) {
		t.Error("waves have a total")
	}
	var b strings.Builder
	if err := s.WriteStream(&b, &Layout{Form: "table", Columns: []string{"inst", "waves"}}); err != nil || !strings.Contains(b.String(), "10       -  total of 1 shaders") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestFormat(t *testing.T) {
	for v, want := range map[int64]string{1250: "12.5", 100: "1", 0: "0", 10000: "100", 1233: "12.33"} {
		if got := Format("total cycles", v); got != want {
			t.Errorf("%d is %s, want %s", v, got, want)
		}
	}
	if Format("inst", 1250) != "1250" {
		t.Error("instructions are scaled")
	}
}
