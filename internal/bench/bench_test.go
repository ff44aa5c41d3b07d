package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc"
	"nirc/passes"
)

// TestGeneratedCompiles: the generator writes what the compiler takes, of the size asked for.
func TestGeneratedCompiles(t *testing.T) {
	for _, n := range []int{20, 500, 2000} {
		text := generate(n)
		if text != generate(n) {
			t.Fatal("two texts of one size differ")
		}
		body := text[strings.Index(text, "%entry"):]
		if have := strings.Count(body, "\n"); have < n || have > n+n/4+200 {
			t.Errorf("%d instructions, not %d", have, n)
		}
		f, err := measure([]byte(text), "generated", nirc.Options{Level: passes.O1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if f.time[stageParse] == 0 || f.time[stageGenerate] == 0 || f.allocs[stageTranslate] == 0 {
			t.Errorf("a stage took no time or made nothing: %+v", f)
		}
	}
}

// TestFamilies: a family counts what compiles, in the half that its name says, and what does not.
func TestFamilies(t *testing.T) {
	dir := t.TempDir()
	words := []byte(generate(40))
	for name, data := range map[string][]byte{"x/a.spv": words, "x/b.spv": words, "x/c.spv": words, "y/a.spv": words, "y/bad.spv": []byte("no module")} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var x, y family
	for f, name := range map[*family]string{&x: "x", &y: "y"} {
		if err := f.measure(filepath.Join(dir, name), nirc.Options{Level: passes.O1}); err != nil {
			t.Fatal(err)
		}
	}
	if x.shaders != 3 || x.refused != 0 || y.shaders != 1 || y.refused != 1 {
		t.Errorf("%+v, %+v", x, y)
	}
	if x.instrs != 3*y.instrs || y.instrs == 0 || x.bytes != 3*y.bytes || !(math.Abs(x.cycles-3*y.cycles) <= 1e-6) || x.counted[0]+x.counted[1] != 3 {
		t.Errorf("%+v is not three times %+v", x, y)
	}
	for half := range x.counted {
		if x.counted[half] > 0 && !(math.Abs(x.mean(half)-y.cycles) <= 1e-6) {
			t.Errorf("half %d has the mean %v of shaders of %v", half, x.mean(half), y.cycles)
		}
	}
	x.add(&y)
	if x.shaders != 4 || x.refused != 1 {
		t.Errorf("sum %+v", x)
	}
}

func TestReadTable(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ir3-a630.tsv")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("file\tstage\tstatus\tcompile_us\tstats\na/b.spv\tcomp\tok\t21.5\tx=1;inst=158;nops=4\nc.spv\tcomp\tcrash\t\t\n")
	rows, err := readTable(name)
	if err != nil || len(rows) != 1 || rows[0].ref != 21.5 || rows[0].refInstrs != 158 || rows[0].file != "a/b.spv" {
		t.Errorf("%v %v", rows, err)
	}
	for _, bad := range []string{"a\tb\n", "a\tcomp\tok\tfast\t\n", "a\tcomp\tok\t1\tinst=x\n", "a\tcomp\tok\t-1\t\n"} {
		write(bad)
		if _, err := readTable(name); err == nil {
			t.Errorf("%q is a table", bad)
		}
	}
}

func TestCorpusFiles(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"a.spv", "b.frag", "c.txt", "d.spvasm", "e.comp"} {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := corpusFiles(dir, 0)
	if err != nil || len(all) != 4 {
		t.Errorf("%v %v", all, err)
	}
	if two, err := corpusFiles(dir, 2); err != nil || len(two) != 2 || two[0] == two[1] {
		t.Errorf("%v %v", two, err)
	}
}

// TestTimePasses: each pass once, with a time, and growth judged by the others'.
func TestTimePasses(t *testing.T) {
	c := &config{rounds: 1, opts: nirc.Options{Level: passes.O1}}
	times, err := timePasses(generate(200), 200, c)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range times {
		if seen[p.name] || p.runs < 1 || p.per[0] < 0 {
			t.Errorf("%+v", p)
		}
		seen[p.name] = true
	}
	if !seen["opt_dce"] || !seen["opt_cse"] {
		t.Errorf("passes are missing among %d", len(times))
	}
	list := []*passTime{{per: []float64{10, 10, 20}}, {per: []float64{5, 5, 12}}, {per: []float64{4, 4, 4}}, {per: []float64{0, 1, 900}}, {per: []float64{0.1, 0.1, 1}}}
	if g := medianGrowth(list); g != 2 {
		t.Errorf("growth %g", g)
	}
}

func TestParseSizes(t *testing.T) {
	if got, err := parseSizes("500,5000"); err != nil || len(got) != 2 || got[0] != 500 || got[1] != 5000 {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"", "0", "5,x", "500,500", "5000,500"} {
		if got, err := parseSizes(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
