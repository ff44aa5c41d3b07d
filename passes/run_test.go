package passes

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestFor: a pass does not run on a shader without what it looks for; under VerifyEach it does, and
// must change nothing.
func TestFor(t *testing.T) {
	runs := 0
	p := &Pass{Name: "test", For: ir.HasTex | ir.HasLoop, Run: func(_ *Context, s *ir.Shader) (bool, error) {
		runs++
		s.Name += "x"
		return true, nil
	}}
	pipeline := &Pipeline{Name: "test", steps: []step{stepOf(NewContext(p), 0, 0)}, slots: 1}
	s := ir.NewShader(ir.StageCompute, nil)
	impl := s.NewFunction("main").Impl
	if err := pipeline.Run(s, RunOptions{}); err != nil || runs != 0 {
		t.Errorf("without a loop: %d runs, %v", runs, err)
	}
	if err := pipeline.Run(s, RunOptions{VerifyEach: true}); runs != 1 || err == nil || !strings.Contains(err.Error(), "says that it looks for") {
		t.Errorf("verified: %d runs, %v", runs, err)
	}
	ir.InsertLoop(ir.AtEnd(impl.Start())).Body.FirstBlock().InsertJump(ir.JumpBreak)
	if err := pipeline.Run(s, RunOptions{}); err != nil || runs != 2 {
		t.Errorf("with a loop: %d runs, %v", runs, err)
	}
}

// TestWithstands: a pass that had nothing to do does not run again after changes that it withstands; under VerifyEach it
// does, and must change nothing; after any other change it runs.
func TestWithstands(t *testing.T) {
	runs, did := 0, false
	p := &Pass{Name: "test", Withstands: ChangeFacts | ChangeRemoval, Run: func(*Context, *ir.Shader) (bool, error) {
		runs++
		return did, nil
	}}
	change := func(kind Change) step {
		return stepOf(NewContext(&Pass{Name: "change", Makes: kind, Run: func(*Context, *ir.Shader) (bool, error) {
			did = true
			return true, nil
		}}), 1, 0)
	}
	test := stepOf(NewContext(p), 0, 0)
	for _, c := range []struct {
		kind   Change
		verify bool
		runs   int
		fail   bool
	}{{kind: ChangeFacts, runs: 1}, {kind: ChangeRemoval, runs: 1}, {kind: ChangeMerge, runs: 2}, {runs: 2}, {kind: ChangeFacts, verify: true, runs: 2, fail: true}} {
		runs, did = 0, false
		pipeline := &Pipeline{Name: "test", steps: []step{test, change(c.kind), test}, slots: 2}
		s := ir.NewShader(ir.StageCompute, nil)
		s.NewFunction("main")
		err := pipeline.Run(s, RunOptions{VerifyEach: c.verify})
		if runs != c.runs || (err != nil && strings.Contains(err.Error(), "withstands")) != c.fail {
			t.Errorf("after a change of kind %d: %d runs, %v", c.kind, runs, err)
		}
	}
}

// TestForOptions: what a pass looks for may depend on its options, in pipelines and at hooks.
func TestForOptions(t *testing.T) {
	runs := 0
	p := &Pass{Name: "test", Options: []Option{{"loops", "look for loops", false}}, Run: func(*Context, *ir.Shader) (bool, error) {
		runs++
		return false, nil
	}}
	p.ForOptions = func(c *Context) ir.Contents {
		if c.Bool("loops") {
			return ir.HasLoop
		}
		return 0
	}
	s := ir.NewShader(ir.StageCompute, nil)
	s.NewFunction("main")
	for _, c := range []struct {
		loops string
		runs  int
	}{{"false", 1}, {"true", 0}} {
		runs = 0
		h := &Hooks{lists: map[string]*Pipeline{}}
		if err := h.add("test", p, []string{"loops", c.loops}); err != nil {
			t.Fatal(err)
		}
		if err := h.lists["test"].Run(s, RunOptions{}); err != nil || runs != c.runs {
			t.Errorf("loops=%s: %d runs, %v", c.loops, runs, err)
		}
	}
}
