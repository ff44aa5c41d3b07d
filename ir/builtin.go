package ir

// The built-ins that passes ask for by name, as SPIR-V numbers them
// (SPIR-V specification, section BuiltIn). BuiltInTable has all that are known.
const (
	BuiltInVertexID         = 5
	BuiltInInstanceID       = 6
	BuiltInPrimitiveID      = 7
	BuiltInTessLevelOuter   = 11
	BuiltInTessLevelInner   = 12
	BuiltInLayer            = 9
	BuiltInViewportIndex    = 10
	BuiltInFragCoord        = 15
	BuiltInPointCoord       = 16
	BuiltInFrontFacing      = 17
	BuiltInSampleID         = 18
	BuiltInSamplePosition   = 19
	BuiltInHelperInvocation = 23
	BuiltInWorkgroupID      = 26
	BuiltInGlobalSize       = 31
	BuiltInSubgroupSize     = 36
	BuiltInSubgroupMaxSize  = 37
	BuiltInNumSubgroups     = 38
	BuiltInSubgroupID       = 40
	BuiltInInstanceIndex    = 43
	BuiltInDeviceIndex      = 4438
	BuiltInViewIndex        = 4440
	BuiltInFullyCovered     = 5264
	BuiltInBaryCoord        = 5286
	BuiltInBaryCoordNoPersp = 5287

	// Of mesh, task and ray shaders.
	BuiltInTaskCountNV          = 5274
	BuiltInPrimitiveCountNV     = 5275
	BuiltInPrimitiveIndicesNV   = 5276
	BuiltInPrimitivePoints      = 5294
	BuiltInPrimitiveLines       = 5295
	BuiltInPrimitiveTriangles   = 5296
	BuiltInCullPrimitive        = 5299
	BuiltInObjectToWorld        = 5330
	BuiltInWorldToObject        = 5331
	BuiltInHitTriangleVertexPos = 5335
)

// BuiltIn is what is known of one of SPIR-V's built-ins.
type BuiltIn struct {
	// ID and Name are SPIR-V's.
	ID   int32
	Name string
	// Slot is where it travels between stages or leaves a fragment shader; it
	// counts if HasSlot. Loaded are the stages in which an input is no such slot
	// but a system value.
	Slot    Slot
	HasSlot bool
	Loaded  StageSet
	// SysVal: it is a system value where it is no slot; Load is the intrinsic
	// that gives it, IntrLoadDeref where it takes more than one.
	SysVal bool
	Load   Intrinsic
	// Base, Comps and Array are its type: components of 32 bits (BaseInt stands
	// for both kinds of integers) or booleans, perhaps in an array. Comps 0 is unchecked.
	Base  Base
	Comps uint8
	Array bool
	// Stages may have it.
	Stages StageSet
}

const (
	inVertex  = StageSet(1) << StageVertex
	inTessC   = StageSet(1) << StageTessCtrl
	inTess    = inTessC | 1<<StageTessEval
	inGeom    = StageSet(1) << StageGeometry
	inFrag    = StageSet(1) << StageFragment
	inMesh    = StageSet(1) << StageMesh
	inDraws   = inVertex | inMesh | 1<<StageTask
	inHit     = HitStages
	inPrims   = inHit | 1<<StageIntersection
	inRays    = inPrims | 1<<StageMiss // all that know a ray
	inPreRast = inVertex | inTess | inGeom | inMesh
)

