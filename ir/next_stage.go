package ir

// DrawStages are the stages of a draw in their order.
var DrawStages = [...]Stage{StageVertex, StageTessCtrl, StageTessEval, StageGeometry, StageFragment}

// NextStage is the stage that follows s in a draw whose stages has tells;
// StageNone after the last, and for stages that are no part of a draw.
func NextStage(s Stage, has func(Stage) bool) Stage {
	behind := false
	for _, t := range DrawStages {
		if behind && has(t) {
			return t
		}
		behind = behind || t == s
	}
	return StageNone
}
