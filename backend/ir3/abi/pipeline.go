package abi

import "nirc/ir"

// The stages of a pipeline share the room for consts (ir3.md §1.7): those before the
// rasterizer have so much together, and all of them.

// SafeConst is what each of five stages may take so that all fit, in vec4.
const SafeConst = 100

// OverBudget returns the stages of a pipeline that take too many consts, those that take most first,
// and are to be compiled again with no more than SafeConst. programs has no compute shader.
func OverBudget(programs []*Meta) []ir.Stage {
	var over []ir.Stage
	taken := make(map[ir.Stage]int, len(programs))
	most := maxConstVSFS
	for _, m := range programs {
		taken[m.Stage] = m.ConstLen
		if m.Stage != ir.StageVertex && m.Stage != ir.StageFragment {
			most = maxConst
		}
	}
	trim := func(limit int, stages ...ir.Stage) {
		for {
			total, largest := 0, stages[0]
			for _, s := range stages {
				total += taken[s]
				if taken[s] >= taken[largest] {
					largest = s
				}
			}
			if total <= limit || taken[largest] <= SafeConst {
				return
			}
			over, taken[largest] = append(over, largest), SafeConst
		}
	}
	geometry := []ir.Stage{ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry}
	trim(maxConst, geometry...)
	trim(most, append(geometry, ir.StageFragment)...)
	return over
}