// BuiltInTable has a row for each built-in that the frontend takes or the IR's
// text may name: types and stages are those of Vulkan 1.3, "Built-In Variables".
var BuiltInTable = [...]BuiltIn{
	slotOf(0, "Position", SlotPos, BaseFloat, 4, inPreRast),
	slotOf(1, "PointSize", SlotPointSize, BaseFloat, 1, inPreRast),
	slotOf(3, "ClipDistance", SlotClipDist0, BaseFloat, 1, AllStages).arrayed(),
	slotOf(4, "CullDistance", SlotCullDist0, BaseFloat, 1, AllStages).arrayed(),
	slotOf(BuiltInPrimitiveID, "PrimitiveId", SlotPrimitiveID, BaseInt, 1, inTess|inGeom|inFrag|inMesh|inPrims).loaded(IntrLoadPrimitiveId, AllStages&^inFrag),
	slotOf(BuiltInLayer, "Layer", SlotLayer, BaseInt, 1, AllStages).loaded(IntrLoadLayerId, 0),
	slotOf(BuiltInViewportIndex, "ViewportIndex", SlotViewport, BaseInt, 1, AllStages),
	slotOf(BuiltInTessLevelOuter, "TessLevelOuter", SlotTessLevelOuter, BaseFloat, 1, inTess).arrayed().loaded(IntrLoadTessLevelOuter, 0),
	slotOf(BuiltInTessLevelInner, "TessLevelInner", SlotTessLevelInner, BaseFloat, 1, inTess).arrayed().loaded(IntrLoadTessLevelInner, 0),
	slotOf(20, "SampleMask", SlotSampleMask, BaseInt, 1, inFrag).arrayed().loaded(IntrLoadSampleMaskIn, AllStages),
	slotOf(22, "FragDepth", SlotDepth, BaseFloat, 1, inFrag),
	slotOf(5014, "FragStencilRefEXT", SlotStencil, BaseInt, 1, inFrag),
	slotOf(4432, "PrimitiveShadingRateKHR", SlotShadingRate, BaseInt, 0, AllStages),

	{ID: BuiltInVertexID, Name: "VertexId", Load: IntrLoadVertexId, Stages: inVertex},                                                        // of OpenGL: the frontend refuses it
	{ID: BuiltInInstanceID, Name: "InstanceId", Load: IntrLoadInstanceId, SysVal: true, Base: BaseInt, Comps: 1, Stages: inVertex | inPrims}, // of vertices likewise
	sysvalOf(42, "VertexIndex", IntrLoadVertexId, BaseInt, 1, inVertex),
	sysvalOf(BuiltInInstanceIndex, "InstanceIndex", 0, BaseInt, 1, inVertex), // instance_id + base_instance
	sysvalOf(4424, "BaseVertex", IntrLoadFirstVertex, BaseInt, 1, inVertex),
	sysvalOf(4425, "BaseInstance", IntrLoadBaseInstance, BaseInt, 1, inVertex),
	sysvalOf(4426, "DrawIndex", IntrLoadDrawId, BaseInt, 1, inDraws),
	sysvalOf(BuiltInDeviceIndex, "DeviceIndex", 0, BaseInt, 1, AllStages), // 0: there is one device
	sysvalOf(BuiltInViewIndex, "ViewIndex", IntrLoadViewIndex, BaseInt, 1, inPreRast|inFrag|1<<StageTask),
	sysvalOf(8, "InvocationId", IntrLoadInvocationId, BaseInt, 1, inTessC|inGeom),
	sysvalOf(13, "TessCoord", IntrLoadTessCoord, BaseFloat, 3, 1<<StageTessEval),
	sysvalOf(14, "PatchVertices", IntrLoadPatchVerticesIn, BaseInt, 1, inTess),

	sysvalOf(BuiltInFragCoord, "FragCoord", IntrLoadFragCoord, BaseFloat, 4, inFrag),
	sysvalOf(BuiltInPointCoord, "PointCoord", IntrLoadPointCoord, BaseFloat, 2, inFrag),
	sysvalOf(BuiltInFrontFacing, "FrontFacing", IntrLoadFrontFace, BaseBool, 1, inFrag),
	sysvalOf(BuiltInSampleID, "SampleId", IntrLoadSampleId, BaseInt, 1, inFrag),
	sysvalOf(BuiltInSamplePosition, "SamplePosition", IntrLoadSamplePos, BaseFloat, 2, inFrag),
	sysvalOf(BuiltInHelperInvocation, "HelperInvocation", IntrLoadHelperInvocation, BaseBool, 1, inFrag),
	sysvalOf(BuiltInFullyCovered, "FullyCoveredEXT", IntrLoadFullyCovered, BaseBool, 1, inFrag),
	sysvalOf(BuiltInBaryCoord, "BaryCoordKHR", 0, BaseFloat, 3, inFrag), // lower_bary_coord
	sysvalOf(BuiltInBaryCoordNoPersp, "BaryCoordNoPerspKHR", 0, BaseFloat, 3, inFrag),
	sysvalOf(5292, "FragSizeEXT", IntrLoadFragSize, BaseInt, 0, AllStages),
	sysvalOf(5293, "FragInvocationCountEXT", IntrLoadFragInvocationCount, BaseInt, 0, AllStages),
	sysvalOf(4444, "ShadingRateKHR", IntrLoadFragShadingRate, BaseInt, 0, AllStages),

	sysvalOf(24, "NumWorkgroups", IntrLoadNumWorkgroups, BaseInt, 3, GroupStages),
	sysvalOf(25, "WorkgroupSize", IntrLoadWorkgroupSize, BaseInt, 0, AllStages),
	sysvalOf(BuiltInWorkgroupID, "WorkgroupId", IntrLoadWorkgroupId, BaseInt, 3, GroupStages),
	sysvalOf(27, "LocalInvocationId", IntrLoadLocalInvocationId, BaseInt, 3, GroupStages),
	sysvalOf(28, "GlobalInvocationId", IntrLoadGlobalInvocationId, BaseInt, 3, GroupStages),
	sysvalOf(29, "LocalInvocationIndex", IntrLoadLocalInvocationIndex, BaseInt, 1, GroupStages),
	sysvalOf(BuiltInNumSubgroups, "NumSubgroups", IntrLoadNumSubgroups, BaseInt, 1, GroupStages),
	sysvalOf(BuiltInSubgroupID, "SubgroupId", IntrLoadSubgroupId, BaseInt, 1, GroupStages),
	sysvalOf(BuiltInSubgroupSize, "SubgroupSize", IntrLoadSubgroupSize, BaseInt, 1, AllStages),
	sysvalOf(41, "SubgroupLocalInvocationId", IntrLoadSubgroupInvocation, BaseInt, 1, AllStages),
	sysvalOf(4416, "SubgroupEqMask", IntrLoadSubgroupEqMask, BaseInt, 4, AllStages),
	sysvalOf(4417, "SubgroupGeMask", IntrLoadSubgroupGeMask, BaseInt, 4, AllStages),
	sysvalOf(4418, "SubgroupGtMask", IntrLoadSubgroupGtMask, BaseInt, 4, AllStages),
	sysvalOf(4419, "SubgroupLeMask", IntrLoadSubgroupLeMask, BaseInt, 4, AllStages),
	sysvalOf(4420, "SubgroupLtMask", IntrLoadSubgroupLtMask, BaseInt, 4, AllStages),

	slotOf(BuiltInTaskCountNV, "TaskCountNV", SlotTaskCount, BaseInt, 1, 1<<StageTask),
	slotOf(BuiltInPrimitiveCountNV, "PrimitiveCountNV", SlotPrimitiveCount, BaseInt, 1, inMesh),
	slotOf(BuiltInPrimitiveIndicesNV, "PrimitiveIndicesNV", SlotPrimitiveIndices, BaseInt, 0, inMesh), // as those of EXT
	slotOf(BuiltInPrimitivePoints, "PrimitivePointIndicesEXT", SlotPrimitiveIndices, BaseInt, 1, inMesh),
	slotOf(BuiltInPrimitiveLines, "PrimitiveLineIndicesEXT", SlotPrimitiveIndices, BaseInt, 2, inMesh),
	slotOf(BuiltInPrimitiveTriangles, "PrimitiveTriangleIndicesEXT", SlotPrimitiveIndices, BaseInt, 3, inMesh),
	slotOf(BuiltInCullPrimitive, "CullPrimitiveEXT", SlotCullPrimitive, BaseBool, 1, inMesh),

	sysvalOf(5319, "LaunchIdKHR", IntrLoadRayLaunchId, BaseInt, 3, RayStages),
	sysvalOf(5320, "LaunchSizeKHR", IntrLoadRayLaunchSize, BaseInt, 3, RayStages),
	sysvalOf(5321, "WorldRayOriginKHR", IntrLoadRayWorldOrigin, BaseFloat, 3, inRays),
	sysvalOf(5322, "WorldRayDirectionKHR", IntrLoadRayWorldDirection, BaseFloat, 3, inRays),
	sysvalOf(5323, "ObjectRayOriginKHR", IntrLoadRayObjectOrigin, BaseFloat, 3, inPrims),
	sysvalOf(5324, "ObjectRayDirectionKHR", IntrLoadRayObjectDirection, BaseFloat, 3, inPrims),
	sysvalOf(5325, "RayTminKHR", IntrLoadRayTMin, BaseFloat, 1, inRays),
	sysvalOf(5326, "RayTmaxKHR", IntrLoadRayTMax, BaseFloat, 1, inRays),
	sysvalOf(5332, "HitTNV", IntrLoadRayTMax, BaseFloat, 1, inHit),
	sysvalOf(5327, "InstanceCustomIndexKHR", IntrLoadRayInstanceCustomIndex, BaseInt, 1, inPrims),
	// Matrices of four columns of three, and the corners of a triangle: lower_system_values loads column by column.
	sysvalOf(BuiltInObjectToWorld, "ObjectToWorldKHR", IntrLoadRayObjectToWorld, BaseFloat, 0, inPrims),
	sysvalOf(BuiltInWorldToObject, "WorldToObjectKHR", IntrLoadRayWorldToObject, BaseFloat, 0, inPrims),
	sysvalOf(BuiltInHitTriangleVertexPos, "HitTriangleVertexPositionsKHR", IntrLoadRayTriangleVertexPositions, BaseFloat, 0, inHit),
	sysvalOf(5333, "HitKindKHR", IntrLoadRayHitKind, BaseInt, 1, inHit),
	sysvalOf(5351, "IncomingRayFlagsKHR", IntrLoadRayFlags, BaseInt, 1, inRays),
	sysvalOf(5352, "RayGeometryIndexKHR", IntrLoadRayGeometryIndex, BaseInt, 1, inPrims),
	sysvalOf(6021, "CullMaskKHR", IntrLoadCullMask, BaseInt, 1, inRays),
}

