package passes

// formPasses are the passes over the form of values that single targets or drivers ask for: precision,
// booleans of other sizes, descriptors that differ between lanes.
var formPasses = []*Pass{
	lowerBoolToBitsizePass,
	lowerFP16CastsPass,
	lowerMediumpPass,
	lowerMediumpVarsPass,
	lowerMediumpIOPass,
	recomputeIOBasesPass,
	unpack16BitSlotsPass,
	opt16BitTexImagePass,
	legalize16BitSamplerSrcsPass,
	lowerNonUniformAccessPass,
	lowerReadonlyImagesToTexPass,
	lowerToSourceModsPass,
	moveVecSrcUsesToDestPass,
	normalizeCubemapCoordsPass,
	scaleFdivPass,
	split64BitVec3AndVec4Pass,
}
