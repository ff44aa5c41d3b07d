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
	pipeline := &Pipeline{Name: "test", steps: []*step{{ctx: NewContext(p)}}, slots: 1}
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
