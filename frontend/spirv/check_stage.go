package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// ruleModels stands for what SPIR-V says with each of these instructions, and VUID-StandaloneSpirv-None-04635 and others of Vulkan.
const ruleModels = "SPIR-V 3.42: the execution models that an instruction is limited to"

var (
	fragmentStage = ir.Stages(ir.StageFragment)
	geometryStage = ir.Stages(ir.StageGeometry)
	tracingStages = ir.Stages(ir.StageRaygen, ir.StageClosestHit, ir.StageMiss)
	callingStages = ir.Stages(ir.StageRaygen, ir.StageClosestHit, ir.StageMiss, ir.StageCallable)
	anyHitStage   = ir.Stages(ir.StageAnyHit)
)

// checkStage refuses an instruction in a shader of a stage that has no such thing: code generators would make it of what the hardware
// of that stage lacks.
func (t *translator) checkStage(op spv.Op, id uint32) {
	var in ir.StageSet
	switch op {
	case spv.OpKill, spv.OpTerminateInvocation, spv.OpDemoteToHelperInvocation, spv.OpIsHelperInvocationEXT,
		spv.OpBeginInvocationInterlockEXT, spv.OpEndInvocationInterlockEXT, spv.OpColorAttachmentReadEXT,
		spv.OpDepthAttachmentReadEXT, spv.OpStencilAttachmentReadEXT:
		in = fragmentStage
	case spv.OpEmitVertex, spv.OpEndPrimitive, spv.OpEmitStreamVertex, spv.OpEndStreamPrimitive:
		in = geometryStage
	case spv.OpSetMeshOutputsEXT, spv.OpWritePackedPrimitiveIndices4x8NV:
		in = ir.Stages(ir.StageMesh)
	case spv.OpEmitMeshTasksEXT:
		in = ir.Stages(ir.StageTask)
	case spv.OpTraceRayKHR, spv.OpTraceNV:
		in = tracingStages
	case spv.OpExecuteCallableKHR, spv.OpExecuteCallableNV:
		in = callingStages
	case spv.OpReportIntersectionKHR:
		in = ir.Stages(ir.StageIntersection)
	case spv.OpIgnoreIntersectionKHR, spv.OpIgnoreIntersectionNV, spv.OpTerminateRayKHR, spv.OpTerminateRayNV:
		in = anyHitStage
	default:
		return
	}
	if !in.Has(t.stage) {
		t.broken(ruleModels, id, "%s in a %s shader", op, t.stage)
	}
}
