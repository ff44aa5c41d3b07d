package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// ruleBuiltIn and ruleBuiltInStage stand for the rules VUID-<BuiltIn>-<BuiltIn>-NNNNN of Vulkan, of which each
// built-in has some.
const (
	ruleBuiltIn      = "Vulkan, Built-In Variables: the type of a built-in"
	ruleBuiltInStage = "Vulkan, Built-In Variables: the stages of a built-in"
	ruleDepth        = "VUID-FragDepth-FragDepth-04216: an entry point that writes FragDepth has the mode DepthReplacing"
	ruleOrigin       = "VUID-StandaloneSpirv-OriginLowerLeft-04653: Vulkan has OriginUpperLeft"
	rulePixelCenter  = "VUID-StandaloneSpirv-PixelCenterInteger-04654: Vulkan's pixel centres are halves"
	ruleVertexID     = "Vulkan, Built-In Variables: there are VertexIndex and InstanceIndex"
	ruleBoolIO       = "VUID-StandaloneSpirv-Input-07290: booleans in Input and Output are built-ins"
)

// stageSet is a set of stages.
type stageSet uint8

const (
	inVertex stageSet = 1 << iota
	inTessCtrl
	inTessEval
	inGeometry
	inFragment
	inCompute
)

// stageBits are the sets of one stage.
var stageBits = [...]stageSet{ir.StageVertex: inVertex, ir.StageTessCtrl: inTessCtrl, ir.StageTessEval: inTessEval, ir.StageGeometry: inGeometry,
	ir.StageFragment: inFragment, ir.StageCompute: inCompute}

// builtInRule is what Vulkan wants of a built-in: components of a base (a number of 32 bits or a
// boolean), perhaps in an array, in some stages (0: in any that has it).
type builtInRule struct {
	builtIn spv.BuiltIn
	base    tkind
	comps   uint8
	array   bool
	stages  stageSet
}

// builtInRules are those of the built-ins that the frontend takes (Vulkan 1.3, "Built-In Variables").
var builtInRules = [...]builtInRule{
	{spv.BuiltInPosition, tFloat, 4, false, inVertex | inTessCtrl | inTessEval | inGeometry},
	{spv.BuiltInPointSize, tFloat, 1, false, inVertex | inTessCtrl | inTessEval | inGeometry},
	{spv.BuiltInClipDistance, tFloat, 1, true, 0},
	{spv.BuiltInCullDistance, tFloat, 1, true, 0},
	{spv.BuiltInLayer, tInt, 1, false, 0},
	{spv.BuiltInViewportIndex, tInt, 1, false, 0},
	{spv.BuiltInPrimitiveId, tInt, 1, false, inTessCtrl | inTessEval | inGeometry | inFragment},
	{spv.BuiltInTessLevelOuter, tFloat, 1, true, inTessCtrl | inTessEval},
	{spv.BuiltInTessLevelInner, tFloat, 1, true, inTessCtrl | inTessEval},
	{spv.BuiltInFragDepth, tFloat, 1, false, inFragment},
	{spv.BuiltInFragStencilRefEXT, tInt, 1, false, inFragment},
	{spv.BuiltInSampleMask, tInt, 1, true, inFragment},
	{spv.BuiltInVertexIndex, tInt, 1, false, inVertex},
	{spv.BuiltInInstanceIndex, tInt, 1, false, inVertex},
	{spv.BuiltInBaseVertex, tInt, 1, false, inVertex},
	{spv.BuiltInBaseInstance, tInt, 1, false, inVertex},
	{spv.BuiltInDrawIndex, tInt, 1, false, inVertex},
	{spv.BuiltInDeviceIndex, tInt, 1, false, 0},
	{spv.BuiltInViewIndex, tInt, 1, false, inVertex | inTessCtrl | inTessEval | inGeometry | inFragment},
	{spv.BuiltInInvocationId, tInt, 1, false, inTessCtrl | inGeometry},
	{spv.BuiltInTessCoord, tFloat, 3, false, inTessEval},
	{spv.BuiltInPatchVertices, tInt, 1, false, inTessCtrl | inTessEval},
	{spv.BuiltInFragCoord, tFloat, 4, false, inFragment},
	{spv.BuiltInPointCoord, tFloat, 2, false, inFragment},
	{spv.BuiltInFrontFacing, tBool, 1, false, inFragment},
	{spv.BuiltInSampleId, tInt, 1, false, inFragment},
	{spv.BuiltInSamplePosition, tFloat, 2, false, inFragment},
	{spv.BuiltInHelperInvocation, tBool, 1, false, inFragment},
	{spv.BuiltInFullyCoveredEXT, tBool, 1, false, inFragment},
	{spv.BuiltInBaryCoordKHR, tFloat, 3, false, inFragment},
	{spv.BuiltInBaryCoordNoPerspKHR, tFloat, 3, false, inFragment},
	{spv.BuiltInNumWorkgroups, tInt, 3, false, inCompute},
	{spv.BuiltInWorkgroupId, tInt, 3, false, inCompute},
	{spv.BuiltInLocalInvocationId, tInt, 3, false, inCompute},
	{spv.BuiltInGlobalInvocationId, tInt, 3, false, inCompute},
	{spv.BuiltInLocalInvocationIndex, tInt, 1, false, inCompute},
	{spv.BuiltInNumSubgroups, tInt, 1, false, inCompute},
	{spv.BuiltInSubgroupId, tInt, 1, false, inCompute},
	{spv.BuiltInSubgroupSize, tInt, 1, false, 0},
	{spv.BuiltInSubgroupLocalInvocationId, tInt, 1, false, 0},
	{spv.BuiltInSubgroupEqMask, tInt, 4, false, 0},
	{spv.BuiltInSubgroupGeMask, tInt, 4, false, 0},
	{spv.BuiltInSubgroupGtMask, tInt, 4, false, 0},
	{spv.BuiltInSubgroupLeMask, tInt, 4, false, 0},
	{spv.BuiltInSubgroupLtMask, tInt, 4, false, 0},
}

// fits reports whether a type is the one of the rule.
func (r *builtInRule) fits(ty *ir.Type) bool {
	if ty.IsArray() != r.array {
		return false
	}
	if r.array {
		ty = ty.Elem
	}
	bits := uint8(32)
	var base bool
	switch r.base {
	case tBool:
		base, bits = ty.Base == ir.BaseBool, 1
	case tFloat:
		base = ty.Base == ir.BaseFloat
	default:
		base = ty.Base == ir.BaseInt || ty.Base == ir.BaseUint
	}
	return base && ty.Bits == bits && ty.Cols == 1 && ty.Rows == r.comps
}

// checkBuiltIn checks the type and the stage of a built-in; ty is the type without the level that
// counts vertices.
func (t *translator) checkBuiltIn(v *variable, b spv.BuiltIn, ty *ir.Type) {
	for i := range builtInRules {
		r := &builtInRules[i]
		if r.builtIn != b {
			continue
		}
		if !r.fits(ty) {
			t.broken(ruleBuiltIn, v.id, "the built-in %s is of type %s", b, ty)
		}
		if r.stages != 0 && int(t.stage) < len(stageBits) && r.stages&stageBits[t.stage] == 0 {
			t.broken(ruleBuiltInStage, v.id, "the built-in %s in a %s shader", b, t.stage)
		}
	}
}
