package main

import (
	"bytes"
	"testing"

	"nirc/internal/amber"
	"nirc/internal/bisect"
)

// TestCulpritText: what bisect says of what it found: with and without a line, a core as the judge, steps that cannot be told apart, a rewrite and the shader's texts.
func TestCulpritText(t *testing.T) {
	c := bisect.Culprit{Reason: "got 1,\n  want 2", Judge: "ir", Shader: 2, Shaders: 3, Stage: "fragment", Entry: "main", Step: "opt_dce", Run: 7, Steps: 9, Since: 7}
	for _, x := range []struct {
		change func(c *bisect.Culprit)
		want   string
	}{
		{func(*bisect.Culprit) {}, "FAIL a.amber: got 1, want 2\nfragment shader main (2 of 3), judged by the interpreter\nstep 7 of 9 turns PASS into FAIL: opt_dce\n"},
		{func(c *bisect.Culprit) { c.Line, c.Judge = 1, "agx" }, "FAIL a.amber: line 1: got 1, want 2\nfragment shader main (2 of 3), judged by agx's core\nstep 7 of 9 turns PASS into FAIL: opt_dce\n"},
		{func(c *bisect.Culprit) { c.Since, c.Rewrite = 6, 1 }, "FAIL a.amber: got 1, want 2\nfragment shader main (2 of 3), judged by the interpreter\nstep 7 of 9 turns PASS into FAIL: opt_dce\nsteps 6 to 7 cannot be told apart: the shader does not run between them\nrewrite 1 of it does\n"},
		{func(c *bisect.Culprit) { c.After = "x\n" }, "FAIL a.amber: got 1, want 2\nfragment shader main (2 of 3), judged by the interpreter\nstep 7 of 9 turns PASS into FAIL: opt_dce\n// before opt_dce\n// after opt_dce\nx\n"},
	} {
		c := c
		x.change(&c)
		if got := culpritText("a.amber", &c); got != x.want {
			t.Errorf("%+v:\n%s, want\n%s", c, got, x.want)
		}
	}
}

// TestTallies: folders in their order, and reasons with what they have of their own left out, the most frequent first.
func TestTallies(t *testing.T) {
	var x tallies
	for _, r := range []struct {
		path   string
		result amber.Result
	}{
		{"b/1.amber", amber.Result{Verdict: amber.Pass, Checked: 3}}, {"a/1.amber", amber.Result{Verdict: amber.Fail, Checked: 2}}, {"a/2.amber", amber.Result{Verdict: amber.Skip, Reason: `format "X" of 12 bits`}},
		{"a/3.amber", amber.Result{Verdict: amber.Skip, Reason: "no tools"}}, {"b/2.amber", amber.Result{Verdict: amber.Skip, Reason: `format "Y" of 7 bits`}}, {"b/3.amber", amber.Result{Verdict: amber.Skip, Reason: "a device"}},
	} {
		x.add(r.path, r.result)
	}
	var b bytes.Buffer
	if err := x.write(&b); err != nil {
		t.Fatal(err)
	}
	const want = "\nfolder  pass  fail  skip  expectations\na       0     1     2     2\nb       1     0     2     3\n\nskipped  why\n2        format … of … bits\n1        a device\n1        no tools\n\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	b.Reset()
	x = tallies{}
	x.add("a/1.amber", amber.Result{Verdict: amber.Pass})
	if err := x.write(&b); err != nil || b.String() != "\nfolder  pass  fail  skip  expectations\na       1     0     0     0\n\n" {
		t.Errorf("without reasons %q, %v", b.String(), err)
	}
}

// TestPlainYAML: comments, blanks and the order of members mean nothing; what is no YAML is taken as it is.
func TestPlainYAML(t *testing.T) {
	a, b := plainYAML([]byte("b: [1,  2] # two\na: x\n")), plainYAML([]byte("a: x\n\nb:\n- 1\n- 2\n"))
	if string(a) != `{"a":"x","b":[1,2]}` || !bytes.Equal(a, b) {
		t.Errorf("%s and %s", a, b)
	}
	if got := plainYAML([]byte("a: [")); string(got) != "a: [" {
		t.Errorf("%q", got)
	}
}

// TestBeside: a path that a file names is from the file's folder on, unless it is whole or of the standard input.
func TestBeside(t *testing.T) {
	for _, c := range [][3]string{{"dir/list", "a.spv", "dir/a.spv"}, {"list", "a.spv", "a.spv"}, {"dir/list", "/a.spv", "/a.spv"}, {"-", "x/a.spv", "x/a.spv"}, {"dir/sub/list", "../a.spv", "dir/a.spv"}} {
		if got := beside(c[0], c[1]); got != c[2] {
			t.Errorf("%s beside %s: %s, want %s", c[1], c[0], got, c[2])
		}
	}
}

// TestNIRStates: a row of the list stands where each feature is shown, is absent where nothing does it, and is part of it else.
func TestNIRStates(t *testing.T) {
	shown, missing := nirFeature{name: "a", tests: []string{"T", "U"}}, nirFeature{name: "b"}
	for _, c := range []struct {
		row   nirRow
		state string
		tests int
	}{
		{nirRow{ours: "x", features: []nirFeature{shown}}, "stand", 2},
		{nirRow{ours: "x", features: []nirFeature{shown, {name: "c", tests: []string{"U", "V"}}}}, "stand", 3},
		{nirRow{ours: "x", features: []nirFeature{shown, missing}}, "part", 2},
		{nirRow{ours: "x", features: []nirFeature{missing}}, "absent", 0},
		{nirRow{ours: "-", features: []nirFeature{shown}}, "absent", 2},
		{nirRow{ours: "-", candidates: "(the language)", features: []nirFeature{missing}}, "stand", 0},
	} {
		if c.row.state() != c.state || c.row.tests() != c.tests {
			t.Errorf("%+v: %s with %d tests, want %s with %d", c.row, c.row.state(), c.row.tests(), c.state, c.tests)
		}
	}
	have := map[string]bool{"opt_a": true}
	for list, want := range map[string]string{"opt_a opt_b": "opt_a", "opt_b": "-", "(Go)": "(Go)", "ir/x opt_a": "ir/x opt_a", "": "-"} {
		if got := standsFor(list, have); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}
