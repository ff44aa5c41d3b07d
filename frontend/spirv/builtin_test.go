package spirv

import (
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// The IR's tables call built-ins and execution models as the grammar does.
func TestTablesAgreeWithGrammar(t *testing.T) {
	for i := range ir.BuiltInTable {
		if b := &ir.BuiltInTable[i]; spv.BuiltIn(b.ID).String() != b.Name {
			t.Errorf("built-in %d is %s, not %s", b.ID, spv.BuiltIn(b.ID), b.Name)
		}
	}
	models := map[spv.ExecutionModel]ir.Stage{
		spv.ExecutionModelVertex: ir.StageVertex, spv.ExecutionModelTessellationControl: ir.StageTessCtrl, spv.ExecutionModelTessellationEvaluation: ir.StageTessEval,
		spv.ExecutionModelGeometry: ir.StageGeometry, spv.ExecutionModelFragment: ir.StageFragment, spv.ExecutionModelGLCompute: ir.StageCompute,
		spv.ExecutionModelKernel: ir.StageKernel, spv.ExecutionModelTaskEXT: ir.StageTask, spv.ExecutionModelTaskNV: ir.StageTask,
		spv.ExecutionModelMeshEXT: ir.StageMesh, spv.ExecutionModelMeshNV: ir.StageMesh, spv.ExecutionModelRayGenerationKHR: ir.StageRaygen,
		spv.ExecutionModelIntersectionKHR: ir.StageIntersection, spv.ExecutionModelAnyHitKHR: ir.StageAnyHit, spv.ExecutionModelClosestHitKHR: ir.StageClosestHit,
		spv.ExecutionModelMissKHR: ir.StageMiss, spv.ExecutionModelCallableKHR: ir.StageCallable,
	}
	for m, want := range models {
		if got := ir.StageOfModel(uint32(m)); got != want {
			t.Errorf("execution model %s is %s, not %s", m, got, want)
		}
	}
}
