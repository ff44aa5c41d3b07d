package passes

import (
	"hash/crc32"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

func loadDefault(t *testing.T) *Pipelines {
	t.Helper()
	data, err := os.ReadFile("../pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Load(data, "pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDefaultPipeline runs the pipelines that the compiler ships with.
func TestDefaultPipeline(t *testing.T) {
	pl := loadDefault(t)
	for _, target := range pl.Targets() {
		for level := O0; level <= Os; level++ {
			s := randomShader(7, 80, true)
			before := ir.Clone(s)
			p, err := pl.Resolve(target, level, ir.StageCompute)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
				t.Fatalf("%s -%s: %v", target, level, err)
			}
			compareRuns(t, before, s)
		}
	}
}

// TestRows: the steps of a pipeline are made in the room that was asked for them.
func TestRows(t *testing.T) {
	pl := loadDefault(t)
	for _, target := range pl.Targets() {
		for level := O0; level <= Os; level++ {
			for _, stage := range []ir.Stage{ir.StageVertex, ir.StageFragment, ir.StageCompute} {
				p, err := pl.Resolve(target, level, stage)
				if err != nil {
					t.Fatal(err)
				}
				if room := rowOf(pl.list(target).items); len(p.steps) == 0 || cap(p.steps) != room {
					t.Errorf("%s -%s, %s: %d steps in room for %d, %d were asked for", target, level, stage, len(p.steps), cap(p.steps), room)
				}
			}
		}
	}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"pipelines:\n  common:\n    - opt_dcee\n", "f:3: no pass \"opt_dcee\" (did you mean opt_dce?)"},
		{"pipelines:\n  common:\n    - opt_peephole_select: {limit: x}\n", "f:3: opt_peephole_select(limit=x): want an integer"},
		{"pipelines:\n  common:\n    - opt_peephole_select: {limmit: 1}\n", "f:3: opt_peephole_select has no option \"limmit\""},
		{"pipelines:\n  common:\n    - use: no\n", "f:3: no list \"no\""},
		{"lists:\n  a:\n    - use: a\npipelines:\n  common: []\n", "f:3: list \"a\" uses itself"},
		{"pipelines:\n  common:\n    - if: stage == frog\n      then: [opt_dce]\n", "f:3: condition \"stage == frog\": no stage \"frog\""},
		{"pipelines:\n  common:\n    - inline_functions\n    - opt_dce\n    - lower_returns\n", "f:5: lower_returns must come before inline_functions of line 3"},
		{"pipelines:\n  common:\n    - loop: []\n", "f:3: loop without passes"},
		{"pipelines: [", "f: line 1"},
	} {
		_, err := Load([]byte(c.text), "f")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

// A list with a mistake says the same whenever it is asked for.
func TestLoadErrorAgain(t *testing.T) {
	l := newLoader("f")
	top, err := pipelineTree([]byte("pipelines:\n  a:\n    - no_such_pass\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.sections(top); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := l.list("a", l.nodes["a"]); err == nil || !strings.Contains(err.Error(), `no pass "no_such_pass"`) {
			t.Error(err)
		}
	}
}

func TestResolveConditions(t *testing.T) {
	p, err := Load([]byte(`
pipelines:
  t:
    - if: level >= O1 && stage != fragment
      then: [opt_cse]
      else: [opt_dce]
    - if: uses_discard || stage == vertex
      then: [opt_if]
`), "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		level Level
		stage ir.Stage
		want  string
	}{
		{O0, ir.StageVertex, "opt_dce opt_if"},
		{O2, ir.StageVertex, "opt_cse opt_if"},
		{O2, ir.StageFragment, "opt_dce opt_if"},
	} {
		r, err := p.Resolve("t", c.level, c.stage)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Passes(), " "); got != c.want {
			t.Errorf("-%s %s: %s, want %s", c.level, c.stage, got, c.want)
		}
	}
	if _, err := p.Resolve("x", O0, ir.StageVertex); err == nil {
		t.Error("unknown target resolves")
	}
	// A fact is looked up when the pipeline runs.
	r, _ := p.Resolve("t", O0, ir.StageCompute)
	var ran []string
	s := randomShader(1, 5, false)
	if err := r.Run(s, RunOptions{BisectLog: func(_ int, name string, _ bool) { ran = append(ran, name) }}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ran, " "); got != "opt_dce" {
		t.Errorf("ran %s", got)
	}
}

func TestParsePassList(t *testing.T) {
	p, err := ParsePassList("opt_dce, opt_peephole_select(limit=3,expensive_alu_ok), loop(opt_cse,opt_copy_prop)")
	if err != nil {
		t.Fatal(err)
	}
	want := "opt_dce opt_peephole_select(limit=3,expensive_alu_ok=true) opt_cse opt_copy_prop"
	if got := strings.Join(p.Passes(), " "); got != want {
		t.Errorf("got %s", got)
	}
	if p, err := ParsePassList(""); err != nil || len(p.Passes()) != 0 {
		t.Errorf("empty list: %v", err)
	}
	for _, bad := range []string{"opt_dce,", "loop", "loop(", "nope", "opt_dce)", "opt_dce(x=1)", "(", "opt_peephole_select(limit=1"} {
		if _, err := ParsePassList(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestInstruments tests the switches on one small pipeline.
func TestInstruments(t *testing.T) {
	p, err := ParsePassList("lower_returns,opt_dce,opt_cse,opt_dce")
	if err != nil {
		t.Fatal(err)
	}
	run := func(opt RunOptions) (ran, dumps string) {
		var r, d []string
		opt.BisectLog = func(_ int, name string, did bool) {
			if did {
				r = append(r, name)
			}
		}
		opt.Dump = func(title, text string) {
			if !strings.Contains(text, "shader compute") {
				t.Errorf("dump %s is %q", title, text)
			}
			d = append(d, title)
		}
		if err := p.Run(randomShader(3, 30, false), opt); err != nil {
			t.Fatal(err)
		}
		return strings.Join(r, " "), strings.Join(d, ", ")
	}
	times := &Times{}
	for _, c := range []struct {
		opt        RunOptions
		ran, dumps string
	}{
		{RunOptions{Times: times}, "opt_dce opt_cse opt_dce", ""},
		{RunOptions{Disable: []string{"opt_cse"}}, "opt_dce", ""},
		{RunOptions{Bisect: &BisectLimit{Runs: 1, Rewrites: -1}}, "opt_dce", ""},
		{RunOptions{StartBefore: "opt_cse"}, "opt_cse opt_dce", ""},
		{RunOptions{StopAfter: "opt_dce"}, "opt_dce", ""},
		{RunOptions{DumpBefore: []string{"opt_cse"}, DumpAfter: []string{"opt_dce"}}, "opt_dce opt_cse opt_dce", "after opt_dce, before opt_cse, after opt_dce"},
	} {
		ran, dumps := run(c.opt)
		if ran != c.ran || dumps != c.dumps {
			t.Errorf("%+v: ran %q, dumped %q", c.opt, ran, dumps)
		}
	}
	if len(times.Steps) != 3 || times.Steps[1].Name != "opt_dce" || times.Steps[1].Runs != 2 {
		t.Errorf("times: %+v", times.Steps)
	}
	if _, err := ParseBisect("3.x"); err == nil {
		t.Error("3.x is a bisect limit")
	}
	if b, err := ParseBisect("12.5"); err != nil || b.Runs != 12 || b.Rewrites != 5 {
		t.Errorf("12.5: %+v, %v", b, err)
	}
}

// TestVerifyFindsLiars runs passes that say wrong things.
func TestVerifyFindsLiars(t *testing.T) {
	addUndef := func(s *ir.Shader) {
		impl := s.Entry().Impl
		ir.AtStart(impl.Start()).Insert(s.NewUndef(1, 32))
	}
	for _, c := range []struct {
		name, want string
		run        func(*Context, *ir.Shader) (bool, error)
	}{
		{"silent", "changed nothing", func(_ *Context, s *ir.Shader) (bool, error) { addUndef(s); return false, nil }},
		{"keeps", "instr_index", func(_ *Context, s *ir.Shader) (bool, error) { addUndef(s); return true, nil }},
		{"breaks", "invalid shader", func(_ *Context, s *ir.Shader) (bool, error) {
			s.Entry().Impl.Start().First().Def.NumComponents = 7
			return true, nil
		}},
	} {
		p := &Pass{Name: c.name, Run: c.run}
		r := resolver{keys: map[string]int{}}
		pl := &Pipeline{Name: "t", has: map[string]bool{}}
		pl.steps = r.items([]*item{{pass: NewContext(p)}}, pl)
		pl.slots = len(r.keys)
		err := pl.Run(randomShader(1, 10, false), RunOptions{VerifyEach: true})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.name) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestLoopSkips tests that a loop does not run again what has nothing to do.
func TestLoopSkips(t *testing.T) {
	p, err := ParsePassList("lower_returns,inline_functions,loop(opt_dce,opt_cse)")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	count := func(int, string, bool) { n++ }
	s := randomShader(5, 40, false)
	if err := p.Run(s, RunOptions{BisectLog: count}); err != nil {
		t.Fatal(err)
	}
	n = 0
	if err := p.Run(s, RunOptions{BisectLog: count}); err != nil {
		t.Fatal(err)
	}
	if n != 2 {
		t.Errorf("a second run takes %d steps, want 2", n)
	}
}

// TestRunPass runs single passes.
func TestRunPass(t *testing.T) {
	s := randomShader(2, 20, false)
	if _, err := RunPass(s, "lower_returns"); err != nil {
		t.Error(err)
	}
	if did, err := RunPass(s, "inline_functions"); err != nil || !did {
		t.Errorf("inline_functions: %v, %v", did, err)
	}
	if _, err := RunPass(s, "opt_peephole_select", "limit", "many"); err == nil {
		t.Error("limit=many is accepted")
	}
	if _, err := RunPass(s, "nope"); err == nil {
		t.Error("nope is a pass")
	}
}

// TestBuiltinTree: the tree that the compiler has of its pipeline file is that of the file as it stands.
func TestBuiltinTree(t *testing.T) {
	data, err := os.ReadFile("../pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	top, err := pipelineTree(data, "pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if crc32.ChecksumIEEE(data) != builtinSum || !reflect.DeepEqual(*top, builtinTree) {
		t.Error("pipeline.yaml has changed: run go generate ./passes")
	}
}

// TestRewritesOfTheLast: of the last step that a limit lets run, as many rewrites as it says are made, of the others all.
func TestRewritesOfTheLast(t *testing.T) {
	for limit := -1; limit < 4; limit++ {
		ins := NewInstrument(RunOptions{Bisect: &BisectLimit{Runs: 2, Rewrites: limit}})
		var made []int
		for range 3 {
			n := 0
			changed, err := ins.Do(&Step{Name: "a", Optional: true, Run: func() (bool, error) {
				for range 3 {
					if ins.Rewrite() {
						n++
					}
				}
				return n > 0, nil
			}})
			if err != nil || changed != (n > 0) {
				t.Errorf("%v, %v", changed, err)
			}
			made = append(made, n)
		}
		last := limit
		if limit < 0 {
			last = 3
		}
		if want := []int{3, min(last, 3), 0}; !slices.Equal(made, want) {
			t.Errorf("of %d rewrites of the second step: %d are made, want %d", limit, made, want)
		}
		for range 2 {
			if !ins.Rewrite() {
				t.Error("outside of steps nothing is counted")
			}
		}
	}
	if none := (*Instrument)(nil); !none.Rewrite() {
		t.Error("without an instrument nothing is counted")
	}
}
