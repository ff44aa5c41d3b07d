package amber

import (
	"testing"

	"nirc/ir"
)

// TestNext: a stage is followed by the nearest one that the pipeline has.
func TestNext(t *testing.T) {
	pl := &Pipeline{}
	for _, s := range []ShaderStage{StageFragment, StageVertex, StageTessEval, StageTessCtrl} {
		pl.Shaders = append(pl.Shaders, &Attached{Stage: s})
	}
	for stage, want := range map[ShaderStage]ir.Stage{StageVertex: ir.StageTessCtrl, StageTessCtrl: ir.StageTessEval,
		StageTessEval: ir.StageFragment, StageFragment: ir.StageNone, StageCompute: ir.StageNone} {
		if got := pl.next(stage); got != want {
			t.Errorf("stage %d is followed by %s, want %s", stage, got, want)
		}
	}
}