func slotOf(id int32, name string, s Slot, base Base, comps uint8, stages StageSet) BuiltIn {
	return BuiltIn{ID: id, Name: name, Slot: s, HasSlot: true, Base: base, Comps: comps, Stages: stages}
}

func sysvalOf(id int32, name string, load Intrinsic, base Base, comps uint8, stages StageSet) BuiltIn {
	return BuiltIn{ID: id, Name: name, SysVal: true, Load: load, Base: base, Comps: comps, Stages: stages}
}

func (b BuiltIn) arrayed() BuiltIn { b.Array = true; return b }

// loaded makes inputs of some stages system values; the intrinsic also serves
// variables of the IR's text that are system values elsewhere.
func (b BuiltIn) loaded(load Intrinsic, stages StageSet) BuiltIn {
	b.SysVal, b.Load, b.Loaded = true, load, stages
	return b
}

// FindBuiltIn returns the row of a built-in by SPIR-V's number, nil for one
// that is not known.
func FindBuiltIn(id int32) *BuiltIn {
	for i := range BuiltInTable {
		if BuiltInTable[i].ID == id {
			return &BuiltInTable[i]
		}
	}
	return nil
}

// SlotIn returns the slot that the built-in has in a stage as an input (or
// output); false if it is a system value there.
func (b *BuiltIn) SlotIn(stage Stage, input bool) (Slot, bool) {
	if !b.HasSlot || input && b.Loaded.Has(stage) {
		return 0, false
	}
	return b.Slot, true
}
