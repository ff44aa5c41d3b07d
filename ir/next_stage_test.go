package ir

import "testing"

func TestNextStage(t *testing.T) {
	for _, c := range []struct {
		has  []Stage
		s, n Stage
	}{
		{[]Stage{StageVertex, StageFragment}, StageVertex, StageFragment},
		{[]Stage{StageVertex, StageGeometry, StageFragment}, StageVertex, StageGeometry},
		{[]Stage{StageVertex, StageTessCtrl, StageTessEval, StageGeometry}, StageTessEval, StageGeometry},
		{[]Stage{StageVertex, StageTessCtrl, StageTessEval}, StageVertex, StageTessCtrl},
		{[]Stage{StageVertex}, StageVertex, StageNone},
		{[]Stage{StageVertex, StageFragment}, StageFragment, StageNone},
		{[]Stage{StageVertex, StageCompute}, StageCompute, StageNone},
	} {
		if n := NextStage(c.s, func(s Stage) bool {
			for _, h := range c.has {
				if h == s {
					return true
				}
			}
			return false
		}); n != c.n {
			t.Errorf("%v: %v is followed by %v, want %v", c.has, c.s, n, c.n)
		}
	}
}
